"""Counts of integers and of numbers between edges, under NumPy's names. Counts have no derivative."""

from typing import Any, Literal, SupportsIndex

import numpy as np

from taglessad.array_api.comparison import equal, less_equal
from taglessad.array_api.creation import asarray, linspace, ones, zeros
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.joining import stack
from taglessad.array_api.logic import logical_and
from taglessad.array_api.manipulation import flip, ravel
from taglessad.array_api.operands import numbers, real, reals
from taglessad.array_api.searching import nonzero, searchsorted, where
from taglessad.array_api.statistical import max as largest
from taglessad.array_api.statistical import min as smallest
from taglessad.convert import as_handle
from taglessad.dtypes import int64, is_integer
from taglessad.errors import ArgumentError, ConcretizationError, DomainError, DTypeError, ShapeError
from taglessad.shapes import show
from taglessad.shapes.axes import integer
from taglessad.tensor import AnyTensor, IntTensor, Tensor, TensorLike, known_size
from taglessad.transforms.fences import detach


def bincount(
    x: TensorLike,
    /,
    weights: TensorLike | None = None,
    minlength: SupportsIndex = 0,
    *,
    length: SupportsIndex | None = None,
) -> AnyTensor:
    """How often each of 0, 1, 2, ... occurs in a vector of integers; or the sums of their weights.

    As many entries as the largest + 1, at least minlength; or `length` (as JAX's), which drops what
    is larger, and is needed where x is not known (else a ConcretizationError). Differentiable in
    the weights. Raises DomainError for a negative entry that is seen.
    """
    t = as_handle(x, "bincount", "x")
    if not is_integer(t.dtype):
        raise DTypeError(f"bincount: x has dtype {t.dtype}; integers are counted")
    if t.ndim != 1:
        raise ShapeError(f"bincount: x has shape {show(t.shape)}; a vector is expected")
    seen = t.ops.peek(t.payload)
    if seen is not None and (seen < 0).any():
        raise DomainError(f"bincount: x has the negative entry {seen.min()}")
    if length is not None:
        count = integer(length, "bincount", "length")
    elif seen is not None:
        count = max(int(np.max(seen, initial=-1)) + 1, integer(minlength, "bincount", "minlength"))
    else:
        raise ConcretizationError(
            f"bincount: x is a handle under {t.ops!r}, whose value is not known, so neither is the "
            "number of bins; give length"
        )
    if weights is None:
        return _added(t, ones(t.shape, int64), count)
    (w,) = numbers("bincount", (weights,), ("weights",))
    if w.shape != t.shape:
        raise ShapeError(f"bincount: x {show(t.shape)} and weights {show(w.shape)} differ in shape")
    return _added(t, w, count)


def _added(places: AnyTensor, what: Tensor, count: int) -> Tensor:
    """The sums of entries at their places; those at count and above are dropped."""
    inside = logical_and(places >= 0, places < count)
    start = zeros((count + 1,), what.dtype)
    whole = start.at[where(inside, places, count)].add(what)
    return whole[:count]  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def digitize(x: TensorLike, bins: TensorLike, /, right: bool = False) -> IntTensor:
    """How many edges are at or below each entry (with `right`: below it); bins are sorted.

    Bins in descending order are counted from the other end; that they descend must be seen.
    """
    t, edges = reals("digitize", (x, bins), ("x", "bins"))
    if edges.ndim != 1:
        raise ShapeError(f"digitize: bins have shape {show(edges.shape)}; a vector is expected")
    seen = edges.ops.peek(edges.payload)
    side: Literal["left", "right"] = "left" if right else "right"
    if seen is None or seen.size < 2 or seen[0] <= seen[-1]:
        return searchsorted(detach(edges), detach(t), side=side)
    place = searchsorted(detach(flip(edges)), detach(t), side=side)
    count: IntTensor = known_size(edges.shape[0], "digitize") - place
    return count


def histogram(
    x: TensorLike,
    /,
    bins: TensorLike = 10,
    range: tuple[float, float] | None = None,
    weights: TensorLike | None = None,
) -> tuple[AnyTensor, Tensor]:
    """How many entries are between neighbouring edges (or the sum of their weights), and the edges.

    bins: their number, of equal width from the smallest entry to the largest (or over `range`), or
    the edges themselves. Each holds its left edge, the last both. The counts are constant piece by
    piece; the sums of weights are differentiable in the weights.
    """
    t = ravel(detach(real(x, "histogram")))
    given = as_handle(bins, "histogram", "bins")
    if given.ndim == 0:
        count = integer(bins, "histogram", "bins")
        if count < 1:
            raise ArgumentError(f"histogram: bins is {count}, below 1")
        low: Tensor | float = smallest(t) if range is None else range[0]
        high: Tensor | float = largest(t) if range is None else range[1]
        flat = equal(low, high)
        first, last = where(flat, low - 0.5, low), where(flat, high + 0.5, high)
        edges = first + (last - first) * linspace(0.0, 1.0, count + 1)
        whole: Any = edges.at[count].set(last)  # Any: a Tensor as before
        edges = whole
    else:
        edges = real(bins, "histogram", "bins")
        count = known_size(edges.shape[0], "histogram") - 1
    place = searchsorted(edges, t, side="right") - 1
    top = edges[count]
    place = where(equal(t, top), count - 1, place)
    outside = logical_and(less_equal(edges[0], t), less_equal(t, top))
    bin_of: Any = astype(where(outside, place, count), int64)
    if weights is None:
        return _added(bin_of, ones(t.shape, int64), count), edges
    (w,) = numbers("histogram", (weights,), ("weights",))
    return _added(bin_of, ravel(w), count), edges


def flatnonzero(x: AnyTensor, /) -> IntTensor:
    """The positions of the entries that are not 0 in the flattened array, whose value is known."""
    return nonzero(ravel(as_handle(x, "flatnonzero", "x")))[0]


def argwhere(x: AnyTensor, /) -> IntTensor:
    """The positions of the entries that are not 0, one a row; the value of x is known."""
    found = nonzero(x)
    return stack(list(found), axis=1) if found else asarray(np.zeros((0, 0), np.int64))
