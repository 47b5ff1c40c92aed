"""Exponential, logarithmic, trigonometric and hyperbolic functions of reals, entry by entry.

x is of any shape; operands of two broadcast. float16, float32 and float64 are kept; integers and
bools become float64. Raises DTypeError for what holds no real numbers, ShapeError for shapes that
do not broadcast. Outside its domain a function gives NaN.
"""

from fractions import Fraction
from typing import Any, Final, TypeVar

from typing_extensions import TypeVarTuple, Unpack

from taglessad.dispatch import Operands, Real, as_real, meet, real_binary, real_function
from taglessad.dtypes import PI
from taglessad.tensor import Tensor

S = TypeVarTuple("S")


def exp(x: Tensor[Unpack[S]], /) -> Tensor[Unpack[S]]:
    """e**x."""
    return real_function("exp", "exp", x)
