"""The error function and its kin, entry by entry; integers become float64."""

from typing_extensions import TypeVarTuple

from taglessad.dispatch import real_function
from taglessad.tensor import Tensor

S = TypeVarTuple("S")


def erf(x: Tensor[*S], /) -> Tensor[*S]:
    """2/sqrt(pi) times the integral of exp(-t*t) from 0 to x (DLMF 7.2.1)."""
    return real_function("erf", "special.erf", x)


def erfc(x: Tensor[*S], /) -> Tensor[*S]:
    """1 - erf(x), accurate in the right tail (DLMF 7.2.2)."""
    return real_function("erfc", "special.erfc", x)


def erfinv(x: Tensor[*S], /) -> Tensor[*S]:
    """The inverse of erf on (-1, 1); infinite at the ends, NaN outside."""
    return real_function("erfinv", "special.erfinv", x)
