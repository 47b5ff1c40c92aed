"""Spectra, convolutions, pooling, segments and scatters, by the same name in each library.

Images are [N, C, H, W], signals [N, C, L], in all three.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

import taglessad as tad

nn = tad.nn.functional


class OurSignals:
    """This library's."""

    def rfft(self, x: Any, axis: int, norm: str) -> tuple[Any, Any]:
        return tad.fft.rfft(x, axis=axis, norm=norm)

    def irfft(self, re: Any, im: Any, n: int, axis: int, norm: str) -> Any:
        return tad.fft.irfft(re, im, n, axis=axis, norm=norm)

    def conv1d(self, x: Any, kernel: Any, **options: int) -> Any:
        return nn.conv1d(x, kernel, **options)

    def conv2d(self, x: Any, kernel: Any, **options: int) -> Any:
        return nn.conv2d(x, kernel, **options)

    def conv_transpose1d(self, x: Any, kernel: Any, **options: int) -> Any:
        return nn.conv_transpose1d(x, kernel, **options)

    def max_pool2d(self, x: Any, size: int, stride: int, padding: int) -> Any:
        return nn.max_pool2d(x, size, stride=stride, padding=padding)

    def avg_pool2d(self, x: Any, size: int, stride: int, padding: int, border: bool) -> Any:
        return nn.avg_pool2d(x, size, stride=stride, padding=padding, count_include_pad=border)

    def adaptive_avg_pool1d(self, x: Any, size: int) -> Any:
        return nn.adaptive_avg_pool1d(x, size)

    def segment(self, name: str, data: Any, ids: Sequence[int], count: int) -> Any:
        return getattr(tad, f"segment_{name}")(data, np.asarray(ids), count)

    def take_along(self, x: Any, index: Any, axis: int) -> Any:
        return tad.take_along_axis(x, index, axis=axis)

    def at(self, method: str, x: Any, index: Any, value: Any) -> Any:
        return getattr(x.at[index], method)(value)


class Slices:
    """What JAX and PyTorch have in common: definitions, written with slices."""

    xp: Any
    stack: Any

    def segment(self, name: str, data: Any, ids: Sequence[int], count: int) -> Any:
        fold = getattr(self, f"_{name}")
        rows = [[data[i] for i, j in enumerate(ids) if j == n] for n in range(count)]
        empty = {"sum": 0.0, "prod": 1.0}
        return self.stack([fold(self.stack(r)) if r else data[0] * 0.0 + empty[name] for r in rows])

    def _sum(self, x: Any) -> Any:
        return self.xp.sum(x, axis=0)

    def _prod(self, x: Any) -> Any:
        return self.xp.prod(x, axis=0)

    def _max(self, x: Any) -> Any:
        return self.extreme("max", x, 0)

    def _min(self, x: Any) -> Any:
        return self.extreme("min", x, 0)

    def extreme(self, name: str, x: Any, axis: int) -> Any:
        raise NotImplementedError  # each library's own

    def adaptive_avg_pool1d(self, x: Any, size: int) -> Any:
        n = x.shape[-1]
        ends = [(i * n // size, -(-(i + 1) * n // size)) for i in range(size)]
        means = [self.xp.mean(x[..., a:b], axis=-1, keepdims=True) for a, b in ends]
        return self.xp.concat(means, axis=-1)

    def at(self, method: str, x: Any, index: Any, value: Any) -> Any:
        """`multiply`, `min` and `max` of whole numbers of rows, one after the other."""
        rows = [x[i] for i in range(x.shape[0])]
        fold = {
            "multiply": lambda a, b: a * b,
            "min": self.xp.minimum,
            "max": self.xp.maximum,
        }[method]
        for i, j in enumerate(index.tolist()):
            rows[j] = fold(rows[j], value[i])
        return self.stack(rows)


class JaxSignals(Slices):
    """JAX's, convolutions from `jax.lax`."""

    jax: Any

    def rfft(self, x: Any, axis: int, norm: str) -> tuple[Any, Any]:
        y = self.xp.fft.rfft(x, axis=axis, norm=norm)
        return y.real, y.imag

    def irfft(self, re: Any, im: Any, n: int, axis: int, norm: str) -> Any:
        return self.xp.fft.irfft(self.jax.lax.complex(re, im), n, axis=axis, norm=norm)

    def conv1d(
        self, x: Any, kernel: Any, stride: int = 1, padding: int = 0, dilation: int = 1,
        groups: int = 1,
    ) -> Any:  # fmt: skip
        return self.jax.lax.conv_general_dilated(
            x, kernel, (stride,), [(padding, padding)], rhs_dilation=(dilation,),
            feature_group_count=groups,
        )  # fmt: skip

    def conv2d(self, x: Any, kernel: Any, stride: int = 1, padding: int = 0) -> Any:
        ends = [(padding, padding)] * 2
        return self.jax.lax.conv_general_dilated(x, kernel, (stride, stride), ends)

    def conv_transpose1d(self, x: Any, kernel: Any, stride: int = 1, padding: int = 0) -> Any:
        end = kernel.shape[-1] - 1 - padding
        turned = self.xp.swapaxes(self.xp.flip(kernel, axis=-1), 0, 1)
        return self.jax.lax.conv_general_dilated(
            x, turned, (1,), [(end, end)], lhs_dilation=(stride,)
        )

    def max_pool2d(self, x: Any, size: int, stride: int, padding: int) -> Any:
        return self.xp.max(self._windows(x, size, stride, padding, -np.inf), axis=0)

    def avg_pool2d(self, x: Any, size: int, stride: int, padding: int, border: bool) -> Any:
        total = self.xp.sum(self._windows(x, size, stride, padding, 0.0), axis=0)
        if border:
            return total / size**2
        ones = self.xp.ones_like(x)
        return total / self.xp.sum(self._windows(ones, size, stride, padding, 0.0), axis=0)

    def _windows(self, x: Any, size: int, stride: int, padding: int, filler: float) -> Any:
        """The entries of each window, [size**2, N, C, H, W]."""
        ends = ((0, 0), (0, 0), (padding, padding), (padding, padding))
        wide = self.xp.pad(x, ends, constant_values=filler)
        h, w = ((n + 2 * padding - size) // stride + 1 for n in x.shape[2:])
        spots = [(i, j) for i in range(size) for j in range(size)]
        return self.xp.stack(
            [
                wide[:, :, i : i + stride * h - stride + 1 : stride,
                     j : j + stride * w - stride + 1 : stride]
                for i, j in spots
            ]
        )  # fmt: skip

    def take_along(self, x: Any, index: Any, axis: int) -> Any:
        return self.xp.take_along_axis(x, index, axis=axis)

    def at(self, method: str, x: Any, index: Any, value: Any) -> Any:
        if method in ("set", "add"):
            return getattr(x.at[index], method)(value)
        return super().at(method, x, index, value)  # JAX does not differentiate these twice


class TorchSignals(Slices):
    """PyTorch's."""

    torch: Any

    def rfft(self, x: Any, axis: int, norm: str) -> tuple[Any, Any]:
        y = self.torch.fft.rfft(x, dim=axis, norm=norm)
        return y.real, y.imag

    def irfft(self, re: Any, im: Any, n: int, axis: int, norm: str) -> Any:
        return self.torch.fft.irfft(self.torch.complex(re, im), n, dim=axis, norm=norm)

    def conv1d(self, x: Any, kernel: Any, **options: int) -> Any:
        return self.torch.nn.functional.conv1d(x, kernel, **options)

    def conv2d(self, x: Any, kernel: Any, **options: int) -> Any:
        return self.torch.nn.functional.conv2d(x, kernel, **options)

    def conv_transpose1d(self, x: Any, kernel: Any, **options: int) -> Any:
        return self.torch.nn.functional.conv_transpose1d(x, kernel, **options)

    def max_pool2d(self, x: Any, size: int, stride: int, padding: int) -> Any:
        return self.torch.nn.functional.max_pool2d(x, size, stride, padding)

    def avg_pool2d(self, x: Any, size: int, stride: int, padding: int, border: bool) -> Any:
        return self.torch.nn.functional.avg_pool2d(
            x, size, stride, padding, count_include_pad=border
        )

    def adaptive_avg_pool1d(self, x: Any, size: int) -> Any:
        return self.torch.nn.functional.adaptive_avg_pool1d(x, size)

    def take_along(self, x: Any, index: Any, axis: int) -> Any:
        return self.torch.take_along_dim(x, index, dim=axis)

    def at(self, method: str, x: Any, index: Any, value: Any) -> Any:
        if method not in ("set", "add"):
            return super().at(method, x, index, value)
        y = x.clone()
        places = index if isinstance(index, tuple) else (index,)
        if method == "set":
            y[places] = value
            return y
        return y.index_put(places, value, accumulate=True)
