"""Truth over axes, and differences of neighbours.

`axis` is None for all axes, an axis, or several distinct ones, negative ones counted from the back.
Raises IndexOutOfRange for an axis that is not there, ArgumentError for one given twice.
"""

from typing import Any, SupportsIndex

from taglessad import shapes
from taglessad.array_api.statistical import Axis
from taglessad.convert import as_handle
from taglessad.dispatch import as_number, cast, meet
from taglessad.dtypes import bool_
from taglessad.errors import ArgumentError
from taglessad.ops import Ops
from taglessad.shapes.axes import integer
from taglessad.tensor import AnyTensor, BoolTensor, Tensor, TensorLike, handle


def all(x: AnyTensor, /, axis: Axis = None, *, keepdims: bool = False) -> BoolTensor:
    """Whether every entry over axes is not 0; true of no entries."""
    return _truth("all", x, axis, keepdims)


def any(x: AnyTensor, /, axis: Axis = None, *, keepdims: bool = False) -> BoolTensor:
    """Whether some entry over axes is not 0; false of no entries."""
    return _truth("any", x, axis, keepdims)


def _truth(name: str, x: TensorLike, axis: Axis, keepdims: bool) -> BoolTensor:
    t = as_handle(x, name, "x")
    ops = t.ops
    shape = t.shape
    axes = shapes.normalize_axes(axis, shape, name)
    y = getattr(ops, name)(cast(ops, t.payload, t.dtype, bool_), axes)
    if keepdims:
        y = ops.reshape(y, shapes.reduce(shape, axes, keepdims=True, what=name))
    return BoolTensor(ops, y, bool_)


def diff(
    x: AnyTensor,
    /,
    n: int = 1,
    axis: SupportsIndex = -1,
    *,
    prepend: AnyTensor | None = None,
    append: AnyTensor | None = None,
) -> Tensor:
    """The n-th differences of neighbours along an axis, which becomes shorter by n.

    `prepend` and `append` go before and behind x first; a number goes there once. For n = 0 the
    result is x, as NumPy's. Raises ShapeError where they do not fit, ArgumentError for an n that is
    negative or no integer.
    """
    times = integer(n, "diff", "n")
    if times < 0:
        raise ArgumentError(f"diff: n must not be negative, got {times}")
    given = (("prepend", prepend), ("x", x), ("append", append)) if times else (("x", x),)
    parts = [(name, part) for name, part in given if part is not None]
    met = as_number(meet("diff", [p for _, p in parts], [name for name, _ in parts]))
    ops = met.ops
    whole = as_handle(x, "diff", "x").shape
    along = shapes.normalize_axis(axis, whole, "diff")
    once = tuple(1 if i == along else size for i, size in enumerate(whole))
    pieces = [p if ops.shape(p) else ops.broadcast(p, once) for p in met.payloads]
    if len(pieces) > 1:
        shapes.concat([ops.shape(p) for p in pieces], along, "diff")
    y = ops.concat(tuple(pieces), along) if len(pieces) > 1 else pieces[0]
    for _ in range(times):
        y = _neighbours(ops, y, along)
    result: Tensor = handle(ops, y, met.dtype, met.weak)
    return result


def _neighbours(ops: Ops[Any], x: Any, axis: int) -> Any:  # Any: payloads of the interpreter
    shape = ops.shape(x)
    if shape[axis] == 0:
        return x
    ones = (1,) * len(shape)
    zeros = (0,) * len(shape)
    second = tuple(1 if i == axis else 0 for i in range(len(shape)))
    before_last = tuple(size - 1 if i == axis else size for i, size in enumerate(shape))
    return ops.sub(ops.slice(x, second, shape, ones), ops.slice(x, zeros, before_last, ones))
