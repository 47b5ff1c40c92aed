"""NumPy kernels for padding, scattering and ordering."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # Any: the dtype is data


def pad(
    x: Array, before: tuple[int, ...], after: tuple[int, ...], gaps: tuple[int, ...]
) -> Array:
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
    i = np.arange(x.shape[-1])
    y[..., i + max(-offset, 0), i + max(offset, 0)] = x
    return y


def add_at(x: Array, index: Array, updates: Array, axis: int) -> Array:
    """x with updates added to the slices x.take(index, axis); repeated indices add up."""
    y = np.array(x)
    np.add.at(y, (slice(None),) * axis + (index,), updates)
    return y


def _along(index: Array, axis: int) -> tuple[Array, ...]:
    grids = np.ogrid[tuple(map(slice, index.shape))]
    return tuple(index if i == axis else g for i, g in enumerate(grids))


def add_along(x: Array, index: Array, updates: Array, axis: int) -> Array:
    """x with updates added entry by entry along an axis; repeated indices add up."""
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
    return x.shape[axis] - 1 - np.flip(backwards, axis)
