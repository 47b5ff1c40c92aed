"""Inside `jax.shard_map`: which values may differ from device to device."""

from collections.abc import Sequence
from typing import Any

import jax
from jax import lax

# Any: arrays and tracers, and JAX's names of axes.


def varying(x: Any) -> frozenset[Any]:
    """The axes of `jax.shard_map` along which a value may differ from device to device."""
    kind = getattr(jax.typeof(x), "manual_axis_type", None)
    return frozenset() if kind is None else frozenset(kind.varying)


def alike(xs: Sequence[Any], *like: Any) -> list[Any]:
    """Values that vary along the same axes of `jax.shard_map`: all along those of any of them."""
    axes: frozenset[Any] = frozenset().union(*map(varying, (*xs, *like)))
    if not axes:
        return list(xs)
    own = [(x, tuple(axes - varying(x))) for x in xs]
    return [lax.pcast(x, missing, to="varying") if missing else x for x, missing in own]
