"""Derivatives from values alone: central differences in float64. The oracle that knows no rule."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from taglessad.proofs_checks.cases import Array

STEP: Final = float(np.finfo(np.float64).eps) ** (1 / 3)
"""Where truncation, h**2, and rounding, eps / h, are of one size."""


class Quotient(NamedTuple):
    """A difference quotient, and the directions that it really belongs to.

    directions: the moves made, as measured after rounding, over the step.
    left, right: the one-sided quotients; far apart where there is a kink between.
    size: the largest of the values seen, which rounding errors are proportional to.
    """

    value: Array
    directions: list[Array]
    left: Array
    right: Array
    size: float


def central(
    f: Callable[[list[Array]], Array],
    points: Sequence[Array],
    directions: Sequence[Array],
    step: float = STEP,
) -> Quotient:
    """(f(x + h d) - f(x - h d)) / 2h, in float64.

    Directions are to be scaled to the points, each entry to about max(|x|, 1): `scaled` does it.
    """
    ahead = [x + step * d for x, d in zip(points, directions, strict=True)]
    behind = [x - step * d for x, d in zip(points, directions, strict=True)]
    here, after, before = f(list(points)), f(ahead), f(behind)
    span = 2 * step
    return Quotient(
        np.asarray((after - before) / span),
        [np.asarray((a - b) / span) for a, b in zip(ahead, behind, strict=True)],
        np.asarray((here - before) / step),
        np.asarray((after - here) / step),
        max(largest(after), largest(before)),
    )


def scaled(direction: Array, point: Array) -> Array:
    """A direction whose entries are in proportion to the point's: steps are h * max(|x|, 1)."""
    return np.asarray(direction * np.maximum(np.abs(point), 1.0))


def largest(x: Array) -> float:
    """The largest absolute entry; 0 of none."""
    return float(np.max(np.abs(x), initial=0.0))
