"""Updates of the slices that `take` reads: set, multiply, min, max. Legend in primitive.py.

x, index, updates and axis are as in `add_at`: an index of any shape, whose axes stand in the
updates in the place of the axis. Indices may repeat: the last one sets, all multiply, the extremum
of all remains.
"""

from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from taglessad.dtypes import int64
from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, Flow, Slot, declare, linear, pair, selfadjoint
from taglessad.rules.indexing import batched_update, infer_at, zeros_like
from taglessad.rules.inner import at_least, below
from taglessad.rules.structural import Axes, Mapped, inverse
from taglessad.shapes import Shape, size

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _count(places: Shape) -> int:
    count = size(places)
    assert isinstance(count, int)  # an index is made of numbers
    return count


def _against(ops: "Ops[R]", per_place: R, x: R, axis: int) -> R:
    """What has one entry a place, shaped to broadcast to slices of x that stand at the axis."""
    ones: Shape = (1,) * (len(ops.shape(x)) - axis - 1)
    return ops.reshape(per_place, (*ops.shape(per_place), *ones)) if ones else per_place


# --- set_at --------------------------------------------------------------------------------------
def _untouched(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    return ops.set_at(d, index, ops.zeros(Aval(ops.shape(updates), ops.dtype(d))), axis)


def _keep_last(ops: "Ops[R]", y: R, x: R, index: R, updates: R, axis: int) -> tuple[R, bool]:
    # Each place holds the number of the update that came last.
    places = ops.shape(index)
    if _count(places) == 1:
        return ops.broadcast(ops.const(np.asarray(True)), ops.shape(updates)), True
    number = ops.reshape(ops.const(np.arange(_count(places))), places)
    last = ops.set_at(ops.zeros(Aval((ops.shape(x)[axis],), int64)), index, number, 0)
    return _against(ops, ops.equal(ops.take(last, index, 0), number), x, axis), True


def _set_push(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    return ops.set_at(zeros_like(ops, x), index, d, axis)


def _set_pull(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    return ops.take(d, index, axis)


def _set_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, x: R, index: R, updates: R, axis: int
) -> R:
    return batched_update(ops, ops.set_at, size, mapped, x, index, updates, axis)


_UNTOUCHED: Final = linear(_untouched, _untouched, push_flow=Flow.PAD, pull_flow=Flow.PAD)
_WINNERS: Final = Slot(_set_push, _set_pull, _keep_last, push_flow=Flow.PAD, pull_flow=Flow.MOVE)
SET_AT: Final = declare("set_at", infer_at, (_UNTOUCHED, None, _WINNERS), "linear", _set_batch)


# --- multiply_at ---------------------------------------------------------------------------------
def _scaled(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    return ops.multiply_at(d, index, updates, axis)


def _behind(ops: "Ops[R]", rows: R, by: int) -> R:
    """Rows moved back by some places, zeros coming in at the front."""
    shape = ops.shape(rows)
    none, ones = (0,) * len(shape), (1,) * len(shape)
    kept = ops.slice(rows, none, (shape[0] - by, *shape[1:]), ones)
    return ops.pad(kept, (by, *none[1:]), none, none)


def _products_before(ops: "Ops[R]", rows: R, starts: R, count: int) -> R:
    """For each row the product of the rows before it in its segment; `starts` marks first rows.

    A segmented scan by doubling (Blelloch 1990, Prefix sums and their applications, section 1.5).
    """
    products = ops.where(starts, ops.scalar(1, rows), _behind(ops, rows, 1))
    by = 1
    while by < count:
        longer = ops.mul(products, _behind(ops, products, by))
        products = ops.where(starts, products, longer)
        starts = ops.logical_or(starts, _behind(ops, starts, by))
        by *= 2
    return products


def _starts(ops: "Ops[R]", places: R, rank: int) -> R:
    """Where a sorted column of places changes, the first row included."""
    changes = ops.not_equal(places, _behind(ops, places, 1))
    first = ops.const(np.arange(_count(ops.shape(places))) == 0)
    return ops.reshape(ops.logical_or(first, changes), (*ops.shape(places), *(1,) * (rank - 1)))


def _factors(ops: "Ops[R]", x: R, index: R, updates: R, axis: int) -> R:
    """dy/du for each update: its slice of x times all other updates of the same place.

    The others are multiplied, not divided out, so zeros do no harm: updates are sorted by place,
    and within a place come the product of those before and that of those behind.
    """
    slices = ops.take(x, index, axis)
    places = ops.shape(index)
    count = _count(places)
    if count < 2:
        return slices
    front = tuple(range(axis, axis + len(places)))
    order: Axes = (*front, *(i for i in range(len(ops.shape(updates))) if i not in front))
    moved = ops.permute(updates, order)
    flat = ops.reshape(index, (count,))
    ranks = ops.argsort(flat, 0, False)
    rows = ops.reshape(moved, (count, *ops.shape(moved)[len(places) :]))
    rows, at = ops.take(rows, ranks, 0), ops.take(flat, ranks, 0)
    rank = len(ops.shape(rows))
    before = _products_before(ops, rows, _starts(ops, at, rank), count)
    backwards = _starts(ops, ops.flip(at, (0,)), rank)
    after = ops.flip(_products_before(ops, ops.flip(rows, (0,)), backwards, count), (0,))
    others = ops.take(ops.mul(before, after), ops.argsort(ranks, 0, False), 0)
    return ops.mul(slices, ops.permute(ops.reshape(others, ops.shape(moved)), inverse(order)))


def _multiply_push(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    scaled = ops.mul(d, _factors(ops, x, index, updates, axis))
    return ops.add_at(zeros_like(ops, x), index, scaled, axis)


def _multiply_pull(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    return ops.mul(ops.take(d, index, axis), _factors(ops, x, index, updates, axis))


def _multiply_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, x: R, index: R, updates: R, axis: int
) -> R:
    return batched_update(ops, ops.multiply_at, size, mapped, x, index, updates, axis)


MULTIPLY_AT: Final = declare(
    "multiply_at",
    infer_at,
    (selfadjoint(_scaled), None, pair(_multiply_push, _multiply_pull)),
    "general",
    _multiply_batch,
)


# --- max_at, min_at ------------------------------------------------------------------------------
def _shared(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    # The entries that attain a result share its derivative equally, x's own among them; a NaN of x
    # counts as attained, so that entries which no update touches keep their derivative.
    dtype = ops.dtype(x)
    own = ops.cast(ops.logical_or(ops.equal(x, y), ops.not_equal(x, x)), dtype)
    tied = ops.cast(ops.equal(updates, ops.take(y, index, axis)), dtype)
    # One at least attains it, which an enclosure of the count does not know.
    return ops.div(d, at_least(ops, ops.add_at(own, index, tied, axis), ops.scalar(1, y)))


def _extremum_push(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    spread = ops.add_at(zeros_like(ops, x), index, d, axis)
    return _shared(ops, spread, y, x, index, updates, axis)


def _extremum_pull(ops: "Ops[R]", d: R, y: R, x: R, index: R, updates: R, axis: int) -> R:
    return ops.take(_shared(ops, d, y, x, index, updates, axis), index, axis)


# What attains the result is compared with itself, which is no kink: a tie is one of the primitive.
def _keep_not_below(ops: "Ops[R]", y: R, x: R, index: R, updates: R, axis: int) -> tuple[R, bool]:
    return below(ops, x, y), False


def _keep_not_above(ops: "Ops[R]", y: R, x: R, index: R, updates: R, axis: int) -> tuple[R, bool]:
    return below(ops, y, x), False


def _keep_largest(ops: "Ops[R]", y: R, x: R, index: R, updates: R, axis: int) -> tuple[R, bool]:
    return below(ops, updates, ops.take(y, index, axis)), False


def _keep_smallest(ops: "Ops[R]", y: R, x: R, index: R, updates: R, axis: int) -> tuple[R, bool]:
    return below(ops, ops.take(y, index, axis), updates), False


def _max_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, x: R, index: R, updates: R, axis: int
) -> R:
    return batched_update(ops, ops.max_at, size, mapped, x, index, updates, axis)


def _min_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, x: R, index: R, updates: R, axis: int
) -> R:
    return batched_update(ops, ops.min_at, size, mapped, x, index, updates, axis)


MAX_AT: Final = declare(
    "max_at",
    infer_at,
    (
        selfadjoint(_shared, _keep_not_below),
        None,
        pair(_extremum_push, _extremum_pull, _keep_largest),
    ),
    "general",
    _max_batch,
)
MIN_AT: Final = declare(
    "min_at",
    infer_at,
    (
        selfadjoint(_shared, _keep_not_above),
        None,
        pair(_extremum_push, _extremum_pull, _keep_smallest),
    ),
    "general",
    _min_batch,
)


class Scatter(Interpreter[R]):
    """The methods of this family; `updates` has the shape of `take(x, index, axis)`."""

    def set_at(self, x: R, index: R, updates: R, axis: int, /) -> R:
        """x with the slices replaced; of several updates of one place the last one counts."""
        return self.apply(SET_AT, (x, index, updates), (axis,))

    def multiply_at(self, x: R, index: R, updates: R, axis: int, /) -> R:
        """x with the slices multiplied; the derivative is right where updates are zero."""
        return self.apply(MULTIPLY_AT, (x, index, updates), (axis,))

    def min_at(self, x: R, index: R, updates: R, axis: int, /) -> R:
        """The smaller of x and all its updates; ties share the derivative equally."""
        return self.apply(MIN_AT, (x, index, updates), (axis,))

    def max_at(self, x: R, index: R, updates: R, axis: int, /) -> R:
        """The larger of x and all its updates; ties share the derivative equally."""
        return self.apply(MAX_AT, (x, index, updates), (axis,))
