"""The logarithm of the gamma function and its derivatives, to a few units in the last place."""

import math
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from taglessad.errors import DomainError
from taglessad.kernels import double_double as wide
from taglessad.kernels import gamma_zeros, wide_gamma
from taglessad.kernels.erf import F64, Float, piecewise, pointwise, polynomial


def gammaln(x: NDArray[Float] | Float) -> NDArray[Float]:
    """log|Gamma(x)| of every real x: +inf at 0, -1, -2, ... and at both infinities.

    Any shape; float16, float32 or float64, which the result keeps. For x > 0 within 5 ulp, its
    zeros at 1 and 2 included; for x < 0 within 8 ulp, or 2e-30 next to its zeros: each interval below
    -2 has two of them.
    NIST DLMF 5.11.1 (Stirling's series), 5.5.1 (recurrence), 5.5.3 (reflection).
    """
    return pointwise(_gammaln, x)


def digamma(x: NDArray[Float] | Float) -> NDArray[Float]:
    """The derivative of log Gamma: NaN at -1, -2, ... and at -inf, -inf at +0.0, +inf at -0.0.

    Any shape; float16, float32 or float64, which the result keeps. For x > 0 within 4 ulp, its
    zero at 1.4616 included; for x < 0 within 8 ulp, or 2e-31 next to its zeros.
    NIST DLMF 5.11.2 (asymptotic series), 5.5.2 (recurrence), 5.5.4 (reflection).
    """
    return pointwise(_digamma, x)


def polygamma(n: int, x: NDArray[Float] | Float) -> NDArray[Float]:
    """The n-th derivative of digamma, n >= 0: n = 0 is digamma, n = 1 trigamma.

    Any shape; float16, float32 or float64, which the result keeps. At the poles 0, -1, -2, ...
    +inf for odd n and, as the sign depends on the side, NaN for even n >= 2; NaN at -inf.
    For x > 0, and for x < 0 with odd n, within 5 ulp up to n = 2000, beyond which the error grows
    in proportion to n. For x < 0 with even n it is as small up to n = 100; above it is so against
    n!/d**(n + 1), d being the distance to the nearest pole, and grows near the zeros.
    DomainError if n is negative. NIST DLMF 5.15.1 and 25.11.1 (Hurwitz's zeta function).
    """
    if n < 0:
        raise DomainError(f"polygamma: the order n is {n}; give an integer >= 0")
    if n == 0:
        return digamma(x)
    return pointwise(lambda x: _polygamma(n, x), x)


# All coefficients were computed for this file with mpmath at 60 digits: the polynomial that equals
# the function at the Chebyshev nodes of the interval. On [0, 2] it differs from the function by
# less than 1e-17, relatively; the two corrections for x >= 3 add less than that to the result.

# (z + 3) log Gamma(1 + z) / (z (z - 1)) in (z - 1/2)/(z + 3), for z from 0 to 2.
GAMMALN_1P: Final = (
    1.690951326893433,
    -0.09705739805681712,
    0.8122601980649385,
    -0.27932579036105776,
    0.752105877719676,
    -0.47417015133148666,
    0.87180325713186,
    -0.7437840590760239,
    1.1412190810802108,
    -1.1505875753311823,
    1.6098139382884906,
    -1.7861600413155947,
    2.381377418368565,
    -2.7888674283584,
    3.6615388738610424,
    -4.620330911648479,
    5.990155645110603,
    -5.767560668471582,
    3.0141892541347555,
)

# x times what Stirling's formula lacks, in 1/x**2, for x >= 3.
STIRLING: Final = (
    0.0833333333333333,
    -0.0027777777777198706,
    0.0007936507724234001,
    -0.0005952350113112579,
    0.0008415163777858682,
    -0.0019068288106201836,
    0.006092364432833375,
    -0.02302338844429486,
    0.08133071990854517,
    -0.20709329589425074,
    0.2618085205705701,
)

# (z + 2) digamma(1 + z) / (z - zero) in (z - 1/2)/(z + 2), for z from 0 to 2.
DIGAMMA_1P: Final = (
    2.377639690079582,
    -0.2700316929295457,
    0.8407732403236359,
    -0.08701281695472678,
    0.4257854507917088,
    0.016877663246849826,
    0.24323810953646025,
    0.05847541004077601,
    0.15577373900976893,
    0.07047895516831074,
    0.11080203539166167,
    0.07023552500750982,
    0.0857489145757667,
    0.06598288452739652,
    0.07109778818542614,
    0.054909350791647486,
    0.06093115189056305,
    0.09494100082181817,
    0.009913173226504285,
    -0.08158309733842913,
    0.3029140882226258,
)

# x**2 (log(x) - 1/(2 x) - digamma(x)) in 1/x**2, for x >= 3.
DIGAMMA_LARGE: Final = (
    0.08333333333333326,
    -0.008333333333142599,
    0.003968253884920007,
    -0.004166652178646998,
    0.0075744306086236645,
    -0.021019164889936607,
    0.08064047381714766,
    -0.3743004483234824,
    1.7458633310487912,
    -6.706333942206265,
    17.261883206376872,
    -21.29861247499435,
)

# The zero of digamma(1 + z), in two parts.
ZERO: Final = (0.46163214496836236, -1.5522348162858677e-17)

_HALF_LOG_TWO_PI: Final = 0.9189385332046728

# Up to this order of polygamma what cancels is taken again with two float64 for each number.
_WIDE_ORDERS: Final = 100
# Where less than this is left of a term it is taken again: the terms are exact to about 2 ulp.
_KEPT: Final = 0.35


def _is_pole(x: F64) -> NDArray[np.bool_]:
    pole: NDArray[np.bool_] = (x <= 0) & (x == np.rint(x))
    return pole


def _gammaln(x: F64) -> F64:
    pole = _is_pole(x)
    return piecewise(
        x,
        (x >= 3, _gammaln_large),
        ((x >= 1) & (x < 3), lambda x: gammaln_1p(x - 1)),
        ((x > 0) & (x < 1), lambda x: gammaln_1p(x) - np.log(x)),
        ((x < 0) & ~pole, _gammaln_negative),
        (pole, lambda x: np.full_like(x, np.inf)),
    )


def gammaln_1p(z: F64) -> F64:
    """log Gamma(1 + z) for z from 0 to 2."""
    return z * (z - 1) * (polynomial(GAMMALN_1P, (z - 0.5) / (z + 3)) / (z + 3))


def _gammaln_large(x: F64) -> F64:
    correction = stirling(x)
    logarithm: F64 = np.log(x)
    # log(x) - 1 comes first: (x - 1/2) log(x) - x would cancel.
    return (x - 0.5) * (logarithm - 1) + (_HALF_LOG_TWO_PI - 0.5 + correction)


def stirling(x: F64) -> F64:
    """What Stirling's formula for log Gamma(x) lacks, for x >= 3."""
    inverse = 1 / x
    return inverse * polynomial(STIRLING, inverse * inverse)


def _gammaln_negative(x: F64) -> F64:
    r = x - np.rint(x)
    sine = np.abs(r) * np.sinc(r)  # |sin(pi x)|/pi, right for subnormal r too
    z = -x
    # Gamma(1 + z), taken as z Gamma(z) where rounding 1 + z would count.
    sine *= np.maximum(z, 1)
    turned, factorial = -np.log(sine), piecewise(z, (z < 1, gammaln_1p), (z >= 1, _gammaln))
    found = turned - factorial
    cancelled = np.abs(found) < wide.KEPT * np.abs(turned)
    known = (x > gamma_zeros.LOG_GAMMA_REACH) & (x < -2)
    near = known & (np.abs(found) < np.maximum(0.75 * np.abs(turned), 1))
    found = wide.mended(found, near, lambda i: gamma_zeros.log_gamma_about_zero(x[i]))
    return wide.mended(found, cancelled & ~known, lambda i: _gammaln_again(x[i]))


def _gammaln_again(x: F64) -> F64:
    return wide_gamma.log_gamma_reflected(wide.pair(x)).value()


def _digamma(x: F64) -> F64:
    return piecewise(
        x,
        (x >= 3, _digamma_large),
        ((x >= 1) & (x < 3), lambda x: _digamma_1p(x - 1)),
        ((x > 0) & (x < 1), lambda x: _digamma_1p(x) - 1 / x),
        (x == 0, lambda x: -1 / x),
        ((x < 0) & ~_is_pole(x), _digamma_negative),
    )


def _digamma_1p(z: F64) -> F64:
    from_zero = (z - ZERO[0]) - ZERO[1]
    return from_zero * (polynomial(DIGAMMA_1P, (z - 0.5) / (z + 2)) / (z + 2))


def _digamma_large(x: F64) -> F64:
    return np.log(x) - log_minus_digamma(x)


def log_minus_digamma(x: F64) -> F64:
    """log(x) - digamma(x) for x >= 3."""
    inverse = 1 / x
    square = inverse * inverse
    return 0.5 * inverse + square * polynomial(DIGAMMA_LARGE, square)


def _digamma_negative(x: F64) -> F64:
    r = x - np.rint(x)
    h = 0.5 - np.abs(r)  # exact where it matters: cos(pi r) = sin(pi h), without cancellation
    cotangent = (np.pi * h * np.sinc(h)) / (r * np.sinc(r))  # pi / tan(pi x)
    z = -x
    factorial = piecewise(z, (z < 2, _digamma_1p), (z >= 2, lambda z: _digamma_large(1 + z)))
    found = factorial - cotangent
    cancelled, known = np.abs(found) < _KEPT * np.abs(factorial), x > gamma_zeros.DIGAMMA_REACH
    near = known & (np.abs(found) < np.abs(factorial))
    found = wide.mended(found, near, lambda i: gamma_zeros.digamma_about_zero(x[i]))
    return wide.mended(found, cancelled & ~known, lambda i: _digamma_again(x[i]))


def _digamma_again(x: F64) -> F64:
    return wide_gamma.digamma_reflected(wide.pair(x)).value()


def _polygamma(n: int, x: F64) -> F64:
    sign = 1.0 if n % 2 else -1.0
    finite = np.isfinite(x)
    pole = _is_pole(x)
    return piecewise(
        x,
        ((x > 0) & finite, lambda x: sign * _scaled(n, x, _zeta(n, x))),
        (x == np.inf, lambda x: np.full_like(x, sign * 0.0)),
        ((x < 0) & ~pole, lambda x: sign * _scaled(n, *_zeta_negative(n, x))),
        (pole & finite, lambda x: np.full_like(x, np.inf if n % 2 else np.nan)),
    )


# B(2j)/(2j)! for j = 1 to 10 (Bernoulli numbers; DLMF 24.2).
_EULER_MACLAURIN: Final = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
    43867 / 5109094217170944000,
    -174611 / 802857662698291200000,
)


def _zeta(n: int, q: F64) -> F64:
    """The sum of (q/(q + k))**p over k >= 0, p = n + 1, that is q**p zeta(p, q), for q > 0.

    The first terms one by one, the others by the Euler-Maclaurin formula (DLMF 25.11.43). The
    terms that are dropped are below exp(-39) of the first.
    """
    p = n + 1
    short = n + 10 - q  # from n + 10 on, ten corrections give full precision for every n
    terms = np.maximum(np.ceil(np.minimum(short, q * np.expm1(39 / p) + 1)), 0)
    total = np.zeros_like(q)
    index = np.flatnonzero(terms >= short)
    total[index] = _decay(p, terms[index], q[index]) * _zeta_rest(n, q[index] + terms[index])
    for k in reversed(range(int(terms.max()))):  # the smallest terms first
        index = np.flatnonzero(terms > k)
        total[index] += _decay(p, k, q[index])
    return total


def _decay(p: int, step: F64 | int, q: F64) -> F64:
    """(q/(q + step))**p. A rounding error in q + step would count p times; here it does not."""
    result: F64 = np.exp(-p * np.log1p(step / q))
    return result


def _zeta_rest(n: int, w: F64) -> F64:
    """w**p zeta(p, w) for w >= n + 10."""
    p = n + 1
    inverse = 1 / w
    square = inverse * inverse
    series = np.full_like(w, _EULER_MACLAURIN[-1])
    for j in reversed(range(1, len(_EULER_MACLAURIN))):
        series *= float((p + 2 * j - 1) * (p + 2 * j)) * square
        series += _EULER_MACLAURIN[j - 1]
    return series * (p * inverse) + 0.5 + w / n


def _zeta_negative(n: int, x: F64) -> tuple[F64, F64]:
    """(a, s) with s/a**p the sum of 1/(x + k)**p over k >= 0, for negative x that is no pole.

    a is the distance to the nearest pole x - r. In the sum over all integers k, which has period 1
    and is pi cot(pi x) differentiated, the terms beyond r are zeta(p, 1 + r) and
    (-1)**p zeta(p, 1 - r); those with k < 0 are (-1)**p zeta(p, 1 - x). So this is the reflection
    formula, DLMF 5.15.6, with nothing that cancels or overflows near a pole.
    """
    p = n + 1
    r = x - np.rint(x)
    a = np.abs(r)
    farther = _decay(p, 1, a) * _zeta(n, 1 + a)
    nearer = _decay(p, 1 - 2 * a, a) * _zeta(n, 1 - a)
    beyond = _decay(p, (1 - x) - a, a) * _zeta(n, 1 - x)
    if p % 2:
        found = np.copysign(1 + farther - nearer, r) + beyond
        cancelled = (np.abs(found) < 0.25) & (n <= _WIDE_ORDERS)
        return a, wide.mended(found, cancelled, lambda i: _odd_again(p, x[i], r[i]))
    return a, 1 + farther + nearer - beyond


def _odd_again(p: int, x: F64, r: F64) -> F64:
    """The sum of `_zeta_negative` for odd p, whose terms around x are opposite at its middle."""
    one, a = np.ones_like(x), np.abs(r)
    sizes = wide.pair(np.tile(a, 3))
    places = wide.total(one, a), wide.total(one, -a), wide.total(one, -x)
    farther, nearer, beyond = wide.together(lambda u: wide_gamma.powers(p, sizes, u), *places)
    around = wide.add(wide.pair(one), wide.subtract(farther, nearer))
    around = wide.scaled(around, np.where(a == 0.5, 0.0, np.copysign(1.0, r)))
    return wide.add(around, beyond).value()


def _scaled(n: int, x: F64, factor: F64) -> F64:
    """n! factor / x**(n + 1), where n! and the power may each be out of range."""
    factorial, e = _factorial(n)
    power, f = _inverse_power(x, n + 1)
    factor, g = np.frexp(factor)
    exponent = np.clip(e + f + g, -4000, 4000).astype(np.intc)
    return np.ldexp(factorial * power * factor, exponent)


@lru_cache
def _factorial(n: int) -> tuple[float, int]:
    """n! as a fraction below 1, correctly rounded, and an exponent of 2."""
    exact = math.factorial(n)
    exponent = exact.bit_length()
    return exact / (1 << exponent), exponent


def _inverse_power(x: F64, p: int) -> tuple[F64, NDArray[np.int64]]:
    """x**-p for finite x > 0 as fractions below 1 and exponents of 2."""
    fraction, shift = np.frexp(x)
    low = fraction < math.sqrt(0.5)
    fraction = np.where(low, 2 * fraction, fraction)  # to [sqrt(1/2), sqrt(2)]
    exponent = (low - shift.astype(np.int64)) * p
    squarings = max(0, (p // 1000).bit_length() - 1)  # the power stays within 2**1000
    power, shift = np.frexp(np.power(fraction, -p / 2**squarings))
    scale = shift.astype(np.int64)
    for _ in range(squarings):
        power, shift = np.frexp(power * power)
        scale = 2 * scale + shift
    return power, exponent + scale
