"""log Gamma, digamma and sums of powers to some 100 bits, for where kernels' terms nearly cancel.

Recurrence up to 13 or more, then the asymptotic series, with 30 terms: NIST DLMF 5.11.1, 5.11.2 and
25.11.43.
"""

import math
from fractions import Fraction
from typing import Final

import numpy as np

from taglessad.kernels import double_double as wide
from taglessad.kernels.double_double import Pair
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


def _short(x: Pair, start: int) -> F64:
    """How many steps up to the start."""
    return np.maximum(np.ceil(start - x.high), 0.0)


def _shifted(x: Pair, k: F64 | float) -> Pair:
    return wide.add(x, wide.pair(np.broadcast_to(np.float64(k), x.high.shape)))


def digamma(x: Pair) -> Pair:
    """The derivative of log Gamma, for x > 0."""
    one = wide.constant(Fraction(1), x.high)
    short = _short(x, _START)
    over, product = wide.constant(Fraction(0), x.high), one
    for k in range(int(short.max(initial=0))):  # the sum of 1 / (x + k) on one denominator
        u = _shifted(x, k)
        more = wide.add(wide.multiply(over, u), product)
        over = wide.choose(short > k, more, over)
        product = wide.choose(short > k, wide.multiply(product, u), product)
    lower = wide.divide(over, product)
    w = _shifted(x, short)
    inverse = wide.divide(one, w)
    square = wide.multiply(inverse, inverse)
    series = wide.horner([b / (2 * j) for j, b in enumerate(_BERNOULLI, 1)], square, _LEADING)
    rest = wide.add(wide.scaled(inverse, 0.5), wide.multiply(series, square))
    return wide.subtract(wide.subtract(wide.log(w), rest), lower)


def log_gamma(x: Pair) -> Pair:
    """log Gamma, for x > 0."""
    one = wide.constant(Fraction(1), x.high)
    short = _short(x, _START)
    product = one
    for k in range(int(short.max(initial=0))):
        product = wide.choose(short > k, wide.multiply(product, _shifted(x, k)), product)
    w = _shifted(x, short)
    inverse = wide.divide(one, w)
    terms = [b / (2 * j * (2 * j - 1)) for j, b in enumerate(_BERNOULLI, 1)]
    series = wide.multiply(wide.horner(terms, wide.multiply(inverse, inverse), _LEADING), inverse)
    log, lower = wide.together(wide.log, w, product)
    powers = wide.multiply(_shifted(w, -0.5), log)
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
        term = wide.power(wide.divide(a, _shifted(u, k)), p)
        total = wide.choose(short > k, wide.add(total, term), total)
    w = _shifted(u, short)
    inverse = wide.divide(wide.constant(Fraction(1), u.high), w)
    terms = [
        b * math.prod(range(p, p + 2 * j - 1)) / math.factorial(2 * j)
        for j, b in enumerate(_BERNOULLI, 1)
    ]
    series = wide.multiply(wide.horner(terms, wide.multiply(inverse, inverse), _LEADING), inverse)
    half = wide.constant(Fraction(1, 2), u.high)
    rest = wide.add(wide.divide(w, wide.constant(Fraction(p - 1), u.high)), wide.add(half, series))
    return wide.add(total, wide.multiply(wide.power(wide.divide(a, w), p), rest))
