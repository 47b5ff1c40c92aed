"""What layers check of their options and of what they are given."""

from typing import Any, SupportsIndex

from taglessad.dims import UNKNOWN, Extent, Polynomial, Unknown, exact_quotient
from taglessad.errors import ArgumentError, ShapeError
from taglessad.shapes import Shape, differ, show
from taglessad.shapes.axes import integer


def at_least_one(n: SupportsIndex | Extent, what: str, name: str) -> Any:
    """A number of features as an int, or the symbol that it may be under Shape. Any: either.

    Raises ArgumentError for what is none, or below 1.
    """
    if isinstance(n, Polynomial | Unknown):
        return n
    size = integer(n, what, name)
    if size < 1:
        raise ArgumentError(f"{what}: {name} is {size}; it must be at least 1")
    return size


def divides(count: Extent, n: Extent) -> bool:
    """Whether a number may divide a size: of symbols that is not known."""
    return not (isinstance(n, int) and isinstance(count, int)) or n % count == 0


def share(n: Extent, count: Extent) -> Extent:
    """n / count of what `divides` let pass."""
    part = exact_quotient(n, count)
    return UNKNOWN if part is None else part


def cannot_take(layer: str, shape: Shape, why: str) -> str:
    """The sentence for an input that does not fit: the layer, the shape, what differs."""
    return f"{layer} cannot take {show(shape)} ({why})"


def check_last_axes(layer: str, shape: Shape, wanted: Shape) -> None:
    """Raise ShapeError where the last axes of an input are not those that a layer takes."""
    rank = len(wanted)
    if len(shape) < rank:
        raise ShapeError(cannot_take(layer, shape, f"it takes {rank} axes or more"))
    for n, m in zip(shape[len(shape) - rank :], wanted, strict=True):
        if why := differ(n, m):
            raise ShapeError(cannot_take(layer, shape, why))


def check_channels(layer: str, shape: Shape, channels: Extent, rank: int | None = None) -> None:
    """Raise ShapeError for an input without the channels, axis 1, or the rank that a layer takes."""
    if rank is not None and len(shape) != rank:
        wanted = "[N, C, L]" if rank == 3 else "[N, C, H, W]"
        raise ShapeError(cannot_take(layer, shape, f"it takes {wanted}"))
    if len(shape) < 2:
        raise ShapeError(cannot_take(layer, shape, "channels are axis 1"))
    if why := differ(shape[1], channels):
        raise ShapeError(cannot_take(layer, shape, why))


def same_shape(a: Shape, b: Shape) -> bool:
    """Whether two shapes can be the same; a size that is not known may be any."""
    return len(a) == len(b) and all(differ(n, m) is None for n, m in zip(a, b, strict=True))
