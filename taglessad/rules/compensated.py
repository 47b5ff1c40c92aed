"""Values that are more exact than the programs whose derivatives they have.

They are made of detached operands, and are NaN where a part leaves the range: `corrected` passes
over that.
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from taglessad.dtypes import eps

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def difference(ops: "Ops[R]", a: R, b: R) -> tuple[R, R]:
    """a - b and what its rounding leaves out (Knuth's two-sum)."""
    gap = ops.sub(a, b)
    part = ops.sub(gap, a)
    return gap, ops.sub(ops.sub(a, ops.sub(gap, part)), ops.add(b, part))


def product(ops: "Ops[R]", a: R, b: R) -> tuple[R, R]:
    """a * b and what its rounding leaves out (Dekker, Numer. Math. 18, 1971)."""
    (c, d), (e, f) = _halves(ops, a), _halves(ops, b)
    found = ops.mul(a, b)
    rest = ops.add(ops.sub(ops.mul(c, e), found), ops.add(ops.mul(c, f), ops.mul(d, e)))
    return found, ops.add(rest, ops.mul(d, f))


def _halves(ops: "Ops[R]", x: R) -> tuple[R, R]:
    digits = 1 - round(math.log2(eps(ops.dtype(x))))
    large = ops.mul(ops.scalar(2 ** (digits - digits // 2) + 1, x), x)
    high = ops.sub(large, ops.sub(large, x))
    return high, ops.sub(x, high)


def cross(ops: "Ops[R]", a: R, b: R, c: R, d: R) -> R:
    """a * b - c * d, rounded once, nearly."""
    (first, e), (second, f) = product(ops, a, b), product(ops, c, d)
    gap, rest = difference(ops, first, second)
    return ops.add(gap, ops.add(rest, ops.sub(e, f)))


def in_two(ops: "Ops[R]", exact: Fraction, like: R) -> tuple[R, R]:
    """A constant as a number of the dtype of `like`, and what that leaves of it."""
    high = Fraction(float(np.asarray(float(exact)).astype(ops.dtype(like))))
    return ops.scalar(high, like), ops.scalar(exact - high, like)


def corrected(ops: "Ops[R]", plain: R, better: R) -> R:
    """The value of `better` where it is a number, with the derivatives of `plain`."""
    change = ops.detach(ops.sub(better, plain))
    return ops.add(plain, ops.where(ops.isfinite(change), change, ops.scalar(0, change)))
