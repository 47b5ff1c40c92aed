"""Bessel functions on XLA, by the integrals and polynomials of taglessad.kernels."""

import math
from collections.abc import Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.kernels.bessel import ANGLES, LARGE, NEAR_ZERO, STEP, STEPS
from taglessad.kernels.bessel_waves import (
    FURTHER,
    MIDDLE,
    NEAR_FIRST,
    NEAR_SECOND,
    WAVES,
    ZEROS,
)
from taglessad.xla.entries import Kernel, beyond, entry_by_entry, polynomial

IN_RANGE: Final = 5
"""The order of Bessel functions up to which float32 has the digits, and the range, for its factors."""


# --- modified: Poisson's integral (DLMF 10.32.2) of a periodic integrand, by the trapezoidal rule --
def _bessel_i(x: Any, n: int) -> Any:
    if n > IN_RANGE and x.dtype != np.float64:
        return _bessel_i(x.astype(jnp.float64), n).astype(x.dtype)
    size = lax.min(lax.abs(x), lax.full_like(x, 1400))
    half = lax.exp(0.5 * size)  # in two factors: the integral is small where exp alone overflows
    value = half * (_mean(n, 0, size) * size**n) * half
    value = jnp.where(lax.abs(x) == np.inf, np.inf, value)
    return jnp.where((x < 0) & (n % 2 == 1), -value, value)


def _bessel_i_scaled(x: Any, n: int, m: int) -> Any:
    found = _mean(n, 0, x) * x**n if m == 0 else (-1) ** m * _mean(0, m, x, n)
    if n == 1 and m in NEAR_ZERO:
        zero, reach, coefficients = NEAR_ZERO[m]
        shift = beyond(x, zero)
        near = lax.abs(shift) < reach
        found = jnp.where(near, shift * polynomial(coefficients, jnp.where(near, shift, 0)), found)
    return jnp.where(x >= 0, jnp.where(x == np.inf, 0, found), np.nan)


def _mean(n: int, m: int, x: Any, k: int = 0) -> Any:
    """The mean over the circle of sin(t)**(2 n) (1 - cos t)**m cos(t)**k exp(-x (1 - cos t)).

    Over (2 n - 1)!!, and for x >= 0.
    """
    near = _mean_near(n, m, jnp.clip(x, 0, LARGE), k)
    total = jnp.where(x <= LARGE, near, _mean_far(n, m, jnp.maximum(x, LARGE), k))
    return total / math.prod(range(1, 2 * n, 2))


def _mean_near(n: int, m: int, x: Any, k: int) -> Any:
    rest = 2 * np.sin(ANGLES / 2) ** 2
    weights = np.sin(ANGLES) ** (2 * n) * rest**m * np.cos(ANGLES) ** k / ANGLES.size
    decay = lax.exp(-x[..., None] * rest.astype(x.dtype))
    return jnp.sum(decay * weights.astype(x.dtype), axis=-1)


def _mean_far(n: int, m: int, x: Any, k: int) -> Any:
    """For x > 24, with 1 - cos t = z*z / x: nearly the integrand of a normal distribution."""
    square = STEPS**2
    weights = (np.exp(-square) * (2 * STEP / np.pi)).astype(x.dtype)
    s = jnp.minimum(square.astype(x.dtype) / x[..., None], 2)
    rest = 2 - s
    form = s ** (m + n) * rest**n * (1 - s) ** k * jnp.where(rest > 0, lax.rsqrt(rest), 0)
    return jnp.sum(form * weights, axis=-1) / lax.sqrt(x)


# --- of the first and second kind: float32 has not the digits for what cancels in the waves --------
def _bessel_j(x: Any, n: int) -> Any:
    size = lax.abs(x)
    found = _first_kind(n, size)
    return jnp.where((x < 0) & (n % 2 == 1), -found, found)


def _first_kind(n: int, x: Any) -> Any:
    if n > 1:
        above = x > n
        rising = _rising(n, jnp.where(above, x, n + 1))
        return jnp.where(above, rising, _falling(n, jnp.where(above, n, x)))
    near, far = _places(x)
    found = jnp.where(x < MIDDLE, _first_near(n, near), _waves(n, far)[0])
    return jnp.where(x < np.inf, found, 1 / x)  # 0, or NaN


def _places(x: Any) -> tuple[Any, Any]:
    """x where polynomials in x hold and where the waves do, else a number that does no harm."""
    return jnp.where(x < MIDDLE, x, 1), jnp.where((x >= MIDDLE) & (x < np.inf), x, MIDDLE)


def _place(x: Any) -> Any:
    return x * x / 12.5 - 1


def _first_near(n: int, x: Any) -> Any:
    factor = beyond(x, ZEROS[n]) * (x + ZEROS[n][0])
    found = factor * polynomial(NEAR_FIRST[n], _place(x))
    if n == 0:
        return jnp.where(x < 1e-3, 1 - 0.25 * x * x * (1 - 0.0625 * x * x), found)
    return x * found


def _second_near(n: int, x: Any) -> Any:
    log = lax.log(x) * _first_near(n, x)
    regular = polynomial(NEAR_SECOND[n], _place(x))
    return regular + 2 / np.pi * log if n == 0 else x * regular + 2 / np.pi * (log - 1 / x)


def _waves(n: int, x: Any) -> tuple[Any, Any]:
    """J_n and Y_n for finite x >= 5, with the cosine and sine of x - pi/4 and x - 3 pi/4 in those of x."""
    place = 2 * (MIDDLE / x) ** 2 - 1
    p, q = (polynomial(table, place) for table in WAVES[n])
    q = q / x
    cosine, sine = lax.cos(x), lax.sin(x)
    even, odd = cosine + sine, sine - cosine
    size = 1 / np.sqrt(np.pi) / lax.sqrt(x)
    if n == 0:
        return size * (p * even - q * odd), size * (p * odd + q * even)
    return size * (p * odd + q * even), size * (q * odd - p * even)


def _recurrence(orders: Sequence[int], before: Any, found: Any, x: Any) -> tuple[Any, Any]:
    """The orders on both sides of each of `orders`, in turn (DLMF 10.6.1)."""
    for k in orders:
        step = 2 * k / x * found
        before, found = found, jnp.where(lax.abs(step) == np.inf, step, step - before)
    return before, found


def _rising(n: int, x: Any) -> Any:
    return _recurrence(range(1, n), _first_kind(0, x), _first_kind(1, x), x)[1]


def _falling(n: int, x: Any) -> Any:
    """From the quotient of the orders n + 1 and n, a continued fraction (DLMF 10.10.1)."""
    ratio = jnp.zeros_like(x)
    for k in range(n + FURTHER, n, -1):
        ratio = 1 / (2 * k / x - ratio)
    second, first = _recurrence(range(n, 1, -1), ratio, jnp.ones_like(x), x)
    zeroth = 2 / x * first - second  # over J_n, as the others
    in_zeroth, in_first = _first_kind(0, x), _first_kind(1, x)
    use = (lax.abs(zeroth) < np.inf) & (lax.abs(in_zeroth) > lax.abs(in_first))
    value = jnp.where(use, in_zeroth / zeroth, in_first / first)
    return jnp.where(lax.abs(first) < np.inf, value, jnp.where(jnp.isnan(x), x, 0))


def _bessel_y(x: Any, n: int) -> Any:
    zeroth, first = (_second_kind(k, x) for k in (0, 1))
    found = (zeroth, first)[n] if n < 2 else _recurrence(range(1, n), zeroth, first, x)[1]
    return jnp.where(x > 0, found, jnp.where(x == 0, -np.inf, np.nan))


def _second_kind(n: int, x: Any) -> Any:
    near, far = _places(x)
    found = jnp.where(x < MIDDLE, _second_near(n, near), _waves(n, far)[1])
    return jnp.where(x < np.inf, found, 1 / x)  # 0, or NaN


KERNELS: Final[dict[str, Kernel]] = {
    "bessel_i": entry_by_entry(_bessel_i, 1),
    "bessel_i_scaled": entry_by_entry(_bessel_i_scaled, 1, 2),
    "bessel_j": entry_by_entry(_bessel_j, 1, least=np.float64),
    "bessel_y": entry_by_entry(_bessel_y, 1, least=np.float64),
}
