"""An index read for a shape: a region, and the arrays that choose slices of it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.dims import Polynomial
from taglessad.errors import IndexOutOfRange, ShapeError
from taglessad.indexing.entries import WHAT, Entry, entries
from taglessad.indexing.gather import Gather
from taglessad.indexing.positions import Places, check_clip, check_range, is_lenient, places
from taglessad.indexing.region import Region
from taglessad.ops import Ops
from taglessad.shapes import (
    Extent,
    Shape,
    Slice,
    broadcast,
    normalize_index,
    normalize_slice,
    show,
    slice_length,
    unify,
)
from taglessad.tensor import AnyTensor


class Plan(NamedTuple):
    """axes, arrays: which axes of the region's box the arrays choose on. place: where the axes of
    the arrays stand in the result."""

    region: Region
    axes: tuple[int, ...]
    arrays: tuple[Places, ...]
    place: int

    def handles(self) -> list[AnyTensor]:
        """The arrays that are not known yet."""
        return [a for a in self.arrays if isinstance(a, AnyTensor)]

    def gather(self, ops: Ops[Any], mode: str | None = None) -> Gather | None:
        """The arrays' part of the index; None where there are no arrays."""
        if not self.arrays:
            return None
        box = self.region.box
        index = places(ops, self.arrays, [box[axis] for axis in self.axes], mode)
        return Gather(box, self.axes, self.place, index)


def plan(index: object, shape: Shape, mode: str | None = None) -> Plan:
    """An index read for a shape.

    Raises IndexOutOfRange for too many indices and for positions that are known to be out of
    range (unless the mode gives them a meaning), ShapeError for a mask of another shape and for
    arrays that do not broadcast, else as `entries`.
    """
    found = entries(index)
    free = len(shape) - sum(map(_axes_of, found))
    check_count(free, shape)
    if all(part is not Ellipsis for part in found):
        found.append(Ellipsis)
    if is_lenient(mode):
        found = [np.asarray(part) if isinstance(part, int) else part for part in found]
    reader = _Reader(shape, free, mode)
    for part in found:
        reader.add(part)
    return reader.plan()


def check_count(free: int, shape: Shape) -> None:
    """Raises IndexOutOfRange where an index leaves fewer than no axes of a shape free."""
    if free < 0:
        raise IndexOutOfRange(
            f"{WHAT}: {len(shape) - free} indices for the {len(shape)} axes of shape {show(shape)}"
        )


def check_mask(mask: Shape, axis: int, shape: Shape) -> None:
    """Raises ShapeError where the axes that a mask covers, from `axis` on, are not its own."""
    covered = shape[axis : axis + len(mask)]
    try:
        unify(mask, covered, what=WHAT)
    except ShapeError:
        raise ShapeError(
            f"{WHAT}: a mask of shape {show(mask)} on axes of shape {show(covered)} "
            f"(from axis {axis} of {show(shape)})"
        ) from None


def _axes_of(part: Entry) -> int:
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == np.bool_ else 1


class _Reader:
    """An index read part by part."""

    def __init__(self, shape: Shape, free: int, mode: str | None) -> None:
        self._shape = shape
        self._free = free
        self._mode = mode
        self._parts: list[Slice] = []
        self._box: list[Extent] = []
        self._axes: list[int] = []
        self._arrays: list[Places] = []
        # Where positions and arrays begin in the result, and how many runs of them there are.
        self._place = 0
        self._runs = 0
        self._running = False

    def add(self, part: Entry) -> None:
        chooses = isinstance(part, (int, Polynomial, np.ndarray, AnyTensor))
        if chooses and not self._running:
            self._runs += 1
            if self._runs == 1:
                self._place = len(self._box)
        self._running = chooses
        if part is None:
            self._box.append(1)
        elif part is Ellipsis:
            for _ in range(self._free):
                self._whole_axis()
        elif isinstance(part, slice):
            n = self._shape[len(self._parts)]
            found = normalize_slice(part, n)
            self._parts.append(found)
            self._box.append(slice_length(found.start, found.stop, found.step, n))
        elif isinstance(part, (int, Polynomial)):
            i = normalize_index(part, len(self._parts), self._shape)
            self._parts.append(Slice(i, i + 1, 1, False))
        elif isinstance(part, np.ndarray) and part.dtype == np.bool_:
            self._mask(part)
        else:
            assert isinstance(part, (np.ndarray, AnyTensor))
            self._array(part)

    def _whole_axis(self) -> None:
        n = self._shape[len(self._parts)]
        self._parts.append(Slice(0, n, 1, False))
        self._box.append(n)

    def _array(self, part: Places) -> None:
        axis = len(self._parts)
        if isinstance(part, np.ndarray):
            if not is_lenient(self._mode):
                check_range(part, axis, self._shape, WHAT)
            check_clip(self._mode, axis, self._shape, WHAT)
        self._axes.append(len(self._box))
        self._arrays.append(part)
        self._whole_axis()

    def _mask(self, mask: NDArray[np.bool_]) -> None:
        if mask.ndim == 0:  # chooses all or nothing, on a new axis
            self._axes.append(len(self._box))
            self._arrays.append(np.zeros(int(mask), np.int64))
            self._box.append(1)
            return
        axis = len(self._parts)
        check_mask(mask.shape, axis, self._shape)
        for part in np.nonzero(mask):
            self._array(part)

    def plan(self) -> Plan:
        arrays = self._arrays
        if len(arrays) > 1:
            broadcast(*(a.shape for a in arrays), what=WHAT)
        region = Region(self._shape, tuple(self._parts), tuple(self._box))
        place = self._place if self._runs == 1 else 0
        return Plan(region, tuple(self._axes), tuple(arrays), place)
