"""The beta function of numbers that are not both positive, by that of numbers that are.

Gamma of what is negative among a, b and a + b is replaced by NIST DLMF 5.5.3; what is left is a beta
function, or 1 over one, and a quotient of sines.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.blocks import two_sum
from taglessad.kernels.erf import F64


def is_pole(x: F64) -> NDArray[np.bool_]:
    """Where the gamma function has a pole."""
    pole: NDArray[np.bool_] = (x <= 0) & (x == np.rint(x))
    return pole


def sine_over_pi(x: F64, rest: F64 | float = 0.0) -> F64:
    """sin(pi (x + rest)) / pi; the rest is below the last place of x."""
    r = x - np.rint(x) + rest
    return np.asarray(np.where(np.mod(np.rint(x), 2) == 0, 1.0, -1.0) * r * np.sinc(r))


class Reflected(NamedTuple):
    """The factor times B(first, second); over it where so marked."""

    first: F64
    second: F64
    factor: F64
    over: NDArray[np.bool_]


def reflected(a: F64, b: F64) -> Reflected:
    """B(a, b) for finite a <= b, a < 0, neither of them a pole."""
    c, rest = two_sum(a, b)
    rest_of_one = (1 - c) - rest
    both, across = b < 0, (b > 0) & (c > 0)
    in_a, in_b, in_c = sine_over_pi(a), sine_over_pi(b), sine_over_pi(c, rest)
    factor = np.where(both, in_c / in_a / in_b / rest_of_one, in_c / in_a)
    factor = np.where(across, 1 / in_a / b, factor)
    first = np.where(both | across, 1 - a, b)
    second = np.where(both, 1 - b, np.where(across, c, rest_of_one))
    return Reflected(first, second, factor, both | across)


def limit_at_pole(a: F64, b: F64) -> tuple[F64, F64, F64]:
    """(sign, p, q) with sign B(p, q) the limit at a pole a along the line on which b is constant.

    Gamma(a) / Gamma(a + b) has one if b is a positive integer and a + b a pole too: it is
    (-1)**b B(1 - a - b, b). Elsewhere the sign is infinite.
    """
    has = (b >= 1) & (b == np.rint(b)) & (a + b <= 0)
    whole = np.where(has, b, 1.0)
    sign = np.where(has, np.where(np.mod(whole, 2) == 0, 1.0, -1.0), np.inf)
    return sign, np.where(has, 1 - a - whole, 1.0), whole
