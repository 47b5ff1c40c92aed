"""Shapes of results that hold an operand's entries in another arrangement, and of reductions."""

from collections.abc import Iterable, Sequence
from typing import SupportsIndex, cast

from taglessad.dims import ANY_RANK, UNKNOWN, D, Star, differ, exact_quotient
from taglessad.errors import ShapeError
from taglessad.shapes.axes import (
    distinct,
    find_axes,
    in_range,
    integer,
    known_rank,
    normalize_axes,
    only_any_rank,
    several,
    show,
    size,
    star_at,
)


def reduce(
    shape: tuple[D, ...],
    axes: SupportsIndex | Iterable[SupportsIndex] | None,
    keepdims: bool = False,
    what: str = "reduce",
) -> tuple[D | int, ...]:
    """The shape without the axes, or with 1 in their place; None is every axis.

    Raises as `normalize_axes` does.
    """
    if axes is None and not keepdims:
        return ()
    positions = find_axes(axes, shape, what)
    if positions is None:
        return only_any_rank(shape)
    if not keepdims:
        return tuple([n for i, n in enumerate(shape) if i not in positions])
    # A run reduced to as many ones is a run of unknown length again.
    run = cast("D", ANY_RANK)  # cast: D admits a Star where the shape has one
    return tuple(
        [
            n if i not in positions else run if isinstance(n, Star) else 1
            for i, n in enumerate(shape)
        ]
    )


def reshape(shape: tuple[D, ...], new: tuple[D, ...], what: str = "reshape") -> tuple[D, ...]:
    """The shape `new` with its one -1, if any, resolved.

    Raises ShapeError where the number of elements differs, or is not known to be the same.
    """
    holes = [i for i, n in enumerate(new) if isinstance(n, int) and n < 0]
    if len(holes) > 1 or any(new[i] != -1 for i in holes):
        raise ShapeError(f"{what}: {show(new)} may have one -1 and no other negative size")
    if not holes:
        # One size that is not known is found as a -1 is.
        if new.count(cast("D", UNKNOWN)) != 1 or 0 in new:
            if why := differ(size(shape), size(new)):
                raise ShapeError(f"{what}: {_count(shape)} but {_count(new)} ({why})")
            return new
        holes = [new.index(cast("D", UNKNOWN))]
    (hole,) = holes
    old, rest = size(shape), size((*new[:hole], *new[hole + 1 :]))
    fill = exact_quotient(old, rest)
    if fill is None and new[hole] is UNKNOWN and not isinstance(old, int):
        return new
    if fill is None:
        raise ShapeError(
            f"{what}: {_count(shape)}, no known multiple of the {rest} that {show(new)} has "
            f"besides {new[hole]}"
        )
    # cast: a quotient of ints is an int, of sizes a size
    return (*new[:hole], cast("D", fill), *new[hole + 1 :])


def _count(shape: tuple[D, ...]) -> str:
    return f"{show(shape)} has {size(shape)} elements"


def permute(
    shape: tuple[D, ...], axes: Sequence[SupportsIndex] | None, what: str = "permute_dims"
) -> tuple[D, ...]:
    """The shape whose axis i is axis axes[i] of this one; None reverses the order.

    Raises ShapeError where the axes are too few or too many, else as `normalize_axes` does.
    """
    known = known_rank(shape)
    if known is None:
        if ANY_RANK in shape:
            return only_any_rank(shape)
        raise ShapeError(
            f"{what}: the rank of {show(shape)} is not known, so its axes have no order"
        )
    if axes is None:
        return shape[::-1]
    positions = normalize_axes(axes, known, what)
    if len(positions) != len(shape):
        raise ShapeError(
            f"{what}: {positions} must name each of the {len(shape)} axes of {show(shape)}"
        )
    return tuple([shape[i] for i in positions])


def expand_dims(
    shape: tuple[D, ...],
    axis: SupportsIndex | Iterable[SupportsIndex],
    what: str = "expand_dims",
) -> tuple[D | int, ...]:
    """The shape with new axes of size 1; `axis` counts in the result.

    Raises ArgumentError, IndexOutOfRange as `normalize_axes` does.
    """
    return with_axes(shape, axis, 1, what)


def with_axes(
    shape: tuple[D, ...], axis: SupportsIndex | Iterable[SupportsIndex], n: int, what: str
) -> tuple[D | int, ...]:
    """The shape with new axes of size n, which count in the result."""
    axes = tuple([integer(a, what) for a in several(axis)])
    if known_rank(shape) is None:
        k = star_at(shape)
        if len(axes) != 1 or not (0 <= axes[0] <= k or k - len(shape) <= axes[0] < 0):
            if ANY_RANK in shape:
                return only_any_rank(shape)
            raise ShapeError(
                f"{what}: axis {axis} falls in the unknown part of shape {show(shape)}"
            )
    rank = len(shape) + len(axes)
    found = tuple([in_range(a, shape, what, len(axes)) for a in axes])
    positions = distinct(found, axis, shape, what)
    old = iter(shape)
    return tuple([n if i in positions else next(old) for i in range(rank)])


def squeeze(
    shape: tuple[D, ...], axes: SupportsIndex | Iterable[SupportsIndex], what: str = "squeeze"
) -> tuple[D, ...]:
    """The shape without the axes, each of which must have size 1.

    Raises ShapeError for another size, else as `normalize_axes` does.
    """
    positions = find_axes(axes, shape, what)
    if positions is None:
        return only_any_rank(shape)
    for i in positions:
        n = shape[i]
        if n != 1 and n is not UNKNOWN:
            raise ShapeError(f"{what}: axis {i} of shape {show(shape)} has size {n}, not 1")
    return tuple([n for i, n in enumerate(shape) if i not in positions])
