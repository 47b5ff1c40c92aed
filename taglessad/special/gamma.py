"""The gamma function and its kin, entry by entry; operands broadcast, integers become float64.

Every function is differentiable in all its real arguments. Outside the domain named the value is
NaN. Sections are those of the NIST Digital Library of Mathematical Functions (DLMF).
"""

import math
from typing import SupportsIndex

from typing_extensions import TypeVarTuple

from taglessad.array_api.comparison import equal, less_equal
from taglessad.array_api.inner import step
from taglessad.array_api.logic import logical_and
from taglessad.array_api.searching import where
from taglessad.dispatch import Real, real_binary, real_function
from taglessad.special.calls import of_one, order, parametrized
from taglessad.tensor import Tensor
from taglessad.transforms.fences import detach

S = TypeVarTuple("S")


def gamma(x: Tensor[*S], /) -> Tensor[*S]:
    """The gamma function; infinite at 0, NaN at -1, -2, ... (DLMF 5.2.1)."""
    return real_function("gamma", "special.gamma", x)


def gammaln(x: Tensor[*S], /) -> Tensor[*S]:
    """log|Gamma(x)|; infinite at 0, -1, -2, ... (DLMF 5.2)."""
    return real_function("gammaln", "special.gammaln", x)


def multigammaln(a: Tensor, d: SupportsIndex, /) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension d, an int >= 1 (DLMF 35.3.1).

    For a > (d - 1) / 2.
    """
    size = order(d, "special.multigammaln", "d", least=1)
    total = gammaln(a) + math.log(math.pi) * size * (size - 1) / 4
    for i in range(1, size):
        total = total + gammaln(a - 0.5 * i)
    return total


def digamma(x: Tensor[*S], /) -> Tensor[*S]:
    """The derivative of log Gamma(x) (DLMF 5.2.2)."""
    return of_one("polygamma", "special.digamma", x, 0)


def polygamma(n: SupportsIndex, x: Tensor[*S], /) -> Tensor[*S]:
    """The n-th derivative of the digamma function, n >= 0 an int (DLMF 5.15)."""
    n = order(n, "special.polygamma")
    return of_one("polygamma", "special.polygamma", x, n)


def zeta(x: Real, q: Real = 1.0, /) -> Tensor:
    """Hurwitz's zeta function, Riemann's without q: the sum of (q + k)**-x over k = 0, 1, 2, ...

    For x > 1 and q > 0 (DLMF 25.11.1); infinite at x = 1.
    """
    return parametrized("zeta", "special.zeta", (x, q), ("x", "q"), 0)


def beta(a: Real, b: Real, /) -> Tensor:
    """B(a, b) = Gamma(a) Gamma(b) / Gamma(a + b) (DLMF 5.12.1)."""
    return parametrized("beta", "special.beta", (a, b), ("a", "b"), 0, 0)


def betaln(a: Real, b: Real, /) -> Tensor:
    """log|B(a, b)|, accurate for arguments of any size (DLMF 5.12.1)."""
    return real_binary("betaln", "special.betaln", a, b)


def binom(n: Real, k: Real, /) -> Tensor:
    """The binomial coefficient n over k of reals, by the beta function (DLMF 1.2.6).

    For -1 < k < n + 1.
    """
    return parametrized("binom", "special.binom", (n, k), ("n", "k"), 0, 0)


def poch(z: Real, m: Real, /) -> Tensor:
    """Pochhammer's symbol Gamma(z + m) / Gamma(z): z (z + 1) ... (z + m - 1) for a whole m >= 0.

    At poles that cancel it is the product; its derivatives are for what is no pole (DLMF 5.2(iii)).
    """
    return real_binary("poch", "special.poch", z, m)


def comb(N: Real, k: Real, /) -> Tensor:
    """How many combinations of N things taken k at a time: `binom`, exact where both are whole.

    0 unless 0 <= k <= N. The derivative is that of `binom`.
    """
    smooth = binom(N, k)
    whole = logical_and(equal(N, step("floor", N)), equal(k, step("floor", k)))
    exact = smooth + detach(where(whole, step("round", smooth), smooth) - smooth)
    return where(logical_and(less_equal(0.0, k), less_equal(k, N)), exact, 0.0)


def gammainc(a: Real, x: Real, /) -> Tensor:
    """The regularized lower incomplete gamma function P(a, x), a > 0, x >= 0 (DLMF 8.2.4).

    Differentiable to any order in a as well: by quadrature of the density times a polynomial in
    log t, over the side of x where it keeps its sign.
    """
    return parametrized("gammainc", "special.gammainc", (a, x), ("a", "x"), 0)


def gammaincc(a: Real, x: Real, /) -> Tensor:
    """The regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x) (DLMF 8.2.4)."""
    return parametrized("gammaincc", "special.gammaincc", (a, x), ("a", "x"))


def betainc(a: Real, b: Real, x: Real, /) -> Tensor:
    """The regularized incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1 (DLMF 8.17.2).

    Differentiable to any order in a and b as well, as `gammainc`.
    """
    return parametrized("betainc", "special.betainc", (a, b, x), ("a", "b", "x"), 0, 0)
