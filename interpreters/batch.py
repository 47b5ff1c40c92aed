"""Batch: programs mean a batch of themselves. `vmap` over any interpreter.

A mapped payload has the batch axis leading in the base; a payload that is not mapped is shared by
all members. Elementwise primitives batch by aligning ranks; every other by its own batch rule.
"""

from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from taglessad.closed import end
from taglessad.dtypes import DType, Number
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.shapes import Shape

R = TypeVar("R")


class Batched(Generic[R]):
    """A payload of the base, and whether its first axis is the batch."""

    __slots__ = ("mapped", "value")

    def __init__(self, value: R, mapped: bool) -> None:
        self.value = value
        self.mapped = mapped


class Batch(Ops[Batched[R]], Generic[R]):
    """`size` members at once."""

    base: Ops[R]

    def __init__(self, base: Ops[R], size: int) -> None:
        self.base = base
        self.level = base.level + 1
        self.size = size
        self._kernels = base.trusted()

    def const(self, value: NDArray[Any], /) -> Batched[R]:
        return Batched(self.base.const(value), False)

    def scalar(self, value: Number, like: Batched[R], /) -> Batched[R]:
        return Batched(self._kernels.scalar(value, like.value), False)

    def embed(self, x: R, /) -> Batched[R]:
        return Batched(x, False)

    def aval(self, x: Batched[R], /) -> Aval:
        aval = self.base.aval(x.value)
        return Aval(aval.shape[1:], aval.dtype) if x.mapped else aval

    def shape(self, x: Batched[R], /) -> Shape:
        shape = self.base.shape(x.value)
        return shape[1:] if x.mapped else shape

    def dtype(self, x: Batched[R], /) -> DType:
        return self.base.dtype(x.value)

    def full(self, x: Batched[R], /) -> R:
        """The whole batch as a payload of the base, repeated if it was not mapped."""
        if x.mapped:
            return x.value
        return self._kernels.broadcast(x.value, (self.size, *self.base.shape(x.value)))

    def apply(self, prim: Prim, operands: tuple[Batched[R], ...], params: Params, /) -> Batched[R]:
        ops = self._kernels
        mapped = tuple(x.mapped for x in operands)
        if not any(mapped):
            return Batched(ops.run(prim, tuple(x.value for x in operands), params), False)
        if prim.batch is not None:
            values = (x.value for x in operands)
            return Batched(prim.batch(ops, self.size, mapped, *values, *params), True)
        rank = max(len(self.shape(x)) for x in operands)
        aligned = tuple(self._aligned(x, rank) for x in operands)
        return Batched(ops.run(prim, aligned, params), True)

    def apply_n(
        self, prim: PrimN, operands: tuple[Batched[R], ...], params: Params, /
    ) -> tuple[Batched[R], ...]:
        ops = self._kernels
        mapped = tuple(x.mapped for x in operands)
        values = tuple(x.value for x in operands)
        if not any(mapped):
            return tuple(Batched(y, False) for y in ops.run_n(prim, values, params))
        ys = prim.batch(ops, self.size, mapped, values, params)
        return tuple(Batched(y, True) for y in ys)

    def _aligned(self, x: Batched[R], rank: int) -> R:
        """A mapped payload with ones after the batch axis, so that members broadcast as alone."""
        shape = self.base.shape(x.value)
        if not x.mapped or len(shape) == rank + 1:
            return x.value
        ones: Shape = (1,) * (rank + 1 - len(shape))
        return self._kernels.reshape(x.value, (shape[0], *ones, *shape[1:]))

    def close(self) -> None:
        end(self)
