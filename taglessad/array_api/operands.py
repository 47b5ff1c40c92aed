"""Arguments as handles, for functions that are programs over other array functions."""

from collections.abc import Sequence
from typing import Any, SupportsIndex

from taglessad import shapes
from taglessad.convert import as_handle
from taglessad.dispatch import as_number, as_real, meet
from taglessad.shapes import Extent
from taglessad.tensor import AnyTensor, Tensor, TensorLike, handle, known_size


def real(x: TensorLike, what: str, name: str = "x") -> Tensor:
    """One argument as real numbers: integers and bools become float64."""
    met = as_real(meet(what, (as_handle(x, what, name),), (name,)))
    return Tensor(met.ops, met.payloads[0], met.dtype, met.weak)


def reals(what: str, values: Sequence[TensorLike], names: Sequence[str]) -> tuple[Tensor, ...]:
    """Arguments in one interpreter and one real dtype."""
    met = as_real(meet(what, values, names))
    return tuple(Tensor(met.ops, p, met.dtype, met.weak) for p in met.payloads)


def numbers(what: str, values: Sequence[TensorLike], names: Sequence[str]) -> tuple[Tensor, ...]:
    """Arguments in one interpreter and one dtype of numbers. Statically Tensors."""
    met = as_number(meet(what, values, names))
    made: list[Any] = [handle(met.ops, p, met.dtype, met.weak) for p in met.payloads]
    return tuple(made)


def axis_of(x: AnyTensor, axis: SupportsIndex, what: str) -> tuple[int, int]:
    """An axis counted from the front, and its size, which must be known."""
    along = shapes.normalize_axis(axis, x.shape, what)
    return along, known_size(x.shape[along], what)


def part(x: Tensor, start: Extent, stop: Extent, axis: int) -> Tensor:
    """The slice [start:stop] along one axis, both within bounds."""
    shape = x.shape
    low = tuple(start if i == axis else 0 for i in range(len(shape)))
    high = tuple(stop if i == axis else n for i, n in enumerate(shape))
    y = x.ops.slice(x.payload, low, high, (1,) * len(shape))
    made: Tensor = handle(x.ops, y, x.dtype, x.weak)
    return made
