"""The power transformation of Box and Cox (1964), and its inverse."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.blocks import chosen, jointly, two_product, two_sum
from taglessad.kernels.erf import F64, polynomial
from taglessad.kernels.smooth import exprel


def boxcox(x: NDArray[Any], p: NDArray[Any]) -> NDArray[Any]:
    """(x**p - 1) / p, and log(x) for p = 0; NaN for x < 0.

    Any: the dtype of the operands, which the result keeps.
    """

    def kernel(x: F64, p: F64) -> F64:
        logarithm = np.log(x)
        exponent = np.where(p == 0, 0.0, p * logarithm)  # also where the logarithm is infinite
        small = np.abs(exponent) < 0.5
        near = logarithm * exprel(np.where(small, exponent, 0.0), 0)
        far = (np.power(x, p) - 1) / np.where(p == 0, 1.0, p)
        return np.where(small, near, np.where(x < 0, np.nan, far))

    return jointly(kernel, x, p)


def inv_boxcox(y: NDArray[Any], p: NDArray[Any], k: int) -> NDArray[Any]:
    """(1 + p y)**(1 / p - k), and exp(y) for p = 0; NaN where 1 + p y < 0.

    Any: the dtype of the operands, which the result keeps. Where the exponent is large its rounding,
    and that of the base, would count as often: they are made good.
    """

    def kernel(y: F64, p: F64) -> F64:
        t = p * y
        near = (p == 0) | (np.abs(t) < _NEAR) & ~(np.abs(t * y) > 2)
        return chosen(
            t.size,
            (near, lambda i: _by_exponential(y[i], np.where(p[i] == 0, 0.0, t[i]), k)),
            (~near, lambda i: _by_power(y[i], p[i], k)),
        )

    return jointly(kernel, y, p)


_NEAR: Final = 2.0**-7
# (log(1 + t) - t) / t**2 up to there.
LOG1P_TAIL: Final = tuple((-1.0) ** (k + 1) / (k + 2) for k in range(8))


def _by_exponential(y: F64, t: F64, k: int) -> F64:
    """exp(y log(1 + t) / t - k log(1 + t)): what the exponent has beside y is small."""
    half = np.exp(0.5 * y)  # exp(y) may leave the range where the rest brings it back
    rest = np.where(t == 0, 0.0, y * t * polynomial(LOG1P_TAIL, t)) - k * np.log1p(t)
    return np.asarray(half * np.exp(rest) * half)


def _by_power(y: F64, p: F64, k: int) -> F64:
    (t, more), inverse = two_product(p, y), 1 / p
    base, left = two_sum(np.ones_like(t), t)
    product, rest = two_product(inverse, p)
    exponent, lost = two_sum(inverse, np.full_like(p, -float(k)))
    lost = lost + ((1 - product) - rest) / p
    lost = np.where(np.isfinite(lost), lost, 0.0)
    found = np.where((base < 0) | np.isnan(y), np.nan, np.power(base, exponent))
    # Where the base rounds to 1 this is all there is of the exponent.
    change = exponent * ((left + more) / base) + lost * np.log(base)
    better = found + found * np.expm1(change)
    return np.where(np.isnan(better), found, better)
