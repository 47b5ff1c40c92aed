"""log|Gamma| and digamma about their zeros on the negative axis, by Taylor's series there.

The terms of the reflection formulas cancel at these zeros; about each the function is the distance
from it times what does not. Both have their poles at 0, -1, -2, ..., and those of the two next to
the zero are taken by themselves, so that the series of all others (NIST DLMF 5.7.6) converges
beyond them. The zeros are found once, to 100 bits, by Newton's method.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels import double_double as wide
from taglessad.kernels import wide_gamma
from taglessad.kernels.blocks import log1p_minus
from taglessad.kernels.double_double import Pair
from taglessad.kernels.erf import F64
from taglessad.kernels.zeta import zeta

DIGAMMA_REACH: Final = -128.0
"""There is a zero of digamma in each unit interval; those above this are known."""
LOG_GAMMA_REACH: Final = -16.0
"""In each interval below -2 log|Gamma| has two zeros, 1 / k! from the integers or so."""

_STEPS: Final = 6
_TERMS: Final = 24


class Places(NamedTuple):
    """Zeros, or other places, and the poles around them. Arrays of their shape."""

    at: Pair
    above: F64  # from the pole above: negative
    below: F64  # from the pole below
    others: tuple[F64, ...]  # the sums of (at + j)**-p over all other poles -j, for p = 2, 3, ...


Function = Callable[[Pair], Pair]


def _newton(f: Function, slope: Function, at: Pair) -> Pair:
    for _ in range(_STEPS):
        at = wide.subtract(at, wide.divide(f(at), slope(at)))
    return at


def _places(at: Pair) -> Places:
    k = np.floor(-at.high)
    above, below = wide.shifted(at, k).value(), wide.shifted(at, k + 1).value()
    others = []
    for p in range(2, _TERMS + 2):
        nearer, farther = zeta(p + 0 * k, 1 - above, 0), zeta(p + 0 * k, 1 - at.high, 0)
        others.append(zeta(p + 0 * k, 1 + below, 0) + (-1.0) ** p * (nearer - farther))
    return Places(at, above, below, tuple(others))


def _distance(x: F64, places: Places, i: NDArray[np.intp]) -> F64:
    return (x - places.at.high[i]) - places.at.low[i]


# --- digamma -------------------------------------------------------------------------------------
@lru_cache
def digamma_zeros() -> Places:
    """The zeros of digamma: the k-th lies between -k - 1 and -k."""
    k = np.arange(-DIGAMMA_REACH)
    # Where pi cot(pi x) is digamma(1 - x), which is nearly a logarithm.
    at = wide.pair(np.arctan2(np.pi, np.log(k + 1)) / np.pi - k - 1)
    return _places(_newton(wide_gamma.digamma_reflected, wide_gamma.trigamma_reflected, at))


def digamma_about_zero(x: F64) -> F64:
    """digamma(x) for x next to a zero of it, DIGAMMA_REACH < x < 0."""
    places = digamma_zeros()
    k = np.floor(-x)
    i = k.astype(np.intp)
    shift = _distance(x, places, i)
    series = np.zeros_like(x)
    for n in reversed(range(_TERMS)):
        series = places.others[n][i] - shift * series
    poles = 1 / ((x + k) * places.above[i]) + 1 / ((x + k + 1) * places.below[i])
    return np.asarray(shift * (poles + series))


# --- log Gamma -----------------------------------------------------------------------------------
class LogGamma(NamedTuple):
    """The (2 k)-th and the next place are the zeros between -k - 3 and -k - 2.

    The last is where the function is lowest between the first two, which are near each other.
    """

    places: Places
    value: F64
    slope: F64
    rest: F64  # of the slope, without that of the nearer pole


@lru_cache
def log_gamma_places() -> LogGamma:
    """The zeros of log|Gamma|, and a minimum."""
    k = np.arange(2, -LOG_GAMMA_REACH)
    factorial = np.cumprod(np.arange(1.0, 1 - LOG_GAMMA_REACH))[1:]  # of 2 to 16
    at = wide.pair(np.stack([-k - 1 / factorial[:-1], -k - 1 + 1 / factorial[1:]], -1).ravel())
    at = _newton(wide_gamma.log_gamma_reflected, wide_gamma.digamma_reflected, at)
    lowest = Pair(*(part[2:3] for part in digamma_zeros().at))
    value = np.append(np.zeros_like(at.high), wide_gamma.log_gamma_reflected(lowest).value())
    at = Pair(np.append(at.high, lowest.high), np.append(at.low, lowest.low))
    slope, from_pole = wide_gamma.digamma_reflected(at), wide.shifted(at, -np.rint(at.high))
    rest = wide.add(slope, wide.divide(wide.constant(Fraction(1), slope.high), from_pole))
    return LogGamma(_places(at), value, slope.value(), rest.value())


def log_gamma_about_zero(x: F64) -> F64:
    """log|Gamma(x)| for x next to a zero of it, LOG_GAMMA_REACH < x < -2."""
    places, value, slope, rest = log_gamma_places()
    i = 2 * np.floor(-x).astype(np.intp) - 4
    # The zero that is nearer, in units of the distance of each from its own pole.
    first = _distance(x, places, i) / places.above[i]
    second = _distance(x, places, i + 1) / places.below[i + 1]
    i = np.where(second < first, i + 1, i)
    i = np.where(np.abs(x - places.at.high[-1]) < 0.07, value.size - 1, i)
    shift = _distance(x, places, i)
    above, below = places.above[i], places.below[i]
    left = -above > below
    nearer, farther = np.where(left, below, above), np.where(left, above, below)
    pole = np.where(left, x - np.floor(x), x - np.ceil(x))
    series = np.zeros_like(x)
    for n in reversed(range(_TERMS)):
        series = places.others[n][i] / (n + 2) - shift * series
    curved = shift * shift * series - log1p_minus(shift / farther)
    ratio = shift / nearer
    small = np.abs(ratio) < 0.5
    near = shift * slope[i] + (curved - log1p_minus(np.where(small, ratio, 0.0)))
    far = curved + shift * rest[i] - np.log(pole / nearer)
    return value[i] + np.where(small, near, far)
