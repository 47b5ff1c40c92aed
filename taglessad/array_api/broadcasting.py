"""Arrays repeated along axes until their shapes agree."""

from collections.abc import Iterable
from typing import SupportsIndex

from taglessad import shapes
from taglessad.convert import as_handle
from taglessad.shapes import Extent, Shape
from taglessad.tensor import AnyTensor, handle


def broadcast_to(
    x: AnyTensor, /, shape: SupportsIndex | Extent | Iterable[SupportsIndex | Extent]
) -> AnyTensor:
    """x repeated to a shape, aligned at the back.

    Raises ShapeError where an axis of x has neither the new size nor size 1.
    """
    t = as_handle(x, "broadcast_to", "x")
    new = shapes.normalize_shape(shape, "broadcast_to")
    return _repeated(t, shapes.broadcast_to(t.shape, new))


def broadcast_arrays(*arrays: AnyTensor) -> list[AnyTensor]:
    """The arrays repeated to the shape that all broadcast to, each in its own dtype.

    Raises ShapeError where there is none.
    """
    handles = [as_handle(x, "broadcast_arrays", f"argument {i}") for i, x in enumerate(arrays)]
    shape = shapes.broadcast(*(t.shape for t in handles), what="broadcast_arrays")
    return [_repeated(t, shape) for t in handles]


def _repeated(x: AnyTensor, shape: Shape) -> AnyTensor:
    if x.shape == shape:
        return x
    return handle(x.ops, x.ops.broadcast(x.payload, shape), x.dtype, x.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
