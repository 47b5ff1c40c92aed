"""Statistics that leave NaN out. What is left out contributes nothing to any derivative.

`axis` is None for all axes, an axis, or several distinct ones. Raises IndexOutOfRange for an axis
that is not there, ArgumentError for one given twice. `nansum` is in statistical.py.
"""

import math

from taglessad import shapes
from taglessad.array_api.arithmetic import square
from taglessad.array_api.comparison import equal
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.logic import isnan, logical_not, logical_or
from taglessad.array_api.operands import numbers, real
from taglessad.array_api.searching import where
from taglessad.array_api.statistical import Axis, max, min, prod, sum
from taglessad.array_api.transcendental import sqrt
from taglessad.array_api.utility import all as all_of
from taglessad.dtypes import bool_, is_real
from taglessad.rules.inner import level
from taglessad.tensor import BoolTensor, Tensor, TensorLike


def nanprod(x: TensorLike, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """The product over axes of the entries that are not NaN."""
    (t,) = numbers("nanprod", (x,), ("x",))
    return prod(where(isnan(t), 1.0, t) if is_real(t.dtype) else t, axis, keepdims=keepdims)


def nanmax(x: TensorLike, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """The largest entry over axes that is not NaN; NaN where all are. Ties share the derivative."""
    return _extreme("nanmax", x, axis, keepdims)


def nanmin(x: TensorLike, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """The smallest entry over axes that is not NaN; NaN where all are. Ties share the derivative."""
    return _extreme("nanmin", x, axis, keepdims)


def _extreme(name: str, x: TensorLike, axis: Axis, keepdims: bool) -> Tensor:
    (t,) = numbers(name, (x,), ("x",))
    reduce, worst = (max, -math.inf) if name == "nanmax" else (min, math.inf)
    if not is_real(t.dtype):
        return reduce(t, axis, keepdims=keepdims)
    missing = isnan(t)
    found = reduce(where(missing, worst, t), axis, keepdims=keepdims)
    return where(all_of(missing, axis, keepdims=keepdims), math.nan, found)


def nanmean(x: TensorLike, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """The mean over axes of the entries that are not NaN; NaN where all are."""
    t = real(x, "nanmean")
    missing = isnan(t)
    return sum(where(missing, 0.0, t), axis, keepdims=keepdims) / _count(t, missing, axis, keepdims)


def nanvar(
    x: TensorLike, /, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The variance over axes of the entries that are not NaN, N of them, over N - correction.

    NaN where N - correction is not positive.
    """
    t = real(x, "nanvar")
    missing = isnan(t)
    return _variance(t, missing, axis, correction, keepdims)


def nanstd(
    x: TensorLike, /, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The square root of `nanvar`; of equal entries it is 0, and so is its derivative."""
    t = real(x, "nanstd")
    missing = isnan(t)
    variance = _variance(t, missing, axis, correction, keepdims)
    low, high = where(missing, -math.inf, t), where(missing, math.inf, t)
    axes = shapes.normalize_axes(axis, t.shape, "nanstd")
    found = level(low.ops, low.payload, axes, high.payload)
    same = BoolTensor(low.ops, low.ops.reshape(found, variance.shape), bool_)
    zero = where(isnan(variance), math.nan, 0.0)
    return where(logical_or(same, equal(variance, 0.0)), zero, sqrt(variance))


def _variance(
    t: Tensor, missing: BoolTensor, axis: Axis, correction: float, keepdims: bool
) -> Tensor:
    count = _count(t, missing, axis, keepdims=True)
    centre = sum(where(missing, 0.0, t), axis, keepdims=True) / count
    squares = sum(where(missing, 0.0, square(t - centre)), axis, keepdims=keepdims)
    left = _count(t, missing, axis, keepdims) - correction
    return squares / where(left > 0.0, left, math.nan)


def _count(t: Tensor, missing: BoolTensor, axis: Axis, keepdims: bool) -> Tensor:
    present = astype(logical_not(missing), t.dtype)
    return sum(present, axis, keepdims=keepdims)
