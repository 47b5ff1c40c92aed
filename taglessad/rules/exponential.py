"""Exponentials, logarithms and the logistic family. See primitive.py for the legend."""

from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.dtypes import LN2, LN10, smallest_normal
from taglessad.interpreter import Interpreter
from taglessad.primitive import declare, diagonal, selfadjoint
from taglessad.rules.infer import common, same
from taglessad.rules.inner import below, magnitude

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _exp(ops: "Ops[R]", y: R, x: R) -> R:
    return y


def _expm1(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.exp(x)  # not y + 1, which cancels for x << 0


def _exp_neg_square(ops: "Ops[R]", y: R, x: R) -> R:
    # Far out all is 0, where inf * 0 would be NaN.
    near = ops.where(below(ops, magnitude(ops, x), ops.scalar(64, x)), x, ops.scalar(0, x))
    slope = ops.mul(ops.scalar(-2, x), near)
    # Where y is subnormal it has lost digits: there it is taken in four factors.
    deep = below(ops, y, ops.scalar(4 * smallest_normal(ops.dtype(x)), y))
    root = ops.exp_neg_square(ops.mul(ops.scalar(Fraction(1, 2), x), near))
    square = ops.square(root)
    return ops.where(deep, ops.mul(ops.mul(slope, square), square), ops.mul(slope, y))


def _log(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return ops.div(d, x)


def _log1p(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return ops.div(d, ops.add(ops.scalar(1, x), x))


def _log2(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return ops.div(ops.div(d, ops.scalar(LN2, x)), x)  # x * ln 2 may be subnormal


def _log10(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return ops.div(ops.div(d, ops.scalar(LN10, x)), x)  # x * ln 10 may overflow


def difference(ops: "Ops[R]", a: R, b: R) -> tuple[R, R]:
    """a - b and what its rounding leaves out (Knuth's two-sum, held constant).

    Infinite operands that are equal have the difference 0, where a - b would be NaN.
    """
    same_ = ops.logical_and(ops.equal(a, b), ops.isinf(a))
    gap = ops.where(same_, ops.scalar(0, a), ops.sub(a, b))
    p, q, whole = ops.detach(a), ops.detach(b), ops.detach(gap)
    part = ops.sub(whole, p)
    rest = ops.sub(ops.sub(p, ops.sub(whole, part)), ops.add(q, part))
    return gap, ops.where(ops.isfinite(rest), rest, ops.scalar(0, rest))


def _weight(ops: "Ops[R]", a: R, b: R) -> R:
    # exp(a) / (exp(a) + exp(b)). In the tails a rounding error of a - b would count a - b times.
    gap, rest = difference(ops, a, b)
    change = ops.mul(rest, ops.sigmoid(ops.neg(gap)))
    return ops.mul(ops.sigmoid(gap), ops.add(ops.scalar(1, change), change))


def _logaddexp_in_left(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return _weight(ops, a, b)


def _logaddexp_in_right(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return _weight(ops, b, a)


def _sigmoid(ops: "Ops[R]", y: R, x: R) -> R:
    # sech(x/2)**2 / 4: y * (1 - y) loses the right tail.
    half = ops.mul(ops.scalar(Fraction(1, 2), x), x)
    return ops.mul(ops.scalar(Fraction(1, 4), x), ops.sech_squared(half))


def _softplus(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.sigmoid(x)


EXP: Final = declare("exp", same, (diagonal(_exp),), "elementwise")
EXPM1: Final = declare("expm1", same, (diagonal(_expm1),), "elementwise")
EXP_NEG_SQUARE: Final = declare("exp_neg_square", same, (diagonal(_exp_neg_square),), "elementwise")
LOG: Final = declare("log", same, (selfadjoint(_log),), "elementwise")
LOG1P: Final = declare("log1p", same, (selfadjoint(_log1p),), "elementwise")
LOG2: Final = declare("log2", same, (selfadjoint(_log2),), "elementwise")
LOG10: Final = declare("log10", same, (selfadjoint(_log10),), "elementwise")
LOGADDEXP: Final = declare(
    "logaddexp",
    common,
    (diagonal(_logaddexp_in_left), diagonal(_logaddexp_in_right)),
    "elementwise",
)
SIGMOID: Final = declare("sigmoid", same, (diagonal(_sigmoid),), "elementwise")
SOFTPLUS: Final = declare("softplus", same, (diagonal(_softplus),), "elementwise")


class Exponential(Interpreter[R]):
    """The methods of this family."""

    def exp(self, x: R, /) -> R:
        return self.apply(EXP, (x,), ())

    def expm1(self, x: R, /) -> R:
        return self.apply(EXPM1, (x,), ())

    def exp_neg_square(self, x: R, /) -> R:
        """exp(-x*x), a few ulp in the tails: the derivative of the error function."""
        return self.apply(EXP_NEG_SQUARE, (x,), ())

    def log(self, x: R, /) -> R:
        return self.apply(LOG, (x,), ())

    def log1p(self, x: R, /) -> R:
        return self.apply(LOG1P, (x,), ())

    def log2(self, x: R, /) -> R:
        return self.apply(LOG2, (x,), ())

    def log10(self, x: R, /) -> R:
        return self.apply(LOG10, (x,), ())

    def logaddexp(self, a: R, b: R, /) -> R:
        """log(exp(a) + exp(b)) without overflow."""
        return self.apply(LOGADDEXP, (a, b), ())

    def sigmoid(self, x: R, /) -> R:
        """1 / (1 + exp(-x)), accurate in both tails."""
        return self.apply(SIGMOID, (x,), ())

    def softplus(self, x: R, /) -> R:
        """log(1 + exp(x)) without overflow."""
        return self.apply(SOFTPLUS, (x,), ())
