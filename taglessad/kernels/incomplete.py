"""Incomplete gamma and beta functions, their densities, and derivatives in the parameters.

Both are integrals of a density, and so are their derivatives in the parameters: of the density
times a polynomial in the logarithm of the variable. In a logarithmic variable the exponent is
concave and has no singularity near the axis, so that quadrature (blocks.integral) gives full
precision; the integral is taken over the side where the integrand keeps its sign.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels import double_double as wide
from taglessad.kernels import wide_gamma
from taglessad.kernels.beta_derivatives import of_exponential
from taglessad.kernels.blocks import (
    Exponent,
    chosen,
    expm1_minus,
    integral,
    jointly,
    log1p_minus,
    product,
    two_product,
    two_sum,
)
from taglessad.kernels.double_double import Pair
from taglessad.kernels.erf import F64
from taglessad.kernels.gamma import digamma, log_minus_digamma, polygamma, stirling
from taglessad.kernels.gamma_function import beta as beta_function
from taglessad.kernels.gamma_function import betaln, polygamma_difference
from taglessad.kernels.gamma_function import gamma as gamma_function

Index = NDArray[np.intp]
_SQRT_TWO_PI: Final = 2.5066282746310007
EARLY: Final = 1e-8  # below, exponents are quadratic, and their terms of first order cancel
LARGE: Final = 1e10  # from where the mean of the logarithm is as the logarithm of the mean
_MODERATE: Final = 1e12  # up to which a logarithm of 100 bits has enough beyond its point


def gamma_density(a: NDArray[Any], x: NDArray[Any], m: int) -> NDArray[Any]:
    """The m-th derivative in a of x**(a - 1) exp(-x) / Gamma(a), for a > 0 and x >= 0.

    Any: the dtype of the operands, which the result keeps.
    """

    def density(a: F64, x: F64) -> F64:
        weight = _derivatives(m, [_log_over_mean(a, x), *_polygammas(a, m)]) if m else 1.0
        inside = (a > 0) & (x >= 0)
        return np.where(inside, _gamma_kernel(a, x, density=True) * weight, np.nan)

    return jointly(density, a, x)


def gammainc(a: NDArray[Any], x: NDArray[Any], m: int) -> NDArray[Any]:
    """The m-th derivative in a of the regularized lower incomplete gamma function P(a, x).

    NIST DLMF 8.2.4. Any: the dtype of the operands, which the result keeps.
    """
    return jointly(lambda a, x: _gammainc(a, x, m, False), a, x)


def gammaincc(a: NDArray[Any], x: NDArray[Any]) -> NDArray[Any]:
    """The regularized upper incomplete gamma function Q(a, x), DLMF 8.2.4; dtype as the operands'.

    Any: the dtype of the operands.
    """
    return jointly(lambda a, x: _gammainc(a, x, 0, True), a, x)


def expn(x: NDArray[Any], n: int) -> NDArray[Any]:
    """The exponential integral E_n(x), n >= 0, for x >= 0 (DLMF 8.19.2); dtype as the operand's.

    Any: the dtype of the operand.
    """

    def kernel(x: F64) -> F64:
        a = np.full_like(x, 1.0 - n)
        inside = (x > 0) & np.isfinite(x)
        at_zero = 1 / (n - 1) if n > 1 else math.inf
        return chosen(
            x.size,
            (inside, lambda i: np.exp(-x[i]) * (_upper(a[i], x[i], None) if n else 1 / x[i])),
            (x == 0, lambda i: np.full(i.size, at_zero)),
            (x == np.inf, lambda i: np.zeros(i.size)),
        )

    return jointly(kernel, x)


def beta_density(a: NDArray[Any], b: NDArray[Any], x: NDArray[Any], m: int, n: int) -> NDArray[Any]:
    """The m-th derivative in a and n-th in b of x**(a - 1) (1 - x)**(b - 1) / B(a, b).

    Any: the dtype of the operands, which the result keeps.
    """

    def density(a: F64, b: F64, x: F64) -> F64:
        inside = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
        a, b = np.where(inside, a, 1.0), np.where(inside, b, 1.0)
        x = np.where(inside, x, 0.5)
        weight: F64 | float = 1.0
        if m + n:
            weight = _joint_derivatives(m, n, *_logs_over_means(a, b, x, 0.8), a, b)
        return np.where(inside, _beta_kernel(a, b, x, density=True) * weight, np.nan)

    return jointly(density, a, b, x)


def betainc(a: NDArray[Any], b: NDArray[Any], x: NDArray[Any], m: int, n: int) -> NDArray[Any]:
    """The m-th derivative in a and n-th in b of the regularized incomplete beta function.

    NIST DLMF 8.17.2. Any: the dtype of the operands, which the result keeps.
    """
    return jointly(lambda a, b, x: _betainc(a, b, x, m, n), a, b, x)


# --- derivatives of exp(log density) ---------------------------------------------------------------
def _derivatives(m: int, c: list[F64]) -> F64:
    """The m-th derivative of exp(f) over exp(f), where c[k] is the (k + 1)-th derivative of f."""
    found: list[Any] = [1.0]
    for order in range(m):
        found.append(sum(math.comb(order, k) * c[k] * found[order - k] for k in range(order + 1)))
    return np.asarray(found[m])


def _polygammas(a: F64, m: int) -> list[F64]:
    return [-polygamma(k, a) for k in range(1, m)]


def _log_over_mean(a: F64, x: F64) -> F64:
    """log(x) - digamma(a), which for large a is small near x = a."""
    shift, rest = np.log1p((x - a) / a), log_minus_digamma(np.maximum(a, 3.0))
    near = (a > 3) & (np.abs(x - a) < 0.5 * a)
    log, mean = np.where(near, shift, np.log(x)), np.where(near, -rest, digamma(a))
    found = log - mean

    def again(i: Index) -> F64:
        return wide.subtract(wide.log(wide.pair(x[i])), wide_gamma.digamma(wide.pair(a[i]))).value()

    cancelled = (np.abs(found) < wide.KEPT * np.abs(mean)) & (a > 0) & (a < _MODERATE)
    return wide.mended(found, cancelled, again)


def _integral(curvature: F64, exponent: Exponent, rough: Exponent, weight: Exponent | None) -> F64:
    """`integral`, in a unit of the variable in which a very narrow integrand is not."""
    unit = np.where(curvature > 1e30, 1 / np.sqrt(np.maximum(curvature, 1.0)), 1.0)

    def in_units(f: Exponent) -> Exponent:
        return lambda v, i: f(v * unit[i, None], i)

    weighted = None if weight is None else in_units(weight)
    return unit * integral(unit.size, in_units(exponent), in_units(rough), weighted)


# --- gamma ---------------------------------------------------------------------------------------
def _gamma_kernel(a: F64, x: F64, density: bool = False) -> F64:
    """x**a exp(-x) / Gamma(a) for a > 0, x >= 0; or that over x, the density itself."""
    # Rounding counts as often as the exponent is large: near the mean the deviance is small.
    middle = (a > 10) & (np.abs(x - a) < np.sqrt(a))
    large = (a > 100) | middle
    return chosen(
        a.size,
        ((a > 0) & ~large, lambda i: _kernel_by_power(a[i] - density, a[i], x[i])),
        (large, lambda i: _kernel_by_deviance(a[i], x[i]) / (x[i] if density else 1)),
    )


def _kernel_by_power(p: F64, a: F64, x: F64) -> F64:
    """x**p exp(-x) / Gamma(a)."""
    power, half = np.power(x, p), np.power(x, 0.5 * p) * np.exp(-0.5 * x)
    direct = (power < 1e290) & (power > 1e-290) & (x < 600)
    tiny = a < 1e-290
    size = gamma_function(np.where(tiny, 1.0, a))
    whole = product(power, np.exp(-x))
    by_power = np.where(direct, whole / size, half / size * half)
    return np.where(tiny, np.where(direct, whole, half * half) * a, by_power)


def _kernel_by_deviance(a: F64, x: F64) -> F64:
    """Stirling's formula with x - a taken out (Loader, Fast and accurate computation, 2000)."""
    deviance = np.where(x == np.inf, -np.inf, _deviance(a, x - a, x))
    return np.sqrt(a) / _SQRT_TWO_PI * np.exp(deviance - stirling(a))


def _deviance(a: F64, shift: F64, x: F64) -> F64:
    """a log(x / a) - (x - a), where shift is x - a."""
    ratio = shift / a
    return np.where(ratio > -0.9, a * log1p_minus(ratio), a * np.log(x / a) - shift)


def _upper(a: F64, x: F64, weight: Exponent | None) -> F64:
    """The integral of exp(a v - x (e**v - 1)) over v > 0."""

    def exponent(v: F64, i: Index) -> F64:
        late = np.maximum(v, 1.0) * 0.5  # the exponential in two factors, as x may be subnormal
        rest = np.where(
            v < 1,
            x[i, None] * expm1_minus(np.minimum(v, 1.0)),
            x[i, None] * np.exp(late) * np.exp(late) - x[i, None] * (1 + v),
        )
        return (a - x)[i, None] * v - rest

    def rough(v: F64, i: Index) -> F64:
        half = np.exp(0.5 * np.maximum(v, 1.0))
        rise = np.where(
            v < 1, x[i, None] * np.expm1(np.minimum(v, 1.0)), x[i, None] * half * half - x[i, None]
        )
        early = (a - x)[i, None] * v - 0.5 * x[i, None] * v * v
        return np.where(v < EARLY, early, a[i, None] * v - rise)

    return _integral(x, exponent, rough, weight)


def _lower(a: F64, x: F64, weight: Exponent | None) -> F64:
    """The integral of exp(-a v + x (1 - e**-v)) over v > 0."""

    def exponent(v: F64, i: Index) -> F64:
        return (x - a)[i, None] * v - x[i, None] * expm1_minus(-v)

    def rough(v: F64, i: Index) -> F64:
        early = (x - a)[i, None] * v - 0.5 * x[i, None] * v * v
        return np.where(v < EARLY, early, -a[i, None] * v - x[i, None] * np.expm1(-v))

    return _integral(x, exponent, rough, weight)


def _gammainc(a: F64, x: F64, m: int, upper: bool) -> F64:
    inside = (a > 0) & (x > 0) & np.isfinite(x) & np.isfinite(a)
    a_in, x_in = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
    mean = _log_over_mean(a_in, x_in) if m else np.log(x_in) - digamma(a_in)
    # The value may be taken from either side near the middle; for large a the logarithms are rough.
    above = inside & np.where((a_in > LARGE) & (m == 0), x_in > a_in, mean > 0)
    at_zero, at_inf = (1.0, 0.0) if upper else (0.0, 1.0)
    at_zero, at_inf = (at_zero, at_inf) if m == 0 else (0.0, 0.0)

    def side(i: Index, high: bool) -> F64:
        p, q, first = a[i], x[i], mean[i]
        higher = _polygammas(p, m)

        def weight(v: F64, j: Index) -> F64:
            log = first[j, None] + (v if high else -v)
            return _derivatives(m, [log, *[c[j, None] for c in higher]])

        found = (_upper if high else _lower)(p, q, weight if m else None)
        found = found * _gamma_kernel(p, q)
        if m == 0:
            return found if high == upper else 1 - found
        return -found if high else found

    return chosen(
        a.size,
        (above, lambda i: side(i, True)),
        (inside & ~above, lambda i: side(i, False)),
        ((a > 0) & (x == 0), lambda i: np.full(i.size, at_zero)),
        ((a > 0) & (x == np.inf), lambda i: np.full(i.size, at_inf)),
        ((a == 0) & (x > 0), lambda i: np.full(i.size, at_inf if m == 0 else np.nan)),
    )


# --- beta ----------------------------------------------------------------------------------------
def _joint_derivatives(m: int, n: int, first: F64, second: F64, a: F64, b: F64) -> F64:
    """As `_derivatives`, m times in a and n times in b, for the logarithm of the beta density.

    first, second: its first derivatives, of shape (points, nodes); a, b of shape (points,).
    """

    def column(z: F64) -> F64:
        return z if first.ndim == 1 else z[:, None]

    c: dict[tuple[int, int], Any] = {(1, 0): first, (0, 1): second}
    for i in range(m + 1):
        for j in range(n + 1):
            if i + j < 2:
                continue
            if j == 0:
                c[i, j] = column(-polygamma_difference(a, b, i - 1))
            elif i == 0:
                c[i, j] = column(-polygamma_difference(b, a, j - 1))
            else:
                c[i, j] = column(polygamma(i + j - 1, a + b))
    return np.asarray(of_exponential(m, n, c) * np.ones_like(first))


def _beta_kernel(a: F64, b: F64, x: F64, density: bool = False) -> F64:
    """x**a (1 - x)**b / B(a, b); or that over x (1 - x), the density itself."""
    both = (a > 10) & (b > 10)
    # Rounding counts as often as the exponent is large: near the mean the deviance is small.
    middle = np.abs(_beyond_mean(a, b, x)) < np.sqrt(np.minimum(a, b))
    large = both & (middle | (a + b > 600))  # above, B(a, b) may underflow

    def by_deviance(i: Index) -> F64:
        over = x[i] * (1 - x[i]) if density else 1.0
        return _beta_by_deviance(a[i], b[i], x[i]) / over

    return chosen(
        a.size,
        (large, by_deviance),
        (~large, lambda i: _beta_by_power(a[i] - density, b[i] - density, a[i], b[i], x[i])),
    )


def _beta_by_power(p: F64, q: F64, a: F64, b: F64, x: F64) -> F64:
    """x**p (1 - x)**q / B(a, b)."""
    size = beta_function(a, b)
    direct = np.power(x, p), _power_of_rest(x, q)
    halves = np.power(x, 0.5 * p) * _power_of_rest(x, 0.5 * q)
    usable = (size > 1e-290) & (halves > 0) & np.isfinite(halves)
    logarithm = p * np.log(x) + q * np.log1p(-x) - betaln(a, b)
    by_halves = np.where(usable, halves / size * halves, np.exp(logarithm))
    normal = usable
    for factor in (*direct, direct[0] * direct[1]):
        normal = normal & (factor > 1e-290) & (factor < 1e290)
    return np.asarray(np.where(normal, product(*direct) / size, by_halves))


def _power_of_rest(x: F64, q: F64) -> F64:
    """(1 - x)**q: what the difference is rounded by would count q times."""
    rest, more = two_sum(np.ones_like(x), -x)
    change = np.where(more == 0, 0.0, np.expm1(q * (more / rest)))
    power = np.power(rest, q)
    return np.asarray(power + power * change)


def _beyond_mean(a: F64, b: F64, x: F64) -> F64:
    """(a + b) x - a = b x - a (1 - x), of products and a difference that are taken exactly."""
    rest, more = two_sum(np.ones_like(x), -x)
    (first, e), (second, f) = two_product(b, x), two_product(a, rest)
    return (first - second) + ((e - f) - a * more)


def _logs_over_means(a: F64, b: F64, x: F64, kept: float) -> tuple[F64, F64]:
    """log(x) and log(1 - x) less their means under the beta density, small near the middle of it.

    Where less than `kept` is left of a term they are taken with two float64 for each number.
    """
    shift = _beyond_mean(a, b, x)
    first = _less_mean(wide.pair(x), np.log(x), a, b, shift, kept)
    rest = wide.total(np.ones_like(x), -x)
    return first, _less_mean(rest, np.log1p(-x), b, a, -shift, kept)


def _less_mean(x: Pair, log: F64, a: F64, b: F64, shift: F64, kept: float) -> F64:
    """log(x) less its mean under the beta density; shift is (a + b) x - a."""
    mean = polygamma_difference(a, b, 0)
    near = (a > 3) & (b > 3) & (np.abs(shift) < 0.5 * np.minimum(a, b))
    p, q = np.where(near, a, 3.0), np.where(near, b, 3.0)
    rest = log_minus_digamma(p)
    by_shift = np.log1p(np.where(near, shift, 0.0) / p) + (rest - log_minus_digamma(p + q))
    found = np.where(near, by_shift, log - mean)

    def again(i: Index) -> F64:
        places = wide.pair(a[i]), wide.total(a[i], b[i])
        mean = wide.subtract(*wide.together(wide_gamma.digamma, *places))
        return wide.subtract(wide.log(Pair(x.high[i], x.low[i])), mean).value()

    terms = kept * np.where(near, rest, np.maximum(np.abs(log), np.abs(mean)))
    return wide.mended(found, (np.abs(found) < terms) & (np.maximum(a, b) < _MODERATE), again)


def _beta_by_deviance(a: F64, b: F64, x: F64) -> F64:
    shift = _beyond_mean(a, b, x)
    c = a + b
    deviance = _deviance(a, shift, c * x) + _deviance(b, -shift, c * (1 - x))
    series = stirling(c) - stirling(a) - stirling(b)
    return np.sqrt(a * (b / c)) / _SQRT_TWO_PI * np.exp(deviance + series)


def _below(a: F64, b: F64, x: F64, z: F64, slope: F64, weight: Exponent | None) -> F64:
    """The integral over w > 0 of the kernel at logit(x) - w over the kernel at x.

    z is 1 - x; slope is b x - a z, which cancels near the mean.
    """
    c = a + b

    def rough(w: F64, i: Index) -> F64:
        p, q = x[i, None], z[i, None]
        rise = q * np.expm1(np.minimum(w, 709.0))
        left = np.where(p <= 0.5, np.log1p(p * np.expm1(-w)), np.log(q + p * np.exp(-w)))
        later = -a[i, None] * w - c[i, None] * left
        flat = b[i, None] * w - c[i, None] * np.log1p(rise)
        early = slope[i, None] * w - 0.5 * c[i, None] * (p * w) * (q * w)
        return np.where(w < EARLY, early, np.where((p > 0.5) & (rise < 1), flat, later))

    def exponent(w: F64, i: Index) -> F64:
        # At first what is linear in w apart from the rest, whose terms of first order cancel.
        p, q = x[i, None], z[i, None]
        start = np.minimum(w, 1.0)
        near, far = p * np.expm1(-start), q * np.expm1(start)
        low = log1p_minus(near) + p * expm1_minus(-start)
        high = log1p_minus(far) + q * expm1_minus(start)
        first = slope[i, None] * w - c[i, None] * np.where(p <= 0.5, low, high)
        return np.where(w < 1, first, rough(w, i))

    return _integral(c * x * z, exponent, rough, weight)


def _betainc(a: F64, b: F64, x: F64, m: int, n: int) -> F64:
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1) & np.isfinite(a) & np.isfinite(b)
    a_in, b_in = np.where(inside, a, 1.0), np.where(inside, b, 1.0)
    x_in = np.where(inside, x, 0.5)
    first = second = x_in
    if m == n == 0:
        above = np.log(x_in) - digamma(a_in) > np.log1p(-x_in) - digamma(b_in)
        large = np.minimum(a_in, b_in) > LARGE
        above = np.where(large, _beyond_mean(a_in, b_in, x_in) > 0, above)
    else:
        first, second = _logs_over_means(a_in, b_in, x_in, np.inf)  # little beside the quadrature
        above = (first > 0) if m else (second < 0)

    def side(i: Index, high: bool) -> F64:
        p, q, r = a[i], b[i], x[i]

        def weight(w: F64, j: Index) -> F64:
            # At logit(x) -+ w: the logarithms of x and of 1 - x, changed by these.
            near = 1 - r[j, None] if high else r[j, None]
            change = -np.log1p(near * np.expm1(-w))
            f, s = first[i][j, None], second[i][j, None]
            f, s = (f + change, s + change - w) if high else (f + change - w, s + change)
            return _joint_derivatives(m, n, f, s, p[j], q[j])

        slope = _beyond_mean(p, q, r)
        sides = (q, p, 1 - r, r, -slope) if high else (p, q, r, 1 - r, slope)
        found = _below(*sides, weight if m + n else None) * _beta_kernel(p, q, r)
        if m + n == 0:
            return 1 - found if high else found
        return -found if high else found

    at_one = 1.0 if m + n == 0 else 0.0
    return chosen(
        a.size,
        (inside & above, lambda i: side(i, True)),
        (inside & ~above, lambda i: side(i, False)),
        ((a > 0) & (b > 0) & (x == 0), lambda i: np.zeros(i.size)),
        ((a > 0) & (b > 0) & (x == 1), lambda i: np.full(i.size, at_one)),
    )
