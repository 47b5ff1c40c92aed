"""Linear systems and inverses of matrices in the last two axes. Legend in primitive.py.

The derivatives are those of Giles, "An extended collection of matrix derivative results for forward
and reverse mode algorithmic differentiation" (2008), 2.2.3, and for the pseudoinverse those of
Golub and Pereyra, SIAM J. Numer. Anal. 10 (1973), equation 4.12: at constant rank.
"""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, declare, pair
from taglessad.rules.infer import common
from taglessad.rules.matrices import (
    LEFT_TRANSPOSED,
    RIGHT_TRANSPOSED,
    all_leading,
    product,
    transposed,
)
from taglessad.rules.structural import Mapped
from taglessad.shapes import Extent
from taglessad.shapes import linear_algebra as shapes

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _inferred(a: Aval, b: Aval, what: str) -> Aval:
    dtype = common(Aval((), a.dtype), Aval((), b.dtype)).dtype
    return Aval(shapes.solve(a.shape, b.shape, what), dtype)


# --- solve ---------------------------------------------------------------------------------------
def _infer_solve(a: Aval, b: Aval) -> Aval:
    return _inferred(a, b, "solve")


def _solve_a_push(ops: "Ops[R]", d: R, y: R, a: R, b: R) -> R:
    return ops.neg(ops.solve(a, product(ops, d, y)))


def _solve_a_pull(ops: "Ops[R]", d: R, y: R, a: R, b: R) -> R:
    w = ops.solve(transposed(ops, a), d)
    return ops.neg(product(ops, w, y, RIGHT_TRANSPOSED))


def _solve_b_push(ops: "Ops[R]", d: R, y: R, a: R, b: R) -> R:
    return ops.solve(a, d)


def _solve_b_pull(ops: "Ops[R]", d: R, y: R, a: R, b: R) -> R:
    return ops.solve(transposed(ops, a), d)


def _solve_batch(ops: "Ops[R]", size: int, mapped: Mapped, a: R, b: R) -> R:
    if mapped == (False, True):
        return from_columns(ops, size, ops.solve(a, to_columns(ops, b)))
    a, b = all_leading(ops, size, mapped, (a, b))
    return ops.solve(a, b)


def to_columns(ops: "Ops[R]", b: R) -> R:
    """Right sides of one matrix, the batch axis leading, as columns side by side."""
    size, *lead, n, m = ops.shape(b)
    count = len(lead)
    moved = ops.permute(b, (*range(1, count + 2), 0, count + 2))
    return ops.reshape(moved, (*lead, n, size * m))


def from_columns(ops: "Ops[R]", size: Extent, x: R) -> R:
    """The inverse of `to_columns`."""
    *lead, n, both = ops.shape(x)
    count = len(lead)
    split = ops.reshape(x, (*lead, n, size, both // size))
    return ops.permute(split, (count + 1, *range(count + 1), count + 2))


SOLVE: Final = declare(
    "solve",
    _infer_solve,
    (pair(_solve_a_push, _solve_a_pull), pair(_solve_b_push, _solve_b_pull)),
    "matrix",
    _solve_batch,
)


# --- triangular_solve ----------------------------------------------------------------------------
def _infer_triangular(a: Aval, b: Aval, lower: bool, trans: bool, unit: bool) -> Aval:
    return _inferred(a, b, "solve_triangular")


def _read(ops: "Ops[R]", x: R, lower: bool, unit: bool) -> R:
    """The entries that are read, among zeros."""
    return ops.tril(x, -1 if unit else 0) if lower else ops.triu(x, 1 if unit else 0)


def _triangular_a_push(
    ops: "Ops[R]", d: R, y: R, a: R, b: R, lower: bool, trans: bool, unit: bool
) -> R:
    moved = _read(ops, d, lower, unit)
    right = product(ops, moved, y, LEFT_TRANSPOSED) if trans else product(ops, moved, y)
    return ops.neg(ops.triangular_solve(a, right, lower, trans, unit))


def _triangular_a_pull(
    ops: "Ops[R]", d: R, y: R, a: R, b: R, lower: bool, trans: bool, unit: bool
) -> R:
    w = ops.triangular_solve(a, d, lower, not trans, unit)
    outer = product(ops, *((y, w) if trans else (w, y)), RIGHT_TRANSPOSED)
    return ops.neg(_read(ops, outer, lower, unit))


def _triangular_b_push(
    ops: "Ops[R]", d: R, y: R, a: R, b: R, lower: bool, trans: bool, unit: bool
) -> R:
    return ops.triangular_solve(a, d, lower, trans, unit)


def _triangular_b_pull(
    ops: "Ops[R]", d: R, y: R, a: R, b: R, lower: bool, trans: bool, unit: bool
) -> R:
    return ops.triangular_solve(a, d, lower, not trans, unit)


def _triangular_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, a: R, b: R, lower: bool, trans: bool, unit: bool
) -> R:
    if mapped == (False, True):
        x = ops.triangular_solve(a, to_columns(ops, b), lower, trans, unit)
        return from_columns(ops, size, x)
    a, b = all_leading(ops, size, mapped, (a, b))
    return ops.triangular_solve(a, b, lower, trans, unit)


TRIANGULAR_SOLVE: Final = declare(
    "triangular_solve",
    _infer_triangular,
    (
        pair(_triangular_a_push, _triangular_a_pull),
        pair(_triangular_b_push, _triangular_b_pull),
    ),
    "matrix",
    _triangular_batch,
)


# --- inv -----------------------------------------------------------------------------------------
def _infer_inv(x: Aval) -> Aval:
    shapes.square(x.shape, "inv")
    return x


def _inv_push(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return ops.neg(product(ops, product(ops, y, d), y))


def _inv_pull(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return ops.neg(product(ops, product(ops, y, d, LEFT_TRANSPOSED), y, RIGHT_TRANSPOSED))


def _inv_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R) -> R:
    return ops.inv(x)


INV: Final = declare("inv", _infer_inv, (pair(_inv_push, _inv_pull),), "matrix", _inv_batch)


# --- pinv ----------------------------------------------------------------------------------------
def _infer_pinv(x: Aval, rtol: Aval) -> Aval:
    m, n = shapes.matrix(x.shape, "pinv")
    return Aval((*x.shape[:-2], n, m), x.dtype)


def _pinv_push(ops: "Ops[R]", d: R, y: R, x: R, rtol: R) -> R:
    # -y d y + y y^T d^T (1 - x y) + (1 - y x) d^T y^T y
    t = transposed(ops, d)
    inner = ops.neg(product(ops, product(ops, y, d), y))
    left = product(ops, product(ops, y, y, RIGHT_TRANSPOSED), t)
    left = ops.sub(left, product(ops, product(ops, left, x), y))
    right = product(ops, t, product(ops, y, y, LEFT_TRANSPOSED))
    right = ops.sub(right, product(ops, y, product(ops, x, right)))
    return ops.add(inner, ops.add(left, right))


def _pinv_pull(ops: "Ops[R]", d: R, y: R, x: R, rtol: R) -> R:
    # The transposes of the three terms above.
    t = transposed(ops, d)
    inner = product(ops, product(ops, y, d, LEFT_TRANSPOSED), y, RIGHT_TRANSPOSED)
    left = ops.sub(t, product(ops, x, product(ops, y, t)))
    left = product(ops, left, product(ops, y, y, RIGHT_TRANSPOSED))
    right = ops.sub(t, product(ops, product(ops, t, y), x))
    right = product(ops, product(ops, y, y, LEFT_TRANSPOSED), right)
    return ops.sub(ops.add(left, right), inner)


def _pinv_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, rtol: R) -> R:
    x, rtol = all_leading(ops, size, mapped, (x, rtol))
    return ops.pinv(x, rtol)


PINV: Final = declare(
    "pinv", _infer_pinv, (pair(_pinv_push, _pinv_pull), None), "matrix", _pinv_batch
)


class Solving(Interpreter[R]):
    """The methods of this family. Operands have equal batch axes."""

    def solve(self, a: R, b: R, /) -> R:
        """x with a @ x = b; NaN where a is singular."""
        return self.apply(SOLVE, (a, b), ())

    def triangular_solve(self, a: R, b: R, lower: bool, trans: bool, unit: bool, /) -> R:
        """x with t @ x = b, where t is the lower or upper triangle of a, or its transpose.

        unit: the diagonal is not read, and counts as ones.
        """
        return self.apply(TRIANGULAR_SOLVE, (a, b), (lower, trans, unit))

    def inv(self, x: R, /) -> R:
        """The inverse; NaN where x is singular."""
        return self.apply(INV, (x,), ())

    def pinv(self, x: R, rtol: R, /) -> R:
        """The Moore-Penrose inverse; singular values up to rtol times the largest count as 0.

        rtol: one number for each matrix of the batch.
        """
        return self.apply(PINV, (x, rtol), ())
