"""Shape: programs mean shapes and dtypes. No number is computed; sizes may be symbols."""

from typing import Any

from numpy.typing import NDArray

from taglessad.dtypes import Number
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.shapes import Extent


class Shape(Ops[Aval]):
    """The payload is what is known of an array before it is computed."""

    precedence = 4
    takes_shapes = True

    def apply(self, prim: Prim, operands: tuple[Aval, ...], params: Params, /) -> Aval:
        return prim.infer(*operands, *params)

    def apply_n(
        self, prim: PrimN, operands: tuple[Aval, ...], params: Params, /
    ) -> tuple[Aval, ...]:
        return prim.avals(operands, params)

    def argument(self, value: Any, /) -> Aval | None:  # Any: whatever the user hands in
        return value if isinstance(value, Aval) else None

    def const(self, value: NDArray[Any], /) -> Aval:
        return Aval(value.shape, value.dtype)

    def scalar(self, value: Number, like: Aval, /) -> Aval:
        return Aval((), like.dtype)

    def zeros(self, aval: Aval, /) -> Aval:
        return aval

    def aval(self, x: Aval, /) -> Aval:
        return x

    def answer(self, x: Aval, /) -> tuple[Extent, ...]:
        return x.shape
