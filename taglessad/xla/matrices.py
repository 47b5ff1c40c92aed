"""Functions of matrices on XLA: batched; NaN where a factorisation does not exist."""

from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import linalg as scipy_linalg

from taglessad.xla.cofactor import cofactor

# Any: arrays and tracers, in dtypes that are data.
Kernel = Callable[..., Any]


def _narrow(kernel: Kernel) -> Kernel:
    """LAPACK has no number of 16 bits: it is computed in float32."""

    def run(*args: Any) -> Any:
        kept = args[0].dtype
        if kept.itemsize != 2:
            return kernel(*args)
        wide = [a.astype(jnp.float32) if hasattr(a, "dtype") else a for a in args]
        found = kernel(*wide)
        if isinstance(found, tuple):
            return tuple(y.astype(kept) for y in found)
        return found.astype(kept)

    return run


def _triangular_solve(a: Any, b: Any, lower: bool, transposed: bool, unit: bool) -> Any:
    """From the right, where there are several right sides: x^T = b^T a^-T.

    LAPACK wants columns one after another, and in b^T, which is b read otherwise, they are: no copy
    is made, nor of a b that was transposed itself; and BLAS is a quarter quicker from that side.
    """
    left = b.shape[-1] == 1
    x = lax.linalg.triangular_solve(
        a,
        b if left else _turned(b),
        left_side=left,
        lower=lower,
        transpose_a=transposed == left,
        unit_diagonal=unit,
    )
    return x if left else _turned(x)


def _turned(x: Any) -> Any:
    return lax.transpose(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def _eigh(x: Any) -> tuple[Any, Any]:
    vectors, values = lax.linalg.eigh(x, symmetrize_input=True)
    return values, vectors


def _qr(x: Any, complete: bool) -> tuple[Any, Any]:
    q, r = lax.linalg.qr(x, full_matrices=complete)
    return q, jnp.triu(r)


def _svd(x: Any, full: bool) -> tuple[Any, Any, Any]:
    u, s, vh = lax.linalg.svd(x, full_matrices=full)
    return u, s, vh


def _slogdet(x: Any) -> tuple[Any, Any]:
    sign, log = jnp.linalg.slogdet(x)
    return sign, log


def _pinv(x: Any, rtol: Any) -> Any:
    return jnp.linalg.pinv(x, rtol=rtol)


def _cofactor(xs: tuple[Any, ...]) -> Any:
    """Its products in full precision, which JAX's own functions would lower on GPUs and TPUs."""
    with jax.default_matmul_precision("highest"):
        return cofactor(xs)


KERNELS: Final[dict[str, Kernel]] = {
    "solve": _narrow(jnp.linalg.solve),
    "inv": _narrow(jnp.linalg.inv),
    "triangular_solve": _narrow(_triangular_solve),
    "pinv": _narrow(_pinv),
    "det": _narrow(jnp.linalg.det),
    "cofactor": _cofactor,
    "slogdet": _narrow(_slogdet),
    "cholesky": _narrow(lambda x: lax.linalg.cholesky(x, symmetrize_input=True)),
    "qr": _narrow(_qr),
    "eigh": _narrow(_eigh),
    "svd": _narrow(_svd),
    "expm": _narrow(scipy_linalg.expm),
}
