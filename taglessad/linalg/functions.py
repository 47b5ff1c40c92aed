"""Functions of square matrices: powers and the exponential, and the condition number."""

from typing import Literal

import numpy as np

from taglessad.array_api.kinds import as_before
from taglessad.array_api.linear_algebra import matmul
from taglessad.dispatch import as_number, as_real, meet
from taglessad.errors import ArgumentError
from taglessad.linalg.arguments import matrices, result, square_matrices
from taglessad.linalg.norms import matrix_norm
from taglessad.linalg.solving import inv
from taglessad.linalg.spectral import svdvals
from taglessad.shapes import linear_algebra
from taglessad.shapes.axes import integer
from taglessad.tensor import Tensor, handle


def expm(x: Tensor, /) -> Tensor:
    """The exponential of matrices [..., M, M]: the sum of x^k / k!. SciPy's name.

    Scaling and squaring with the Pade approximant of degree 13 (Higham 2005); integers become
    float64. Each derivative is an exponential of twice the size. Raises ShapeError for matrices
    that are not square.
    """
    met = square_matrices(x, "expm")
    return result(met, met.ops.expm(*met.payloads))


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """The product of n copies of square matrices, by repeated squaring; n = 0 is the identity.

    For a negative n, of -n copies of the inverse, integers becoming float64. Raises ShapeError for
    matrices that are not square.
    """
    met = as_number(meet("matrix_power", (x,), ("x",)))
    power = integer(n, "matrix_power", "n")
    if power < 0:
        met = as_real(met)
    ops, (payload,) = met.ops, met.payloads
    shape = ops.shape(payload)
    linear_algebra.square(shape, "matrix_power")
    base: Tensor = handle(ops, payload, met.dtype, met.weak)
    if power == 0:
        ones = ops.broadcast(ops.const(np.ones((), met.dtype)), shape[:-1])
        return as_before(base, ops.place_diagonal(ones, 0, shape[-1], shape[-1]))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    if power < 0:
        base, power = inv(base), -power
    powered: Tensor | None = None
    while True:
        if power & 1:
            powered = base if powered is None else matmul(powered, base)
        power >>= 1
        if not power:
            assert powered is not None
            return powered
        base = matmul(base, base)


Order = float | Literal["fro", "nuc"] | None


def cond(x: Tensor, p: Order = None) -> Tensor:
    """The condition number of matrices, in the norm `p` of `matrix_norm`. NumPy's name.

    p: None or 2, the quotient of the extreme singular values, of matrices [..., M, N]; -2, its
    reciprocal; another norm, |x| |inv(x)| of square matrices.
    """
    if p is None or p in (2, -2):
        met = matrices(x, "cond")
        s = svdvals(x)
        if s.shape[-1] == 0:
            raise ArgumentError("cond: an empty matrix has no condition number")
        large, least = s[..., 0], s[..., -1]
        a, b = (least, large) if p == -2 else (large, least)
        return result(met, met.ops.div(a.payload, b.payload))
    return matrix_norm(x, ord=p) * matrix_norm(inv(x), ord=p)
