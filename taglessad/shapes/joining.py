"""Shapes of several operands joined, and of one repeated."""

from collections.abc import Iterable, Sequence
from typing import SupportsIndex, cast

from taglessad.dims import ANY_RANK, UNKNOWN, D, Extent, ShapeLike, Star, differ
from taglessad.errors import ArgumentError, ShapeError
from taglessad.shapes.axes import (
    find_axis,
    known_rank,
    list_sizes,
    only_any_rank,
    show,
    show_all,
    size,
    star_at,
)
from taglessad.shapes.broadcasting import unify
from taglessad.shapes.rearranging import with_axes

# Below, casts to D are of sums and products of sizes: of ints they are ints, of sizes sizes, which
# a type variable cannot say.


def concat(
    shapes: Sequence[tuple[D, ...]], axis: SupportsIndex | None = 0, what: str = "concat"
) -> tuple[D, ...]:
    """The shape of the operands one behind the other along the axis; None flattens them first.

    Raises ShapeError where they differ away from the axis, ArgumentError where there are none,
    else as `normalize_axis` does.
    """
    if not shapes:
        raise ArgumentError(f"{what}: no arrays to join")
    if axis is None:
        return (cast("D", total(size(shape) for shape in shapes)),)
    first = shapes[0]
    for shape in shapes:
        if ANY_RANK in shape:
            return only_any_rank(shape)
    position = find_axis(axis, first, what)
    assert position is not None  # only ANY_RANK hides an axis
    out = list(first)
    for shape in shapes[1:]:
        if len(shape) != len(first):
            raise ShapeError(f"{what}: shapes {show_all(shapes)} have different ranks")
        for i, (x, y) in enumerate(zip(out, shape, strict=True)):
            if i == position and not isinstance(y, Star):
                continue
            if why := differ(x, y):
                raise ShapeError(
                    f"{what}: shapes {show_all(shapes)} differ away from axis {axis} ({why})"
                )
            out[i] = y if x is UNKNOWN else x
    joined = cast("list[Extent]", [shape[position] for shape in shapes])  # an axis is no run
    out[position] = cast("D", total(joined))
    return tuple(out)


def total(sizes: Iterable[Extent]) -> Extent:
    """The sum of some sizes."""
    out: Extent = 0
    for n in sizes:
        out = out + n
    return out


def stack(
    shapes: Sequence[tuple[D, ...]], axis: SupportsIndex = 0, what: str = "stack"
) -> tuple[D | int, ...]:
    """The shape of the operands along one new axis, which counts in the result.

    Raises ShapeError where they differ, ArgumentError where there are none, else as
    `normalize_axis` does.
    """
    if not shapes:
        raise ArgumentError(f"{what}: no arrays to join")
    return with_axes(unify(*shapes, what=what), axis, len(shapes), what)


def tile(
    shape: tuple[D, ...],
    repetitions: SupportsIndex | Extent | Iterable[SupportsIndex | Extent],
    what: str = "tile",
) -> tuple[D | int, ...]:
    """The shape of the operand laid `repetitions[i]` times along axis i, aligned at the back.

    Raises ArgumentError for a number of times that is no integer, ShapeError for a negative one.
    """
    times = list_sizes(repetitions, what, "a number of repetitions")
    if known_rank(shape) is None and len(times) >= len(shape) - star_at(shape):
        if ANY_RANK in shape:
            return only_any_rank(shape)
        raise ShapeError(f"{what}: {show(times)} reaches into the unknown part of {show(shape)}")
    rank = max(len(shape), len(times))
    sizes: ShapeLike = (*(1,) * (rank - len(shape)), *shape)
    times = (*(1,) * (rank - len(times)), *times)
    out = [n if isinstance(n, Star) else n * k for n, k in zip(sizes, times, strict=True)]
    return cast("tuple[D | int, ...]", tuple(out))


def repeat(
    shape: tuple[D, ...],
    repetitions: SupportsIndex | Extent | Iterable[SupportsIndex | Extent],
    axis: SupportsIndex | None = None,
    what: str = "repeat",
) -> tuple[D, ...]:
    """The shape with each entry along the axis repeated; None flattens first.

    `repetitions` is one number, or one for each entry. Raises ShapeError for another number of
    them or a negative one, ArgumentError where one is no integer, else as `normalize_axis` does.
    """
    times = list_sizes(repetitions, what, "a number of repetitions")
    flat = (cast("D", size(shape)),) if axis is None else shape
    position = find_axis(0 if axis is None else axis, flat, what)
    if position is None:
        return only_any_rank(flat)
    n = cast("Extent", flat[position])  # an axis is no run
    if len(times) == 1:
        repeated = n * times[0]
    elif why := differ(n, len(times)):
        raise ShapeError(
            f"{what}: {len(times)} numbers of repetitions for axis {position} of {show(flat)} "
            f"({why})"
        )
    else:
        repeated = total(times)
    return (*flat[:position], cast("D", repeated), *flat[position + 1 :])
