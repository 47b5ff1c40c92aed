"""Convolution: one bilinear primitive, whose two transposes are convolutions. Legend in primitive.py.

Without its batch, channels and options, y[i] = sum over k of kernel[k] * x[i + k]: what other
libraries call convolution is this correlation. A window (see shapes/convolution.py) says how the
kernel moves. With strides s, dilation e of the operand, d of the kernel and a zeros before it,

    y[i] = sum over k and m, where i * s + k * d = a + m * e, of kernel[k] * x[m]:

read as a sum over i and k that is a convolution of y's cotangent with the kernel turned round, in
which s and e have changed places; read as a sum over i and m it is one of x, with the cotangent
for its kernel, in which s and d have changed places.
"""

from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from taglessad.dtypes import float32
from taglessad.interpreter import Interpreter
from taglessad.primitive import RESULT, Aval, Flow, declare, linear
from taglessad.rules.infer import common
from taglessad.rules.inner import below
from taglessad.rules.structural import Mapped
from taglessad.shapes import Extent, Shape
from taglessad.shapes.convolution import Pair, Window, convolution, spread

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _infer(x: Aval, kernel: Aval, window: Window) -> Aval:
    scalar = common(Aval((), x.dtype), Aval((), kernel.dtype))
    return Aval(convolution(x.shape, kernel.shape, window), scalar.dtype)


def _ends(before: Extent, size: Extent, taps: Extent, stride: int, wanted: Extent) -> Pair:
    """Padding with which a kernel that spans `taps` has `wanted` positions on `size` entries."""
    return before, (wanted - 1) * stride + taps - size - before


def turned(ops: "Ops[R]", kernel: R, groups: int) -> R:
    """The kernel of the transpose: reversed in space, channels for results in every group."""
    outputs, channels, *taps = ops.shape(kernel)
    rank = len(taps)
    space = tuple(range(3, 3 + rank))
    parts: Shape = (groups, outputs // groups, channels, *taps)
    swapped = ops.permute(ops.reshape(kernel, parts), (0, 2, 1, *space))
    whole: Shape = (channels * groups, outputs // groups, *taps)
    return ops.flip(ops.reshape(swapped, whole), tuple(range(2, 2 + rank)))


def _x_push(ops: "Ops[R]", d: R, y: R, x: R, kernel: R, window: Window) -> R:
    return ops.convolution(d, kernel, window)


def _x_pull(ops: "Ops[R]", d: R, y: R, x: R, kernel: R, window: Window) -> R:
    strides, padding, dilation, kernel_dilation, groups = window
    sizes, taps, results = ops.shape(x)[2:], ops.shape(kernel)[2:], ops.shape(d)[2:]
    ends = tuple(
        _ends((k - 1) * kd - padding[i][0], spread(m, s), spread(k, kd), e, n)
        for i, (n, k, m, s, e, kd) in enumerate(
            zip(sizes, taps, results, strides, dilation, kernel_dilation, strict=True)
        )
    )
    back = Window(dilation, ends, strides, kernel_dilation, groups)
    return ops.convolution(d, turned(ops, kernel, groups), back)


def _kernel_push(ops: "Ops[R]", d: R, y: R, x: R, kernel: R, window: Window) -> R:
    return ops.convolution(x, d, window)


def _kernel_pull(ops: "Ops[R]", d: R, y: R, x: R, kernel: R, window: Window) -> R:
    strides, padding, dilation, kernel_dilation, groups = window
    members, _, *sizes = ops.shape(x)
    channels, *taps = ops.shape(kernel)[1:]
    space = tuple(range(2, 2 + len(taps)))
    ends = tuple(
        _ends(padding[i][0], spread(n, e), spread(m, s), kd, k)
        for i, (n, k, m, s, e, kd) in enumerate(
            zip(sizes, taps, ops.shape(d)[2:], strides, dilation, kernel_dilation, strict=True)
        )
    )
    # The sum runs over the members of the batch, so they stand where channels stand.
    parts = ops.reshape(x, (members, groups, channels, *sizes))
    across = ops.permute(parts, (2, 1, 0, *(i + 1 for i in space)))
    operand = ops.reshape(across, (channels, groups * members, *sizes))
    back = Window(kernel_dilation, ends, dilation, strides, groups)
    found = ops.convolution(operand, ops.permute(d, (1, 0, *space)), back)
    return ops.permute(found, (1, 0, *space))


def _batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, kernel: R, window: Window) -> R:
    groups = window.groups
    if not mapped[1]:  # the batch is more members
        own = ops.shape(x)
        y = ops.convolution(ops.reshape(x, (size * own[1], *own[2:])), kernel, window)
        return ops.reshape(y, (size, own[1], *ops.shape(y)[1:]))
    outputs, channels, *taps = ops.shape(kernel)[1:]
    rank = len(taps)
    each = outputs // groups
    if not mapped[0]:  # the batch is more results in every group
        space = tuple(range(3, 3 + rank))
        parts = ops.reshape(kernel, (size, groups, each, channels * _count(taps)))
        whole = ops.reshape(
            ops.permute(parts, (1, 0, 2, 3)), (groups * size * each, channels, *taps)
        )
        y = ops.convolution(x, whole, window)
        members, _, *made = ops.shape(y)
        split = ops.reshape(y, (members, groups, size, each, *made))
        order = (2, 0, 1, 3, *(i + 1 for i in space))
        return ops.reshape(ops.permute(split, order), (size, members, outputs, *made))
    # Both: the batch is more groups.
    members, wide, *sizes = ops.shape(x)[1:]
    space = tuple(range(3, 3 + rank))
    operand = ops.reshape(ops.permute(x, (1, 0, 2, *space)), (members, size * wide, *sizes))
    whole = ops.reshape(kernel, (size * outputs, channels, *taps))
    y = ops.convolution(operand, whole, window._replace(groups=size * groups))
    made = list(ops.shape(y)[2:])
    return ops.permute(ops.reshape(y, (members, size, outputs, *made)), (1, 0, 2, *space))


def _count(sizes: list[Extent]) -> Extent:
    total: Extent = 1
    for n in sizes:
        total = total * n
    return total


def _meets(
    ops: "Ops[R]", alive: R, source: int, target: int, shapes: tuple[Shape, ...], window: Window
) -> R:
    """What meets what in space alone: a channel counts as alive where any of its group is.

    So one channel is convolved instead of all with all.
    """
    one = window._replace(groups=1)
    (members, _, *sizes), (outputs, _, *taps), (_, _, *made) = shapes

    def ones(*shape: Extent) -> R:
        return ops.broadcast(ops.const(np.ones((), np.float32)), shape)

    x, kernel, y = ones(members, 1, *sizes), ones(1, 1, *taps), ones(members, 1, *made)
    every = (0, 1) if source == 1 and target != RESULT else (1,)
    if source != RESULT or target == 0:
        kept = tuple(1 if i in every else n for i, n in enumerate(ops.shape(alive)))
        alive = ops.reshape(ops.any(alive, every), kept)
    counts = ops.cast(alive, float32)
    if target == RESULT:
        met = ops.convolution(counts, kernel, one) if source == 0 else None
        met = ops.convolution(x, counts, one) if met is None else met
    elif target == 0:
        d, k = (counts, kernel) if source == RESULT else (y, counts)
        met = _x_pull(ops, d, y, x, k, one)
    elif source == RESULT:
        met = _kernel_pull(ops, counts, y, x, ones(outputs, 1, *taps), one)
    else:
        met = _kernel_pull(ops, y, y, counts, kernel, one)
    return below(ops, ops.scalar(0, met), met)


CONVOLUTION: Final = declare(
    "convolution",
    _infer,
    (
        linear(_x_push, _x_pull, push_flow=Flow.MIX, pull_flow=Flow.MIX),
        linear(_kernel_push, _kernel_pull, push_flow=Flow.MIX, pull_flow=Flow.MIX),
    ),
    "bilinear",
    _batch,
    _meets,
)


class Convolution(Interpreter[R]):
    """The method of this family."""

    def convolution(self, x: R, kernel: R, window: Window, /) -> R:
        """[N, C, *n] with a kernel [O, C // groups, *k] moving over it: [N, O, *m]."""
        return self.apply(CONVOLUTION, (x, kernel), (window,))
