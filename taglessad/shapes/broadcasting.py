"""Shapes that must agree, exactly or up to broadcasting."""

from collections.abc import Sequence

from taglessad.dims import ANY_RANK, UNKNOWN, D, Star, differ
from taglessad.errors import ShapeError
from taglessad.shapes.axes import only_any_rank, show, show_all


def unify(*shapes: tuple[D, ...], what: str) -> tuple[D, ...]:
    """The one shape that all are; where one knows more than another, what it knows.

    Raises ShapeError where they are not the same.
    """
    out = shapes[0]
    for shape in shapes[1:]:
        if shape != out:
            out = _unify_two(out, shape, shapes, what)
    return out


def _unify_two(
    a: tuple[D, ...], b: tuple[D, ...], shapes: Sequence[tuple[D, ...]], what: str
) -> tuple[D, ...]:
    """`unify` of two; `shapes` are all of the call's, for the message."""
    if ANY_RANK in a or ANY_RANK in b:
        return b if ANY_RANK in a else a
    out: list[D] = []
    why = None if len(a) == len(b) else f"rank {len(a)} != {len(b)}"
    for x, y in zip(a, b, strict=False):
        why = why or differ(x, y)
        out.append(y if x is UNKNOWN else x)
    if why is not None:
        raise ShapeError(f"{what}: shapes {show_all(shapes)} differ ({why})")
    return tuple(out)


def broadcast(*shapes: tuple[D, ...], what: str = "broadcast") -> tuple[D, ...]:
    """The shape to which all broadcast: aligned at the back, a size of 1 gives way.

    Shapes that are written alike are taken to be alike, unknown rank included.
    Raises ShapeError where there is none, or where runs of unknown length leave it open.
    """
    if len(shapes) == 2 and shapes[0] == shapes[1]:  # by far the most frequent call
        return shapes[0]
    out = shapes[0] if shapes else ()
    for shape in shapes[1:]:
        if shape != out:
            joined = try_broadcast(out, shape)
            if isinstance(joined, str):
                raise ShapeError(f"{what}: shapes {show_all(shapes)} do not broadcast ({joined})")
            out = joined
    return out


def broadcast_to(
    shape: tuple[D, ...], new: tuple[D, ...], what: str = "broadcast_to"
) -> tuple[D, ...]:
    """The shape `new`, to which `shape` must broadcast.

    Raises ShapeError where it does not.
    """
    if shape == new or ANY_RANK in shape or ANY_RANK in new:
        return new
    failure = f"{what}: shape {show(shape)} does not broadcast to {show(new)}"
    if len(shape) > len(new):
        raise ShapeError(f"{failure} (rank {len(shape)} > {len(new)})")
    out = list(new)
    for i in range(1, len(shape) + 1):
        x, y = shape[-i], new[-i]
        if x == 1 and not isinstance(y, Star):
            continue
        if why := differ(x, y):
            raise ShapeError(f"{failure} ({why})")
        if y is UNKNOWN:
            out[-i] = x
    return tuple(out)


def try_broadcast(a: tuple[D, ...], b: tuple[D, ...]) -> tuple[D, ...] | str:
    """`broadcast` of two, or why there is no such shape."""
    i, j = len(a), len(b)
    tail: list[D] = []
    while i and j:
        x, y = a[i - 1], b[j - 1]
        if x == y and not (isinstance(x, Star) and x == ANY_RANK):
            tail.append(x)
        elif isinstance(x, Star) or isinstance(y, Star):
            break
        elif y == 1 or (y is UNKNOWN and x != 1):
            tail.append(x)
        elif x == 1 or x is UNKNOWN:
            tail.append(y)
        else:
            return differ(x, y) or ""
        i -= 1
        j -= 1
    left, right, common = a[:i], b[:j], tuple(reversed(tail))
    if not left or not right:
        return left + right + common
    if ANY_RANK in left or ANY_RANK in right:
        return (only_any_rank(left) or only_any_rank(right)) + common
    return f"{left[-1]} and {right[-1]} need not agree"
