"""Moving entries about."""

from collections.abc import Sequence
from typing import SupportsIndex

from taglessad import shapes
from taglessad.convert import as_handle
from taglessad.tensor import Tensor, TensorLike, handle


def reshape(x: TensorLike, /, shape: SupportsIndex | Sequence[SupportsIndex]) -> Tensor:
    """The same entries in another shape; one size may be -1."""
    t = as_handle(x, "reshape", "x")
    new = shapes.reshape(t.shape, shapes.normalize_shape(shape, "reshape", placeholder=True))
    result: Tensor = handle(t.ops, t.ops.reshape(t.payload, new), t.dtype, t.weak)
    return result
