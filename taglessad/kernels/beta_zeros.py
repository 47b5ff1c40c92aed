"""Derivatives of beta functions and binomial coefficients where 1 / Gamma of a sum has a zero.

There a logarithm's derivatives are infinite: they are taken of the product, whose factors Gamma and
1 / Gamma have derivatives of their own.
"""

import math

import numpy as np

from taglessad.kernels.beta_reflection import is_pole
from taglessad.kernels.erf import F64
from taglessad.kernels.gamma import polygamma
from taglessad.kernels.gamma_function import gamma


def beta_at_zero(a: F64, b: F64, m: int, n: int) -> F64:
    """The m-th derivative in a and n-th in b of B(a, b), where a + b is a pole and they are none."""
    first, second, inverse = _gamma(a, m), _gamma(b, n), _reciprocal(a + b, m + n)
    total = np.zeros_like(a)
    for i in range(m + 1):
        for j in range(n + 1):
            times = math.comb(m, i) * math.comb(n, j)
            total = total + times * first[m - i] * second[n - j] * inverse[i + j]
    return total


def binom_at_zero(n: F64, k: F64, i: int, j: int) -> F64:
    """The i-th derivative in n and j-th in k of Gamma(n + 1) / Gamma(k + 1) / Gamma(n - k + 1)."""
    whole, below, above = _gamma(n + 1, i), _reciprocal(k + 1, j), _reciprocal(n - k + 1, i + j)
    total = np.zeros_like(n)
    for r in range(i + 1):
        for s in range(j + 1):
            times = math.comb(i, r) * math.comb(j, s) * (-1.0) ** s
            total = total + times * whole[i - r] * below[j - s] * above[r + s]
    return total


def _of_exponential(value: F64, slopes: list[F64]) -> list[F64]:
    """exp(f), from its value and the derivatives of f, and as many derivatives of it."""
    found = [value]
    for m in range(len(slopes)):
        terms = (math.comb(m, k) * slopes[k] * found[m - k] for k in range(m + 1))
        found.append(np.asarray(sum(terms)))
    return found


def _gamma(x: F64, order: int) -> list[F64]:
    """Gamma and its derivatives, up to an order."""
    return _of_exponential(gamma(x), [polygamma(k, x) for k in range(order)])


def _reciprocal(x: F64, order: int) -> list[F64]:
    """1 / Gamma and its derivatives, up to an order.

    At a pole -n by sin(pi e) / pi times Gamma(1 + n - e), the sign of (-1)**n left out (DLMF 5.5.3).
    """
    pole = is_pole(x)
    inside = np.where(pole, 1.0, x)
    plain = _of_exponential(1 / gamma(inside), [-polygamma(k, inside) for k in range(order)])
    mirrored = _gamma(np.where(pole, 1 - x, 1.0), order)
    sign = np.where(np.mod(x, 2) == 0, 1.0, -1.0)
    found = []
    for k in range(order + 1):
        terms = (
            math.comb(k, j)
            * (-1) ** (j // 2)
            * math.pi ** (j - 1)
            * (-1.0) ** (k - j)
            * mirrored[k - j]
            for j in range(1, k + 1, 2)
        )
        found.append(np.where(pole, sign * sum(terms, np.zeros_like(x)), plain[k]))
    return found
