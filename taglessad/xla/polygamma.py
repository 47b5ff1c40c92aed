"""Derivatives of the gamma function's logarithm on XLA, and their differences."""

import math
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from taglessad.kernels.gamma_function import BERNOULLI
from taglessad.xla.entries import Kernel, entry_by_entry, log1p, two_sum
from taglessad.xla.gamma import digamma


def polygamma(x: Any, n: int) -> Any:
    """JAX's own holds for positive numbers; the others by reflection (NIST DLMF 5.15.6)."""
    if n == 0:
        return digamma(x)
    negative = x <= 0
    y = special.polygamma(n, jnp.where(negative, 1 - x, jnp.where(x == np.inf, 1, x)))
    y = jnp.where(x == np.inf, 0, y)
    distance = x - jnp.round(x)
    cotangent = 1 / jnp.tan(np.pi * distance)
    first, *others = reversed(_derivative_of_cotangent(n))
    terms = jnp.full_like(cotangent, first)
    for coefficient in others:
        terms = terms * cotangent + coefficient
    turned = (-1) ** n * y - np.pi ** (n + 1) * terms
    if n % 2 == 0:  # the sign of the pole depends on the side
        turned = jnp.where(distance == 0, jnp.nan, turned)
    return jnp.where(negative, turned, y).astype(x.dtype)


def _derivative_of_cotangent(n: int) -> list[int]:
    """The n-th derivative of cot as a polynomial in cot, whose own is -(1 + cot**2)."""
    terms = [0, 1]
    for _ in range(n):
        slope = [k * c for k, c in enumerate(terms)][1:]
        low, high = [*slope, 0, 0], [0, 0, *slope]  # slope, and cot**2 slope
        terms = [-(a + b) for a, b in zip(low, high, strict=True)]
    return terms


def polygamma_difference(a: Any, b: Any, n: int) -> Any:
    """polygamma(n, a) - polygamma(n, a + b), accurate where b is small against a."""
    a, b = jnp.broadcast_arrays(a, b)
    sound = (a > 0) & (a + b > 0)
    low = jnp.where(sound, jnp.where(b < 0, a + b, a), 1)
    found = _between(low, jnp.where(sound, lax.abs(b), 1), n)
    found = jnp.where(b < 0, -found, found)
    return jnp.where(sound, found, polygamma(a, n) - polygamma(a + b, n))


def _between(a: Any, b: Any, n: int) -> Any:
    """For a > 0, b >= 0, by recurrence up to n + 12 and the asymptotic series from there.

    All terms are differences of powers u**-p - (u + b)**-p.
    """
    start = n + 12
    short = jnp.clip(lax.ceil(start - a), 0, start)
    w = a + short
    last = n + 2 * len(BERNOULLI)
    differences = _differences(w, b, last)
    total = log1p(b / w) if n == 0 else differences[n] / n
    total = total + 0.5 * differences[n + 1]
    for j, bernoulli in enumerate(BERNOULLI, 1):
        rising = math.factorial(n + 2 * j - 1) / math.factorial(n)
        total = total + bernoulli * rising / math.factorial(2 * j) * differences[n + 2 * j]
    lost = jnp.zeros_like(total)  # what the sums are rounded by
    for k in reversed(range(start)):
        term = _differences(a + k, b, n + 1)[n + 1]
        total, rest = two_sum(total, jnp.where(short > k, term, 0))
        lost = lost + rest
    return (-1) ** (n + 1) * math.factorial(n) * (total + lost)


def _differences(u: Any, b: Any, last: int) -> list[Any]:
    """u**-p - (u + b)**-p for p from 0 to the last, for u > 0 and b >= 0: sums of positive terms."""
    first, second = 1 / u, 1 / (u + b)
    share = jnp.where(b == np.inf, 1, b / (u + b))
    found, total, power = [jnp.zeros_like(u)], jnp.ones_like(u), jnp.ones_like(u)
    for _ in range(last):
        found.append(share * first * total)
        power = power * second
        total = total * first + power
    return found


KERNELS: Final[dict[str, Kernel]] = {
    "polygamma": entry_by_entry(polygamma, 1),
    "polygamma_difference": entry_by_entry(polygamma_difference, 2),
}
