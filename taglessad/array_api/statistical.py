"""Sums, means, extremes and middles, over axes or running along one.

`axis` is None for all axes, an axis, or several distinct ones, negative ones counted from the back.
The axes reduced are removed, or kept with size 1 by `keepdims`. Raises IndexOutOfRange for an axis
that is not there, ArgumentError for one given twice, DTypeError for what holds no numbers.
"""

import math
from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias

from taglessad import dtypes, shapes
from taglessad.dispatch import Operands, as_number, as_real, cast, meet, recast
from taglessad.dtypes import float32, int64, is_real, uint64
from taglessad.errors import ArgumentError, ShapeError
from taglessad.ops import Ops
from taglessad.rules.inner import level
from taglessad.shapes import Extent, Shape, show
from taglessad.tensor import AnyTensor, Tensor, TensorLike, handle

# Any below: payloads, and methods, of whichever interpreter runs.
Axis: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
Axes: TypeAlias = tuple[int, ...]


def _reduced(method: str, met: Operands, axis: Axis, keepdims: bool, what: str) -> Tensor:
    """A primitive over axes. Statically a Tensor."""
    ops, (x,) = met.ops, met.payloads
    shape = ops.shape(x)
    axes = shapes.normalize_axes(axis, shape, what)
    y = getattr(ops, method)(x, axes)
    return _result(met, ops.reshape(y, _kept(shape, axes)) if keepdims else y)


def _result(met: Operands, y: Any) -> Tensor:
    result: Tensor = handle(met.ops, y, met.dtype, met.weak)
    return result


def _kept(shape: Shape, axes: Axes) -> Shape:
    """The shape with 1 in the place of each axis reduced."""
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


# --- sums and products ---------------------------------------------------------------------------
def _summand(x: TensorLike, dtype: object, what: str) -> Operands:
    """The operand in the dtype that it is summed in: 64 bits for integers, bools are counted."""
    met = meet(what, (x,), ("x",))
    if dtype is not None:
        return recast(met, dtypes.resolve(dtype, what))
    if is_real(met.dtype):
        return met
    return recast(met, uint64 if met.dtype.kind == "u" else int64)


def sum(
    x: AnyTensor, /, axis: Axis = None, dtype: object = None, *, keepdims: bool = False
) -> Tensor:
    """The sum over axes, 0 of no entries. Integers are summed in 64 bits, bools are counted.

    With a `dtype` the entries are cast to it first.
    """
    return _reduced("sum", _summand(x, dtype, "sum"), axis, keepdims, "sum")


def nansum(
    x: AnyTensor, /, axis: Axis = None, dtype: object = None, *, keepdims: bool = False
) -> Tensor:
    """The sum over axes of the entries that are not NaN; those carry no derivative."""
    met = _summand(x, dtype, "nansum")
    ops, (y,) = met.ops, met.payloads
    if is_real(met.dtype):
        y = ops.where(ops.isnan(y), ops.scalar(0, y), y)
    return _reduced("sum", met._replace(payloads=(y,)), axis, keepdims, "nansum")


def prod(
    x: AnyTensor, /, axis: Axis = None, dtype: object = None, *, keepdims: bool = False
) -> Tensor:
    """The product over axes, 1 of no entries; dtypes as in `sum`.

    Its derivative is right where entries are zero.
    """
    return _reduced("prod", _summand(x, dtype, "prod"), axis, keepdims, "prod")


def cumulative_sum(
    x: AnyTensor,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: object = None,
    include_initial: bool = False,
) -> Tensor:
    """The sums of the first 1, 2, ... entries along an axis, which only a vector may leave out.

    With `include_initial` the sum of no entries, 0, goes first. dtypes as in `sum`.
    """
    return _running("cumulative_sum", 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: AnyTensor,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: object = None,
    include_initial: bool = False,
) -> Tensor:
    """The products of the first 1, 2, ... entries along an axis, which only a vector may leave out.

    With `include_initial` the product of no entries, 1, goes first. dtypes as in `sum`. Its
    derivative is right where entries are zero.
    """
    return _running("cumulative_prod", 1, x, axis, dtype, include_initial)


def _running(
    name: str,
    initial: int,
    x: TensorLike,
    axis: SupportsIndex | None,
    dtype: object,
    include_initial: bool,
) -> Tensor:
    met = _summand(x, dtype, name)
    ops, (entries,) = met.ops, met.payloads
    shape = ops.shape(entries)
    if axis is None and len(shape) != 1:
        raise ArgumentError(
            f"{name}: axis is missing; only a vector needs none, and the shape is {show(shape)}"
        )
    along = shapes.normalize_axis(0 if axis is None else axis, shape, name)
    y = getattr(ops, name)(entries, along)
    if include_initial:
        edge = ops.broadcast(ops.scalar(initial, y), _kept(shape, (along,)))
        y = ops.concat((edge, y), along)
    return _result(met, y)


# --- extremes ------------------------------------------------------------------------------------
def max(x: AnyTensor, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """The largest entry over axes; NaN if there is one. Tied entries share the derivative equally.

    Raises ShapeError for the largest of no entries.
    """
    return _extreme("max", x, axis, keepdims)


def min(x: AnyTensor, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """The smallest entry over axes; NaN if there is one. Tied entries share the derivative equally.

    Raises ShapeError for the smallest of no entries.
    """
    return _extreme("min", x, axis, keepdims)


def _extreme(name: str, x: TensorLike, axis: Axis, keepdims: bool) -> Tensor:
    met = as_number(meet(name, (x,), ("x",)))
    shape = met.ops.shape(met.payloads[0])
    if 0 in shape and _count(shape, shapes.normalize_axes(axis, shape, name)) == 0:
        raise ShapeError(f"{name}: shape {show(shape)} has no entries there, so none is the {name}")
    return _reduced(name, met, axis, keepdims, name)


# --- means ---------------------------------------------------------------------------------------
def mean(x: AnyTensor, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """The mean over axes, NaN of no entries. Integers and bools give float64."""
    met, wide, axes = _sample(x, axis, "mean")
    return _average(met, wide, _mean(wide.ops, wide.payloads[0], axes), axes, keepdims)


def var(
    x: AnyTensor, /, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The variance over axes: the squares of the N deviations from the mean, over N - correction.

    NaN where N - correction is not positive. Integers and bools give float64.
    """
    met, wide, axes = _sample(x, axis, "var")
    ops, (entries,) = wide.ops, wide.payloads
    y = _variance(ops, entries, axes, _checked(correction, "var"))
    return _average(met, wide, y, axes, keepdims)


def std(
    x: AnyTensor, /, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """The standard deviation over axes, the square root of `var`.

    Of equal entries it is 0, however their mean is rounded, and so is its derivative.
    """
    met, wide, axes = _sample(x, axis, "std")
    ops, (entries,) = wide.ops, wide.payloads
    variance = _variance(ops, entries, axes, _checked(correction, "std"))
    y = ops.sqrt(variance)
    n = _count(ops.shape(entries), axes)
    if not isinstance(n, int) or n > correction:
        zero = ops.scalar(0, y)
        same = level(ops, entries, axes)
        y = ops.where(ops.logical_or(same, ops.equal(variance, zero)), zero, y)
    return _average(met, wide, y, axes, keepdims)


def _sample(x: TensorLike, axis: Axis, what: str) -> tuple[Operands, Operands, Axes]:
    """x as real numbers, the same wide enough to sum many of, and the axes."""
    met = as_real(meet(what, (x,), ("x",)))
    axes = shapes.normalize_axes(axis, met.ops.shape(met.payloads[0]), what)
    return met, recast(met, float32) if met.dtype.itemsize == 2 else met, axes


def _average(met: Operands, wide: Operands, y: Any, axes: Axes, keepdims: bool) -> Tensor:
    """The result in the dtype that x had."""
    ops = met.ops
    if keepdims:
        y = ops.reshape(y, _kept(ops.shape(met.payloads[0]), axes))
    return _result(met, cast(ops, y, wide.dtype, met.dtype))


def _count(shape: Shape, axes: Axes) -> Extent:
    return shapes.size(tuple(shape[i] for i in axes))


def _mean(ops: Ops[Any], x: Any, axes: Axes) -> Any:
    return ops.div(ops.sum(x, axes), _number(ops, x, axes, 0))


def _variance(ops: Ops[Any], x: Any, axes: Axes, correction: float) -> Any:
    centre = ops.reshape(_mean(ops, x, axes), _kept(ops.shape(x), axes))
    squares = ops.sum(ops.square(ops.sub(x, centre)), axes)
    return ops.div(squares, _number(ops, x, axes, correction))


def _checked(correction: object, what: str) -> float:
    if isinstance(correction, bool) or not isinstance(correction, (int, float)):
        raise ArgumentError(f"{what}: correction must be a number, not {correction!r}")
    return correction


def _number(ops: Ops[Any], x: Any, axes: Axes, correction: float) -> Any:
    """How many entries are reduced, less the correction; NaN where nothing is left."""
    n = _count(ops.shape(x), axes)
    if isinstance(n, int):
        rest = n - correction
        return ops.scalar(rest if rest > 0 else math.nan, x)
    # A size that is a symbol is counted by the program.
    ones = ops.sum(ops.broadcast(ops.scalar(1, x), ops.shape(x)), axes)
    return ops.sub(ones, ops.scalar(correction, x))


# --- middles -------------------------------------------------------------------------------------
def median(x: AnyTensor, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """The middle entry over axes in their order, or the mean of the two in the middle.

    NaN of no entries and where there is one. Integers and bools give float64. The derivative goes
    to the entries in the middle that a stable sort puts there.
    """
    met = as_real(meet("median", (x,), ("x",)))
    ops, (entries,) = met.ops, met.payloads
    shape = ops.shape(entries)
    axes = shapes.normalize_axes(axis, shape, "median")
    rest = tuple(i for i in range(len(shape)) if i not in axes)
    n = _count(shape, axes)
    outer: Shape = tuple(shape[i] for i in rest)
    rows = ops.reshape(ops.permute(entries, (*rest, *axes)), (*outer, n))
    none = ops.broadcast(ops.scalar(math.nan, rows), outer)
    y = none if n == 0 else _middle(ops, rows, n)
    return _result(met, ops.reshape(y, _kept(shape, axes)) if keepdims else y)


def _middle(ops: Ops[Any], rows: Any, n: Extent) -> Any:
    """The median of n entries along the last axis."""
    *outer, _ = ops.shape(rows)
    last = len(outer)
    ordered = ops.take_along(rows, ops.argsort(rows, last, False), last)
    ones, zeros = (1,) * (last + 1), (0,) * last

    def average(start: Extent, stop: Extent) -> Any:
        return _mean(ops, ops.slice(ordered, (*zeros, start), (*outer, stop), ones), (last,))

    middle, largest = average((n - 1) // 2, n // 2 + 1), average(n - 1, n)
    return ops.where(ops.isnan(largest), largest, middle)  # NaN is sorted last
