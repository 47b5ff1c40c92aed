"""Least squares from sums alone: the mean squared error as a quadratic program of its coefficients."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt
from typing import NamedTuple

import numpy as np

import taglessad as tad


@dataclass(frozen=True)
class Moments:
    """What the mean squared error of theta . basis against y depends on.

    gram: the means of products of basis functions, [k, k]. cross: of basis functions and y, [k].
    square: of y^2.
    """

    gram: tad.Tensor
    cross: tad.Tensor
    square: tad.Tensor


def loss(theta: tad.Tensor, m: Moments) -> tad.Tensor:
    """mean((theta . basis - y)^2), multiplied out."""
    error: tad.Tensor = theta @ (m.gram @ theta) - 2.0 * (m.cross @ theta) + m.square
    return error


def closed_form(m: Moments) -> tad.Tensor:
    """Where the loss is least: one Newton step from 0, which is exact for a quadratic function."""
    origin = tad.zeros_like(m.cross)
    slope = np.asarray(tad.grad(loss)(origin, m))
    solution: tad.Tensor = tad.tensor(
        -np.linalg.solve(np.asarray(tad.hessian(loss)(origin, m)), slope)
    )
    return solution


class Descent(NamedTuple):
    """Losses after each step, and the last coefficients."""

    losses: list[float]
    theta: tad.Tensor


def descend(m: Moments, rate: float, steps: int) -> Descent:
    """Gradient descent from 0."""
    slope = tad.jit(tad.grad(loss))
    value = tad.jit(loss)
    theta = tad.zeros_like(m.cross)
    losses: list[float] = []
    for _ in range(steps):
        theta = theta - rate * slope(theta, m)
        losses.append(float(value(theta, m)))
    return Descent(losses, theta)


class Sums(NamedTuple):
    """Sums over the data, exact: of x^0 to x^4, of y to x^2 y, of y^2."""

    powers: tuple[int, ...]
    cross: tuple[int, ...]
    square: int

    @property
    def size(self) -> int:
        """How many data there are."""
        return self.powers[0]

    @property
    def mean(self) -> Fraction:
        """The mean of x."""
        return Fraction(self.powers[1], self.size)

    @property
    def deviation(self) -> float:
        """The standard deviation of x, over all data."""
        return sqrt(_shifted(self.powers, self.mean)[2] / self.size)

    def moments(self, degree: int, *, standard: bool = False, dtype: str = "float64") -> Moments:
        """For a polynomial in x, or in z = (x - mean) / deviation; highest power first."""
        powers: Sequence[Fraction | int] = self.powers
        cross: Sequence[Fraction | int] = self.cross
        scale = 1.0
        if standard:
            powers, cross = _shifted(powers, self.mean), _shifted(cross, self.mean)
            scale = self.deviation
        n = self.size
        orders = range(degree, -1, -1)
        gram = [[float(powers[i + j]) / n / scale ** (i + j) for j in orders] for i in orders]
        return Moments(
            tad.asarray(gram, dtype=dtype),
            tad.asarray([float(cross[i]) / n / scale**i for i in orders], dtype=dtype),
            tad.asarray(self.square / n, dtype=dtype),
        )


def _shifted(sums: Sequence[Fraction | int], mean: Fraction) -> list[Fraction]:
    """Sums of (x - mean)^k from those of x^k, by the binomial theorem."""
    return [
        sum((comb(k, j) * (-mean) ** (k - j) * sums[j] for j in range(k + 1)), Fraction(0))
        for k in range(len(sums))
    ]
