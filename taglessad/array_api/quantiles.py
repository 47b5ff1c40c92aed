"""Quantiles: by interpolation between the entries in their order.

The derivative goes to the entries between which a stable sort puts the quantile, by their weights,
and to q as the slope between them. Of the NaN-free family a NaN makes the result NaN.
"""

import math
from typing import Any, Literal, TypeAlias, get_args

from taglessad import shapes
from taglessad.array_api.broadcasting import broadcast_to
from taglessad.array_api.comparison import equal
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.indexing import take_along_axis
from taglessad.array_api.logic import isfinite, isnan, logical_and, logical_not, logical_or
from taglessad.array_api.manipulation import moveaxis, permute_dims, reshape
from taglessad.array_api.operands import part, reals
from taglessad.array_api.rounding import ceil, floor
from taglessad.array_api.rounding import round as nearest
from taglessad.array_api.searching import where
from taglessad.array_api.sorting import sort
from taglessad.array_api.statistical import Axis
from taglessad.array_api.statistical import sum as total
from taglessad.dtypes import float64, int64
from taglessad.errors import ArgumentError, DomainError
from taglessad.shapes import Extent, Shape
from taglessad.tensor import Tensor, TensorLike, known_size
from taglessad.transforms.fences import detach

Method: TypeAlias = Literal["linear", "lower", "higher", "midpoint", "nearest"]


def quantile(
    x: TensorLike,
    q: TensorLike,
    /,
    axis: Axis = None,
    *,
    method: Method = "linear",
    keepdims: bool = False,
) -> Tensor:
    """The q-quantiles over axes, 0 <= q <= 1: the axes of q come first in the result.

    method: how the two entries next to the position q (N - 1) are combined, as NumPy's. Raises
    DomainError for a q that is seen to be outside [0, 1], ArgumentError for another method and for
    a quantile of no entries.
    """
    return _quantile("quantile", x, q, axis, method, keepdims, skip=False)


def percentile(
    x: TensorLike,
    q: TensorLike,
    /,
    axis: Axis = None,
    *,
    method: Method = "linear",
    keepdims: bool = False,
) -> Tensor:
    """The q-th percentiles over axes, 0 <= q <= 100; else as `quantile`."""
    (share,) = reals("percentile", (q,), ("q",))
    return _quantile("percentile", x, share / 100.0, axis, method, keepdims, skip=False)


def nanquantile(
    x: TensorLike,
    q: TensorLike,
    /,
    axis: Axis = None,
    *,
    method: Method = "linear",
    keepdims: bool = False,
) -> Tensor:
    """The q-quantiles over axes of the entries that are not NaN; else as `quantile`."""
    return _quantile("nanquantile", x, q, axis, method, keepdims, skip=True)


def nanmedian(x: TensorLike, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """The middle entry over axes of those that are not NaN, or the mean of two; NaN of none."""
    return _quantile("nanmedian", x, 0.5, axis, "linear", keepdims, skip=True)


def _quantile(
    what: str,
    x: TensorLike,
    q: TensorLike,
    axis: Axis,
    method: Method,
    keepdims: bool,
    skip: bool,
) -> Tensor:
    if method not in get_args(Method):
        raise ArgumentError(f"{what}: method {method!r} is none of {get_args(Method)}")
    t, share = reals(what, (x, q), ("x", "q"))
    seen = share.ops.peek(share.payload)
    if seen is not None and ((seen < 0) | (seen > 1)).any():
        raise DomainError(f"{what}: q is {seen.tolist()}, which is not within bounds")
    shape = t.shape
    axes = shapes.normalize_axes(axis, shape, what)
    rest = tuple(i for i in range(len(shape)) if i not in axes)
    outer = tuple(shape[i] for i in rest)
    count = shapes.size(tuple(shape[i] for i in axes))
    if known_size(count, what) == 0:
        raise ArgumentError(f"{what}: shape {shapes.show(shape)} has no entries along the axes")
    rows = sort(reshape(permute_dims(t, (*rest, *axes)), (*outer, count)))
    flat = reshape(share, (shapes.size(share.shape),))
    found = _along_rows(rows, flat, method, skip)
    kept: Shape = tuple(1 if i in axes else n for i, n in enumerate(shape))
    front: Shape = share.shape
    return reshape(moveaxis(found, -1, 0), (*front, *(kept if keepdims else outer)))


def _along_rows(rows: Tensor, q: Tensor, method: Method, skip: bool) -> Tensor:
    """Of rows in order, NaN last: shape (*outer, n) and (k,) give (*outer, k)."""
    n = _length(rows)
    present = total(astype(logical_not(isnan(rows)), float64), -1, keepdims=True)
    last: Any = where(present > 0.0, present - 1.0, 0.0) if skip else float(n - 1)
    place = q * (astype(last, rows.dtype) if skip else last)
    if method == "nearest":
        place = nearest(place)
    low = detach(ceil(place) if method == "higher" else floor(place))
    high = detach(ceil(place))
    entry = (*rows.shape[:-1], q.shape[0])
    first = take_along_axis(rows, _index(low, entry))
    second = take_along_axis(rows, _index(high, entry))
    ahead = second - first
    if method == "linear":
        share = place - low
    else:
        share = detach(place - low) * 0.0 + (0.5 if method == "midpoint" else 0.0)
    # Infinite neighbours: nothing is added where there is no gap, or no step into it.
    still = logical_and(
        logical_not(isfinite(ahead)), logical_or(equal(share, 0.0), equal(first, second))
    )
    y: Tensor = first + where(still, 0.0, share * ahead)
    if skip:
        return where(equal(present, 0.0), math.nan, y)
    spoiled = isnan(part(rows, n - 1, n, rows.ndim - 1))
    return where(spoiled, math.nan, y)


def _index(place: Tensor, shape: Shape) -> Any:  # Any: an IntTensor, as astype's type can't say
    return broadcast_to(astype(place, int64), shape)


def _length(rows: Tensor) -> int:
    n: Extent = rows.shape[-1]
    return known_size(n, "quantile")
