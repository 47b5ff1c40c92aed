"""Determinants of matrices in the last two axes, right at singular matrices. Legend in primitive.py.

The gradient of a determinant is the matrix of cofactors. A determinant is a polynomial, so its
derivatives of every order are polynomials: `cofactor` is all of them at once, and its rule is
itself with one matrix more. <cofactor(x, v1 .. vk), w> is symmetric and linear in v1 .. vk and w,
so one rule serves both directions.
"""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.errors import ShapeError
from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, EachOperand, Slot, declare, declare_several, pair
from taglessad.rules.matrices import all_leading, product, rows, transposed
from taglessad.rules.structural import Mapped
from taglessad.shapes import linear_algebra as shapes
from taglessad.shapes import show

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


# --- det -----------------------------------------------------------------------------------------
def _infer_det(x: Aval) -> Aval:
    shapes.square(x.shape, "det")
    return Aval(x.shape[:-2], x.dtype)


def _det_push(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return product(ops, ops.cofactor((x,)), d, "ij,ij->")


def _det_pull(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return ops.mul(ops.cofactor((x,)), rows(ops, rows(ops, d)))


def _det_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R) -> R:
    return ops.det(x)


DET: Final = declare("det", _infer_det, (pair(_det_push, _det_pull),), "matrix", _det_batch)


# --- cofactor ------------------------------------------------------------------------------------
def _infer_cofactor(*xs: Aval) -> Aval:
    shapes.square(xs[0].shape, "cofactor")
    for x in xs[1:]:
        if x.shape != xs[0].shape:
            raise ShapeError(f"cofactor: shapes {show(xs[0].shape)} and {show(x.shape)} differ")
    return xs[0]


def _cofactor_slot(position: int) -> Slot:
    def rule(ops: "Ops[R]", d: R, y: R, *xs: R) -> R:
        if position == 0:
            return ops.cofactor((*xs, d))
        return ops.cofactor((*xs[:position], d, *xs[position + 1 :]))

    return pair(rule, rule)


def _cofactor_batch(ops: "Ops[R]", size: int, mapped: Mapped, *xs: R) -> R:
    return ops.cofactor(all_leading(ops, size, mapped, xs))


COFACTOR: Final = declare(
    "cofactor", _infer_cofactor, EachOperand(_cofactor_slot), "matrix", _cofactor_batch
)


# --- slogdet -------------------------------------------------------------------------------------
def _infer_slogdet(x: Aval) -> tuple[Aval, Aval]:
    shapes.square(x.shape, "slogdet")
    y = Aval(x.shape[:-2], x.dtype)
    return y, y


def _slogdet_push(
    ops: "Ops[R]", ds: list[R], ys: tuple[R, ...], xs: tuple[R, ...], params: tuple[()]
) -> list[R | None]:
    return [None, product(ops, ops.inv(xs[0]), ds[0], "ji,ij->")]


def _slogdet_pull(
    ops: "Ops[R]",
    gs: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: tuple[()],
    wanted: tuple[bool, ...],
) -> list[R | None]:
    g = gs[1]
    if g is None:
        return [None]
    return [ops.mul(transposed(ops, ops.inv(xs[0])), rows(ops, rows(ops, g)))]


def _slogdet_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, xs: tuple[R, ...], params: tuple[()]
) -> tuple[R, ...]:
    return ops.slogdet(xs[0])


SLOGDET: Final = declare_several(
    "slogdet", _infer_slogdet, _slogdet_push, _slogdet_pull, _slogdet_batch, matrices=True
)


class Determinants(Interpreter[R]):
    """The methods of this family."""

    def det(self, x: R, /) -> R:
        """The determinant."""
        return self.apply(DET, (x,), ())

    def cofactor(self, xs: tuple[R, ...], /) -> R:
        """The cofactors of the first matrix, or their derivative along all the others in turn."""
        return self.apply(COFACTOR, xs, ())

    def slogdet(self, x: R, /) -> tuple[R, ...]:
        """Sign, and logarithm of the absolute value, of the determinant."""
        return self.apply_n(SLOGDET, (x,), ())
