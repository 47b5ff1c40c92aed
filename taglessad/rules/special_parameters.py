"""Special functions with parameters, differentiated in all of them. Legend in primitive.py.

Where a derivative in a parameter has no closed form, its order is a static parameter of the
primitive itself (m, n below), so that the family is closed under differentiation.
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, declare, diagonal
from taglessad.rules.compensated import corrected, cross
from taglessad.rules.compensated import difference as exact_difference
from taglessad.rules.exponential import difference
from taglessad.rules.infer import common
from taglessad.rules.inner import below

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _triple(a: Aval, b: Aval, x: Aval, *_params: object) -> Aval:
    return common(common(a, b), x)


# --- beta ----------------------------------------------------------------------------------------
def _beta_in_a(ops: "Ops[R]", y: R, a: R, b: R, m: int, n: int) -> R:
    return ops.beta(a, b, m + 1, n)


def _beta_in_b(ops: "Ops[R]", y: R, a: R, b: R, m: int, n: int) -> R:
    return ops.beta(a, b, m, n + 1)


def _betaln_in_a(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.polygamma_difference(a, b, 0)


def _betaln_in_b(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return ops.polygamma_difference(b, a, 0)


def _difference_in_a(ops: "Ops[R]", y: R, a: R, b: R, n: int) -> R:
    return ops.polygamma_difference(a, b, n + 1)


def _difference_in_b(ops: "Ops[R]", y: R, a: R, b: R, n: int) -> R:
    return ops.neg(ops.polygamma(ops.add(a, b), n + 1))


def _binom_in_n(ops: "Ops[R]", y: R, n: R, k: R, i: int, j: int) -> R:
    return ops.binom(n, k, i + 1, j)


def _binom_in_k(ops: "Ops[R]", y: R, n: R, k: R, i: int, j: int) -> R:
    return ops.binom(n, k, i, j + 1)


BETA: Final = declare("beta", common, (diagonal(_beta_in_a), diagonal(_beta_in_b)), "elementwise")
BETALN: Final = declare(
    "betaln", common, (diagonal(_betaln_in_a), diagonal(_betaln_in_b)), "elementwise"
)
BINOM: Final = declare(
    "binom", common, (diagonal(_binom_in_n), diagonal(_binom_in_k)), "elementwise"
)
POLYGAMMA_DIFFERENCE: Final = declare(
    "polygamma_difference",
    common,
    (diagonal(_difference_in_a), diagonal(_difference_in_b)),
    "elementwise",
)


# --- Pochhammer's symbol -------------------------------------------------------------------------
def _poch_in_z(ops: "Ops[R]", y: R, z: R, m: R) -> R:
    # For small z, of which it is nearly a multiple, by the product of z and what is left: the terms
    # of the other form's derivative would cancel.
    one = ops.scalar(1, z)
    least = ops.scalar(Fraction(-1, 2), z)
    small = ops.logical_and(below(ops, z, one), below(ops, least, z))
    low, high = ops.where(small, z, one), ops.where(small, one, z)
    above, total = ops.add(low, one), ops.add(low, m)
    rest = ops.mul(low, ops.polygamma_difference(above, m, 0))
    by_rest = ops.mul(ops.div(ops.poch(above, m), total), ops.sub(ops.div(m, total), rest))
    plain = ops.neg(ops.mul(ops.where(small, one, y), ops.polygamma_difference(high, m, 0)))
    return ops.where(small, by_rest, plain)


def _poch_in_m(ops: "Ops[R]", y: R, z: R, m: R) -> R:
    return ops.mul(y, ops.polygamma(ops.add(z, m), 0))


POCH: Final = declare("poch", common, (diagonal(_poch_in_z), diagonal(_poch_in_m)), "elementwise")


# --- zeta ----------------------------------------------------------------------------------------
def _zeta_in_x(ops: "Ops[R]", y: R, x: R, q: R, m: int) -> R:
    return ops.zeta(x, q, m + 1)


def _zeta_in_q(ops: "Ops[R]", y: R, x: R, q: R, m: int) -> R:
    # Of (-log u)**m u**-x: -x times that with x + 1, and -m times that with one logarithm less.
    slope = ops.mul(ops.neg(x), _zeta_above(ops, x, q, m))
    if m == 0:
        return slope
    return ops.sub(slope, ops.mul(ops.scalar(m, x), _zeta_above(ops, x, q, m - 1)))


def _zeta_above(ops: "Ops[R]", x: R, q: R, m: int) -> R:
    # At x + 1, whose rounding would count log(q) times.
    above, rest = difference(ops, x, ops.scalar(-1, x))
    return ops.add(ops.zeta(above, q, m), ops.mul(rest, ops.zeta(above, q, m + 1)))


ZETA: Final = declare("zeta", common, (diagonal(_zeta_in_x), diagonal(_zeta_in_q)), "elementwise")


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
    "gammainc", common, (diagonal(_gammainc_in_a), diagonal(_gammainc_in_x)), "elementwise"
)
GAMMAINCC: Final = declare(
    "gammaincc", common, (diagonal(_gammaincc_in_a), diagonal(_gammaincc_in_x)), "elementwise"
)
GAMMA_DENSITY: Final = declare(
    "gamma_density",
    common,
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
    slope = ops.mul(_beta_log_slope(ops, a, b, x), y)
    if m:
        lower = ops.beta_density(a, b, x, m - 1, n)
        slope = ops.add(slope, ops.mul(ops.div(ops.scalar(m, x), x), lower))
    if n:
        lower = ops.beta_density(a, b, x, m, n - 1)
        rest = ops.sub(ops.scalar(1, x), x)
        slope = ops.sub(slope, ops.mul(ops.div(ops.scalar(n, x), rest), lower))
    return slope


def _beta_log_slope(ops: "Ops[R]", a: R, b: R, x: R) -> R:
    # (a - 1) / x - (b - 1) / (1 - x), whose value is that on one denominator: the two nearly cancel
    # next to the mode, while in their derivatives it is this difference that has no terms to cancel.
    one = ops.scalar(1, x)
    plain = ops.sub(ops.div(ops.sub(a, one), x), ops.div(ops.sub(b, one), ops.sub(one, x)))
    z = ops.detach(x)
    left, lost = exact_difference(ops, ops.detach(a), one)
    right, more = exact_difference(ops, ops.detach(b), one)
    rest, small = exact_difference(ops, one, z)
    change = ops.add(ops.mul(lost, rest), ops.sub(ops.mul(left, small), ops.mul(more, z)))
    excess = ops.add(cross(ops, left, rest, right, z), change)
    return corrected(ops, plain, ops.div(ops.div(excess, rest), z))


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

    def beta(self, a: R, b: R, m: int, n: int, /) -> R:
        """The m-th derivative in a and n-th in b of Gamma(a) Gamma(b) / Gamma(a + b)."""
        return self.apply(BETA, (a, b), (m, n))

    def betaln(self, a: R, b: R, /) -> R:
        """log|B(a, b)|."""
        return self.apply(BETALN, (a, b), ())

    def binom(self, n: R, k: R, i: int, j: int, /) -> R:
        """The i-th derivative in n and j-th in k of n over k, 1 / ((n + 1) B(n - k + 1, k + 1))."""
        return self.apply(BINOM, (n, k), (i, j))

    def polygamma_difference(self, a: R, b: R, n: int, /) -> R:
        """polygamma(a, n) - polygamma(a + b, n), accurate where b is small against a."""
        return self.apply(POLYGAMMA_DIFFERENCE, (a, b), (n,))

    def poch(self, z: R, m: R, /) -> R:
        """Gamma(z + m) / Gamma(z)."""
        return self.apply(POCH, (z, m), ())

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
