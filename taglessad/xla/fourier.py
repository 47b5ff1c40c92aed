"""Discrete Fourier transforms of real numbers on XLA: complex numbers stay inside."""

from collections.abc import Callable
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

# Any: arrays and tracers, in dtypes that are data.


def _rfft(x: Any, axis: int) -> tuple[Any, Any]:
    """Real and imaginary parts of the first n // 2 + 1 entries of the spectrum."""
    if x.size == 0:
        half = (*x.shape[:axis], x.shape[axis] // 2 + 1, *x.shape[axis + 1 :])
        return jnp.zeros(half, x.dtype), jnp.zeros(half, x.dtype)
    spectrum = jnp.fft.rfft(x.astype(jnp.promote_types(x.dtype, np.float32)), axis=axis)
    return lax.real(spectrum).astype(x.dtype), lax.imag(spectrum).astype(x.dtype)


def _rfft_transpose(re: Any, im: Any, n: int, axis: int) -> tuple[Any]:
    """The inverse takes inner entries for two, and of the outer ones the real part alone."""
    shape = (*re.shape[:axis], n, *re.shape[axis + 1 :])
    if re.size == 0 or n == 0:
        return (jnp.zeros(shape, re.dtype),)
    dtype = jnp.promote_types(re.dtype, np.float32)
    inner = np.zeros((n // 2 + 1, *(1,) * (re.ndim - axis - 1)), dtype)
    inner[1 : (n + 1) // 2] = 0.5
    outer = np.where(inner == 0, np.ones_like(inner), 0)
    spectrum = lax.complex(re.astype(dtype) * (inner + outer), im.astype(dtype) * inner)
    return (jnp.fft.irfft(spectrum, n, axis=axis, norm="forward").astype(re.dtype),)


KERNELS: Final[dict[str, Callable[..., Any]]] = {
    "rfft": _rfft,
    "rfft_transpose": _rfft_transpose,
}
