"""Eigenvalues, singular values, and what is made of them. Integers become float64.

Where eigenvalues or singular values are equal, vectors have no derivative: results that do not
depend on their choice have one, others give inf or NaN (docs/linalg.md).
"""

from typing import Any, NamedTuple

from taglessad.dtypes import int64
from taglessad.linalg.arguments import fraction, matrices, result, results, square_matrices
from taglessad.ops import Ops
from taglessad.tensor import IntTensor, Tensor


class EighResult(NamedTuple):
    """Eigenvalues, ascending, and eigenvectors in columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class SVDResult(NamedTuple):
    """Left singular vectors, singular values, descending, right singular vectors in rows."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def eigh(x: Tensor, /) -> EighResult:
    """Eigenvalues and eigenvectors of the symmetric part of matrices [..., M, M].

    Gradients are symmetric. Raises ShapeError for matrices that are not square.
    """
    met = square_matrices(x, "eigh")
    return EighResult(*results(met, met.ops.eigh(*met.payloads)))


def eigvalsh(x: Tensor, /) -> Tensor:
    """The eigenvalues of the symmetric part of matrices [..., M, M], ascending."""
    met = square_matrices(x, "eigvalsh")
    return result(met, met.ops.eigh(*met.payloads)[0])


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """x = (U * S) @ Vh of matrices [..., M, N], K = min(M, N).

    full_matrices: U is [..., M, M] and Vh [..., N, N], else [..., M, K] and [..., K, N]. Of
    matrices that are not square the full U and Vh have no derivative, and asking for one raises
    NotDifferentiable. Raises ShapeError below rank 2.
    """
    met = matrices(x, "svd")
    return SVDResult(*results(met, met.ops.svd(met.payloads[0], bool(full_matrices))))


def svdvals(x: Tensor, /) -> Tensor:
    """The singular values of matrices [..., M, N], descending."""
    met = matrices(x, "svdvals")
    return result(met, met.ops.svd(met.payloads[0], False)[1])


def matrix_rank(x: Tensor, /, *, rtol: Tensor | float | None = None) -> IntTensor:
    """How many singular values are above rtol times the largest; one int64 for each matrix.

    rtol: a number, or one for each matrix; max(M, N) times the dtype's eps by default.
    """
    met, least = fraction(matrices(x, "matrix_rank"), rtol, "matrix_rank")
    return counted(met.ops, met.ops.svd(met.payloads[0], False)[1], least)


def counted(ops: Ops[Any], s: Any, rtol: Any) -> IntTensor:
    """How many singular values s are above rtol times the largest. Any: payloads of `ops`."""
    shape = ops.shape(s)
    last = (len(shape) - 1,)
    s = ops.detach(s)
    if shape[-1] == 0:
        return IntTensor(ops, ops.sum(ops.cast(s, int64), last), int64)
    least = ops.reshape(ops.mul(ops.max(s, last), rtol), (*shape[:-1], 1))
    return IntTensor(ops, ops.sum(ops.cast(ops.less(least, s), int64), last), int64)
