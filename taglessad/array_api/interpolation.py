"""Piecewise linear functions, integrals and slopes of sampled values, under NumPy's names."""

import math
from collections.abc import Sequence
from typing import Any, SupportsIndex

from taglessad import shapes
from taglessad.array_api.comparison import clip, equal, less
from taglessad.array_api.creation import asarray
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.indexing import take
from taglessad.array_api.joining import concat
from taglessad.array_api.manipulation import ravel, reshape
from taglessad.array_api.operands import axis_of, numbers, part, real, reals
from taglessad.array_api.rounding import remainder
from taglessad.array_api.searching import searchsorted, where
from taglessad.array_api.sorting import argsort
from taglessad.array_api.statistical import cumulative_sum
from taglessad.array_api.statistical import sum as total
from taglessad.array_api.utility import diff
from taglessad.dispatch import Real
from taglessad.dtypes import int64
from taglessad.errors import ArgumentError, ShapeError
from taglessad.shapes import show
from taglessad.tensor import Tensor, TensorLike, known_size
from taglessad.transforms.fences import detach


def interp(
    x: TensorLike,
    xp: TensorLike,
    fp: TensorLike,
    /,
    left: Real | None = None,
    right: Real | None = None,
    period: Real | None = None,
) -> Tensor:
    """The piecewise linear function through the points (xp, fp), xp increasing, at x.

    Below xp[0] it is `left` (fp[0] by default), above xp[-1] `right` (fp[-1]). With a period, xp
    may be in any order and left and right are ignored. Differentiable in x, xp and fp; at a point of
    xp the slope is that to its right, at the last one to its left. Raises ShapeError where xp and
    fp are not vectors of one size, at least 1.
    """
    t, knots, values = reals("interp", (x, xp, fp), ("x", "xp", "fp"))
    if knots.ndim != 1 or knots.shape != values.shape:
        raise ShapeError(
            f"interp: xp {show(knots.shape)} and fp {show(values.shape)} must be vectors of one size"
        )
    n = known_size(knots.shape[0], "interp")
    if n == 0:
        raise ShapeError("interp: xp has no entries")
    if period is not None:
        t, knots = remainder(t, period), remainder(knots, period)
        order = argsort(knots)
        knots, values = take(knots, order), take(values, order)
        knots = concat([part(knots, n - 1, n, 0) - period, knots, part(knots, 0, 1, 0) + period])
        values = concat([part(values, n - 1, n, 0), values, part(values, 0, 1, 0)])
        n, left, right = n + 2, None, None
    first, last = take(values, _at(0)), take(values, _at(n - 1))
    below, above = first if left is None else left, last if right is None else right
    low, high = take(knots, _at(0)), take(knots, _at(n - 1))
    if n == 1:
        return where(t < low, below, where(t > high, above, first + 0.0 * t))
    place = clip(searchsorted(detach(knots), detach(t), side="right") - 1, 0, n - 2)
    index: Any = astype(place, int64)  # Any: an IntTensor, which astype's type does not say
    a, b = take(knots, index), take(knots, index + 1)
    gap = b - a
    share = (t - a) / where(equal(gap, 0.0), 1.0, gap)
    inner = (1.0 - share) * take(values, index) + share * take(values, index + 1)
    return where(t < low, below, where(t > high, above, inner))


def _at(position: int) -> Any:  # Any: an IntTensor, which asarray's type does not say
    return asarray(position)


def trapezoid(
    y: TensorLike, /, x: TensorLike | None = None, dx: Real = 1.0, axis: SupportsIndex = -1
) -> Tensor:
    """The integral of y along an axis by the trapezoidal rule, over points x, or dx apart.

    x is a vector as long as the axis, or of the shape of y.
    """
    values = real(y, "trapezoid", "y")
    along, n = axis_of(values, axis, "trapezoid")
    if n < 2:
        return total(values, along) * 0.0
    means = (part(values, 1, n, along) + part(values, 0, n - 1, along)) * 0.5
    if x is None:
        return total(means, along) * dx
    points = real(x, "trapezoid", "x")
    if points.ndim == 1:
        steps = diff(points)
        steps = reshape(steps, tuple(n - 1 if i == along else 1 for i in range(values.ndim)))
    else:
        steps = diff(points, axis=along)
    return total(means * steps, along)


def gradient(
    f: TensorLike,
    /,
    *spacing: Real,
    axis: SupportsIndex | Sequence[SupportsIndex] | None = None,
    edge_order: int = 1,
) -> Tensor | tuple[Tensor, ...]:
    """The slopes of sampled values along axes: central differences, one-sided at the edges.

    spacing: nothing (1), one step for all axes, or for each axis a step or a vector of positions.
    edge_order: 1 or 2, the order of the differences at the edges. One axis gives one array, several
    a tuple. Raises ArgumentError for a spacing that does not fit, ShapeError for too few samples.
    """
    t = real(f, "gradient", "f")
    axes = shapes.normalize_axes(axis, t.shape, "gradient")
    if edge_order not in (1, 2):
        raise ArgumentError(f"gradient: edge_order is {edge_order}, where 1 or 2 is expected")
    if len(spacing) not in (0, 1, len(axes)):
        raise ArgumentError(
            f"gradient: {len(spacing)} spacings are given for {len(axes)} axes; give none, one, or "
            "one for each axis"
        )
    given = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    found = tuple(_slopes(t, h, i, edge_order) for h, i in zip(given, axes, strict=True))
    return found[0] if len(found) == 1 else found


def _slopes(t: Tensor, spacing: Real, axis: int, edge_order: int) -> Tensor:
    along, n = axis_of(t, axis, "gradient")
    if n < edge_order + 1:
        raise ShapeError(
            f"gradient: axis {along} of shape {show(t.shape)} has {n} entries, fewer than "
            f"{edge_order + 1}"
        )
    h = real(spacing, "gradient", "spacing")
    if h.ndim == 0:
        steps = h * (part(t, 1, n, along) * 0.0 + 1.0)
    elif h.shape == (n,):
        steps = reshape(diff(h), tuple(n - 1 if i == along else 1 for i in range(t.ndim)))
        steps = steps + part(t, 1, n, along) * 0.0
    else:
        raise ArgumentError(
            f"gradient: a spacing of shape {show(h.shape)} fits no axis of {n} entries"
        )
    slopes = (part(t, 1, n, along) - part(t, 0, n - 1, along)) / steps
    m = n - 1
    first, last = part(slopes, 0, 1, along), part(slopes, m - 1, m, along)
    if m == 1:
        return concat([first, last], axis=along)
    a, b = part(steps, 0, m - 1, along), part(steps, 1, m, along)
    inner = (b * part(slopes, 0, m - 1, along) + a * part(slopes, 1, m, along)) / (a + b)
    if edge_order == 2:
        first = _edge(slopes, steps, along, 0, 1)
        last = _edge(slopes, steps, along, m - 1, m - 2)
    return concat([first, inner, last], axis=along)


def _edge(slopes: Tensor, steps: Tensor, axis: int, here: int, next_: int) -> Tensor:
    """The slope at an edge of the parabola through three points."""
    a, b = part(steps, here, here + 1, axis), part(steps, next_, next_ + 1, axis)
    s, r = part(slopes, here, here + 1, axis), part(slopes, next_, next_ + 1, axis)
    return s + (s - r) * a / (a + b)


def ediff1d(
    x: TensorLike, /, to_end: TensorLike | None = None, to_begin: TensorLike | None = None
) -> Tensor:
    """The differences of neighbours of the flattened array, with entries put before and behind."""
    given = [v for v in (to_begin, x, to_end) if v is not None]
    parts = list(numbers("ediff1d", given, ("x",) * len(given)))
    middle = 0 if to_begin is None else 1
    parts = [ravel(p) for p in parts]
    parts[middle] = diff(parts[middle])
    return parts[0] if len(parts) == 1 else concat(parts)


def unwrap(
    p: TensorLike,
    /,
    discont: float | None = None,
    axis: SupportsIndex = -1,
    *,
    period: float = 2 * math.pi,
) -> Tensor:
    """Angles without the jumps of more than `discont` (half a period), by adding whole periods.

    The derivative is that of p: what is added is constant piece by piece.
    """
    t = real(p, "unwrap", "p")
    along, n = axis_of(t, axis, "unwrap")
    if n < 2:
        return t
    jump = detach(diff(t, axis=along))
    half = period / 2
    within = remainder(jump + half, period) - half
    within = where(equal(within, -half) & (jump > 0.0), half, within)
    least = half if discont is None else max(discont, half)
    change = where(less(abs(jump), least), 0.0, within - jump)
    added = cumulative_sum(change, axis=along, include_initial=True)
    return t + added
