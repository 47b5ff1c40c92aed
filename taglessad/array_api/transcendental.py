"""Exponential, logarithmic, trigonometric and hyperbolic functions of reals, entry by entry.

x is of any shape; two operands broadcast. float16, float32 and float64 are kept; integers and bools
become float64. Raises DTypeError for what holds no real numbers, ShapeError for shapes that do not
broadcast. Outside its domain a function gives NaN.
"""

from fractions import Fraction
from typing import Any, Final

from typing_extensions import TypeVarTuple

from taglessad.dispatch import Real, as_real, meet, real_binary, real_function
from taglessad.dtypes import PI
from taglessad.ops import Ops
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
    """sin(pi x) / (pi x), and 1 at 0, as NumPy's.

    Near 0 its Maclaurin series is summed, so that every derivative is right there up to the order
    2 * 24 of its last term; beyond |pi x| = 3 repeated differentiation of the quotient cancels no
    more than a few digits.
    """
    met = as_real(meet("sinc", (x,), ("x",)))
    ops, x = met.ops, met.payloads[0]
    z = ops.mul(ops.scalar(PI, x), x)
    near = ops.less(ops.abs(z), ops.scalar(3, z))
    y = ops.where(near, _sinc_series(ops, z), ops.div(_sine_of_pi(ops, x), z))
    return Tensor(ops, y, met.dtype, met.weak)


def _sine_of_pi(ops: Ops[Any], x: Any) -> Any:  # Any: a payload of whichever interpreter runs
    """sin(pi x): from the distance to the next integer, which is exact, as pi x is not."""
    whole = ops.detach(ops.round(x))
    half = ops.mul(ops.scalar(Fraction(1, 2), x), whole)
    odd = ops.sub(half, ops.floor(half))  # 0 or 1/2
    sign = ops.sub(ops.scalar(1, x), ops.mul(ops.scalar(4, x), odd))
    return ops.mul(sign, ops.sin(ops.mul(ops.scalar(PI, x), ops.sub(x, whole))))


_SINC_TERMS: Final = 24


def _sinc_series(ops: Ops[Any], z: Any) -> Any:  # Any: a payload of whichever interpreter runs
    """The sum of (-z*z)**k / (2k + 1)!, by Horner's rule."""
    one = ops.scalar(1, z)
    square = ops.square(z)
    total = one
    for k in range(_SINC_TERMS, 0, -1):
        ratio = ops.scalar(Fraction(-1, 2 * k * (2 * k + 1)), z)
        total = ops.add(one, ops.mul(ops.mul(ratio, square), total))
    return total
