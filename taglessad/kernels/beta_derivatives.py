"""Derivatives of the beta function and of binomial coefficients, to any order in both numbers."""

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels import double_double as wide
from taglessad.kernels import wide_gamma
from taglessad.kernels.beta_reflection import is_pole
from taglessad.kernels.beta_zeros import beta_at_zero, binom_at_zero
from taglessad.kernels.blocks import LARGE_BLOCK, chosen, jointly, log1p_minus
from taglessad.kernels.erf import F64
from taglessad.kernels.gamma import polygamma
from taglessad.kernels.gamma_function import beta as value
from taglessad.kernels.gamma_function import beta_times, polygamma_difference
from taglessad.kernels.gamma_function import binom as coefficient


def beta(a: NDArray[Any], b: NDArray[Any], m: int, n: int) -> NDArray[Any]:
    """The m-th derivative in a and n-th in b of B(a, b).

    Any: the dtype of the operands, which the result keeps. The logarithm's derivatives in one of
    them have such signs that nothing cancels; those in both do, and for a, b > 0 the first of them
    is by a series of positive terms.
    """
    return jointly(lambda a, b: _beta(a, b, m, n), a, b, block=LARGE_BLOCK)


def _beta(a: F64, b: F64, m: int, n: int) -> F64:
    if m == n == 0:
        return value(a, b)
    if m == n == 1:
        small, large = np.minimum(a, b), np.maximum(a, b)
        return chosen(
            a.size,
            (small > 0, lambda i: _mixed(large[i], small[i])),
            (~(small > 0), lambda i: _beyond(a[i], b[i], 1, 1)),
        )
    return _beyond(a, b, m, n)


def _beyond(a: F64, b: F64, m: int, n: int) -> F64:
    """For a and b that need not be positive."""
    finite = np.isfinite(a) & np.isfinite(b)
    zero = is_pole(a + b) & ~is_pole(a) & ~is_pole(b) & finite
    return chosen(
        a.size,
        (~zero, lambda i: _by_logarithm(a[i], b[i], m, n)),
        (zero, lambda i: beta_at_zero(a[i], b[i], m, n)),
    )


def _by_logarithm(a: F64, b: F64, m: int, n: int) -> F64:
    slopes: dict[tuple[int, int], F64] = {}
    for i in range(m + 1):
        for j in range(n + 1):
            if i and j:
                slopes[i, j] = -polygamma(i + j - 1, a + b)
            elif i:
                slopes[i, 0] = polygamma_difference(a, b, i - 1)
            elif j:
                slopes[0, j] = polygamma_difference(b, a, j - 1)
    return beta_times(a, b, np.asarray(of_exponential(m, n, slopes)))


def of_exponential(m: int, n: int, slopes: Mapping[tuple[int, int], F64]) -> F64:
    """The derivative of exp(f), m times in the first and n in the second number, over exp(f).

    slopes[i, j] is that of f itself, i and j times; slopes[0, 0] is not asked for.
    """
    found: dict[tuple[int, int], Any] = {(0, 0): 1.0}
    for i in range(m + 1):
        for j in range(n + 1):
            if i:
                terms = [
                    math.comb(i - 1, k)
                    * math.comb(j, h)
                    * slopes[k + 1, h]
                    * found[i - 1 - k, j - h]
                    for k in range(i)
                    for h in range(j + 1)
                ]
            elif j:
                terms = [
                    math.comb(j - 1, h) * slopes[0, h + 1] * found[0, j - 1 - h] for h in range(j)
                ]
            else:
                continue
            found[i, j] = sum(terms)
    return np.asarray(found[m, n])


# --- binomial coefficients -------------------------------------------------------------------------
def binom(n: NDArray[Any], k: NDArray[Any], i: int, j: int) -> NDArray[Any]:
    """The i-th derivative in n and j-th in k of the binomial coefficient n over k.

    Any: the dtype of the operands, which the result keeps. By those of its logarithm; of the second
    order where they nearly cancel with two float64 for each number.
    """
    return jointly(lambda n, k: _binom(n, k, i, j), n, k, block=LARGE_BLOCK)


def _binom(n: F64, k: F64, i: int, j: int) -> F64:
    if i + j == 0:
        return np.asarray(coefficient(n, k))
    finite = np.isfinite(n) & np.isfinite(k)
    zero = (is_pole(k + 1) | is_pole(n - k + 1)) & ~is_pole(n + 1) & finite
    return chosen(
        n.size,
        (~zero, lambda at: _binom_by_logarithm(n[at], k[at], i, j)),
        (zero, lambda at: binom_at_zero(n[at], k[at], i, j)),
    )


def _binom_by_logarithm(n: F64, k: F64, i: int, j: int) -> F64:
    size = np.asarray(coefficient(n, k))
    above, below = (n - k) + 1, k + 1
    slopes: dict[tuple[int, int], F64] = {}
    for r in range(i + 1):
        for s in range(j + 1):
            order = r + s - 1
            if s == 0:
                slopes[r, 0] = -polygamma_difference(above, k, order) if r else size
            elif r == 0 and s % 2:
                # From the smaller of the two, as the larger is rounded.
                gap = np.where(above < below, k - (n - k), (n - k) - k)
                turn = np.where(above < below, 1.0, -1.0)
                slopes[0, s] = turn * polygamma_difference(np.minimum(above, below), gap, order)
            elif r == 0:
                slopes[0, s] = -polygamma(order, below) - polygamma(order, above)
            else:
                slopes[r, s] = -((-1.0) ** s) * polygamma(order, above)
    terms = of_exponential(i, j, slopes)
    if i + j == 2:
        first, second = slopes[min(i, 1), 1 - min(i, 1)], slopes[1 - min(j, 1), min(j, 1)]
        product, curve = np.abs(first * second), np.abs(slopes[i, j])
        cancelled = (np.abs(terms) < np.maximum(product, curve)) & (product > 0.01 * curve)
        cancelled &= (above > 0) & (below > 0) & (n + 1 > 0)
        terms = wide.mended(terms, cancelled, lambda at: _second_again(n[at], k[at], j))
    return np.asarray(size * terms)


def _second_again(n: F64, k: F64, j: int) -> F64:
    """The second derivative, j times in k, over the coefficient."""
    one = np.ones_like(n)
    places = wide.total(n, one), wide.total(k, one), wide.total(n, -k, one)
    whole, below, above = wide.together(wide_gamma.digamma, *places)
    in_n, in_k = wide.subtract(whole, above), wide.subtract(above, below)
    product = wide.multiply(in_n if j < 2 else in_k, in_k if j else in_n)
    whole, below, above = wide.together(wide_gamma.trigamma, *places)
    if j == 0:
        curve = wide.subtract(whole, above)
    else:
        curve = above if j == 1 else wide.negative(wide.add(above, below))
    return wide.add(product, curve).value()


# --- once in each --------------------------------------------------------------------------------
def _mixed(a: F64, b: F64) -> F64:
    """The derivative in a and in b for a >= b > 0.

    By B(a, b) = B(a + 1, b) + B(a, b + 1) if both are below 1, so that one is not.
    """
    both = a < 1
    first = _with_one_large(np.where(both, a + 1, a), b)
    second = _with_one_large(np.where(both, b + 1, a), np.where(both, a, b))
    return np.where(both, first + second, first)


def _with_one_large(a: F64, b: F64) -> F64:
    """For a >= 1, b > 0.

    Over B(a, b) it is (psi(a) - psi(a + b)) (psi(b) - psi(a + b)) - psi'(a + b). With
    psi(b) = psi(b + 1) - 1 / b these are b times two terms that are positive; b B(a, b) is 1 for
    b = 0.
    """
    tiny = b < 1e-290
    slope = np.where(tiny, -polygamma(1, a), polygamma_difference(a, b, 0) / np.where(tiny, 1.0, b))
    terms = _second_difference(a, b) + slope * polygamma_difference(b + 1, a - 1, 0)
    size = np.where(tiny, 1.0, b * value(a, np.where(tiny, 1.0, b)))
    return np.asarray(size * terms)


_START: Final = 24
# B(2j) / (2j)! for j = 1 to 5 (Bernoulli numbers; DLMF 24.2).
_EULER_MACLAURIN: Final = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160)


def _second_difference(a: F64, b: F64) -> F64:
    """The sum of 1 / (u (u + b)**2) over u = a, a + 1, ..., for a >= 1, b > 0.

    Its first terms one by one, the rest by the Euler-Maclaurin formula (DLMF 2.10.1), in which the
    derivatives of a term are sums of one sign.
    """
    short = np.maximum(np.ceil(_START - a), 0)
    u = a + short
    v = u + b
    total = _rest(b / u) / u / u + 0.5 / u / v / v
    for j, factor in enumerate(_EULER_MACLAURIN, 1):
        r = 2 * j - 1
        total += factor * sum(
            math.factorial(r) * (r - i + 1) * u ** (-1.0 - i) * v ** (-2.0 - r + i)
            for i in range(r + 1)
        )
    for k in reversed(range(int(short.max(initial=0)))):
        u = a + k
        total += np.where(short > k, 1 / u / (u + b) / (u + b), 0.0)
    return np.asarray(total)


def _rest(y: F64) -> F64:
    """(log(1 + y) - y / (1 + y)) / y**2: u*u times the integral of a term from u on, y = b / u."""
    near = y < 0.5
    low, high = np.where(near, np.maximum(y, 1e-3), 0.5), np.where(near, 0.5, y)
    below = (log1p_minus(low) + low * low / (1 + low)) / (low * low)
    series = np.zeros_like(y)
    for k in reversed(range(7)):
        series = (k + 1) / (k + 2) - y * series
    below = np.where(y < 1e-3, series, below)
    share = high / (1 + high)
    split = np.where(share < 0.5, -log1p_minus(-share), np.log1p(high) - share)
    return np.where(near, below, split / high / high)
