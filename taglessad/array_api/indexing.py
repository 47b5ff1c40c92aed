"""Entries by arrays of positions. The derivative adds up over positions that repeat.

Negative positions count from the back. One that is known to be out of range is an IndexOutOfRange;
`x.at[index].get(mode=...)` gives those a meaning. Raises DTypeError for indices that are no
integers.
"""

from typing import Any, SupportsIndex

import numpy as np

from taglessad import shapes
from taglessad.array_api.kinds import Kind
from taglessad.convert import as_handle
from taglessad.dispatch import interpreter_of, lifted
from taglessad.dtypes import is_integer
from taglessad.errors import ArgumentError, DTypeError, ShapeError
from taglessad.indexing.positions import Places, check_range, places
from taglessad.shapes import Shape
from taglessad.tensor import AnyTensor, IntTensor, handle


def _positions(what: str, indices: Any, axis: int, shape: Shape) -> Places:
    """Positions on an axis, checked where they are known. Any: what stands for integers."""
    t = as_handle(indices, what, "indices")
    empty = isinstance(indices, (list, tuple)) and shapes.size(t.shape) == 0
    if not is_integer(t.dtype) and not empty:
        raise DTypeError(f"{what}: indices have dtype {t.dtype}; they must be integers")
    value = t.ops.peek(t.payload)
    if value is None:
        return t
    check_range(value, axis, shape, what)
    return value.astype(np.int64)


def _handles(x: AnyTensor, found: Places) -> list[AnyTensor]:
    return [x, found] if isinstance(found, AnyTensor) else [x]


def take(x: Kind, indices: IntTensor, /, axis: SupportsIndex | None = None) -> Kind:
    """The slices of x at some positions of an axis, whose place the axes of `indices` take.

    The axis may be left out of a vector; else its absence is an ArgumentError.
    """
    t = as_handle(x, "take", "x")
    if axis is None and t.ndim != 1:
        raise ArgumentError(
            f"take: x has shape {shapes.show(t.shape)}: say along which axis, or ravel it first"
        )
    along = shapes.normalize_axis(0 if axis is None else axis, t.shape, "take")
    found = _positions("take", indices, along, t.shape)
    ops = interpreter_of(_handles(t, found))
    index = places(ops, [found], [t.shape[along]])
    return handle(ops, ops.take(lifted(ops, t), index, along), t.dtype, t.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def take_along_axis(x: Kind, indices: IntTensor, /, axis: SupportsIndex = -1) -> Kind:
    """Entries of x along an axis, one for each of `indices`: x[indices[i, j], j] along axis 0.

    x and indices are of one rank and broadcast away from the axis. Raises ShapeError where they
    do not.
    """
    what = "take_along_axis"
    t = as_handle(x, what, "x")
    along = shapes.normalize_axis(axis, t.shape, what)
    found = _positions(what, indices, along, t.shape)
    whole, wanted = _aligned(t.shape, found.shape, along, what)
    ops = interpreter_of(_handles(t, found))
    payload, index = lifted(ops, t), places(ops, [found], [t.shape[along]])
    if whole != t.shape:
        payload = ops.broadcast(payload, whole)
    if wanted != found.shape:
        index = ops.broadcast(index, wanted)
    return handle(ops, ops.take_along(payload, index, along), t.dtype, t.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _aligned(x: Shape, indices: Shape, axis: int, what: str) -> tuple[Shape, Shape]:
    """Both shapes broadcast away from the axis."""

    def without(shape: Shape) -> Shape:
        return (*shape[:axis], 1, *shape[axis + 1 :])

    if len(x) != len(indices):
        raise ShapeError(
            f"{what}: x has shape {shapes.show(x)} and indices {shapes.show(indices)}; their ranks "
            "must be the same"
        )
    common = shapes.broadcast(without(x), without(indices), what=what)
    return (
        (*common[:axis], x[axis], *common[axis + 1 :]),
        (*common[:axis], indices[axis], *common[axis + 1 :]),
    )
