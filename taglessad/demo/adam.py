"""Adam (Kingma and Ba 2015, algorithm 1) as a pure program over trees."""

from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import taglessad as tad
from taglessad.trees import map as each

M = TypeVar("M")

BETA1: Final = 0.9
BETA2: Final = 0.999
EPSILON: Final = 1e-8


@dataclass(frozen=True)
class Adam(Generic[M]):
    """A model, the running means of its gradients and of their squares, and the steps taken."""

    model: M
    mean: M
    square: M
    steps: tad.Tensor[()]


def start(model: M) -> Adam[M]:
    """Before the first step."""
    zeros: M = each(tad.zeros_like, model)
    return Adam(model, zeros, zeros, tad.tensor(0.0))


def step(state: Adam[M], gradient: M, rate: float) -> Adam[M]:
    """One step downhill."""
    steps = state.steps + 1.0
    mean: M = each(_mean, state.mean, gradient)
    square: M = each(_mean_square, state.square, gradient)
    mean_scale = 1.0 / (1.0 - tad.pow(BETA1, steps))
    square_scale = 1.0 / (1.0 - tad.pow(BETA2, steps))

    def moved(x: tad.Tensor, m: tad.Tensor, v: tad.Tensor) -> tad.Tensor:
        return x - rate * (m * mean_scale) / (tad.sqrt(v * square_scale) + EPSILON)

    model: M = each(moved, state.model, mean, square)
    return Adam(model, mean, square, steps)


def _mean(m: tad.Tensor, g: tad.Tensor) -> tad.Tensor:
    return BETA1 * m + (1.0 - BETA1) * g


def _mean_square(v: tad.Tensor, g: tad.Tensor) -> tad.Tensor:
    return BETA2 * v + (1.0 - BETA2) * g * g
