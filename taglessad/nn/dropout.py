"""Dropout, with the key of its random numbers as an argument."""

from typing import Any

from typing_extensions import TypeVarTuple

from taglessad.array_api.creation import zeros_like
from taglessad.array_api.searching import where
from taglessad.convert import as_handle
from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError, DTypeError
from taglessad.nn.module import Module
from taglessad.random.discrete import bernoulli
from taglessad.tensor import IntTensor, Tensor

S = TypeVarTuple("S")


def checked_rate(rate: object, what: str) -> float:
    """A share of entries. Raises ArgumentError for what is none, or not in [0, 1)."""
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0.0 <= rate < 1.0:
        raise ArgumentError(f"{what}: rate is {rate!r}; it is a number from 0 to below 1")
    return float(rate)


def dropout(x: Tensor[*S], rate: float, key: IntTensor | None) -> Tensor[*S]:
    """Each entry 0 with probability `rate`, else divided by 1 - rate (Srivastava et al. 2014).

    key: of `tad.random`; None gives x as it is, as in evaluation. Raises ArgumentError for a rate
    outside [0, 1), DTypeError where x is not real.
    """
    what = "nn.functional.dropout"
    share = checked_rate(rate, what)
    t: Any = as_handle(x, what, "x")  # Any: a Tensor
    if not is_real(t.dtype):
        raise DTypeError(f"{what}: x has dtype {t.dtype}; it is of real numbers")
    if key is None or share == 0.0:
        return t  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    kept = bernoulli(key, 1.0 - share, t.shape)
    thinned: Any = where(kept, t / (1.0 - share), zeros_like(t))
    return thinned  # type: ignore[no-any-return]  # its shape is that of x


class Dropout(Module):
    """`nn.functional.dropout` with its rate: `layer(x, key)` in training, `layer(x, None)` after."""

    rate: float = 0.5

    def __post_init__(self) -> None:
        checked_rate(self.rate, "nn.Dropout")

    def __call__(self, x: Tensor[*S], key: IntTensor | None, /) -> Tensor[*S]:
        return dropout(x, self.rate, key)
