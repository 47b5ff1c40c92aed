"""Exact: programs mean rational numbers, computed without error.

A float literal or argument means the dyadic rational that it is. Operations that lead out of the
rationals raise; so does 1 / 0, but only if a result depends on it.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import Irrational, Number, float64
from taglessad.errors import ArgumentError, DomainError
from taglessad.kernels.events import user_site
from taglessad.kernels.fields import OfObjects
from taglessad.kernels.object_fourier import FOURIER
from taglessad.kernels.payloads import Numbers, Payload, Truth, boxed, gathered
from taglessad.kernels.rational_kernels import RATIONAL
from taglessad.kernels.rationals import Rationals, exact, fraction, of_array, of_objects
from taglessad.kernels.tables import evaluate
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN


class Tie(NamedTuple):
    """Equal numbers that an operation chose between, where its derivative is a convention.

    op: the operation. site: the user's file and line, or None. entries: how many of its results.
    element, value: the first of them, and the number that met its equal; None for `sort`.
    """

    op: str
    site: tuple[str, int] | None
    entries: int
    element: tuple[int, ...]
    value: Fraction | None


class Exact(Rationals, OfObjects, Ops[Payload]):
    """Rationals in, rationals out: Fractions, object arrays of them, and whatever Eager takes.

    Derivatives, vmap and control flow stand on it as on any root. `ties` is where `maximum` met
    equal operands, `abs` and `relu` a zero, `max` and `sort` equal entries. Raises DomainError for
    what is no rational number, naming the operation.
    """

    precedence = 2
    choice = "a truth value"

    def __init__(self) -> None:
        self.ties: list[Tie] = []

    # --- administration ---------------------------------------------------------------------
    def apply(self, prim: Prim, operands: tuple[Payload, ...], params: Params, /) -> Payload:
        found = evaluate(self, RATIONAL, prim.name, operands, params, prim.variadic)
        if found is None:
            raise DomainError(
                f"{prim.name}: its values are not rational numbers, so Exact cannot compute it; "
                "interpret the program under Real() for rigorous enclosures"
            )
        return found

    def apply_n(
        self, prim: PrimN, operands: tuple[Payload, ...], params: Params, /
    ) -> tuple[Payload, ...]:
        kernel = FOURIER.get(prim.name)
        if kernel is not None:
            return kernel(self, *operands, *params)
        if prim.evaluate is None:
            raise DomainError(f"{prim.name}: its results are not rational numbers")
        return super().apply_n(prim, operands, params)

    def const(self, value: NDArray[Any], /) -> Payload:
        if value.dtype.kind == "f":
            return Numbers(of_array(value), value.dtype)
        return Truth(value) if value.dtype == bool else value

    def scalar(self, value: Number, like: Payload, /) -> Payload:
        if not isinstance(like, Numbers):
            return self.const(np.asarray(value).astype(self.dtype(like)))
        if isinstance(value, Irrational):
            raise DomainError(f"the constant {value!r} is not a rational number")
        return Numbers(boxed(exact(value, "a literal")), like.dtype)

    def aval(self, x: Payload, /) -> Aval:
        return Aval(self.shape(x), self.dtype(x))

    def answer(self, x: Payload, /) -> Any:  # Any: a Fraction, or an array of them
        """A result as Fractions: one, or an object array."""
        assert isinstance(x, Numbers)
        found = gathered(map(fraction, x.values.ravel().tolist()), x.values.shape)
        return found[()] if found.shape == () else found

    def argument(self, value: Any, /) -> Payload | None:  # Any: whatever was passed
        """A Fraction, or an object array of Fractions, ints and floats."""
        if isinstance(value, Fraction):
            return Numbers(boxed(exact(value, "an argument")), float64)
        if not isinstance(value, np.ndarray) or value.dtype != object:
            return None
        for v in value.ravel().tolist():
            if not isinstance(v, (Fraction, int, float)):
                raise ArgumentError(
                    f"Exact: an object array holds {v!r}; its entries must be Fractions, ints or "
                    "floats"
                )
        return Numbers(of_objects(value), float64)

    # --- what happened ----------------------------------------------------------------------
    def tie(self, op: str, where: NDArray[Any], value: NDArray[Any]) -> None:
        """Keep a note of equal numbers that an operation chose between."""
        if not where.any():
            return
        site = user_site()
        index = tuple(map(int, np.argwhere(where)[0]))
        met = np.broadcast_to(value, where.shape)[index]
        known = None if met is None else fraction(met)
        self.ties.append(Tie(op, site, int(where.sum()), index, known))
