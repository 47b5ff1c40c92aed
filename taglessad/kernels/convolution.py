"""NumPy kernel of convolution: matrix products of windows laid side by side, or NumPy's own sums."""

import math
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

Array = NDArray[Any]  # Any: the dtype is data
Axes: TypeAlias = tuple[int, ...]
Window: TypeAlias = tuple[Axes, tuple[tuple[Any, Any], ...], Axes, Axes, int]
"""shapes.convolution.Window; Any: sizes, which are ints here."""

_COPIED: Final = 2**17
"""Entries of windows that are copied at a time: they are to stay in the processor's cache."""


def convolution(x: Array, kernel: Array, window: Window) -> Array:
    """[N, C, *n] and [O, C // groups, *k] to [N, O, *m]; see rules/convolution.py."""
    strides, padding, dilation, kernel_dilation, groups = window
    if strides == dilation == kernel_dilation == (1,) and _in_rows(x, kernel, window):
        return _row_by_row(x, kernel, window)
    padded = [
        before + _spread(n, e) + after
        for n, e, (before, after) in zip(x.shape[2:], dilation, padding, strict=True)
    ]
    results = tuple(
        (n - _spread(k, d)) // s + 1
        for n, k, d, s in zip(padded, kernel.shape[2:], kernel_dilation, strides, strict=True)
    )
    if any(e > 1 for e in dilation) and all(s == 1 for s in strides):
        if math.prod(results) >= math.prod(kernel.shape[2:]):
            return _spread_out(x, kernel, window, results)
        if all(d == 1 for d in kernel_dilation):
            return _exchanged(x, kernel, window, results)
    whole = _padded(x, [max(0, n) for n in padded], window)
    if kernel.shape[0] == groups and kernel.shape[1] == 1:
        return _tap_by_tap(whole, kernel, window, results)
    return _side_by_side(whole, kernel, window, results)


def _spread(n: int, dilation: int) -> int:
    return (n - 1) * dilation + 1 if n else 0


def _in_rows(x: Array, kernel: Array, window: Window) -> bool:
    """Whether NumPy's own correlation of each pair of rows is the faster way: of few, long rows.

    Windows side by side would be results * taps entries for each channel, each read `each` times.
    """
    groups, outputs, channels, taps = map(int, (window[4], *kernel.shape))
    if outputs == groups and channels == 1:
        return len(x) * groups <= taps
    each = max(1, outputs // groups)
    return taps >= 32 * each and taps * _results(x, kernel, window) > _COPIED


def _results(x: Array, kernel: Array, window: Window) -> int:
    """How many there are along one axis without gaps."""
    before, after = window[1][0]
    return int(x.shape[2] + before + after - kernel.shape[2] + 1)


def _row_by_row(x: Array, kernel: Array, window: Window) -> Array:
    """Along one axis without gaps: each row with each row of the kernel, by dot products."""
    outputs, channels, taps = kernel.shape
    members, _, n = x.shape
    count = _results(x, kernel, window)
    # Result i is the sum over k of kernel[k] * x[i + shift + k]; what no result needs is left out.
    shift = -window[1][0][0]
    low, high = max(0, shift), min(n, shift + count + taps - 1)
    first, last = max(0, low - shift - count + 1), min(taps, high - shift)
    if low >= high or first >= last:
        return np.zeros((members, outputs, count), x.dtype)
    rows, moving = x[:, :, low:high], kernel[:, :, first:last]
    shift += first - low
    longer = high - low - (last - first)  # the row, than the kernel
    inner = min(0, longer) <= shift and shift + count - 1 <= max(0, longer)
    mode: Literal["valid", "full"] = "valid" if inner else "full"
    start = min(0, longer) if inner else 1 - (last - first)  # the shift of their first entry
    size = abs(longer) + 1 if inner else high - low + last - first - 1
    read, written = _overlap(start - shift, 1, size, count)
    if members * outputs * channels == 1 and read.stop - read.start == count:  # no second array
        return np.correlate(rows[0, 0], moving[0, 0], mode)[None, None, read]
    y = np.zeros((members, outputs, count), x.dtype)
    each = max(1, outputs // window[4])
    for i, o, c in np.ndindex(members, outputs, channels):
        row = rows[i, o // each * channels + c]
        y[i, o, written] += np.correlate(row, moving[o, c], mode)[read]
    return y


def _padded(x: Array, sizes: list[int], window: Window) -> Array:
    """The operand among its zeros, less what negative padding cuts off."""
    _, padding, dilation, _, _ = window
    if not any(map(any, padding)) and all(e == 1 for e in dilation):
        return x
    source, target = [slice(None)] * 2, [slice(None)] * 2
    for n, (before, _), e, size in zip(x.shape[2:], padding, dilation, sizes, strict=True):
        read, written = _overlap(before, e, n, size)
        source.append(read)
        target.append(written)
    y = np.zeros((*x.shape[:2], *sizes), x.dtype)
    y[tuple(target)] = x[tuple(source)]
    return y


def _overlap(start: int, step: int, count: int, size: int) -> tuple[slice, slice]:
    """Of `count` entries at start, start + step, ...: which lie within 0 .. size - 1, and where."""
    first = max(0, -(start // step))
    stop = max(first, min(count, (size - 1 - start) // step + 1))
    if stop == first:
        return slice(0, 0), slice(0, 0)
    return slice(first, stop), slice(start + first * step, start + (stop - 1) * step + 1, step)


def _side_by_side(x: Array, kernel: Array, window: Window, results: Axes) -> Array:
    """One matrix product for each group and some members at a time (im2col)."""
    strides, _, _, kernel_dilation, groups = window
    outputs, channels, *taps = kernel.shape
    members, each = x.shape[0], outputs // groups
    lead, deep, *space = x.strides
    moves = [s * n for s, n in zip(space, strides, strict=True)]
    steps = [s * n for s, n in zip(space, kernel_dilation, strict=True)]
    inner, count = channels * math.prod(taps), math.prod(results)
    weights = kernel.reshape(groups, each, inner)
    some = max(1, _COPIED // max(1, groups * inner * count))
    y = np.empty((members, groups, each, count), x.dtype)
    if not taps or results[-1] >= taps[-1]:
        # Runs along the results are the longer ones: copy along them.
        sizes = (members, groups, channels, *taps, *results)
        jumps = (lead, deep * channels, deep, *steps, *moves)
        windows = as_strided(x, sizes, jumps, writeable=False)
        for i in range(0, members, some):
            part = windows[i : i + some]
            columns = part.reshape(len(part), groups, inner, count)
            np.matmul(weights, columns, out=y[i : i + some])
    else:
        sizes = (members, groups, *results, channels, *taps)
        jumps = (lead, deep * channels, *moves, deep, *steps)
        windows = as_strided(x, sizes, jumps, writeable=False)
        some = max(some, min(members, -(-64 // max(1, count))))  # rows enough for a product
        turned = weights.swapaxes(1, 2)
        for i in range(0, members, some):
            part = windows[i : i + some]
            n = len(part)
            rows = part.swapaxes(0, 1).reshape(groups, n * count, inner)
            made = np.matmul(rows, turned).reshape(groups, n, count, each)
            y[i : i + n] = made.transpose(1, 0, 3, 2)
    return y.reshape(members, outputs, *results)


def _tap_by_tap(x: Array, kernel: Array, window: Window, results: Axes) -> Array:
    """A channel of its own for each result: a product and a sum for each entry of the kernel."""
    strides, _, _, kernel_dilation, _ = window
    y = np.zeros((*x.shape[:2], *results), x.dtype)
    ones = (1,) * len(results)
    layers: list[tuple[tuple[slice, ...], Array]] = []
    for tap in np.ndindex(*kernel.shape[2:]):
        starts = [k * d for k, d in zip(tap, kernel_dilation, strict=True)]
        places = [
            slice(a, a + _spread(n, s), s) for a, n, s in zip(starts, results, strides, strict=True)
        ]
        weight = kernel[(slice(None), 0, *tap)].reshape(-1, *ones)
        layers.append(((slice(None), slice(None), *places), weight))
    some = max(1, _COPIED // max(1, math.prod(y.shape[1:])))
    for i in range(0, len(y), some):
        part, made = x[i : i + some], y[i : i + some]
        product = np.empty_like(made)
        for region, weight in layers:
            np.multiply(part[region], weight, out=product)
            made += product
    return y


def _spread_out(x: Array, kernel: Array, window: Window, results: Axes) -> Array:
    """An operand with zeros between its entries: each entry times the kernel, added in its place.

    No product with one of those zeros is made.
    """
    _, padding, dilation, kernel_dilation, groups = window
    outputs, channels, *taps = kernel.shape
    members, _, *sizes = x.shape
    each, count, cells = outputs // groups, math.prod(sizes), math.prod(taps)
    weights = kernel.reshape(groups, each, channels, cells).transpose(0, 3, 1, 2)
    flat = np.ascontiguousarray(weights).reshape(groups, cells * each, channels)
    y = np.zeros((members, groups, each, *results), x.dtype)
    some = max(1, _COPIED // max(1, groups * cells * each * count))
    for i in range(0, members, some):
        rows = x[i : i + some]
        part = rows.reshape(len(rows), groups, channels, count)
        pieces = np.matmul(flat, part).reshape(len(part), groups, cells, each, *sizes)
        for j, tap in enumerate(np.ndindex(*taps)):
            places = zip(tap, padding, dilation, kernel_dilation, sizes, results, strict=True)
            pairs = [_overlap(a - k * d, e, n, m) for k, (a, _), e, d, n, m in places]
            read = (slice(None), slice(None), j, slice(None), *(r for r, _ in pairs))
            written = (slice(i, i + some), slice(None), slice(None), *(w for _, w in pairs))
            y[written] += pieces[read]
    return y.reshape(members, outputs, *results)


def _exchanged(x: Array, kernel: Array, window: Window, results: Axes) -> Array:
    """Few results of a large kernel: the operand moves over the kernel, which has no zeros.

    y[i] is the sum over m of x[m] * kernel[a - i + m * e]: with i counted from the back, a
    convolution of the kernel.
    """
    _, padding, dilation, _, groups = window
    outputs, channels, *taps = kernel.shape
    members, _, *sizes = x.shape
    each = outputs // groups
    space = range(len(taps))
    ends: list[tuple[int, int]] = []
    for n, k, m, (before, _), e in zip(sizes, taps, results, padding, dilation, strict=True):
        start = m - 1 - before
        ends.append((start, _spread(n, e) + m - 1 - k - start))
    operand = kernel.reshape(groups, each, channels, *taps).swapaxes(0, 1)
    moving = x.reshape(members, groups, channels, *sizes).swapaxes(0, 1)
    ones = (1,) * len(taps)
    y = convolution(
        operand.reshape(each, groups * channels, *taps),
        moving.reshape(groups * members, channels, *sizes),
        (ones, tuple(ends), ones, dilation, groups),
    )
    parts = np.flip(y, tuple(i + 2 for i in space)).reshape(each, groups, members, *results)
    whole: Array = parts.transpose(2, 1, 0, *(i + 3 for i in space))
    return whole.reshape(members, outputs, *results)
