"""`python -m taglessad`: the command line."""

import sys

from taglessad.cli import main

if __name__ == "__main__":
    sys.exit(main())
