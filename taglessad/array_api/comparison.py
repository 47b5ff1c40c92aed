"""Comparisons, entry by entry, and the choices that they make.

Operands are of any shape, broadcast, and are compared in their common dtype. Raises DTypeError for
what holds no numbers, ShapeError for shapes that do not broadcast. NaN is equal to nothing, less
than nothing and greater than nothing.
"""

import math

from taglessad.array_api.dtype_functions import iinfo
from taglessad.array_api.kinks import at_bounds, at_tie
from taglessad.dispatch import Numeric, Operands, arithmetic, as_number, call, comparison, meet
from taglessad.dtypes import DType, is_real
from taglessad.tensor import BoolTensor, Tensor, handle


def equal(x1: Numeric, x2: Numeric, /) -> BoolTensor:
    """x1 == x2."""
    return comparison("equal", "equal", x1, x2)


def not_equal(x1: Numeric, x2: Numeric, /) -> BoolTensor:
    """x1 != x2."""
    return comparison("not_equal", "not_equal", x1, x2)


def less(x1: Numeric, x2: Numeric, /) -> BoolTensor:
    """x1 < x2."""
    return comparison("less", "less", x1, x2)


def less_equal(x1: Numeric, x2: Numeric, /) -> BoolTensor:
    """x1 <= x2."""
    return comparison("less_equal", "less_equal", x1, x2)


def greater(x1: Numeric, x2: Numeric, /) -> BoolTensor:
    """x1 > x2."""
    return comparison("less", "greater", x1, x2, swapped=True)


def greater_equal(x1: Numeric, x2: Numeric, /) -> BoolTensor:
    """x1 >= x2."""
    return comparison("less_equal", "greater_equal", x1, x2, swapped=True)


def maximum(x1: Numeric, x2: Numeric, /) -> Tensor:
    """The larger of two; NaN if either is. Equal operands share the derivative."""
    return at_tie(arithmetic("maximum", "maximum", x1, x2), x1, x2)  # type: ignore[no-any-return]  # a Tensor


def minimum(x1: Numeric, x2: Numeric, /) -> Tensor:
    """The smaller of two; NaN if either is. Equal operands share the derivative."""
    return at_tie(arithmetic("minimum", "minimum", x1, x2), x1, x2)  # type: ignore[no-any-return]  # a Tensor


def clip(x: Numeric, /, min: Numeric | None = None, max: Numeric | None = None) -> Tensor:
    """x brought into [min, max]; None is no bound. Where min > max the result is max.

    The derivative in x is 1 on the closed interval; in min where x < min, in max where x > max.
    """
    given = [("x", x)] + [(k, v) for k, v in (("min", min), ("max", max)) if v is not None]
    met = as_number(meet("clip", [v for _, v in given], [k for k, _ in given]))
    found = dict(zip([k for k, _ in given], met.payloads, strict=True))
    ops, y = met.ops, found["x"]
    low = high = None
    if len(found) > 1:
        least, largest = _limits(met.dtype)
        low = found["min"] if "min" in found else ops.scalar(least, y)
        high = found["max"] if "max" in found else ops.scalar(largest, y)
        y = call(Operands(ops, (y, low, high), met.dtype, met.weak), "clip", "clip")
    result: Tensor = handle(ops, y, met.dtype, met.weak)
    return result if low is None else at_bounds(result, found["x"], low, high)


def _limits(dtype: DType) -> tuple[float, float]:
    """Bounds that bound nothing."""
    if is_real(dtype):
        return -math.inf, math.inf
    info = iinfo(dtype)
    return info.min, info.max
