"""Scaled integrals of the complementary error function, its inverse, the normal distribution."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from taglessad.errors import DomainError
from taglessad.kernels.blocks import SPLIT_NODES, SPLIT_WEIGHTS, weighted
from taglessad.kernels.elementwise import exp_neg_square
from taglessad.kernels.erf import F64, Float, erfc, erfc_scaled, erfinv, piecewise, pointwise

_TWO_OVER_SQRT_PI: Final = 1.1283791670955126
_SQRT_HALF: Final = 0.7071067811865476


def erfcx(x: NDArray[Float] | Float, n: int) -> NDArray[Float]:
    """exp(x**2) times the n-th repeated integral of erfc from x to infinity; n = 0: of erfc itself.

    Any shape; float16, float32 or float64, which the result keeps. Its derivative is -2 (n + 1)
    times the next (DLMF 7.18.3 and 7.18.7). For x >= 0 and n >= 1 by quadrature of 7.18.2, whose
    integrand is positive; for x < 0 by the recurrence 7.18.7, whose terms are. DomainError for
    negative n.
    """
    if n < 0:
        raise DomainError(f"erfcx: the order n is {n}; give an integer >= 0")
    return pointwise(lambda x: _erfcx(n, x), x)


def erfcinv(x: NDArray[Float] | Float) -> NDArray[Float]:
    """The y for which erfc(y) = x: infinite at 0 and 2, NaN outside.

    Any shape; float16, float32 or float64, which the result keeps. In the tails Newton's method
    for the logarithm of erfc.
    """
    return pointwise(_erfcinv, x)


def ndtr(x: NDArray[Float] | Float) -> NDArray[Float]:
    """The normal distribution function: erfc(-x / sqrt(2)) / 2, accurate in both tails."""
    return pointwise(_ndtr, x)


def log_ndtr(x: NDArray[Float] | Float) -> NDArray[Float]:
    """The logarithm of the normal distribution function, accurate in both tails."""
    return pointwise(_log_ndtr, x)


def _erfcx(n: int, x: F64) -> F64:
    return piecewise(
        x,
        (x >= 0, lambda x: _right(n, x)),
        (x < 0, lambda x: _left(n, x)),
    )


def _right(n: int, x: F64) -> F64:
    if n == 0:
        return piecewise(
            x,
            (x < 0.5, lambda x: erfc(x) * np.exp(x * x)),
            ((x >= 0.5) & (x < 26), erfc_scaled),
            (x >= 26, lambda x: _far(0, x)),
        )
    return piecewise(
        x,
        (x < 26 + 6 * n, lambda x: _by_quadrature(n, x)),
        (x >= 26 + 6 * n, lambda x: _far(n, x)),
    )


def _by_quadrature(n: int, x: F64) -> F64:
    # The integrand is t**n exp(-t*t - 2 t x): beyond `end` it does not count.
    depth = 44.0 + 8 * n
    end = depth / (x + np.sqrt(x * x + depth))
    t = end[:, None] * SPLIT_NODES
    integrand = np.exp(-t * (t + 2 * x[:, None])) * np.power(SPLIT_NODES, float(n))
    scale = np.power(end, n + 1.0) / math.factorial(n)
    return _TWO_OVER_SQRT_PI * scale * weighted(integrand, SPLIT_WEIGHTS)


def _far(n: int, x: F64) -> F64:
    """The asymptotic series (DLMF 7.18.14), for x >= 26 + 6 n."""
    half = 0.5 / x
    ratio = half * half
    total = np.ones_like(x)
    for m in range(8, 0, -1):
        total = 1 - ((2 * m + n) * (2 * m + n - 1) / m) * ratio * total
    return np.asarray(_TWO_OVER_SQRT_PI * np.power(half, n + 1.0) * total)


def _left(n: int, x: F64) -> F64:
    before = np.full_like(x, _TWO_OVER_SQRT_PI)
    now = erfc(x) / exp_neg_square(x)
    for k in range(1, n + 1):
        before, now = now, (before / 2 - x * now) / k
    return now


def _erfcinv(x: F64) -> F64:
    return piecewise(
        x,
        ((x > 0) & (x < 0.5), _tail),
        ((x >= 0.5) & (x <= 1.5), lambda x: erfinv(1 - x)),
        ((x > 1.5) & (x < 2), lambda x: -_tail(2 - x)),
        (x == 0, lambda x: np.full_like(x, np.inf)),
        (x == 2, lambda x: np.full_like(x, -np.inf)),
    )


def _tail(p: F64) -> F64:
    """erfcinv for small p: log erfc(y) = log erfcx(y) - y*y is nearly linear in y*y."""
    logarithm = np.log(p)
    y = np.sqrt(np.maximum(-logarithm - 0.5 * np.log(np.pi * np.maximum(-logarithm, 0.4)), 0.1))
    for _ in range(5):
        scaled = _right(0, y)
        excess = np.log(scaled) - y * y - logarithm
        y = y + excess * scaled / _TWO_OVER_SQRT_PI
    return y


def _ndtr(x: F64) -> F64:
    return piecewise(
        x,
        (x < -1, _ndtr_tail),
        (x >= -1, lambda x: 0.5 * erfc(x * -_SQRT_HALF)),
    )


def _ndtr_tail(x: F64) -> F64:
    x = np.maximum(x, -40.0)
    quarter = exp_neg_square(0.5 * x)  # its square is exp(-x*x/2)
    return quarter * (0.5 * _right(0, x * -_SQRT_HALF)) * quarter


def _log_ndtr(x: F64) -> F64:
    return piecewise(
        x,
        (x < -1, lambda x: np.log(0.5 * _right(0, x * -_SQRT_HALF)) - 0.5 * x * x),
        ((x >= -1) & (x <= 1), lambda x: np.log1p(-0.5 * erfc(x * _SQRT_HALF))),
        (x > 1, lambda x: np.log1p(-_ndtr_tail(-x))),
    )
