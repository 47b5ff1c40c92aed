"""Reductions over axes, which they remove. See primitive.py for the legend."""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.dtypes import bool_, int64
from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, Flow, declare, linear, pair
from taglessad.rules.inner import at_least, below
from taglessad.rules.structural import Axes, Mapped, inverse, shifted
from taglessad.shapes import Shape, size

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _infer(x: Aval, axes: Axes) -> Aval:
    return Aval(tuple(n for i, n in enumerate(x.shape) if i not in axes), x.dtype)


def _infer_bool(x: Aval, axes: Axes) -> Aval:
    return Aval(_infer(x, axes).shape, bool_)


def _infer_index(x: Aval, axis: int) -> Aval:
    return Aval(_infer(x, (axis,)).shape, int64)


def expand(ops: "Ops[R]", d: R, x: R, axes: Axes) -> R:
    """What was reduced over `axes`, repeated along them: the shape of x again."""
    whole = ops.shape(x)
    kept: Shape = tuple(1 if i in axes else n for i, n in enumerate(whole))
    return ops.broadcast(ops.reshape(d, kept), whole)


# --- sum -----------------------------------------------------------------------------------------
def _sum_push(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return ops.sum(d, axes)


def _sum_pull(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return expand(ops, d, x, axes)


def _sum_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axes: Axes) -> R:
    return ops.sum(x, shifted(axes))


SUM: Final = declare(
    "sum",
    _infer,
    (linear(_sum_push, _sum_pull, push_flow=Flow.MIX, pull_flow=Flow.MOVE),),
    "linear",
    _sum_batch,
)


# --- prod ----------------------------------------------------------------------------------------
def exclusive(ops: "Ops[R]", products: R, axis: int) -> R:
    """Cumulative products shifted by one along the axis: each entry's predecessors, 1 at the first."""
    shape = ops.shape(products)
    if shape[axis] == 0:
        return products
    rank = len(shape)
    zeros, ones = (0,) * rank, (1,) * rank
    start = tuple(0 for _ in shape)
    stop = tuple(n - 1 if i == axis else n for i, n in enumerate(shape))
    lead = tuple(1 if i == axis else 0 for i in range(rank))
    first = tuple(1 if i == axis else n for i, n in enumerate(shape))
    moved = ops.pad(ops.slice(products, start, stop, ones), lead, zeros, zeros)
    edge = ops.pad(
        ops.broadcast(ops.scalar(1, products), first),
        zeros,
        tuple(n - m for n, m in zip(shape, first, strict=True)),
        zeros,
    )
    return ops.add(moved, edge)


def _others(ops: "Ops[R]", x: R, axes: Axes) -> R:
    """For each entry the product of all others: right where some are zero, at every order."""
    if len(axes) == 1:
        return _others_along(ops, x, *axes)
    shape = ops.shape(x)
    rest = tuple(i for i in range(len(shape)) if i not in axes)
    order = (*rest, *axes)
    ordered = ops.permute(x, order)
    length = size(tuple(shape[i] for i in axes))
    flat = ops.reshape(ordered, (*(shape[i] for i in rest), length))
    product = ops.reshape(_others_along(ops, flat, len(rest)), ops.shape(ordered))
    return ops.permute(product, inverse(order))


def _others_along(ops: "Ops[R]", x: R, axis: int) -> R:
    length = ops.shape(x)[axis]
    if isinstance(length, int):
        return x if length == 0 else _by_halves(ops, x, axis, length)
    # Of a symbol there are no halves: the product of what comes before, and of what comes after.
    before = exclusive(ops, ops.cumulative_prod(x, axis), axis)
    backwards = ops.cumulative_prod(ops.flip(x, (axis,)), axis)
    return ops.mul(before, ops.flip(exclusive(ops, backwards, axis), (axis,)))


def _by_halves(ops: "Ops[R]", x: R, axis: int, length: int) -> R:
    """Entries are multiplied in pairs, one of each half, until two are left.

    Then back: the others of an entry are those of its pair, times the entry it is paired with.
    """
    halves: list[tuple[int, R, R]] = []
    while length > 2:
        half = length // 2
        left, right = _part(ops, x, axis, 0, half), _part(ops, x, axis, half, 2 * half)
        halves.append((half, left, right))
        alone = (_part(ops, x, axis, length - 1, length),) if length % 2 else ()
        x = _joined(ops, (ops.mul(left, right), *alone), axis)
        length -= half
    others = ops.flip(x, (axis,)) if length == 2 else ops.broadcast(ops.scalar(1, x), ops.shape(x))
    for half, left, right in reversed(halves):
        pairs = _part(ops, others, axis, 0, half)
        alone = (_part(ops, others, axis, half, length),) if length > half else ()
        others = _joined(ops, (ops.mul(pairs, right), ops.mul(pairs, left), *alone), axis)
        length += half
    return others


def _part(ops: "Ops[R]", x: R, axis: int, start: int, stop: int) -> R:
    shape = ops.shape(x)
    if (start, stop) == (0, shape[axis]):
        return x
    first = tuple(start if i == axis else 0 for i in range(len(shape)))
    last = tuple(stop if i == axis else n for i, n in enumerate(shape))
    return ops.slice(x, first, last, (1,) * len(shape))


def _joined(ops: "Ops[R]", xs: tuple[R, ...], axis: int) -> R:
    return xs[0] if len(xs) == 1 else ops.concat(xs, axis)


def _prod_push(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return ops.sum(ops.mul(d, _others(ops, x, axes)), axes)


def _prod_pull(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return ops.mul(expand(ops, d, x, axes), _others(ops, x, axes))


def _prod_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axes: Axes) -> R:
    return ops.prod(x, shifted(axes))


PROD: Final = declare("prod", _infer, (pair(_prod_push, _prod_pull),), "reduction", _prod_batch)


# --- max, min ------------------------------------------------------------------------------------
def _shared(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    # Tied entries share equally.
    tied = ops.cast(ops.equal(x, expand(ops, y, x, axes)), ops.dtype(x))
    # One at least is tied, which an enclosure of the count does not know.
    count = at_least(ops, ops.sum(tied, axes), ops.scalar(1, y))
    # A NaN result equals no entry: its derivative is NaN.
    return ops.div(d, ops.where(ops.isnan(y), y, count))


def _extremum_push(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return _shared(ops, ops.sum(d, axes), y, x, axes)


def _extremum_pull(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return expand(ops, _shared(ops, d, y, x, axes), x, axes)


# The largest entry is compared with itself, which is no kink: a tie is one of the primitive.
def _keep_largest(ops: "Ops[R]", y: R, x: R, axes: Axes) -> tuple[R, bool]:
    return below(ops, x, expand(ops, y, x, axes)), False


def _keep_smallest(ops: "Ops[R]", y: R, x: R, axes: Axes) -> tuple[R, bool]:
    return below(ops, expand(ops, y, x, axes), x), False


def _max_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axes: Axes) -> R:
    return ops.max(x, shifted(axes))


def _min_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axes: Axes) -> R:
    return ops.min(x, shifted(axes))


MAX: Final = declare(
    "max", _infer, (pair(_extremum_push, _extremum_pull, _keep_largest),), "reduction", _max_batch
)
MIN: Final = declare(
    "min", _infer, (pair(_extremum_push, _extremum_pull, _keep_smallest),), "reduction", _min_batch
)


# --- logsumexp -----------------------------------------------------------------------------------
def _softmax(ops: "Ops[R]", y: R, x: R, axes: Axes) -> R:
    # exp(x - y), normalised: where infinities meet (x = y = inf or -inf) the gap counts as 0, so
    # that the largest entries share and the weights sum to 1.
    whole = expand(ops, y, x, axes)
    gap = ops.where(ops.equal(x, whole), ops.scalar(0, x), ops.sub(x, whole))
    weight = ops.exp(gap)
    return ops.div(weight, expand(ops, ops.sum(weight, axes), x, axes))


def _logsumexp_push(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return ops.sum(ops.mul(d, _softmax(ops, y, x, axes)), axes)


def _logsumexp_pull(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return ops.mul(expand(ops, d, x, axes), _softmax(ops, y, x, axes))


def _logsumexp_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axes: Axes) -> R:
    return ops.logsumexp(x, shifted(axes))


LOGSUMEXP: Final = declare(
    "logsumexp", _infer, (pair(_logsumexp_push, _logsumexp_pull),), "reduction", _logsumexp_batch
)


# --- without derivative --------------------------------------------------------------------------
def _any_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axes: Axes) -> R:
    return ops.any(x, shifted(axes))


def _all_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axes: Axes) -> R:
    return ops.all(x, shifted(axes))


def _argmax_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axis: int) -> R:
    return ops.argmax(x, axis + 1)


def _argmin_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axis: int) -> R:
    return ops.argmin(x, axis + 1)


ANY: Final = declare("any", _infer_bool, (None,), "reduction", _any_batch)
ALL: Final = declare("all", _infer_bool, (None,), "reduction", _all_batch)
ARGMAX: Final = declare("argmax", _infer_index, (None,), "reduction", _argmax_batch)
ARGMIN: Final = declare("argmin", _infer_index, (None,), "reduction", _argmin_batch)


class Reductions(Interpreter[R]):
    """The methods of this family; the axes are non-negative and distinct."""

    def sum(self, x: R, axes: Axes, /) -> R:
        return self.apply(SUM, (x,), (axes,))

    def prod(self, x: R, axes: Axes, /) -> R:
        """The product; its derivative is right where entries are zero."""
        return self.apply(PROD, (x,), (axes,))

    def max(self, x: R, axes: Axes, /) -> R:
        """The largest entry; tied entries share the derivative equally."""
        return self.apply(MAX, (x,), (axes,))

    def min(self, x: R, axes: Axes, /) -> R:
        """The smallest entry; tied entries share the derivative equally."""
        return self.apply(MIN, (x,), (axes,))

    def logsumexp(self, x: R, axes: Axes, /) -> R:
        """log of the sum of exponentials, without overflow."""
        return self.apply(LOGSUMEXP, (x,), (axes,))

    def any(self, x: R, axes: Axes, /) -> R:
        return self.apply(ANY, (x,), (axes,))

    def all(self, x: R, axes: Axes, /) -> R:
        return self.apply(ALL, (x,), (axes,))

    def argmax(self, x: R, axis: int, /) -> R:
        """Position of the first largest entry (int64)."""
        return self.apply(ARGMAX, (x,), (axis,))

    def argmin(self, x: R, axis: int, /) -> R:
        """Position of the first smallest entry (int64)."""
        return self.apply(ARGMIN, (x,), (axis,))
