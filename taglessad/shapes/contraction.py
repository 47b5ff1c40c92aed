"""Shapes of products that sum over shared axes."""

from collections.abc import Iterable
from typing import NoReturn, SupportsIndex, TypeAlias

from taglessad.dims import D, Shape, ShapeLike, Star, differ
from taglessad.errors import ArgumentError, ShapeError
from taglessad.shapes.axes import (
    find_axis,
    integer,
    known_rank,
    normalize_axes,
    only_any_rank,
    show,
)
from taglessad.shapes.broadcasting import try_broadcast


def matmul(a: tuple[D, ...], b: tuple[D, ...], what: str = "matmul") -> tuple[D, ...]:
    """The shape of a @ b: the last two axes multiply, those before broadcast.

    An operand of rank 1 is a row on the left, a column on the right, and leaves no axis of its
    own in the result. Raises ShapeError for a scalar operand and for sizes that do not fit.
    """
    if not a or not b:
        raise ShapeError(f"{what}: a scalar operand: {show(a)} @ {show(b)}; multiply with *")
    inner, shared, outer = a[-1], b[-2:][0], b[-1]
    for n in (inner, shared, outer):
        if isinstance(n, Star):
            return only_any_rank((n,)) or _hidden(a, b, what)
    if why := differ(inner, shared):
        raise ShapeError(f"{what}: inner dimensions differ: {show(a)} @ {show(b)} ({why})")
    if len(b) == 1:
        return a[:-1]
    if len(a) == 1:
        return (*b[:-2], outer)
    if len(b) == 2:
        return (*a[:-1], outer)
    rows = a[-2]
    if isinstance(rows, Star):
        return (*(only_any_rank((rows,)) or _hidden(a, b, what)), outer)
    batch = try_broadcast(a[:-2], b[:-2])
    if isinstance(batch, str):
        raise ShapeError(
            f"{what}: batch dimensions do not broadcast: {show(a)} @ {show(b)} ({batch})"
        )
    return (*batch, rows, outer)


def _hidden(a: ShapeLike, b: ShapeLike, what: str) -> NoReturn:
    raise ShapeError(
        f"{what}: shapes {show(a)} and {show(b)}: an axis that is multiplied is in a run of "
        "unknown length"
    )


def vecdot(
    a: tuple[D, ...], b: tuple[D, ...], axis: SupportsIndex = -1, what: str = "vecdot"
) -> tuple[D, ...]:
    """The shape of the inner products along the axis, of equal size in both; the others broadcast.

    Raises ShapeError where sizes do not fit, else as `normalize_axis` does.
    """
    i, j = find_axis(axis, a, what), find_axis(axis, b, what)
    if i is None or j is None:
        return only_any_rank(a) or only_any_rank(b)
    if why := differ(a[i], b[j]):
        raise ShapeError(f"{what}: shapes {show(a)} and {show(b)} differ along axis {axis} ({why})")
    rest = try_broadcast((*a[:i], *a[i + 1 :]), (*b[:j], *b[j + 1 :]))
    if isinstance(rest, str):
        raise ShapeError(
            f"{what}: shapes {show(a)} and {show(b)} do not broadcast away from axis {axis} "
            f"({rest})"
        )
    return rest


Axes: TypeAlias = SupportsIndex | Iterable[SupportsIndex]


def tensordot(
    a: tuple[D, ...],
    b: tuple[D, ...],
    axes: SupportsIndex | tuple[Axes, Axes] = 2,
    what: str = "tensordot",
) -> tuple[D, ...]:
    """The axes of a that are not summed over, then those of b.

    `axes`: the number of last axes of a that meet the first of b, or the axes of a and those of
    b in the order in which they meet. Raises ShapeError where they do not fit, else as
    `normalize_axes` does.
    """
    known_a, known_b = known_rank(a), known_rank(b)
    if known_a is None or known_b is None:
        return only_any_rank(a) or only_any_rank(b) or _hidden(a, b, what)
    left, right = paired_axes(known_a, known_b, axes, what)
    for i, j in zip(left, right, strict=True):
        if why := differ(a[i], b[j]):
            raise ShapeError(
                f"{what}: shapes {show(a)} and {show(b)} differ where axis {i} meets axis {j} "
                f"({why})"
            )
    rest_a = [n for i, n in enumerate(a) if i not in left]
    rest_b = [n for j, n in enumerate(b) if j not in right]
    return (*rest_a, *rest_b)


def paired_axes(
    a: Shape, b: Shape, axes: SupportsIndex | tuple[Axes, Axes], what: str = "tensordot"
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of a and of b that `tensordot` sums over, in the order in which they meet."""
    if isinstance(axes, tuple | list):
        if len(axes) != 2:
            raise ArgumentError(f"{what}: axes must be an integer or a pair, got {axes!r}")
        left, right = normalize_axes(axes[0], a, what), normalize_axes(axes[1], b, what)
        if len(left) != len(right):
            raise ShapeError(
                f"{what}: axes {axes!r} pair {len(left)} axes of {show(a)} with {len(right)} of "
                f"{show(b)}"
            )
        return left, right
    count = integer(axes, what, "axes")
    if not 0 <= count <= min(len(a), len(b)):
        raise ShapeError(f"{what}: {count} axes to sum over in shapes {show(a)} and {show(b)}")
    return tuple(range(len(a) - count, len(a))), tuple(range(count))
