"""Holomorphic: a program's values on complex balls, or nothing where it is not analytic there.

What bounds an analytic function on a disc, and with that the error of a difference quotient: a
check of derivatives that uses no derivative rule. A finite result means that every operation was
analytic on the whole ball that it was given.
"""

from typing import Any

import numpy as np

from taglessad.dtypes import DType, Irrational, Number
from taglessad.errors import DomainError
from taglessad.kernels import ball_matrices, balls
from taglessad.kernels.complex_balls import log, nowhere, sqrt
from taglessad.kernels.complex_kernels import COMPLEX
from taglessad.kernels.events import Fences
from taglessad.kernels.fields import Balls
from taglessad.kernels.flint import acb, acb_mat, arb
from taglessad.kernels.payloads import (
    Numbers,
    Objects,
    Payload,
    Truth,
    boxed,
    dtype_of,
    each,
    shape_of,
)
from taglessad.kernels.tables import evaluate
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN


class Holomorphic(Balls, Ops[Payload]):
    """Values on complex balls; run under `balls.precision`. Raises DomainError for what it lacks."""

    precedence = 4
    ball = acb
    matrix = acb_mat

    def __init__(self) -> None:
        self.zero, self.one = acb(0), acb(1)
        self.fences: Fences | None = None

    def apply(self, prim: Prim, operands: tuple[Payload, ...], params: Params, /) -> Payload:
        found = evaluate(self, COMPLEX, prim.name, operands, params, prim.variadic)
        if found is None:
            raise DomainError(f"{prim.name} has no values on complex balls yet")
        return found

    def apply_n(
        self, prim: PrimN, operands: tuple[Payload, ...], params: Params, /
    ) -> tuple[Payload, ...]:
        kernel = ball_matrices.SEVERAL.get(prim.name)
        if kernel is not None:
            return kernel(self, *operands, *params)
        if prim.evaluate is None:
            raise DomainError(f"{prim.name} has no values on complex balls yet")
        return super().apply_n(prim, operands, params)

    def scalar(self, value: Number, like: Payload, /) -> Payload:
        if not isinstance(like, Numbers):
            return self.const(np.asarray(value).astype(dtype_of(like)))
        if isinstance(value, Irrational):
            return Numbers(boxed(acb(balls.CONSTANTS[value.name]())), like.dtype)
        return Numbers(boxed(acb(balls.of(value))), like.dtype)

    def aval(self, x: Payload, /) -> Aval:
        return Aval(shape_of(x), dtype_of(x))

    # --- the field --------------------------------------------------------------------------
    def unsettled(self, a: Any, b: Any) -> Any:
        return nowhere()

    def whole(self, x: Objects, dtype: DType) -> Objects:
        found: list[int] = []
        for v in x.ravel().tolist():
            n = COMPLEX["trunc"](self, Numbers(boxed(v), dtype)).values[()].real.unique_fmpz()
            if n is None:
                raise self.undecided("the integer that a number is cut off to")
            found.append(int(n))
        return np.asarray(found, dtype).reshape(x.shape)

    def nonzero(self, x: Numbers) -> Truth:
        found: Truth = COMPLEX["not_equal"](self, x, Numbers(boxed(self.zero), x.dtype))
        return found

    def fenced(self, x: Numbers) -> Numbers:
        if self.fences is not None:
            x = self.fences.passed(x)
        return Numbers(each(acb, x.values), x.dtype)

    def rooted(self, x: Any) -> Any:
        return sqrt(x)

    def turn(self, k: int, n: int) -> tuple[Any, Any]:
        cosine, sine = balls.turn(k, n)
        return acb(cosine), acb(sine)

    def roughly(self, x: Any) -> float:
        return (
            float(x.real.mid()) if x.is_zero() or x.real.rel_accuracy_bits() > 1 else float("nan")
        )

    def logged(self, x: Any) -> Any:
        return log(x)

    def shown(self, x: Any) -> Any:
        return x

    def missing(self, op: str, why: str) -> Any:
        return nowhere()

    def undecided(self, what: str) -> Exception:
        return DomainError(f"{what} is not the same all around the point")


def disc(centre: Any, direction: Any, reach: Any) -> Any:
    """The ball of centre + t * direction for complex |t| <= reach."""
    size = arb(0, (abs(direction) * reach).upper())
    return acb(centre + size, size)
