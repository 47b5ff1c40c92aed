"""Rounding and remainders: piecewise constant or linear. See primitive.py for the legend."""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.interpreter import Interpreter
from taglessad.primitive import declare, diagonal
from taglessad.rules.arithmetic import IDENTITY
from taglessad.rules.infer import common, same

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _remainder_in_divisor(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.neg(ops.floor(ops.div(a, b)))


def _fmod_in_divisor(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.neg(ops.trunc(ops.div(a, b)))


FLOOR: Final = declare("floor", same, (None,), "elementwise")
CEIL: Final = declare("ceil", same, (None,), "elementwise")
TRUNC: Final = declare("trunc", same, (None,), "elementwise")
ROUND: Final = declare("round", same, (None,), "elementwise")
FLOOR_DIVIDE: Final = declare("floor_divide", common, (None, None), "elementwise")
REMAINDER: Final = declare(
    "remainder", common, (IDENTITY, diagonal(_remainder_in_divisor)), "elementwise"
)
FMOD: Final = declare("fmod", common, (IDENTITY, diagonal(_fmod_in_divisor)), "elementwise")


class Rounding(Interpreter[R]):
    """The methods of this family; the derivative of a step is 0."""

    def floor(self, x: R, /) -> R:
        return self.apply(FLOOR, (x,), ())

    def ceil(self, x: R, /) -> R:
        return self.apply(CEIL, (x,), ())

    def trunc(self, x: R, /) -> R:
        return self.apply(TRUNC, (x,), ())

    def round(self, x: R, /) -> R:
        """To the nearest integer, halves to even."""
        return self.apply(ROUND, (x,), ())

    def floor_divide(self, a: R, b: R, /) -> R:
        return self.apply(FLOOR_DIVIDE, (a, b), ())

    def remainder(self, a: R, b: R, /) -> R:
        """a - b * floor(a / b): the sign of the divisor."""
        return self.apply(REMAINDER, (a, b), ())

    def fmod(self, a: R, b: R, /) -> R:
        """a - b * trunc(a / b): the sign of the dividend."""
        return self.apply(FMOD, (a, b), ())
