"""Special functions of complex balls, analytic on the whole ball or NaN: values only."""

from collections.abc import Callable
from typing import Any, Final

from taglessad.kernels import special_balls as special
from taglessad.kernels.complex_balls import (
    guarded,
    log,
    log1p,
    logaddexp,
    nowhere,
    off_negative,
    polygamma,
)
from taglessad.kernels.flint import acb, arb

Ball = Any  # Any: an acb; python-flint is optional


def _right(z: Ball) -> bool:
    """In the right half plane."""
    return bool(z.real > 0)


def cbrt(z: Ball) -> Ball:
    """The cube root that is real on the real line."""
    if z.real > 0:
        return (log(z) / 3).exp()
    return -((log(-z) / 3).exp()) if z.real < 0 else nowhere()


def boxcox(x: Ball, p: Ball) -> Ball:
    """(x**p - 1) / p."""
    power = log(x)
    return power * special.exprel(p * power, 0)


def inv_boxcox(y: Ball, p: Ball, k: int) -> Ball:
    """(1 + p y)**(1 / p - k)."""
    return (log1p(p * y) * (1 / p - k)).exp()


def beta(a: Ball, b: Ball, m: int, n: int) -> Ball:
    """The m-th derivative in a and n-th in b of Gamma(a) Gamma(b) / Gamma(a + b)."""
    return special.beta_derivative(a, b, m, n, polygamma)


def binom(n: Ball, k: Ball, i: int, j: int) -> Ball:
    """The i-th derivative in n and j-th in k of the binomial coefficient n over k."""
    return special.binom_derivative(n, k, i, j, polygamma)


def betaln(a: Ball, b: Ball) -> Ball:
    """log|B(a, b)|, for positive real parts."""
    if not (_right(a) and _right(b)):
        return nowhere()
    return a.lgamma() + b.lgamma() - (a + b).lgamma()


def polygamma_difference(a: Ball, b: Ball, n: int) -> Ball:
    """polygamma(a, n) - polygamma(a + b, n)."""
    return polygamma(a, n) - polygamma(a + b, n)


def logaddexp2(a: Ball, b: Ball) -> Ball:
    """log2(2**a + 2**b)."""
    ln2 = arb.const_log2()
    return logaddexp(a * ln2, b * ln2) / ln2


def zeta(s: Ball, q: Ball, m: int) -> Ball:
    """Hurwitz's zeta function; of its derivatives there are no values here."""
    return s.zeta(q) if m == 0 and _right(q) and s.real > 1 else nowhere()


def gammainc(a: Ball, x: Ball, m: int) -> Ball:
    """The regularized lower incomplete gamma function."""
    return x.gamma_lower(a, 1) if m == 0 and _right(x) and _right(a) else nowhere()


def gammaincc(a: Ball, x: Ball) -> Ball:
    """The regularized upper incomplete gamma function."""
    return x.gamma_upper(a, 1) if _right(x) and _right(a) else nowhere()


def gamma_density(a: Ball, x: Ball, m: int) -> Ball:
    """x**(a - 1) exp(-x) / Gamma(a)."""
    return ((a - 1) * log(x) - x).exp() * a.rgamma() if m == 0 else nowhere()


def _between(x: Ball) -> bool:
    return bool(x.real > 0 and x.real < 1)


def bessel_y(z: Ball, n: int) -> Ball:
    """Y_n."""
    return special.bessel_y(z, n) if off_negative(z) else nowhere()


def lambertw(z: Ball, k: int, shift: int) -> Ball:
    """The branch that is real at the middle, and 1 more, around a number right of -1/e.

    Not FLINT's own for k = -1, which has a cut along the real numbers.
    """
    if not z.real > -1 / arb.const_e():
        return nowhere()
    if k == 0:
        return special.lambertw(z, k, shift)
    start = z.real.mid().lambertw(k)
    found = _inverted(lambda w: w * w.exp(), lambda w: (1 + w) * w.exp(), z, start)
    return found + shift


def betainc(a: Ball, b: Ball, x: Ball, m: int, n: int) -> Ball:
    """The regularized incomplete beta function."""
    inside = m == n == 0 and _between(x) and _right(a) and _right(b)
    return x.beta_lower(a, b, 1) if inside else nowhere()


def beta_density(a: Ball, b: Ball, x: Ball, m: int, n: int) -> Ball:
    """x**(a - 1) (1 - x)**(b - 1) / B(a, b)."""
    if m or n:
        return nowhere()
    powers = ((a - 1) * log(x) + (b - 1) * log1p(-x)).exp()
    return powers * (a + b).gamma() * a.rgamma() * b.rgamma()


def expi(z: Ball) -> Ball:
    """The exponential integral Ei, either side of 0."""
    if _right(z):
        return z.ei()
    return -((-z).expint(acb(1))) if z.real < 0 else nowhere()


def expn(z: Ball, n: int) -> Ball:
    """The exponential integral E_n."""
    return special.expn(z, n) if off_negative(z) else nowhere()


def erfinv(z: Ball) -> Ball:
    """The inverse of erf, by Newton's method on balls: where N(W) lies in W each number of the ball
    has one inverse there, and the derivative is not zero, so that it is analytic."""
    return _inverted(lambda w: w.erf(), _bell, z, z.real.mid().erfinv())


def erfcinv(z: Ball) -> Ball:
    """The inverse of erfc."""
    return _inverted(lambda w: w.erfc(), lambda w: -_bell(w), z, z.real.mid().erfcinv())


def _bell(w: Ball) -> Ball:
    """The derivative of erf."""
    return 2 * (-(w * w)).exp() / arb.const_sqrt_pi()


Function = Callable[[Ball], Ball]


def _inverted(f: Function, slope: Function, z: Ball, start: Any) -> Ball:
    if not start.is_finite():
        return nowhere()
    centre = acb(start.mid())
    rest = f(centre) - z
    size = 2 * abs(rest / slope(centre)).upper()
    box = arb(0, size)
    around = centre + acb(box, box)
    found = centre - rest / slope(around)
    inside = around.real.contains_interior(found.real) and around.imag.contains_interior(found.imag)
    return found if inside else nowhere()


UNARY: Final[dict[str, Callable[[Ball], Ball]]] = {
    "cbrt": cbrt,
    "cosm1": special.cosm1,
    "entr": lambda z: -z * log(z),
    "erfcinv": erfcinv,
    "erfinv": erfinv,
    "expi": expi,
    "gamma": lambda z: z.gamma(),
    "log_ndtr": lambda z: log(special.ndtr(z)),
    "ndtr": special.ndtr,
    "spence": guarded(lambda z: (1 - z).polylog(acb(2)), off_negative),
}
"""Functions of one complex ball by the primitive's name."""

BINARY: Final[dict[str, Callable[[Ball, Ball], Ball]]] = {
    "betaln": betaln,
    "boxcox": boxcox,
    "gammaincc": gammaincc,
    "kl_div": lambda x, y: x * (log(x) - log(y)) - x + y,
    "poch": special.poch,
    "logaddexp2": logaddexp2,
    "rel_entr": lambda x, y: x * (log(x) - log(y)),
}
"""Functions of two."""

PARAMETRIC: Final[dict[str, tuple[Callable[..., Ball], int]]] = {
    "bessel_i": (special.bessel_i, 1),
    "bessel_i_scaled": (special.bessel_i_scaled, 1),
    "bessel_j": (special.bessel_j, 1),
    "bessel_y": (bessel_y, 1),
    "beta": (beta, 2),
    "beta_density": (beta_density, 3),
    "betainc": (betainc, 3),
    "binom": (binom, 2),
    "erfcx": (special.erfcx, 1),
    "expn": (expn, 1),
    "exprel": (special.exprel, 1),
    "gamma_density": (gamma_density, 2),
    "gammainc": (gammainc, 2),
    "inv_boxcox": (inv_boxcox, 2),
    "lambertw": (lambertw, 1),
    "polygamma": (polygamma, 1),
    "polygamma_difference": (polygamma_difference, 2),
    "sinc": (special.sinc, 1),
    "zeta": (zeta, 2),
}
"""Functions of so many numbers and of static parameters."""
