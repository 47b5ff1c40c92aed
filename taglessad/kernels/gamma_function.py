"""Gamma and beta functions, and differences of polygamma functions, to a few ulp."""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels import double_double as wide
from taglessad.kernels import wide_gamma
from taglessad.kernels.beta_reflection import is_pole, limit_at_pole, reflected, sine_over_pi
from taglessad.kernels.blocks import (
    LARGE_BLOCK,
    chosen,
    finite_product,
    jointly,
    product,
    two_product,
    two_sum,
)
from taglessad.kernels.erf import F64, Float, piecewise, pointwise
from taglessad.kernels.gamma import digamma, gammaln, gammaln_1p, polygamma, stirling

_SQRT_TWO_PI: Final = 2.5066282746310007
_HALF_LOG_TWO_PI: Final = 0.9189385332046728


def gamma(x: NDArray[Float] | Float) -> NDArray[Float]:
    """The gamma function: NaN at -1, -2, ... and -inf; infinite at 0, with the sign of the zero.

    Any shape; float16, float32 or float64, which the result keeps. Stirling's series (NIST DLMF
    5.11.1) from 10 on, recurrence (5.5.1) below, reflection (5.5.3) for negative x.
    """
    return pointwise(_gamma, x)


def beta(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """B(a, b) = Gamma(a) Gamma(b) / Gamma(a + b) (NIST DLMF 5.12.1).

    Any: the dtype of the operands, which the result keeps. Stirling's series for the arguments
    above 10, their powers compensated for the rounding of a + b and of the quotients.
    """
    return jointly(_beta, a, b, block=LARGE_BLOCK)


def binom(n: NDArray[Any], k: NDArray[Any]) -> NDArray[Any]:
    """The binomial coefficient n over k, 1 / ((n + 1) B(n - k + 1, k + 1)) (NIST DLMF 1.2.6).

    Any: the dtype of the operands, which the result keeps.
    """
    return jointly(_binom, n, k, block=LARGE_BLOCK)


def betaln(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """log |B(a, b)|: nothing in it cancels for large arguments.

    Any: the dtype of the operands, which the result keeps.
    """
    return jointly(_betaln, a, b, block=LARGE_BLOCK)


def poch(z: NDArray[Any], m: NDArray[Any]) -> NDArray[Any]:
    """Gamma(z + m) / Gamma(z), by the beta function of z and m (NIST DLMF 5.2.5, 5.12.1).

    Any: the dtype of the operands, which the result keeps.
    """
    return jointly(_poch, z, m, block=LARGE_BLOCK)


def polygamma_difference(a: NDArray[Any], b: NDArray[Any], n: int) -> NDArray[Any]:
    """polygamma(n, a) - polygamma(n, a + b), accurate where b is small against a.

    Any: the dtype of the operands, which the result keeps. Term by term: the recurrence (DLMF
    5.15.5) up to a > n + 12, then the asymptotic series (5.11.2, 25.11.43), whose terms all have
    the form u**-p - (u + b)**-p. For negative arguments the plain difference.
    """
    return jointly(lambda a, b: _difference(a, b, n), a, b, block=LARGE_BLOCK)


# --- gamma ---------------------------------------------------------------------------------------
def _gamma(x: F64) -> F64:
    pole = (x < 0) & is_pole(x)
    return piecewise(
        x,
        (x >= 10, _gamma_large),
        ((x > 0) & (x < 10), _gamma_small),
        ((x < 0) & ~pole, _gamma_negative),
        (x == 0, lambda x: 1 / x),
    )


def _gamma_large(x: F64) -> F64:
    x = np.minimum(x, 180.0)
    rest = _SQRT_TWO_PI * np.exp(stirling(x))
    near = np.minimum(x, 140.0)  # above, the power is out of range before the product is
    direct = product(np.power(near, near - 0.5), np.exp(-near), rest)
    half = np.power(x, 0.5 * x - 0.25) * np.exp(-0.5 * x)
    return np.where(x <= 140, direct, half * rest * half)


def _gamma_small(x: F64) -> F64:
    whole = np.floor(x)
    z = x - whole  # exact
    # Gamma(1 + z) for z in [0, 1], where its logarithm is at most 0.12.
    result = np.exp(gammaln_1p(z))
    lost = np.zeros_like(x)  # by the rounding of the products; the factors are exact
    for k in range(1, int(whole.max(initial=0))):
        factor = np.where(whole > k, z + k, 1.0)
        result, rest = finite_product(result, factor)
        lost = lost * factor + rest
    result = result + lost
    return np.where(whole == 0, result / x, result)


def _gamma_negative(x: F64) -> F64:
    """pi / (sin(pi x) Gamma(1 - x)): with z = -x, Gamma(1 + z) = z Gamma(z)."""
    return piecewise(
        x,
        (x > -9, lambda x: 1 / (sine_over_pi(x) * _gamma_small_1p(-x))),
        ((x <= -9) & (x > -150), lambda x: 1 / (sine_over_pi(x) * _gamma_large_1p(-x))),
        (x <= -150, _gamma_far),
    )


def _gamma_far(x: F64) -> F64:
    """Of x <= -150, in two factors that are in range."""
    z = np.minimum(-x, 200.0)
    half = np.power(z, 0.5 * z - 0.25) * np.exp(-0.5 * z)
    rest = sine_over_pi(x) * z * _SQRT_TWO_PI * np.exp(stirling(z))
    return np.asarray(1 / half / rest / half)


def _gamma_small_1p(z: F64) -> F64:
    return np.where(z < 1e-8, 1 - 0.5772156649015329 * z, z * _gamma_small(np.maximum(z, 1e-9)))


def _gamma_large_1p(z: F64) -> F64:
    return z * piecewise(z, (z < 10, _gamma_small), (z >= 10, _gamma_large))


# --- beta ----------------------------------------------------------------------------------------
def _quotient_power(a: F64, c: F64, c_rest: F64, p: F64) -> F64:
    """(a / (c + c_rest))**p: what rounding takes from the quotient would count p times."""
    quotient = a / c
    product, rest = two_product(quotient, c)
    left = ((a - product) - rest - quotient * c_rest) / a
    power = np.power(quotient, p)
    better = power + power * np.expm1(p * left)
    return np.where(np.isfinite(better), better, power)


def beta_times(a: F64, b: F64, factor: F64) -> F64:
    """B(a, b) times a factor, right also where B itself is subnormal, for a large b."""
    a, b = np.minimum(a, b), np.maximum(a, b)
    positive = a > 0
    return chosen(
        a.size,
        (positive & (a >= 10), lambda i: _beta_large(a[i], b[i], factor[i])),
        (positive & (a < 10) & (b >= 10), lambda i: _beta_mixed(a[i], b[i], factor[i])),
        (positive & (b < 10), lambda i: _beta_small(a[i], b[i]) * factor[i]),
        (~positive, lambda i: _beta_beyond(a[i], b[i], factor[i])),
        (positive & (b == np.inf), lambda i: 0.0 * factor[i]),
    )


def _beta(a: F64, b: F64) -> F64:
    return beta_times(a, b, np.ones_like(a))


def _beta_beyond(a: F64, b: F64, factor: F64) -> F64:
    """For a <= 0."""
    inside = (a < 0) & np.isfinite(a) & np.isfinite(b)
    pole = inside & (is_pole(a) | is_pole(b))

    def by_reflection(i: NDArray[np.intp]) -> F64:
        first, second, sines, over = reflected(a[i], b[i])
        times = beta_times(first, second, np.where(over, 1 / sines, sines * factor[i]))
        return np.where(over, factor[i] / times, times)

    def by_limit(i: NDArray[np.intp]) -> F64:
        sign, p, q = limit_at_pole(a[i], b[i])
        return beta_times(p, q, sign * factor[i])

    return chosen(
        a.size,
        (inside & ~pole, by_reflection),
        (pole, by_limit),
        (inside & (b == 0) & ~is_pole(a), lambda i: 1 / b[i] * factor[i]),
        ((a == 0) & (b < np.inf), lambda i: (1 / a[i] + np.where(b[i], 0, 1 / b[i])) * factor[i]),
        ((a < 0) & (b == np.inf), lambda i: _gamma(a[i]) * np.inf * factor[i]),
    )


def _beta_small(a: F64, b: F64) -> F64:
    c, rest = two_sum(a, b)
    correction = 1 - digamma(c) * rest
    tiny = a < 1e-280
    first = np.where(tiny, 1.0, a)
    plain = _gamma(first) * (_gamma(b) / _gamma(np.where(tiny, b, c))) * correction
    return np.where(tiny, np.where(b < 1e-280, 1 / a + 1 / b, 1 / a), plain)


def _beta_mixed(a: F64, b: F64, factor: F64) -> F64:
    """a < 10 <= b: Gamma(b) / Gamma(a + b) by Stirling's series; times a factor."""
    c, rest = two_sum(a, b)
    tiny = a < 1e-280
    size = _gamma(np.where(tiny, 1.0, a))
    change = np.exp(stirling(b) - stirling(c) - a * rest / c)
    powers = product(_quotient_power(b, c, rest, b - 0.5), np.power(c, -a))
    found = product(size, np.exp(a), powers, change)
    # DLMF 5.11.12
    further, half = np.exp(-0.5 * a * (a - 1) / b), np.power(b, -0.5 * a)
    far = product(size, np.power(b, -a), further)
    far = np.where(far > 1e-250, far * factor, half * (size * further * factor) * half)
    found = np.where(b > 1e12, far, found * factor)
    return np.where(tiny, 1 / a * factor, found)


def _beta_large(a: F64, b: F64, factor: F64) -> F64:
    c, rest = two_sum(a, b)
    series = stirling(a) + stirling(b) - stirling(c)
    size = np.sqrt((c / b) / a), np.exp(series), np.full_like(a, _SQRT_TWO_PI)

    def powers(share: float) -> tuple[F64, F64]:
        second = _quotient_power(b, c, rest, share * b)
        # (1 + a / b)**-b
        far = np.exp(-share * a) * np.exp(0.5 * share * np.minimum(a, 750.0) * (a / b))
        return _quotient_power(a, c, rest, share * a), np.where(b > 1e12 * a, far, second)

    half, whole = product(*powers(0.5)), product(*powers(1.0), *size)
    return np.where(whole > 1e-250, whole * factor, half * (product(*size) * factor) * half)


def _binom(n: F64, k: F64) -> F64:
    # n - k + 1 and k + 1 are rounded, which the coefficient's slopes make good.
    (rest, left), (below, lost) = two_sum(n, -k), two_sum(k, np.ones_like(k))
    above, more = two_sum(rest, np.ones_like(k))
    inside = (above > 0) & (below > 0)
    p, q = np.where(inside, above, 1.0), np.where(inside, below, 1.0)
    whole = digamma(p + q)
    first, second = digamma(p) - whole, digamma(q) - whole
    change = np.where(inside, first * (left + more) + second * lost, 0.0)
    found = 1 / beta_times(above, below, n + 1) * (1 - change)
    return np.where((n < 0) & is_pole(n), np.nan, found)


def _poch(z: F64, m: F64) -> F64:
    c, rest = two_sum(z, m)
    sound = (z > 0) & (c > 0)

    def rising(i: NDArray[np.intp]) -> F64:
        return 1 / beta_times(z[i], m[i], 1 / _gamma(m[i]))

    def falling(i: NDArray[np.intp]) -> F64:
        # By B(z + m, -m), whose z is then z less what z + m is rounded by.
        found = beta_times(c[i], -m[i], 1 / _gamma(-m[i]))
        slope = _difference(c[i], -m[i], 0)
        return np.asarray(found * (1 + rest[i] * slope))

    return chosen(
        z.size,
        (sound & (m > 0), rising),
        (sound & (m < 0), falling),
        (~sound, lambda i: _poch_beyond(z[i], m[i])),
        (m == 0, lambda i: np.ones(i.size)),
    )


def _poch_beyond(z: F64, m: F64) -> F64:
    """For z or z + m not positive: Gamma of what is not by 5.5.3."""
    c, rest = two_sum(z, m)
    turn = np.where(np.mod(m, 2) == 0, 1.0, -1.0)
    whole = m == np.rint(m)
    in_z, in_c = sine_over_pi(z), sine_over_pi(c, rest)

    def both(i: NDArray[np.intp]) -> F64:
        sign = np.where(whole[i], turn[i], in_z[i] / in_c[i])
        return sign * _poch((1 - c[i]) - rest[i], m[i])

    return chosen(
        z.size,
        ((z <= 0) & (c <= 0) & np.isfinite(z), both),
        ((z <= 0) & (c > 0), lambda i: _gamma(c[i]) * in_z[i] * _gamma(1 - z[i])),
        ((z > 0) & (c <= 0), lambda i: 1 / (in_c[i] * _gamma(1 - c[i]) * _gamma(z[i]))),
    )


def _betaln(a: F64, b: F64) -> F64:
    a, b = np.minimum(a, b), np.maximum(a, b)
    positive = a > 0
    by_value = _beta(a, b)
    size = np.abs(by_value)
    usable = (size > 1e-290) & (size < 1e290) & (np.abs(a) > 1e-280)
    rest = positive & ~usable
    found = chosen(
        a.size,
        (usable, lambda i: np.log(size[i])),
        (rest & (a < 1e-200), lambda i: np.log1p(a[i] / b[i]) - np.log(a[i])),
        (rest & (a >= 1e-200) & (a < 10), lambda i: _betaln_mixed(a[i], b[i])),
        (rest & (a >= 10), lambda i: _betaln_large(a[i], b[i])),
        ((a <= 0) & ~usable, lambda i: _betaln_beyond(a[i], b[i])),
        (positive & (b == np.inf), lambda i: np.full(i.size, -np.inf)),
        (positive & (a == 1), lambda i: 0.0 - np.log(b[i])),  # B(1, b) = 1 / b
        (positive & (b == 1), lambda i: 0.0 - np.log(a[i])),
    )
    cancelled = positive & (np.abs(found) < 0.3) & (a != 1) & (b != 1)
    return wide.mended(found, cancelled, lambda i: _betaln_again(a[i], b[i]))


def _betaln_again(a: F64, b: F64) -> F64:
    """Next to zeros, for a <= b; for large b by log Gamma(a) - a log(b) - a (a - 1) / (2 b)."""
    p, q = wide.pair(a), wide.pair(b)
    first, second, both = wide.together(wide_gamma.log_gamma, p, q, wide.total(a, b))
    rest = wide.subtract(both, second)
    far = wide.add(wide.multiply(p, wide.log(q)), wide.pair(0.5 * a * (a - 1) / b))
    return wide.subtract(first, wide.choose(b > 1e10, far, rest)).value()


def _betaln_beyond(a: F64, b: F64) -> F64:
    """For a <= 0."""
    inside = (a < 0) & np.isfinite(a) & np.isfinite(b)
    pole = inside & (is_pole(a) | is_pole(b))

    def by_reflection(i: NDArray[np.intp]) -> F64:
        first, second, sines, over = reflected(a[i], b[i])
        return np.log(np.abs(sines)) + np.where(over, -1.0, 1.0) * _betaln(first, second)

    def by_limit(i: NDArray[np.intp]) -> F64:
        sign, p, q = limit_at_pole(a[i], b[i])
        return np.log(np.abs(sign)) + _betaln(p, q)

    return chosen(
        a.size,
        (inside & ~pole, by_reflection),
        (pole, by_limit),
        ((a == 0) & (b < np.inf), lambda i: np.full(i.size, np.inf)),
        ((a > -np.inf) & (a < 0) & (b == np.inf), lambda i: np.full(i.size, np.inf)),
    )


def _betaln_mixed(a: F64, b: F64) -> F64:
    series = stirling(b) - stirling(a + b)
    found = gammaln(a) + series - (b - 0.5) * np.log1p(a / b) - a * (np.log(a + b) - 1)
    return np.asarray(found)


def _betaln_large(a: F64, b: F64) -> F64:
    """All terms but the first line have one sign."""
    ratio = a / b
    c = a + b
    series = stirling(a) + stirling(b) - stirling(c) + _HALF_LOG_TWO_PI - 0.5 * np.log(a)
    return series + 0.5 * np.log1p(ratio) - b * np.log1p(ratio) - a * np.log1p(b / a)


# --- differences of polygamma functions ----------------------------------------------------------
# B(2j) for j = 1 to 9 (Bernoulli numbers; DLMF 24.2).
BERNOULLI: Final = (
    1 / 6,
    -1 / 30,
    1 / 42,
    -1 / 30,
    5 / 66,
    -691 / 2730,
    7 / 6,
    -3617 / 510,
    43867 / 798,
)


def _difference(a: F64, b: F64, n: int) -> F64:
    sound = (a > 0) & (a + b > 0)
    forward = sound & (b >= 0)
    backward = sound & (b < 0)
    return chosen(
        a.size,
        (forward, lambda i: _positive(a[i], b[i], n)),
        (backward, lambda i: -_positive(a[i] + b[i], -b[i], n)),
        (~sound, lambda i: polygamma(n, a[i]) - polygamma(n, a[i] + b[i])),
    )


def _power_difference(u: F64, b: F64, p: int) -> F64:
    """u**-p - (u + b)**-p for u > 0, b >= 0."""
    return np.asarray(np.power(u, -float(p)) * -np.expm1(-p * np.log1p(b / u)))


def _positive(a: F64, b: F64, n: int) -> F64:
    p = n + 1
    short = np.maximum(np.ceil(n + 12 - a), 0)
    w = a + short
    # The sum over k of (a + k)**-p - (a + k + b)**-p.
    total = np.log1p(b / w) if n == 0 else _power_difference(w, b, n) / n
    total = total + 0.5 * _power_difference(w, b, p)
    for j, bernoulli in enumerate(BERNOULLI, 1):
        rising = math.factorial(n + 2 * j - 1) / math.factorial(n)
        factor = bernoulli * rising / math.factorial(2 * j)
        total = total + factor * _power_difference(w, b, n + 2 * j)
    lost = np.zeros_like(total)  # what the sums are rounded by
    for k in reversed(range(int(short.max()))):
        u = a + k
        if n == 0:
            term = (b / (u + b)) / u  # neither product overflows
            term = np.where(np.isinf(b), 1 / u, term)
        else:
            term = _power_difference(u, b, p)
        total, rest = two_sum(total, np.where(short > k, term, 0.0))
        lost = lost + rest
    sign = 1.0 if n % 2 else -1.0
    return sign * math.factorial(n) * (total + lost)
