"""The exponential of matrices in the last two axes. Legend in primitive.py.

Its derivative along d is a block of an exponential: expm([[x, d], [0, x]]) = [[y, push(d)], [0, y]]
(Najfeld and Havel, Adv. Appl. Math. 16 (1995); Higham, "Functions of Matrices", 3.2), and pull is
the same at the transpose.
"""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, declare, pair
from taglessad.rules.matrices import rows, transposed
from taglessad.rules.structural import Mapped
from taglessad.shapes import linear_algebra as shapes

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _infer(x: Aval) -> Aval:
    shapes.square(x.shape, "expm")
    return x


def _along(ops: "Ops[R]", x: R, d: R) -> R:
    shape = ops.shape(x)
    rank, n = len(shape), shape[-1]
    if 0 in shape:
        return d
    # The derivative is linear in d, and is taken of a d of middling size: the exponential of a
    # matrix that is large for d's sake alone would lose digits to needless scaling.
    size = ops.max(ops.abs(ops.detach(d)), (rank - 2, rank - 1))
    size = ops.where(ops.equal(size, ops.scalar(0, size)), ops.scalar(1, size), size)
    size = rows(ops, rows(ops, size))
    upper = ops.concat((x, ops.div(d, size)), rank - 1)
    lower = ops.concat((ops.zeros(ops.aval(x)), x), rank - 1)
    whole = ops.expm(ops.concat((upper, lower), rank - 2))
    start, stop = (*(0,) * (rank - 1), n), (*shape[:-1], n + n)
    return ops.mul(ops.slice(whole, start, stop, (1,) * rank), size)


def _push(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return _along(ops, x, d)


def _pull(ops: "Ops[R]", d: R, y: R, x: R) -> R:
    return _along(ops, transposed(ops, x), d)


def _batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R) -> R:
    return ops.expm(x)


EXPM: Final = declare("expm", _infer, (pair(_push, _pull),), "matrix", _batch)


class Exponentials(Interpreter[R]):
    """The method of this family."""

    def expm(self, x: R, /) -> R:
        """The matrix exponential."""
        return self.apply(EXPM, (x,), ())
