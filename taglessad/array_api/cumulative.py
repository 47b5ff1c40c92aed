"""Running extremes, and running sums of exponentials, along an axis."""

from typing import SupportsIndex

from taglessad import shapes
from taglessad.array_api.joining import concat
from taglessad.array_api.kinds import Kind, as_before
from taglessad.array_api.operands import axis_of, part, real
from taglessad.array_api.transcendental import logaddexp
from taglessad.convert import as_handle
from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError
from taglessad.tensor import AnyTensor, Tensor, TensorLike


def cumulative_max(x: Kind, /, *, axis: SupportsIndex | None = None) -> Kind:
    """The largest of the first 1, 2, ... entries along an axis, which only a vector may leave out.

    The derivative goes to the first entry that attains each. From the first NaN on all are NaN.
    Raises ArgumentError for a missing axis.
    """
    t = as_handle(x, "cumulative_max", "x")
    along = _axis("cumulative_max", t, axis)
    return as_before(t, t.ops.cumulative_max(t.payload, along))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def cumulative_min(x: Kind, /, *, axis: SupportsIndex | None = None) -> Kind:
    """The smallest of the first 1, 2, ... entries along an axis; else as `cumulative_max`."""
    t = as_handle(x, "cumulative_min", "x")
    along = _axis("cumulative_min", t, axis)
    # The order turned round: of integers by their bits, since -x may not exist.
    turned = t.ops.neg if is_real(t.dtype) else t.ops.bitwise_invert
    return as_before(t, turned(t.ops.cumulative_max(turned(t.payload), along)))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _axis(name: str, t: AnyTensor, axis: SupportsIndex | None) -> int:
    shape = t.shape
    if axis is None and len(shape) != 1:
        raise ArgumentError(
            f"{name}: axis is missing; only a vector needs none, and the shape is "
            f"{shapes.show(shape)}"
        )
    return shapes.normalize_axis(0 if axis is None else axis, shape, name)


def cumulative_logsumexp(x: TensorLike, /, *, axis: SupportsIndex | None = None) -> Tensor:
    """log of the sums of exp of the first 1, 2, ... entries along an axis, without overflow.

    Only a vector may leave out the axis. By doubling: each step joins twice as many entries, so no
    common scale is needed and every derivative is that of logaddexp.
    """
    t = real(x, "cumulative_logsumexp")
    along, n = axis_of(t, _axis("cumulative_logsumexp", t, axis), "cumulative_logsumexp")
    done = 1
    while done < n:
        start = part(t, 0, done, along)
        t = concat(
            [start, logaddexp(part(t, done, n, along), part(t, 0, n - done, along))], axis=along
        )
        done *= 2
    return t
