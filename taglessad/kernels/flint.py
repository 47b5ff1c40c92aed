"""python-flint, where it is installed: the one module that imports it. Names are None without it."""

from typing import Any

try:
    import flint as _flint
except ImportError:  # the extra `real` is not installed
    _flint = None  # type: ignore[assignment]  # the names below say so

# Any: an optional dependency's types are not there for everybody who checks this library.
acb: Any = getattr(_flint, "acb", None)
acb_mat: Any = getattr(_flint, "acb_mat", None)
arb: Any = getattr(_flint, "arb", None)
arb_mat: Any = getattr(_flint, "arb_mat", None)
arb_series: Any = getattr(_flint, "arb_series", None)
ctx: Any = getattr(_flint, "ctx", None)
fmpq: Any = getattr(_flint, "fmpq", None)
fmpq_mat: Any = getattr(_flint, "fmpq_mat", None)
