"""Holomorphic: a program's values on complex balls, or nothing where it is not analytic there.

What bounds an analytic function on a disc, and with that the error of a difference quotient: a
check of derivatives that uses no derivative rule. A finite result means that every operation was
analytic on the whole ball that it was given.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import DType, Irrational, Number
from taglessad.errors import DomainError
from taglessad.kernels import ball_matrices, balls
from taglessad.kernels.complex_balls import log, nowhere, product, sqrt
from taglessad.kernels.complex_kernels import COMPLEX
from taglessad.kernels.events import Fences
from taglessad.kernels.flint import acb, acb_mat, arb
from taglessad.kernels.payloads import (
    Numbers,
    Objects,
    Payload,
    Truth,
    boxed,
    dtype_of,
    each,
    filled,
    gathered,
    shape_of,
)
from taglessad.kernels.tables import evaluate
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.shapes import Shape


class Holomorphic(Ops[Payload]):
    """Values on complex balls; run under `balls.precision`. Raises DomainError for what it lacks."""

    precedence = 4

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

    def const(self, value: NDArray[Any], /) -> Payload:
        if value.dtype.kind != "f":
            return Truth(value) if value.dtype == bool else value
        if value.size > 1 and not any(value.strides):  # one number, repeated
            one = acb(float(value[(0,) * value.ndim]))
            return Numbers(filled(value.shape, one), value.dtype)
        entries = value.astype(np.float64).ravel().tolist()
        return Numbers(gathered(map(acb, entries), value.shape), value.dtype)

    def scalar(self, value: Number, like: Payload, /) -> Payload:
        if not isinstance(like, Numbers):
            return self.const(np.asarray(value).astype(dtype_of(like)))
        if isinstance(value, Irrational):
            return Numbers(boxed(acb(balls.CONSTANTS[value.name]())), like.dtype)
        return Numbers(boxed(acb(balls.of(value))), like.dtype)

    def aval(self, x: Payload, /) -> Aval:
        return Aval(shape_of(x), dtype_of(x))

    def shape(self, x: Payload, /) -> Shape:
        return shape_of(x)

    def dtype(self, x: Payload, /) -> DType:
        return dtype_of(x)

    def literal(self, x: Payload, /) -> NDArray[Any] | None:
        if isinstance(x, Numbers):
            return None
        if isinstance(x, Truth):
            if not x.decided:
                raise self.undecided("a truth value that a choice depends on")
            return x.certain
        return x

    # --- the field --------------------------------------------------------------------------
    def unsettled(self, a: Any, b: Any) -> Any:
        return nowhere()

    def number(self, value: int) -> Any:
        return acb(value)

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

    def matmul(self, a: Objects, b: Objects) -> Objects:
        (n, k), m = a.shape, b.shape[1]
        entries = product(a.ravel().tolist(), b.ravel().tolist(), n, k, m)
        return gathered(entries, (n, m))

    def fenced(self, x: Numbers) -> Numbers:
        if self.fences is not None:
            x = self.fences.passed(x)
        return Numbers(each(acb, x.values), x.dtype)

    def solved(self, a: Objects, b: Objects) -> Objects | None:
        return ball_matrices.solved(acb_mat, a, b)

    def determinant(self, a: Objects) -> Any:
        return ball_matrices.determinant(acb_mat, a)

    def divided(self, a: Any, b: Any) -> Any:
        return a / b

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
