"""Roots at a generic point: `Generic`, where values are indeterminate, and `Jets`, with a tangent.

Under Generic every operation that leads out of the rationals is an unknown function: its value at
given operands is one more indeterminate, always the same one. What holds there, such as that push
and pull are adjoint, holds for whatever numbers the operation really gives.
"""

from typing import Any, Final

import numpy as np

from taglessad.dtypes import DType, Irrational, Number
from taglessad.errors import DomainError
from taglessad.interpreters.exact import Exact
from taglessad.kernels import rationals
from taglessad.kernels.object_matrices import eliminated
from taglessad.kernels.payloads import Numbers, Objects, Payload, Truth, boxed, each, gathered
from taglessad.kernels.rational_kernels import RATIONAL, entrywise
from taglessad.kernels.tables import evaluate
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.proofs_checks.generic_numbers import Sample, drawn, plain, rounded

# Any throughout: an entry is a rational number, a Sample or a Jet.

_FLOOR: Final = rounded(rationals.floor)
_TRUNC: Final = rounded(rationals.trunc)

ALGEBRAIC: Final = {
    **{k: f for k, f in RATIONAL.items() if k not in ("sqrt", "rsqrt", "hypot", "pow")},
    "floor": entrywise(_FLOOR),
    "ceil": entrywise(rounded(rationals.ceil)),
    "trunc": entrywise(_TRUNC),
    "round": entrywise(rounded(rationals.nearest)),
    "floor_divide": entrywise(lambda a, b: _FLOOR(a / b)),
    "remainder": entrywise(lambda a, b: a - b * _FLOOR(a / b)),
    "fmod": entrywise(lambda a, b: a - b * _TRUNC(a / b)),
}
"""Operations that are made of + - * / and comparisons."""

RELATED: Final = frozenset({"cholesky", "expm", "pinv"})
"""Operations whose rules rest on how their values are related to the operands."""


class Algebraic(Exact):
    """Exact on numbers that carry more than their value. Raises DomainError for what is not of + - * /."""

    def apply(self, prim: Prim, operands: tuple[Payload, ...], params: Params, /) -> Payload:
        if prim.name in RELATED:
            raise DomainError(f"{prim.name}: its values are not rational functions")
        found = evaluate(self, ALGEBRAIC, prim.name, operands, params, prim.variadic)
        if found is None:
            return self.unknown(prim, operands, params)
        return found

    def unknown(self, prim: Prim, operands: tuple[Payload, ...], params: Params) -> Payload:
        """An operation that leads out of the rationals."""
        raise DomainError(f"{prim.name}: its values are not rational functions")

    def apply_n(
        self, prim: PrimN, operands: tuple[Payload, ...], params: Params, /
    ) -> tuple[Payload, ...]:
        if prim.evaluate is None:
            raise DomainError(f"{prim.name}: its values are not rational functions")
        return super().apply_n(prim, operands, params)

    def whole(self, x: Objects, dtype: DType) -> Objects:
        return super().whole(each(plain, x), dtype)

    def matmul(self, a: Objects, b: Objects) -> Objects:
        return np.asarray(np.matmul(a, b), object)

    def solved(self, a: Objects, b: Objects) -> Objects | None:
        return eliminated(a, b, lambda column: next((i for i, v in enumerate(column) if v), None))

    def determinant(self, a: Objects) -> Any:
        """By expansion along the first row: matrices here are small."""
        if len(a) == 1:
            return a[0, 0]
        total: Any = self.zero
        for j in range(len(a)):
            minor = self.determinant(np.delete(a[1:], j, 1))
            total = total + (-1) ** j * (a[0, j] * minor)
        return total


class Jets(Algebraic):
    """Numbers a + b t modulo t**2: b is the derivative of what a program computes.

    Raises DomainError at equal numbers that are chosen between, where there may be none.
    """

    def tie(self, op: str, where: Objects, value: Objects) -> None:
        if np.any(where):
            raise DomainError(f"{op}: equal numbers")


class Generic(Algebraic):
    """Numbers at a generic point; what is no rational function is an unknown function."""

    def tie(self, op: str, where: Objects, value: Objects) -> None:
        """Rules may well choose between equal numbers."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__()
        self._rng = rng
        self._known: dict[Any, Any] = {}

    def _value(self, key: Any) -> Sample:
        if key not in self._known:
            self._known[key] = drawn(self._rng)
        found: Sample = self._known[key]
        return found

    def scalar(self, value: Number, like: Payload, /) -> Payload:
        if isinstance(value, Irrational) and isinstance(like, Numbers):
            return Numbers(boxed(self._value(value.name)), like.dtype)
        return super().scalar(value, like)

    def unknown(self, prim: Prim, operands: tuple[Payload, ...], params: Params) -> Payload:
        aval: Aval = prim.infer(*[self.aval(x) for x in operands], *params)
        shape = tuple(n for n in aval.shape if isinstance(n, int))
        entries = [_entries(x) for x in operands]
        if prim.kind == "elementwise":
            whole = [np.broadcast_to(e, shape).ravel().tolist() for e in entries]
            keys: Any = zip(*whole, strict=True)
        else:
            together = tuple(tuple(e.ravel().tolist()) for e in entries)
            keys = ((*together, place) for place in np.ndindex(*shape))
        found = (self._value((prim.name, params, key)) for key in keys)
        return Numbers(gathered(found, shape), aval.dtype)


def _entries(x: Payload) -> Objects:
    if isinstance(x, Numbers):
        return each(plain, x.values)
    return x.certain if isinstance(x, Truth) else x
