"""sin(pi x) / (pi x) and its derivatives, a few units in the last place next to their zeros too."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels import double_double as wide
from taglessad.kernels.blocks import NODES, WEIGHTS, weighted
from taglessad.kernels.double_double import Pair, Series
from taglessad.kernels.erf import F64, Float, piecewise, pointwise

_PANEL: Final = 32  # the quadrature's points are enough for a cosine of 32 t from 0 to 1
_SERIES: Final = 25  # the orders up to which the power series keeps enough digits


def sinc(x: NDArray[Float] | Float, m: int) -> NDArray[Float]:
    """The m-th derivative of sin(pi x) / (pi x); 1 at 0 for m = 0, NaN at infinities.

    dtype as x. From x f = sin(pi x) / pi, whose sine is that of the distance to the next integer;
    where that loses digits, for small x, by quadrature of pi**m t**m cos(pi x t + m pi / 2) over
    [0, 1]. Where either nearly cancels, again with two float64 for each number.
    """
    return pointwise(_value if m == 0 else lambda x: _derivative(m, x), x)


def _value(x: F64) -> F64:
    r = x - np.rint(x)
    sine = np.where(np.rint(x) % 2 == 0, 1.0, -1.0) * np.sin(np.pi * r)
    return np.where(x == 0, 1.0, sine / np.pi / np.where(x == 0, 1.0, x))


def _derivative(m: int, x: F64) -> F64:
    near = np.abs(x) < max(1.0, m / math.pi)
    linear = (np.abs(x) < 1e-9) & bool(m % 2)  # where x is subnormal, so are terms of the integral
    slope = _sign(m) * math.pi ** (m + 1) / (m + 2)
    return piecewise(
        x,
        (linear, lambda x: slope * x),
        (near & ~linear, lambda x: _by_quadrature(m, x)),
        (~near & np.isfinite(x), lambda x: _by_recurrence(m, x)),
    )


def _sign(m: int) -> float:
    """Of the m-th derivative of the cosine, in the cosine or sine."""
    return -1.0 if (m + 1) // 2 % 2 else 1.0


# --- for large arguments ---------------------------------------------------------------------------
def _turn(m: int, x: F64) -> tuple[F64, F64]:
    """sin(pi x + m pi / 2) is the first times the sine, or cosine, of pi times the second."""
    whole = np.rint(x)
    sign = np.where(whole % 2 == 0, 1.0, -1.0) * (-1.0 if m % 4 > 1 else 1.0)
    return sign, x - whole


def _sine(m: int, x: F64) -> F64:
    """sin(pi x + m pi / 2)."""
    sign, r = _turn(m, x)
    return np.asarray(sign * np.sin(np.pi * (0.5 - np.abs(r) if m % 2 else r)))


def _wide_sine(m: int, x: F64) -> Pair:
    sign, r = _turn(m, x)
    return wide.scaled((wide.cosine_of_pi if m % 2 else wide.sine_of_pi)(wide.pair(r)), sign)


def _by_recurrence(m: int, x: F64) -> F64:
    """x f_k + k f_{k-1} = pi**(k - 1) sin(pi x + k pi / 2)."""
    found, largest = _sine(0, x) / np.pi / x, np.zeros_like(x)
    for k in range(1, m + 1):
        first, second = np.pi ** (k - 1) * _sine(k, x), k * found
        largest = np.maximum(np.abs(first), np.abs(second))
        found = (first - second) / x
    cancelled = np.abs(found * x) < wide.KEPT * largest
    return wide.mended(found, cancelled, lambda i: _recurrence_again(m, x[i]))


def _recurrence_again(m: int, x: F64) -> F64:
    pi, at = wide.constant(wide.PI, x), wide.pair(x)
    factor = wide.divide(wide.constant(Fraction(1), x), pi)
    found = wide.divide(wide.multiply(factor, _wide_sine(0, x)), at)
    for k in range(1, m + 1):
        factor = wide.multiply(factor, pi)
        second = wide.multiply(found, wide.constant(Fraction(k), x))
        found = wide.divide(wide.subtract(wide.multiply(factor, _wide_sine(k, x)), second), at)
    return found.value()


# --- for small ones --------------------------------------------------------------------------------
def _by_quadrature(m: int, x: F64) -> F64:
    z = np.pi * np.abs(x)
    panels = 1 + m // _PANEL
    found = np.zeros_like(x)
    for panel in range(panels):
        t = (panel + NODES) / panels
        angle = z[:, None] * t
        wave = np.sin(angle) if m % 2 else np.cos(angle)
        found = found + weighted(t**m * wave, WEIGHTS) / panels
    # For odd orders it is next to 0 about a multiple of x.
    largest = np.minimum(z / (m + 2), 1.0 / (m + 1)) if m % 2 else np.full_like(x, 1.0 / (m + 1))
    if m <= _SERIES:
        cancelled = np.abs(found) < wide.KEPT * largest
        found = wide.mended(found, cancelled, lambda i: _series_again(m, x[i]))
    sign = _sign(m) * (np.copysign(1.0, x) if m % 2 else 1.0)
    return np.asarray(sign * math.pi**m * found)


def _series_again(m: int, x: F64) -> F64:
    """The power series of the cosine or sine, integrated; of a sum of size 1 at least 1e-18."""
    z = wide.multiply(wide.pair(np.abs(x)), wide.constant(wide.PI, x))
    odd = m % 2
    found = wide.horner(_cosine_series(m), wide.multiply(z, z))
    return (wide.multiply(found, z) if odd else found).value()


@lru_cache
def _cosine_series(m: int) -> Series:
    terms = [
        Fraction((-1) ** (k // 2), math.factorial(k) * (k + m + 1))
        for k in range(m % 2, 40 + 4 * m, 2)
    ]
    return wide.series(terms, 9 + 2 * m)
