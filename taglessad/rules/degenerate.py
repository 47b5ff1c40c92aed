"""What derivatives of eigen- and singular vectors divide by, and what 0 / 0 means there.

Where two eigenvalues are equal their vectors are not determined, and have no derivative. A result
that does not depend on the choice of vectors still has one, and there the division is 0 / 0. What
that should be depends on how the result uses values and vectors together: of v f(w) v^T it is f'(w)
times a number which neither the tangents nor the cotangents of v and of w carry. So it is 0 where
that is certain, and inf where not: never a finite number that might be wrong.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from taglessad.dtypes import eps
from taglessad.primitive import inner
from taglessad.rules.inner import magnitude, not_above
from taglessad.rules.matrices import columns, off_diagonal, rows, transposed
from taglessad.shapes import Extent

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")

ROUNDINGS: Final = 32
"""A number is a rounding error if it is this many times n * eps of those that it is made of."""


def bound(ops: "Ops[R]", x: R, core: int, n: Extent) -> R:
    """The rounding errors of numbers like those in the last `core` axes, kept with size 1."""
    shape = ops.shape(x)
    rank = len(shape)
    size = ops.max(ops.abs(ops.detach(x)), tuple(range(rank - core, rank)))
    count = n if isinstance(n, int) else 1  # of unknown size there are no numbers either
    factor = ROUNDINGS * count * eps(ops.dtype(x))
    kept = (*shape[: rank - core], *(1,) * core)
    return ops.mul(ops.reshape(size, kept), ops.scalar(factor, size))


def small(ops: "Ops[R]", x: R, limit: R) -> R:
    """Where x is 0 up to roundings. NaN is not."""
    return not_above(ops, magnitude(ops, x), limit)


def between(ops: "Ops[R]", b: R, limit: R) -> tuple[R, R]:
    """Divisors of pairs (i, j), and where they vanish: not on the diagonal, where they are 1."""
    shape = ops.shape(b)
    line = ops.broadcast(ops.const(np.asarray(True)), shape[:-1])
    itself = ops.place_diagonal(line, 0, shape[-1], shape[-1])
    b = ops.where(itself, ops.scalar(1, b), b)
    return b, ops.logical_and(small(ops, b, limit), ops.logical_not(itself))


def quotient(ops: "Ops[R]", a: R, b: R, vanishes: R, certain: R) -> R:
    """a / b; where b vanishes, 0 if that is certain to be the value of 0 / 0, else inf.

    The derivative of 0 / 0 is not known from this: it is inf or NaN.
    """
    limit = ops.where(certain, _zero_at(ops, b), ops.scalar(math.inf, a))
    return ops.where(vanishes, limit, ops.div(a, ops.where(vanishes, ops.scalar(1, b), b)))


def _zero_at(ops: "Ops[R]", b: R) -> R:
    """0, of which the derivative is not finite."""
    return ops.run(inner("sqrt"), (ops.sub(b, ops.detach(b)),), ())


def quotient_or_zero(ops: "Ops[R]", a: R, b: R, vanishes: R, limit: R) -> R:
    """a / b, where 0 / 0 is certainly 0: nothing depends on the choice and on the values at once."""
    return quotient(ops, a, b, vanishes, small(ops, a, limit))


def evidence(ops: "Ops[R]", values: R, couplings: Sequence[R], limit: R) -> tuple[R, R]:
    """Where cotangents of values and of vectors, both there, show that 0 / 0 is 0.

    couplings: the vectors' cotangents in the basis of the vectors. A result that uses the values
    and vectors i and j shows itself on the diagonal; if it does, and nothing is beside the
    diagonal, 0 is right, and so it is if it uses neither. Gives flags of pairs (i, j), and of i
    with what is in no pair.
    """
    n = ops.shape(values)[-1]
    acts = uncoupled = None
    line = ops.reshape(limit, ops.shape(limit)[:-1])
    for k in couplings:
        seen = ops.logical_not(small(ops, ops.diagonal(k, 0), line))
        acts = seen if acts is None else ops.logical_or(acts, seen)
        apart = small(ops, off_diagonal(ops, ops.detach(k)), limit)
        apart = ops.logical_and(apart, transposed(ops, apart))
        uncoupled = apart if uncoupled is None else ops.logical_and(uncoupled, apart)
    assert acts is not None and uncoupled is not None
    still = small(ops, values, bound(ops, values, 1, n))
    idle = ops.logical_and(still, ops.logical_not(acts))
    one_acts = ops.logical_or(rows(ops, acts), columns(ops, acts))
    neither = ops.logical_and(rows(ops, idle), columns(ops, idle))
    return ops.logical_and(uncoupled, ops.logical_or(one_acts, neither)), idle
