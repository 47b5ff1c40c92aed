"""Reading entries by integer index, and adding into them. Legend in primitive.py.

Indices are int64 and count from the front: the functions above see to that. One out of range,
negative ones included, is an IndexOutOfRange under an interpreter that sees its value; under one
that does not, what it reads is NaN (the extreme integer, True) and what it updates is dropped, so
that value and derivative agree. `take` reads whole slices along one axis by an index of any shape;
`take_along` reads entry by entry. Their transposes add, since an entry read twice has two
cotangents.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, Flow, declare, linear
from taglessad.rules.arithmetic import IDENTITY
from taglessad.rules.structural import Mapped, leading

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def zeros_like(ops: "Ops[R]", x: R) -> R:
    """Zeros of the shape and dtype of x, as a constant."""
    return ops.zeros(ops.aval(x))


# --- take, add_at --------------------------------------------------------------------------------
def _infer_take(x: Aval, index: Aval, axis: int) -> Aval:
    return Aval((*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]), x.dtype)


def _take_push(ops: "Ops[R]", d: R, y: R, x: R, index: R, axis: int) -> R:
    return ops.take(d, index, axis)


def _take_pull(ops: "Ops[R]", d: R, y: R, x: R, index: R, axis: int) -> R:
    return ops.add_at(zeros_like(ops, x), index, d, axis)


def to_rows(ops: "Ops[R]", x: R, axis: int) -> R:
    """A batch of arrays as one array of rows: (batch, axis) merged and leading."""
    rank = len(ops.shape(x))
    others = tuple(i for i in range(1, rank) if i != axis)
    moved = ops.permute(x, (0, axis, *others))
    shape = ops.shape(moved)
    return ops.reshape(moved, (shape[0] * shape[1], *shape[2:]))


def from_rows(ops: "Ops[R]", rows: R, size: int, length: int, axis: int) -> R:
    """The inverse of `to_rows`."""
    shape = ops.shape(rows)
    split = ops.reshape(rows, (size, length, *shape[1:]))
    others = list(range(2, len(shape) + 1))
    others.insert(axis - 1, 1)
    return ops.permute(split, (0, *others))


def row_index(ops: "Ops[R]", index: R, size: int, length: int) -> R:
    """Each batch's index as an index of the merged rows; one out of range stays out of range."""
    rank = len(ops.shape(index))
    offset = ops.const((np.arange(size) * length).reshape(size, *(1,) * (rank - 1)))
    outside = ops.logical_or(
        ops.less(index, ops.scalar(0, index)), ops.less(ops.scalar(length - 1, index), index)
    )
    return ops.where(outside, ops.scalar(size * length, index), ops.add(index, offset))


def _take_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, index: R, axis: int) -> R:
    if not mapped[1]:
        return ops.take(x, index, axis + 1)
    places = len(ops.shape(index))
    if not mapped[0]:
        y = ops.take(x, index, axis)
        others = tuple(i for i in range(len(ops.shape(y))) if i != axis)
        return ops.permute(y, (axis, *others))
    length = ops.shape(x)[axis + 1]
    assert isinstance(length, int)
    y = ops.take(to_rows(ops, x, axis + 1), row_index(ops, index, size, length), 0)
    # y: batch, the index's own axes, the rest of x; the index's axes belong at `axis`.
    rank = len(ops.shape(y))
    inner = tuple(range(1, places))
    rest = tuple(range(places, rank))
    return ops.permute(y, (0, *rest[:axis], *inner, *rest[axis:]))


def infer_at(x: Aval, index: Aval, updates: Aval, axis: int) -> Aval:
    """Shape rule of every primitive that updates x at an index."""
    return x


def updates_to_rows(ops: "Ops[R]", updates: R, places: int, axis: int) -> R:
    """A batch of updates with the index's axes moved to the front of each: batch, places, rest."""
    rank = len(ops.shape(updates))
    inner = tuple(range(axis + 1, axis + 1 + places))
    rest = tuple(i for i in range(1, rank) if i not in inner)
    return ops.permute(updates, (0, *inner, *rest))


def _add_push(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    return ops.add_at(zeros_like(ops, x), index, d, axis)


def _add_pull(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    return ops.take(d, index, axis)


def batched_update(
    ops: "Ops[R]",
    update: Callable[[R, R, R, int], R],
    size: int,
    mapped: Mapped,
    x: R,
    index: R,
    updates: R,
    axis: int,
) -> R:
    """The batch rule of every primitive that updates x at an index."""
    whole, new = leading(ops, size, mapped[0], x), leading(ops, size, mapped[2], updates)
    if not mapped[1]:
        return update(whole, index, new, axis + 1)
    length = ops.shape(whole)[axis + 1]
    assert isinstance(length, int)
    places = len(ops.shape(index)) - 1
    rows = update(
        to_rows(ops, whole, axis + 1),
        row_index(ops, index, size, length),
        updates_to_rows(ops, new, places, axis),
        0,
    )
    return from_rows(ops, rows, size, length, axis + 1)


def _add_at_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, x: R, index: R, updates: R, axis: int
) -> R:
    return batched_update(ops, ops.add_at, size, mapped, x, index, updates, axis)


TAKE: Final = declare(
    "take",
    _infer_take,
    (linear(_take_push, _take_pull, push_flow=Flow.MOVE, pull_flow=Flow.SPREAD), None),
    "linear",
    _take_batch,
)
ADD_AT: Final = declare(
    "add_at",
    infer_at,
    (
        linear(IDENTITY.push, IDENTITY.pull, push_flow=Flow.MOVE, pull_flow=Flow.MOVE),
        None,
        linear(_add_push, _add_pull, push_flow=Flow.SPREAD, pull_flow=Flow.MOVE),
    ),
    "linear",
    _add_at_batch,
)


# --- take_along, add_along -----------------------------------------------------------------------
def _infer_along(x: Aval, index: Aval, axis: int) -> Aval:
    return Aval(index.shape, x.dtype)


def _along_push(ops: "Ops[R]", d: R, y: R, x: R, index: R, axis: int) -> R:
    return ops.take_along(d, index, axis)


def _along_pull(ops: "Ops[R]", d: R, y: R, x: R, index: R, axis: int) -> R:
    return ops.add_along(zeros_like(ops, x), index, d, axis)


def _along_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, index: R, axis: int) -> R:
    whole, at = leading(ops, size, mapped[0], x), leading(ops, size, mapped[1], index)
    return ops.take_along(whole, at, axis + 1)


def _add_along_push(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    return ops.add_along(zeros_like(ops, x), index, d, axis)


def _add_along_pull(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    return ops.take_along(d, index, axis)


def _add_along_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, x: R, index: R, updates: R, axis: int
) -> R:
    whole = leading(ops, size, mapped[0], x)
    at, new = leading(ops, size, mapped[1], index), leading(ops, size, mapped[2], updates)
    return ops.add_along(whole, at, new, axis + 1)


TAKE_ALONG: Final = declare(
    "take_along",
    _infer_along,
    (linear(_along_push, _along_pull, push_flow=Flow.MOVE, pull_flow=Flow.SPREAD), None),
    "linear",
    _along_batch,
)
ADD_ALONG: Final = declare(
    "add_along",
    infer_at,
    (
        linear(IDENTITY.push, IDENTITY.pull, push_flow=Flow.MOVE, pull_flow=Flow.MOVE),
        None,
        linear(_add_along_push, _add_along_pull, push_flow=Flow.SPREAD, pull_flow=Flow.MOVE),
    ),
    "linear",
    _add_along_batch,
)


class Indexing(Interpreter[R]):
    """The methods of this family."""

    def take(self, x: R, index: R, axis: int, /) -> R:
        """Slices of x along an axis, by an index of any shape, whose axes take the axis's place."""
        return self.apply(TAKE, (x, index), (axis,))

    def add_at(self, x: R, index: R, updates: R, axis: int, /) -> R:
        """x with `updates` added to the slices that `take` with this index would read."""
        return self.apply(ADD_AT, (x, index, updates), (axis,))

    def take_along(self, x: R, index: R, axis: int, /) -> R:
        """x[..., index[..., j, ...], ...] entry by entry; x and index agree off the axis."""
        return self.apply(TAKE_ALONG, (x, index), (axis,))

    def add_along(self, x: R, index: R, updates: R, axis: int, /) -> R:
        """x with `updates` added to the entries that `take_along` would read."""
        return self.apply(ADD_ALONG, (x, index, updates), (axis,))
