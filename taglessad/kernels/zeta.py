"""Hurwitz's zeta function and its derivatives, in both arguments."""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.blocks import chosen, jointly
from taglessad.kernels.erf import F64

# B(2j)/(2j)! for j = 1 to 10 (Bernoulli numbers; DLMF 24.2).
EULER_MACLAURIN: Final = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
    43867 / 5109094217170944000,
    -174611 / 802857662698291200000,
)


def zeta(x: NDArray[Any], q: NDArray[Any], m: int) -> NDArray[Any]:
    """The m-th derivative in x of the sum of (q + k)**-x over k >= 0: terms times (-log)**m.

    For x > 1 and q > 0; infinite at x = 1 and at q = 0, NaN beyond. Any: the dtype of the operands,
    which the result keeps. The first terms one by one, the others by the Euler-Maclaurin formula
    (DLMF 25.11.43, differentiated in x).
    """
    return jointly(lambda x, q: _zeta(x, q, m), x, q)


def _zeta(x: F64, q: F64, m: int) -> F64:
    inside = (x > 1) & (q > 0) & np.isfinite(x) & np.isfinite(q)
    pole = ((x == 1) & (q >= 0)) | ((x > 1) & (q == 0))
    infinite = math.inf if m % 2 == 0 else -math.inf
    return chosen(
        x.size,
        (inside, lambda i: _sum(x[i], q[i], m)),
        (pole, lambda i: np.full(i.size, infinite)),
        ((x > 1) & (q == np.inf), lambda i: np.zeros(i.size)),
        (
            (x == np.inf) & (q > 0) & np.isfinite(q),
            lambda i: np.where(q[i] > 1, 0.0, np.where(q[i] < 1, np.inf, 1.0 if m == 0 else 0.0)),
        ),
    )


def _term(u: F64, x: F64, m: int) -> F64:
    return np.power(u, -x) * (-np.log(u)) ** m if m else np.power(u, -x)


def _sum(x: F64, q: F64, m: int) -> F64:
    """What is dropped is below exp(-39) of the second term, the first that a logarithm leaves."""
    short = x + 12 - q
    terms = np.maximum(np.ceil(np.minimum(short, (q + 1) * np.expm1(39 / x) + 2)), 1)
    total = np.zeros_like(q)
    index = np.flatnonzero(terms >= short)
    total[index] = _rest(q[index] + terms[index], x[index], m)
    for k in reversed(range(int(terms.max()))):  # the smallest terms first
        index = np.flatnonzero(terms > k)
        total[index] += _term(q[index] + k, x[index], m)
    return total


def _rest(w: F64, x: F64, m: int) -> F64:
    """The sum over k >= 0 of the terms at w + k, for w >= x + 12."""
    log = -np.log(w)
    powers = [log**k for k in range(m + 1)]
    # The integral from w on over w**-x, by parts: (-log)**m loses one power each time.
    whole = np.zeros_like(w)
    for k in range(m + 1):
        whole = (w * powers[k] - k * whole) / (x - 1)
    # A derivative of u**-x p(-log u) is u**(-x - 1) times -x p - p'.
    p: list[Any] = [np.zeros_like(w) for _ in range(m)] + [np.ones_like(w)]
    series = np.zeros_like(w)
    order = 0
    for j, bernoulli in enumerate(EULER_MACLAURIN, 1):
        while order < 2 * j - 1:
            above = [(k + 1) * p[k + 1] for k in range(m)] + [np.zeros_like(w)]
            p = [(-(x + order) * c - d) / w for c, d in zip(p, above, strict=True)]
            order += 1
        series = series - bernoulli * sum(c * power for c, power in zip(p, powers, strict=True))
    return np.power(w, -x) * (whole + 0.5 * powers[m] + series)
