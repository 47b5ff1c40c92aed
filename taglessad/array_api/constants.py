"""The standard's constants, as Python floats, and its name for the dtype of truth values."""

import math
from typing import Final

from taglessad.dtypes import DType, bool_

e: Final = math.e
pi: Final = math.pi
inf: Final = math.inf
nan: Final = math.nan
newaxis: Final = None
bool: Final[DType] = bool_
