"""Trigonometric and hyperbolic functions and their inverses. See primitive.py for the legend."""

from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.interpreter import Interpreter
from taglessad.primitive import declare, diagonal, selfadjoint
from taglessad.rules.infer import common, same
from taglessad.rules.inner import below, magnitude, not_above, side

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _sin(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.cos(x)


def _cos(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.neg(ops.sin(x))


def _tan(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.add(ops.scalar(1, y), ops.mul(y, y))


def _one_minus_square(ops: "Ops[R]", x: R) -> R:
    # 1 - x*x cancels near +-1, (1 - x)(1 + x) does not; near 0 it is the derivative of the product
    # that cancels, and that of 1 - x*x does not.
    one = ops.scalar(1, x)
    product = ops.mul(ops.sub(one, x), ops.add(one, x))
    small = below(ops, magnitude(ops, x), ops.scalar(Fraction(1, 2), x))
    return ops.where(small, ops.sub(one, ops.square(x)), product)


def _asin(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.rsqrt(_one_minus_square(ops, x))


def _acos(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.neg(ops.rsqrt(_one_minus_square(ops, x)))


def _atan(ops: "Ops[R]", y: R, x: R) -> R:
    # 1 / (1 + x*x) as a square: x*x overflows long before the result underflows.
    return ops.square(ops.reciprocal(ops.hypot(ops.scalar(1, x), x)))


def _over_square(ops: "Ops[R]", leg: R, other: R) -> R:
    # leg / (leg**2 + other**2): NaN at the origin. From the quotient of the smaller by the larger,
    # exact where the squares are out of range; its derivative is exactly 0 where they are equal.
    long = not_above(ops, magnitude(ops, other), magnitude(ops, leg))
    shorter, longer = ops.where(long, other, leg), ops.where(long, leg, other)
    ratio = ops.div(shorter, longer)
    both = ops.logical_and(ops.isinf(shorter), ops.isinf(longer))
    ratio = ops.where(both, ops.mul(side(ops, shorter), side(ops, longer)), ratio)
    inverse = ops.reciprocal(ops.add(ops.scalar(1, ratio), ops.square(ratio)))
    return ops.div(ops.where(long, inverse, ops.mul(ratio, inverse)), longer)


def _atan2_in_y(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return _over_square(ops, b, a)


def _atan2_in_x(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.neg(_over_square(ops, a, b))


def _sinh(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.cosh(x)


def _cosh(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.sinh(x)


def _tanh(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.sech_squared(x)  # 1 - y*y loses the tails


def _sech_squared(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.mul(ops.mul(ops.scalar(-2, y), ops.tanh(x)), y)


def _asinh(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.reciprocal(ops.hypot(ops.scalar(1, x), x))


def _acosh(ops: "Ops[R]", y: R, x: R) -> R:
    one = ops.scalar(1, x)
    return ops.mul(ops.rsqrt(ops.sub(x, one)), ops.rsqrt(ops.add(x, one)))


def _atanh(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return ops.div(d, _one_minus_square(ops, x))


SIN: Final = declare("sin", same, (diagonal(_sin),), "elementwise")
COS: Final = declare("cos", same, (diagonal(_cos),), "elementwise")
TAN: Final = declare("tan", same, (diagonal(_tan),), "elementwise")
ASIN: Final = declare("asin", same, (diagonal(_asin),), "elementwise")
ACOS: Final = declare("acos", same, (diagonal(_acos),), "elementwise")
ATAN: Final = declare("atan", same, (diagonal(_atan),), "elementwise")
ATAN2: Final = declare(
    "atan2", common, (diagonal(_atan2_in_y), diagonal(_atan2_in_x)), "elementwise"
)
SINH: Final = declare("sinh", same, (diagonal(_sinh),), "elementwise")
COSH: Final = declare("cosh", same, (diagonal(_cosh),), "elementwise")
TANH: Final = declare("tanh", same, (diagonal(_tanh),), "elementwise")
SECH_SQUARED: Final = declare("sech_squared", same, (diagonal(_sech_squared),), "elementwise")
ASINH: Final = declare("asinh", same, (diagonal(_asinh),), "elementwise")
ACOSH: Final = declare("acosh", same, (diagonal(_acosh),), "elementwise")
ATANH: Final = declare("atanh", same, (selfadjoint(_atanh),), "elementwise")


class Trigonometric(Interpreter[R]):
    """The methods of this family; angles in radians."""

    def sin(self, x: R, /) -> R:
        return self.apply(SIN, (x,), ())

    def cos(self, x: R, /) -> R:
        return self.apply(COS, (x,), ())

    def tan(self, x: R, /) -> R:
        return self.apply(TAN, (x,), ())

    def asin(self, x: R, /) -> R:
        return self.apply(ASIN, (x,), ())

    def acos(self, x: R, /) -> R:
        return self.apply(ACOS, (x,), ())

    def atan(self, x: R, /) -> R:
        return self.apply(ATAN, (x,), ())

    def atan2(self, a: R, b: R, /) -> R:
        """The angle of the point (b, a); no derivative at the origin, where the rule gives NaN."""
        return self.apply(ATAN2, (a, b), ())

    def sinh(self, x: R, /) -> R:
        return self.apply(SINH, (x,), ())

    def cosh(self, x: R, /) -> R:
        return self.apply(COSH, (x,), ())

    def tanh(self, x: R, /) -> R:
        return self.apply(TANH, (x,), ())

    def sech_squared(self, x: R, /) -> R:
        """1 / cosh(x)**2, accurate in the tails: the derivative of tanh."""
        return self.apply(SECH_SQUARED, (x,), ())

    def asinh(self, x: R, /) -> R:
        return self.apply(ASINH, (x,), ())

    def acosh(self, x: R, /) -> R:
        return self.apply(ACOSH, (x,), ())

    def atanh(self, x: R, /) -> R:
        return self.apply(ATANH, (x,), ())
