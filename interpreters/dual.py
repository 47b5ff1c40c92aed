"""Dual: programs mean their value and its tangent. Forward mode over any interpreter."""

from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from taglessad.closed import end
from taglessad.dtypes import DType, Number
from taglessad.masks import (
    Masked,
    alive_members,
    of_members,
    settle,
    stretch,
    through,
    total,
)
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.shapes import Shape

R = TypeVar("R")


class DualNumber(Generic[R]):
    """A primal and its tangent; None is a structural zero, and a tangent may carry a mask."""

    __slots__ = ("primal", "tangent")

    def __init__(self, primal: R, tangent: "R | Masked | None") -> None:
        self.primal = primal
        self.tangent = tangent


class Dual(Ops[DualNumber[R]], Generic[R]):
    """Forward mode: each primitive pushes the tangents of its operands on."""

    base: Ops[R]

    def __init__(self, base: Ops[R]) -> None:
        self.base = base
        self.level = base.level + 1
        self._kernels = base.trusted()

    def const(self, value: NDArray[Any], /) -> DualNumber[R]:
        return DualNumber(self.base.const(value), None)

    def scalar(self, value: Number, like: DualNumber[R], /) -> DualNumber[R]:
        return DualNumber(self.base.scalar(value, like.primal), None)

    def embed(self, x: R, /) -> DualNumber[R]:
        return DualNumber(x, None)

    def aval(self, x: DualNumber[R], /) -> Aval:
        return self.base.aval(x.primal)

    def shape(self, x: DualNumber[R], /) -> Shape:
        return self.base.shape(x.primal)

    def dtype(self, x: DualNumber[R], /) -> DType:
        return self.base.dtype(x.primal)

    def tangent(self, x: DualNumber[R], /) -> R:
        """The tangent as a payload of the base: zeros where there is none."""
        if x.tangent is None:
            return self.base.zeros(self.base.aval(x.primal))
        settled: R = settle(self._kernels, x.tangent)
        return settled

    def apply(
        self, prim: Prim, operands: tuple[DualNumber[R], ...], params: Params, /
    ) -> DualNumber[R]:
        ops = self._kernels
        xs = tuple(x.primal for x in operands)
        y = ops.run(prim, xs, params)
        tangent: R | Masked | None = None
        slots = prim.slots
        for i, x in enumerate(operands):
            d = x.tangent
            slot = slots[i] if d is not None else None
            if slot is None:
                continue
            if prim.selects or d.__class__ is Masked:
                pushed = through(ops, prim, i, True, d, y, xs, params)
            else:
                pushed = slot.push(ops, d, y, *xs, *params)
            tangent = pushed if tangent is None else total(ops, tangent, pushed)
        if tangent is not None and prim.kind == "elementwise" and len(xs) > 1:
            tangent = stretch(ops, tangent, ops.shape(y))
        return DualNumber(y, tangent)

    def apply_n(
        self, prim: PrimN, operands: tuple[DualNumber[R], ...], params: Params, /
    ) -> tuple[DualNumber[R], ...]:
        ops = self._kernels
        xs = tuple(x.primal for x in operands)
        ds = [None if x.tangent is None else settle(ops, x.tangent) for x in operands]
        if all(d is None for d in ds):
            return tuple(DualNumber(y, None) for y in ops.run_n(prim, xs, params))
        if prim.joint is not None:
            ys, ts = prim.joint(ops, xs, ds, params)
        else:
            ys = ops.run_n(prim, xs, params)
            ts = prim.push(ops, ds, ys, xs, params)
        alive = alive_members(ops, prim, [x.tangent for x in operands], xs)
        return tuple(DualNumber(y, of_members(ops, alive, t)) for y, t in zip(ys, ts, strict=True))

    def close(self) -> None:
        end(self)
