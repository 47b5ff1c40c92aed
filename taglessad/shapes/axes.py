"""Axes and shapes as arguments: checked, counted from the front, printed."""

from collections.abc import Iterable, Sequence
from operator import index
from typing import SupportsIndex, TypeVar, cast, overload

from taglessad.dims import (
    ANY_RANK,
    UNKNOWN,
    D,
    Extent,
    Polynomial,
    Shape,
    ShapeLike,
    Star,
    Symbol,
    Unknown,
    symbol,
)
from taglessad.errors import ArgumentError, IndexOutOfRange, ShapeError, TaglessError

T = TypeVar("T")


def show(shape: ShapeLike) -> str:
    """The shape as every message prints it: "[4, N, *B]"."""
    return f"[{', '.join(map(str, shape))}]"


def show_all(shapes: Sequence[ShapeLike]) -> str:
    """Several shapes in a sentence: "[4], [3] and [2]"."""
    *first, last = map(show, shapes)
    return f"{', '.join(first)} and {last}" if first else last


def known_rank(shape: ShapeLike) -> Shape | None:
    """The shape itself where its rank is known, else None."""
    for n in shape:
        if isinstance(n, Star):
            return None
    return cast("Shape", shape)  # cast: the loop has seen every entry


def star_at(shape: ShapeLike) -> int:
    """The position of the run of unknown length in a shape that has one."""
    return next(i for i, n in enumerate(shape) if isinstance(n, Star))


def only_any_rank(shape: tuple[D, ...]) -> tuple[D, ...]:
    """The unknown rank of a shape by itself: what is left to say of a result."""
    return tuple(n for n in shape if n == ANY_RANK)


@overload
def size(shape: tuple[int, ...]) -> int: ...
@overload
def size(shape: ShapeLike) -> Extent: ...
def size(shape: ShapeLike) -> Extent:
    """The number of elements; of a run `*B` it is the symbol `prod(*B)`."""
    total: Extent = 1
    for n in shape:
        if not isinstance(n, Star):
            total = total * n
        elif n == ANY_RANK:
            total = UNKNOWN
        else:
            total = total * symbol(Symbol(f"prod {n.key}", f"prod({n})"))
    return 0 if total is UNKNOWN and 0 in shape else total


def normalize_axis(axis: SupportsIndex, shape: Shape, what: str) -> int:
    """The axis counted from the front.

    Raises ArgumentError for a bool, a float or anything else that is no integer, IndexOutOfRange
    for an axis the shape does not have.
    """
    if type(axis) is int:
        rank = len(shape)
        if 0 <= axis < rank:
            return axis
        if -rank <= axis < 0:
            return axis + rank
    return in_range(integer(axis, what), shape, what)


def normalize_axes(
    axes: SupportsIndex | Iterable[SupportsIndex] | None, shape: Shape, what: str
) -> tuple[int, ...]:
    """The axes counted from the front, in the order given; None is every axis.

    Raises what `normalize_axis` does, and ArgumentError for an axis given twice.
    """
    if axes is None:
        return tuple(range(len(shape)))
    if type(axes) is int:
        return (normalize_axis(axes, shape, what),)
    positions = tuple([normalize_axis(axis, shape, what) for axis in several(axes)])
    return distinct(positions, axes, shape, what)


def find_axis(axis: SupportsIndex, shape: ShapeLike, what: str) -> int | None:
    """The axis as a position in the shape, where a run of unknown length counts as one entry.

    None where `ANY_RANK` hides it. An axis inside a named run is a ShapeError; else as
    `normalize_axis`.
    """
    known = known_rank(shape)
    if known is not None:
        return normalize_axis(axis, known, what)
    axis, k = integer(axis, what), star_at(shape)
    if 0 <= axis < k:
        return axis
    if k + 1 - len(shape) <= axis < 0:
        return axis + len(shape)
    if shape[k] == ANY_RANK:
        return None
    raise ShapeError(
        f"{what}: axis {axis} falls in the unknown part of shape {show(shape)}; count axes before "
        f"{shape[k]} from the front and those behind it from the back"
    )


def find_axes(
    axes: SupportsIndex | Iterable[SupportsIndex] | None, shape: ShapeLike, what: str
) -> tuple[int, ...] | None:
    """`find_axis` for several distinct axes; None, where `ANY_RANK` hides one of them."""
    known = known_rank(shape)
    if known is not None:
        return normalize_axes(axes, known, what)
    if axes is None:
        return tuple(range(len(shape)))
    found: list[int] = []
    for axis in several(axes):
        position = find_axis(axis, shape, what)
        if position is None:
            return None
        found.append(position)
    return distinct(tuple(found), axes, shape, what)


def several(value: T | Iterable[T]) -> tuple[T, ...]:
    """One axis or size, or several, as a tuple."""
    if isinstance(value, tuple | list):
        return tuple(cast("Sequence[T]", value))
    # An ndarray has both __index__ and __iter__; only a rank-0 one stands for an integer.
    if isinstance(value, Iterable) and getattr(cast("object", value), "ndim", 1) != 0:
        return tuple(cast("Iterable[T]", value))
    return (cast("T", value),)


def distinct(
    positions: tuple[int, ...], axes: object, shape: ShapeLike, what: str
) -> tuple[int, ...]:
    """The positions, refused where two are the same axis; `axes` is how they were written."""
    if len(positions) > 1 and len(set(positions)) < len(positions):
        raise ArgumentError(f"{what}: axes {axes} name an axis of shape {show(shape)} twice")
    return positions


@overload
def normalize_shape(
    shape: SupportsIndex | Iterable[SupportsIndex], what: str, *, placeholder: bool = False
) -> tuple[int, ...]: ...
@overload
def normalize_shape(
    shape: SupportsIndex | Extent | Iterable[SupportsIndex | Extent],
    what: str,
    *,
    placeholder: bool = False,
) -> Shape: ...
def normalize_shape(
    shape: SupportsIndex | Extent | Iterable[SupportsIndex | Extent],
    what: str,
    *,
    placeholder: bool = False,
) -> Shape:
    """A shape given as an argument, one size or several, as a tuple.

    `placeholder` admits the -1 of reshape. Raises ArgumentError for a size that is no integer,
    ShapeError for a negative one.
    """
    return list_sizes(shape, what, "a size", -1 if placeholder else 0)


def list_sizes(
    value: SupportsIndex | Extent | Iterable[SupportsIndex | Extent],
    what: str,
    role: str,
    least: int = 0,
) -> Shape:
    """One size or several as a tuple, none below `least`; messages call one of them `role`."""
    sizes: tuple[SupportsIndex | Extent, ...] = several(value)
    result: list[Extent] = []
    for n in sizes:
        if not isinstance(n, Polynomial | Unknown):
            n = integer(n, what, role)
            if n < least:
                listed = ", ".join(map(str, sizes))
                raise ShapeError(f"{what}: {role} must not be negative: {n} in [{listed}]")
        result.append(n)
    return tuple(result)


def integer(value: SupportsIndex, what: str, role: str = "axis") -> int:
    """The argument as an int; bool, float and anything else is an ArgumentError."""
    if type(value) is int:
        return value
    if not isinstance(value, bool):
        try:
            return index(value)
        except TaglessError as error:  # a handle says better why it is no number here
            raise type(error)(f"{what}: {role}: {error.message}") from None
        except TypeError:
            pass
    raise ArgumentError(f"{what}: {role} must be an integer, got {value!r}")


def in_range(axis: int, shape: ShapeLike, what: str, more: int = 0) -> int:
    """The axis counted from the front, of the shape or of one that has some axes more."""
    rank = len(shape) + more
    if -rank <= axis < rank:
        return axis % rank
    target = f"shape {show(shape)}{f' with {more} more' if more else ''}"
    valid = f"valid: {-rank} to {rank - 1}" if rank else "it has no axes"
    raise IndexOutOfRange(f"{what}: axis {axis} is out of range for {target} ({valid})")
