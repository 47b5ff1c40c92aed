"""Programs over matrices in the last two axes: what the rules of decompositions are written with.

The axes before are a batch, equal in all operands. Legend in primitive.py.
"""

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.rules.structural import Mapped, leading

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")

MATMUL: Final = "ij,jk->ik"
LEFT_TRANSPOSED: Final = "ji,jk->ik"
RIGHT_TRANSPOSED: Final = "ij,kj->ik"


@lru_cache(maxsize=256)
def _batched(spec: str, count: int) -> str:
    lead = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:count]
    operands, out = spec.split("->")
    left, right = operands.split(",")
    return f"{lead}{left},{lead}{right}->{lead}{out}"


def product(ops: "Ops[R]", a: R, b: R, spec: str = MATMUL) -> R:
    """A contraction of each member of a batch: of matrices, unless `spec` says otherwise."""
    count = len(ops.shape(a)) - spec.index(",")
    return ops.contract(a, b, _batched(spec, count))


def transposed(ops: "Ops[R]", x: R) -> R:
    """The last two axes exchanged."""
    rank = len(ops.shape(x))
    return ops.permute(x, (*range(rank - 2), rank - 1, rank - 2))


def symmetric(ops: "Ops[R]", x: R) -> R:
    """The symmetric part."""
    return ops.mul(ops.add(x, transposed(ops, x)), ops.scalar(Fraction(1, 2), x))


def skew(ops: "Ops[R]", x: R) -> R:
    """The skew-symmetric part."""
    return ops.mul(ops.sub(x, transposed(ops, x)), ops.scalar(Fraction(1, 2), x))


def diagonal_matrix(ops: "Ops[R]", v: R) -> R:
    """Vectors in the last axis on the diagonals of square matrices of zeros."""
    n = ops.shape(v)[-1]
    return ops.place_diagonal(v, 0, n, n)


def off_diagonal(ops: "Ops[R]", x: R) -> R:
    """Square matrices with zeros on the diagonal."""
    return ops.add(ops.tril(x, -1), ops.triu(x, 1))


def columns(ops: "Ops[R]", v: R) -> R:
    """A number for each column, so that it multiplies the columns of a matrix."""
    shape = ops.shape(v)
    return ops.reshape(v, (*shape[:-1], 1, shape[-1]))


def rows(ops: "Ops[R]", v: R) -> R:
    """A number for each row, so that it multiplies the rows of a matrix."""
    return ops.reshape(v, (*ops.shape(v), 1))


def halved_lower(ops: "Ops[R]", x: R) -> R:
    """The lower triangle, the diagonal halved: an x that is symmetric is this and its transpose."""
    half = ops.scalar(Fraction(1, 2), x)
    return ops.mul(ops.add(ops.tril(x, 0), ops.tril(x, -1)), half)


def all_leading(ops: "Ops[R]", size: int, mapped: Mapped, xs: tuple[R, ...]) -> tuple[R, ...]:
    """The operands, the batch axis leading in each of them."""
    return tuple(leading(ops, size, m, x) for m, x in zip(mapped, xs, strict=True))
