"""Arrays of indices as positions counted from the front, by mode.

Modes as JAX names them. None and "promise_in_bounds": an index out of range is an error where it
is seen. "clip": it is brought to the nearest end. "fill" (of a reading) and "drop" (of an update):
what is read is a fill value, what is written is left out. Negative indices count from the back
first, in every mode.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import int64
from taglessad.errors import ArgumentError, IndexOutOfRange
from taglessad.levels import default_root
from taglessad.ops import Ops
from taglessad.shapes import Extent, Shape, show
from taglessad.tensor import AnyTensor

MODES: Final = (None, "promise_in_bounds", "clip", "fill", "drop")

Places = NDArray[Any] | AnyTensor
"""Known positions, or a handle of positions not known yet."""


def is_lenient(mode: str | None) -> bool:
    """Whether the mode gives a meaning to indices out of range."""
    return mode not in (None, "promise_in_bounds")


def check_mode(mode: str | None, what: str) -> None:
    """Raises ArgumentError for a mode that there is not."""
    if mode not in MODES:
        known = ", ".join(repr(m) for m in MODES)
        raise ArgumentError(f"{what}: mode {mode!r} is not known; the modes are {known}")


def check_range(index: NDArray[Any], axis: int, shape: Shape, what: str) -> None:
    """Raises IndexOutOfRange for known indices that an axis of known size does not have."""
    n = shape[axis]
    if not isinstance(n, int) or not index.size:
        return
    if int(index.min()) < -n or int(index.max()) >= n:
        bad = next(i for i in index.flat if not -n <= i < n)
        valid = f"valid: {-n} to {n - 1}" if n else "it is empty"
        raise IndexOutOfRange(
            f"{what}: index {bad} is out of range for axis {axis} of shape {show(shape)} ({valid})"
        )


def check_clip(mode: str | None, axis: int, shape: Shape, what: str) -> None:
    """Raises IndexOutOfRange where there is nothing to clip an index to."""
    if mode == "clip" and shape[axis] == 0:
        raise IndexOutOfRange(
            f"{what}: axis {axis} of shape {show(shape)} is empty: there is nothing to clip to"
        )


def places(
    ops: Ops[Any], indices: Sequence[Places], sizes: Sequence[Extent], mode: str | None = None
) -> Any:
    """Positions on some axes of an array as positions on those axes merged into one.

    The indices broadcast. The result is a payload of `ops` (Any). Under a lenient mode other than
    "clip" an index out of range becomes the merged size.
    """
    known = all(isinstance(i, np.ndarray) for i in indices)
    # What is known is computed at once, by the same program.
    own = default_root().trusted() if known else ops
    payloads: list[Any] = []
    counted = not is_lenient(mode)  # whether all are known to count from the front
    for index in indices:
        if isinstance(index, AnyTensor):
            payload = ops.lift(index.ops, index.payload)
            payloads.append(payload if index.dtype == int64 else ops.cast(payload, int64))
            counted = False
        else:
            payloads.append(own.const(index.astype(np.int64, copy=False)))
            counted = counted and (index.size == 0 or int(index.min()) >= 0)
    extents = [n for n in sizes if isinstance(n, int)]
    if len(extents) < len(sizes):
        extents, counted = [1] * len(sizes), True  # of symbolic sizes only shapes are computed
    if not counted:
        payloads, outside = _counted(own, payloads, extents, mode, known)
        merged = _merged(own, payloads, extents)
        if outside is not None:
            merged = own.where(outside, own.scalar(math.prod(extents), merged), merged)
    else:
        merged = _merged(own, payloads, extents)
    return ops.const(np.asarray(merged)) if known else merged


def _counted(
    ops: Ops[Any], indices: Sequence[Any], sizes: Sequence[int], mode: str | None, known: bool
) -> tuple[list[Any], Any]:
    """Indices counted from the front, and which are out of range, where that is to be told."""
    counted: list[Any] = []
    outside: Any = None
    for index, n in zip(indices, sizes, strict=True):
        zero, end = ops.scalar(0, index), ops.scalar(n, index)
        at = ops.where(ops.less(index, zero), ops.add(index, end), index)
        if mode == "clip":
            at = ops.clip(at, zero, ops.scalar(n - 1, index))
        elif is_lenient(mode) or (len(sizes) > 1 and not known):
            # Merged with others, an index out of range could come to stand for another place.
            wrong = ops.logical_or(ops.less(at, zero), ops.less_equal(end, at))
            outside = wrong if outside is None else ops.logical_or(outside, wrong)
        counted.append(at)
    return counted, outside


def _merged(ops: Ops[Any], indices: Sequence[Any], sizes: Sequence[int]) -> Any:
    total = indices[0]
    for index, n in zip(indices[1:], sizes[1:], strict=True):
        total = ops.add(ops.mul(total, ops.scalar(n, index)), index)
    return total
