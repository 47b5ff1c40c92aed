"""Order along an axis on XLA: on a CPU by sorting whole numbers that hold a key and a place.

XLA sorts one array several times quicker than an array beside its places, on a CPU. So the entries
become unsigned keys in the same order, zeros and NaNs alike, and each shares a word with its place,
which also settles ties.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.xla.varying import alike

# Any: arrays and tracers, in dtypes that are data; an extent may be a symbol of jax.export.
UNSIGNED: Final[dict[int, Any]] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
HALF: Final = np.uint64(32)
PLACE: Final = np.uint64(2**32 - 1)
"""The half of a word that is a place: no axis is longer than that."""

FEW: Final = 16
"""One entry of so many: of those as few are found without a whole sort, in less time."""


# --- keys ----------------------------------------------------------------------------------------
def _alike(x: Any) -> Any:
    """The bits of floats, all NaNs as one and both zeros as one."""
    word, sign = _word(x)
    bits = lax.bitcast_convert_type(x, word)
    infinite = np.asarray(np.inf).astype(x.dtype).view(word)
    size = bits & ~sign
    return jnp.where(size > infinite, infinite + word(1), jnp.where(size == 0, word(0), bits))


def _word(x: Any) -> tuple[Any, Any]:
    word = UNSIGNED[x.dtype.itemsize]
    return word, word(1 << (8 * x.dtype.itemsize - 1))


def _keys(x: Any, descending: bool) -> Any:
    """Unsigned integers in the order of x, NaN the largest; in the reverse order if descending."""
    word, sign = _word(x)
    if x.dtype == bool:
        keys = x.astype(word)
    elif jnp.issubdtype(x.dtype, jnp.floating):
        bits = _alike(x)
        keys = jnp.where(bits >= sign, ~bits, bits | sign)
    elif jnp.issubdtype(x.dtype, jnp.signedinteger):
        keys = lax.bitcast_convert_type(x, word) ^ sign
    else:
        keys = x
    return ~keys if descending else keys


# --- argsort -------------------------------------------------------------------------------------
def _places(keys: Any, axis: int) -> Any:
    """The stable order of keys of 32 bits or less."""
    place = lax.broadcasted_iota(np.uint64, keys.shape, axis)
    words = (keys.astype(np.uint64) << HALF) | place
    return (lax.sort(words, dimension=axis, is_stable=False) & PLACE).astype(np.int64)


def _by_words(x: Any, axis: int, descending: bool) -> Any:
    keys = _keys(x, descending)
    if keys.dtype.itemsize < 8:
        return _places(keys, axis)
    # By the lower half of each key, then, which keeps that order among equals, by the upper one.
    first = _places(keys.astype(np.uint32), axis)
    upper = jnp.take_along_axis((keys >> HALF).astype(np.uint32), first, axis)
    return jnp.take_along_axis(first, _places(upper, axis), axis)


def _by_pairs(x: Any, axis: int, descending: bool) -> Any:
    if not descending:
        return jnp.argsort(x, axis=axis, stable=True)
    backwards = jnp.argsort(jnp.flip(x, axis), axis=axis, stable=True)
    return x.shape[axis] - 1 - jnp.flip(backwards, axis)


@partial(jax.jit, static_argnums=(1, 2))
def _argsort(x: Any, axis: int, descending: bool) -> Any:
    return lax.platform_dependent(
        x,
        cpu=lambda x: alike([_by_words(x, axis, descending)], x)[0],
        default=lambda x: alike([_by_pairs(x, axis, descending)], x)[0],
    )


# --- argtop --------------------------------------------------------------------------------------
@partial(jax.jit, static_argnums=(1, 2))
def _argtop(x: Any, axis: int, count: int) -> Any:
    n = x.shape[axis]

    def sliced(x: Any) -> Any:
        return lax.slice_in_dim(_argsort(x, axis, True), 0, count, axis=axis)

    if x.dtype != np.float32 or not isinstance(n, int) or FEW * count > n:
        return sliced(x)

    def selected(x: Any) -> Any:
        # XLA's own order tells zeros apart, and NaNs by their signs.
        rows = jnp.moveaxis(lax.bitcast_convert_type(_alike(x), np.float32), axis, -1)
        return jnp.moveaxis(lax.top_k(rows, count)[1].astype(np.int64), -1, axis)

    return lax.platform_dependent(
        x, cpu=lambda x: alike([selected(x)], x)[0], default=lambda x: alike([sliced(x)], x)[0]
    )


KERNELS: Final[dict[str, Callable[..., Any]]] = {"argsort": _argsort, "argtop": _argtop}
