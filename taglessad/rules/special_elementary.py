"""Bessel functions, exponential integrals, entropies and relatives of exp, log and roots.

See primitive.py for the legend. Each has a kernel that does not cancel, and a rule made of such.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.dtypes import LN2, eps
from taglessad.interpreter import Interpreter
from taglessad.primitive import declare, diagonal
from taglessad.rules.compensated import corrected, in_two, product
from taglessad.rules.compensated import difference as exact_difference
from taglessad.rules.exponential import difference
from taglessad.rules.infer import common, same
from taglessad.rules.inner import below, magnitude, side

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


# --- Bessel functions ----------------------------------------------------------------------------
def _bessel_i(ops: "Ops[R]", y: R, x: R, n: int) -> R:
    if n == 0:
        return ops.bessel_i(x, 1)
    beside = ops.add(ops.bessel_i(x, n - 1), ops.bessel_i(x, n + 1))
    return ops.mul(ops.scalar(Fraction(1, 2), x), beside)  # DLMF 10.29.1


def _bessel_i_scaled(ops: "Ops[R]", y: R, x: R, n: int, m: int) -> R:
    return ops.bessel_i_scaled(x, n, m + 1)


BESSEL_I: Final = declare("bessel_i", same, (diagonal(_bessel_i),), "elementwise")
BESSEL_I_SCALED: Final = declare(
    "bessel_i_scaled", same, (diagonal(_bessel_i_scaled),), "elementwise"
)


def _bessel_j(ops: "Ops[R]", y: R, x: R, n: int) -> R:
    if n == 0:
        return ops.neg(ops.bessel_j(x, 1))
    beside = ops.sub(ops.bessel_j(x, n - 1), ops.bessel_j(x, n + 1))
    return ops.mul(ops.scalar(Fraction(1, 2), x), beside)  # DLMF 10.6.1


def _bessel_y(ops: "Ops[R]", y: R, x: R, n: int) -> R:
    if n == 0:
        return ops.neg(ops.bessel_y(x, 1))
    before, after = ops.bessel_y(x, n - 1), ops.bessel_y(x, n + 1)
    before = ops.where(ops.isinf(after), ops.scalar(0, x), before)  # at 0 it is infinite as well
    beside = ops.sub(before, after)
    return ops.mul(ops.scalar(Fraction(1, 2), x), beside)


BESSEL_J: Final = declare("bessel_j", same, (diagonal(_bessel_j),), "elementwise")
BESSEL_Y: Final = declare("bessel_y", same, (diagonal(_bessel_y),), "elementwise")


# --- Lambert's function --------------------------------------------------------------------------
def _lambertw(ops: "Ops[R]", y: R, x: R, k: int, shift: int) -> R:
    # exp(-W) / (1 + W); exp(-W) is W / x, which has not the rounding of W counted W times.
    w, above = ops.lambertw(x, k, 0), ops.lambertw(x, k, 1)
    size = ops.scalar(Fraction(1, 2), x)
    near = ops.logical_and(below(ops, ops.neg(size), w), below(ops, w, size))
    inside = ops.exp(ops.neg(ops.where(near, w, ops.scalar(0, w))))
    # W / (1 + W) first, as W / x may leave the range.
    one = ops.scalar(1, x)
    quotient = ops.div(ops.where(near, inside, w), above)
    return ops.div(quotient, ops.where(near, one, x))


LAMBERTW: Final = declare("lambertw", same, (diagonal(_lambertw),), "elementwise")


# --- exponential integrals -----------------------------------------------------------------------
def _expn(ops: "Ops[R]", y: R, x: R, n: int) -> R:
    if n == 0:
        return ops.neg(ops.mul(y, ops.add(ops.scalar(1, x), ops.reciprocal(x))))
    return ops.neg(ops.expn(x, n - 1))  # DLMF 8.19.13


def _expi(ops: "Ops[R]", y: R, x: R) -> R:
    # exp(x) / x, in two factors: exp(x) overflows before the quotient does.
    half = ops.exp(ops.mul(ops.scalar(Fraction(1, 2), x), x))
    return ops.mul(ops.div(half, x), half)


EXPN: Final = declare("expn", same, (diagonal(_expn),), "elementwise")
EXPI: Final = declare("expi", same, (diagonal(_expi),), "elementwise")


# --- quotients with a removable singularity ------------------------------------------------------
def _exprel(ops: "Ops[R]", y: R, x: R, m: int) -> R:
    return ops.exprel(x, m + 1)


def log_quotient(ops: "Ops[R]", x: R) -> R:
    """log(x) / (x - 1), smooth at 1: near it the series of 2 atanh(z) / z, z = (x - 1) / (x + 1)."""
    one, two = ops.scalar(1, x), ops.scalar(2, x)
    shift = ops.sub(x, one)
    above = below(ops, ops.scalar(Fraction(-1, 2), x), shift)
    near = ops.logical_and(above, below(ops, shift, one))
    inside = ops.where(near, x, one)
    square = ops.square(ops.div(ops.sub(inside, one), ops.add(inside, one)))
    series = ops.scalar(Fraction(1, 47), x)
    for k in range(45, 0, -2):
        series = ops.add(ops.scalar(Fraction(1, k), x), ops.mul(square, series))
    by_series = ops.mul(ops.div(two, ops.add(inside, one)), series)
    outside = ops.where(near, ops.scalar(3, x), x)
    plain = ops.div(ops.log(outside), ops.sub(outside, one))
    return ops.where(near, by_series, plain)


def _spence(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.neg(log_quotient(ops, x))


def _cosm1(ops: "Ops[R]", y: R, x: R) -> R:
    return ops.neg(ops.sin(x))


def _sinc(ops: "Ops[R]", y: R, x: R, m: int) -> R:
    return ops.sinc(x, m + 1)


def _boxcox_in_x(ops: "Ops[R]", y: R, x: R, p: R) -> R:
    # x**(p - 1): p - 1 rounds p off where p < 1/2, which the power would magnify by log(x). At 0 and
    # infinity the quotient would be undefined.
    inside = ops.logical_and(ops.not_equal(x, ops.scalar(0, x)), ops.isfinite(x))
    small = ops.logical_and(below(ops, p, ops.scalar(Fraction(1, 2), p)), inside)
    by_quotient = ops.div(ops.pow(x, p), x)
    return ops.where(small, by_quotient, ops.pow(x, ops.sub(p, ops.scalar(1, p))))


def _boxcox_in_p(ops: "Ops[R]", y: R, x: R, p: R) -> R:
    # log(x)**2 exprel'(p log(x)); where the exponent is large its rounding would count as often,
    # and it is by the power itself, (x**p (p log(x) - 1) + 1) / p**2.
    # Where the power is 0, as at x = 0, that is 1 / p**2; the derivatives of what is left out are
    # those of x**p log(x): infinite up to p = 1, else 0.
    one, zero = ops.scalar(1, x), ops.scalar(0, x)
    logarithm = ops.log(x)
    exponent = ops.mul(p, logarithm)
    gone = ops.logical_and(ops.isinf(exponent), below(ops, exponent, zero))
    large = below(ops, ops.scalar(2, x), magnitude(ops, exponent))
    far = ops.logical_and(large, ops.isfinite(exponent))
    inside = ops.where(ops.logical_or(far, gone), zero, p)
    finite = ops.where(gone, one, logarithm)
    # For p = 0 log(x)**2 / 2: where that is infinite the exponent needs the sign alone.
    end = ops.logical_and(ops.isinf(logarithm), ops.equal(p, zero))
    factor = ops.where(end, side(ops, logarithm), finite)
    near = ops.mul(ops.square(finite), ops.exprel(ops.mul(inside, factor), 1))
    base, index = ops.where(far, x, one), ops.where(ops.logical_or(far, gone), p, one)
    excess = ops.sub(ops.mul(index, ops.log(base)), one)
    power = ops.mul(ops.div(excess, index), ops.pow(base, index))
    at_zero = ops.logical_and(gone, ops.equal(x, zero))
    lowered = ops.mul(ops.scalar(1 - Fraction(eps(ops.dtype(x))), x), index)
    left_out = ops.pow(ops.where(at_zero, x, zero), ops.where(at_zero, lowered, one))
    power = ops.where(gone, ops.neg(left_out), power)
    by_power = ops.div(ops.add(power, ops.reciprocal(index)), index)
    return ops.where(ops.logical_or(far, gone), by_power, near)


def _inv_boxcox_in_y(ops: "Ops[R]", z: R, y: R, p: R, k: int) -> R:
    slope = ops.inv_boxcox(y, p, k + 1)
    if k == 0:
        return slope
    return ops.mul(ops.sub(ops.scalar(1, p), ops.mul(ops.scalar(k, p), p)), slope)


def _inv_boxcox_in_p(ops: "Ops[R]", z: R, y: R, p: R, k: int) -> R:
    # log(1 + p y) (1 / p - k) has the derivative -(y*y times that of -log(1 + t) / t) - k y / (1 + t).
    # Where 1 + t is 0 the first is y*y / (1 + t).
    zero, t = ops.scalar(0, y), ops.mul(p, y)
    end = ops.equal(t, ops.scalar(-1, y))
    fall = _log_quotient_fall(ops, ops.where(end, zero, t))
    further = ops.inv_boxcox(y, p, k + 1)
    at_end = ops.mul(ops.square(ops.where(end, y, zero)), further)
    slope = ops.where(end, at_end, ops.mul(ops.mul(ops.mul(y, fall), y), z))
    if k:
        slope = ops.add(slope, ops.mul(ops.mul(ops.scalar(k, y), y), further))
    return ops.neg(slope)


def _log_quotient_fall(ops: "Ops[R]", t: R) -> R:
    """(log(1 + t) / t - 1 / (1 + t)) / t, minus the derivative of log(1 + t) / t: positive.

    Near 0 by the series of 2 atanh(z) = log(1 + t), z = t / (2 + t).
    """
    one, two, zero = ops.scalar(1, t), ops.scalar(2, t), ops.scalar(0, t)
    large = ops.scalar(3, t)
    near = ops.logical_and(below(ops, ops.scalar(Fraction(-1, 2), t), t), below(ops, t, large))
    inside = ops.where(near, t, zero)
    z = ops.div(inside, ops.add(inside, two))
    square = ops.square(z)
    series = ops.scalar(Fraction(1, 73), z)
    for k in range(71, 1, -2):
        series = ops.add(ops.scalar(Fraction(1, k), z), ops.mul(square, series))
    both = ops.add(ops.reciprocal(ops.add(one, z)), ops.mul(z, series))
    by_series = ops.mul(ops.scalar(Fraction(1, 2), z), ops.mul(ops.square(ops.sub(one, z)), both))
    outside = ops.where(near, large, t)
    excess = ops.sub(ops.div(ops.log1p(outside), outside), ops.reciprocal(ops.add(one, outside)))
    return ops.where(near, by_series, ops.div(excess, outside))


EXPREL: Final = declare("exprel", same, (diagonal(_exprel),), "elementwise")
SPENCE: Final = declare("spence", same, (diagonal(_spence),), "elementwise")
COSM1: Final = declare("cosm1", same, (diagonal(_cosm1),), "elementwise")
SINC: Final = declare("sinc", same, (diagonal(_sinc),), "elementwise")
BOXCOX: Final = declare(
    "boxcox", common, (diagonal(_boxcox_in_x), diagonal(_boxcox_in_p)), "elementwise"
)

INV_BOXCOX: Final = declare(
    "inv_boxcox", common, (diagonal(_inv_boxcox_in_y), diagonal(_inv_boxcox_in_p)), "elementwise"
)


# --- entropies -----------------------------------------------------------------------------------
def _parts(x: Fraction, *bits: int) -> Iterator[Fraction]:
    """A number as a sum of multiples of 2**-bits, one by one, up to the last."""
    for place in bits:
        part = Fraction(round(x * 2**place), 2**place)
        yield part
        x -= part


_INVERSE_E: Final = Fraction(sum(Fraction((-1) ** k, math.factorial(k)) for k in range(60)))
# So short that taking them away one by one is exact in every float until the last.
_INVERSE_E_PARTS: Final = tuple(_parts(_INVERSE_E, 12, 38, 61, 256))


def _entr(ops: "Ops[R]", y: R, x: R) -> R:
    # -(1 + log x), near its zero as log1p(e (x - 1/e)), with 1/e in parts.
    shift = x
    for part in _INVERSE_E_PARTS:
        shift = ops.sub(shift, ops.scalar(part, x))
    near = below(ops, magnitude(ops, shift), ops.scalar(Fraction(1, 10), x))
    whole = ops.scalar(_INVERSE_E, x)
    by_shift = ops.log1p(ops.div(ops.where(near, shift, ops.scalar(0, x)), whole))
    zero = ops.scalar(0, x)
    plain = ops.add(ops.log(x), ops.scalar(1, x))
    inside = ops.neg(ops.where(near, by_shift, plain))
    return ops.where(ops.less(x, zero), zero, inside)


def _close(ops: "Ops[R]", gap: R, y: R) -> R:
    """Whether y + gap is between half of y and three halves."""
    half = ops.mul(ops.scalar(Fraction(1, 2), y), magnitude(ops, y))
    return below(ops, magnitude(ops, gap), half)


def _log_ratio(ops: "Ops[R]", x: R, y: R) -> R:
    """log(x / y), accurate near x = y, and where the quotient is out of range."""
    gap = ops.sub(x, y)
    near = _close(ops, gap, y)
    ratio = ops.div(x, y)
    out = ops.logical_or(ops.isinf(ratio), ops.equal(ratio, ops.scalar(0, ratio)))
    # The derivatives are those of the difference: a quotient's may leave the range.
    apart = ops.sub(ops.log(x), ops.log(y))
    rest = ops.sub(ops.log(ops.where(out, ops.scalar(1, ratio), ratio)), apart)
    far = ops.add(apart, ops.detach(ops.where(out, ops.scalar(0, rest), rest)))
    close = ops.log1p(ops.div(ops.where(near, gap, ops.scalar(0, gap)), y))
    return ops.where(near, close, far)


def _rel_entr_in_x(ops: "Ops[R]", z: R, x: R, y: R) -> R:
    # log(x / y) + 1, near its zero as log1p((x - y / e) / (y / e)).
    plain = ops.add(_log_ratio(ops, x, y), ops.scalar(1, x))
    p, q, found = ops.detach(x), ops.detach(y), ops.detach(plain)
    near = below(ops, magnitude(ops, found), ops.scalar(Fraction(1, 4), p))
    high, low = in_two(ops, _INVERSE_E, p)
    whole, lost = product(ops, q, high)
    gap, rest = exact_difference(ops, p, whole)
    gap = ops.sub(ops.add(gap, ops.sub(rest, lost)), ops.mul(q, low))
    by_gap = ops.log1p(ops.div(gap, ops.mul(q, ops.scalar(_INVERSE_E, q))))
    return corrected(ops, plain, ops.where(near, by_gap, found))


def _rel_entr_in_y(ops: "Ops[R]", z: R, x: R, y: R) -> R:
    return ops.neg(ops.div(x, y))


def _kl_div_in_x(ops: "Ops[R]", z: R, x: R, y: R) -> R:
    return _log_ratio(ops, x, y)


def _kl_div_in_y(ops: "Ops[R]", z: R, x: R, y: R) -> R:
    # 1 - x / y, which cancels near x = y; the other form does in its derivative far from there.
    gap = ops.sub(y, x)
    near = _close(ops, gap, y)
    return ops.where(near, ops.div(gap, y), ops.sub(ops.scalar(1, y), ops.div(x, y)))


ENTR: Final = declare("entr", same, (diagonal(_entr),), "elementwise")
REL_ENTR: Final = declare(
    "rel_entr", common, (diagonal(_rel_entr_in_x), diagonal(_rel_entr_in_y)), "elementwise"
)
KL_DIV: Final = declare(
    "kl_div", common, (diagonal(_kl_div_in_x), diagonal(_kl_div_in_y)), "elementwise"
)


# --- roots and sums of exponentials --------------------------------------------------------------
def _cbrt(ops: "Ops[R]", y: R, x: R) -> R:
    # y / (3 x), as 1 / (3 y*y) would count the rounding of y five times in the second derivative.
    origin = ops.equal(x, ops.scalar(0, x))
    at_zero = ops.reciprocal(ops.square(y))
    elsewhere = ops.div(y, ops.where(origin, ops.scalar(1, x), x))
    return ops.div(ops.where(origin, at_zero, elsewhere), ops.scalar(3, x))


def _base_two_weight(ops: "Ops[R]", a: R, b: R) -> R:
    # 2**a / (2**a + 2**b) by powers of 2: gap * log(2) would lose digits where gap is large.
    gap, rest = difference(ops, a, b)
    one = ops.scalar(1, gap)
    less = below(ops, gap, ops.scalar(0, gap))
    power = ops.pow(ops.scalar(2, gap), ops.where(less, gap, ops.neg(gap)))
    minor = ops.div(power, ops.add(one, power))
    major = ops.reciprocal(ops.add(one, power))
    weight, other = ops.where(less, minor, major), ops.where(less, major, minor)
    change = ops.mul(ops.mul(ops.scalar(LN2, rest), rest), other)
    return ops.mul(weight, ops.add(one, change))


def _logaddexp2_in_left(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return _base_two_weight(ops, a, b)


def _logaddexp2_in_right(ops: "Ops[R]", y: R, a: R, b: R) -> R:
    return _base_two_weight(ops, b, a)


CBRT: Final = declare("cbrt", same, (diagonal(_cbrt),), "elementwise")
LOGADDEXP2: Final = declare(
    "logaddexp2",
    common,
    (diagonal(_logaddexp2_in_left), diagonal(_logaddexp2_in_right)),
    "elementwise",
)


class SpecialElementary(Interpreter[R]):
    """The methods of this family."""

    def bessel_i(self, x: R, n: int, /) -> R:
        """The modified Bessel function I_n, n >= 0."""
        return self.apply(BESSEL_I, (x,), (n,))

    def bessel_i_scaled(self, x: R, n: int, m: int, /) -> R:
        """The m-th derivative of I_n(x) exp(-x), for n = 0 or 1 and x >= 0."""
        return self.apply(BESSEL_I_SCALED, (x,), (n, m))

    def bessel_j(self, x: R, n: int, /) -> R:
        """The Bessel function J_n, n >= 0."""
        return self.apply(BESSEL_J, (x,), (n,))

    def bessel_y(self, x: R, n: int, /) -> R:
        """The Bessel function Y_n, n >= 0."""
        return self.apply(BESSEL_Y, (x,), (n,))

    def lambertw(self, x: R, k: int, shift: int, /) -> R:
        """The real branch k = 0 or -1 of Lambert's W function, plus the shift, 0 or 1."""
        return self.apply(LAMBERTW, (x,), (k, shift))

    def expn(self, x: R, n: int, /) -> R:
        """The exponential integral E_n, n >= 0."""
        return self.apply(EXPN, (x,), (n,))

    def expi(self, x: R, /) -> R:
        """The exponential integral Ei."""
        return self.apply(EXPI, (x,), ())

    def exprel(self, x: R, m: int, /) -> R:
        """The m-th derivative of (exp(x) - 1) / x."""
        return self.apply(EXPREL, (x,), (m,))

    def spence(self, x: R, /) -> R:
        """The dilogarithm of 1 - x."""
        return self.apply(SPENCE, (x,), ())

    def cosm1(self, x: R, /) -> R:
        """cos(x) - 1."""
        return self.apply(COSM1, (x,), ())

    def sinc(self, x: R, m: int, /) -> R:
        """The m-th derivative of sin(pi x) / (pi x)."""
        return self.apply(SINC, (x,), (m,))

    def boxcox(self, x: R, p: R, /) -> R:
        """(x**p - 1) / p, and log(x) for p = 0."""
        return self.apply(BOXCOX, (x, p), ())

    def inv_boxcox(self, y: R, p: R, k: int, /) -> R:
        """(1 + p y)**(1 / p - k), and exp(y) for p = 0."""
        return self.apply(INV_BOXCOX, (y, p), (k,))

    def entr(self, x: R, /) -> R:
        """-x log(x); its derivative at 0 is inf."""
        return self.apply(ENTR, (x,), ())

    def rel_entr(self, x: R, y: R, /) -> R:
        """x log(x / y)."""
        return self.apply(REL_ENTR, (x, y), ())

    def kl_div(self, x: R, y: R, /) -> R:
        """x log(x / y) - x + y."""
        return self.apply(KL_DIV, (x, y), ())

    def cbrt(self, x: R, /) -> R:
        """The real cube root."""
        return self.apply(CBRT, (x,), ())

    def logaddexp2(self, a: R, b: R, /) -> R:
        """log2(2**a + 2**b) without overflow."""
        return self.apply(LOGADDEXP2, (a, b), ())
