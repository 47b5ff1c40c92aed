"""Stacking, splitting, turning and picking, under NumPy's names."""

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np

from taglessad import shapes
from taglessad.array_api.creation import asarray
from taglessad.array_api.indexing import take
from taglessad.array_api.joining import concat
from taglessad.array_api.kinds import Kind
from taglessad.array_api.manipulation import atleast_1d, atleast_2d, flip, ravel, swapaxes
from taglessad.convert import as_handle
from taglessad.errors import ArgumentError, ConcretizationError, ShapeError
from taglessad.shapes import show
from taglessad.shapes.axes import integer
from taglessad.tensor import AnyTensor, IntTensor, Tensor, TensorLike, known_size


# --- joining -------------------------------------------------------------------------------------
def hstack(arrays: Sequence[Any], /) -> Tensor:  # Any: handles or array-likes
    """Arrays side by side: along the second axis, vectors along their first."""
    parts: list[Any] = [atleast_1d(as_handle(x, "hstack", "arrays")) for x in arrays]
    return concat(parts, axis=0 if all(p.ndim == 1 for p in parts) else 1)


def vstack(arrays: Sequence[Any], /) -> Tensor:  # Any: handles or array-likes
    """Arrays on top of each other: along the first axis, vectors as rows."""
    parts: list[Any] = [as_handle(x, "vstack", "arrays") for x in arrays]
    return concat([atleast_2d(p) for p in parts], axis=0)


def column_stack(arrays: Sequence[Any], /) -> Tensor:  # Any: handles or array-likes
    """Arrays side by side as columns of a matrix."""
    parts: list[Any] = [as_handle(x, "column_stack", "arrays") for x in arrays]
    return concat([atleast_2d(p).mT if p.ndim < 2 else p for p in parts], axis=1)


# --- splitting -----------------------------------------------------------------------------------
def split(
    x: Kind, /, indices_or_sections: SupportsIndex | Sequence[int], axis: SupportsIndex = 0
) -> list[Kind]:
    """Parts along an axis: so many of one size, or cut at these positions.

    Raises ArgumentError where they are not of one size; `array_split` allows that.
    """
    t = as_handle(x, "split", "x")
    along, n = _axis("split", t, axis)
    if isinstance(indices_or_sections, SupportsIndex):
        count = integer(indices_or_sections, "split", "indices_or_sections")
        if count < 1 or n % count:
            raise ArgumentError(
                f"split: axis {along} of shape {show(t.shape)} has no {count} parts of one size"
            )
    return array_split(x, indices_or_sections, axis)


def array_split(
    x: Kind, /, indices_or_sections: SupportsIndex | Sequence[int], axis: SupportsIndex = 0
) -> list[Kind]:
    """Parts along an axis: so many, the first ones longer by one entry where need be, or cut at
    these positions."""
    t = as_handle(x, "array_split", "x")
    along, n = _axis("array_split", t, axis)
    cuts: list[int]
    if isinstance(indices_or_sections, SupportsIndex):
        count = integer(indices_or_sections, "array_split", "indices_or_sections")
        if count < 1:
            raise ArgumentError(f"array_split: {count} parts; at least one is expected")
        size, more = divmod(n, count)
        sizes = [size + 1] * more + [size] * (count - more)
        cuts = np.cumsum(sizes)[:-1].tolist()
    else:
        cuts = [integer(i, "array_split", "indices_or_sections") for i in indices_or_sections]
    bounds = [0, *cuts, n]
    before: tuple[slice, ...] = (slice(None),) * along
    found: list[Any] = [
        t[(*before, slice(a, b))] for a, b in zip(bounds[:-1], bounds[1:], strict=True)
    ]
    return found


def _axis(what: str, t: AnyTensor, axis: SupportsIndex) -> tuple[int, int]:
    along = shapes.normalize_axis(axis, t.shape, what)
    return along, known_size(t.shape[along], what)


# --- turning -------------------------------------------------------------------------------------
def rot90(x: Kind, /, k: SupportsIndex = 1, axes: tuple[int, int] = (0, 1)) -> Kind:
    """Turned by k quarter turns in the plane of two axes, from the first towards the second."""
    t: Any = as_handle(x, "rot90", "x")
    first, second = (shapes.normalize_axis(a, t.shape, "rot90") for a in axes)
    if first == second:
        raise ArgumentError(f"rot90: axes {axes} are the same")
    times = integer(k, "rot90", "k") % 4
    if times == 1:
        t = swapaxes(flip(t, axis=second), first, second)
    elif times == 2:
        t = flip(flip(t, axis=first), axis=second)
    elif times == 3:
        t = flip(swapaxes(t, first, second), axis=second)
    return t  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


# --- picking -------------------------------------------------------------------------------------
def compress(condition: TensorLike, x: Kind, /, axis: SupportsIndex | None = None) -> Kind:
    """The slices along an axis (of the flattened array by default) where the condition holds.

    How many that are must be known: a condition that depends on a traced value is a
    ConcretizationError. Raises ShapeError for a condition longer than the axis.
    """
    t: Any = as_handle(x, "compress", "x")
    c = as_handle(condition, "compress", "condition")
    seen = c.ops.peek(c.payload)
    if seen is None:
        raise ConcretizationError(
            f"compress: condition is a handle under {c.ops!r}, whose value is not known; write "
            "tad.where(condition, x, other), which keeps the shape"
        )
    if axis is None:
        t, axis = ravel(t), 0
    along, n = _axis("compress", t, axis)
    if seen.ndim != 1 or seen.shape[0] > n:
        raise ShapeError(
            f"compress: condition {show(c.shape)} must be a vector not longer than axis {along} of "
            f"{show(t.shape)}"
        )
    return take(t, asarray(np.flatnonzero(seen)), along)


# --- triangles -----------------------------------------------------------------------------------
def tri(N: int, M: int | None = None, k: int = 0, dtype: object = float) -> Tensor:
    """1 on and below the k-th diagonal of an N x M table, 0 above."""
    return asarray(np.tri(N, M, k), dtype=dtype)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[IntTensor, IntTensor]:
    """The positions on and below the k-th diagonal of an n x m table."""
    rows, columns = np.tril_indices(n, k, m)
    return asarray(rows), asarray(columns)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[IntTensor, IntTensor]:
    """The positions on and above the k-th diagonal of an n x m table."""
    rows, columns = np.triu_indices(n, k, m)
    return asarray(rows), asarray(columns)


def diag_indices(n: int, ndim: int = 2) -> tuple[IntTensor, ...]:
    """The positions on the main diagonal of an array with ndim axes of length n."""
    return (asarray(np.arange(n)),) * ndim
