"""Special functions of balls, real or complex: the two have FLINT's methods of the same names.

Formulas are exact identities; section numbers are those of the NIST Digital Library of Mathematical
Functions (DLMF). Where a formula loses digits a wider precision makes up for it.
"""

import math
from collections.abc import Callable
from typing import Any, Final

from taglessad.kernels.balls import absolute, polygamma
from taglessad.kernels.flint import acb, arb, arb_series, ctx

Ball = Any  # Any: an arb or an acb; python-flint is optional


def _root_pi() -> Ball:
    return arb.const_sqrt_pi()


def erfcx(x: Ball, n: int) -> Ball:
    """exp(x*x) times the n-th repeated integral of erfc, by recurrence (7.18.7)."""
    before, now = 2 / _root_pi() + x * 0, (x * x).exp() * x.erfc()
    for k in range(1, n + 1):
        before, now = now, (before / 2 - x * now) / k
    return now


def ndtr(x: Ball) -> Ball:
    """The normal distribution function."""
    return (-x * arb(2).rsqrt()).erfc() / 2


def bessel_i(x: Ball, n: int) -> Ball:
    """I_n."""
    return x.bessel_i(x * 0 + n)


def bessel_i_scaled(x: Ball, n: int, m: int) -> Ball:
    """The m-th derivative of I_n(x) exp(-x): of the product, and of I_n by 10.29.1."""
    total = x * 0
    for k in range(m + 1):  # the k-th derivative of I_n times (-1)**(m - k)
        orders = [abs(n - k + 2 * j) for j in range(k + 1)]
        slope = sum((math.comb(k, j) * bessel_i(x, i) for j, i in enumerate(orders)), x * 0)
        total += (-1) ** (m - k) * math.comb(m, k) * slope / 2**k
    return (-x).exp() * total


def bessel_j(x: Ball, n: int) -> Ball:
    """J_n."""
    return x.bessel_j(x * 0 + n)


def bessel_y(x: Ball, n: int) -> Ball:
    """Y_n."""
    return x.bessel_y(x * 0 + n)


def lambertw(x: Ball, k: int, shift: int) -> Ball:
    """The branch k of Lambert's W function, and 1 more."""
    return x.lambertw(k) + shift


def poch(z: Ball, m: Ball) -> Ball:
    """Gamma(z + m) / Gamma(z)."""
    return (z + m).gamma() * z.rgamma()


def expn(x: Ball, n: int) -> Ball:
    """The exponential integral E_n."""
    return (-x).exp() / x if n == 0 else x.expint(x * 0 + n)


def exprel(x: Ball, m: int) -> Ball:
    """The m-th derivative of (exp(x) - 1) / x: the integral of s**m exp(s x) from 0 to 1."""
    return x.hypgeom_1f1(x * 0 + m + 1, x * 0 + m + 2) / (m + 1)


def cosm1(x: Ball) -> Ball:
    """cos(x) - 1."""
    s = (x / 2).sin()
    return -2 * s * s


def sinc(x: Ball, m: int) -> Ball:
    """The m-th derivative of sin(pi x) / (pi x), the mean of exp(i pi x t) over -1 < t < 1."""
    if m == 0:
        return x.sinc_pi()
    if isinstance(x, arb):
        return sinc(acb(x), m).real
    turn, z = acb(0, 1), acb(0, 1) * arb.pi() * x
    return arb.pi() ** m * (turn**m * exprel(z, m) + (-turn) ** m * exprel(-z, m)) / 2


def gamma_series(a: Ball, length: int) -> list[Ball]:
    """The first coefficients of log Gamma at a > 0."""
    found = arb_series([a, 1], prec=length).lgamma().coeffs()
    return [*found, *[arb(0)] * (length - len(found))]


def gamma_density(a: Ball, x: Ball, m: int) -> Ball:
    """The m-th derivative in a of x**(a - 1) exp(-x) / Gamma(a)."""
    if m == 0:
        return ((a - 1) * x.log() - x).exp() * a.rgamma()
    exponent = [-c for c in gamma_series(a, m + 1)]
    log = x.log()
    exponent[0] += (a - 1) * log - x
    exponent[1] += log
    return math.factorial(m) * exponential([[c] for c in exponent], m, 0)


def beta_density(a: Ball, b: Ball, x: Ball, m: int, n: int) -> Ball:
    """The m-th derivative in a and n-th in b of x**(a - 1) (1 - x)**(b - 1) / B(a, b)."""
    left, right = x.log(), (-x).log1p()
    if m == n == 0:
        powers = ((a - 1) * left + (b - 1) * right).exp()
        return powers * (a + b).gamma() * a.rgamma() * b.rgamma()
    both = gamma_series(a + b, m + n + 1)
    exponent = [[both[i + j] * math.comb(i + j, i) for j in range(n + 1)] for i in range(m + 1)]
    for i, c in enumerate(gamma_series(a, m + 1)):
        exponent[i][0] -= c
    for j, c in enumerate(gamma_series(b, n + 1)):
        exponent[0][j] -= c
    exponent[0][0] += (a - 1) * left + (b - 1) * right
    if m:
        exponent[1][0] += left
    if n:
        exponent[0][1] += right
    return math.factorial(m) * math.factorial(n) * exponential(exponent, m, n)


def exponential(p: list[list[Ball]], m: int, n: int) -> Ball:
    """The coefficient of s**m t**n in the exponential of the sum of p[i][j] s**i t**j."""
    e: dict[tuple[int, int], Ball] = {(0, 0): p[0][0].exp()}
    for i in range(m + 1):
        for j in range(n + 1):
            if i:  # s d/ds of both sides
                terms = [
                    k * p[k][r] * e[i - k, j - r] for k in range(1, i + 1) for r in range(j + 1)
                ]
                e[i, j] = sum(terms, arb(0)) / i
            elif j:
                terms = [r * p[0][r] * e[0, j - r] for r in range(1, j + 1)]
                e[0, j] = sum(terms, arb(0)) / j
    return e[m, n]


# --- of real balls only --------------------------------------------------------------------------
def zeta(s: Ball, q: Ball, m: int) -> Ball:
    """The m-th derivative in s of Hurwitz's zeta function."""
    if m == 0:
        return s.zeta(q)
    found = arb_series([s, 1], prec=m + 1).zeta(q).coeffs()
    return math.factorial(m) * found[m] if len(found) > m else arb(0)


def spence(x: Ball) -> Ball:
    """The dilogarithm of 1 - x."""
    if x.is_zero():
        return arb.pi() ** 2 / 6
    return (1 - x).polylog(arb(2))


def boxcox(x: Ball, p: Ball) -> Ball:
    """(x**p - 1) / p."""
    if x.is_zero() and p > 0:
        return -1 / p
    log = x.log()
    return log * exprel(p * log, 0)


def inv_boxcox(y: Ball, p: Ball, k: int) -> Ball:
    """(1 + p y)**(1 / p - k), and where p may be 0 by log(1 + t) / t as a hypergeometric function."""
    t = p * y
    log = t.log1p()
    if p.contains(arb(0)):
        return (y * (-t).hypgeom_2f1(arb(1), arb(1), arb(2)) - k * log).exp()
    return (log / p - k * log).exp()


def entr(x: Ball) -> Ball:
    """-x log(x)."""
    return arb(0) if x.is_zero() else -x * x.log()


def rel_entr(x: Ball, y: Ball) -> Ball:
    """x log(x / y)."""
    return arb(0) if x.is_zero() and y >= 0 else x * (x / y).log()


def kl_div(x: Ball, y: Ball) -> Ball:
    """x log(x / y) - x + y."""
    return rel_entr(x, y) - x + y


def cbrt(x: Ball) -> Ball:
    """The real cube root."""
    if x.is_zero():
        return arb(0)
    return x.root(3) if x > 0 else (-((-x).root(3)) if x < 0 else arb.nan())


def betaln(a: Ball, b: Ball) -> Ball:
    """log|B(a, b)|."""
    if a > 0 and b > 0:
        return a.lgamma() + b.lgamma() - (a + b).lgamma()
    return absolute(beta_value(a, b)).log()


def beta_value(a: Ball, b: Ball) -> Ball:
    """Gamma(a) Gamma(b) / Gamma(a + b)."""
    return a.gamma() * b.gamma() * (a + b).rgamma()


def beta(a: Ball, b: Ball, m: int, n: int) -> Ball:
    """The m-th derivative in a and n-th in b of the beta function."""
    return beta_derivative(a, b, m, n, polygamma)


def beta_derivative(
    a: Ball, b: Ball, m: int, n: int, polygamma: Callable[[Ball, int], Ball]
) -> Ball:
    """As `beta`, for real or complex balls: by those of its logarithm (5.12.1)."""
    if m == n == 0:
        return beta_value(a, b)

    def coefficient(i: int, j: int) -> Ball:
        k = i + j - 1
        own = polygamma(a, k) if not j else polygamma(b, k) if not i else 0
        return (own - polygamma(a + b, k)) / (math.factorial(i) * math.factorial(j))

    exponent = [[coefficient(i, j) if i + j else a * 0 for j in range(n + 1)] for i in range(m + 1)]
    factor = math.factorial(m) * math.factorial(n)
    return beta_value(a, b) * factor * exponential(exponent, m, n)


def binom(n: Ball, k: Ball, i: int, j: int) -> Ball:
    """The i-th derivative in n and j-th in k of the binomial coefficient n over k."""
    return binom_derivative(n, k, i, j, polygamma)


def binom_derivative(
    n: Ball, k: Ball, i: int, j: int, polygamma: Callable[[Ball, int], Ball]
) -> Ball:
    """As `binom`, for real or complex balls: by those of its logarithm (1.2.6)."""
    rest = n - k + 1
    value = (n + 1).gamma() * (k + 1).rgamma() * rest.rgamma()
    if i == j == 0:
        return value

    def coefficient(r: int, s: int) -> Ball:
        order = r + s - 1
        found = -((-1) ** s) * polygamma(rest, order)
        if s == 0:
            found += polygamma(n + 1, order)
        if r == 0:
            found -= polygamma(k + 1, order)
        return found / (math.factorial(r) * math.factorial(s))

    exponent = [[coefficient(r, s) if r + s else n * 0 for s in range(j + 1)] for r in range(i + 1)]
    return value * math.factorial(i) * math.factorial(j) * exponential(exponent, i, j)


def gammainc(a: Ball, x: Ball, m: int) -> Ball:
    """The m-th derivative in a of the regularized lower incomplete gamma function."""
    if x.is_zero():
        return arb(0)
    if m == 0:
        return x.gamma_lower(a, 1)
    z, right = acb(x), bool(x > a)

    def tail(s: Ball) -> Ball:  # the smaller one, so that its derivative has no digits of 1
        if right:
            return known(z.gamma_upper(s, 1), lambda: z.gamma_lower(s, 1))
        return known(z.gamma_lower(s, 1), lambda: z.gamma_upper(s, 1))

    found = cauchy(tail, a, m).real
    return -found if right else found


def betainc(a: Ball, b: Ball, x: Ball, m: int, n: int) -> Ball:
    """The m-th derivative in a and n-th in b of the regularized incomplete beta function."""
    if x.is_zero() or (x - 1).is_zero():
        return arb(x) if m == n == 0 else arb(0)
    if m == n == 0:
        return x.beta_lower(a, b, 1)
    z, right = acb(x), bool(x > arb(1) / 2)

    def left_tail(s: Ball, t: Ball) -> Ball:
        return z.beta_lower(s, t, 1)

    def right_tail(s: Ball, t: Ball) -> Ball:
        return (1 - z).beta_lower(t, s, 1)

    def tail(s: Ball, t: Ball) -> Ball:
        first, other = (right_tail, left_tail) if right else (left_tail, right_tail)
        return known(first(s, t), lambda: other(s, t))

    found = cauchy(lambda t: cauchy(lambda s: tail(s, t), a, m), b, n).real
    return -found if right else found


def known(value: Ball, complement: Callable[[], Ball]) -> Ball:
    """A value; where FLINT's formulas have no bound for it, 1 less its complement."""
    return value if value.is_finite() else 1 - complement()


_POINTS: Final = 5
_NEAR: Final = 40  # the points lie so many halvings inside the disc


def cauchy(f: Callable[[Ball], Ball], a: Ball, m: int) -> Ball:
    """The m-th derivative of a function that is analytic right of 0, at a > 0, as a complex ball.

    By the mean of f over points on a circle; with |f| <= M on a disc q**-1 times as large the terms
    of the Taylor series that alias are at most M q**N / (1 - q**N) (Fornberg 1981).
    """
    if m == 0:
        return f(acb(a))
    lower = a.lower()
    if not lower > 0:
        return acb(arb.nan())
    size = -6
    while arb(2) ** size > lower / 4:
        size -= 1
    with ctx.extraprec((m + 1) * _NEAR + 32):
        reach = arb(2) ** size
        box = arb(0, 1) * reach
        bound = abs(f(acb(a + box, box))).upper()
        step = reach / arb(2) ** _NEAR
        total = acb(0)
        for k in range(_POINTS):
            turn = acb(arb(2 * k) / _POINTS).exp_pi_i()
            total += f(a + step * turn) / turn**m
        q = arb(2) ** (-_NEAR * _POINTS)
        error = (bound * q / (1 - q)).upper()
        noise = acb(arb(0, 1) * error, arb(0, 1) * error) * (step / reach) ** m
        coefficient = total / _POINTS + noise
        return coefficient * math.factorial(m) / step**m


UNARY: Final[dict[str, Callable[[Ball], Ball]]] = {
    "cbrt": cbrt,
    "cosm1": cosm1,
    "entr": entr,
    "erfcinv": lambda x: x.erfcinv(),
    "expi": lambda x: x.ei(),
    "gamma": lambda x: x.gamma(),
    "log_ndtr": lambda x: ndtr(x).log(),
    "ndtr": ndtr,
    "spence": spence,
}
"""Functions of one real ball by the primitive's name."""

BINARY: Final[dict[str, Callable[[Ball, Ball], Ball]]] = {
    "betaln": betaln,
    "boxcox": boxcox,
    "gammaincc": lambda a, x: x.gamma_upper(a, 1),
    "kl_div": kl_div,
    "poch": poch,
    "rel_entr": rel_entr,
}
"""Functions of two."""
