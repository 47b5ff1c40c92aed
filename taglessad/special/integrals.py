"""Bessel functions, exponential integrals and kin, entry by entry; integers become float64.

Sections are those of the NIST Digital Library of Mathematical Functions (DLMF).
"""

from typing import SupportsIndex

from typing_extensions import TypeVarTuple

from taglessad.array_api.arithmetic import abs as size
from taglessad.array_api.inner import step
from taglessad.array_api.operands import real
from taglessad.array_api.searching import where
from taglessad.dispatch import real_function
from taglessad.errors import ArgumentError
from taglessad.shapes.axes import integer
from taglessad.special.calls import of_one, order
from taglessad.tensor import Tensor

S = TypeVarTuple("S")


def i0(x: Tensor[*S], /) -> Tensor[*S]:
    """The modified Bessel function I_0 (DLMF 10.25.2)."""
    return of_one("bessel_i", "special.i0", x, 0)


def i1(x: Tensor[*S], /) -> Tensor[*S]:
    """The modified Bessel function I_1 (DLMF 10.25.2)."""
    return of_one("bessel_i", "special.i1", x, 1)


def i0e(x: Tensor[*S], /) -> Tensor[*S]:
    """exp(-|x|) I_0(x). It has a corner at 0, where its derivative is 0 as that of |x|."""
    return of_one("bessel_i_scaled", "special.i0e", size(x), 0, 0)


def i1e(x: Tensor, /) -> Tensor:
    """exp(-|x|) I_1(x). Its second derivative jumps at 0, where it is taken to be 0."""
    t = real(x, "special.i1e")
    side = step("sign", t)
    beyond = side * of_one("bessel_i_scaled", "special.i1e", side * t, 1, 0)
    return where(t == 0, 0.5 * t, beyond)  # the sign is 0 at 0, where it has no slope


def j0(x: Tensor[*S], /) -> Tensor[*S]:
    """The Bessel function of the first kind J_0 (DLMF 10.2.2)."""
    return of_one("bessel_j", "special.j0", x, 0)


def j1(x: Tensor[*S], /) -> Tensor[*S]:
    """The Bessel function of the first kind J_1 (DLMF 10.2.2)."""
    return of_one("bessel_j", "special.j1", x, 1)


def y0(x: Tensor[*S], /) -> Tensor[*S]:
    """The Bessel function of the second kind Y_0, x >= 0; -inf at 0 (DLMF 10.2.3)."""
    return of_one("bessel_y", "special.y0", x, 0)


def y1(x: Tensor[*S], /) -> Tensor[*S]:
    """The Bessel function of the second kind Y_1, x >= 0; -inf at 0 (DLMF 10.2.3)."""
    return of_one("bessel_y", "special.y1", x, 1)


def lambertw(x: Tensor[*S], k: SupportsIndex = 0, /) -> Tensor[*S]:
    """Lambert's W function, the w with w exp(w) = x, where it is real (DLMF 4.13).

    k = 0: the branch w >= -1, for x >= -1/e. k = -1: that of w <= -1, for -1/e <= x < 0. Where they
    meet, at the number nearest to -1/e, the slope is infinite. Raises ArgumentError for another k.
    """
    branch = integer(k, "special.lambertw", "k")
    if branch not in (0, -1):
        raise ArgumentError(f"special.lambertw: k is {k!r}; of the branches 0 and -1 are real")
    return of_one("lambertw", "special.lambertw", x, branch, 0)


def exp1(x: Tensor[*S], /) -> Tensor[*S]:
    """The exponential integral E_1(x), x >= 0; infinite at 0 (DLMF 6.2.1)."""
    return of_one("expn", "special.exp1", x, 1)


def expn(n: SupportsIndex, x: Tensor[*S], /) -> Tensor[*S]:
    """The generalized exponential integral E_n(x), n >= 0 an int, x >= 0 (DLMF 8.19.2)."""
    n = order(n, "special.expn")
    return of_one("expn", "special.expn", x, n)


def expi(x: Tensor[*S], /) -> Tensor[*S]:
    """The exponential integral Ei(x), -inf at 0 (DLMF 6.2.5)."""
    return real_function("expi", "special.expi", x)


def exprel(x: Tensor[*S], /) -> Tensor[*S]:
    """(exp(x) - 1) / x, and 1 at 0; smooth there."""
    return of_one("exprel", "special.exprel", x, 0)


def spence(x: Tensor[*S], /) -> Tensor[*S]:
    """The dilogarithm of 1 - x: the integral of log(t) / (1 - t) from 1 to x >= 0 (DLMF 25.12.2)."""
    return real_function("spence", "special.spence", x)


def cosm1(x: Tensor[*S], /) -> Tensor[*S]:
    """cos(x) - 1, accurate near 0."""
    return real_function("cosm1", "special.cosm1", x)
