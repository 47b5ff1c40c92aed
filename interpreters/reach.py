"""Reach: programs mean which of their inputs their values depend on, in any way at all."""

from collections.abc import Callable
from typing import Any, TypeVar

from numpy.typing import NDArray

from taglessad.dtypes import DType, Number
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.shapes import Shape

T = TypeVar("T")


class Reached:
    """Shape and dtype, and the inputs, by number in the order of the arguments."""

    __slots__ = ("aval", "inputs")

    def __init__(self, aval: Aval, inputs: frozenset[int] = frozenset()) -> None:
        self.aval = aval
        self.inputs = inputs


class Reach(Ops[Reached]):
    """Shapes in, sets of input numbers out. Conditions and indices count like any other value."""

    precedence = 4
    takes_shapes = True

    def __init__(self) -> None:
        self.count = 0

    def complete(self, attempt: Callable[[], T], /) -> T:
        self.count = 0
        return attempt()

    def argument(self, value: Any, /) -> Reached | None:  # Any: whatever the user hands in
        if not isinstance(value, Aval):
            return None
        self.count += 1
        return Reached(value, frozenset({self.count - 1}))

    def const(self, value: NDArray[Any], /) -> Reached:
        return Reached(Aval(value.shape, value.dtype))

    def scalar(self, value: Number, like: Reached, /) -> Reached:
        return Reached(Aval((), like.aval.dtype))

    def zeros(self, aval: Aval, /) -> Reached:
        return Reached(aval)

    def aval(self, x: Reached, /) -> Aval:
        return x.aval

    def shape(self, x: Reached, /) -> Shape:
        return x.aval.shape

    def dtype(self, x: Reached, /) -> DType:
        return x.aval.dtype

    def answer(self, x: Reached, /) -> frozenset[int]:
        return x.inputs

    def apply(self, prim: Prim, operands: tuple[Reached, ...], params: Params, /) -> Reached:
        aval = prim.infer(*[x.aval for x in operands], *params)
        return Reached(aval, _union(operands))

    def apply_n(
        self, prim: PrimN, operands: tuple[Reached, ...], params: Params, /
    ) -> tuple[Reached, ...]:
        if prim.name == "custom_rule" and prim.evaluate is not None:
            found: tuple[Reached, ...] = tuple(prim.evaluate(self, operands, params))
            return found
        if prim.name == "branch":
            index, *xs = operands
            results = [graph.run(self, xs) for graph in params[0]]
            return tuple(
                [Reached(ys[0].aval, _union((index, *ys))) for ys in zip(*results, strict=True)]
            )
        # A loop's results may each depend on all it is given.
        avals = prim.avals([x.aval for x in operands], params)
        return tuple([Reached(a, _union(operands)) for a in avals])


def _union(operands: tuple[Reached, ...]) -> frozenset[int]:
    return frozenset().union(*[x.inputs for x in operands])
