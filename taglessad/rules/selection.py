"""Choices between operands: what was not chosen contributes nothing. Legend in primitive.py.

A `keep` rule returns (condition, holds): the entries of the operand that were taken are those
where `condition` is `holds`. It is written "not (a < b)" rather than "a >= b", so that NaN, which
compares false with everything, counts as taken and stays loud.
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.dtypes import DType, bool_
from taglessad.errors import DTypeError
from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, Keep, Slot, declare, diagonal, selfadjoint
from taglessad.rules.arithmetic import IDENTITY
from taglessad.rules.infer import common, same
from taglessad.shapes import broadcast

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


# --- where ---------------------------------------------------------------------------------------
def _infer_where(condition: Aval, a: Aval, b: Aval) -> Aval:
    if condition.dtype != bool_:
        raise DTypeError(f"where: the condition has dtype {condition.dtype}; it must be bool")
    both = common(a, b)
    return Aval(broadcast(condition.shape, both.shape, what="where"), both.dtype)


def _keep_then(ops: "Ops[R]", y: R, condition: R, a: R, b: R) -> tuple[R, bool]:
    return condition, True


def _keep_else(ops: "Ops[R]", y: R, condition: R, a: R, b: R) -> tuple[R, bool]:
    return condition, False


WHERE: Final = declare(
    "where",
    _infer_where,
    (
        None,
        Slot(IDENTITY.push, IDENTITY.pull, _keep_then, tame=True),
        Slot(IDENTITY.push, IDENTITY.pull, _keep_else, tame=True),
    ),
    "elementwise",
)


# --- maximum, minimum ----------------------------------------------------------------------------
def _tie_halves(ops: "Ops[R]", d: R, y: R, a: R, b: R) -> R:
    half = ops.where(ops.equal(a, b), ops.scalar(Fraction(1, 2), a), ops.scalar(1, a))
    return ops.mul(d, half)


def _keep_not_less(ops: "Ops[R]", y: R, a: R, b: R) -> tuple[R, bool]:
    return ops.less(a, b), False


def _keep_not_greater(ops: "Ops[R]", y: R, a: R, b: R) -> tuple[R, bool]:
    return ops.less(b, a), False


def _either(keep: Keep) -> Slot:
    return selfadjoint(_tie_halves, keep, tame=True)


MAXIMUM: Final = declare(
    "maximum", common, (_either(_keep_not_less), _either(_keep_not_greater)), "elementwise"
)
MINIMUM: Final = declare(
    "minimum", common, (_either(_keep_not_greater), _either(_keep_not_less)), "elementwise"
)


# --- clip ----------------------------------------------------------------------------------------
def _infer_clip(x: Aval, low: Aval, high: Aval) -> Aval:
    return common(common(x, low), high)


def _keep_inside(ops: "Ops[R]", y: R, x: R, low: R, high: R) -> tuple[R, bool]:
    return ops.logical_or(ops.less(x, low), ops.less(high, x)), False


def _keep_below(ops: "Ops[R]", y: R, x: R, low: R, high: R) -> tuple[R, bool]:
    below = ops.less(x, low)  # where low > high the result is high
    return ops.logical_and(below, ops.logical_not(ops.less(high, low))), True


def _keep_above(ops: "Ops[R]", y: R, x: R, low: R, high: R) -> tuple[R, bool]:
    return ops.less(high, ops.maximum(x, low)), True


CLIP: Final = declare(
    "clip",
    _infer_clip,
    (
        Slot(IDENTITY.push, IDENTITY.pull, _keep_inside, tame=True),
        Slot(IDENTITY.push, IDENTITY.pull, _keep_below, tame=True),
        Slot(IDENTITY.push, IDENTITY.pull, _keep_above, tame=True),
    ),
    "elementwise",
)


# --- relu ----------------------------------------------------------------------------------------
def _keep_positive(ops: "Ops[R]", y: R, x: R) -> tuple[R, bool]:
    return ops.less_equal(x, ops.scalar(0, x)), False


RELU: Final = declare(
    "relu", same, (Slot(IDENTITY.push, IDENTITY.pull, _keep_positive, tame=True),), "elementwise"
)


# --- copysign ------------------------------------------------------------------------------------
def _copysign(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.mul(ops.sign(a), ops.copysign(ops.scalar(1, a), b))


COPYSIGN: Final = declare("copysign", common, (diagonal(_copysign), None), "elementwise")
NEXTAFTER: Final = declare("nextafter", common, (None, None), "elementwise")


# --- cast, detach --------------------------------------------------------------------------------
def _infer_cast(x: Aval, dtype: DType) -> Aval:
    return Aval(x.shape, dtype)


def _cast_push(ops: "Ops[R]", d: R, y: R, x: R, dtype: DType) -> R:
    return ops.cast(d, dtype)


def _cast_pull(ops: "Ops[R]", d: R, y: R, x: R, dtype: DType) -> R:
    return ops.cast(d, ops.dtype(x))


CAST: Final = declare(
    "cast", _infer_cast, (Slot(_cast_push, _cast_pull, tame=True),), "elementwise"
)
DETACH: Final = declare("detach", same, (None,), "elementwise")


class Selection(Interpreter[R]):
    """The methods of this family."""

    def where(self, condition: R, a: R, b: R, /) -> R:
        """a where the condition holds, b elsewhere."""
        return self.apply(WHERE, (condition, a, b), ())

    def maximum(self, a: R, b: R, /) -> R:
        """The larger; equal operands share the derivative."""
        return self.apply(MAXIMUM, (a, b), ())

    def minimum(self, a: R, b: R, /) -> R:
        """The smaller; equal operands share the derivative."""
        return self.apply(MINIMUM, (a, b), ())

    def clip(self, x: R, low: R, high: R, /) -> R:
        """min(max(x, low), high); the derivative in x is 1 on the closed interval."""
        return self.apply(CLIP, (x, low, high), ())

    def relu(self, x: R, /) -> R:
        """max(x, 0); its derivative at 0 is 0."""
        return self.apply(RELU, (x,), ())

    def copysign(self, a: R, b: R, /) -> R:
        """|a| with the sign of b; its derivative at a = 0 is 0."""
        return self.apply(COPYSIGN, (a, b), ())

    def nextafter(self, a: R, b: R, /) -> R:
        """The neighbour of a towards b."""
        return self.apply(NEXTAFTER, (a, b), ())

    def cast(self, x: R, dtype: DType, /) -> R:
        """x in another dtype; the derivative passes between real dtypes and is 0 through others."""
        return self.apply(CAST, (x,), (dtype,))

    def detach(self, x: R, /) -> R:
        """x, with no derivative: in both modes, at every order, at every level."""
        return self.apply(DETACH, (x,), ())
