"""Special functions on XLA, by the formulas of taglessad.kernels, entry by entry.

float32 is computed in float32 where no term leaves its range, 16 bits in float32.
"""

import math
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from taglessad.kernels.blocks import NODES, WEIGHTS
from taglessad.kernels.boxcox import LOG1P_TAIL

# Any: arrays and tracers, in dtypes that are data.
Kernel = Callable[..., Any]


def _entry_by_entry(formula: Kernel, *static: int) -> Kernel:
    """The formula in at least 32 bits; compiled as a whole, where it is called with arrays too.

    static: the places of parameters, which come after the operands.
    """

    def run(*args: Any) -> Any:
        xs = args[: static[0]] if static else args
        kept = jnp.result_type(*xs)
        wide = jnp.promote_types(kept, np.float32)
        found = formula(*[jnp.asarray(x, wide) for x in xs], *args[len(xs) :])
        return lax.convert_element_type(found, kept)

    compiled: Kernel = jax.jit(run, static_argnums=static)
    return compiled


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
    return jnp.where(lax.abs(x - y) < 0.5 * y, _log1p((x - y) / y), whole)


def _with_edges(found: Any, x: Any, y: Any, at_zero: Any) -> Any:
    edge = jnp.where((x == 0) & (y >= 0), at_zero, lax.full_like(x, np.inf))
    inside = jnp.where((x > 0) & (y > 0), found, edge)
    return jnp.where(jnp.isnan(x) | jnp.isnan(y), np.nan, inside)


def _rel_entr(x: Any, y: Any) -> Any:
    return _with_edges(x * _log_ratio(x, y), x, y, 0)


def _kl_div(x: Any, y: Any) -> Any:
    ratio = (y - x) / x
    far = x * _log_ratio(x, y) - x + y
    near = -x * _log1p_minus(ratio)
    return _with_edges(jnp.where(_in_series(ratio), near, far), x, y, y)


def _log1p(x: Any) -> Any:
    """XLA's own is wrong by 125 ulp around |x| = 0.41, in float64 on CPUs."""
    near = _in_series(x)
    small = jnp.where(near, x, 0)
    return jnp.where(near, small + _log1p_minus(small), lax.log(1 + jnp.where(near, 0, x)))


def _in_series(x: Any) -> Any:
    return (x > -0.5) & (x < 1)


def _log1p_minus(x: Any) -> Any:
    """log(1 + x) - x where it is `_in_series`: log(1 + x) is 2 atanh(z) with z = x / (2 + x)."""
    z = x / (2 + x)
    square = z * z
    series = jnp.full_like(x, 1 / 33)
    for k in range(31, 2, -2):
        series = series * square + 1 / k
    return z * (2 * square * series - x)


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
        nodes = np.concatenate([NODES / 4, 0.25 + NODES * 0.75]).astype(x.dtype)
        weights = np.concatenate([WEIGHTS / 4, WEIGHTS * 0.75]).astype(x.dtype)
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
    logarithm = lax.log1p(jnp.where(small, t, 0))
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
    logs = jnp.where(y == 0, 0, lax.log(positive) * _log1p(-positive))
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


IN_RANGE: Final = 5
"""The order of Bessel functions up to which float32 has the digits, and the range, for its factors."""


def _bessel_i(x: Any, n: int) -> Any:
    """By Poisson's integral (DLMF 10.32.2) of a periodic integrand: the trapezoidal rule."""
    if n > IN_RANGE and x.dtype != np.float64:
        return _bessel_i(x.astype(jnp.float64), n).astype(x.dtype)
    size = lax.min(lax.abs(x), lax.full_like(x, 1400))
    half = lax.exp(0.5 * size)  # in two factors: the integral is small where exp alone overflows
    mean = jnp.where(size <= 24, _mean_near(n, jnp.minimum(size, 24)), _mean_far(n, size))
    power = size**n / math.prod(range(1, 2 * n, 2))
    value = half * (mean * power) * half
    value = jnp.where(lax.abs(x) == np.inf, np.inf, value)
    return jnp.where((x < 0) & (n % 2 == 1), -value, value)


def _mean_near(n: int, x: Any) -> Any:
    """The mean over the circle of sin(t)**(2 n) exp(-x (1 - cos t))."""
    angles = (np.arange(40) + 0.5) * (np.pi / 40)
    rest = (2 * np.sin(angles / 2) ** 2).astype(x.dtype)
    weights = (np.sin(angles) ** (2 * n) / angles.size).astype(x.dtype)
    return jnp.sum(lax.exp(-x[..., None] * rest) * weights, axis=-1)


def _mean_far(n: int, x: Any) -> Any:
    """The same for x > 24, with 1 - cos t = z*z / x: nearly the integrand of a normal distribution."""
    step = 0.35
    square = ((np.arange(20) + 0.5) * step) ** 2
    weights = (np.exp(-square) * (2 * step / np.pi)).astype(x.dtype)
    s = jnp.minimum(square.astype(x.dtype) / jnp.maximum(x, 24)[..., None], 2)
    rest = 2 - s
    form = s**n * jnp.where(rest > 0, rest, 1) ** (n - 0.5) * (rest > 0)
    return jnp.sum(form * weights, axis=-1) / lax.sqrt(jnp.maximum(x, 24))


def _erfcinv(x: Any) -> Any:
    return -special.ndtri(0.5 * x) * np.asarray(np.sqrt(0.5), x.dtype)


# --- derivatives of the gamma function ------------------------------------------------------------
def _polygamma(x: Any, n: int) -> Any:
    """JAX's own holds for positive numbers; the others by reflection (NIST DLMF 5.15.6)."""
    if n == 0:
        return lax.digamma(x)
    negative = x <= 0
    y = special.polygamma(n, jnp.where(negative, 1 - x, x))
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


KERNELS: Final[dict[str, Kernel]] = {
    "entr": _entry_by_entry(_entr),
    "rel_entr": _entry_by_entry(_rel_entr),
    "kl_div": _entry_by_entry(_kl_div),
    "cosm1": _entry_by_entry(_cosm1),
    "exprel": _entry_by_entry(_exprel, 1),
    "boxcox": _entry_by_entry(_boxcox),
    "inv_boxcox": _entry_by_entry(_inv_boxcox, 2),
    "sinc": _entry_by_entry(_sinc, 1),
    "spence": _entry_by_entry(_spence),
    "bessel_i": _entry_by_entry(_bessel_i, 1),
    "erfcinv": _entry_by_entry(_erfcinv),
    "polygamma": _polygamma,
}
