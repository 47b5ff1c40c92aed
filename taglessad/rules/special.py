"""Special functions with kernels of their own. See primitive.py for the legend."""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.dtypes import HALF_SQRT_PI, TWO_OVER_SQRT_PI
from taglessad.interpreter import Interpreter
from taglessad.primitive import declare, diagonal
from taglessad.rules.infer import same

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _erf(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.mul(ops.scalar(TWO_OVER_SQRT_PI, x), ops.exp_neg_square(x))


def _erfc(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.neg(_erf(ops, y, x))


def _erfinv(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.div(ops.scalar(HALF_SQRT_PI, x), ops.exp_neg_square(y))


def _gammaln(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.polygamma(x, 0)


def _polygamma(ops: "Ops[R]", y: R, x: R, n: int) -> R:
    return ops.polygamma(x, n + 1)


ERF: Final = declare("erf", same, (diagonal(_erf),), "elementwise")
ERFC: Final = declare("erfc", same, (diagonal(_erfc),), "elementwise")
ERFINV: Final = declare("erfinv", same, (diagonal(_erfinv),), "elementwise")
GAMMALN: Final = declare("gammaln", same, (diagonal(_gammaln),), "elementwise")
POLYGAMMA: Final = declare("polygamma", same, (diagonal(_polygamma),), "elementwise")


class Special(Interpreter[R]):
    """The methods of this family."""

    def erf(self, x: R, /) -> R:
        """The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
        return self.apply(ERF, (x,), ())

    def erfc(self, x: R, /) -> R:
        """1 - erf(x), accurate in the right tail."""
        return self.apply(ERFC, (x,), ())

    def erfinv(self, x: R, /) -> R:
        """The inverse of erf on (-1, 1)."""
        return self.apply(ERFINV, (x,), ())

    def gammaln(self, x: R, /) -> R:
        """log|Gamma(x)|."""
        return self.apply(GAMMALN, (x,), ())

    def polygamma(self, x: R, n: int, /) -> R:
        """The n-th derivative of the digamma function; n = 0 is digamma itself."""
        return self.apply(POLYGAMMA, (x,), (n,))
