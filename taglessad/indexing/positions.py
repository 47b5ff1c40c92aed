"""Arrays of indices as positions counted from the front, by mode.

Modes as JAX names them. None and "promise_in_bounds": an index out of range is an error where it
is seen. "clip": it is brought to the nearest end. "fill" (of a reading) and "drop" (of an update):
what is read is a fill value, what is written is left out. Negative indices count from the back
first, in every mode.
"""

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
    for index in indices:
        if isinstance(index, AnyTensor):
            payload = ops.lift(index.ops, index.payload)
            payloads.append(payload if index.dtype == int64 else ops.cast(payload, int64))
        else:
            payloads.append(own.const(index.astype(np.int64)))
    extents = [n for n in sizes if isinstance(n, int)]
    if len(extents) == len(sizes):
        merged = _merged(own, payloads, extents, mode, known)
    else:
        merged = payloads[0]
        for index in payloads[1:]:
            merged = own.add(merged, index)  # of symbolic sizes only shapes are computed
    return ops.const(np.asarray(merged)) if known else merged


def _merged(
    ops: Ops[Any], indices: Sequence[Any], sizes: Sequence[int], mode: str | None, known: bool
) -> Any:
    outside: Any = None
    total: Any = None
    for index, n in zip(indices, sizes, strict=True):
        zero, end = ops.scalar(0, index), ops.scalar(n, index)
        at = ops.where(ops.less(index, zero), ops.add(index, end), index)
        if mode == "clip":
            at = ops.clip(at, zero, ops.scalar(n - 1, index))
        elif is_lenient(mode) or (len(sizes) > 1 and not known):
            # Merged with others, an index out of range could come to stand for another place.
            wrong = ops.logical_or(ops.less(at, zero), ops.less_equal(end, at))
            outside = wrong if outside is None else ops.logical_or(outside, wrong)
        total = at if total is None else ops.add(ops.mul(total, end), at)
    if outside is None:
        return total
    length = 1
    for n in sizes:
        length *= n
    return ops.where(outside, ops.scalar(length, total), total)
