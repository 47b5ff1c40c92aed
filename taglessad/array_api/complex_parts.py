"""The standard's parts of complex numbers, of the real numbers that there are here.

x is of any shape and numeric dtype. Raises DTypeError for complex numbers.
"""

from typing import TypeVar

from taglessad.array_api.arithmetic import positive
from taglessad.array_api.creation import zeros_like
from taglessad.tensor import AnyTensor

T = TypeVar("T", bound=AnyTensor)


def conj(x: T, /) -> T:
    """x itself."""
    return positive(x)


def imag(x: T, /) -> T:
    """Zeros in the shape and dtype of x."""
    return zeros_like(positive(x))


def real(x: T, /) -> T:
    """x itself."""
    return positive(x)
