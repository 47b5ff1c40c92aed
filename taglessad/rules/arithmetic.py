"""Arithmetic: + - * /, powers, roots, absolute value. See primitive.py for the legend."""

from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.dtypes import smallest_normal
from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, Slot, declare, diagonal, selfadjoint
from taglessad.rules.infer import common, same
from taglessad.rules.inner import below, magnitude, not_above, side

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")
HALF: Final = Fraction(1, 2)


# --- sums ----------------------------------------------------------------------------------------
def _as_is(ops: "Ops[R]", d: R, y: R, /, *_: R) -> R:
    return d


def _negated(ops: "Ops[R]", d: R, y: R, /, *_: R) -> R:
    return ops.neg(d)


IDENTITY: Final = Slot(_as_is, _as_is, tame=True)
NEGATION: Final = Slot(_negated, _negated, tame=True)

ADD: Final = declare("add", common, (IDENTITY, IDENTITY), "elementwise")
SUB: Final = declare("sub", common, (IDENTITY, NEGATION), "elementwise")
NEG: Final = declare("neg", same, (NEGATION,), "elementwise")


# --- products ------------------------------------------------------------------------------------
def _times_right(ops: "Ops[R]", d: R, y: R, a: R, b: R) -> R:
    return ops.mul(d, b)


def _times_left(ops: "Ops[R]", d: R, y: R, a: R, b: R) -> R:
    return ops.mul(d, a)


def _over_right(ops: "Ops[R]", d: R, y: R, a: R, b: R) -> R:
    return ops.div(d, b)


def _quotient_in_divisor(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.div(y, ops.neg(b))


def _square(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.mul(ops.scalar(2, x), x)


def _reciprocal(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.neg(ops.mul(y, y))


MUL: Final = declare(
    "mul", common, (selfadjoint(_times_right), selfadjoint(_times_left)), "elementwise"
)
DIV: Final = declare(
    "div", common, (selfadjoint(_over_right), diagonal(_quotient_in_divisor)), "elementwise"
)
SQUARE: Final = declare("square", same, (diagonal(_square),), "elementwise")
RECIPROCAL: Final = declare("reciprocal", same, (diagonal(_reciprocal),), "elementwise")


# --- powers --------------------------------------------------------------------------------------
def _pow_in_base(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    # b * a**(b-1). At 0**0 the power is made 1, not inf: the derivative of the constant 1 is 0,
    # and the mixed derivative a**(b-1) stays right wherever it exists.
    zero = ops.scalar(0, a)
    nought = ops.logical_and(ops.equal(a, zero), ops.equal(b, zero))
    base = ops.where(nought, ops.scalar(1, a), a)
    by_power = ops.mul(b, ops.pow(base, ops.sub(b, ops.scalar(1, b))))
    # b - 1 rounds b off where b < 1/2; b*y / a does not, but needs y with all its digits.
    small = below(ops, b, ops.scalar(HALF, b))
    normal = below(ops, ops.scalar(smallest_normal(ops.dtype(a)), y), magnitude(ops, y))
    inside = ops.logical_and(ops.logical_and(ops.isfinite(a), ops.not_equal(a, zero)), normal)
    by_quotient = ops.div(ops.mul(b, y), a)
    return ops.where(ops.logical_and(small, inside), by_quotient, by_power)


def _pow_in_exponent(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    # y * log(a); 0**b is the constant 0 for b > 0, where log(0) must not be seen.
    zero = ops.scalar(0, a)
    flat = ops.logical_and(ops.equal(a, zero), below(ops, zero, b))
    return ops.mul(y, ops.log(ops.where(flat, ops.scalar(1, a), a)))


def _integer_pow(ops: "Ops[R]", y: R, x: R, n: int) -> R:
    if n == 0:
        return ops.mul(ops.scalar(0, x), x)
    if n == 1:
        return ops.scalar(1, x)  # x**0 behind it would make a NaN at infinity
    return ops.mul(ops.scalar(n, x), ops.integer_pow(x, n - 1))


def _infer_pow_int(x: Aval, n: Aval) -> Aval:
    return Aval(common(x, Aval(n.shape, x.dtype)).shape, x.dtype)


def _pow_int(ops: "Ops[R]", y: R, x: R, n: R) -> R:
    # n * x**(n-1), with x**0 for n = 0: 0 * x**-1 would be NaN at 0.
    zero = ops.scalar(0, n)
    lower = ops.where(ops.equal(n, zero), zero, ops.sub(n, ops.scalar(1, n)))
    return ops.mul(ops.cast(n, ops.dtype(x)), ops.pow_int(x, lower))


POW: Final = declare(
    "pow", common, (diagonal(_pow_in_base), diagonal(_pow_in_exponent)), "elementwise"
)
INTEGER_POW: Final = declare("integer_pow", same, (diagonal(_integer_pow),), "elementwise")
POW_INT: Final = declare("pow_int", _infer_pow_int, (diagonal(_pow_int), None), "elementwise")


# --- roots and lengths ---------------------------------------------------------------------------
def _sqrt(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return ops.div(ops.mul(d, ops.scalar(HALF, y)), y)


def _rsqrt(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.mul(ops.scalar(-HALF, y), ops.div(y, x))


def _abs(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.sign(x)


def _cosine(ops: "Ops[R]", leg: R, other: R) -> R:
    # leg / hypot(leg, other); 0 at the origin, the smallest subgradient of the length. From the
    # quotient of the smaller by the larger, so that its derivative does not cancel.
    long = not_above(ops, magnitude(ops, other), magnitude(ops, leg))
    shorter, longer = ops.where(long, other, leg), ops.where(long, leg, other)
    one = ops.scalar(1, longer)
    origin = ops.equal(longer, ops.scalar(0, longer))
    ratio = ops.div(shorter, ops.where(origin, one, longer))
    both = ops.logical_and(ops.isinf(shorter), ops.isinf(longer))
    ratio = ops.where(both, ops.mul(side(ops, shorter), side(ops, longer)), ratio)
    inverse = ops.rsqrt(ops.add(one, ops.square(ratio)))
    return ops.mul(ops.sign(longer), ops.where(long, inverse, ops.mul(ratio, inverse)))


def _hypot_in_left(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return _cosine(ops, a, b)


def _hypot_in_right(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return _cosine(ops, b, a)


SQRT: Final = declare("sqrt", same, (selfadjoint(_sqrt),), "elementwise")
RSQRT: Final = declare("rsqrt", same, (diagonal(_rsqrt),), "elementwise")
ABS: Final = declare("abs", same, (diagonal(_abs),), "elementwise")
SIGN: Final = declare("sign", same, (None,), "elementwise")
HYPOT: Final = declare(
    "hypot", common, (diagonal(_hypot_in_left), diagonal(_hypot_in_right)), "elementwise"
)


class Arithmetic(Interpreter[R]):
    """The methods of this family. Operands of one primitive have one dtype and broadcast."""

    def add(self, a: R, b: R, /) -> R:
        return self.apply(ADD, (a, b), ())

    def sub(self, a: R, b: R, /) -> R:
        return self.apply(SUB, (a, b), ())

    def neg(self, x: R, /) -> R:
        return self.apply(NEG, (x,), ())

    def mul(self, a: R, b: R, /) -> R:
        return self.apply(MUL, (a, b), ())

    def div(self, a: R, b: R, /) -> R:
        return self.apply(DIV, (a, b), ())

    def square(self, x: R, /) -> R:
        return self.apply(SQUARE, (x,), ())

    def reciprocal(self, x: R, /) -> R:
        return self.apply(RECIPROCAL, (x,), ())

    def pow(self, a: R, b: R, /) -> R:
        """a**b for real b: NaN where a < 0 and b is no integer."""
        return self.apply(POW, (a, b), ())

    def integer_pow(self, x: R, n: int, /) -> R:
        """x**n for an integer n known beforehand."""
        return self.apply(INTEGER_POW, (x,), (n,))

    def pow_int(self, x: R, n: R, /) -> R:
        """x**n for an integer array n."""
        return self.apply(POW_INT, (x, n), ())

    def sqrt(self, x: R, /) -> R:
        return self.apply(SQRT, (x,), ())

    def rsqrt(self, x: R, /) -> R:
        """1 / sqrt(x)."""
        return self.apply(RSQRT, (x,), ())

    def abs(self, x: R, /) -> R:
        """|x|; its derivative at 0 is 0."""
        return self.apply(ABS, (x,), ())

    def sign(self, x: R, /) -> R:
        return self.apply(SIGN, (x,), ())

    def hypot(self, a: R, b: R, /) -> R:
        """sqrt(a*a + b*b) without overflow; its gradient at the origin is 0."""
        return self.apply(HYPOT, (a, b), ())
