"""Running sums, products and maxima along one axis. See primitive.py for the legend."""

from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, Flow, declare, linear, pair
from taglessad.rules.inner import not_above
from taglessad.rules.reductions import exclusive
from taglessad.rules.structural import Mapped

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _infer(x: Aval, *_params: object) -> Aval:
    return x


# --- cumulative sum ------------------------------------------------------------------------------
def _sum_push(ops: "Ops[R]", d: R, y: R, x: R, axis: int) -> R:
    return ops.cumulative_sum(d, axis)


def _sum_pull(ops: "Ops[R]", d: R, y: R, x: R, axis: int) -> R:
    return _reversed_sum(ops, d, axis)


def _reversed_sum(ops: "Ops[R]", d: R, axis: int) -> R:
    return ops.flip(ops.cumulative_sum(ops.flip(d, (axis,)), axis), (axis,))


def _sum_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axis: int) -> R:
    return ops.cumulative_sum(x, axis + 1)


CUMULATIVE_SUM: Final = declare(
    "cumulative_sum",
    _infer,
    (linear(_sum_push, _sum_pull, push_flow=Flow.MIX, pull_flow=Flow.MIX),),
    "linear",
    _sum_batch,
)


# --- cumulative product --------------------------------------------------------------------------
def _delayed(ops: "Ops[R]", x: R, axis: int, by: int) -> R:
    """x moved `by` places along the axis, zeros coming in."""
    shape = ops.shape(x)
    zeros, ones = (0,) * len(shape), (1,) * len(shape)
    lead = tuple(by if i == axis else 0 for i in range(len(shape)))
    stop = tuple(n - b for n, b in zip(shape, lead, strict=True))
    return ops.pad(ops.slice(x, zeros, stop, ones), lead, zeros, zeros)


def linear_recurrence(ops: "Ops[R]", a: R, b: R, axis: int) -> R:
    """t with t[k] = a[k] * t[k-1] + b[k], t[-1] = 0, in log2(n) steps over whole arrays.

    Composition of affine maps by doubling (Hillis and Steele 1986): after step j each (a, b) is
    the composition of the 2**j maps that end there.
    """
    length = ops.shape(a)[axis]
    assert isinstance(length, int)
    by = 1
    while by < length:
        b = ops.add(b, ops.mul(a, _delayed(ops, b, axis, by)))
        a = ops.mul(a, _delayed(ops, a, axis, by))
        by *= 2
    return b


def _prod_push(ops: "Ops[R]", d: R, y: R, x: R, axis: int) -> R:
    # dy[k] = x[k] * dy[k-1] + y[k-1] * dx[k]
    return linear_recurrence(ops, x, ops.mul(d, exclusive(ops, y, axis)), axis)


def _prod_pull(ops: "Ops[R]", d: R, y: R, x: R, axis: int) -> R:
    # h[k] = x[k+1] * h[k+1] + g[k], and then gx[k] = y[k-1] * h[k]
    ahead = _delayed(ops, ops.flip(x, (axis,)), axis, 1)
    h = ops.flip(linear_recurrence(ops, ahead, ops.flip(d, (axis,)), axis), (axis,))
    return ops.mul(h, exclusive(ops, y, axis))


def _prod_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axis: int) -> R:
    return ops.cumulative_prod(x, axis + 1)


CUMULATIVE_PROD: Final = declare(
    "cumulative_prod", _infer, (pair(_prod_push, _prod_pull),), "general", _prod_batch
)


# --- cumulative maximum --------------------------------------------------------------------------
def _rises(ops: "Ops[R]", y: R, x: R, places: R, axis: int) -> R:
    """Where a new maximum is attained: in the first place, and by what exceeds the one before."""
    first = ops.equal(places, ops.scalar(0, places))
    return ops.logical_or(first, ops.logical_not(not_above(ops, x, _delayed(ops, y, axis, 1))))


def _places(ops: "Ops[R]", x: R, axis: int) -> R:
    """Positions along the axis."""
    one = ops.const(np.asarray(1))
    return ops.sub(ops.cumulative_sum(ops.broadcast(one, ops.shape(x)), axis), one)


def _source(ops: "Ops[R]", y: R, x: R, axis: int) -> R:
    """Where each running maximum was first attained, as positions along the axis."""
    places = _places(ops, x, axis)
    rises = _rises(ops, y, x, places, axis)
    return ops.cumulative_max(ops.where(rises, places, ops.scalar(0, places)), axis)


def _keep_rises(ops: "Ops[R]", y: R, x: R, axis: int) -> tuple[R, bool]:
    return _rises(ops, y, x, _places(ops, x, axis), axis), True


def _max_push(ops: "Ops[R]", d: R, y: R, x: R, axis: int) -> R:
    return ops.take_along(d, _source(ops, y, x, axis), axis)


def _max_pull(ops: "Ops[R]", d: R, y: R, x: R, axis: int) -> R:
    return ops.add_along(ops.zeros(ops.aval(x)), _source(ops, y, x, axis), d, axis)


def _max_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axis: int) -> R:
    return ops.cumulative_max(x, axis + 1)


CUMULATIVE_MAX: Final = declare(
    "cumulative_max", _infer, (pair(_max_push, _max_pull, _keep_rises),), "general", _max_batch
)


class Cumulative(Interpreter[R]):
    """The methods of this family."""

    def cumulative_sum(self, x: R, axis: int, /) -> R:
        return self.apply(CUMULATIVE_SUM, (x,), (axis,))

    def cumulative_prod(self, x: R, axis: int, /) -> R:
        """Running products; the derivative is right where entries are zero."""
        return self.apply(CUMULATIVE_PROD, (x,), (axis,))

    def cumulative_max(self, x: R, axis: int, /) -> R:
        """Running maxima; the derivative goes to the first entry that attains each."""
        return self.apply(CUMULATIVE_MAX, (x,), (axis,))
