"""Eigenvalues and eigenvectors of symmetric matrices in the last two axes. Legend in primitive.py.

Derivatives: Giles (2008), 3.1. Divisors that vanish: degenerate.py.
"""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, declare_several
from taglessad.rules.degenerate import between, bound, evidence, quotient, quotient_or_zero
from taglessad.rules.matrices import (
    LEFT_TRANSPOSED,
    RIGHT_TRANSPOSED,
    columns,
    diagonal_matrix,
    off_diagonal,
    product,
    rows,
    skew,
    symmetric,
)
from taglessad.rules.structural import Mapped
from taglessad.shapes import linear_algebra as shapes

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


# --- eigh ----------------------------------------------------------------------------------------
def _infer_eigh(x: Aval) -> tuple[Aval, Aval]:
    shapes.square(x.shape, "eigh")
    return Aval(x.shape[:-1], x.dtype), x


def _gaps(ops: "Ops[R]", w: R) -> tuple[R, R]:
    """w_j - w_i, and where that vanishes."""
    gap = ops.sub(columns(ops, w), rows(ops, w))
    return between(ops, gap, rows(ops, bound(ops, w, 1, ops.shape(w)[-1])))


def _eigh_push(
    ops: "Ops[R]", ds: list[R], ys: tuple[R, ...], xs: tuple[R, ...], params: tuple[()]
) -> list[R | None]:
    (w, v), (d,) = ys, ds
    n = ops.shape(w)[-1]
    if 0 in ops.shape(v):
        return [ops.zeros(ops.aval(w)), d]
    inner = product(ops, product(ops, v, symmetric(ops, d), LEFT_TRANSPOSED), v)
    gap, same = _gaps(ops, w)
    limit = bound(ops, inner, 2, n)
    turn = quotient_or_zero(ops, off_diagonal(ops, inner), gap, same, limit)
    return [ops.diagonal(inner, 0), product(ops, v, turn)]


def _eigh_pull(
    ops: "Ops[R]",
    gs: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: tuple[()],
    wanted: tuple[bool, ...],
) -> list[R | None]:
    (w, v), (gw, gv) = ys, gs
    n = ops.shape(w)[-1]
    if 0 in ops.shape(v):
        return [ops.zeros(ops.aval(v))]
    if gv is None:
        assert gw is not None
        return [_rebuilt(ops, v, ops.mul(v, columns(ops, gw)))]
    coupling = product(ops, v, gv, LEFT_TRANSPOSED)
    turn = skew(ops, coupling)
    gap, same = _gaps(ops, w)
    limit = bound(ops, coupling, 2, n)
    if gw is None:
        return [_rebuilt(ops, v, product(ops, v, quotient_or_zero(ops, turn, gap, same, limit)))]
    certain, _ = evidence(ops, gw, [coupling], limit)
    inner = ops.add(quotient(ops, turn, gap, same, certain), diagonal_matrix(ops, gw))
    return [_rebuilt(ops, v, product(ops, v, inner))]


def _rebuilt(ops: "Ops[R]", v: R, left: R) -> R:
    return symmetric(ops, product(ops, left, v, RIGHT_TRANSPOSED))


def _eigh_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, xs: tuple[R, ...], params: tuple[()]
) -> tuple[R, ...]:
    return ops.eigh(xs[0])


EIGH: Final = declare_several(
    "eigh", _infer_eigh, _eigh_push, _eigh_pull, _eigh_batch, matrices=True
)


class Eigen(Interpreter[R]):
    """The method of this family."""

    def eigh(self, x: R, /) -> tuple[R, ...]:
        """Eigenvalues of the symmetric part, ascending, and eigenvectors in columns."""
        return self.apply_n(EIGH, (x,), ())
