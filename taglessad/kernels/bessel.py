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
from taglessad.kernels.erf import F64, Float, piecewise, pointwise

_LARGE: Final = 24.0
_ANGLES: Final[F64] = np.asarray((np.arange(40) + 0.5) * (np.pi / 40), np.float64)
_STEP: Final = 0.35
_STEPS: Final[F64] = np.asarray((np.arange(20) + 0.5) * _STEP, np.float64)


def bessel_i(x: NDArray[Float] | Float, n: int) -> NDArray[Float]:
    """I_n(x) for an integer n >= 0; dtype as x."""
    return pointwise(lambda x: _plain(n, x), x)


def bessel_i_scaled(x: NDArray[Float] | Float, n: int, m: int) -> NDArray[Float]:
    """The m-th derivative of the smooth part of I_n(x) exp(-x), I_n(x) exp(-x) / x**n; x >= 0.

    dtype as x. NaN for negative x.
    """
    return pointwise(lambda x: _scaled(n, m, x), x)


def _plain(n: int, x: F64) -> F64:
    size = np.abs(x)
    sign = np.where((x < 0) & (n % 2 == 1), -1.0, 1.0)
    # exp in two factors: the integral is small where exp alone overflows.
    half = np.exp(0.5 * np.minimum(size, 1400.0))
    value = half * (_scaled(n, 0, np.minimum(size, 1400.0)) * _power(size, n)) * half
    return np.where(size == np.inf, np.inf, value) * sign


def _power(x: F64, n: int) -> F64:
    return np.power(x, float(n)) if n else np.ones_like(x)


def _scaled(n: int, m: int, x: F64) -> F64:
    sign = 1.0 if m % 2 == 0 else -1.0
    odd = math.prod(range(1, 2 * n, 2))
    total = piecewise(
        x,
        ((x >= 0) & (x <= _LARGE), lambda x: _small(n, m, x)),
        ((x > _LARGE) & (x < np.inf), lambda x: _large(n, m, x)),
        (x == np.inf, lambda x: np.zeros_like(x)),
    )
    return sign / odd * total


def _small(n: int, m: int, x: F64) -> F64:
    """The mean over the circle of (1 - cos t)**m sin(t)**(2 n) exp(-x (1 - cos t))."""
    rest = 2 * np.sin(_ANGLES / 2) ** 2  # 1 - cos t
    weight = rest**m * np.sin(_ANGLES) ** (2 * n) / _ANGLES.size
    return weighted(np.exp(-x[:, None] * rest), weight)


def _large(n: int, m: int, x: F64) -> F64:
    """The same with 1 - cos t = z*z / x: the integrand is nearly that of a normal distribution.

    sin(t)**2 is s (2 - s) and dt is 2 dz / sqrt(x (2 - s)), for s = z*z / x.
    """
    square = _STEPS * _STEPS
    s = np.minimum(square / x[:, None], 2.0)
    rest = 2 - s
    form = s ** (m + n) * np.where(rest > 0, rest, 1.0) ** (n - 0.5) * (rest > 0)
    return weighted(form, np.exp(-square) * (2 * _STEP / np.pi)) / np.sqrt(x)
