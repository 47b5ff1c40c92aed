"""Special functions of one number: the error, normal and gamma families. Legend in primitive.py.

Each family is closed under differentiation: what a rule needs is again a primitive with a stable
kernel. Section numbers are those of the NIST Digital Library of Mathematical Functions (DLMF).
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.dtypes import HALF_SQRT_PI, PI, TWO_OVER_SQRT_PI
from taglessad.interpreter import Interpreter
from taglessad.primitive import declare, diagonal
from taglessad.rules.infer import same
from taglessad.rules.inner import below

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")
HALF: Final = Fraction(1, 2)


# --- error functions -----------------------------------------------------------------------------
def _erf(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.mul(ops.scalar(TWO_OVER_SQRT_PI, x), ops.exp_neg_square(x))


def _erfc(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.neg(_erf(ops, y, x))


def _inverse_slope(ops: "Ops[R]", y: R, tail: R, depth: R, centre: R) -> R:
    """sqrt(pi)/2 exp(y*y): where erfc(tail) is depth it is erfcx(tail) / depth.

    exp(y*y) itself would magnify the rounding of y by 2 y*y; near 0, where it does not, it is the
    derivative of the other form that cancels.
    """
    near = ops.reciprocal(ops.exp_neg_square(y))
    far = ops.div(ops.erfcx(tail, 0), depth)
    return ops.mul(ops.scalar(HALF_SQRT_PI, y), ops.where(centre, near, far))


def _erfinv(ops: "Ops[R]", y: R, x: R) -> R:
    left = below(ops, x, ops.scalar(0, x))
    size = ops.where(left, ops.neg(x), x)
    centre = below(ops, size, ops.scalar(HALF, x))
    depth = ops.sub(ops.scalar(1, x), size)
    return _inverse_slope(ops, y, ops.where(left, ops.neg(y), y), depth, centre)


def _erfcinv(ops: "Ops[R]", y: R, x: R) -> R:
    one = ops.scalar(1, x)
    right = below(ops, one, x)
    depth = ops.where(right, ops.sub(ops.scalar(2, x), x), x)
    centre = below(ops, ops.scalar(HALF, x), depth)
    tail = ops.where(right, ops.neg(y), y)
    return ops.neg(_inverse_slope(ops, y, tail, depth, centre))


def _erfcx(ops: "Ops[R]", y: R, x: R, n: int) -> R:
    return ops.mul(ops.scalar(-2 * (n + 1), x), ops.erfcx(x, n + 1))  # 7.18.3 with 7.18.7


# --- the normal distribution ---------------------------------------------------------------------
def _ndtr(ops: "Ops[R]", y: R, x: R) -> R:
    # exp(-x*x/2) / sqrt(2 pi): x/2 is exact, x/sqrt(2) would not be.
    root = ops.exp_neg_square(ops.mul(ops.scalar(HALF, x), x))
    two_pi = ops.mul(ops.scalar(2, x), ops.scalar(PI, x))  # 2 * PI would be a mere float
    return ops.mul(ops.rsqrt(two_pi), ops.square(root))


def _log_ndtr(ops: "Ops[R]", y: R, x: R) -> R:
    # The inverse of Mills's ratio; in the left tail its own derivative is that of erfcx.
    zero = ops.scalar(0, x)
    left = below(ops, x, zero)
    tail = ops.mul(ops.neg(ops.rsqrt(ops.scalar(2, x))), x)
    half_pi = ops.mul(ops.scalar(HALF, x), ops.scalar(PI, x))
    by_ratio = ops.div(ops.rsqrt(half_pi), ops.erfcx(tail, 0))
    return ops.where(left, by_ratio, ops.div(_ndtr(ops, y, x), ops.ndtr(x)))


# --- gamma ---------------------------------------------------------------------------------------
def _gamma(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.mul(y, ops.polygamma(x, 0))


def _gammaln(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.polygamma(x, 0)


def _polygamma(ops: "Ops[R]", y: R, x: R, n: int) -> R:
    return ops.polygamma(x, n + 1)


ERF: Final = declare("erf", same, (diagonal(_erf),), "elementwise")
ERFC: Final = declare("erfc", same, (diagonal(_erfc),), "elementwise")
ERFINV: Final = declare("erfinv", same, (diagonal(_erfinv),), "elementwise")
ERFCINV: Final = declare("erfcinv", same, (diagonal(_erfcinv),), "elementwise")
ERFCX: Final = declare("erfcx", same, (diagonal(_erfcx),), "elementwise")
NDTR: Final = declare("ndtr", same, (diagonal(_ndtr),), "elementwise")
LOG_NDTR: Final = declare("log_ndtr", same, (diagonal(_log_ndtr),), "elementwise")
GAMMA: Final = declare("gamma", same, (diagonal(_gamma),), "elementwise")
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

    def erfcinv(self, x: R, /) -> R:
        """The inverse of erfc on (0, 2)."""
        return self.apply(ERFCINV, (x,), ())

    def erfcx(self, x: R, n: int, /) -> R:
        """exp(x*x) times the n-th repeated integral of erfc from x on; n = 0 is erfc itself."""
        return self.apply(ERFCX, (x,), (n,))

    def ndtr(self, x: R, /) -> R:
        """The normal distribution function."""
        return self.apply(NDTR, (x,), ())

    def log_ndtr(self, x: R, /) -> R:
        """The logarithm of the normal distribution function."""
        return self.apply(LOG_NDTR, (x,), ())

    def gamma(self, x: R, /) -> R:
        """The gamma function."""
        return self.apply(GAMMA, (x,), ())

    def gammaln(self, x: R, /) -> R:
        """log|Gamma(x)|."""
        return self.apply(GAMMALN, (x,), ())

    def polygamma(self, x: R, n: int, /) -> R:
        """The n-th derivative of the digamma function; n = 0 is digamma itself."""
        return self.apply(POLYGAMMA, (x,), (n,))
