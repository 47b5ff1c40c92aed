"""Exponential, logarithmic, trigonometric and hyperbolic functions of reals, entry by entry.

x is of any shape; two operands broadcast. float16, float32 and float64 are kept; integers and bools
become float64. Raises DTypeError for what holds no real numbers, ShapeError for shapes that do not
broadcast. Outside its domain a function gives NaN.
"""

from typing_extensions import TypeVarTuple

from taglessad.dispatch import Real, as_real, meet, real_binary, real_function
from taglessad.tensor import Tensor

S = TypeVarTuple("S")


def exp(x: Tensor[*S], /) -> Tensor[*S]:
    """e**x."""
    return real_function("exp", "exp", x)


def expm1(x: Tensor[*S], /) -> Tensor[*S]:
    """e**x - 1, accurate near 0."""
    return real_function("expm1", "expm1", x)


def log(x: Tensor[*S], /) -> Tensor[*S]:
    """The natural logarithm."""
    return real_function("log", "log", x)


def log1p(x: Tensor[*S], /) -> Tensor[*S]:
    """log(1 + x), accurate near 0."""
    return real_function("log1p", "log1p", x)


def log2(x: Tensor[*S], /) -> Tensor[*S]:
    """The logarithm of base 2."""
    return real_function("log2", "log2", x)


def log10(x: Tensor[*S], /) -> Tensor[*S]:
    """The logarithm of base 10."""
    return real_function("log10", "log10", x)


def sqrt(x: Tensor[*S], /) -> Tensor[*S]:
    """The square root."""
    return real_function("sqrt", "sqrt", x)


def sin(x: Tensor[*S], /) -> Tensor[*S]:
    """The sine of an angle in radians."""
    return real_function("sin", "sin", x)


def cos(x: Tensor[*S], /) -> Tensor[*S]:
    """The cosine of an angle in radians."""
    return real_function("cos", "cos", x)


def tan(x: Tensor[*S], /) -> Tensor[*S]:
    """The tangent of an angle in radians."""
    return real_function("tan", "tan", x)


def asin(x: Tensor[*S], /) -> Tensor[*S]:
    """The inverse sine, in [-pi/2, pi/2]."""
    return real_function("asin", "asin", x)


def acos(x: Tensor[*S], /) -> Tensor[*S]:
    """The inverse cosine, in [0, pi]."""
    return real_function("acos", "acos", x)


def atan(x: Tensor[*S], /) -> Tensor[*S]:
    """The inverse tangent, in [-pi/2, pi/2]."""
    return real_function("atan", "atan", x)


def sinh(x: Tensor[*S], /) -> Tensor[*S]:
    """The hyperbolic sine."""
    return real_function("sinh", "sinh", x)


def cosh(x: Tensor[*S], /) -> Tensor[*S]:
    """The hyperbolic cosine."""
    return real_function("cosh", "cosh", x)


def tanh(x: Tensor[*S], /) -> Tensor[*S]:
    """The hyperbolic tangent."""
    return real_function("tanh", "tanh", x)


def asinh(x: Tensor[*S], /) -> Tensor[*S]:
    """The inverse hyperbolic sine."""
    return real_function("asinh", "asinh", x)


def acosh(x: Tensor[*S], /) -> Tensor[*S]:
    """The inverse hyperbolic cosine, not negative."""
    return real_function("acosh", "acosh", x)


def atanh(x: Tensor[*S], /) -> Tensor[*S]:
    """The inverse hyperbolic tangent."""
    return real_function("atanh", "atanh", x)


def atan2(x1: Real, x2: Real, /) -> Tensor:
    """The angle of the point (x2, x1), in [-pi, pi]. Its derivative at the origin is NaN."""
    return real_binary("atan2", "atan2", x1, x2)


def hypot(x1: Real, x2: Real, /) -> Tensor:
    """sqrt(x1**2 + x2**2) without overflow. Its gradient at the origin is 0."""
    return real_binary("hypot", "hypot", x1, x2)


def logaddexp(x1: Real, x2: Real, /) -> Tensor:
    """log(exp(x1) + exp(x2)) without overflow."""
    return real_binary("logaddexp", "logaddexp", x1, x2)


def sinc(x: Tensor[*S], /) -> Tensor[*S]:
    """sin(pi x) / (pi x), and 1 at 0, as NumPy's; every derivative is a kernel of its own."""
    met = as_real(meet("sinc", (x,), ("x",)))
    return Tensor(met.ops, met.ops.sinc(met.payloads[0], 0), met.dtype, met.weak)
