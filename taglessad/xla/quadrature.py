"""Integrals of exponentials of concave exponents on XLA, as taglessad.kernels.blocks.integral."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.kernels.blocks import LEVELS, NODES, STEPS_TO_CLIFF, WEIGHTS

# Any: arrays and tracers. An exponent takes points with one more axis, the last.
Exponent = Callable[[Any], Any]


def _reaches(exponent: Exponent, like: Any) -> Any:
    """Where the exponent has fallen to each level, to 1 part in 3000; levels in the last axis."""
    levels = np.asarray(LEVELS, like.dtype)
    shape = (*like.shape, levels.size)
    low, high = jnp.zeros(shape, like.dtype), jnp.full(shape, 1e-20, like.dtype)

    def above(at: Any) -> Any:
        return exponent(at) > -levels

    def rise(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        low, high, rising = state
        low, high = jnp.where(rising, high, low), jnp.where(rising, 256 * high, high)
        return low, high, rising & above(high) & (high < 1e300)

    start = low, high, above(high)
    low, high, _ = lax.while_loop(lambda state: jnp.any(state[2]), rise, start)

    def halve(_: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        low, high = state
        middle = lax.sqrt(jnp.maximum(low, high / 65536)) * lax.sqrt(high)
        inside = above(middle)
        return jnp.where(inside, middle, low), jnp.where(inside, high, middle)

    return lax.fori_loop(0, 14, halve, (low, high))[1]


def integral(
    curvature: Any, exponent: Exponent, rough: Exponent, weight: Exponent | None = None
) -> Any:
    """The integral of weight(v) exp(exponent(v)) over v > 0, one for each entry of `curvature`.

    That is of the exponent at 0: where it is very large so is the unit of v. `rough` is the
    exponent, quicker and less exact.
    """
    unit = jnp.where(curvature > 1e30, lax.rsqrt(jnp.maximum(curvature, 1)), 1)[..., None]
    edges = _reaches(lambda v: rough(v * unit), curvature)

    def panels(first: Any, *others: Any) -> Any:
        """The sum over those between such ends."""
        ends = jnp.concatenate([first, *others], axis=-1)
        width = ends[..., 1:] - ends[..., :-1]
        at = ends[..., :-1, None] + width[..., None] * NODES
        at = at.reshape(*curvature.shape, width.shape[-1] * NODES.size) * unit
        values = lax.exp(exponent(at))
        if weight is not None:
            values = values * weight(at)
        parts = jnp.sum(values.reshape(*width.shape, NODES.size) * WEIGHTS, axis=-1)
        return jnp.sum(jnp.where(width > 0, width * parts, 0), axis=-1)

    start, cliff = jnp.zeros_like(unit), edges[..., :1]
    before = jnp.maximum(cliff - np.asarray(STEPS_TO_CLIFF), 0)
    first = lax.cond(  # most often there is no cliff far away
        jnp.any(before > 0),
        lambda: panels(start, before, cliff),
        lambda: panels(start, cliff),
    )
    return (first + panels(edges)) * unit[..., 0]
