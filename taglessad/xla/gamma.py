"""The gamma function, its logarithm and the derivative of that on XLA, by taglessad.kernels.

Also next to their zeros, about which taglessad.kernels.gamma_zeros has the series.
"""

import math
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.kernels import gamma_zeros as zeros
from taglessad.kernels.gamma import DIGAMMA_1P, DIGAMMA_LARGE, GAMMALN_1P, STIRLING, ZERO
from taglessad.xla.entries import (
    Kernel,
    beyond,
    entry_by_entry,
    log1p_minus,
    polynomial,
    product,
    two_product,
)

_HALF_LOG_TWO_PI: Final = 0.5 * math.log(2 * math.pi)
_SQRT_TWO_PI: Final = math.sqrt(2 * math.pi)


def is_pole(x: Any) -> Any:
    """Where the gamma function has a pole."""
    return (x <= 0) & (x == jnp.round(x))


def sine_over_pi(x: Any, rest: Any = 0) -> Any:
    """sin(pi (x + rest)) / pi; the rest is below the last place of x."""
    whole = jnp.round(x)
    sine = lax.sin(np.pi * (x - whole + rest)) / np.pi
    return jnp.where(whole % 2 == 0, sine, -sine)


def stirling(x: Any) -> Any:
    """What Stirling's formula for log Gamma(x) lacks, for x >= 3."""
    inverse = 1 / x
    return inverse * polynomial(STIRLING, inverse * inverse)


def _entries(table: Any, i: Any, x: Any) -> Any:
    """The entries of a table, or its rows, at the places i, in the dtype of x."""
    return jnp.asarray(table, x.dtype)[i]


def _distance(x: Any, at: Any, i: Any) -> Any:
    """From the i-th of the numbers at, which are given in two parts."""
    head = at.high.astype(x.dtype)
    rest = (at.high - head) + at.low
    return (x - _entries(head, i, x)) - _entries(rest, i, x)


def _others(places: Any, i: Any, shift: Any, factor: Any) -> Any:
    """The series of all poles that are not next to the place."""
    rows = _entries(np.stack(places.others, -1) * factor, i, shift)
    series = jnp.zeros_like(shift)
    for n in reversed(range(rows.shape[-1])):
        series = rows[..., n] - shift * series
    return series


# --- log Gamma -----------------------------------------------------------------------------------
def gammaln_1p(z: Any) -> Any:
    """log Gamma(1 + z) for z from 0 to 2."""
    return z * (z - 1) * (polynomial(GAMMALN_1P, (z - 0.5) / (z + 3)) / (z + 3))


def gammaln(x: Any) -> Any:
    """log |Gamma(x)|."""
    size = lax.abs(x)
    small = size < 3
    near = gammaln_1p(jnp.where(small, jnp.where(size < 1, size, size - 1), 1))
    large = jnp.where(small, 3, size)
    log = lax.log(large)
    # log(x) - 1 comes first: (x - 1/2) log(x) - x would cancel.
    far = (large - 0.5) * (log - 1) + (_HALF_LOG_TWO_PI - 0.5 + stirling(large))
    base = jnp.where(small, near, far)  # for size < 1 that of 1 + size
    positive = base - jnp.where(size < 1, lax.log(size), 0)
    sine = lax.abs(sine_over_pi(x)) * jnp.maximum(size, 1)
    turned = -lax.log(sine)
    negative = turned - base
    known = (x > zeros.LOG_GAMMA_REACH) & (x < -2)
    beside = known & (lax.abs(negative) < jnp.maximum(0.75 * lax.abs(turned), 1))
    about = _gammaln_about_zero(jnp.where(beside, x, -2.5))
    found = jnp.where(x > 0, positive, jnp.where(beside, about, negative))
    return jnp.where(is_pole(x) | (size == np.inf), np.inf, found)


def _gammaln_about_zero(x: Any) -> Any:
    places, value, slope, rest = zeros.log_gamma_places()
    i = 2 * lax.floor(-x).astype(np.int32) - 4
    # The zero that is nearer, in units of the distance of each from its own pole.
    first = _distance(x, places.at, i) / _entries(places.above, i, x)
    second = _distance(x, places.at, i + 1) / _entries(places.below, i + 1, x)
    i = jnp.where(second < first, i + 1, i)
    i = jnp.where(lax.abs(x - float(places.at.high[-1])) < 0.07, value.size - 1, i)
    shift = _distance(x, places.at, i)
    above, below = _entries(places.above, i, x), _entries(places.below, i, x)
    left = -above > below
    nearer, farther = jnp.where(left, below, above), jnp.where(left, above, below)
    pole = jnp.where(left, x - lax.floor(x), x - lax.ceil(x))
    series = _others(places, i, shift, 1 / np.arange(2.0, len(places.others) + 2))
    curved = shift * shift * series - log1p_minus(shift / farther)
    ratio = shift / nearer
    small = lax.abs(ratio) < 0.5
    near = shift * _entries(slope, i, x) + (curved - log1p_minus(jnp.where(small, ratio, 0)))
    far = curved + shift * _entries(rest, i, x) - lax.log(jnp.where(small, 1, pole / nearer))
    return _entries(value, i, x) + jnp.where(small, near, far)


# --- digamma -------------------------------------------------------------------------------------
def digamma(x: Any) -> Any:
    """The derivative of log Gamma."""
    negative = x < 0
    size = lax.abs(x)
    # Of 1 + size for negative numbers and those below 1, by the recurrence.
    above = jnp.where(negative, size, x - 1)
    small = above < 2
    inside = jnp.where(small, jnp.where((x > 0) & (x < 1), x, above), 0)
    near = beyond(inside, ZERO) * (polynomial(DIGAMMA_1P, (inside - 0.5) / (inside + 2)))
    large = jnp.where(small, 3, above + 1)
    base = jnp.where(small, near / (inside + 2), lax.log(large) - log_minus_digamma(large))
    positive = jnp.where(x < 1, base - 1 / x, base)
    r = x - jnp.round(x)
    h = 0.5 - lax.abs(r)  # exact where it matters: cos(pi r) = sin(pi h), without cancellation
    reflected = base - np.pi * lax.sin(np.pi * h) / lax.sin(np.pi * r)
    beside = (x > zeros.DIGAMMA_REACH) & (lax.abs(reflected) < lax.abs(base))
    about = _digamma_about_zero(jnp.where(beside & negative, x, -0.5))
    reflected = jnp.where(beside, about, reflected)
    reflected = jnp.where(is_pole(x) | (size == np.inf), np.nan, reflected)
    found = jnp.where(negative, reflected, jnp.where(x == 0, -1 / x, positive))
    return jnp.where(x == np.inf, np.inf, found)


def log_minus_digamma(x: Any) -> Any:
    """log(x) - digamma(x) for x >= 3."""
    inverse = 1 / x
    square = inverse * inverse
    return 0.5 * inverse + square * polynomial(DIGAMMA_LARGE, square)


def _digamma_about_zero(x: Any) -> Any:
    places = zeros.digamma_zeros()
    k = lax.floor(-x)
    i = k.astype(np.int32)
    shift = _distance(x, places.at, i)
    above, below = _entries(places.above, i, x), _entries(places.below, i, x)
    poles = 1 / ((x + k) * above) + 1 / ((x + k + 1) * below)
    return shift * (poles + _others(places, i, shift, 1))


# --- Gamma: float32 has not the digits for powers of x ------------------------------------------------
def gamma(x: Any) -> Any:
    """Stirling's series from 10 on, recurrence below, reflection for negative x; in float64."""
    size = lax.abs(x)
    small = size < 10
    near = _gamma_1p(jnp.where(small, size, 1))
    large = jnp.clip(jnp.where(small, 10, size), 10, 200)
    power = large ** (0.5 * large - 0.25)
    series = _SQRT_TWO_PI * lax.exp(stirling(large))
    far = product(power, lax.exp(-large), series, power)
    # Gamma(1 + size) below 1, Gamma(size) above.
    positive = jnp.where(small, jnp.where(size < 1, near / size, near), far)
    sine = sine_over_pi(x) * jnp.maximum(size, 1)
    half = power * lax.exp(-0.5 * large)
    negative = jnp.where(
        size < 140, 1 / (sine * jnp.where(small, near, far)), 1 / half / (sine * series) / half
    )
    negative = jnp.where(is_pole(x), np.nan, negative)
    found = jnp.where(x < 0, negative, jnp.where(x > 200, np.inf, positive))
    return jnp.where(x == 0, 1 / x, found)


def _gamma_1p(x: Any) -> Any:
    """Gamma(x), or Gamma(1 + x) for x < 1, for x < 10."""
    whole = lax.floor(x)
    z = x - whole
    found = lax.exp(gammaln_1p(z))
    lost = jnp.zeros_like(x)  # by the rounding of the products; the factors are exact
    for k in range(1, 9):
        factor = jnp.where(whole > k, z + k, 1)
        found, rest = two_product(found, factor)
        lost = lost * factor + rest
    return found + lost


KERNELS: Final[dict[str, Kernel]] = {
    "gammaln": entry_by_entry(gammaln),
    "gamma": entry_by_entry(gamma, least=np.float64),
}
