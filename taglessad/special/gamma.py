"""The gamma function's logarithm and its derivatives; integers become float64."""

import operator
from typing import SupportsIndex

from typing_extensions import TypeVarTuple

from taglessad.dispatch import as_real, meet, real_function
from taglessad.errors import ArgumentError
from taglessad.tensor import Tensor

S = TypeVarTuple("S")


def gammaln(x: Tensor[*S], /) -> Tensor[*S]:
    """log|Gamma(x)|; infinite at 0, -1, -2, ... (DLMF 5.2)."""
    return real_function("gammaln", "special.gammaln", x)


def digamma(x: Tensor[*S], /) -> Tensor[*S]:
    """The derivative of log Gamma(x) (DLMF 5.2.2)."""
    return _polygamma("special.digamma", 0, x)


def polygamma(n: SupportsIndex, x: Tensor[*S], /) -> Tensor[*S]:
    """The n-th derivative of the digamma function, n >= 0 an int (DLMF 5.15)."""
    try:
        order = operator.index(n)
    except TypeError:
        order = -1
    if order < 0:
        raise ArgumentError(f"special.polygamma: n is {n!r}, where an int >= 0 is expected")
    return _polygamma("special.polygamma", order, x)


def _polygamma(what: str, n: int, x: Tensor[*S]) -> Tensor[*S]:
    met = as_real(meet(what, (x,), ("x",)))
    return Tensor(met.ops, met.ops.polygamma(met.payloads[0], n), met.dtype, met.weak)


def betaln(a: Tensor, b: Tensor, /) -> Tensor:
    """log B(a, b) = log Gamma(a) + log Gamma(b) - log Gamma(a + b) (DLMF 5.12.1)."""
    return gammaln(a) + gammaln(b) - gammaln(a + b)
