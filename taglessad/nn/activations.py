"""Activations as layers; each is the function of its name in `nn.functional`."""

from typing import Any

from typing_extensions import TypeVarTuple

from taglessad.array_api.transcendental import tanh
from taglessad.nn import functional
from taglessad.nn.module import Module
from taglessad.tensor import Tensor

S = TypeVarTuple("S")


class ReLU(Module):
    """max(x, 0)."""

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        return functional.relu(x)


class LeakyReLU(Module):
    """x for x > 0, slope * x below."""

    slope: float = 0.01

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        return functional.leaky_relu(x, self.slope)


class ELU(Module):
    """x for x > 0, alpha * expm1(x) below."""

    alpha: float = 1.0

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        return functional.elu(x, self.alpha)


class GELU(Module):
    """x times the normal distribution function at x; by tanh where `approximate`."""

    approximate: bool = True

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        return functional.gelu(x, approximate=self.approximate)


class SiLU(Module):
    """x * sigmoid(x)."""

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        return functional.silu(x)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        return functional.sigmoid(x)


class Softplus(Module):
    """log(1 + exp(x))."""

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        return functional.softplus(x)


class Tanh(Module):
    """The hyperbolic tangent."""

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        return tanh(x)


class Softmax(Module):
    """exp(x) over its sum along an axis, the last by default."""

    axis: int = -1

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        y: Any = functional.softmax(x, axis=self.axis)  # Any: its shape is that of x
        result: Tensor[*S] = y
        return result


class LogSoftmax(Module):
    """log(softmax(x)) along an axis, the last by default."""

    axis: int = -1

    def __call__(self, x: Tensor[*S], /) -> Tensor[*S]:
        y: Any = functional.log_softmax(x, axis=self.axis)  # Any: its shape is that of x
        result: Tensor[*S] = y
        return result
