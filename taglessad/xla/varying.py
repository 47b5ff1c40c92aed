"""Values over several devices: which differ from one to the next, which are bound to be laid out."""

from collections.abc import Sequence
from typing import Any

import jax
from jax import lax

# Any: arrays and tracers, and JAX's names of axes.


def varying(x: Any) -> frozenset[Any]:
    """The axes of `jax.shard_map` along which a value may differ from device to device."""
    kind = getattr(jax.typeof(x), "manual_axis_type", None)
    return frozenset() if kind is None else frozenset(kind.varying)


def explicit(x: Any) -> list[Any]:
    """The axes of a mesh along which a value lies, where the program is to say how results lie."""
    sharding = jax.typeof(x).sharding
    kinds = dict(zip(sharding.mesh.axis_names, sharding.mesh.axis_types, strict=True))
    along = [a for part in sharding.spec for a in (part if isinstance(part, tuple) else (part,))]
    return [a for a in along if kinds.get(a) == jax.sharding.AxisType.Explicit]


def alike(xs: Sequence[Any], *like: Any) -> list[Any]:
    """Values that vary along the same axes of `jax.shard_map`: all along those of any of them."""
    axes: frozenset[Any] = frozenset().union(*map(varying, (*xs, *like)))
    if not axes:
        return list(xs)
    own = [(x, tuple(axes - varying(x))) for x in xs]
    return [lax.pcast(x, missing, to="varying") if missing else x for x, missing in own]
