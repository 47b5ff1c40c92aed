"""Reductions, structure, indexing and contraction on XLA."""

from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer

from taglessad.kernels.threefry import GROUPS, PARITY, ROTATIONS
from taglessad.xla import fourier, order
from taglessad.xla.convolution import convolution
from taglessad.xla.elementwise import stretched

# Any: arrays and tracers, in dtypes that are data; parameters as the primitives declare them.
Kernel = Callable[..., Any]


# --- reductions -----------------------------------------------------------------------------------
FEW_ROWS: Final = 64
"""As many rows are added one after another; XLA adds more of them in blocks of 32."""

SMALL: Final = 2**16
"""Entries up to which it costs little that a product's operand is made first, not fused with it."""


def _sum(x: Any, axes: tuple[int, ...]) -> Any:
    if axes == (0,) and x.ndim == 2 and x.dtype in (np.float32, np.float64) and _small(x.shape):
        return _rows_added(x)
    # 16 bits are added in 32, by JAX, where it is not told a dtype.
    return jnp.sum(x, axis=axes, dtype=None if _is_narrow(x) else x.dtype)


def _is_narrow(x: Any) -> bool:
    return bool(jnp.issubdtype(x.dtype, jnp.floating)) and x.dtype.itemsize == 2


# A function of its own: so JAX traces the choice once for a shape, not wherever a bias is added.
@jax.jit
def _rows_added(x: Any) -> Any:
    """Few rows are added by a product with ones, where XLA's own sum costs more to call: on a CPU.

    So are the cotangents of biases.
    """

    def by_product(x: Any) -> Any:
        return _contract(np.ones(x.shape[0], x.dtype), x, "i,ij->j")

    return lax.platform_dependent(x, cpu=by_product, default=lambda x: lax.reduce_sum(x, (0,)))


def _small(shape: tuple[Any, ...]) -> bool:  # Any: an extent may be a symbol of jax.export
    rows, columns = shape
    if not (isinstance(rows, int) and isinstance(columns, int)):
        return False
    return rows <= FEW_ROWS and 0 < rows * columns <= SMALL


def _logsumexp(x: Any, axes: tuple[int, ...]) -> Any:
    if x.size == 0:
        return jnp.log(jnp.sum(jnp.exp(x), axis=axes))
    top = jnp.max(x, axis=axes, keepdims=True)
    shift = jnp.where(jnp.isfinite(top), top, jnp.zeros_like(top))
    total = jnp.log(jnp.sum(jnp.exp(x - shift), axis=axes, keepdims=True)) + shift
    return jnp.squeeze(total, axis=axes)


def _cumulative_max(x: Any, axis: int) -> Any:
    return lax.cummax(x, axis) if x.dtype != bool else lax.cummax(x.astype(int), axis) > 0


# --- structure ------------------------------------------------------------------------------------
def _outside(x: Any) -> bool:
    """Whether it is an array outside `jit`, where each operation is compiled by itself: there places
    are data, not text, so that one compilation serves them all."""
    return isinstance(x, jax.Array) and not isinstance(x, Tracer)


def _places(places: Any) -> list[Any]:
    return [np.int64(a) for a in places]


def _pad(x: Any, before: Any, after: Any, gaps: Any) -> Any:
    if _outside(x) and not any(gaps) and min((*before, *after), default=0) >= 0:
        sizes = [a + n + b for a, n, b in zip(before, x.shape, after, strict=True)]
        return lax.dynamic_update_slice(jnp.zeros(sizes, x.dtype), x, _places(before))
    zero = np.zeros((), x.dtype)
    return lax.pad(x, zero, list(zip(before, after, gaps, strict=True)))


def _slice(x: Any, start: Any, stop: Any, step: Any) -> Any:
    if _outside(x) and all(s == 1 for s in step):
        sizes = [b - a for a, b in zip(start, stop, strict=True)]
        return lax.dynamic_slice(x, _places(start), sizes)
    return lax.slice(x, start, stop, step)


def _place_diagonal(x: Any, offset: int, rows: int, columns: int) -> Any:
    """By a selection, not a scatter, which XLA fuses with nothing."""
    above = max(-offset, 0)
    below = rows - above - x.shape[-1]
    in_rows = lax.pad(x, np.zeros((), x.dtype), [(0, 0, 0)] * (x.ndim - 1) + [(above, below, 0)])
    shape = (*x.shape[:-1], rows, columns)
    row, column = (lax.broadcasted_iota(np.int32, shape, i) for i in (x.ndim - 1, x.ndim))
    there = lax.eq(lax.sub(column, row), lax.full_like(row, offset))
    wide = lax.broadcast_in_dim(in_rows, shape, tuple(range(x.ndim)))
    return lax.select(there, wide, lax.full_like(wide, 0))


# --- indexing -------------------------------------------------------------------------------------
def _at(x: Any, index: Any, axis: int) -> Any:
    if _outside(x):
        index = jnp.asarray(index)
    return jnp.asarray(x).at[(slice(None),) * axis + (index,)]


def _take(x: Any, index: Any, axis: int) -> Any:
    return _at(x, index, axis).get(mode="fill", wrap_negative_indices=False)


def _updating(name: str) -> Kernel:
    def update(x: Any, index: Any, updates: Any, axis: int) -> Any:
        method = getattr(_at(x, index, axis), name)
        return method(updates, mode="drop", wrap_negative_indices=False)

    return update


def _distinct(index: Any) -> bool:
    """Whether it is known that no index comes twice."""
    if not isinstance(index.size, int):
        return False
    return index.size < 2 or (isinstance(index, np.ndarray) and np.unique(index).size == index.size)


def _set_at(x: Any, index: Any, updates: Any, axis: int) -> Any:
    """The last update of a repeated index remains, which a scatter alone does not promise."""
    flat = index.reshape(-1)
    if _distinct(flat):
        method = _at(x, index, axis).set
        return method(updates, mode="drop", wrap_negative_indices=False, unique_indices=True)
    shape = (*x.shape[:axis], flat.size, *x.shape[axis + 1 :])
    rows = jnp.moveaxis(updates.reshape(shape), axis, 0)
    last = (
        jnp.full((x.shape[axis],), -1)
        .at[flat]
        .max(jnp.arange(flat.size), mode="drop", wrap_negative_indices=False)
    )
    chosen = jnp.moveaxis(rows[jnp.maximum(last, 0)], 0, axis)
    ones = (1,) * (x.ndim - axis - 1)
    return jnp.where((last >= 0).reshape(-1, *ones), chosen, x)


# All axes but one are batch axes, and are named as such: so a sharded one needs no communication.
def _take_along(x: Any, index: Any, axis: int) -> Any:
    rest = tuple(i for i in range(x.ndim) if i != axis)
    numbers = lax.GatherDimensionNumbers((), (axis,), (axis,), rest, rest)
    ones = (1,) * x.ndim
    return lax.gather(x, _starts(x, index, rest), numbers, ones, mode="fill")


def _add_along(x: Any, index: Any, updates: Any, axis: int) -> Any:
    rest = tuple(i for i in range(x.ndim) if i != axis)
    numbers = lax.ScatterDimensionNumbers((), (axis,), (axis,), rest, rest)
    # lax asks for one dtype; what masks count with is float32 whatever x is.
    same = lax.convert_element_type(updates, x.dtype)
    return lax.scatter_add(x, _starts(x, index, rest), same, numbers, mode="drop")


def _starts(x: Any, index: Any, rest: tuple[int, ...]) -> Any:
    assert all(index.shape[i] == x.shape[i] for i in rest)
    return lax.expand_dims(index, (index.ndim,))


# --- contraction ----------------------------------------------------------------------------------
def _contract(a: Any, b: Any, spec: str) -> Any:
    """By dot_general, in full precision: float32 stays float32 on every device."""
    operands, out = spec.split("->")
    left, right = operands.split(",")
    batch = [c for c in left if c in right and c in out]
    summed = [c for c in left if c in right and c not in out]
    rows = [c for c in left if c not in right]
    columns = [c for c in right if c not in left]
    dimensions = (
        (tuple(map(left.index, summed)), tuple(map(right.index, summed))),
        (tuple(map(left.index, batch)), tuple(map(right.index, batch))),
    )
    if a.dtype == bool:
        return _contract(a.astype(np.int32), b.astype(np.int32), spec) > 0
    y = lax.dot_general(a, b, dimensions, precision=lax.Precision.HIGHEST)
    made = [*batch, *rows, *columns]
    order = tuple(made.index(c) for c in out)
    return y if order == tuple(range(len(order))) else lax.transpose(y, order)


# --- random words ---------------------------------------------------------------------------------
def _threefry(key: Any, start: Any, shape: tuple[int, ...]) -> Any:
    lead = start.shape
    ones = (1,) * len(shape)
    place = jnp.arange(int(np.prod(shape)), dtype=jnp.uint64).reshape(shape)
    counter = start.reshape((*lead, *ones)) + place
    key0, key1 = (key[..., i].reshape((*lead, *ones)) for i in (0, 1))
    high = (counter >> np.uint64(32)).astype(jnp.uint32)
    low = counter.astype(jnp.uint32)
    schedule = (key0, key1, key0 ^ key1 ^ np.uint32(PARITY))
    high, low = high + schedule[0], low + schedule[1]
    for group in range(GROUPS):
        for distance in ROTATIONS[group % 2]:
            high = high + low
            turned = (low << np.uint32(distance)) | (low >> np.uint32(32 - distance))
            low = turned ^ high
        high = high + schedule[(group + 1) % 3]
        low = low + schedule[(group + 2) % 3] + np.uint32(group + 1)
    return (high.astype(jnp.uint64) << np.uint64(32)) | low.astype(jnp.uint64)


UNKNOWN: Final = frozenset({"multiply_at"})
"""What has a function of JAX, of which JAX's own transforms have no derivative."""

KERNELS: Final[dict[str, Kernel]] = {
    "sum": _sum,
    "prod": lambda x, axes: jnp.prod(x, axis=axes, dtype=x.dtype),
    "max": lambda x, axes: jnp.max(x, axis=axes),
    "min": lambda x, axes: jnp.min(x, axis=axes),
    "logsumexp": _logsumexp,
    "any": lambda x, axes: jnp.any(x, axis=axes),
    "all": lambda x, axes: jnp.all(x, axis=axes),
    "argmax": lambda x, axis: jnp.argmax(x, axis),
    "argmin": lambda x, axis: jnp.argmin(x, axis),
    "cumulative_sum": lambda x, axis: jnp.cumsum(x, axis, dtype=x.dtype),
    "cumulative_prod": lambda x, axis: jnp.cumprod(x, axis, dtype=x.dtype),
    "cumulative_max": _cumulative_max,
    "reshape": lambda x, shape: lax.reshape(x, shape),
    "permute": lambda x, axes: lax.transpose(x, axes),
    "broadcast": stretched,
    "slice": _slice,
    "pad": _pad,
    "concat": lambda xs, axis: lax.concatenate(xs, axis),
    "flip": lambda x, axes: lax.rev(x, axes),
    "tril": lambda x, offset: jnp.tril(x, offset),
    "triu": lambda x, offset: jnp.triu(x, offset),
    "diagonal": lambda x, offset: jnp.diagonal(x, offset, -2, -1),
    "place_diagonal": _place_diagonal,
    "take": _take,
    "add_at": _updating("add"),
    "multiply_at": _updating("multiply"),
    "max_at": _updating("max"),
    "min_at": _updating("min"),
    "set_at": _set_at,
    "take_along": _take_along,
    "add_along": _add_along,
    **order.KERNELS,
    "searchsorted": lambda *xs: jnp.searchsorted(*xs).astype(np.int64),
    "contract": _contract,
    "convolution": convolution,
    **fourier.KERNELS,
    "threefry": _threefry,
}
