"""Numbers as unevaluated sums of two float64, of some 105 bits: where terms nearly cancel.

A sum of terms that cancel has the absolute error of the terms. Kernels take it plainly first, and
only where little of the terms is left once more with these. The algorithms are those of Dekker
(Numer. Math. 18, 1971), and of Hida, Li and Bailey (Library for double-double and quad-double
arithmetic, 2007).
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.blocks import two_product, two_sum
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


def constant(exact: Fraction, like: F64) -> Pair:
    """A rational number, of the shape of `like`."""
    high = float(exact)
    low = float(exact - Fraction(high))
    return Pair(np.full_like(like, high), np.full_like(like, low))


def _quick(a: F64, b: F64) -> Pair:
    """a + b for a the larger."""
    high = a + b
    return Pair(high, b - (high - a))


def add(a: Pair, b: Pair) -> Pair:
    """a + b."""
    high, more = two_sum(a.high, b.high)
    low, rest = two_sum(a.low, b.low)
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
    high, low = two_product(a.high, b.high)
    return _quick(high, low + (a.high * b.low + a.low * b.high))


def divide(a: Pair, b: Pair) -> Pair:
    """a / b."""
    first = a.high / b.high
    rest = subtract(a, multiply(b, pair(first)))
    second = rest.high / b.high
    rest = subtract(rest, multiply(b, pair(second)))
    found = _quick(first, second)
    return add(found, pair(rest.high / b.high))


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


def horner(coefficients: Sequence[Fraction], x: Pair, leading: int) -> Pair:
    """The sum of coefficients[k] * x**k; those after the leading ones count so little that their
    part is taken in float64."""
    rest = polynomial([float(c) for c in coefficients[leading:]], x.high)
    found = pair(rest)
    for c in reversed(coefficients[:leading]):
        found = add(multiply(found, x), constant(c, x.high))
    return found


def choose(condition: NDArray[np.bool_], a: Pair, b: Pair) -> Pair:
    """a where the condition holds, else b."""
    return Pair(np.where(condition, a.high, b.high), np.where(condition, a.low, b.low))


def together(f: Callable[[Pair], Pair], *xs: Pair) -> list[Pair]:
    """f of each of several arrays of numbers, of all in one call: few are many steps each."""
    ends = np.cumsum([x.high.size for x in xs])[:-1]
    found = f(Pair(np.concatenate([x.high for x in xs]), np.concatenate([x.low for x in xs])))
    return [Pair(a, b) for a, b in zip(*(np.split(y, ends) for y in found), strict=True)]


def total(first: F64, *others: F64) -> Pair:
    """The sum of float64."""
    found = pair(first)
    for x in others:
        found = add(found, pair(x))
    return found


# --- elementary functions --------------------------------------------------------------------------
PI: Final = Fraction(3.141592653589793) + Fraction(1.2246467991473532e-16)
LN2: Final = Fraction(0.6931471805599453) + Fraction(2.3190468138462996e-17)
HALF_LOG_TWO_PI: Final = Fraction(0.9189385332046728) - Fraction(3.878294158067242e-17)
_HALVINGS: Final = 7
_EXPONENTIAL: Final = tuple(Fraction(1, math.factorial(k + 1)) for k in range(11))
_SINE: Final = tuple(Fraction((-1) ** k, math.factorial(2 * k + 1)) for k in range(18))


def exp(x: Pair) -> Pair:
    """exp(x) within the range of float64: by its series, for what 2**k and 7 squarings leave."""
    whole = np.rint(x.high / math.log(2))
    rest = subtract(x, multiply(pair(whole), constant(LN2, whole)))
    small = scaled(rest, 2.0**-_HALVINGS)
    found = multiply(small, horner(_EXPONENTIAL, small, 5))  # less 1
    for _ in range(_HALVINGS):
        found = add(scaled(found, 2.0), multiply(found, found))
    found = add(found, constant(Fraction(1), whole))
    half = np.exp2(np.trunc(0.5 * whole))
    return scaled(scaled(found, half), np.exp2(whole - np.trunc(0.5 * whole)))


def log(x: Pair) -> Pair:
    """log(x), by one step of Newton's method; of the argument without its power of 2."""
    _, shift = np.frexp(x.high)
    shift = np.where(np.abs(x.high - 1) < 0.5, 0, shift)
    near = Pair(np.ldexp(x.high, -shift), np.ldexp(x.low, -shift))
    guess = np.log(near.high)
    ratio = multiply(near, exp(pair(-guess)))
    change = subtract(ratio, constant(Fraction(1), guess))
    found = add(pair(guess), change)
    whole = shift.astype(np.float64)
    return add(found, multiply(pair(whole), constant(LN2, whole)))


def sine_of_pi(r: Pair) -> Pair:
    """sin(pi r) for |r| <= 1/2, relatively exact."""
    z = multiply(r, constant(PI, r.high))
    return multiply(z, horner(_SINE, multiply(z, z), 9))


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
