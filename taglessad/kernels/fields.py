"""What interpreters over number objects have in common, whatever their numbers are.

Each is a field, as kernels/objects.py asks for one; these are the answers that several give alike.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.payloads import (
    DType,
    Numbers,
    Objects,
    Payload,
    Truth,
    dtype_of,
    filled,
    gathered,
    shape_of,
)

# Any throughout: an entry is a rational or a ball; python-flint has no types.


class OfObjects(ABC):
    """An interpreter whose payloads are those of kernels/payloads.py."""

    choice = "a truth value that a choice depends on"  # as `undecided` names it

    @abstractmethod
    def undecided(self, what: str) -> Exception:
        """The error of a question whose answer is open."""

    def shape(self, x: Payload, /) -> tuple[int, ...]:
        return shape_of(x)

    def dtype(self, x: Payload, /) -> DType:
        return dtype_of(x)

    def literal(self, x: Payload, /) -> NDArray[Any] | None:
        if isinstance(x, Numbers):
            return None
        if isinstance(x, Truth):
            if not x.decided:
                raise self.undecided(self.choice)
            return x.certain
        return x


class Balls(OfObjects):
    """Balls of one kind, real or complex.

    ball: a number as a ball, exactly. matrix: FLINT's matrices of such balls.
    """

    ball: Callable[[Any], Any]
    matrix: Any

    def const(self, value: NDArray[Any], /) -> Payload:
        if value.dtype.kind != "f":
            return Truth(value) if value.dtype == bool else value
        if value.size > 1 and not any(value.strides):  # one number, repeated
            one = self.ball(float(value[(0,) * value.ndim]))
            return Numbers(filled(value.shape, one), value.dtype)
        entries = value.astype(np.float64).ravel().tolist()
        return Numbers(gathered(map(self.ball, entries), value.shape), value.dtype)

    def number(self, value: int) -> Any:
        return self.ball(value)

    def matmul(self, a: Objects, b: Objects) -> Objects:
        (n, k), m = a.shape, b.shape[1]
        product = self.matrix(n, k, a.ravel().tolist()) * self.matrix(k, m, b.ravel().tolist())
        return gathered(product.entries(), (n, m))

    def solved(self, a: Objects, b: Objects) -> Objects | None:
        (n, m), count = b.shape, len(a)
        left = self.matrix(count, count, a.ravel().tolist())
        try:
            x = left.solve(self.matrix(n, m, b.ravel().tolist()))
        except ZeroDivisionError:
            return None
        return gathered(x.entries(), b.shape)

    def determinant(self, a: Objects) -> Any:
        return self.matrix(len(a), len(a), a.ravel().tolist()).det()

    def divided(self, a: Any, b: Any) -> Any:
        return a / b
