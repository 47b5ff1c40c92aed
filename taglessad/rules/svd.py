"""Singular values and vectors of matrices in the last two axes. Legend in primitive.py.

Derivatives: Townsend, "Differentiating the singular value decomposition" (2016), the quotients by
s_j^2 - s_i^2 taken apart into quotients by s_j - s_i and by s_j + s_i, which close and small
singular values do not spoil. Divisors that vanish: degenerate.py.
"""

from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from taglessad.errors import NotDifferentiable
from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, declare_several
from taglessad.rules.degenerate import between, bound, evidence, quotient, quotient_or_zero, small
from taglessad.rules.inner import at_least
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
    transposed,
)
from taglessad.rules.structural import Mapped
from taglessad.shapes import linear_algebra as shapes
from taglessad.shapes import show

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _infer(x: Aval, full: bool) -> tuple[Aval, Aval, Aval]:
    m, n = shapes.matrix(x.shape, "svd")
    k = shapes.shorter(x.shape, "svd")
    lead = x.shape[:-2]
    return (
        Aval((*lead, m, m if full else k), x.dtype),
        Aval((*lead, k), x.dtype),
        Aval((*lead, n if full else k, n), x.dtype),
    )


def _refuse(ops: "Ops[R]", x: R, full: bool) -> None:
    shape = ops.shape(x)
    if full and shape[-1] != shape[-2]:
        raise NotDifferentiable(
            f"svd: full_matrices=True of shape {show(shape)}: the further singular vectors are not "
            "determined by x; use full_matrices=False, or svdvals"
        )


class _Divisors(NamedTuple, Generic[R]):
    """What the quotients divide by, and where that vanishes."""

    gap: R  # s_j - s_i
    same: R
    total: R  # s_i + s_j
    none: R
    value: R  # s_j
    zero: R


def _divisors(ops: "Ops[R]", s: R) -> _Divisors[R]:
    limit = bound(ops, s, 1, ops.shape(s)[-1])
    gap = ops.sub(columns(ops, s), rows(ops, s))
    total = ops.add(columns(ops, s), rows(ops, s))
    gap, same = between(ops, gap, rows(ops, limit))
    total, none = between(ops, total, rows(ops, limit))
    zero = columns(ops, small(ops, s, limit))
    return _Divisors(gap, same, total, none, columns(ops, s), zero)


# --- forward -------------------------------------------------------------------------------------
def _push(
    ops: "Ops[R]", ds: list[R], ys: tuple[R, ...], xs: tuple[R, ...], params: tuple[bool]
) -> list[R | None]:
    (x,), (u, s, vh), (d,) = xs, ys, ds
    _refuse(ops, x, *params)
    if 0 in ops.shape(x):
        return [ops.zeros(ops.aval(y)) for y in ys]
    (m, n), k = ops.shape(x)[-2:], ops.shape(s)[-1]
    by = _divisors(ops, s)
    along_v = product(ops, d, vh, RIGHT_TRANSPOSED)
    along_u = product(ops, d, u, LEFT_TRANSPOSED)
    inner = product(ops, u, along_v, LEFT_TRANSPOSED)
    limit = bound(ops, inner, 2, k)
    even = off_diagonal(ops, symmetric(ops, inner))
    even = quotient_or_zero(ops, even, by.gap, by.same, limit)
    odd = quotient_or_zero(ops, skew(ops, inner), by.total, by.none, limit)
    du = product(ops, u, ops.add(even, odd))
    dv = product(ops, vh, ops.sub(even, odd), LEFT_TRANSPOSED)
    if m != k:
        beside = ops.sub(along_v, product(ops, u, inner))
        limit = bound(ops, along_v, 2, m)
        du = ops.add(du, quotient_or_zero(ops, beside, by.value, by.zero, limit))
    if n != k:
        inner_t = transposed(ops, inner)
        beside = ops.sub(along_u, product(ops, vh, inner_t, LEFT_TRANSPOSED))
        limit = bound(ops, along_u, 2, n)
        dv = ops.add(dv, quotient_or_zero(ops, beside, by.value, by.zero, limit))
    return [du, ops.diagonal(inner, 0), transposed(ops, dv)]


# --- reverse -------------------------------------------------------------------------------------
def _pull(
    ops: "Ops[R]",
    gs: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: tuple[bool],
    wanted: tuple[bool, ...],
) -> list[R | None]:
    (x,), (u, s, vh), (gu, gw, gvh) = xs, ys, gs
    if 0 in ops.shape(x):
        return [ops.zeros(ops.aval(x))]
    if gu is None and gvh is None:
        assert gw is not None
        return [_of_values(ops, gw, u, vh)]
    _refuse(ops, x, *params)
    by = _divisors(ops, s)
    k = ops.shape(s)[-1]
    left = None if gu is None else product(ops, u, gu, LEFT_TRANSPOSED)
    right = None if gvh is None else product(ops, vh, gvh, RIGHT_TRANSPOSED)
    couplings = [c for c in (left, right) if c is not None]
    both = _sum(ops, left, right)
    difference = _sum(ops, left, None if right is None else ops.neg(right))
    limit = bound(ops, couplings[0], 2, k)
    if len(couplings) == 2:
        limit = at_least(ops, limit, bound(ops, couplings[1], 2, k))
    even, odd = skew(ops, both), skew(ops, difference)
    alone = None
    if gw is None:
        even = quotient_or_zero(ops, even, by.gap, by.same, limit)
        odd = quotient_or_zero(ops, odd, by.total, by.none, limit)
        inner = ops.add(even, odd)
    else:
        certain, alone = evidence(ops, gw, couplings, limit)
        even = quotient(ops, even, by.gap, by.same, certain)
        odd = quotient(ops, odd, by.total, by.none, certain)
        inner = ops.add(ops.add(even, odd), diagonal_matrix(ops, gw))
    whole = product(ops, u, inner)
    if left is not None and gu is not None and ops.shape(x)[-2] != k:
        beside = ops.sub(gu, product(ops, u, left))
        whole = ops.add(whole, _beside(ops, beside, gu, by, alone))
    result = product(ops, whole, vh)
    if right is not None and gvh is not None and ops.shape(x)[-1] != k:
        gv = transposed(ops, gvh)
        beside = ops.sub(gv, product(ops, vh, right, LEFT_TRANSPOSED))
        beside = _beside(ops, beside, gv, by, alone)
        result = ops.add(result, product(ops, u, beside, RIGHT_TRANSPOSED))
    return [result]


def _of_values(ops: "Ops[R]", gw: R, u: R, vh: R) -> R:
    """The cotangent where the result uses the singular values alone."""
    k = ops.shape(gw)[-1]
    shape = ops.shape(u)
    if shape[-1] != k:
        u = ops.slice(u, (0,) * len(shape), (*shape[:-1], k), (1,) * len(shape))
    shape = ops.shape(vh)
    if shape[-2] != k:
        stop = (*shape[:-2], k, shape[-1])
        vh = ops.slice(vh, (0,) * len(shape), stop, (1,) * len(shape))
    return product(ops, ops.mul(u, columns(ops, gw)), vh)


def _sum(ops: "Ops[R]", a: R | None, b: R | None) -> R:
    if a is None or b is None:
        only = b if a is None else a
        assert only is not None
        return only
    return ops.add(a, b)


def _beside(ops: "Ops[R]", beside: R, g: R, by: _Divisors[R], alone: R | None) -> R:
    """What a cotangent has outside the span of the singular vectors, by the singular values."""
    certain = small(ops, beside, bound(ops, g, 2, ops.shape(g)[-2]))
    if alone is not None:
        certain = ops.logical_and(certain, columns(ops, alone))
    return quotient(ops, beside, by.value, by.zero, certain)


def _batch(
    ops: "Ops[R]", size: int, mapped: Mapped, xs: tuple[R, ...], params: tuple[bool]
) -> tuple[R, ...]:
    return ops.svd(xs[0], *params)


SVD: Final = declare_several("svd", _infer, _push, _pull, _batch, matrices=True)


class SingularValues(Interpreter[R]):
    """The method of this family."""

    def svd(self, x: R, full: bool, /) -> tuple[R, ...]:
        """u, s, vh with x = u s vh: s descending; full: square u and vh."""
        return self.apply_n(SVD, (x,), (full,))
