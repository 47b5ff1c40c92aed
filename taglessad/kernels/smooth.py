"""Quotients and integrals with removable singularities: exprel, expi, spence, kl_div, cosm1."""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.blocks import SPLIT_NODES, SPLIT_WEIGHTS, jointly, log1p_minus, weighted
from taglessad.kernels.erf import F64, Float, piecewise, pointwise, polynomial
from taglessad.kernels.incomplete import expn


def exprel(x: NDArray[Float] | Float, m: int) -> NDArray[Float]:
    """The m-th derivative of (exp(x) - 1) / x: the integral of s**m exp(x s) over [0, 1].

    dtype as x. Gauss-Legendre over the part where the integrand counts; it is positive.
    """
    return pointwise(lambda x: _exprel(m, x), x)


def _exprel(m: int, x: F64) -> F64:
    return piecewise(
        x,
        (np.abs(x) < np.inf, lambda x: _exprel_finite(m, x)),
        (x == np.inf, lambda x: np.full_like(x, np.inf)),
        (x == -np.inf, lambda x: np.zeros_like(x)),
    )


def _exprel_finite(m: int, x: F64) -> F64:
    if m == 0:
        large = np.abs(x) > 1e-5
        direct = np.expm1(x) / np.where(large, x, 1.0)
        half = np.exp(0.5 * np.minimum(x, 1500.0))  # exp alone may overflow where x divides it
        direct = np.where(x > 100, half / np.where(x > 1, x, 1.0) * half, direct)
        return np.where(large, direct, 1 + x / 2 * (1 + x / 3))
    size = np.abs(x)
    width = np.minimum(1.0, (46.0 + 6 * m) / np.maximum(size, 1e-3))
    s = width[:, None] * SPLIT_NODES
    rising = np.power(1 - s, m) * np.exp(-size[:, None] * s)
    falling = np.power(SPLIT_NODES, m) * np.exp(-size[:, None] * s)
    half = np.exp(0.5 * np.minimum(x, 1500.0))
    above = half * (width * weighted(rising, SPLIT_WEIGHTS)) * half
    below = width ** (m + 1) * weighted(falling, SPLIT_WEIGHTS)
    return np.where(x > 0, above, below)


# --- the exponential integral --------------------------------------------------------------------
EULER_GAMMA: Final = 0.5772156649015329
# The zero of Ei, in two parts, and the Taylor coefficients there, made with mpmath at 60 digits.
EI_ZERO: Final = (0.3725074107813666, 1.3140183414386028e-17)
EI_NEAR: Final = (
    3.8962157339071672,
    -3.2816078663985615,
    6.522376145438925,
    -12.969697383536516,
    27.88629796294205,
    -62.37880152891542,
    143.5349488096751,
    -337.1558271787469,
    804.5318399821382,
    -1943.7966457234988,
    4743.765650402431,
    -11673.463991167164,
    28926.95530543545,
    -72107.9458683716,
    180669.55858939196,
    -454696.21885446657,
    1148834.5468177444,
    -2912721.6638508374,
    7407692.958000587,
    -18891727.000381533,
    48300034.930860244,
    -123768219.00249171,
    317811105.66636217,
    -817618569.3184928,
    2107109291.8643637,
    -5438996831.077285,
)


def expi(x: NDArray[Float] | Float) -> NDArray[Float]:
    """Ei(x), the principal value of the integral of exp(t) / t from -inf to x; -inf at 0.

    dtype as x. For x > 0: the power series (DLMF 6.6.1), near the zero at 0.3725 the Taylor series
    there, from 40 on the asymptotic series (6.12.2). For x < 0, -E_1(-x).
    """

    def kernel(x: F64) -> F64:
        return piecewise(
            x,
            (x < 0, lambda x: -expn(-x, 1)),
            (x == 0, lambda x: np.full_like(x, -np.inf)),
            ((x > 0) & (np.abs(x - EI_ZERO[0]) >= 0.1) & (x < 40), _expi_series),
            ((x > 0) & (np.abs(x - EI_ZERO[0]) < 0.1), _expi_near_zero),
            ((x >= 40) & (x < np.inf), _expi_large),
            (x == np.inf, lambda x: x),
        )

    return pointwise(kernel, x)


def _expi_near_zero(x: F64) -> F64:
    shift = (x - EI_ZERO[0]) - EI_ZERO[1]
    return shift * polynomial(EI_NEAR, shift)


def _expi_series(x: F64) -> F64:
    total = np.zeros_like(x)
    for k in range(125, 0, -1):
        total += np.power(x, float(k)) / (k * math.factorial(k))
    return total + (np.log(x) + EULER_GAMMA)


def _expi_large(x: F64) -> F64:
    total = np.ones_like(x)
    for k in range(40, 0, -1):
        total = 1 + total * (k / x)
    half = np.exp(0.5 * np.minimum(x, 1500.0))
    return half / x * total * half


# --- the dilogarithm -----------------------------------------------------------------------------
_PI_SQUARED_OVER_6: Final = 1.6449340668482264


def spence(x: NDArray[Float] | Float) -> NDArray[Float]:
    """The dilogarithm Li2(1 - x): the integral of log(t) / (1 - t) from 1 to x (DLMF 25.12.2).

    dtype as x; NaN for x < 0. The power series for x near 1, else reflection and inversion
    (25.12.6, 25.12.3).
    """
    return pointwise(_spence, x)


def _dilogarithm(z: F64) -> F64:
    """Li2 for |z| <= 1/2."""
    total = np.zeros_like(z)
    for k in range(56, 0, -1):
        total = z * (total + 1 / (k * k))
    return total


def _reflected(x: F64) -> F64:
    logs = np.where(x == 0, 0.0, np.log(np.where(x == 0, 1.0, x)) * np.log1p(-x))
    return _PI_SQUARED_OVER_6 - logs - _dilogarithm(x)


def _inverted(x: F64) -> F64:
    small = 1 / x
    logarithm = np.log(x)
    inverse = np.where(small < 0.5, _reflected(np.minimum(small, 0.5)), 0.0)
    inverse = np.where(small >= 0.5, _dilogarithm(np.minimum((x - 1) / x, 0.5)), inverse)
    return -0.5 * logarithm * logarithm - inverse


def _spence(x: F64) -> F64:
    return piecewise(
        x,
        ((x >= 0) & (x < 0.5), _reflected),
        ((x >= 0.5) & (x <= 1.5), lambda x: _dilogarithm(1 - x)),
        (x > 1.5, _inverted),
    )


# --- others --------------------------------------------------------------------------------------
def cosm1(x: NDArray[Any]) -> NDArray[Any]:
    """cos(x) - 1 without the cancellation near 0. Any: the dtype of x, which the result keeps."""
    sine = np.sin(0.5 * x)
    return np.asarray(-2 * sine * sine)


def log_ratio(x: F64, y: F64) -> F64:
    """log(x / y) for positive numbers, also where the quotient is out of range."""
    ratio = x / y
    usable = (ratio > 1e-300) & (ratio < 1e300)
    near = np.log1p((x - y) / y)
    whole = np.where(usable, np.log(ratio), np.log(x) - np.log(y))
    return np.where(np.abs(x - y) < 0.5 * y, near, whole)


def rel_entr(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """x log(x / y) for x, y > 0; 0 for x = 0, y >= 0; infinite elsewhere, NaN for NaN.

    Any: the dtype of the operands, which the result keeps.
    """

    def kernel(x: F64, y: F64) -> F64:
        edge = np.where((x == 0) & (y >= 0), 0.0, np.inf)
        found = np.where((x > 0) & (y > 0), x * log_ratio(x, y), edge)
        return np.where(np.isnan(x) | np.isnan(y), np.nan, found)

    return jointly(kernel, x, y)


def entr(x: NDArray[Any]) -> NDArray[Any]:
    """-x log(x), 0 at 0, -inf below. Any: the dtype of x, which the result keeps."""
    return np.asarray(np.where(x == 0, x * 0, np.where(np.less(x, 0), -np.inf, -x * np.log(x))))


def kl_div(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """x log(x / y) - x + y for x, y > 0, without the cancellation near x = y; y for x = 0, y >= 0.

    Infinite elsewhere, NaN for NaN. Any: the dtype of the operands, which the result keeps.
    """

    def kernel(x: F64, y: F64) -> F64:
        ratio = (y - x) / x
        near = -x * log1p_minus(ratio)
        far = x * log_ratio(x, y) - x + y
        inside = np.where(np.abs(ratio) < 0.5, near, far)
        edge = np.where((x == 0) & (y >= 0), y, np.inf)
        found = np.where((x > 0) & (y > 0), inside, edge)
        return np.where(np.isnan(x) | np.isnan(y), np.nan, found)

    return jointly(kernel, x, y)
