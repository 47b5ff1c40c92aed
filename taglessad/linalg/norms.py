"""Norms of vectors and matrices. Integers become float64. Derivatives at 0 are 0."""

import math
from typing import Any, Final, Literal

from taglessad import shapes
from taglessad.dispatch import as_real, meet
from taglessad.dtypes import DType, float32
from taglessad.errors import ArgumentError, ShapeError
from taglessad.ops import Ops
from taglessad.rules.inner import below, side
from taglessad.rules.reductions import expand
from taglessad.tensor import Tensor

Axes = tuple[int, ...]


def vector_norm(
    x: Tensor, /, *, axis: Any = None, keepdims: bool = False, ord: object = 2
) -> Tensor:
    """(sum |x|**ord)**(1/ord) over axes (all by default); for inf and -inf the extremes of |x|.

    ord 0 counts the entries that are not 0. Powers are taken of x brought to a middling size, so
    that huge and tiny entries do no harm. At 0 the gradient is 0, and so is the second derivative;
    for an ord between 1 and 2 it is also in each entry that is 0, where it is infinite.
    Raises ArgumentError for an ord that is no number.
    """
    # Any: an axis, several or none; `ord` is checked below.
    met = as_real(meet("vector_norm", (x,), ("x",)))
    ops, (payload,) = met.ops, met.payloads
    shape = ops.shape(payload)
    axes = shapes.normalize_axes(axis, shape, "vector_norm")
    if not isinstance(ord, int | float):
        raise ArgumentError(f"vector_norm: ord is {ord!r}; it must be a number")
    y = _norm(ops, payload, axes, float(ord), met.dtype) if axes else ops.abs(payload)
    if keepdims:
        y = ops.reshape(y, shapes.reduce(shape, axes, True, "vector_norm"))
    return Tensor(ops, y, met.dtype, met.weak)


def matrix_norm(
    x: Tensor,
    /,
    *,
    keepdims: bool = False,
    ord: float | Literal["fro", "nuc"] = "fro",
) -> Tensor:
    """A norm of the matrices in the last two axes.

    ord: "fro", the root of the sum of squares; "nuc", the sum of the singular values; 2 and -2, the
    largest and the smallest of them; 1 and -1, the largest and smallest sum of |x| down a column;
    inf and -inf, along a row. Raises ArgumentError for others, ShapeError below rank 2.
    """
    met = as_real(meet("matrix_norm", (x,), ("x",)))
    ops, (payload,) = met.ops, met.payloads
    shape = ops.shape(payload)
    rank = len(shape)
    if rank < 2:
        raise ShapeError(f"matrix_norm: shape {shapes.show(shape)} is no matrix")
    both = (rank - 2, rank - 1)
    if ord == "fro":
        y = _norm(ops, payload, both, 2.0, met.dtype)
    elif ord in ("nuc", 2, -2):
        y = _of_singular_values(ops, payload, ord)
    elif ord in (1, -1, math.inf, -math.inf):
        along = rank - 2 if ord in (1, -1) else rank - 1
        sums = ops.sum(ops.abs(payload), (along,))
        y = ops.max(sums, (rank - 2,)) if ord > 0 else ops.min(sums, (rank - 2,))
    else:
        raise ArgumentError(
            f"matrix_norm: ord is {ord!r}; it is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf"
        )
    if keepdims:
        y = ops.reshape(y, shapes.reduce(shape, both, True, "matrix_norm"))
    return Tensor(ops, y, met.dtype, met.weak)


def _of_singular_values(ops: Ops[Any], x: Any, ord: object) -> Any:  # Any: payloads of `ops`
    s = ops.abs(ops.svd(x, False)[1])  # of which the derivative at 0 is 0
    last = (len(ops.shape(s)) - 1,)
    if ord == "nuc" or ops.shape(s)[-1] == 0:
        return ops.sum(s, last)
    return ops.max(s, last) if ord == 2 else ops.min(s, last)


def _norm(ops: Ops[Any], x: Any, axes: Axes, p: float, dtype: DType) -> Any:
    """Any: payloads of `ops`."""
    if p == 0:
        return ops.sum(ops.cast(ops.not_equal(x, ops.scalar(0, x)), dtype), axes)
    if p == 2 and 0 not in [ops.shape(x)[axis] for axis in axes]:
        return _length(ops, x, axes, dtype)
    size = _smooth_size(ops, x, p) if 1 < p < math.inf else ops.abs(x)
    if p == 1:
        return ops.sum(size, axes)
    if 0 in [ops.shape(x)[axis] for axis in axes]:
        return ops.sum(size, axes)
    if p == math.inf:
        return ops.max(size, axes)
    if p == -math.inf:
        return ops.min(size, axes)
    # y = scale * norm(x / scale) for every scale: its derivative in the scale is 0.
    fixed = ops.detach(size)
    scale = ops.max(fixed, axes) if p > 0 else ops.min(fixed, axes)
    zero, one = ops.scalar(0, scale), ops.scalar(1, scale)
    origin = ops.equal(scale, zero)
    usable = ops.logical_and(ops.isfinite(scale), ops.logical_not(origin))
    scale = ops.where(usable, scale, one)
    power = ops.pow(ops.div(size, expand(ops, scale, x, axes)), ops.scalar(p, x))
    root = ops.pow(ops.sum(power, axes), ops.scalar(1 / p, x))
    # Not the root's derivative at 0, which is inf; for negative p, too, one zero makes it 0.
    return ops.where(origin, zero, ops.mul(root, scale))


def _smooth_size(ops: Ops[Any], x: Any, p: float) -> Any:
    """|x|, of which powers above the first have no kink. Any: payloads of `ops`."""
    if p < 2:
        zero = ops.scalar(0, x)
        x = ops.where(ops.equal(x, zero), zero, x)
    return ops.mul(side(ops, ops.detach(x)), x)


# By the size of a number in bytes: beyond 2**edge squares are near the end of the range, and are
# taken of x * 2**-shift; likewise below 2**-edge. Powers of two round nothing.
_EDGE_AND_SHIFT: Final = {8: (500, 700), 4: (50, 90)}


def _length(ops: Ops[Any], x: Any, axes: Axes, dtype: DType) -> Any:
    """The root of the sum of squares. Any: payloads of `ops`."""
    if dtype.itemsize < 4:  # the sum of squares needs a wider range
        return ops.cast(_length(ops, ops.cast(x, float32), axes, float32), dtype)
    edge, shift = _EDGE_AND_SHIFT[dtype.itemsize]
    largest = ops.max(ops.abs(ops.detach(x)), axes)
    zero, one = ops.scalar(0, largest), ops.scalar(1, largest)
    huge = below(ops, ops.scalar(2.0**edge, largest), largest)
    tiny = below(ops, largest, ops.scalar(2.0**-edge, largest))
    down, up = ops.scalar(2.0**-shift, largest), ops.scalar(2.0**shift, largest)
    factor = ops.where(huge, down, ops.where(tiny, up, one))
    squares = ops.square(ops.mul(x, expand(ops, factor, x, axes)))
    length = ops.div(ops.sqrt(ops.sum(squares, axes)), factor)
    return ops.where(ops.equal(largest, zero), zero, length)
