"""Convolutions over the last axes: [N, C, L] or [N, C, H, W], channels second.

As in every library of neural networks, kernels are not turned round: y[i] = sum over k of
kernel[k] * x[i + k]. Operands come to their common dtype. padding is a number of zeros on every
side, one for each spatial axis, a pair (before, behind) for each, "valid" (none) or "same"
(ceil(n / stride) results along an axis of n, the odd zero behind). Sizes may be symbols.

Raises ShapeError for operands of another rank, where channels differ, and where the kernel does
not fit; ArgumentError for options that are none.
"""

from typing import Any, SupportsIndex

from taglessad.dispatch import as_number, meet
from taglessad.rules.convolution import turned
from taglessad.shapes import convolution as shapes
from taglessad.shapes.convolution import Padding, Sizes
from taglessad.tensor import Tensor, TensorLike, handle

_OPERANDS = ("x", "kernel")


def _conv(
    rank: int, x: TensorLike, kernel: TensorLike, *, transposed: bool = False, **options: Any
) -> Tensor:
    # Any: the options of `shapes.conv` or `shapes.conv_transpose`, which check them.
    what = f"nn.functional.conv{'_transpose' if transposed else ''}{rank}d"
    met = as_number(meet(what, (x, kernel), _OPERANDS))
    ops, (a, k) = met.ops, met.payloads
    planned = shapes.conv_transpose if transposed else shapes.conv
    plan = planned(ops.shape(a), ops.shape(k), rank, what=what, **options)
    if transposed:
        k = turned(ops, k, plan.window.groups)
    y: Tensor = handle(ops, ops.convolution(a, k, plan.window), met.dtype, met.weak)
    return y


def conv1d(
    x: Tensor,
    kernel: Tensor,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> Tensor:
    """[N, C, L], kernel [O, C // groups, K] -> [N, O, M].

    M = (L + padding before and behind - span) // stride + 1, span = (K - 1) * dilation + 1. With
    groups, channels and results are divided into so many groups that do not see each other.
    """
    return _conv(1, x, kernel, stride=stride, padding=padding, dilation=dilation, groups=groups)


def conv2d(
    x: Tensor,
    kernel: Tensor,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> Tensor:
    """[N, C, H, W], kernel [O, C // groups, K, L] -> [N, O, ...]; each axis as `conv1d`'s."""
    return _conv(2, x, kernel, stride=stride, padding=padding, dilation=dilation, groups=groups)


def conv_transpose1d(
    x: Tensor,
    kernel: Tensor,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    output_padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> Tensor:
    """[N, C, L], kernel [C, O // groups, K] -> [N, O, M]: the transpose of `conv1d` in its x.

    M = (L - 1) * stride + span + output_padding - padding before and behind; for padding="same"
    L * stride.
    """
    return _conv(
        1,
        x,
        kernel,
        transposed=True,
        stride=stride,
        padding=padding,
        output_padding=output_padding,
        dilation=dilation,
        groups=groups,
    )


def conv_transpose2d(
    x: Tensor,
    kernel: Tensor,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    output_padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> Tensor:
    """[N, C, H, W], kernel [C, O // groups, K, L] -> [N, O, ...]; axes as `conv_transpose1d`'s."""
    return _conv(
        2,
        x,
        kernel,
        transposed=True,
        stride=stride,
        padding=padding,
        output_padding=output_padding,
        dilation=dilation,
        groups=groups,
    )
