"""NumPy kernels that no single NumPy function gives: stable, and of the input's dtype."""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # Any: the dtype is data
_DOUBLE: Final = np.dtype(np.float64)
_ONE: Final = np.array(1.0)
_LARGE: Final = math.tanh(1.0)
_MODERATE: Final = _LARGE**2


def integer_pow(x: Array, n: int) -> Array:
    """x**n for an integer n: a NumPy power of the same dtype, squares by one product."""
    if n == 2:
        return np.multiply(x, x)
    dtype = np.asarray(x).dtype
    exponent = float(n) if dtype.kind == "f" else np.asarray(n).astype(dtype)
    y: Array = np.power(x, exponent)
    return y


def pow_int(x: Array, n: Array) -> Array:
    """x**n for an integer array n, in the dtype of x."""
    base = np.asarray(x)
    y: Array = np.power(base, np.asarray(n).astype(base.dtype))
    return y


def exp_neg_square(x: Array) -> Array:
    """exp(-x*x). The square is split in a head of 26 bits, exact, and a tail: rounding x*x would
    cost x*x/2 ulp."""
    wide = np.clip(np.asarray(x, np.float64), -40, 40)  # beyond that the result is 0
    head = wide.astype(np.float32).astype(np.float64)
    head = np.where(np.isfinite(head), head, wide)
    tail = np.where(head == wide, 0.0, (wide - head) * (wide + head))
    return (np.exp(-head * head) * np.exp(-tail)).astype(np.asarray(x).dtype)


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)): exp(-|x|) never overflows, and each tail keeps its relative accuracy."""
    decay = np.exp(-np.abs(x))
    y: Array = np.where(np.less(x, 0), decay, np.ones_like(decay)) / (1 + decay)
    return y


def softplus(x: Array) -> Array:
    """log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|))."""
    y: Array = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return y


def sech_squared(x: Array, out: Array | None = None) -> Array:
    """1 / cosh(x)**2: where cosh overflows the result underflows.

    In float64 by cosh, three kernels. In float32 NumPy's exp is vectorised and its cosh is not, so
    there 4 e / (1 + e)**2 with e = exp(-2 |x|), in two buffers. out: an array to write into.
    """
    if getattr(x, "dtype", _DOUBLE) == _DOUBLE:  # a Python float has none
        slope = np.cosh(x, out)
        slope = np.divide(_ONE, slope, out)  # quicker than reciprocal and than a Python 1
        squared: Array = np.multiply(slope, slope, out)
        return squared
    y: Array = np.asarray(np.abs(x, out))
    np.multiply(y, -2, out=y)
    np.exp(y, out=y)
    denominator: Array = np.asarray(y + 1)
    np.multiply(denominator, denominator, out=denominator)
    np.divide(y, denominator, out=y)
    np.multiply(y, 4, out=y)
    return y


def tanh_slope(x: Array, y: Array, out: Array | None = None) -> Array:
    """1 / cosh(x)**2 where y = tanh(x) is at hand: 1 - y*y, as long as no entry is so large that
    the difference would lose digits. Up to 1 it is the more accurate of the two. It writes into
    `out`, which is neither of the two, or into an array of its own."""
    if y.size:
        # A look at three entries spares most large arrays the look at all of them.
        seen = max(abs(y.item(0)), abs(y.item(y.size // 2)), abs(y.item(-1)))
        if seen > _LARGE:
            return sech_squared(x, out)
    square: Array = np.multiply(y, y, out)
    # argmax is several times quicker than a maximum, and finds a NaN, which is not moderate.
    if square.size and square.item(square.argmax()) <= _MODERATE:
        one = _ONE if square.dtype == _DOUBLE else 1
        return np.subtract(one, square, out=square)
    return sech_squared(x, square)


def summed(x: Array, axes: tuple[int, ...]) -> Array:
    """The sum over axes; float16 is added in float32, since 2048 + 1 is 2048 there."""
    if x.dtype == np.float16:
        return np.add.reduce(x, axes, np.float32).astype(np.float16)  # type: ignore[no-any-return]  # a ufunc's result is Any
    return np.add.reduce(x, axes, x.dtype)  # type: ignore[no-any-return]  # likewise


def logsumexp(x: Array, axes: tuple[int, ...]) -> Array:
    """log of the sum of exp over axes, the largest entry taken out first."""
    if np.size(x) == 0:
        empty: Array = np.log(np.sum(np.exp(x), axis=axes))
        return empty
    top = np.max(x, axis=axes, keepdims=True)
    # An infinite maximum is the answer itself; subtracting it would give NaN.
    shift: Array = np.where(np.isfinite(top), top, np.zeros_like(top))
    total: Array = np.log(np.sum(np.exp(x - shift), axis=axes, keepdims=True)) + shift
    return np.squeeze(total, axis=axes)
