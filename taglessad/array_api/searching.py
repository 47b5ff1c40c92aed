"""Where entries are, and the choice between two. Positions are int64 and carry no derivative."""

from typing import Any, SupportsIndex

import numpy as np

from taglessad import shapes
from taglessad.array_api.kinds import Kind
from taglessad.convert import as_handle, from_array
from taglessad.dispatch import cast, lifted, meet
from taglessad.dtypes import bool_, int64, is_bool
from taglessad.errors import ArgumentError, ConcretizationError, DTypeError, ShapeError
from taglessad.levels import higher
from taglessad.rules.order import Side
from taglessad.tensor import AnyTensor, BoolTensor, IntTensor, handle


# --- extrema -------------------------------------------------------------------------------------
def argmax(
    x: AnyTensor, /, axis: SupportsIndex | None = None, *, keepdims: bool = False
) -> IntTensor:
    """The position of the first largest entry along an axis (of the first NaN, if there is one).

    None: the position in the flattened array. Raises ShapeError where there is no entry.
    """
    return _extremum("argmax", x, axis, keepdims)


def argmin(
    x: AnyTensor, /, axis: SupportsIndex | None = None, *, keepdims: bool = False
) -> IntTensor:
    """The position of the first smallest entry along an axis (of the first NaN, if there is one).

    None: the position in the flattened array. Raises ShapeError where there is no entry.
    """
    return _extremum("argmin", x, axis, keepdims)


def _extremum(name: str, x: AnyTensor, axis: SupportsIndex | None, keepdims: bool) -> IntTensor:
    t = as_handle(x, name, "x")
    ops, y, shape = t.ops, t.payload, t.shape
    along = None if axis is None else shapes.normalize_axis(axis, shape, name)
    if along is None:
        y = ops.reshape(y, (shapes.size(shape),))
    if ops.shape(y)[along or 0] == 0:
        raise ShapeError(f"{name}: shape {shapes.show(shape)} has no entries along axis {axis}")
    y = getattr(ops, name)(y, along or 0)
    if keepdims:
        y = ops.reshape(y, shapes.reduce(shape, along, True, name))
    return IntTensor(ops, y, int64)


# --- which entries -------------------------------------------------------------------------------
def count_nonzero(x: AnyTensor, /, axis: Any = None, *, keepdims: bool = False) -> IntTensor:
    """The number of entries that are not 0, over axes (all by default). NaN is not 0."""
    # Any: an axis, several or none.
    t = as_handle(x, "count_nonzero", "x")
    ops, y = t.ops, t.payload
    axes = shapes.normalize_axes(axis, t.shape, "count_nonzero")
    if not is_bool(t.dtype):
        y = ops.not_equal(y, ops.scalar(0, y))
    y = ops.sum(ops.cast(y, int64), axes)
    if keepdims:
        y = ops.reshape(y, shapes.reduce(t.shape, axes, True, "count_nonzero"))
    return IntTensor(ops, y, int64)


def nonzero(x: AnyTensor, /) -> tuple[IntTensor, ...]:
    """The positions of the entries that are not 0: one array for each axis, in row-major order.

    Raises ConcretizationError where the value of x is not known, ArgumentError for rank 0.
    """
    t = as_handle(x, "nonzero", "x")
    if t.ndim == 0:
        raise ArgumentError("nonzero: x has rank 0; write x.reshape(1)")
    value = t.ops.peek(t.payload)
    if value is None:
        raise ConcretizationError(
            f"nonzero: x is a handle under {t.ops!r}, whose value is not known, so neither is the "
            "number of entries; write tad.where(condition, x, other), which keeps the shape"
        )
    return tuple(from_array(np.asarray(part, np.int64)) for part in np.nonzero(value))


def searchsorted(
    x1: AnyTensor,
    x2: AnyTensor,
    /,
    side: Side = "left",
    sorter: IntTensor | None = None,
) -> IntTensor:
    """For each entry of x2 the number of entries of the sorted vector x1 that come before it.

    side: whether those equal to it do not ("left") or do ("right"). sorter: the order that sorts
    x1, if it is not sorted itself. NaN comes last. Raises ShapeError where x1 is no vector,
    ArgumentError for another side.
    """
    if side not in ("left", "right"):
        raise ArgumentError(f"searchsorted: side {side!r} is not known; it is 'left' or 'right'")
    met = meet("searchsorted", (x1, x2), ("x1", "x2"))
    ops, (ordered, values) = met.ops, met.payloads
    if len(ops.shape(ordered)) != 1:
        shown = shapes.show(ops.shape(ordered))
        raise ShapeError(f"searchsorted: x1 has shape {shown}; it must be a vector")
    if sorter is not None:
        order = as_handle(sorter, "searchsorted", "sorter")
        if order.shape != ops.shape(ordered):
            raise ShapeError(
                f"searchsorted: x1 has shape {shapes.show(ops.shape(ordered))} and sorter "
                f"{shapes.show(order.shape)}; they must be the same"
            )
        joint = higher(ops, order.ops)
        ordered, values = joint.lift(ops, ordered), joint.lift(ops, values)
        ops = joint
        ordered = ops.take(ordered, cast(ops, lifted(ops, order), order.dtype, int64), 0)
    return IntTensor(ops, ops.searchsorted(ordered, values, side), int64)


# --- choice --------------------------------------------------------------------------------------
def where(condition: BoolTensor, x1: Kind | float, x2: Kind | float, /) -> Kind:
    """x1 where the condition holds, x2 elsewhere; all broadcast, x1 and x2 in their common dtype.

    What is not chosen contributes nothing to derivatives, NaN and infinities included. Raises
    DTypeError for a condition that is no truth value, ShapeError where shapes do not broadcast.
    """
    holds = as_handle(condition, "where", "condition")
    if holds.dtype != bool_:
        raise DTypeError(
            f"where: condition has dtype {holds.dtype}; it must be bool (write condition != 0)"
        )
    met = meet("where", (x1, x2), ("x1", "x2"))
    ops = higher(met.ops, holds.ops)
    a, b = (p if ops is met.ops else ops.lift(met.ops, p) for p in met.payloads)
    test = lifted(ops, holds)
    try:
        y = ops.where(test, a, b)
    except ValueError:
        shapes.broadcast(ops.shape(test), ops.shape(a), ops.shape(b), what="where")
        raise
    return handle(ops, y, met.dtype, met.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
