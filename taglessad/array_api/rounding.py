"""Roundings and remainders, entry by entry.

Operands are of any shape and broadcast. Numbers keep their common dtype and bools count as int64;
what is an integer already rounds to itself. Raises DTypeError for what holds no numbers, ShapeError
for shapes that do not broadcast. Among integers division by zero gives 0.
"""

from typing import TypeVar

from taglessad.dispatch import Numeric, arithmetic, as_number, meet
from taglessad.dtypes import is_real
from taglessad.tensor import AnyTensor, Tensor, handle

T = TypeVar("T", bound=AnyTensor)


def _rounding(name: str, x: T) -> T:
    met = as_number(meet(name, (x,), ("x",)))
    y = met.payloads[0]
    if is_real(met.dtype):
        y = getattr(met.ops, name)(y)
    return handle(met.ops, y, met.dtype, met.weak)  # type: ignore[no-any-return]  # its kind is kept


def ceil(x: T, /) -> T:
    """The least integer not below x, in the dtype of x. Its derivative is 0."""
    return _rounding("ceil", x)


def floor(x: T, /) -> T:
    """The greatest integer not above x, in the dtype of x. Its derivative is 0."""
    return _rounding("floor", x)


def round(x: T, /) -> T:
    """The integer nearest to x, halves to even, in the dtype of x. Its derivative is 0."""
    return _rounding("round", x)


def trunc(x: T, /) -> T:
    """x without its fraction, in the dtype of x. Its derivative is 0."""
    return _rounding("trunc", x)


def floor_divide(x1: Numeric, x2: Numeric, /) -> Tensor:
    """floor(x1 / x2). Its derivative is 0."""
    return arithmetic("floor_divide", "floor_divide", x1, x2)


def remainder(x1: Numeric, x2: Numeric, /) -> Tensor:
    """x1 - x2 * floor(x1 / x2), which has the sign of x2: Python's %."""
    return arithmetic("remainder", "remainder", x1, x2)


def fmod(x1: Numeric, x2: Numeric, /) -> Tensor:
    """x1 - x2 * trunc(x1 / x2), which has the sign of x1: C's and NumPy's fmod."""
    return arithmetic("fmod", "fmod", x1, x2)
