"""Reductions over axes."""

from typing import Any

from taglessad import dtypes, shapes
from taglessad.convert import as_handle
from taglessad.dispatch import cast
from taglessad.tensor import Tensor, handle


def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    t = as_handle(x, "sum", "x")
    axes = shapes.normalize_axes(axis, t.shape, "sum")
    y = t.ops.sum(t.payload, axes)
    if keepdims:
        y = t.ops.reshape(y, shapes.reduce(t.shape, axes, True, "sum"))
    return handle(t.ops, y, t.dtype, t.weak)
