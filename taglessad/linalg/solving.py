"""Linear systems, inverses, least squares. Integers become float64; stacks of matrices broadcast.

Matrices that are singular give NaN, each its own result in a stack: nothing is raised for values.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from taglessad import shapes
from taglessad.dispatch import Operands, as_real, meet
from taglessad.errors import ArgumentError, ShapeError
from taglessad.linalg.arguments import batched, fraction, matrices, result, square_matrices
from taglessad.linalg.spectral import counted
from taglessad.ops import Ops
from taglessad.rules.matrices import product
from taglessad.rules.solving import from_columns, to_columns
from taglessad.shapes import linear_algebra
from taglessad.tensor import IntTensor, Tensor

# Any throughout: payloads of whichever interpreter.
Solver = Callable[[Ops[Any], Any, Any], Any]


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """x with x1 @ x = x2, by LU with row exchanges.

    x1: [..., M, M]; x2: [M], or [..., M, K]; the result has x2's kind. Raises ShapeError where
    they do not fit.
    """
    return _solved("solve", x1, x2, lambda ops, a, b: ops.solve(a, b))


_TRANS: Final[dict[object, bool]] = {0: False, "N": False, 1: True, "T": True, 2: True, "C": True}


def solve_triangular(
    a: Tensor,
    b: Tensor,
    *,
    lower: bool = False,
    trans: int | str = 0,
    unit_diagonal: bool = False,
) -> Tensor:
    """x with t @ x = b, t the lower or upper triangle of a; the other entries are not read.

    a: [..., M, M]; b: [M], or [..., M, K]. trans: 0 or "N"; 1 or "T" (2, "C") for t^T @ x = b.
    unit_diagonal: the diagonal counts as ones and is not read. A 0 on the diagonal gives inf or
    NaN. Raises ShapeError where shapes do not fit, ArgumentError for another `trans`.
    """
    if trans not in _TRANS:
        raise ArgumentError(f"solve_triangular: trans is {trans!r}; it is 0, 1, 2, 'N', 'T' or 'C'")
    flags = bool(lower), _TRANS[trans], bool(unit_diagonal)
    return _solved("solve_triangular", a, b, lambda ops, a, b: ops.triangular_solve(a, b, *flags))


def _solved(what: str, x1: Tensor, x2: Tensor, solver: Solver) -> Tensor:
    met, vector = _system(what, x1, x2)
    ops, (a, b) = met.ops, met.payloads
    linear_algebra.square(ops.shape(a), what)
    lead = ops.shape(b)[:-2]
    if len(ops.shape(a)) == 2 and lead and 0 not in lead:  # one matrix, factored once
        count = shapes.size(lead)
        whole = ops.shape(b)
        batched(ops, a, ops.reshape(b, (count, *whole[-2:])), what)
        flat = to_columns(ops, ops.reshape(b, (count, *whole[-2:])))
        y = ops.reshape(from_columns(ops, count, solver(ops, a, flat)), whole)
    else:
        y = solver(ops, *batched(ops, a, b, what))
    return result(met, ops.reshape(y, ops.shape(y)[:-1]) if vector else y)


def _system(what: str, x1: Tensor, x2: Tensor) -> tuple[Operands, bool]:
    """Matrices and right sides; a vector becomes a column, and the flag says so."""
    met = as_real(meet(what, (x1, x2), ("x1", "x2")))
    ops, (a, b) = met.ops, met.payloads
    linear_algebra.matrix(ops.shape(a), what)
    right = ops.shape(b)
    if not right:
        raise ShapeError(
            f"{what}: shapes {shapes.show(ops.shape(a))} and []: the right side is a scalar"
        )
    vector = len(right) == 1
    return met._replace(payloads=(a, ops.reshape(b, (*right, 1)) if vector else b)), vector


def inv(x: Tensor, /) -> Tensor:
    """The inverse of square matrices [..., M, M]. Raises ShapeError for others."""
    met = square_matrices(x, "inv")
    return result(met, met.ops.inv(*met.payloads))


def pinv(x: Tensor, /, *, rtol: Tensor | float | None = None) -> Tensor:
    """The Moore-Penrose inverse of matrices [..., M, N], as [..., N, M].

    rtol: singular values up to this fraction of the largest count as 0; a number, or one for each
    matrix; max(M, N) times the dtype's eps by default. The derivative is that at constant rank
    (Golub and Pereyra 1973).
    """
    met, least = fraction(matrices(x, "pinv"), rtol, "pinv")
    return result(met, met.ops.pinv(met.payloads[0], least))


class LstsqResult(NamedTuple):
    """Solution, sums of squared residuals, rank, singular values."""

    x: Tensor
    residuals: Tensor
    rank: IntTensor
    s: Tensor


def lstsq(a: Tensor, b: Tensor, rcond: Tensor | float | None = None) -> LstsqResult:
    """The shortest x that makes |b - a @ x| least; NumPy's name, for stacks as well.

    a: [..., M, N]; b: [M], or [..., M, K]. rcond: as `rtol` of pinv. `residuals` is computed
    whatever the rank, where NumPy leaves it empty. The derivative of x is that at constant rank.
    Raises ShapeError where they do not fit.
    """
    met, vector = _system("lstsq", a, b)
    (left, right), ops = met.payloads, met.ops
    met = met._replace(payloads=batched(ops, left, right, "lstsq"))
    met, least = fraction(met, rcond, "lstsq")
    ops, (matrix, right) = met.ops, met.payloads
    x = product(ops, ops.pinv(matrix, least), right)
    rest = ops.square(ops.sub(right, product(ops, matrix, x)))
    residuals = ops.sum(rest, (len(ops.shape(rest)) - 2,))
    s = ops.svd(matrix, False)[1]
    if vector:
        x = ops.reshape(x, ops.shape(x)[:-1])
        residuals = ops.reshape(residuals, ops.shape(residuals)[:-1])
    rank = counted(ops, s, least)
    return LstsqResult(result(met, x), result(met, residuals), rank, result(met, s))
