"""Lambert's W function on XLA, by Newton's method on the equations of taglessad.kernels.lambert."""

from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.kernels.lambert import END, NEAR, STEPS, E
from taglessad.xla.entries import Kernel, beyond, entry_by_entry, log1p, polynomial, two_product

_SPLIT: Final = -0.25


def _lambertw(x: Any, k: int, shift: int) -> Any:
    beside = x < _SPLIT
    side = -1.0 if k else 1.0
    about = _about_end(jnp.where(beside, x, _SPLIT), side) + (shift - 1)
    if k:
        inside = (x >= _SPLIT) & (x < 0)
        place = jnp.where(inside, x, _SPLIT)
        log = lax.log(-place)
        further = lax.log(-log)
        found = _by_logarithm(log, log - further + further / log) + shift
        found = jnp.where(inside, found, jnp.where(x == 0, -np.inf, np.nan))
    else:
        found = _by_product(jnp.clip(x, _SPLIT, 3)) + shift
        log = lax.log(jnp.where((x >= 3) & (x < np.inf), x, 3))
        found = jnp.where(x < 3, found, _by_logarithm(log, log - lax.log(log)) + shift)
        found = jnp.where(x < np.inf, found, x)
    found = jnp.where(beside, about, found)
    # The number of the dtype that is nearest to -1/e stands for it.
    at_end = -1.0 if shift == 0 else side * 0.0
    return jnp.where(x == float(np.asarray(-END[0], x.dtype)), at_end, found)


def _about_end(x: Any, side: float) -> Any:
    """1 + W for x < -0.25, of 1 + (v - 1) exp(v) = 1 + e x."""
    gap = E * beyond(x, (-END[0], -END[1]))
    p = side * lax.sqrt(2 * gap)
    v = p * (1 + p * (-1 / 3 + p * (11 / 72)))  # DLMF 4.13.6
    for _ in range(STEPS):
        power = lax.exp(v)
        small = lax.abs(v) < 1
        short = jnp.where(small, v, 0)
        near = short * short * polynomial(NEAR, short)
        excess = jnp.where(small, near, 1 + (v - 1) * power) - gap
        v = v - excess / (v * power)
    return jnp.where(gap == 0, side * 0.0, v)


def _by_product(x: Any) -> Any:
    w = log1p(x)
    for _ in range(STEPS):
        power = lax.exp(w)
        high, low = two_product(w, power)
        w = w - ((high - x) + low) / (power * (1 + w))
    return jnp.where(x == 0, x, w)


def _by_logarithm(log: Any, w: Any) -> Any:
    """For log the logarithm of |x|."""
    for _ in range(STEPS):
        w = w - (w + lax.log(lax.abs(w)) - log) * w / (1 + w)
    return w


KERNELS: Final[dict[str, Kernel]] = {"lambertw": entry_by_entry(_lambertw, 1, 2)}
