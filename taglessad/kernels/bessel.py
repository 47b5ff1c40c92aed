"""Modified Bessel functions of the first kind, plain and exponentially scaled, with derivatives.

Poisson's integral (DLMF 10.32.2): I_n(x) is x**n / (pi (2n - 1)!!) times the integral over
[0, pi] of sin(t)**(2n) exp(x cos t), whose integrand is positive and periodic, so that the
trapezoidal rule converges faster than any power of the step.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.blocks import weighted
from taglessad.kernels.erf import F64, Float, piecewise, pointwise, polynomial

LARGE: Final = 24.0
ANGLES: Final[F64] = np.asarray((np.arange(40) + 0.5) * (np.pi / 40), np.float64)
STEP: Final = 0.35
STEPS: Final[F64] = np.asarray((np.arange(20) + 0.5) * STEP, np.float64)


def bessel_i(x: NDArray[Float] | Float, n: int) -> NDArray[Float]:
    """I_n(x) for an integer n >= 0; dtype as x."""
    return pointwise(lambda x: _plain(n, x), x)


def bessel_i_scaled(x: NDArray[Float] | Float, n: int, m: int) -> NDArray[Float]:
    """The m-th derivative of I_n(x) exp(-x) for n = 0 or 1 and x >= 0; dtype as x.

    NaN for negative x. With M_k the mean over the circle of (1 - cos t)**k exp(-x (1 - cos t)) it is
    M_m for n = 0 and M_m - M_(m+1) for n = 1, times (-1)**m. Near the zeros of the first two
    derivatives for n = 1 it is by a polynomial.
    """
    return pointwise(lambda x: _derivative(n, m, x), x)


def _plain(n: int, x: F64) -> F64:
    size = np.abs(x)
    sign = np.where((x < 0) & (n % 2 == 1), -1.0, 1.0)
    # exp in two factors: the integral is small where exp alone overflows.
    half = np.exp(0.5 * np.minimum(size, 1400.0))
    value = half * (_mean(n, 0, np.minimum(size, 1400.0)) * _power(size, n)) * half
    return np.where(size == np.inf, np.inf, value) * sign


def _power(x: F64, n: int) -> F64:
    return np.power(x, float(n)) if n else np.ones_like(x)


_FIRST: Final = (
    -0.050026009428196336,
    0.05270624306827756,
    -0.03294765027144757,
    0.015214710546345076,
    -0.005637298635904507,
    0.0017519744494522984,
    -0.0004698272352215132,
    0.00011090891073942432,
    -2.3394008755038368e-05,
    4.460956641284916e-06,
    -7.762965849585798e-07,
    1.2424514145628436e-07,
    -1.840858273435205e-08,
    2.5390463816098993e-09,
    -3.2758110533642436e-10,
    3.970030151621581e-11,
    -4.537023709674978e-12,
    4.903616335981939e-13,
    -5.0033621334138653e-14,
    4.884125277344034e-15,
    -5.007119301729177e-16,
    4.4160962736702643e-17,
)
_SECOND: Final = (
    0.009285436124712632,
    -0.010021188716710068,
    0.006254141202074305,
    -0.0028632900399803317,
    0.0010505167560518054,
    -0.00032347256588231355,
    8.603567786877785e-05,
    -2.0165281837502176e-05,
    4.227274063829925e-06,
    -8.017934150131261e-07,
    1.3888165498831606e-07,
    -2.213777862245634e-08,
    3.2683296856072347e-09,
    -4.4937271100433835e-10,
    5.781483682625326e-11,
    -6.989163190634894e-12,
    7.967977590196128e-13,
    -8.594678039366099e-14,
    8.799699376191201e-15,
    -8.5680199114263295e-16,
    7.893161137856079e-17,
    -7.01303885766692e-18,
    6.743403705765334e-19,
    -5.449025133291389e-20,
)
# Of the first and second derivative of I_1(x) exp(-x): its zero, in two parts; how far from it the
# polynomial goes; and the coefficients of the quotient by the distance from the zero, which equals
# it at Chebyshev nodes. Computed with mpmath at 60 digits.
NEAR_ZERO: Final = {
    1: ((1.5451272579925426, 1.0630756383046672e-16), 1.5, _FIRST),
    2: ((2.781492935347947, -9.215242391717268e-17), 1.75, _SECOND),
}


def _derivative(n: int, m: int, x: F64) -> F64:
    if n == 0:
        return (-1.0) ** m * _mean(0, m, x)

    def plain(x: F64) -> F64:
        return (-1.0) ** m * (_mean(0, m, x) - _mean(0, m + 1, x))

    if m == 0:
        return piecewise(x, (x < 8, lambda x: x * _mean(1, 0, x)), (x >= 8, plain))
    if m not in NEAR_ZERO:
        return plain(x)
    (zero, rest), reach, coefficients = NEAR_ZERO[m]
    near = np.abs(x - zero) < reach

    def by_polynomial(x: F64) -> F64:
        shift = (x - zero) - rest
        return shift * polynomial(coefficients, shift)

    return piecewise(x, (near, by_polynomial), (~near, plain))


def _mean(n: int, m: int, x: F64) -> F64:
    """The mean over the circle of (1 - cos t)**m sin(t)**(2 n) exp(-x (1 - cos t)) / (2 n - 1)!!"""
    total = piecewise(
        x,
        ((x >= 0) & (x <= LARGE), lambda x: _small(n, m, x)),
        ((x > LARGE) & (x < np.inf), lambda x: _large(n, m, x)),
        (x == np.inf, lambda x: np.zeros_like(x)),
    )
    return total / math.prod(range(1, 2 * n, 2))


def _small(n: int, m: int, x: F64) -> F64:
    """The mean over the circle of (1 - cos t)**m sin(t)**(2 n) exp(-x (1 - cos t))."""
    rest = 2 * np.sin(ANGLES / 2) ** 2  # 1 - cos t
    weight = rest**m * np.sin(ANGLES) ** (2 * n) / ANGLES.size
    return weighted(np.exp(-x[:, None] * rest), weight)


def _large(n: int, m: int, x: F64) -> F64:
    """The same with 1 - cos t = z*z / x: the integrand is nearly that of a normal distribution.

    sin(t)**2 is s (2 - s) and dt is 2 dz / sqrt(x (2 - s)), for s = z*z / x.
    """
    square = STEPS * STEPS
    s = np.minimum(square / x[:, None], 2.0)
    rest = 2 - s
    form = s ** (m + n) * np.where(rest > 0, rest, 1.0) ** (n - 0.5) * (rest > 0)
    return weighted(form, np.exp(-square) * (2 * STEP / np.pi)) / np.sqrt(x)
