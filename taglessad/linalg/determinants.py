"""Determinants. Integers become float64; of an empty matrix the determinant is 1."""

from typing import NamedTuple

from taglessad.linalg.arguments import result, results, square_matrices
from taglessad.tensor import Tensor


class SlogdetResult(NamedTuple):
    """Sign and logarithm of the absolute value of a determinant."""

    sign: Tensor
    logabsdet: Tensor


def det(x: Tensor, /) -> Tensor:
    """The determinant of matrices [..., M, M]; its derivatives are right at singular ones too.

    The gradient is the matrix of cofactors, from products of singular values: nothing is divided
    by. The k-th derivative costs M**k operations and memory, beyond a singular value decomposition.
    Raises ShapeError for matrices that are not square.
    """
    met = square_matrices(x, "det")
    return result(met, met.ops.det(*met.payloads))


def slogdet(x: Tensor, /) -> SlogdetResult:
    """Sign and logarithm of |det x| of matrices [..., M, M], without overflow.

    Of singular matrices the sign is 0 and the logarithm -inf, whose derivative is NaN; that of the
    sign is 0. Raises ShapeError for matrices that are not square.
    """
    met = square_matrices(x, "slogdet")
    return SlogdetResult(*results(met, met.ops.slogdet(*met.payloads)))
