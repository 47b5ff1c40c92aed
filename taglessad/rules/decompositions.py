"""Cholesky and QR factors of matrices in the last two axes. Legend in primitive.py.

Derivatives: Murray, "Differentiation of the Cholesky decomposition" (2016), sections 3 and 4;
Walter, Lehmann and Lamour, "On evaluating higher-order derivatives of the QR decomposition" (2012),
and for wide matrices Roberts and Roberts, "QR and LQ decomposition matrix backpropagation" (2020).
"""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.dims import at_least
from taglessad.errors import NotDifferentiable
from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, declare, declare_several, pair
from taglessad.rules.matrices import (
    LEFT_TRANSPOSED,
    RIGHT_TRANSPOSED,
    halved_lower,
    product,
    symmetric,
    transposed,
)
from taglessad.rules.structural import Mapped
from taglessad.shapes import linear_algebra as shapes
from taglessad.shapes import show

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


# --- cholesky ------------------------------------------------------------------------------------
def _infer_cholesky(x: Aval) -> Aval:
    shapes.square(x.shape, "cholesky")
    return x


def _on_both_sides(ops: "Ops[R]", y: R, x: R, trans: bool) -> R:
    """y^-1 x y^-T, or y^-T x y^-1, for a lower triangular y."""
    left = ops.triangular_solve(y, x, True, trans, False)
    both = ops.triangular_solve(y, transposed(ops, left), True, trans, False)
    return transposed(ops, both)


def _cholesky_push(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    inner = _on_both_sides(ops, y, symmetric(ops, d), False)
    return product(ops, y, halved_lower(ops, inner))


def _cholesky_pull(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    inner = halved_lower(ops, product(ops, y, ops.tril(d, 0), LEFT_TRANSPOSED))
    return symmetric(ops, _on_both_sides(ops, y, inner, True))


def _cholesky_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R) -> R:
    return ops.cholesky(x)


CHOLESKY: Final = declare(
    "cholesky",
    _infer_cholesky,
    (pair(_cholesky_push, _cholesky_pull),),
    "matrix",
    _cholesky_batch,
)


# --- qr ------------------------------------------------------------------------------------------
def _infer_qr(x: Aval, complete: bool) -> tuple[Aval, Aval]:
    m, n = shapes.matrix(x.shape, "qr")
    k = m if complete else shapes.shorter(x.shape, "qr")
    lead = x.shape[:-2]
    return Aval((*lead, m, k), x.dtype), Aval((*lead, k, n), x.dtype)


def _leading_columns(ops: "Ops[R]", x: R, r: R) -> R:
    """The columns of a matrix that are as many as r has rows."""
    shape, k = ops.shape(x), ops.shape(r)[-2]
    if shape[-1] == k:
        return x
    return ops.slice(x, (0,) * len(shape), (*shape[:-1], k), (1,) * len(shape))


def _refuse(ops: "Ops[R]", x: R, complete: bool) -> None:
    shape = ops.shape(x)
    m, n = shape[-2:]
    if complete and not at_least(n, m):
        raise NotDifferentiable(
            f"qr: mode='complete' of shape {show(shape)}, which has more rows than columns: the "
            "further columns of Q are not determined by x; use mode='reduced'"
        )


def _turn(ops: "Ops[R]", c: R) -> R:
    low = ops.tril(c, -1)
    return ops.sub(low, transposed(ops, low))


def _qr_push(
    ops: "Ops[R]", ds: list[R], ys: tuple[R, ...], xs: tuple[R, ...], params: tuple[bool]
) -> list[R | None]:
    (x,), (q, r), (d,) = xs, ys, ds
    _refuse(ops, x, *params)
    square = _leading_columns(ops, r, r)
    right = transposed(ops, _leading_columns(ops, d, r))
    b = transposed(ops, ops.triangular_solve(square, right, False, True, False))
    c = product(ops, q, b, LEFT_TRANSPOSED)
    turn = _turn(ops, c)
    dq = ops.sub(b, product(ops, q, ops.sub(c, turn)))
    dr = ops.sub(product(ops, q, d, LEFT_TRANSPOSED), product(ops, turn, r))
    return [dq, ops.triu(dr, 0)]


def _qr_pull(
    ops: "Ops[R]",
    gs: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: tuple[bool],
    wanted: tuple[bool, ...],
) -> list[R | None]:
    (x,), (q, r), (gq, gr) = xs, ys, gs
    _refuse(ops, x, *params)
    inner: R | None = None  # the cotangent of the rotation's generator
    across: R | None = None  # that of what leaves the span of q
    straight: R | None = None
    if gq is not None:
        inner = product(ops, q, gq, LEFT_TRANSPOSED)
        across = ops.sub(gq, product(ops, q, inner))
    if gr is not None:
        gr = ops.triu(gr, 0)
        turned = product(ops, gr, r, RIGHT_TRANSPOSED)
        inner = ops.neg(turned) if inner is None else ops.sub(inner, turned)
        straight = product(ops, q, gr)
    assert inner is not None
    b = product(ops, q, ops.tril(ops.sub(inner, transposed(ops, inner)), -1))
    b = b if across is None else ops.add(b, across)
    square = _leading_columns(ops, r, r)
    left = transposed(ops, ops.triangular_solve(square, transposed(ops, b), False, False, False))
    shape = ops.shape(x)
    missing = shape[-1] - ops.shape(r)[-2]
    if missing != 0:
        none = (0,) * len(shape)
        left = ops.pad(left, none, (*none[1:], missing), none)
    return [left if straight is None else ops.add(left, straight)]


def _qr_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, xs: tuple[R, ...], params: tuple[bool]
) -> tuple[R, ...]:
    return ops.qr(xs[0], *params)


QR: Final = declare_several("qr", _infer_qr, _qr_push, _qr_pull, _qr_batch, matrices=True)


class Decompositions(Interpreter[R]):
    """The methods of this family."""

    def cholesky(self, x: R, /) -> R:
        """Lower triangular y with y y^T the symmetric part of x; NaN if that is not positive."""
        return self.apply(CHOLESKY, (x,), ())

    def qr(self, x: R, complete: bool, /) -> tuple[R, ...]:
        """q with orthonormal columns and upper triangular r, q r = x; complete: a square q."""
        return self.apply_n(QR, (x,), (complete,))
