"""Comparisons, logic, bits and classification: no derivatives. See primitive.py for the legend."""

from typing import Final, TypeVar

from taglessad.interpreter import Interpreter
from taglessad.primitive import declare
from taglessad.rules.infer import common, comparison, predicate, same

R = TypeVar("R")

EQUAL: Final = declare("equal", comparison, (None, None), "elementwise")
NOT_EQUAL: Final = declare("not_equal", comparison, (None, None), "elementwise")
LESS: Final = declare("less", comparison, (None, None), "elementwise")
LESS_EQUAL: Final = declare("less_equal", comparison, (None, None), "elementwise")
LOGICAL_AND: Final = declare("logical_and", common, (None, None), "elementwise")
LOGICAL_OR: Final = declare("logical_or", common, (None, None), "elementwise")
LOGICAL_XOR: Final = declare("logical_xor", common, (None, None), "elementwise")
LOGICAL_NOT: Final = declare("logical_not", same, (None,), "elementwise")
BITWISE_AND: Final = declare("bitwise_and", common, (None, None), "elementwise")
BITWISE_OR: Final = declare("bitwise_or", common, (None, None), "elementwise")
BITWISE_XOR: Final = declare("bitwise_xor", common, (None, None), "elementwise")
BITWISE_INVERT: Final = declare("bitwise_invert", same, (None,), "elementwise")
LEFT_SHIFT: Final = declare("left_shift", common, (None, None), "elementwise")
RIGHT_SHIFT: Final = declare("right_shift", common, (None, None), "elementwise")
ISFINITE: Final = declare("isfinite", predicate, (None,), "elementwise")
ISINF: Final = declare("isinf", predicate, (None,), "elementwise")
ISNAN: Final = declare("isnan", predicate, (None,), "elementwise")
SIGNBIT: Final = declare("signbit", predicate, (None,), "elementwise")


class Logic(Interpreter[R]):
    """The methods of this family. `a > b` is `less(b, a)`."""

    def equal(self, a: R, b: R, /) -> R:
        return self.apply(EQUAL, (a, b), ())

    def not_equal(self, a: R, b: R, /) -> R:
        return self.apply(NOT_EQUAL, (a, b), ())

    def less(self, a: R, b: R, /) -> R:
        return self.apply(LESS, (a, b), ())

    def less_equal(self, a: R, b: R, /) -> R:
        return self.apply(LESS_EQUAL, (a, b), ())

    def logical_and(self, a: R, b: R, /) -> R:
        return self.apply(LOGICAL_AND, (a, b), ())

    def logical_or(self, a: R, b: R, /) -> R:
        return self.apply(LOGICAL_OR, (a, b), ())

    def logical_xor(self, a: R, b: R, /) -> R:
        return self.apply(LOGICAL_XOR, (a, b), ())

    def logical_not(self, x: R, /) -> R:
        return self.apply(LOGICAL_NOT, (x,), ())

    def bitwise_and(self, a: R, b: R, /) -> R:
        return self.apply(BITWISE_AND, (a, b), ())

    def bitwise_or(self, a: R, b: R, /) -> R:
        return self.apply(BITWISE_OR, (a, b), ())

    def bitwise_xor(self, a: R, b: R, /) -> R:
        return self.apply(BITWISE_XOR, (a, b), ())

    def bitwise_invert(self, x: R, /) -> R:
        return self.apply(BITWISE_INVERT, (x,), ())

    def left_shift(self, a: R, b: R, /) -> R:
        return self.apply(LEFT_SHIFT, (a, b), ())

    def right_shift(self, a: R, b: R, /) -> R:
        return self.apply(RIGHT_SHIFT, (a, b), ())

    def isfinite(self, x: R, /) -> R:
        return self.apply(ISFINITE, (x,), ())

    def isinf(self, x: R, /) -> R:
        return self.apply(ISINF, (x,), ())

    def isnan(self, x: R, /) -> R:
        return self.apply(ISNAN, (x,), ())

    def signbit(self, x: R, /) -> R:
        return self.apply(SIGNBIT, (x,), ())
