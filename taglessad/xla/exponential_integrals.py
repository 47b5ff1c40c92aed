"""Exponential integrals on XLA: by series for small arguments, by a continued fraction for others."""

import math
from typing import Any, Final, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.kernels.smooth import EI_NEAR, EI_ZERO, EULER_GAMMA
from taglessad.xla.entries import Kernel, beyond, entry_by_entry, polynomial, two_product


class Lengths(NamedTuple):
    """How far to go for all digits of a dtype."""

    steps: int  # of the continued fraction, from 1 on
    large: int  # from where on Ei is by its asymptotic series
    powers: int  # of the power series up to there
    unit: int  # of the argument there, a power of 2, which keeps them in range


_LENGTHS: Final = {
    np.dtype(np.float32): Lengths(24, 18, 64, 16),
    np.dtype(np.float64): Lengths(96, 40, 128, 32),
}


def expn(x: Any, n: int) -> Any:
    """E_n(x), the integral of exp(-x t) t**-n over t > 1."""
    if n == 0:
        found = lax.exp(-x) / x
    else:
        near = _near(jnp.clip(x, 0, 1), n)
        found = jnp.where(x < 1, near, _by_fraction(jnp.maximum(x, 1), n))
    at_zero = 1 / (n - 1) if n > 1 else np.inf
    found = jnp.where(x == 0, at_zero, found)
    return jnp.where(x == np.inf, 0, jnp.where(x >= 0, found, np.nan))


def _near(x: Any, n: int) -> Any:
    """For 0 <= x <= 1: DLMF 6.6.2, then 8.19.12 upwards, where less and less cancels."""
    decay = lax.exp(-x)
    terms = [-EULER_GAMMA, *(-((-1.0) ** k) / (k * math.factorial(k)) for k in range(1, 20))]
    first = polynomial(terms, x) - lax.log(jnp.where(x == 0, 1, x))

    def step(k: Any, before: Any) -> Any:
        return (decay - x * before) / k.astype(x.dtype)

    return lax.fori_loop(1, n, step, first)


def _by_fraction(x: Any, n: int) -> Any:
    """The even part of DLMF 8.19.17, from where its tail is nearly that with equal terms."""
    steps = _LENGTHS[x.dtype].steps
    first = x + (n + 2 * steps)
    below = 4 * steps * (n + steps - 1)
    rest = 0.5 * below / (first + lax.sqrt(first * first - below))
    for k in range(steps, 0, -1):
        rest = k * (n + k - 1) / (x + (n + 2 * k) - rest)
    return lax.exp(-x) / (x + n - rest)


def expi(x: Any) -> Any:
    """Ei(x), the principal value of the integral of exp(t) / t from -inf to x."""
    _, large, powers, unit = _LENGTHS[x.dtype]
    inside = jnp.clip(x, 0, large)
    total = _power_series(inside / unit, unit, powers)
    # DLMF 6.6.1; where the terms cancel by Taylor's series at the zero.
    found = total + (lax.log(jnp.where(x > 0, inside, 1)) + EULER_GAMMA)
    shift = beyond(x, EI_ZERO)
    beside = lax.abs(shift) < 0.1
    found = jnp.where(beside, shift * polynomial(EI_NEAR, jnp.where(beside, shift, 0)), found)
    # DLMF 6.12.2
    outside = jnp.maximum(x, large)
    series = jnp.ones_like(x)
    for k in range(large, 0, -1):
        series = 1 + series * (k / outside)
    half = lax.exp(0.5 * jnp.minimum(outside, 1500))
    found = jnp.where(x < large, found, half / outside * series * half)
    found = jnp.where(x < 0, -expn(lax.abs(x), 1), found)
    return jnp.where(x == 0, -np.inf, jnp.where(x == np.inf, np.inf, found))


def _power_series(x: Any, unit: int, powers: int) -> Any:
    """The sum of (unit x)**k / (k k!), of eight powers at once: fewer products are fewer roundings."""
    terms = [0.0, *(unit**k / (k * math.factorial(k)) for k in range(1, powers))]
    parts = [polynomial(terms[i : i + 8], x) for i in range(0, powers, 8)]
    high, low = x, jnp.zeros_like(x)
    for _ in range(
        3
    ):  # the eighth power in two parts: its rounding would count as often as it is used
        square, rest = two_product(high, high)
        high, low = square, rest + 2 * high * low
    total = parts[-1]
    for part in reversed(parts[:-1]):
        total = total * high + (total * low + part)
    return total


KERNELS: Final[dict[str, Kernel]] = {
    "expn": entry_by_entry(expn, 1),
    "expi": entry_by_entry(expi),
}
