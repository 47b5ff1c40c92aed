"""Special functions on XLA, by the formulas of taglessad.kernels, entry by entry.

float32 is computed in float32 where no term leaves its range, 16 bits in float32.
"""

import math
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from taglessad.kernels.blocks import SPLIT_NODES, SPLIT_WEIGHTS
from taglessad.kernels.boxcox import LOG1P_TAIL
from taglessad.xla import (
    bessel,
    beta,
    error_functions,
    exponential_integrals,
    gamma,
    incomplete_gamma,
    lambert,
    polygamma,
    zeta,
)
from taglessad.xla.entries import Kernel, entry_by_entry, in_series, log1p, log1p_minus


# --- entropies -----------------------------------------------------------------------------------
def _entr(x: Any) -> Any:
    inside = -x * lax.log(jnp.where(x == 0, 1, x))
    return jnp.where(x == 0, 0, jnp.where(x < 0, -np.inf, inside))


def _log_ratio(x: Any, y: Any) -> Any:
    """log(x / y) for positive numbers, also where the quotient is out of range."""
    limits = np.finfo(x.dtype)
    ratio = x / y
    usable = (ratio > 4 * limits.tiny) & (ratio < limits.max / 4)
    whole = jnp.where(usable, lax.log(ratio), lax.log(x) - lax.log(y))
    return jnp.where(lax.abs(x - y) < 0.5 * y, log1p((x - y) / y), whole)


def _with_edges(found: Any, x: Any, y: Any, at_zero: Any) -> Any:
    edge = jnp.where((x == 0) & (y >= 0), at_zero, lax.full_like(x, np.inf))
    inside = jnp.where((x > 0) & (y > 0), found, edge)
    return jnp.where(jnp.isnan(x) | jnp.isnan(y), np.nan, inside)


def _rel_entr(x: Any, y: Any) -> Any:
    return _with_edges(x * _log_ratio(x, y), x, y, 0)


def _kl_div(x: Any, y: Any) -> Any:
    ratio = (y - x) / x
    far = x * _log_ratio(x, y) - x + y
    near = -x * log1p_minus(ratio)
    return _with_edges(jnp.where(in_series(ratio), near, far), x, y, y)


# --- quotients with a removable singularity ------------------------------------------------------
def _cosm1(x: Any) -> Any:
    sine = lax.sin(0.5 * x)
    return -2 * sine * sine


def _exprel(x: Any, m: int) -> Any:
    """The integral of s**m exp(x s) over [0, 1], over the part where the integrand counts."""
    half = lax.exp(0.5 * jnp.minimum(x, 1500))  # exp alone may overflow where x divides it
    if m == 0:
        large = lax.abs(x) > 1e-5
        direct = lax.expm1(x) / jnp.where(large, x, 1)
        direct = jnp.where(x > 50, half / jnp.where(x > 1, x, 1) * half, direct)
        found = jnp.where(large, direct, 1 + x / 2 * (1 + x / 3))
    else:
        nodes, weights = SPLIT_NODES.astype(x.dtype), SPLIT_WEIGHTS.astype(x.dtype)
        size = lax.abs(x)
        width = jnp.minimum(1, (46.0 + 6 * m) / jnp.maximum(size, 1e-3))
        decay = lax.exp(-size[..., None] * width[..., None] * nodes)
        rising = (1 - width[..., None] * nodes) ** m * decay
        above = half * (width * jnp.sum(rising * weights, axis=-1)) * half
        below = width ** (m + 1) * jnp.sum(nodes**m * decay * weights, axis=-1)
        found = jnp.where(x > 0, above, below)
    found = jnp.where(x == np.inf, np.inf, found)
    return jnp.where(x == -np.inf, 0, found)


def _boxcox(x: Any, p: Any) -> Any:
    x, p = jnp.broadcast_arrays(x, p)
    logarithm = lax.log(x)
    exponent = jnp.where(p == 0, 0, p * logarithm)  # also where the logarithm is infinite
    small = lax.abs(exponent) < 0.5
    near = logarithm * _exprel(jnp.where(small, exponent, 0), 0)
    far = (jnp.power(x, p) - 1) / jnp.where(p == 0, 1, p)
    return jnp.where(small, near, jnp.where(x < 0, np.nan, far))


def _inv_boxcox(y: Any, p: Any, k: int) -> Any:
    t = jnp.where(p == 0, 0, p * y)
    small = lax.abs(t) < 0.01
    near = small & ((t == 0) | (lax.abs(t * y) < 2))
    inside = jnp.where(near, t, 0)
    tail = y * inside * jnp.polyval(np.asarray(LOG1P_TAIL[::-1], t.dtype), inside)
    rest = jnp.where(inside == 0, 0, tail)
    exponent = 1 / jnp.where(near, 1, p) - k
    logarithm = log1p(jnp.where(small, t, 0))
    # 1 + t may round to 1 where the exponent is large.
    by_exponential = lax.exp(jnp.where(near, y + rest - k * logarithm, exponent * logarithm))
    by_power = jnp.power(1 + t, exponent)
    by_power = jnp.where((t < -1) | jnp.isnan(y), np.nan, by_power)
    return jnp.where(small, by_exponential, by_power)


def _sinc(x: Any, m: int) -> Any:
    """For large x by x f_k + k f_{k-1} = pi**(k - 1) sin(pi x + k pi / 2), else by its series."""
    whole = jnp.round(x)
    angle = np.pi * (x - whole)
    sign = jnp.where(whole % 2 == 0, 1, -1).astype(x.dtype)
    turned = (sign * lax.sin(angle), sign * lax.cos(angle))
    near = lax.abs(x) < max(1.0, m / np.pi) if m else x == 0
    outside = jnp.where(near, 1, x)
    far = turned[0] / (np.pi * outside)
    for k in range(1, m + 1):
        quarter = (-1) ** (k // 2) * np.pi ** (k - 1)
        far = (quarter * turned[k % 2] - k * far) / outside
    if m == 0:
        return jnp.where(near, 1, far)
    z = np.pi * jnp.where(near, x, 0)
    total = jnp.zeros_like(z)
    for k in reversed(range(12 + 2 * m)):  # of t**m cos(z t + m pi / 2), integrated over [0, 1]
        order = 2 * k + m % 2
        sign_of = (-1) ** (k + (m + 1) // 2)
        total = total * z * z + sign_of / (math.factorial(order) * (order + m + 1))
    series = np.pi**m * total * (z if m % 2 else 1)
    return jnp.where(near, series, far)


# --- integrals -----------------------------------------------------------------------------------
def _spence(x: Any) -> Any:
    """Li2(1 - x): the power series near 1, else reflection and inversion (DLMF 25.12.6, 25.12.3)."""
    swapped = x > 1.5
    y = jnp.where(swapped, 1 / x, x)
    near = (y >= 0.5) & (y <= 1.5)
    series = _dilogarithm(jnp.where(near, jnp.where(swapped, (x - 1) / x, 1 - x), y))
    positive = jnp.where((y > 0) & ~near, y, 0.5)
    logs = jnp.where(y == 0, 0, lax.log(positive) * log1p(-positive))
    found = jnp.where(near, series, np.pi**2 / 6 - logs - series)
    logarithm = lax.log(jnp.where(swapped, x, 1))
    found = jnp.where(swapped, -0.5 * logarithm * logarithm - found, found)
    return jnp.where(x >= 0, found, np.nan)


def _dilogarithm(z: Any) -> Any:
    """Li2 for |z| <= 1/2."""
    total = jnp.zeros_like(z)
    for k in range(56, 0, -1):
        total = z * (total + 1 / (k * k))
    return total


def _erfcinv(x: Any) -> Any:
    return -special.ndtri(0.5 * x) * np.asarray(np.sqrt(0.5), x.dtype)


KERNELS: Final[dict[str, Kernel]] = {
    **error_functions.KERNELS,
    **bessel.KERNELS,
    **beta.KERNELS,
    **gamma.KERNELS,
    **incomplete_gamma.KERNELS,
    **lambert.KERNELS,
    **polygamma.KERNELS,
    **zeta.KERNELS,
    **exponential_integrals.KERNELS,
    "entr": entry_by_entry(_entr),
    "rel_entr": entry_by_entry(_rel_entr),
    "kl_div": entry_by_entry(_kl_div),
    "cosm1": entry_by_entry(_cosm1),
    "exprel": entry_by_entry(_exprel, 1),
    "boxcox": entry_by_entry(_boxcox),
    "inv_boxcox": entry_by_entry(_inv_boxcox, 2),
    "sinc": entry_by_entry(_sinc, 1),
    "spence": entry_by_entry(_spence),
    "erfcinv": entry_by_entry(_erfcinv),
}
