"""Shapes of parts of an operand, and of an operand within padding."""

import builtins
from collections.abc import Sequence
from typing import NamedTuple, SupportsIndex, TypeAlias, cast, overload

from taglessad.dims import (
    ANY_RANK,
    UNKNOWN,
    D,
    Extent,
    Polynomial,
    Shape,
    ShapeLike,
    Star,
    Unknown,
    at_least,
)
from taglessad.errors import ArgumentError, IndexOutOfRange, ShapeError
from taglessad.shapes.axes import find_axis, integer, known_rank, only_any_rank, show

Bound: TypeAlias = SupportsIndex | Extent | None


class Slice(NamedTuple):
    """The entries start, start + step, ... before stop of an axis, in reverse order if so said.

    0 <= start <= stop <= size of the axis, step >= 1.
    """

    start: Extent
    stop: Extent
    step: int
    reverse: bool


def normalize_slice(index: builtins.slice, extent: Extent, what: str = "index") -> Slice:
    """A slice as Python means it, with positions counted from the front and a positive step.

    On an axis of symbolic size a position behind the last entry, or before the first, is taken
    not to occur where the size would depend on it (`x[1:]` has N - 1 entries) and leaves the
    size UNKNOWN where it would not (`x[:5]`). Raises ArgumentError for a step of 0 and for what
    is no integer.
    """
    step = 1 if index.step is None else integer(index.step, what, "a slice step")
    if step == 0:
        raise ArgumentError(f"{what}: a slice step must not be 0")
    start, stop = _bound(index.start, what), _bound(index.stop, what)
    if step > 0:
        first, last = _clamped(start, stop, extent)
        return Slice(first, last, step, False)
    # From the back, entry -1 - i is entry i.
    first, last = _clamped(_mirrored(start), _mirrored(stop), extent)
    count = slice_length(first, last, -step, extent)
    if count == 0:
        return Slice(0, 0, -step, True)
    return Slice(extent - 1 - first + (count - 1) * step, extent - first, -step, True)


def _bound(value: Bound, what: str) -> Extent | None:
    if value is None or isinstance(value, Polynomial | Unknown):
        return value
    return integer(value, what, "a slice bound")


def _mirrored(bound: Extent | None) -> Extent | None:
    return None if bound is None else -1 - bound


def _clamped(start: Extent | None, stop: Extent | None, extent: Extent) -> tuple[Extent, Extent]:
    """Both bounds counted from the front, within the axis, in order."""
    first: Extent = 0
    if start is not None:
        if at_least(-1, start):
            first = extent + start
            first = 0 if at_least(0, first) else first if at_least(first, 0) else UNKNOWN
        else:
            first = extent if at_least(start, extent) else start
    last = extent
    if stop is not None:
        if at_least(-1, stop):
            last = extent + stop
            last = 0 if at_least(0, last) else last
        else:
            last = smaller(stop, extent)
    return first, first if at_least(first, last) else last


def smaller(a: Extent, b: Extent) -> Extent:
    """The smaller of two sizes, UNKNOWN where it is not known which."""
    if at_least(b, a):
        return a
    return b if at_least(a, b) else UNKNOWN


@overload
def slice_length(start: int, stop: int, step: int, extent: int) -> int: ...
@overload
def slice_length(start: Extent, stop: Extent, step: int, extent: Extent) -> Extent: ...
def slice_length(start: Extent, stop: Extent, step: int, extent: Extent) -> Extent:
    """The number of entries of x[start:stop:step] on an axis of this size.

    No bound is negative and step >= 1. A symbolic axis is taken to be long enough for the
    positions that the result's size depends on: stop = N, start = 2 gives N - 2.
    """
    if isinstance(start, int) and isinstance(stop, int) and isinstance(extent, int):
        return max(0, (min(stop, extent) - start + (step - 1)) // step)
    span = smaller(stop, extent) - start
    if at_least(start, stop) or at_least(0, span):
        return 0
    if isinstance(span, Polynomial) and not at_least(span - span.constant, 0):
        return UNKNOWN
    return (span + (step - 1)) // step


# Below, casts are of sums and differences of sizes: of ints they are ints, of sizes sizes, which a
# type variable cannot say.


def slice(
    shape: tuple[D, ...],
    starts: Sequence[Extent],
    stops: Sequence[Extent],
    steps: Sequence[int],
    what: str = "slice",
) -> tuple[D, ...]:
    """The shape of a part; the bounds as in `slice_length`, for every axis.

    Raises ShapeError where their number is not the rank, ArgumentError for a negative bound or a
    step below 1.
    """
    for name, bounds, least in (("start", starts, 0), ("stop", stops, 0), ("step", steps, 1)):
        if known_rank(shape) is not None and len(bounds) != len(shape):
            raise ShapeError(
                f"{what}: {len(bounds)} {name} positions {show(tuple(bounds))} for the "
                f"{len(shape)} axes of shape {show(shape)}"
            )
        for n in bounds:
            if isinstance(n, int) and n < least:
                raise ArgumentError(f"{what}: {name} {n} of shape {show(shape)} is below {least}")
    if ANY_RANK in shape:
        return only_any_rank(shape)
    out: list[Extent] = []
    for n, start, stop, step in zip(_extents(shape, what), starts, stops, steps, strict=True):
        out.append(slice_length(start, stop, step, n))
    return cast("tuple[D, ...]", tuple(out))


def _extents(shape: ShapeLike, what: str) -> Shape:
    """The shape, refused where it has a named run."""
    known = known_rank(shape)
    if known is None:
        raise ShapeError(f"{what}: the rank of shape {show(shape)} is not known")
    return known


def pad(
    shape: tuple[D, ...],
    before: Sequence[Extent],
    after: Sequence[Extent],
    gaps: Sequence[int] | None = None,
    what: str = "pad",
) -> tuple[D, ...]:
    """The shape with entries added before, after and (`gaps` of them) between the operand's.

    Raises ShapeError where their number is not the rank, or one is negative.
    """
    between = (0,) * len(before) if gaps is None else tuple(gaps)
    if ANY_RANK in shape:
        return only_any_rank(shape)
    known = _extents(shape, what)
    if not len(known) == len(before) == len(after) == len(between):
        raise ShapeError(
            f"{what}: {len(before)} widths before, {len(after)} after and {len(between)} between "
            f"for the {len(shape)} axes of shape {show(shape)}"
        )
    out: list[Extent] = []
    for n, a, b, g in zip(known, before, after, between, strict=True):
        for width in (a, b, g):
            if isinstance(width, int) and width < 0:
                raise ShapeError(f"{what}: the width {width} for shape {show(shape)} is negative")
        inner = n + (n - 1) * g if g and n != 0 else n
        out.append(a + inner + b)
    return cast("tuple[D, ...]", tuple(out))


def take(
    shape: tuple[D, ...], indices: tuple[D, ...], axis: SupportsIndex, what: str = "take"
) -> tuple[D, ...]:
    """The shape with that of an array of indices in the place of the axis.

    Raises ArgumentError, IndexOutOfRange as `normalize_axis` does.
    """
    position = find_axis(axis, shape, what)
    if position is None:
        return only_any_rank(shape)
    out = (*shape[:position], *indices, *shape[position + 1 :])
    if known_rank(shape) is None and known_rank(indices) is None:
        return (cast("D", ANY_RANK),)  # cast: D admits a Star, there being two
    return out


def diagonal(
    shape: tuple[D, ...], offset: SupportsIndex = 0, what: str = "diagonal"
) -> tuple[D, ...]:
    """The shape with the last two axes replaced by one, their diagonal above or below the main.

    Raises ShapeError below rank 2.
    """
    above = integer(offset, what, "offset")
    if len(shape) >= 2:
        rows, columns = shape[-2:]
        if not (isinstance(rows, Star) or isinstance(columns, Star)):
            length = smaller(rows + min(above, 0), columns - max(above, 0))
            length = 0 if at_least(0, length) else length
            return (*shape[:-2], cast("D", length))
    if ANY_RANK in shape:
        return only_any_rank(shape)
    raise ShapeError(f"{what}: needs two axes at the back of the shape, got {show(shape)}")


def normalize_index(
    index: SupportsIndex | Polynomial, axis: int, shape: Shape, what: str = "index"
) -> Extent:
    """A position on an axis, counted from the front.

    Raises IndexOutOfRange where the axis has no such entry for certain, ArgumentError for what
    is no integer.
    """
    n = shape[axis]
    i = index if isinstance(index, Polynomial) else integer(index, what, "an index")
    behind, before = at_least(i, n), at_least(-1, n + i)
    if behind or before:
        valid = f"valid: {-n} to {n - 1}" if n != 0 else "it is empty"
        raise IndexOutOfRange(
            f"{what}: index {index} is out of range for axis {axis} of shape {show(shape)} "
            f"({valid})"
        )
    return n + i if at_least(-1, i) else i
