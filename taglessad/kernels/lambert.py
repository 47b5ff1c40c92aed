"""Lambert's W function, the inverse of w exp(w), on its two real branches, by Newton's method.

NIST DLMF 4.13. Three equations for three regions, each of them well conditioned there: w exp(w) = x
itself, w + log(w) = log(x) for large |w|, and next to the branch point -1/e, where the branches meet,
one for v = 1 + w, in whose small terms nothing cancels.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.blocks import two_product
from taglessad.kernels.erf import F64, Float, piecewise, pointwise, polynomial

# 1/e and e in two parts.
END: Final = (0.36787944117144233, -1.2428753672788363e-17)
E: Final = 2.718281828459045
STEPS: Final = 7
# (1 + (v - 1) exp(v)) / v**2.
NEAR: Final = tuple((k + 1) / math.factorial(k + 2) for k in range(20))


def lambertw(x: NDArray[Float] | Float, k: int, shift: int) -> NDArray[Float]:
    """The branch k = 0 or -1 of W(x), and 1 + W(x) for shift 1; dtype as x.

    k = 0: W >= -1, for x >= -1/e; k = -1: W <= -1, for -1/e <= x < 0; NaN elsewhere, and -inf at 0
    for k = -1. The number of the dtype that is nearest to -1/e stands for it.
    """
    given = np.asarray(x)
    end = given == given.dtype.type(-END[0])
    found = pointwise(lambda x: _lower(x, shift) if k else _upper(x, shift), given)
    value = -1.0 if shift == 0 else -0.0 if k else 0.0
    return np.where(end, np.asarray(value, given.dtype), found)


def _upper(x: F64, shift: int) -> F64:
    return piecewise(
        x,
        (x < -0.25, lambda x: _about_end(x, 1.0) + (shift - 1)),
        ((x >= -0.25) & (x < 3), lambda x: _by_product(x) + shift),
        (
            (x >= 3) & (x < np.inf),
            lambda x: _by_logarithm(x, np.log(x) - np.log(np.log(x))) + shift,
        ),
        (x == np.inf, lambda x: x),
    )


def _lower(x: F64, shift: int) -> F64:
    return piecewise(
        x,
        (x < -0.25, lambda x: _about_end(x, -1.0) + (shift - 1)),
        ((x >= -0.25) & (x < 0), lambda x: _by_logarithm(x, _tail(x)) + shift),
        (x == 0, lambda x: np.full_like(x, -np.inf)),
    )


def _about_end(x: F64, side: float) -> F64:
    """1 + W for x < -0.25, of 1 + (v - 1) exp(v) = 1 + e x."""
    gap = E * ((x + END[0]) + END[1])
    p = side * np.sqrt(2 * gap)
    v = p * (1 + p * (-1 / 3 + p * (11 / 72)))  # DLMF 4.13.6
    for _ in range(STEPS):
        short = np.where(np.abs(v) < 1, v, 0.0)
        near = short * short * polynomial(NEAR, short)
        excess = np.where(np.abs(v) < 1, near, 1 + (v - 1) * np.exp(v)) - gap
        v = v - excess / (v * np.exp(v))
    return np.where(gap == 0, side * 0.0, v)


def _by_product(x: F64) -> F64:
    w = np.log1p(x)
    for _ in range(STEPS):
        power = np.exp(w)
        high, low = two_product(w, power)
        w = w - ((high - x) + low) / (power * (1 + w))
    return np.where(x == 0, x, w)


def _tail(x: F64) -> F64:
    log = np.log(-x)
    further = np.log(-log)
    return log - further + further / log


def _by_logarithm(x: F64, w: F64) -> F64:
    size = np.log(np.abs(x))
    for _ in range(STEPS):
        w = w - (w + np.log(np.abs(w)) - size) * w / (1 + w)
    return w
