"""Products of vectors and of matrices, diagonals and traces.

Operands come to their common dtype. Raises ShapeError where sizes do not fit.
"""

from typing import Any, SupportsIndex

from taglessad import shapes
from taglessad.array_api.kinds import Kind, as_before
from taglessad.array_api.manipulation import rolled
from taglessad.array_api.statistical import sum as total
from taglessad.convert import as_handle
from taglessad.dispatch import as_number, meet
from taglessad.errors import ShapeError
from taglessad.ops import Ops
from taglessad.shapes.axes import integer
from taglessad.tensor import Tensor, handle


def cross(x1: Tensor, x2: Tensor, /, *, axis: SupportsIndex = -1) -> Tensor:
    """The cross product of vectors of three entries along an axis; the other axes broadcast.

    Raises ShapeError where the axis has another size.
    """
    met = as_number(meet("cross", (x1, x2), ("x1", "x2")))
    ops = met.ops
    own = [ops.shape(p) for p in met.payloads]
    places = [shapes.normalize_axis(axis, s, "cross") for s in own]
    for shape, place in zip(own, places, strict=True):
        if shape[place] != 3:
            raise ShapeError(
                f"cross: shapes {shapes.show(own[0])} and {shapes.show(own[1])}: axis {axis} must "
                f"have size 3 (got {shape[place]})"
            )
    a, b = (_last(ops, p, i) for p, i in zip(met.payloads, places, strict=True))
    shapes.broadcast(ops.shape(a), ops.shape(b), what="cross")

    def after(x: Any, by: int) -> Any:  # Any: payloads of `ops`
        return rolled(ops, x, -by, len(ops.shape(x)) - 1)

    y = ops.sub(ops.mul(after(a, 1), after(b, 2)), ops.mul(after(a, 2), after(b, 1)))
    whole = ops.shape(y)
    place = shapes.normalize_axis(axis, whole, "cross")
    order = list(range(len(whole) - 1))
    order.insert(place, len(whole) - 1)
    y = y if place == len(whole) - 1 else ops.permute(y, tuple(order))
    return handle(ops, y, met.dtype, met.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _last(ops: Ops[Any], x: Any, axis: int) -> Any:  # Any: payloads of `ops`
    rank = len(ops.shape(x))
    if axis == rank - 1:
        return x
    return ops.permute(x, (*(i for i in range(rank) if i != axis), axis))


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The products of each entry of one vector with each of another: x1[i] * x2[j].

    Raises ShapeError for what is no vector.
    """
    met = as_number(meet("outer", (x1, x2), ("x1", "x2")))
    a, b = met.payloads
    left, right = met.ops.shape(a), met.ops.shape(b)
    if len(left) != 1 or len(right) != 1:
        raise ShapeError(
            f"outer: shapes {shapes.show(left)} and {shapes.show(right)}: both must be vectors"
        )
    return handle(met.ops, met.ops.contract(a, b, "i,j->ij"), met.dtype, met.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def diagonal(x: Kind, /, *, offset: SupportsIndex = 0) -> Kind:
    """A diagonal of the last two axes, as the last axis; positive offsets are above the main one.

    Raises ShapeError below rank 2.
    """
    t = as_handle(x, "diagonal", "x")
    shapes.diagonal(t.shape, offset)
    return as_before(t, t.ops.diagonal(t.payload, integer(offset, "diagonal", "offset")))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def trace(x: Tensor, /, *, offset: SupportsIndex = 0, dtype: object = None) -> Tensor:
    """The sum along a diagonal of the last two axes; dtypes as those of `sum`.

    Raises ShapeError below rank 2.
    """
    t = as_handle(x, "trace", "x")
    shapes.diagonal(t.shape, offset, "trace")
    return total(diagonal(t, offset=offset), axis=-1, dtype=dtype)
