"""The table of docs/proofs.md, made from what `prove` finds.

    python -m taglessad.proofs_checks.prove_table [FILE]

puts it between the two comments of the file, docs/proofs.md by default.
"""

import sys
from pathlib import Path
from typing import Final

from taglessad.proofs_checks.prove import prove
from taglessad.proofs_checks.prove_report import Report

START: Final = "<!-- prove: start -->"
END: Final = "<!-- prove: end -->"


def rows(text: str) -> dict[str, str]:
    """The rows of a page's table, by primitive."""
    inside = text.partition(START)[2].partition(END)[0]
    lines = [line for line in inside.splitlines() if line.startswith("| `")]
    return {line.split("`")[1]: line for line in lines}


def written(text: str, report: Report) -> str:
    """A page's text with the report's table in its place."""
    before, _, rest = text.partition(START)
    after = rest.partition(END)[2]
    return f"{before}{START}\n{report.summary()}\n\n{report.table()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Write the table: 0 if all laws were proved or checked, else 1, and the page stays as it is."""
    page = Path(arguments[0] if arguments else "docs/proofs.md")
    report = prove()
    if not report.good:
        print(*report.failures, sep="\n", file=sys.stderr)
        return 1
    page.write_text(written(page.read_text(encoding="utf-8"), report), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
