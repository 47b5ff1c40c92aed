"""Layers that pool: inputs are [N, C, L] or [N, C, H, W]. They have no parameters."""

from taglessad.nn import pooling
from taglessad.nn.module import Module
from taglessad.tensor import Tensor


class MaxPool1d(Module):
    """`nn.functional.max_pool1d`: [N, C, L] -> [N, C, M]."""

    kernel_size: int | tuple[int, ...]
    stride: int | tuple[int, ...] | None = None
    padding: int | tuple[int, ...] = 0
    dilation: int | tuple[int, ...] = 1

    def __call__(self, x: Tensor, /) -> Tensor:
        return pooling.max_pool1d(
            x, self.kernel_size, stride=self.stride, padding=self.padding, dilation=self.dilation
        )


class MaxPool2d(Module):
    """`nn.functional.max_pool2d`: [N, C, H, W] -> [N, C, ...]."""

    kernel_size: int | tuple[int, ...]
    stride: int | tuple[int, ...] | None = None
    padding: int | tuple[int, ...] = 0
    dilation: int | tuple[int, ...] = 1

    def __call__(self, x: Tensor, /) -> Tensor:
        return pooling.max_pool2d(
            x, self.kernel_size, stride=self.stride, padding=self.padding, dilation=self.dilation
        )


class AvgPool1d(Module):
    """`nn.functional.avg_pool1d`: [N, C, L] -> [N, C, M]."""

    kernel_size: int | tuple[int, ...]
    stride: int | tuple[int, ...] | None = None
    padding: int | tuple[int, ...] = 0
    count_include_pad: bool = True

    def __call__(self, x: Tensor, /) -> Tensor:
        return pooling.avg_pool1d(
            x,
            self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            count_include_pad=self.count_include_pad,
        )


class AvgPool2d(Module):
    """`nn.functional.avg_pool2d`: [N, C, H, W] -> [N, C, ...]."""

    kernel_size: int | tuple[int, ...]
    stride: int | tuple[int, ...] | None = None
    padding: int | tuple[int, ...] = 0
    count_include_pad: bool = True

    def __call__(self, x: Tensor, /) -> Tensor:
        return pooling.avg_pool2d(
            x,
            self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            count_include_pad=self.count_include_pad,
        )


class AdaptiveAvgPool1d(Module):
    """`nn.functional.adaptive_avg_pool1d`; 1 is the mean over the axis."""

    output_size: int | tuple[int, ...] = 1

    def __call__(self, x: Tensor, /) -> Tensor:
        return pooling.adaptive_avg_pool1d(x, self.output_size)


class AdaptiveAvgPool2d(Module):
    """`nn.functional.adaptive_avg_pool2d`; 1 is the mean over the image."""

    output_size: int | tuple[int, ...] = 1

    def __call__(self, x: Tensor, /) -> Tensor:
        return pooling.adaptive_avg_pool2d(x, self.output_size)
