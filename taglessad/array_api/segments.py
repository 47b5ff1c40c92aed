"""Reductions of slices that belong together, as JAX's: `segment_ids` says which segment each is in.

data has shape [N, ...], segment_ids [N] or the leading axes of data, the result [num_segments, ...].
An id outside 0 .. num_segments - 1 belongs to no segment: its slice contributes nothing, neither to
the value nor to the derivative. num_segments is the largest id + 1 where it is not given, for which
the ids must be known (else a ConcretizationError). Raises DTypeError for ids that are no integers,
ShapeError for ids that do not fit.
"""

import math
from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy as np

from taglessad.array_api.creation import repeated_like
from taglessad.array_api.dtype_functions import iinfo
from taglessad.array_api.logic import logical_or
from taglessad.array_api.operands import numbers
from taglessad.array_api.searching import where
from taglessad.convert import as_handle
from taglessad.dtypes import DType, is_integer, is_real
from taglessad.errors import ArgumentError, ConcretizationError, DTypeError, ShapeError
from taglessad.shapes import show
from taglessad.shapes.axes import integer
from taglessad.tensor import AnyTensor, Tensor, TensorLike


def segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: SupportsIndex | None = None
) -> Tensor:
    """The sum of each segment; 0 of no slices."""
    return _segments("segment_sum", data, segment_ids, num_segments, lambda d: 0, _add)


def segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: SupportsIndex | None = None
) -> Tensor:
    """The product of each segment; 1 of no slices. Its derivative is right where there are zeros."""
    return _segments("segment_prod", data, segment_ids, num_segments, lambda d: 1, _multiply)


def segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: SupportsIndex | None = None
) -> Tensor:
    """The largest of each segment; of no slices -inf, or the least integer. Ties share."""
    return _segments("segment_max", data, segment_ids, num_segments, _least, _max)


def segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: SupportsIndex | None = None
) -> Tensor:
    """The smallest of each segment; of no slices inf, or the largest integer. Ties share."""
    return _segments("segment_min", data, segment_ids, num_segments, _largest, _min)


def _least(dtype: DType) -> float:
    return -math.inf if is_real(dtype) else iinfo(dtype).min


def _largest(dtype: DType) -> float:
    return math.inf if is_real(dtype) else iinfo(dtype).max


# Any: an update at an index.
def _add(place: Any, data: Tensor) -> Tensor:
    return place.add(data)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _multiply(place: Any, data: Tensor) -> Tensor:
    return place.multiply(data)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _max(place: Any, data: Tensor) -> Tensor:
    return place.max(data)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _min(place: Any, data: Tensor) -> Tensor:
    return place.min(data)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _segments(
    what: str,
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: SupportsIndex | None,
    empty: Callable[[DType], float],
    update: Callable[[Any, Tensor], Tensor],
) -> Tensor:
    (t,) = numbers(what, (data,), ("data",))
    ids = as_handle(segment_ids, what, "segment_ids")
    if not is_integer(ids.dtype):
        raise DTypeError(f"{what}: segment_ids have dtype {ids.dtype}; they must be integers")
    leading = len(ids.shape)
    if leading == 0 or t.shape[:leading] != ids.shape:
        raise ShapeError(
            f"{what}: segment_ids {show(ids.shape)} must have the shape of data {show(t.shape)}, "
            "or of its leading axes"
        )
    count = _count(what, ids, num_segments)
    # One segment more takes what belongs to none; it is then cut off.
    outside = logical_or(ids < 0, ids >= count)
    place = where(outside, count, ids)
    start = repeated_like(t, (count + 1, *t.shape[leading:]), empty(t.dtype))
    whole: Any = update(start.at[place], t)
    return whole[:count]  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _count(what: str, ids: AnyTensor, num_segments: SupportsIndex | None) -> int:
    if num_segments is not None:
        count = integer(num_segments, what, "num_segments")
        if count < 0:
            raise ArgumentError(f"{what}: num_segments is {count}, below 0")
        return count
    seen = ids.ops.peek(ids.payload)
    if seen is None:
        raise ConcretizationError(
            f"{what}: segment_ids is a handle under {ids.ops!r}, whose value is not known, so "
            "neither is the number of segments; give num_segments"
        )
    return int(np.max(seen, initial=-1)) + 1
