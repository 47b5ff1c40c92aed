"""Layers that normalise by mean and variance."""

from typing import Any, Generic, NamedTuple

from typing_extensions import TypeVar, TypeVarTuple

from taglessad.array_api.manipulation import reshape
from taglessad.array_api.statistical import mean, var
from taglessad.array_api.transcendental import sqrt
from taglessad.convert import as_handle
from taglessad.dtypes import float64, is_real
from taglessad.errors import ArgumentError, DTypeError, ShapeError
from taglessad.nn import init as initializers
from taglessad.nn.checks import (
    at_least_one,
    cannot_take,
    check_channels,
    check_last_axes,
    divides,
    share,
)
from taglessad.nn.module import Module, assign
from taglessad.shapes import size
from taglessad.shapes.dim_types import Size
from taglessad.tensor import Tensor, TensorLike

# Any as default: a size that a type checker cannot tell.
Features = TypeVar("Features", default=Any)
S = TypeVarTuple("S")
# Any below: sizes, and handles whose shapes are checked.


def _sizes(shape: Any, what: str) -> tuple[int, ...]:
    given = shape if isinstance(shape, tuple) else (shape,)
    return tuple(at_least_one(n, what, "shape") for n in given)


def _one_and_zero(n: tuple[int, ...], what: str, dtype: object) -> tuple[Tensor, Tensor]:
    """Parameters of that shape that leave what is normalised as it is: a factor, a shift."""
    random = initializers.generator(0, what)
    one = initializers.parameter(initializers.ones, random, n, dtype, what)
    return one, initializers.parameter(initializers.zeros, random, n, dtype, what)


def _shape(w: Tensor) -> tuple[int, ...]:
    shape: Any = w.shape  # parameters have sizes that are numbers
    return tuple(shape)


def _real(x: TensorLike, what: str) -> Any:
    t = as_handle(x, what, "x")
    if not is_real(t.dtype):
        raise DTypeError(f"{what}: x has dtype {t.dtype}; it is of real numbers")
    return t


def _with_last_axes(layer: str, x: TensorLike, w: Tensor) -> tuple[Any, tuple[int, ...]]:
    """An input of a layer whose last axes have the shape of w, and those axes."""
    t, wanted = _real(x, f"nn.{layer}"), _shape(w)
    check_last_axes(f"{layer}{list(wanted)}", t.shape, wanted)
    return t, tuple(range(-len(wanted), 0))


def _normalized(t: Any, axes: tuple[int, ...], eps: float) -> Any:
    centered = t - mean(t, axis=axes, keepdims=True)
    return centered / sqrt(mean(centered * centered, axis=axes, keepdims=True) + eps)


class LayerNorm(Module, Generic[Features]):
    """(x - mean) / sqrt(var + eps) * w + b, over the last axes (Ba et al. 2016).

    w, b: of the shape given, which is that of the last axes of x; b is None where bias=False.
    Raises ShapeError for other last axes.
    """

    w: Tensor[Features]
    b: Tensor[Features]
    eps: float

    def __init__(
        self,
        shape: Size[Features] | tuple[int, ...],
        *,
        eps: float = 1e-5,
        bias: bool = True,
        dtype: object = float64,
    ) -> None:
        what = "nn.LayerNorm"
        w, b = _one_and_zero(_sizes(shape, what), what, dtype)
        assign(self, w=w, b=b if bias else None, eps=float(eps))

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        t, axes = _with_last_axes("LayerNorm", x, self.w)
        y: Any = _normalized(t, axes, self.eps) * self.w
        scaled: Tensor[*S] = y if self.b is None else y + self.b  # pyright: ignore[reportUnnecessaryComparison]
        return scaled


class RMSNorm(Module, Generic[Features]):
    """x / sqrt(mean(x**2) + eps) * w, over the last axes (Zhang and Sennrich 2019).

    w: of the shape given, which is that of the last axes of x. Raises ShapeError for others.
    """

    w: Tensor[Features]
    eps: float

    def __init__(
        self,
        shape: Size[Features] | tuple[int, ...],
        *,
        eps: float = 1e-6,
        dtype: object = float64,
    ) -> None:
        what = "nn.RMSNorm"
        w, _ = _one_and_zero(_sizes(shape, what), what, dtype)
        assign(self, w=w, eps=float(eps))

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        t, axes = _with_last_axes("RMSNorm", x, self.w)
        y: Any = t / sqrt(mean(t * t, axis=axes, keepdims=True) + self.eps) * self.w
        scaled: Tensor[*S] = y
        return scaled


class GroupNorm(Module, Generic[Features]):
    """Each group of channels of each member normalised together (Wu and He 2018).

    x: [N, C, ...]. w, b: [C]. Raises ShapeError for other channels, ArgumentError where `groups`
    does not divide them.
    """

    w: Tensor[Features]
    b: Tensor[Features]
    groups: int
    eps: float

    def __init__(
        self,
        channels: Size[Features],
        groups: int = 1,
        *,
        eps: float = 1e-5,
        dtype: object = float64,
    ) -> None:
        what = "nn.GroupNorm"
        count, n = at_least_one(groups, what, "groups"), at_least_one(channels, what, "channels")
        if not divides(count, n):
            raise ArgumentError(f"{what}: {n} channels are no multiple of {count} groups")
        w, b = _one_and_zero((n,), what, dtype)
        assign(self, w=w, b=b, groups=count, eps=float(eps))

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        t = _real(x, "nn.GroupNorm")
        shape: Any = t.shape
        (channels,) = _shape(self.w)
        check_channels(f"GroupNorm[{channels}, groups={self.groups}]", shape, channels)
        each = size((share(channels, self.groups), *shape[2:]))
        parts = reshape(t, (shape[0], self.groups, each))
        y = reshape(_normalized(parts, (2,), self.eps), shape)
        scaled: Tensor[*S] = _by_channel(y, self.w, self.b)
        return scaled


def _by_channel(y: Any, w: Tensor, b: Tensor) -> Any:
    ones = (1,) * (y.ndim - 2)
    return y * reshape(w, (-1, *ones)) + reshape(b, (-1, *ones))


class BatchStatistics(NamedTuple):
    """Running mean and variance of each channel: the state of a `BatchNorm`."""

    mean: Tensor
    var: Tensor


class BatchNorm(Module, Generic[Features]):
    """Each channel normalised over the batch and all places (Ioffe and Szegedy 2015).

    x: [N, C, ...]. w, b: [C]. The running statistics are no part of the model: they go in and come
    out, `y, state = bn(x, state, train=True)`, beginning with `bn.initial_state()`. In training x
    is normalised by its own statistics, and the state moves towards them (the unbiased variance)
    by `momentum`; else the state normalises and stays. Raises ShapeError for other channels and,
    in training, for one entry a channel.
    """

    w: Tensor[Features]
    b: Tensor[Features]
    momentum: float
    eps: float

    def __init__(
        self,
        channels: Size[Features],
        *,
        momentum: float = 0.1,
        eps: float = 1e-5,
        dtype: object = float64,
    ) -> None:
        what = "nn.BatchNorm"
        n = at_least_one(channels, what, "channels")
        w, b = _one_and_zero((n,), what, dtype)
        assign(self, w=w, b=b, momentum=float(momentum), eps=float(eps))

    def initial_state(self) -> BatchStatistics:
        """Mean 0 and variance 1."""
        (n,) = _shape(self.w)
        one, zero = _one_and_zero((n,), "nn.BatchNorm", self.w.dtype)
        return BatchStatistics(zero, one)

    def __call__(
        self, x: Tensor[*S], state: BatchStatistics, /, *, train: bool
    ) -> tuple[Tensor[*S], BatchStatistics]:
        t = _real(x, "nn.BatchNorm")
        (channels,) = _shape(self.w)
        layer = f"BatchNorm[{channels}]"
        check_channels(layer, t.shape, channels)
        ones = (1,) * (t.ndim - 2)
        if not train:
            center, spread = (reshape(s, (-1, *ones)) for s in state)
            y = (t - center) / sqrt(spread + self.eps)
            return _by_channel(y, self.w, self.b), state
        axes = (0, *range(2, t.ndim))
        count = size((t.shape[0], *t.shape[2:]))
        if count in (0, 1):
            raise ShapeError(cannot_take(layer, t.shape, f"{count} entries a channel in training"))
        y = _by_channel(_normalized(t, axes, self.eps), self.w, self.b)
        seen = BatchStatistics(mean(t, axis=axes), var(t, axis=axes, correction=1))
        moved = (s + self.momentum * (new - s) for s, new in zip(state, seen, strict=True))
        return y, BatchStatistics(*moved)
