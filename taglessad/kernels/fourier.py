"""Kernels of the discrete Fourier transform of real numbers, in the operand's dtype."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # Any: the dtype is data


def rfft(x: Array, axis: int) -> tuple[Array, Array]:
    """Real and imaginary parts of the first n // 2 + 1 entries of the spectrum."""
    if x.size == 0:
        half = (*x.shape[:axis], x.shape[axis] // 2 + 1, *x.shape[axis + 1 :])
        return np.zeros(half, x.dtype), np.zeros(half, x.dtype)
    spectrum = np.fft.rfft(x, axis=axis)
    return spectrum.real.astype(x.dtype), spectrum.imag.astype(x.dtype)


def rfft_transpose(re: Array, im: Array, n: int, axis: int) -> tuple[Array]:
    """The sum over the half spectrum; NumPy's inverse takes inner entries for two, itself and its
    conjugate."""
    shape = (*re.shape[:axis], n, *re.shape[axis + 1 :])
    if re.size == 0 or n == 0:
        return (np.zeros(shape, re.dtype),)
    inner = slice(1, (n + 1) // 2)
    weights = np.ones(re.shape[axis], np.float32)
    weights[inner] = 0.5
    weights = weights.reshape((-1, *(1,) * (re.ndim - axis - 1)))
    spectrum = weights * re.astype(np.result_type(re, np.float32)) + 1j * (weights * im)
    y = np.fft.irfft(spectrum, n, axis=axis, norm="forward")
    return (y.astype(re.dtype),)
