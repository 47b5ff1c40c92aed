"""Order along an axis. Sorting is stable; its derivative follows the permutation.

NaN comes last, or first where the order is descending. Raises IndexOutOfRange for an axis that is
not there.
"""

from typing import NamedTuple, SupportsIndex

from taglessad import shapes
from taglessad.array_api.kinds import Kind, as_before
from taglessad.convert import as_handle
from taglessad.dtypes import int64
from taglessad.errors import ArgumentError
from taglessad.shapes.axes import integer
from taglessad.tensor import AnyTensor, IntTensor, Tensor


def argsort(
    x: AnyTensor,
    /,
    axis: SupportsIndex = -1,
    *,
    descending: bool = False,
    stable: bool = True,
) -> IntTensor:
    """The positions along an axis that put its entries in order.

    Equal entries keep their order, whether `stable` asks for it or not.
    """
    t = as_handle(x, "argsort", "x")
    along = shapes.normalize_axis(axis, t.shape, "argsort")
    return IntTensor(t.ops, t.ops.argsort(t.payload, along, descending), int64)


def sort(
    x: Kind, /, axis: SupportsIndex = -1, *, descending: bool = False, stable: bool = True
) -> Kind:
    """The entries along an axis in order."""
    t = as_handle(x, "sort", "x")
    along = shapes.normalize_axis(axis, t.shape, "sort")
    order = t.ops.argsort(t.payload, along, descending)
    return as_before(t, t.ops.take_along(t.payload, order, along))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


class TopK(NamedTuple):
    """The largest entries and their positions."""

    values: Tensor
    indices: IntTensor


def top_k(x: AnyTensor, k: int, /, *, axis: SupportsIndex = -1) -> TopK:
    """The k largest entries along an axis, the largest first, and their positions.

    Of equal entries the first comes first; NaN counts as largest. Raises ArgumentError where there
    are no k entries.
    """
    t = as_handle(x, "top_k", "x")
    shape = t.shape
    along = shapes.normalize_axis(axis, shape, "top_k")
    count, n = integer(k, "top_k", "k"), shape[along]
    if count < 0 or (isinstance(n, int) and count > n):
        raise ArgumentError(
            f"top_k: k is {count}, but axis {along} of shape {shapes.show(shape)} has {n} entries"
        )
    places = t.ops.argtop(t.payload, along, count)
    values = t.ops.take_along(t.payload, places, along)
    return TopK(as_before(t, values), IntTensor(t.ops, places, int64))
