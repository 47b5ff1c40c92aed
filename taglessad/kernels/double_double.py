"""Numbers as unevaluated sums of two float64, of some 105 bits: where terms nearly cancel.

A sum of terms that cancel has the absolute error of the terms. Kernels take it plainly first, and
only where little of the terms is left once more with these. The algorithms are those of Dekker
(Numer. Math. 18, 1971), and of Hida, Li and Bailey (Library for double-double and quad-double
arithmetic, 2007). Where a number leaves the range the result is NaN, which `mended` passes over.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.blocks import finite_product, finite_sum
from taglessad.kernels.erf import F64, polynomial

KEPT: Final = 0.5
"""What a sum of two terms is to keep of the larger of them, or less where these are exact."""


class Pair(NamedTuple):
    """high + low, where low is at most half a unit in the last place of high."""

    high: F64
    low: F64

    def value(self) -> F64:
        """As one float64."""
        return self.high + self.low


def pair(x: F64) -> Pair:
    """A float64 as it is."""
    return Pair(x, np.zeros_like(x))


def in_two(exact: Fraction) -> tuple[float, float]:
    """A rational number as the sum of two float64."""
    high = float(exact)
    return high, float(exact - Fraction(high))


def constant(exact: Fraction, like: F64) -> Pair:
    """A rational number, of the shape of `like`."""
    high, low = in_two(exact)
    return Pair(np.full_like(like, high), np.full_like(like, low))


def _quick(a: F64, b: F64) -> Pair:
    """a + b for a the larger."""
    high = a + b
    return Pair(high, b - (high - a))


def add(a: Pair, b: Pair) -> Pair:
    """a + b."""
    high, more = finite_sum(a.high, b.high)
    low, rest = finite_sum(a.low, b.low)
    high, more = _quick(high, more + low)
    return _quick(high, more + rest)


def negative(a: Pair) -> Pair:
    """-a."""
    return Pair(-a.high, -a.low)


def subtract(a: Pair, b: Pair) -> Pair:
    """a - b."""
    return add(a, negative(b))


def multiply(a: Pair, b: Pair) -> Pair:
    """a * b."""
    high, low = finite_product(a.high, b.high)
    return _quick(high, low + (a.high * b.low + a.low * b.high))


def divide(a: Pair, b: Pair) -> Pair:
    """a / b."""
    first = a.high / b.high
    high, low = finite_product(first, b.high)  # so near a.high that their difference is exact
    rest = (a.high - high) + ((a.low - low) - first * b.low)
    return _quick(first, rest / b.high)


def scaled(a: Pair, factor: float | F64) -> Pair:
    """a times a power of 2."""
    return Pair(a.high * factor, a.low * factor)


def power(a: Pair, n: int) -> Pair:
    """a**n for an integer n >= 1."""
    found: Pair | None = None
    while True:
        if n & 1:
            found = a if found is None else multiply(found, a)
        n >>= 1
        if not n:
            assert found is not None  # n was at least 1
            return found
        a = multiply(a, a)


class Series(NamedTuple):
    """Coefficients: the leading ones as two float64 each, those that count little as one."""

    leading: tuple[tuple[float, float], ...]
    others: tuple[float, ...]


def series(coefficients: Sequence[Fraction], leading: int) -> Series:
    """So many leading coefficients, and the others."""
    first = tuple(map(in_two, coefficients[:leading]))
    return Series(first, tuple(map(float, coefficients[leading:])))


def horner(coefficients: Series, x: Pair) -> Pair:
    """The sum of coefficients[k] * x**k."""
    found = pair(polynomial(coefficients.others, x.high))
    for high, low in reversed(coefficients.leading):
        found = multiply(found, x)
        found = add(found, Pair(np.asarray(high), np.asarray(low)))
    return found


def choose(condition: NDArray[np.bool_], a: Pair, b: Pair) -> Pair:
    """a where the condition holds, else b."""
    return Pair(np.where(condition, a.high, b.high), np.where(condition, a.low, b.low))


def together(f: Callable[[Pair], Pair], *xs: Pair) -> list[Pair]:
    """f of each of several arrays of numbers, of all in one call: few are many steps each."""
    ends = np.cumsum([x.high.size for x in xs])[:-1]
    found = f(Pair(np.concatenate([x.high for x in xs]), np.concatenate([x.low for x in xs])))
    return [Pair(a, b) for a, b in zip(*(np.split(y, ends) for y in found), strict=True)]


def shifted(a: Pair, x: F64 | float) -> Pair:
    """a + x for a float64."""
    high, more = finite_sum(a.high, np.asarray(x))
    return _quick(high, more + a.low)


def total(first: F64, *others: F64) -> Pair:
    """The sum of float64."""
    found = pair(first)
    for x in others:
        found = shifted(found, x)
    return found


# --- elementary functions --------------------------------------------------------------------------
PI: Final = Fraction(3.141592653589793) + Fraction(1.2246467991473532e-16)
LN2: Final = Fraction(0.6931471805599453) + Fraction(2.3190468138462996e-17)
HALF_LOG_TWO_PI: Final = Fraction(0.9189385332046728) - Fraction(3.878294158067242e-17)
_CELL: Final = 1 / 32
_ATANH: Final = series([Fraction(1, 2 * k + 1) for k in range(10)], 5)
_SINE: Final = series([Fraction((-1) ** k, math.factorial(2 * k + 1)) for k in range(18)], 9)


@lru_cache
def _logs() -> Pair:
    """log(k / 32) for k from 16 to 48, as 2 atanh((k - 32) / (k + 32)), in multiples of 2**-130."""
    found = []
    for k in range(16, 49):
        z = Fraction(k - 32, k + 32)
        power, total = round(z * 2**130), 0
        for n in range(1, 90, 2):
            total += power // n
            power = round(power * z * z)
        found.append(in_two(Fraction(2 * total, 2**130)))
    high, low = np.asarray(found).T
    return Pair(high, low)


def log(x: Pair) -> Pair:
    """log(x): of the argument without its power of 2, by its quotient to the nearest k / 32."""
    _, shift = np.frexp(x.high)
    shift = np.where(np.abs(x.high - 1) < 0.5, 0, shift)
    near = Pair(np.ldexp(x.high, -shift), np.ldexp(x.low, -shift))
    cell = np.rint(near.high / _CELL)
    z = divide(shifted(near, -_CELL * cell), shifted(near, _CELL * cell))
    by_quotient = multiply(z, horner(_ATANH, multiply(z, z)))
    place = np.where(np.isfinite(cell), cell - 16, 0).astype(np.intp)
    start = Pair(*(part[np.clip(place, 0, 32)] for part in _logs()))
    whole = shift.astype(np.float64)
    found = add(scaled(by_quotient, 2.0), multiply(pair(whole), constant(LN2, whole)))
    return add(found, start)


def sine_of_pi(r: Pair) -> Pair:
    """sin(pi r) for |r| <= 1/2, relatively exact."""
    z = multiply(r, constant(PI, r.high))
    return multiply(z, horner(_SINE, multiply(z, z)))


def cosine_of_pi(r: Pair) -> Pair:
    """cos(pi r) for |r| <= 1/2, relatively exact."""
    size = Pair(np.abs(r.high), np.where(r.high < 0, -r.low, r.low))
    return sine_of_pi(subtract(constant(Fraction(1, 2), r.high), size))


def cotangent_of_pi(r: Pair) -> Pair:
    """cot(pi r) for 0 < |r| <= 1/2, relatively exact."""
    size = Pair(np.abs(r.high), np.where(r.high < 0, -r.low, r.low))
    rest = subtract(constant(Fraction(1, 2), r.high), size)
    return divide(*together(sine_of_pi, rest, r))


# --- where to use them -----------------------------------------------------------------------------
def mended(found: F64, where: NDArray[np.bool_], again: Callable[[NDArray[np.intp]], F64]) -> F64:
    """`found`, where the condition holds by `again` of the positions, if that is a number."""
    index = np.flatnonzero(where)
    if index.size:
        better = again(index)
        found[index] = np.where(np.isfinite(better), better, found[index])
    return found
