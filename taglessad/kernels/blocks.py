"""What the kernels of several numbers share: blocks, and integrals of positive integrands."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.erf import F64

_BLOCK: Final = 2048  # of kernels that integrate, with some 100 nodes for each element
LARGE_BLOCK: Final = 8192
"""Of kernels that do not: fewer are less work for each element."""
LEVELS: Final = (0.5, 3.0, 12.0, 46.0)  # exp(-46) is below a rounding error
STEPS_TO_CLIFF: Final = (1024.0, 256.0, 64.0, 16.0, 4.0)
# Gauss's 32 points and weights on [0, 1], to their middle (DLMF 3.5(v)), made with mpmath at 40
# digits: numpy.polynomial's weights are exact to 1e-13 only.
_POINTS: Final = (
    0.0013680690752592183,
    0.007194244227365833,
    0.017618872206246784,
    0.03254696203113015,
    0.05183942211697394,
    0.07531619313371501,
    0.1027581020160288,
    0.13390894062985517,
    0.1684778665348924,
    0.20614212137961885,
    0.2465500455338853,
    0.2893243619346823,
    0.33406569885893617,
    0.38035631887393145,
    0.42776401920860174,
    0.4758461671561308,
)
_HALF_WEIGHTS: Final = (
    0.003509305004735048,
    0.008137197365452835,
    0.01269603265463103,
    0.017136931456510716,
    0.02141794901111334,
    0.025499029631188087,
    0.029342046739267772,
    0.032911111388180925,
    0.03617289705442425,
    0.039096947893535156,
    0.041655962113473374,
    0.043826046502201906,
    0.045586939347881945,
    0.04692219954040228,
    0.04781936003963743,
    0.0482700442573639,
)
NODES: Final[F64] = np.asarray([*_POINTS, *(1 - x for x in reversed(_POINTS))])
WEIGHTS: Final[F64] = np.asarray([*_HALF_WEIGHTS, *reversed(_HALF_WEIGHTS)])
# The same on the first quarter of [0, 1] and on the rest of it.
SPLIT_NODES: Final[F64] = np.concatenate([NODES / 4, 0.25 + NODES * 0.75])
SPLIT_WEIGHTS: Final[F64] = np.concatenate([WEIGHTS / 4, WEIGHTS * 0.75])


def weighted(values: F64, weights: F64) -> F64:
    """The sums of values over the last axis with these weights.

    Not a matrix product, whose last bits depend on how many rows there are.
    """
    return np.asarray(np.sum(values * weights, axis=-1))


Exponent = Callable[[F64, NDArray[np.intp]], F64]
"""The exponent at arguments of shape (points, nodes), of the points given by their numbers."""


def jointly(f: Callable[..., F64], *xs: NDArray[Any], block: int = _BLOCK) -> NDArray[Any]:
    """f of operands that broadcast, in float64 on flat blocks; the dtype is theirs.

    Any: the dtype of the operands.
    """
    arrays = np.broadcast_arrays(*xs)
    dtype = np.result_type(*[np.asarray(x).dtype for x in xs])
    flat = [a.ravel() for a in arrays]
    result = np.empty(flat[0].size, dtype)
    for start in range(0, result.size, block):
        part = slice(start, start + block)
        result[part] = f(*[a[part].astype(np.float64, copy=False) for a in flat])
    return result.reshape(arrays[0].shape)


def chosen(count: int, *pieces: tuple[NDArray[np.bool_], Callable[[NDArray[np.intp]], F64]]) -> F64:
    """For each (where, f): f of the positions selected; NaN outside all pieces."""
    result = np.full(count, np.nan)
    for where, f in pieces:
        index = np.flatnonzero(where)
        if index.size:
            result[index] = f(index)
    return result


def _reaches(exponent: Exponent, count: int) -> F64:
    """Where a concave exponent that is 0 at 0 has fallen to each level, to 1 part in 3000.

    Of shape (levels, count).
    """
    points = np.tile(np.arange(count), len(LEVELS))
    levels = np.repeat(LEVELS, count)
    low, high = np.zeros(points.size), np.full(points.size, 1e-20)
    rising = np.arange(points.size)
    while rising.size:
        above = exponent(high[rising, None], points[rising])[:, 0] > -levels[rising]
        rising = rising[above & (high[rising] < 1e300)]
        low[rising] = high[rising]
        high[rising] *= 256
    for _ in range(14):
        middle = np.sqrt(np.maximum(low, high / 65536)) * np.sqrt(high)
        above = exponent(middle[:, None], points)[:, 0] > -levels
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return high.reshape(len(LEVELS), count)


def integral(
    count: int,
    exponent: Exponent,
    rough: Exponent,
    weight: Callable[[F64, NDArray[np.intp]], F64] | None = None,
) -> F64:
    """The integral of weight(v) exp(exponent(v)) over v > 0, one for each of `count` points.

    The exponent is concave, 0 at 0, falls to -inf, and is analytic but for singularities at a
    distance of about 3 or more from the axis: Gauss-Legendre over panels that end where it reaches
    given depths, and that become shorter towards a cliff that it may fall from. `rough` is the same
    exponent, quicker and less exact: it finds these ends.
    """
    edges = _reaches(rough, count)
    before = [np.maximum(edges[0] - step, 0) for step in STEPS_TO_CLIFF]
    ends = np.stack([np.zeros(count), *before, *edges])
    width = ends[1:] - ends[:-1]
    panel, index = np.nonzero(width > 0)
    wide = width[panel, index]
    at = ends[panel, index][:, None] + wide[:, None] * NODES
    values = np.exp(exponent(at, index))
    if weight is not None:
        values *= weight(at, index)
    parts = np.zeros_like(width)
    parts[panel, index] = wide * weighted(values, WEIGHTS)
    total = np.zeros(count)
    for part in parts:  # one by one: np.sum adds in another order where count is 1
        total = total + part
    return total


def expm1_minus(x: F64) -> F64:
    """exp(x) - 1 - x, without the cancellation near 0."""
    small = x * x * 0.5 * _tail_of_exponential(x)
    return np.where(np.abs(x) < 0.7, small, np.expm1(x) - x)


def _tail_of_exponential(x: F64) -> F64:
    """2 (exp(x) - 1 - x) / x**2 for |x| < 0.7, by its series."""
    total = np.ones_like(x)
    for k in range(17, 2, -1):
        total = 1 + total * x / k
    return total


def log1p_minus(x: F64) -> F64:
    """log(1 + x) - x, without the cancellation near 0.

    log(1 + x) is 2 atanh(z) with z = x / (2 + x), and 2 z - x is -x z.
    """
    z = x / (2 + x)
    square = z * z
    series = np.full_like(x, 1 / 33)
    for k in range(31, 2, -2):
        series = series * square + 1 / k
    small = z * (2 * square * series - x)
    return np.where(np.abs(x) < 0.5, small, np.log1p(x) - x)


def two_sum(a: F64, b: F64) -> tuple[F64, F64]:
    """a + b rounded, and what the rounding left out (Knuth); 0 where the sum is infinite."""
    total, rest = finite_sum(a, b)
    return total, np.where(np.isfinite(rest), rest, 0.0)


def two_product(a: F64, b: F64) -> tuple[F64, F64]:
    """a * b rounded, and what the rounding left out (Dekker, Numer. Math. 18, 1971)."""
    product, rest = finite_product(a, b)
    return product, np.where(np.isfinite(rest), rest, 0.0)


def finite_sum(a: F64, b: F64) -> tuple[F64, F64]:
    """`two_sum` of numbers whose sum is in the range; else the second is NaN."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def finite_product(a: F64, b: F64) -> tuple[F64, F64]:
    """`two_product` of numbers up to 2**996 whose product is in the range; else it may be NaN."""
    product = a * b
    (c, d), (e, f) = _halves(a), _halves(b)
    return product, ((c * e - product) + c * f + d * e) + d * f


def product(first: F64, *factors: F64) -> F64:
    """A product of several factors that is rounded once, nearly; plainly where it leaves the range."""
    result, lost = first, np.zeros_like(first)
    for factor in factors:
        result, rest = two_product(result, factor)
        lost = lost + rest / result
    return np.where(np.isfinite(lost), result + result * lost, result)


def _halves(x: F64) -> tuple[F64, F64]:
    high = x * 134217729.0  # 2**27 + 1
    high = high - (high - x)
    return high, x - high
