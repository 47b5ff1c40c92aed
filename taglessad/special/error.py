"""Error functions and the normal distribution, entry by entry; integers become float64."""

from typing_extensions import TypeVarTuple

from taglessad.array_api.inner import below
from taglessad.array_api.searching import where
from taglessad.dispatch import real_function
from taglessad.special.calls import of_one
from taglessad.tensor import Tensor

S = TypeVarTuple("S")

_SQRT_TWO = 1.4142135623730951


def erf(x: Tensor[*S], /) -> Tensor[*S]:
    """2/sqrt(pi) times the integral of exp(-t*t) from 0 to x (DLMF 7.2.1)."""
    return real_function("erf", "special.erf", x)


def erfc(x: Tensor[*S], /) -> Tensor[*S]:
    """1 - erf(x), accurate in the right tail (DLMF 7.2.2)."""
    return real_function("erfc", "special.erfc", x)


def erfcx(x: Tensor[*S], /) -> Tensor[*S]:
    """exp(x*x) erfc(x), which neither underflows nor cancels on the right (DLMF 7.2.3)."""
    return of_one("erfcx", "special.erfcx", x, 0)


def erfinv(x: Tensor[*S], /) -> Tensor[*S]:
    """The inverse of erf on (-1, 1); infinite at the ends, NaN outside."""
    return real_function("erfinv", "special.erfinv", x)


def erfcinv(x: Tensor[*S], /) -> Tensor[*S]:
    """The inverse of erfc on (0, 2); infinite at the ends, NaN outside."""
    return real_function("erfcinv", "special.erfcinv", x)


def ndtr(x: Tensor[*S], /) -> Tensor[*S]:
    """The normal distribution function, accurate in both tails (DLMF 7.18(ii))."""
    return real_function("ndtr", "special.ndtr", x)


def log_ndtr(x: Tensor[*S], /) -> Tensor[*S]:
    """The logarithm of the normal distribution function, accurate in both tails."""
    return real_function("log_ndtr", "special.log_ndtr", x)


def ndtri(p: Tensor, /) -> Tensor:
    """The quantile of the normal distribution, the inverse of ndtr on (0, 1)."""
    t = p + 0.0
    low, high = below(t, 0.25), below(0.75, t)
    # 2 p, 2 p - 1 and 2 (1 - p) are exact where they are used.
    left = -erfcinv(where(low, 2.0 * t, 1.0))
    right = erfcinv(where(high, 2.0 * (1.0 - t), 1.0))
    centre = erfinv(where(low, 0.0, where(high, 0.0, 2.0 * t - 1.0)))
    return _SQRT_TWO * where(low, left, where(high, right, centre))
