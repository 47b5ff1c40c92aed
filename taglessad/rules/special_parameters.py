"""Special functions with parameters, differentiated in all of them. Legend in primitive.py.

Where a derivative in a parameter has no closed form, its order is a static parameter of the
primitive itself (m, n below), so that the family is closed under differentiation.
"""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, declare, diagonal
from taglessad.rules.infer import common

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _pair(a: Aval, b: Aval, *_params: object) -> Aval:
    return common(a, b)


def _triple(a: Aval, b: Aval, x: Aval, *_params: object) -> Aval:
    return common(common(a, b), x)


# --- beta ----------------------------------------------------------------------------------------
def _beta_in_a(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.mul(y, ops.polygamma_difference(a, b, 0))


def _beta_in_b(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.mul(y, ops.polygamma_difference(b, a, 0))


def _betaln_in_a(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.polygamma_difference(a, b, 0)


def _betaln_in_b(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.polygamma_difference(b, a, 0)


def _difference_in_a(ops: "Ops[R]", y: R, a: R, b: R, n: int) -> R:
    return ops.polygamma_difference(a, b, n + 1)


def _difference_in_b(ops: "Ops[R]", y: R, a: R, b: R, n: int) -> R:
    return ops.neg(ops.polygamma(ops.add(a, b), n + 1))


BETA: Final = declare("beta", _pair, (diagonal(_beta_in_a), diagonal(_beta_in_b)), "elementwise")
BETALN: Final = declare(
    "betaln", _pair, (diagonal(_betaln_in_a), diagonal(_betaln_in_b)), "elementwise"
)
POLYGAMMA_DIFFERENCE: Final = declare(
    "polygamma_difference",
    _pair,
    (diagonal(_difference_in_a), diagonal(_difference_in_b)),
    "elementwise",
)


# --- zeta ----------------------------------------------------------------------------------------
def _zeta_in_x(ops: "Ops[R]", y: R, x: R, q: R, m: int) -> R:
    return ops.zeta(x, q, m + 1)


def _zeta_in_q(ops: "Ops[R]", y: R, x: R, q: R, m: int) -> R:
    # Of (-log u)**m u**-x: -x times that with x + 1, and -m times that with one logarithm less.
    above = ops.add(x, ops.scalar(1, x))
    slope = ops.mul(ops.neg(x), ops.zeta(above, q, m))
    if m == 0:
        return slope
    return ops.sub(slope, ops.mul(ops.scalar(m, x), ops.zeta(above, q, m - 1)))


ZETA: Final = declare("zeta", _pair, (diagonal(_zeta_in_x), diagonal(_zeta_in_q)), "elementwise")


# --- incomplete gamma ----------------------------------------------------------------------------
def _gammainc_in_a(ops: "Ops[R]", y: R, a: R, x: R, m: int) -> R:
    return ops.gammainc(a, x, m + 1)


def _gammainc_in_x(ops: "Ops[R]", y: R, a: R, x: R, m: int) -> R:
    return ops.gamma_density(a, x, m)


def _gammaincc_in_a(ops: "Ops[R]", y: R, a: R, x: R) -> R:
    return ops.neg(ops.gammainc(a, x, 1))


def _gammaincc_in_x(ops: "Ops[R]", y: R, a: R, x: R) -> R:
    return ops.neg(ops.gamma_density(a, x, 0))


def _gamma_density_in_a(ops: "Ops[R]", y: R, a: R, x: R, m: int) -> R:
    return ops.gamma_density(a, x, m + 1)


def _gamma_density_in_x(ops: "Ops[R]", y: R, a: R, x: R, m: int) -> R:
    # Of ((a - 1) / x - 1) times the density, m times in a.
    excess = ops.sub(ops.sub(a, x), ops.scalar(1, x))
    slope = ops.mul(ops.div(excess, x), y)
    if m == 0:
        return slope
    lower = ops.mul(ops.div(ops.scalar(m, x), x), ops.gamma_density(a, x, m - 1))
    return ops.add(slope, lower)


GAMMAINC: Final = declare(
    "gammainc", _pair, (diagonal(_gammainc_in_a), diagonal(_gammainc_in_x)), "elementwise"
)
GAMMAINCC: Final = declare(
    "gammaincc", _pair, (diagonal(_gammaincc_in_a), diagonal(_gammaincc_in_x)), "elementwise"
)
GAMMA_DENSITY: Final = declare(
    "gamma_density",
    _pair,
    (diagonal(_gamma_density_in_a), diagonal(_gamma_density_in_x)),
    "elementwise",
)


# --- incomplete beta -----------------------------------------------------------------------------
def _betainc_in_a(ops: "Ops[R]", y: R, a: R, b: R, x: R, m: int, n: int) -> R:
    return ops.betainc(a, b, x, m + 1, n)


def _betainc_in_b(ops: "Ops[R]", y: R, a: R, b: R, x: R, m: int, n: int) -> R:
    return ops.betainc(a, b, x, m, n + 1)


def _betainc_in_x(ops: "Ops[R]", y: R, a: R, b: R, x: R, m: int, n: int) -> R:
    return ops.beta_density(a, b, x, m, n)


def _beta_density_in_a(ops: "Ops[R]", y: R, a: R, b: R, x: R, m: int, n: int) -> R:
    return ops.beta_density(a, b, x, m + 1, n)


def _beta_density_in_b(ops: "Ops[R]", y: R, a: R, b: R, x: R, m: int, n: int) -> R:
    return ops.beta_density(a, b, x, m, n + 1)


def _beta_density_in_x(ops: "Ops[R]", y: R, a: R, b: R, x: R, m: int, n: int) -> R:
    # Of ((a - 1) / x - (b - 1) / (1 - x)) times the density, m times in a and n times in b.
    one = ops.scalar(1, x)
    left, right = ops.sub(a, one), ops.sub(b, one)
    rest = ops.sub(one, x)
    slope = ops.mul(ops.sub(ops.div(left, x), ops.div(right, rest)), y)
    if m:
        lower = ops.beta_density(a, b, x, m - 1, n)
        slope = ops.add(slope, ops.mul(ops.div(ops.scalar(m, x), x), lower))
    if n:
        lower = ops.beta_density(a, b, x, m, n - 1)
        slope = ops.sub(slope, ops.mul(ops.div(ops.scalar(n, x), rest), lower))
    return slope


BETAINC: Final = declare(
    "betainc",
    _triple,
    (diagonal(_betainc_in_a), diagonal(_betainc_in_b), diagonal(_betainc_in_x)),
    "elementwise",
)
BETA_DENSITY: Final = declare(
    "beta_density",
    _triple,
    (diagonal(_beta_density_in_a), diagonal(_beta_density_in_b), diagonal(_beta_density_in_x)),
    "elementwise",
)


class SpecialParameters(Interpreter[R]):
    """The methods of this family."""

    def beta(self, a: R, b: R, /) -> R:
        """Gamma(a) Gamma(b) / Gamma(a + b)."""
        return self.apply(BETA, (a, b), ())

    def betaln(self, a: R, b: R, /) -> R:
        """log|B(a, b)|."""
        return self.apply(BETALN, (a, b), ())

    def polygamma_difference(self, a: R, b: R, n: int, /) -> R:
        """polygamma(a, n) - polygamma(a + b, n), accurate where b is small against a."""
        return self.apply(POLYGAMMA_DIFFERENCE, (a, b), (n,))

    def zeta(self, x: R, q: R, m: int, /) -> R:
        """The m-th derivative in x of Hurwitz's zeta function, x > 1 and q > 0."""
        return self.apply(ZETA, (x, q), (m,))

    def gammainc(self, a: R, x: R, m: int, /) -> R:
        """The m-th derivative in a of the regularized lower incomplete gamma function."""
        return self.apply(GAMMAINC, (a, x), (m,))

    def gammaincc(self, a: R, x: R, /) -> R:
        """The regularized upper incomplete gamma function."""
        return self.apply(GAMMAINCC, (a, x), ())

    def gamma_density(self, a: R, x: R, m: int, /) -> R:
        """The m-th derivative in a of x**(a - 1) exp(-x) / Gamma(a)."""
        return self.apply(GAMMA_DENSITY, (a, x), (m,))

    def betainc(self, a: R, b: R, x: R, m: int, n: int, /) -> R:
        """The m-th derivative in a and n-th in b of the regularized incomplete beta function."""
        return self.apply(BETAINC, (a, b, x), (m, n))

    def beta_density(self, a: R, b: R, x: R, m: int, n: int, /) -> R:
        """The m-th derivative in a and n-th in b of x**(a - 1) (1 - x)**(b - 1) / B(a, b)."""
        return self.apply(BETA_DENSITY, (a, b, x), (m, n))
