"""Error functions and the normal distribution on XLA, by the polynomials of taglessad.kernels.erf.

Both sides of a choice are computed for every entry; where one does not hold it is given a number at
which it does no harm.
"""

import math
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.kernels.blocks import SPLIT_NODES, SPLIT_WEIGHTS
from taglessad.kernels.erf import CENTRE, FAR, HALFWAY, NEAR, TAIL
from taglessad.xla.entries import Kernel, entry_by_entry, exp_square, log1p, polynomial

_TWO_OVER_SQRT_PI: Final = 2 / math.sqrt(math.pi)
_SQRT_HALF: Final = math.sqrt(0.5)
_SERIES: Final = 26
"""From where on the scaled functions are by their asymptotic series."""
IN_RANGE: Final = 3
"""The order of integrals of erfc up to which float32 has the digits, and the range, for their terms."""


def exp_neg_square(x: Any) -> Any:
    """exp(-x*x); of 16 bits in float32, not in float64, which is slow on GPUs and more so on TPUs."""
    wide = x.astype(jnp.float32) if x.dtype.itemsize == 2 else x
    return lax.convert_element_type(exp_square(wide, -1), x.dtype)


def _near(x: Any) -> Any:
    """erf(x) for |x| < HALFWAY."""
    return x + x * polynomial(NEAR, x * x)


def _scaled(x: Any) -> Any:
    """exp(x*x) erfc(x) for x >= HALFWAY."""
    inside = jnp.clip(x, HALFWAY, _SERIES)
    by_polynomial = polynomial(FAR, (inside - 2) / (inside + 3)) / (inside + 0.5)
    return jnp.where(x < _SERIES, by_polynomial, _series(jnp.maximum(x, _SERIES), 0))


def _series(x: Any, n: int) -> Any:
    """The asymptotic series (DLMF 7.18.14), for x >= 26 + 6 n."""
    half = 0.5 / x
    ratio = half * half
    total = jnp.ones_like(x)
    for m in range(8, 0, -1):
        total = 1 - ((2 * m + n) * (2 * m + n - 1) / m) * ratio * total
    return _TWO_OVER_SQRT_PI * half ** (n + 1) * total


def _erfc(x: Any) -> Any:
    size = lax.abs(x)
    near = size < HALFWAY
    tail = exp_square(size, -1) * _scaled(size)
    return jnp.where(near, 1 - _near(jnp.where(near, x, 0)), jnp.where(x < 0, 2 - tail, tail))


def _erfcx(x: Any, n: int) -> Any:
    if n > IN_RANGE and x.dtype != np.float64:
        return _erfcx(x.astype(jnp.float64), n).astype(x.dtype)
    size = lax.abs(x)
    near = size < HALFWAY
    scaled = _scaled(size)
    growing = exp_square(jnp.where(x < HALFWAY, x, 0), 1)
    beyond = 1 - _near(jnp.where(near, x, 0))
    first = jnp.where(near, beyond * growing, jnp.where(x < 0, 2 * growing - scaled, scaled))
    if n == 0:
        return first
    before, now = jnp.full_like(x, _TWO_OVER_SQRT_PI), first
    for k in range(1, n + 1):  # for x < 0, where its terms are positive
        before, now = now, (before / 2 - x * now) / k
    far = _SERIES + 6 * n
    right = _by_quadrature(jnp.clip(x, 0, far), n)
    right = jnp.where(x < far, right, _series(jnp.maximum(x, far), n))
    return jnp.where(x < 0, now, right)


def _by_quadrature(x: Any, n: int) -> Any:
    """The integral of t**n exp(-t*t - 2 t x) up to where it does not count (DLMF 7.18.2)."""
    depth = 44.0 + 8 * n
    end = (depth / (x + lax.sqrt(x * x + depth)))[..., None]
    t = end * SPLIT_NODES.astype(x.dtype)
    weights = (SPLIT_NODES**n * SPLIT_WEIGHTS).astype(x.dtype)
    whole = jnp.sum(lax.exp(-t * (t + 2 * x[..., None])) * weights, axis=-1)
    return _TWO_OVER_SQRT_PI / math.factorial(n) * end[..., 0] ** (n + 1) * whole


def _tails(x: Any) -> tuple[Any, Any, Any]:
    """Whether x is in the middle; the part below x there; and, elsewhere, that beyond |x|, scaled."""
    y = x * _SQRT_HALF
    middle = lax.abs(y) < HALFWAY
    inside = 0.5 + 0.5 * _near(jnp.where(middle, y, 0))
    return middle, inside, 0.5 * _scaled(lax.abs(y))


def _ndtr(x: Any) -> Any:
    middle, inside, scaled = _tails(x)
    root = exp_square(0.5 * x, -1)  # its square is exp(-x*x/2)
    tail = root * scaled * root
    return jnp.where(middle, inside, jnp.where(x < 0, tail, 1 - tail))


def _log_ndtr(x: Any) -> Any:
    middle, _, scaled = _tails(x)
    left = ~middle & (x < 0)
    by_ratio = lax.log(scaled) - 0.5 * x * x
    return jnp.where(left, by_ratio, log1p(-_ndtr(jnp.where(left, 0, -x))))


def _erfinv(x: Any) -> Any:
    size = lax.abs(x)
    w = -lax.log((1 - x) * (1 + x))
    centre = size < 0.98
    inside = x * polynomial(CENTRE, jnp.where(centre, w, 1) - 1)
    s = lax.sqrt(jnp.where(centre, 9, w))
    tail = s * polynomial(TAIL, (s - 3) / (s + 4)) * lax.sign(x)
    return jnp.where(centre, inside, jnp.where(size == 1, x * np.inf, tail))


KERNELS: Final[dict[str, Kernel]] = {
    "exp_neg_square": exp_neg_square,
    "erfc": entry_by_entry(_erfc),
    "erfcx": entry_by_entry(_erfcx, 1),
    "ndtr": entry_by_entry(_ndtr),
    "log_ndtr": entry_by_entry(_log_ndtr),
    "erfinv": entry_by_entry(_erfinv),
}
