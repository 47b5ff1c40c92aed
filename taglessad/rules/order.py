"""Order along an axis: sorting and searching, which have no derivative. Legend in primitive.py."""

from typing import TYPE_CHECKING, Final, Literal, TypeVar

from taglessad.dtypes import int64
from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, declare
from taglessad.rules.structural import Mapped, leading
from taglessad.shapes import size as size_of

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")
Side = Literal["left", "right"]


# --- argsort -------------------------------------------------------------------------------------
def _infer_argsort(x: Aval, axis: int, descending: bool) -> Aval:
    return Aval(x.shape, int64)


def _argsort_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, x: R, axis: int, descending: bool
) -> R:
    return ops.argsort(x, axis + 1, descending)


ARGSORT: Final = declare("argsort", _infer_argsort, (None,), "general", _argsort_batch)


# --- argtop --------------------------------------------------------------------------------------
def _infer_argtop(x: Aval, axis: int, count: int) -> Aval:
    return Aval((*x.shape[:axis], count, *x.shape[axis + 1 :]), int64)


def _argtop_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axis: int, count: int) -> R:
    return ops.argtop(x, axis + 1, count)


ARGTOP: Final = declare("argtop", _infer_argtop, (None,), "general", _argtop_batch)


# --- searchsorted --------------------------------------------------------------------------------
def _infer_searchsorted(ordered: Aval, values: Aval, side: Side) -> Aval:
    return Aval(values.shape, int64)


def _precedes(ops: "Ops[R]", a: R, b: R) -> R:
    """The order in which arrays are sorted: NaN behind every number."""
    number, nan = ops.equal(a, a), ops.not_equal(b, b)
    return ops.logical_or(ops.less(a, b), ops.logical_and(number, nan))


def _searchsorted_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, ordered: R, values: R, side: Side
) -> R:
    if not mapped[0]:
        return ops.searchsorted(ordered, values, side)
    whole = leading(ops, size, mapped[1], values)
    shape = ops.shape(whole)
    flat = ops.reshape(whole, (size, size_of(shape[1:])))
    return ops.reshape(_bisected(ops, ordered, flat, side), shape)


def _bisected(ops: "Ops[R]", ordered: R, values: R, side: Side) -> R:
    """How many entries of each row of `ordered` come before each value of that row."""
    length = ops.shape(ordered)[1]
    assert isinstance(length, int)
    found = ops.zeros(Aval(ops.shape(values), int64))
    if length == 0:
        return found
    step = 1 << (length.bit_length() - 1)
    last = ops.scalar(length - 1, found)
    while step:
        further = ops.add(found, ops.scalar(step, found))
        place = ops.minimum(ops.sub(further, ops.scalar(1, found)), last)
        entry = ops.take_along(ordered, place, 1)
        if side == "left":
            before = _precedes(ops, entry, values)
        else:
            before = ops.logical_not(_precedes(ops, values, entry))
        within = ops.less_equal(further, ops.scalar(length, found))
        found = ops.where(ops.logical_and(within, before), further, found)
        step >>= 1
    return found


SEARCHSORTED: Final = declare(
    "searchsorted", _infer_searchsorted, (None, None), "general", _searchsorted_batch
)


class Order(Interpreter[R]):
    """The methods of this family."""

    def argsort(self, x: R, axis: int, descending: bool, /) -> R:
        """The stable order of the entries along an axis (int64); NaN sorts last, first if
        descending."""
        return self.apply(ARGSORT, (x,), (axis, descending))

    def argtop(self, x: R, axis: int, count: int, /) -> R:
        """Where the `count` largest entries along an axis stand (int64), the largest first; of
        equal entries the first comes first; NaN is largest."""
        return self.apply(ARGTOP, (x,), (axis, count))

    def searchsorted(self, ordered: R, values: R, side: Side, /) -> R:
        """How many entries of a sorted array come before each value (int64).

        side: whether entries equal to the value do not ("left") or do ("right").
        """
        return self.apply(SEARCHSORTED, (ordered, values), (side,))
