"""Hurwitz's zeta function on XLA, by the formulas of taglessad.kernels.zeta."""

from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.kernels.zeta import EULER_MACLAURIN
from taglessad.xla.entries import Kernel, entry_by_entry


def _zeta(x: Any, q: Any, m: int) -> Any:
    """In float64: of float32 a sum q + k would be rounded, which counts x times."""
    x, q = jnp.broadcast_arrays(x, q)
    inside = (x > 1) & (q > 0) & (x < np.inf) & (q < np.inf)
    found = _sum(jnp.where(inside, x, 2), jnp.where(inside, q, 1), m)
    one = jnp.where(q == 1, 1.0 if m == 0 else 0.0, jnp.where(q < 1, np.inf, 0))
    far = jnp.where((x == np.inf) & (q > 0) & (q < np.inf), one, np.nan)
    far = jnp.where((x > 1) & (q == np.inf), 0, far)
    pole = ((x == 1) & (q >= 0)) | ((x > 1) & (q == 0))
    return jnp.where(inside, found, jnp.where(pole, np.inf if m % 2 == 0 else -np.inf, far))


def _term(u: Any, x: Any, m: int) -> Any:
    return u**-x * (-lax.log(u)) ** m if m else u**-x


def _sum(x: Any, q: Any, m: int) -> Any:
    """What is dropped is below exp(-39) of the second term, the first that a logarithm leaves."""
    short = x + 12 - q
    terms = jnp.maximum(lax.ceil(jnp.minimum(short, (q + 1) * lax.expm1(39 / x) + 2)), 1)
    rest = _rest(q + jnp.maximum(terms, lax.ceil(short)), x, m)
    total = jnp.where(terms >= short, rest, 0)

    def step(carry: Any) -> Any:
        k, total = carry
        return k - 1, total + jnp.where(terms > k, _term(q + k, x, m), 0)

    last = jnp.max(terms, initial=0) - 1
    return lax.while_loop(lambda carry: carry[0] >= 0, step, (last, total))[1]  # smallest first


def _rest(w: Any, x: Any, m: int) -> Any:
    """The sum over k >= 0 of the terms at w + k, for w >= x + 12."""
    log = -lax.log(w)
    powers = [log**k for k in range(m + 1)]
    # The integral from w on over w**-x, by parts: (-log)**m loses one power each time.
    whole = jnp.zeros_like(w)
    for k in range(m + 1):
        whole = (w * powers[k] - k * whole) / (x - 1)
    # A derivative of u**-x p(-log u) is u**(-x - 1) times -x p - p'.
    zero = jnp.zeros_like(w)
    p = [zero] * m + [jnp.ones_like(w)]
    series, order = zero, 0
    for j, bernoulli in enumerate(EULER_MACLAURIN, 1):
        while order < 2 * j - 1:
            above = [(k + 1) * p[k + 1] for k in range(m)] + [zero]
            p = [(-(x + order) * c - d) / w for c, d in zip(p, above, strict=True)]
            order += 1
        series = series - bernoulli * sum(c * power for c, power in zip(p, powers, strict=True))
    return w**-x * (whole + 0.5 * powers[m] + series)


KERNELS: Final[dict[str, Kernel]] = {"zeta": entry_by_entry(_zeta, 2, least=np.float64)}
