"""NumPy kernels for padding, scattering and ordering."""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.errors import IndexOutOfRange

Array = NDArray[Any]  # Any: the dtype is data


def pad(x: Array, before: tuple[int, ...], after: tuple[int, ...], gaps: tuple[int, ...]) -> Array:
    """x among zeros, `gaps` of them between neighbours."""
    shape = np.shape(x)
    spread = [n + (n - 1) * g if n else 0 for n, g in zip(shape, gaps, strict=True)]
    sizes = [a + n + b for a, n, b in zip(before, spread, after, strict=True)]
    y = np.zeros(sizes, np.asarray(x).dtype)
    where = zip(before, spread, gaps, strict=True)
    y[tuple(slice(a, a + n, g + 1) for a, n, g in where)] = x
    return y


def place_diagonal(x: Array, offset: int, rows: int, columns: int) -> Array:
    """The last axis on a diagonal of zeros."""
    y = np.zeros((*x.shape[:-1], rows, columns), x.dtype)
    i = np.arange(x.shape[-1], dtype=np.intp)
    y[..., i + max(-offset, 0), i + max(offset, 0)] = x
    return y


def _check(index: Array, x: Array, axis: int) -> None:
    """Refuse an index out of range. NumPy would count negative ones from the back."""
    n = x.shape[axis]
    # As unsigned numbers the negative ones are the largest: one pass finds either.
    if index.size and int(np.maximum.reduce(index.view(np.uint64), axis=None)) >= n:
        bad = index[(index < 0) | (index >= n)].flat[0]
        raise IndexOutOfRange(
            f"index {bad}, counted from the front, is out of range for axis {axis} of shape "
            f"{list(x.shape)}"
        )


def take(x: Array, index: Array, axis: int) -> Array:
    """Slices of x along an axis. Raises IndexOutOfRange."""
    index = np.asarray(index)
    if index.ndim == 0:
        i = int(index)
        if 0 <= i < x.shape[axis]:
            return x[(slice(None),) * axis + (i,)]
    _check(index, x, axis)
    return np.take(x, index, axis, mode="clip")  # "raise" would check again, through a buffer


def take_along(x: Array, index: Array, axis: int) -> Array:
    """Entries of x along an axis, one for each entry of the index. Raises IndexOutOfRange."""
    _check(index, x, axis)
    y: Array = x[_along(index, axis)]
    return y


def _along(index: Array, axis: int) -> tuple[Array, ...]:
    grids = np.ogrid[tuple(map(slice, index.shape))]
    return tuple(index if i == axis else g for i, g in enumerate(grids))


def _places(x: Array, index: Array, axis: int) -> Array:
    """Where in the flattened x the entries stand that updates at an index meet, in their order."""
    index = np.asarray(index)
    _check(index, x, axis)
    flat = index.ravel()
    shape = x.shape
    before, n, after = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    if before == after == 1:
        return flat
    rows = np.arange(before)[:, None] * n + flat
    spread: Array = rows[:, :, None] * after + np.arange(after)
    return spread.ravel()


def add_at(x: Array, index: Array, updates: Array, axis: int) -> Array:
    """x with updates added to the slices that take reads; repeated indices add up."""
    places = _places(x, index, axis)
    if x.dtype.kind == "f" and not any(x.strides) and x.size > 1 and not x.flat[0]:
        # Zeros, one number repeated: what a derivative adds into. Sums in float64, rounded once.
        sums = np.bincount(places, np.ravel(updates), x.size)
        return sums.astype(x.dtype, copy=False).reshape(x.shape)
    return _updated(np.add, x, places, updates)


def multiply_at(x: Array, index: Array, updates: Array, axis: int) -> Array:
    """x with the slices that take reads multiplied by updates, by all of a repeated index."""
    return _updated(np.multiply, x, _places(x, index, axis), updates)


def min_at(x: Array, index: Array, updates: Array, axis: int) -> Array:
    """x with the slices that take reads lowered to updates."""
    return _updated(np.minimum, x, _places(x, index, axis), updates)


def max_at(x: Array, index: Array, updates: Array, axis: int) -> Array:
    """x with the slices that take reads raised to updates."""
    return _updated(np.maximum, x, _places(x, index, axis), updates)


def _updated(function: np.ufunc, x: Array, places: Array, updates: Array) -> Array:
    # One axis and one index: the only form for which ufunc.at has a fast loop.
    y = np.array(x, order="C")
    function.at(y.reshape(-1), places, np.ravel(updates))
    return y


def set_at(x: Array, index: Array, updates: Array, axis: int) -> Array:
    """x with the slices that take reads replaced; the last update of a repeated index remains."""
    index = np.asarray(index)
    _check(index, x, axis)
    y = np.array(x, order="C")
    shape = (*x.shape[:axis], index.size, *x.shape[axis + 1 :])
    # A flat index: in several dimensions NumPy may assign in another order.
    y[(slice(None),) * axis + (index.ravel(),)] = np.reshape(updates, shape)
    return y


def add_along(x: Array, index: Array, updates: Array, axis: int) -> Array:
    """x with updates added entry by entry along an axis; repeated indices add up."""
    _check(index, x, axis)
    y = np.array(x)
    np.add.at(y, _along(index, axis), updates)
    return y


def argsort(x: Array, axis: int, descending: bool) -> Array:
    """Stable order along an axis; NaN last when ascending, and equal entries keep their order."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    # Reversed input, reversed order: equal entries keep their order, which -x cannot promise for
    # integers and NaN.
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    order: Array = x.shape[axis] - 1 - np.flip(backwards, axis)
    return order


def argtop(x: Array, axis: int, count: int) -> Array:
    """Where the largest entries along an axis stand, in the order of `argsort` descending."""
    n = x.shape[axis]
    rows = np.moveaxis(x, axis, -1)
    if _selectable(x, n, count):
        least = np.partition(rows, n - count, axis=-1)[..., n - count, None]
        if not np.isnan(least).any():
            return np.moveaxis(_selected(rows, least, count), -1, axis)
    order = np.moveaxis(argsort(x, axis, True), axis, -1)[..., :count]
    return np.moveaxis(order, -1, axis)


_FEW: Final = 4
"""One entry of so many is few of them."""

_MANY: Final = 4096
"""Entries from which it pays to select some of them before sorting."""


def _selectable(x: Array, n: int, count: int) -> bool:
    # NumPy sorts integers of 16 bits and less by their digits, which is as quick.
    return 0 < count and _FEW * count <= n and x.size >= _MANY and x.dtype.itemsize > 2


def _selected(rows: Array, least: Array, count: int) -> Array:
    """Where the `count` entries from `least` on stand in each row; of those equal to it the first."""
    larger = ~(rows <= least)  # NaN among them
    equal = rows == least
    missing = count - np.count_nonzero(larger, axis=-1, keepdims=True)
    chosen = larger | (equal & (np.cumsum(equal, axis=-1) <= missing))
    places = np.nonzero(chosen)[-1].reshape(*rows.shape[:-1], count)
    order = argsort(np.take_along_axis(rows, places, -1), -1, True)
    return np.take_along_axis(places, order, -1)


def broadcast(x: Array, shape: tuple[int, ...]) -> Array:
    """x repeated to a shape: a view when large, a copy when small.

    np.broadcast_to is written in Python and costs several small operations.
    """
    if math.prod(shape) > 4096:
        return np.broadcast_to(x, shape)
    y = np.empty(shape, np.asarray(x).dtype)
    y[...] = x
    return y
