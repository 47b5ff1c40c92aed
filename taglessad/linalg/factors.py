"""Triangular factors of matrices. Integers become float64."""

from typing import Literal, NamedTuple

from taglessad.errors import ArgumentError
from taglessad.linalg.arguments import matrices, result, results, square_matrices
from taglessad.rules.matrices import transposed
from taglessad.tensor import Tensor


class QRResult(NamedTuple):
    """A factor with orthonormal columns and an upper triangular one."""

    Q: Tensor
    R: Tensor


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """Lower triangular L with L @ L^T = x, or upper triangular U with U^T @ U = x.

    x: [..., M, M], of which the symmetric part is read; its gradient is symmetric. A matrix that is
    not positive definite gives NaN in its triangle, the others of a stack are what they are.
    Raises ShapeError for matrices that are not square.
    """
    met = square_matrices(x, "cholesky")
    y = met.ops.cholesky(*met.payloads)
    return result(met, transposed(met.ops, y) if upper else y)


def qr(x: Tensor, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """x = Q @ R of matrices [..., M, N]; K = min(M, N).

    mode: "reduced", Q is [..., M, K] and R [..., K, N]; "complete", Q is [..., M, M]. The signs are
    LAPACK's. With M > N a complete Q has no derivative, and asking for one raises
    NotDifferentiable. Raises ShapeError below rank 2, ArgumentError for another mode.
    """
    if mode not in ("reduced", "complete"):
        raise ArgumentError(f"qr: mode is {mode!r}; it is 'reduced' or 'complete'")
    met = matrices(x, "qr")
    return QRResult(*results(met, met.ops.qr(met.payloads[0], mode == "complete")))
