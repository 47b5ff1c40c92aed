"""Incomplete gamma functions and their derivatives on XLA, as in taglessad.kernels.incomplete.

In float64, whatever comes in: a rounding error counts as often as an exponent is large.
"""

import math
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.kernels.incomplete import EARLY, LARGE
from taglessad.xla.entries import (
    Kernel,
    entry_by_entry,
    expm1_minus,
    in_series,
    log1p,
    log1p_minus,
    product,
)
from taglessad.xla.gamma import digamma, gamma, log_minus_digamma, stirling
from taglessad.xla.polygamma import polygamma
from taglessad.xla.quadrature import integral

_SQRT_TWO_PI: Final = math.sqrt(2 * math.pi)


# --- derivatives of exp(log density) ---------------------------------------------------------------
def _derivatives(m: int, c: list[Any]) -> Any:
    """The m-th derivative of exp(f) over exp(f), where c[k] is the (k + 1)-th derivative of f."""
    found: list[Any] = [1.0]
    for order in range(m):
        found.append(sum(math.comb(order, k) * c[k] * found[order - k] for k in range(order + 1)))
    return found[m]


def _polygammas(a: Any, m: int) -> list[Any]:
    return [-polygamma(a, k) for k in range(1, m)]


def _log_over_mean(a: Any, x: Any) -> Any:
    """log(x) - digamma(a), which for large a is small near x = a."""
    near = (a > 3) & (lax.abs(x - a) < 0.5 * a)
    shift = log1p(jnp.where(near, (x - a) / a, 0))
    return jnp.where(near, shift + log_minus_digamma(jnp.maximum(a, 3)), lax.log(x) - digamma(a))


# --- x**a exp(-x) / Gamma(a) -----------------------------------------------------------------------
def _kernel(a: Any, x: Any, density: bool = False) -> Any:
    """That for a > 0, x >= 0; or that over x, the density itself."""
    # Rounding counts as often as the exponent is large: near the mean the deviance is small.
    middle = (a > 10) & (lax.abs(x - a) < lax.sqrt(a))
    large = (a > 100) | middle
    first, second = jnp.where(large, 1, a), jnp.where(large, 1, x)
    by_power = _by_power(first - density, first, second)
    by_deviance = _by_deviance(jnp.where(large, a, 10), jnp.where(large, x, 10))
    return jnp.where(large, by_deviance / (x if density else 1), by_power)


def _by_power(p: Any, a: Any, x: Any) -> Any:
    """x**p exp(-x) / Gamma(a)."""
    power, half = x**p, x ** (0.5 * p) * lax.exp(-0.5 * x)
    direct = (power < 1e290) & (power > 1e-290) & (x < 600)
    tiny = a < 1e-290
    size = gamma(jnp.where(tiny, 1, a))
    whole = product(power, lax.exp(-x))
    found = jnp.where(direct, whole / size, half / size * half)
    return jnp.where(tiny, jnp.where(direct, whole, half * half) * a, found)


def _by_deviance(a: Any, x: Any) -> Any:
    """Stirling's formula with x - a taken out (Loader, Fast and accurate computation, 2000)."""
    shift = x - a
    ratio = shift / a
    near = in_series(ratio)
    series = a * log1p_minus(jnp.where(near, ratio, 0))
    deviance = jnp.where(near, series, a * lax.log(jnp.where(near, 1, x / a)) - shift)
    deviance = jnp.where(x == np.inf, -np.inf, deviance)
    return lax.sqrt(a) / _SQRT_TWO_PI * lax.exp(deviance - stirling(a))


# --- the functions ---------------------------------------------------------------------------------
def _incomplete(a: Any, x: Any, m: int, upper: bool) -> Any:
    a, x = jnp.broadcast_arrays(a, x)
    inside = (a > 0) & (x > 0) & (x < np.inf) & (a < np.inf)
    p, q = jnp.where(inside, a, 1), jnp.where(inside, x, 1)
    mean = _log_over_mean(p, q) if m else lax.log(q) - digamma(p)
    # The value may be taken from either side near the middle; for large a the logarithms are rough.
    above = mean > 0 if m else jnp.where(p > LARGE, q > p, mean > 0)
    turn = jnp.where(above, 1, -1).astype(q.dtype)[..., None]
    one, other, slope = p[..., None], q[..., None], (p - q)[..., None] * turn

    # With t = v above and -v below it is exp(a t - x (exp(t) - 1)): its integral over v > 0.
    def exponent(v: Any) -> Any:
        return slope * v - other * expm1_minus(turn * v)

    def rough(v: Any) -> Any:
        late = one * (turn * v) - other * lax.expm1(turn * v)
        return jnp.where(v < EARLY, slope * v - 0.5 * other * v * v, late)

    higher = [c[..., None] for c in _polygammas(p, m)]

    def weight(v: Any) -> Any:
        return _derivatives(m, [mean[..., None] + turn * v, *higher])

    found = integral(q, exponent, rough, weight if m else None) * _kernel(p, q)
    if m:
        found = jnp.where(above, -found, found)
    else:
        found = jnp.where(above == upper, found, 1 - found)
    at_zero, at_inf = (0.0, 0.0) if m else (1.0, 0.0) if upper else (0.0, 1.0)
    edge = jnp.where((a == 0) & (x > 0), np.nan if m else at_inf, np.nan)
    edge = jnp.where((a > 0) & (x == np.inf), at_inf, edge)
    edge = jnp.where((a > 0) & (x == 0), at_zero, edge)
    return jnp.where(inside, found, edge)


def _density(a: Any, x: Any, m: int) -> Any:
    a, x = jnp.broadcast_arrays(a, x)
    weight = _derivatives(m, [_log_over_mean(a, x), *_polygammas(a, m)]) if m else 1
    return jnp.where((a > 0) & (x >= 0), _kernel(a, x, density=True) * weight, np.nan)


KERNELS: Final[dict[str, Kernel]] = {
    "gammainc": entry_by_entry(lambda a, x, m: _incomplete(a, x, m, False), 2, least=np.float64),
    "gammaincc": entry_by_entry(lambda a, x: _incomplete(a, x, 0, True), least=np.float64),
    "gamma_density": entry_by_entry(_density, 2, least=np.float64),
}
