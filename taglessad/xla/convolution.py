"""Convolution on XLA: by its operation, or by a loop over taps."""

import math
from functools import partial
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.shapes.convolution import convolution as shape
from taglessad.xla.varying import alike

# Any: arrays and tracers, in dtypes that are data; a window of shapes.convolution.
TOGETHER: Final = 16
"""Taps that one trip of the loop adds, in one pass over the results."""


def convolution(x: Any, kernel: Any, window: Any) -> Any:
    """[N, C, *n] and [O, C // groups, *k] to [N, O, *m]; see rules/convolution.py."""
    if x.dtype == bool:
        return convolution(x.astype(np.int32), kernel.astype(np.int32), window) > 0
    if 0 in kernel.shape[2:]:  # results of no taps, which XLA refuses
        return jnp.zeros(shape(x.shape, kernel.shape, window), x.dtype)
    if jnp.issubdtype(x.dtype, jnp.integer):
        return _of_integers(x, kernel, window)
    if x.dtype in (np.float32, np.float64) and _few_taps(x, kernel, window):
        return _of_single_channels(x, kernel, window)
    return _whole(x, kernel, window)


def _few_taps(x: Any, kernel: Any, window: Any) -> bool:
    """Whether each result is of one channel (pooling, depthwise), and there are more than taps."""
    taps: Any = math.prod(kernel.shape[2:])  # Any: an extent may be a symbol of jax.export
    results: Any = math.prod(shape(x.shape, kernel.shape, window)[2:])
    known = isinstance(taps, int) and isinstance(results, int)
    return kernel.shape[1] == 1 and known and taps <= results


@partial(jax.jit, static_argnums=2)
def _of_single_channels(x: Any, kernel: Any, window: Any) -> Any:
    """XLA's operation on CPUs takes 10 to 40 times as long as the sum over taps here."""
    by_operation, by_loop = partial(_whole, window=window), partial(by_taps, window=window)
    return lax.platform_dependent(x, kernel, cpu=by_loop, default=by_operation)


# A function of its own, so that JAX traces it once for its shapes, and outside `jit` too.
@partial(jax.jit, static_argnums=2)
def _of_integers(x: Any, kernel: Any, window: Any) -> Any:
    """XLA refuses convolutions of integers on GPUs (jax-ml/jax#7637).

    On CPUs it has them, and they are quicker than the loop where the taps are many.
    """
    by_operation, by_loop = partial(_whole, window=window), partial(by_taps, window=window)
    return lax.platform_dependent(x, kernel, cpu=by_operation, default=by_loop)


def _whole(x: Any, kernel: Any, window: Any) -> Any:
    """By XLA's operation, in full precision: float32 stays float32 on every device."""
    strides, padding, dilation, kernel_dilation, groups = window
    return lax.conv_general_dilated(
        x,
        kernel,
        strides,
        padding,
        dilation,
        kernel_dilation,
        feature_group_count=groups,
        precision=lax.Precision.HIGHEST,
    )


def by_taps(x: Any, kernel: Any, window: Any) -> Any:
    """The sum over taps of each times the entries that it meets."""
    strides, padding, dilation, kernel_dilation, groups = window
    members, outputs, *results = shape(x.shape, kernel.shape, window)
    _, channels, *taps = kernel.shape
    each = outputs // groups
    count: Any = math.prod(taps)  # Any: an extent may be a symbol of jax.export
    sides = [(*ends, e - 1) for ends, e in zip(padding, dilation, strict=True)]
    padded = lax.pad(x, np.zeros((), x.dtype), [(0, 0, 0), (0, 0, 0), *sides])
    parts = lax.reshape(padded, (members, groups, channels, *padded.shape[2:]))
    weights = lax.reshape(kernel, (groups, each, channels, count))
    reach = [(m - 1) * s + 1 if m else 0 for m, s in zip(results, strides, strict=True)]

    def add(tap: Any, total: Any) -> Any:
        # In 32 bits: JAX's transforms may come upon it where 64 are not allowed.
        at = [i.astype(np.int32) for i in jnp.unravel_index(tap, tuple(taps))]
        first = [i * d for i, d in zip(at, kernel_dilation, strict=True)]
        rows = lax.dynamic_slice(
            parts, (*[np.int32(0)] * 3, *first), (members, groups, channels, *reach)
        )
        met = lax.slice(rows, (0,) * rows.ndim, rows.shape, (1, 1, 1, *strides))
        own = lax.dynamic_index_in_dim(weights, tap.astype(np.int32), 3, keepdims=False)
        if channels == 1:
            return total + met * lax.reshape(own, (groups, each, *(1,) * len(taps)))
        return total + jnp.einsum("ngc...,goc->ngo...", met, own)

    zeros = jnp.zeros((members, groups, each, *results), x.dtype)
    (start,) = alike([zeros], x, kernel)
    together = min(count, TOGETHER) if isinstance(count, int) else None
    total = lax.fori_loop(0, count, add, start, unroll=together)
    return lax.reshape(total, (members, outputs, *results))
