"""log Gamma, digamma and sums of powers to some 100 bits, for where kernels' terms nearly cancel.

Recurrence up to 13 or more, then the asymptotic series, with 30 terms: NIST DLMF 5.11.1, 5.11.2 and
25.11.43. For the first two it is by 13 steps, whose factors are taken two by two,
(x + k) (x + 12 - k) = x (x + 12) + k (12 - k).
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from taglessad.kernels import double_double as wide
from taglessad.kernels.double_double import Pair, Series
from taglessad.kernels.erf import F64

_START: Final = 13
_LEADING: Final = 6


def _bernoulli(count: int) -> list[Fraction]:
    """B(0), B(1), ... (DLMF 24.5.3)."""
    found = [Fraction(1)]
    for n in range(1, count):
        terms = [math.comb(n + 1, k) * b for k, b in enumerate(found)]
        found.append(-sum(terms, Fraction(0)) / (n + 1))
    return found


_BERNOULLI: Final = tuple(_bernoulli(61)[2::2])
# In 1 / x**2 (DLMF 5.11.1, 5.11.2).
_LOG_GAMMA: Final = wide.series(
    [b / (2 * j * (2 * j - 1)) for j, b in enumerate(_BERNOULLI, 1)], _LEADING
)
_DIGAMMA: Final = wide.series([b / (2 * j) for j, b in enumerate(_BERNOULLI, 1)], _LEADING)


@lru_cache
def _euler_maclaurin(p: int) -> Series:
    """Of a sum of powers -p (DLMF 25.11.43)."""
    terms = [
        b * math.prod(range(p, p + 2 * j - 1)) / math.factorial(2 * j)
        for j, b in enumerate(_BERNOULLI, 1)
    ]
    return wide.series(terms, _LEADING)


def _factors(x: Pair) -> list[Pair]:
    """(x + k) (x + 12 - k) for k from 0 to 5."""
    product = wide.multiply(x, wide.shifted(x, 12.0))
    return [wide.shifted(product, k * (12.0 - k)) for k in range(6)]


def _short(x: Pair, start: int) -> F64:
    """How many steps up to the start."""
    return np.maximum(np.ceil(start - x.high), 0.0)


def digamma(x: Pair) -> Pair:
    """The derivative of log Gamma, for x > 0."""
    one = wide.constant(Fraction(1), x.high)
    first, *others = _factors(x)
    over, product = one, first
    for u in others:  # the sum of 1 / u on one denominator
        over = wide.add(wide.multiply(over, u), product)
        product = wide.multiply(product, u)
    middle = wide.shifted(x, 6.0)
    over = wide.add(wide.multiply(over, wide.multiply(wide.scaled(middle, 2.0), middle)), product)
    lower = wide.divide(over, wide.multiply(product, middle))
    steps = x.high < _START
    lower = wide.choose(steps, lower, wide.constant(Fraction(0), x.high))
    w = wide.choose(steps, wide.shifted(x, float(_START)), x)
    inverse = wide.divide(one, w)
    square = wide.multiply(inverse, inverse)
    series = wide.horner(_DIGAMMA, square)
    rest = wide.add(wide.scaled(inverse, 0.5), wide.multiply(series, square))
    return wide.subtract(wide.subtract(wide.log(w), rest), lower)


def log_gamma(x: Pair) -> Pair:
    """log Gamma, for x > 0."""
    one = wide.constant(Fraction(1), x.high)
    product = wide.shifted(x, 6.0)
    for u in _factors(x):
        product = wide.multiply(product, u)
    steps = x.high < _START
    product = wide.choose(steps, product, one)
    w = wide.choose(steps, wide.shifted(x, float(_START)), x)
    inverse = wide.divide(one, w)
    series = wide.multiply(wide.horner(_LOG_GAMMA, wide.multiply(inverse, inverse)), inverse)
    log, lower = wide.together(wide.log, w, product)
    powers = wide.multiply(wide.shifted(w, -0.5), log)
    found = wide.add(wide.subtract(powers, w), wide.constant(wide.HALF_LOG_TWO_PI, x.high))
    return wide.subtract(wide.add(found, series), lower)


def trigamma(x: Pair) -> Pair:
    """The derivative of digamma, for x > 0."""
    return powers(2, wide.constant(Fraction(1), x.high), x)


def powers(p: int, a: Pair, u: Pair) -> Pair:
    """The sum of (a / (u + k))**p over k >= 0, for a, u > 0 and p >= 2."""
    short = _short(u, _START + p)
    total = wide.constant(Fraction(0), u.high)
    for k in range(int(short.max(initial=0))):
        term = wide.power(wide.divide(a, wide.shifted(u, k)), p)
        total = wide.choose(short > k, wide.add(total, term), total)
    w = wide.shifted(u, short)
    inverse = wide.divide(wide.constant(Fraction(1), u.high), w)
    terms = _euler_maclaurin(p)
    series = wide.multiply(wide.horner(terms, wide.multiply(inverse, inverse)), inverse)
    half = wide.constant(Fraction(1, 2), u.high)
    rest = wide.add(wide.divide(w, wide.constant(Fraction(p - 1), u.high)), wide.add(half, series))
    return wide.add(total, wide.multiply(wide.power(wide.divide(a, w), p), rest))


# --- of negative numbers, by reflection ----------------------------------------------------------
def _to_integer(x: Pair) -> Pair:
    return wide.shifted(x, -np.rint(x.high))


def _reflected(x: Pair) -> Pair:
    """1 - x."""
    return wide.shifted(wide.negative(x), 1.0)


def log_gamma_reflected(x: Pair) -> Pair:
    """log|Gamma|, for x < 0 (DLMF 5.5.3)."""
    r = _to_integer(x)
    size = Pair(np.abs(r.high), np.where(r.high < 0, -r.low, r.low))
    sine = wide.divide(wide.sine_of_pi(size), wide.constant(wide.PI, x.high))
    return wide.negative(wide.add(wide.log(sine), log_gamma(_reflected(x))))


def digamma_reflected(x: Pair) -> Pair:
    """The derivative of log Gamma, for x < 0 (DLMF 5.5.4)."""
    cotangent = wide.multiply(wide.cotangent_of_pi(_to_integer(x)), wide.constant(wide.PI, x.high))
    return wide.subtract(digamma(_reflected(x)), cotangent)


def trigamma_reflected(x: Pair) -> Pair:
    """The derivative of digamma, for x < 0 (DLMF 5.15.6)."""
    cosecant = wide.divide(wide.constant(wide.PI, x.high), wide.sine_of_pi(_to_integer(x)))
    return wide.subtract(wide.multiply(cosecant, cosecant), trigamma(_reflected(x)))
