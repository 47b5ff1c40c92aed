"""Numbers at a generic point: rationals that know the degree of what they are values of.

A `Sample` is the value of a rational function of the indeterminates, with bounds of the degrees of
its numerator and denominator: where an identity of such values holds at points drawn from a set of
size S, it is false with probability at most degree / S (Schwartz 1980, Zippel 1979). A `Jet` is
a + b t modulo t**2 over them: what a program makes of x + d t is its derivative along d, by the
arithmetic of truncated polynomials alone and by no rule of ours.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np

from taglessad.errors import DomainError
from taglessad.kernels import rationals
from taglessad.kernels.rationals import Rationals, make

# Any throughout: an entry is an fmpq or a Fraction, a Sample or a Jet.

GRAIN: Final = 40
"""Indeterminates are drawn from sets of 2**GRAIN numbers."""


class Sample:
    """A rational number, and the degrees of numerator and denominator it has as a function."""

    __slots__ = ("bottom", "top", "value")

    def __init__(self, value: Any, top: int = 0, bottom: int = 0) -> None:
        self.value = value
        self.top = top
        self.bottom = bottom

    def __add__(self, other: Any) -> Any:
        b = sample(other)
        if b is None:
            return NotImplemented
        top = max(self.top + b.bottom, b.top + self.bottom)
        return Sample(self.value + b.value, top, self.bottom + b.bottom)

    def __mul__(self, other: Any) -> Any:
        b = sample(other)
        if b is None:
            return NotImplemented
        return Sample(self.value * b.value, self.top + b.top, self.bottom + b.bottom)

    def __truediv__(self, other: Any) -> Any:
        b = sample(other)
        if b is None:
            return NotImplemented
        return Sample(self.value / b.value, self.top + b.bottom, self.bottom + b.top)

    def __rtruediv__(self, other: Any) -> Any:
        return Sample(other) / self

    def __neg__(self) -> "Sample":
        return Sample(-self.value, self.top, self.bottom)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __pow__(self, n: int) -> "Sample":
        return Sample(self.value**n, self.top * n, self.bottom * n)

    __radd__ = __add__
    __rmul__ = __mul__

    def __bool__(self) -> bool:
        return bool(self.value != 0)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == plain(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < plain(other))

    def __le__(self, other: Any) -> bool:
        return bool(self.value <= plain(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > plain(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.value >= plain(other))

    def __hash__(self) -> int:
        return hash(self.value)


class Jet:
    """a + b t, where t**2 is 0. Comparisons are of a, and equal numbers are told apart by no one."""

    __slots__ = ("slope", "start")

    def __init__(self, start: Any, slope: Any) -> None:
        self.start = start
        self.slope = slope

    def __add__(self, other: Any) -> "Jet":
        b = jet(other)
        return Jet(self.start + b.start, self.slope + b.slope)

    def __mul__(self, other: Any) -> "Jet":
        b = jet(other)
        return Jet(self.start * b.start, self.slope * b.start + self.start * b.slope)

    def __truediv__(self, other: Any) -> "Jet":
        b = jet(other)
        quotient = self.start / b.start
        return Jet(quotient, (self.slope - quotient * b.slope) / b.start)

    def __rtruediv__(self, other: Any) -> "Jet":
        return jet(other) / self

    def __neg__(self) -> "Jet":
        return Jet(-self.start, -self.slope)

    def __sub__(self, other: Any) -> "Jet":
        return self + -jet(other)

    def __rsub__(self, other: Any) -> "Jet":
        return -self + jet(other)

    def __pow__(self, n: int) -> "Jet":
        y = jet(Rationals.one)
        for _ in range(n):
            y = y * self
        return y

    __radd__ = __add__
    __rmul__ = __mul__

    def __bool__(self) -> bool:
        return bool(self.start != 0)

    def __eq__(self, other: object) -> bool:
        return bool(plain(self) == plain(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return bool(plain(self) < plain(other))

    def __le__(self, other: Any) -> bool:
        return bool(plain(self) <= plain(other))

    def __gt__(self, other: Any) -> bool:
        return bool(plain(self) > plain(other))

    def __ge__(self, other: Any) -> bool:
        return bool(plain(self) >= plain(other))

    def __hash__(self) -> int:
        return hash(plain(self))


def plain(x: Any) -> Any:
    """The rational number alone."""
    if isinstance(x, Jet):
        return plain(x.start)
    if isinstance(x, Sample):
        return x.value
    return rationals.exact(x, "a literal") if isinstance(x, float) else x


def sample(x: Any) -> Sample | None:
    """A constant as a Sample; None for what stands above one."""
    if isinstance(x, Sample):
        return x
    return None if isinstance(x, (Jet, rationals.Undefined)) else Sample(plain(x))


def jet(x: Any) -> Jet:
    """A constant as a Jet."""
    if isinstance(x, rationals.Undefined):
        raise x.error
    return x if isinstance(x, Jet) else Jet(x, Rationals.zero)


def drawn(rng: np.random.Generator) -> Sample:
    """An indeterminate: a number of 2**GRAIN in (-1, 1], none of them 0."""
    k = int(rng.integers(1, 2 ** (GRAIN - 1), endpoint=True)) * int(rng.choice((-1, 1)))
    return Sample(make(k, 2 ** (GRAIN - 1)), 1)


def near(x: float, rng: np.random.Generator) -> Any:
    """An indeterminate within 2**-20 of a number; a 0 stays as it is, a place that is singled out."""
    start = rationals.exact(float(x), "an operand")
    if x == 0:
        return Sample(start)
    return Sample(start + make(int(rng.integers(0, 2**GRAIN)), 2 ** (GRAIN + 20)), 1)


def rounded(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function to integers, which is locally constant, of numbers at a generic point."""

    def constant(*xs: Any) -> Any:
        ys = [plain(x) for x in xs]
        found = f(*ys)
        if any(isinstance(x, Jet) for x in xs) and found == ys[0]:
            raise DomainError("a number at a jump")
        return Sample(found)

    return constant


def fraction(x: Any) -> Fraction:
    """The rational number alone, as a Fraction."""
    return rationals.fraction(plain(x))
