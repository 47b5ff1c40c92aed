"""A small U-Net, its sizes in the types: N images of 4 H by 4 W, F features at the finest scale.

`mypy --strict` with the plugin checks every line for all sizes: that a decoder takes what its
encoder gives, that channels add up where branches meet, that an image comes back in its own size
(Ronneberger et al. 2015). `python docs/examples/unet.py` trains it to find squares in noise.
"""

from typing import Generic, TypeVar
from typing import Literal as L

import numpy as np

import taglessad as tad
from taglessad import Add, Mul, Size, Tensor, nn, optim
from taglessad.nn import functional as F

N = TypeVar("N")
H = TypeVar("H")
W = TypeVar("W")
In = TypeVar("In")
Out = TypeVar("Out")
Features = TypeVar("Features")


class Convolution(nn.Module, Generic[In, Out]):
    """A convolution that keeps the size of the image, normalised and activated."""

    w: Tensor[Out, In, L[3], L[3]]
    norm: nn.GroupNorm[Out]

    def __call__(self, x: Tensor[N, In, H, W]) -> Tensor[N, Out, H, W]:
        return F.silu(self.norm(F.conv2d(x, self.w, padding=1)))


class Up(nn.Module, Generic[In, Out]):
    """The image twice as large, and beside it what the encoder saw at that scale."""

    w: Tensor[In, Out, L[2], L[2]]
    mix: Convolution[Add[Out, Out], Out]

    def __call__(
        self, x: Tensor[N, In, H, W], seen: Tensor[N, Out, Mul[L[2], H], Mul[L[2], W]]
    ) -> Tensor[N, Out, Mul[L[2], H], Mul[L[2], W]]:
        larger = F.conv_transpose2d(x, self.w, stride=2)
        return self.mix(tad.concat([larger, seen], axis=1))


class UNet(nn.Module, Generic[In, Features, Out]):
    """Out values for each pixel, from its surroundings at three scales."""

    fine: Convolution[In, Features]
    middle: Convolution[Features, Mul[L[2], Features]]
    coarse: Convolution[Mul[L[2], Features], Mul[L[4], Features]]
    up_middle: Up[Mul[L[4], Features], Mul[L[2], Features]]
    up_fine: Up[Mul[L[2], Features], Features]
    head: Tensor[Out, Features, L[1], L[1]]

    def __call__(
        self, x: Tensor[N, In, Mul[L[4], H], Mul[L[4], W]]
    ) -> Tensor[N, Out, Mul[L[4], H], Mul[L[4], W]]:
        fine = self.fine(x)
        middle = self.middle(F.max_pool2d(fine, 2))
        coarse = self.coarse(F.max_pool2d(middle, 2))
        back = self.up_fine(self.up_middle(coarse, middle), fine)
        return F.conv2d(back, self.head)


def weights(rng: np.random.Generator, *shape: int) -> Tensor:
    """Fresh weights of a convolution."""
    return tad.tensor(nn.init.he_normal(rng, shape))


def convolution(
    inputs: Size[In], outputs: Size[Out], rng: np.random.Generator
) -> Convolution[In, Out]:
    """A convolution with fresh parameters."""
    return Convolution(weights(rng, outputs, inputs, 3, 3), nn.GroupNorm(outputs, 2))


def up(inputs: Size[In], outputs: Size[Out], rng: np.random.Generator) -> Up[In, Out]:
    """A step upwards with fresh parameters."""
    return Up(weights(rng, inputs, outputs, 2, 2), convolution(outputs + outputs, outputs, rng))


def unet(
    inputs: Size[In], features: Size[Features], outputs: Size[Out], rng: np.random.Generator
) -> UNet[In, Features, Out]:
    """A U-Net with fresh parameters."""
    return UNet(
        convolution(inputs, features, rng),
        convolution(features, 2 * features, rng),
        convolution(2 * features, 4 * features, rng),
        up(4 * features, 2 * features, rng),
        up(2 * features, features, rng),
        weights(rng, outputs, features, 1, 1),
    )


def loss(
    model: UNet[L[1], Features, L[1]],
    images: Tensor[N, L[1], Mul[L[4], H], Mul[L[4], W]],
    inside: Tensor[N, L[1], Mul[L[4], H], Mul[L[4], W]],
) -> Tensor[()]:
    """The mean cross entropy of every pixel."""
    return tad.mean(F.binary_cross_entropy(model(images), inside))


def train(steps: int, seed: int = 0) -> list[float]:
    """The losses of learning which pixels of noisy images are inside a square."""
    rng = np.random.default_rng(seed)
    inside = np.zeros((8, 1, 16, 16))
    for square, (i, j) in zip(inside[:, 0], rng.integers(0, 10, (8, 2)), strict=True):
        square[i : i + 6, j : j + 6] = 1.0
    images = tad.tensor(inside + 0.5 * rng.standard_normal(inside.shape))
    target = tad.tensor(inside)
    model = unet(1, 4, 1, rng)
    optimiser = optim.adam(0.01)
    state = optimiser.init(model)
    step = tad.jit(tad.value_and_grad(loss))
    losses: list[float] = []
    for _ in range(steps):
        value, gradient = step(model, images, target)
        updates, state = optimiser.update(gradient, state, model)
        model = optim.apply_updates(model, updates)
        losses.append(float(value))
    return losses


if __name__ == "__main__":
    for i, value in enumerate(train(60)):
        if i % 10 == 9:
            print(f"step {i + 1}: loss {value:.3f}")
