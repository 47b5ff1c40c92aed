"""The logarithm of the beta function on XLA, also of negative numbers.

In float64, whatever comes in: its terms are larger than it is. Next to its zeros it is accurate
absolutely.
"""

import math
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.xla.entries import Kernel, entry_by_entry, in_series, log1p, log1p_minus, two_sum
from taglessad.xla.gamma import digamma, gammaln, is_pole, sine_over_pi, stirling

_HALF_LOG_TWO_PI: Final = 0.5 * math.log(2 * math.pi)
_LARGE: Final = 3
"""From where on log Gamma is by Stirling's series."""


def _betaln(a: Any, b: Any) -> Any:
    a, b = jnp.minimum(a, b), jnp.maximum(a, b)
    positive = (a > 0) & (b < np.inf)
    below = (a < 0) & (a > -np.inf) & (b < np.inf)
    pole = below & (is_pole(a) | is_pole(b))
    # At a pole the limit, if there is one: that of B(1 - a - b, b) for a positive integer b.
    has = pole & (b >= 1) & (b == jnp.round(b)) & (a + b <= 0)
    first, second, factor, over = _reflected(
        jnp.where(below & ~pole, a, -0.5), jnp.where(below & ~pole, b, 0.25)
    )
    p = jnp.where(positive, a, jnp.where(pole, jnp.where(has, 1 - a - b, 1), first))
    q = jnp.where(positive, b, jnp.where(pole, jnp.where(has, b, 1), second))
    found = _of_positive(jnp.minimum(p, q), jnp.maximum(p, q))
    reflected = lax.log(lax.abs(factor)) + jnp.where(over, -found, found)
    found = jnp.where(below & ~pole, reflected, found)
    found = jnp.where((pole & ~has) | ((a == 0) & (b < np.inf)), np.inf, found)
    far = jnp.where(a > 0, -np.inf, jnp.where((a > -np.inf) & (a < 0), np.inf, np.nan))
    found = jnp.where(b == np.inf, far, found)
    return jnp.where(jnp.isnan(a) | jnp.isnan(b) | (a == -np.inf), np.nan, found)


def _reflected(a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
    """(p, q, factor, over): B(a, b) is the factor times B(p, q), or over it, for a <= b, a < 0.

    Gamma of what is negative among a, b and a + b is replaced by NIST DLMF 5.5.3.
    """
    c, rest = two_sum(a, b)
    rest_of_one = (1 - c) - rest
    both, across = b < 0, (b > 0) & (c > 0)
    in_a, in_b, in_c = sine_over_pi(a), sine_over_pi(b), sine_over_pi(c, rest)
    factor = jnp.where(both, in_c / in_a / in_b / rest_of_one, in_c / in_a)
    factor = jnp.where(across, 1 / in_a / b, factor)
    first = jnp.where(both | across, 1 - a, b)
    second = jnp.where(both, 1 - b, jnp.where(across, c, rest_of_one))
    return first, second, factor, both | across


def _of_positive(a: Any, b: Any) -> Any:
    """For 0 < a <= b, by Stirling's series for what is large."""
    c, rest = two_sum(a, b)
    ratio = a / b
    small = gammaln(a) + (gammaln(b) - gammaln(c)) - digamma(c) * rest
    large = jnp.maximum(b, _LARGE)
    series = stirling(large) - stirling(large + a)
    near = in_series(ratio)
    minus = log1p_minus(jnp.where(near, ratio, 0))  # ratio is at most 1
    minus = jnp.where(near, minus, math.log(2) - 1)
    mixed = gammaln(a) + series - (b * minus - 0.5 * log1p(ratio)) - a * lax.log(c)
    p = jnp.maximum(a, _LARGE)
    terms = 0.5 * log1p(ratio) - b * log1p(ratio) - a * log1p(b / a)
    both = series + stirling(p) + _HALF_LOG_TWO_PI - 0.5 * lax.log(a) + terms
    found = jnp.where(b < _LARGE, small, jnp.where(a < _LARGE, mixed, both))
    found = jnp.where(a == 1, 0 - lax.log(b), found)  # B(1, b) = 1 / b
    return jnp.where(b == 1, 0 - lax.log(a), found)


KERNELS: Final[dict[str, Kernel]] = {"betaln": entry_by_entry(_betaln, least=np.float64)}
