"""Pooling: the largest entry, or the mean, of windows over the last axes of [N, C, L], [N, C, H, W].

stride is the windows' size by default; padding as in nn.convolution, less than a window spans.
Raises ShapeError where a window does not fit, ArgumentError for options that are none.
"""

import math
from typing import Any

import numpy as np

from taglessad.dispatch import Operands, as_number, as_real, meet
from taglessad.dtypes import is_real
from taglessad.ops import Ops
from taglessad.shapes import Extent, Shape
from taglessad.shapes import convolution as shapes
from taglessad.shapes.convolution import Padding, Plan, Sizes, Window
from taglessad.tensor import Tensor, TensorLike, handle

# Any below: payloads of whichever interpreter runs.


def _result(met: Operands, y: Any) -> Tensor:
    result: Tensor = handle(met.ops, y, met.dtype, met.weak)
    return result


# --- the largest entry ---------------------------------------------------------------------------
def _max_pool(
    rank: int, x: TensorLike, kernel_size: Sizes, stride: Sizes | None, padding: Any, dilation: Any
) -> Tensor:
    what = f"nn.functional.max_pool{rank}d"
    met = as_number(meet(what, (x,), ("x",)))
    ops, (a,) = met.ops, met.payloads
    plan, size = shapes.pool(
        ops.shape(a),
        kernel_size,
        rank,
        stride=stride,
        padding=padding,
        dilation=dilation,
        what=what,
    )
    if any(end != (0, 0) for end in plan.window.padding):
        lowest: Any = -np.inf if is_real(met.dtype) else np.iinfo(met.dtype).min
        a = _bordered(ops, a, plan.window, ops.const(np.asarray(lowest, met.dtype)))
    side_by_side = plan.window.strides == size and plan.window.kernel_dilation == (1,) * rank
    largest = _tiles(ops, a, plan, size) if side_by_side else _taps(ops, a, plan, size)
    return _result(met, largest)


def _bordered(ops: Ops[Any], x: Any, window: Window, border: Any) -> Any:
    before = (0, 0, *(a for a, _ in window.padding))
    after = (0, 0, *(b for _, b in window.padding))
    gaps = (0,) * len(before)
    inside = ops.broadcast(ops.const(np.asarray(True)), ops.shape(x))
    return ops.where(ops.pad(inside, before, after, gaps), ops.pad(x, before, after, gaps), border)


def _tiles(ops: Ops[Any], x: Any, plan: Plan, size: tuple[int, ...]) -> Any:
    """Windows that neither overlap nor leave gaps: the axes split in two."""
    counts, rank = plan.shape[2:], len(size)
    sizes = ops.shape(x)
    whole = (*sizes[:2], *(m * k for m, k in zip(counts, size, strict=True)))
    if whole != sizes:
        x = ops.slice(x, (0,) * len(whole), whole, (1,) * len(whole))
    split: Shape = (*sizes[:2], *(n for pair in zip(counts, size, strict=True) for n in pair))
    within = tuple(range(3, 3 + 2 * rank, 2))
    order = (*within, 0, 1, *range(2, 2 + 2 * rank, 2))
    # In one piece, since NumPy is slow to reduce over axes that lie close together.
    layers = ops.reshape(ops.permute(ops.reshape(x, split), order), (math.prod(size), *plan.shape))
    return ops.max(layers, (0,))


def _taps(ops: Ops[Any], x: Any, plan: Plan, size: tuple[int, ...]) -> Any:
    """Windows in general: a slice of x for each place in the window, one over the other."""
    window, (members, channels, *counts) = plan.window, plan.shape
    step = (1, 1, *window.strides)
    layers: list[Any] = []
    for place in np.ndindex(*size):
        first = tuple(k * d for k, d in zip(place, window.kernel_dilation, strict=True))
        ends: tuple[Extent, ...] = tuple(
            a + (m - 1) * s + 1 for a, m, s in zip(first, counts, window.strides, strict=True)
        )
        layer = ops.slice(x, (0, 0, *first), (members, channels, *ends), step)
        layers.append(ops.reshape(layer, (1, *plan.shape)))
    return ops.max(ops.concat(tuple(layers), 0), (0,))


def max_pool1d(
    x: Tensor,
    kernel_size: Sizes,
    *,
    stride: Sizes | None = None,
    padding: Padding = 0,
    dilation: Sizes = 1,
) -> Tensor:
    """The largest entry of every window: [N, C, L] -> [N, C, M], M as in `conv1d`.

    Padding is never the largest. Entries that tie share the derivative equally, as in `max`.
    """
    return _max_pool(1, x, kernel_size, stride, padding, dilation)


def max_pool2d(
    x: Tensor,
    kernel_size: Sizes,
    *,
    stride: Sizes | None = None,
    padding: Padding = 0,
    dilation: Sizes = 1,
) -> Tensor:
    """The largest entry of every window: [N, C, H, W] -> [N, C, ...]; as `max_pool1d`."""
    return _max_pool(2, x, kernel_size, stride, padding, dilation)


# --- the mean ------------------------------------------------------------------------------------
def _avg_pool(
    rank: int,
    x: TensorLike,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Any,
    count_include_pad: bool,
) -> Tensor:
    what = f"nn.functional.avg_pool{rank}d"
    met = as_real(meet(what, (x,), ("x",)))
    ops, (a,) = met.ops, met.payloads
    plan, size = shapes.pool(
        ops.shape(a), kernel_size, rank, stride=stride, padding=padding, what=what
    )
    members, channels, *sizes = ops.shape(a)
    taps: Shape = (1, 1, *size)
    number = math.prod(size)
    # A convolution with equal weights, every channel a member of its own.
    alone = ops.reshape(a, (members * channels, 1, *sizes))
    weights = ops.broadcast(ops.scalar(1 / number, a), taps)
    y = ops.convolution(alone, weights, plan.window)
    if not count_include_pad and any(end != (0, 0) for end in plan.window.padding):
        ones = ops.broadcast(ops.scalar(1, a), (1, 1, *sizes))
        y = ops.div(y, ops.convolution(ones, weights, plan.window))
    return _result(met, ops.reshape(y, plan.shape))


def avg_pool1d(
    x: Tensor,
    kernel_size: Sizes,
    *,
    stride: Sizes | None = None,
    padding: Padding = 0,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of every window: [N, C, L] -> [N, C, M], M as in `conv1d`.

    count_include_pad: whether the zeros of the padding count as entries.
    """
    return _avg_pool(1, x, kernel_size, stride, padding, count_include_pad)


def avg_pool2d(
    x: Tensor,
    kernel_size: Sizes,
    *,
    stride: Sizes | None = None,
    padding: Padding = 0,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of every window: [N, C, H, W] -> [N, C, ...]; as `avg_pool1d`."""
    return _avg_pool(2, x, kernel_size, stride, padding, count_include_pad)


def _adaptive(rank: int, x: TensorLike, output_size: Sizes) -> Tensor:
    what = f"nn.functional.adaptive_avg_pool{rank}d"
    met = as_real(meet(what, (x,), ("x",)))
    ops, (y,) = met.ops, met.payloads
    wanted = shapes.whole_numbers(output_size, rank, what, "output_size")
    shapes.pool(ops.shape(y), 1, rank, what=what)  # refuses what has another rank
    for axis, (n, m) in enumerate(zip(ops.shape(y)[2:], wanted, strict=True), start=2):
        if n == m:
            continue
        if isinstance(n, int):
            weights = ops.const(_averaging(n, m).astype(met.dtype))
        else:  # under Shape, where no number is asked for
            weights = ops.broadcast(ops.scalar(0, y), (m, n))
        letters = "abcd"[: rank + 2]
        spec = f"{letters},z{letters[axis]}->{letters[:axis]}z{letters[axis + 1 :]}"
        y = ops.contract(y, weights, spec)
    return _result(met, y)


def _averaging(n: int, m: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """[m, n]: the mean of the entries from floor(i n / m) to ceil((i + 1) n / m) for every i."""
    weights = np.zeros((m, n))
    for i in range(m):
        first, stop = i * n // m, -(-(i + 1) * n // m)
        weights[i, first:stop] = 1 / (stop - first)
    return weights


def adaptive_avg_pool1d(x: Tensor, output_size: Sizes) -> Tensor:
    """Means of `output_size` windows that cover the axis evenly: [N, C, L] -> [N, C, M].

    Window i is from floor(i L / M) to ceil((i + 1) L / M).
    """
    return _adaptive(1, x, output_size)


def adaptive_avg_pool2d(x: Tensor, output_size: Sizes) -> Tensor:
    """Means of windows that cover the axes evenly; as `adaptive_avg_pool1d`. 1 is the global mean."""
    return _adaptive(2, x, output_size)
