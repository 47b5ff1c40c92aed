"""The standard's constants, as Python floats."""

import math
from typing import Final

e: Final = math.e
pi: Final = math.pi
inf: Final = math.inf
nan: Final = math.nan
newaxis: Final = None
