"""Moving entries about: shape, order, slices, padding. All linear. Legend in primitive.py."""

from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, EachOperand, Flow, Slot, declare, linear
from taglessad.shapes import Extent, Shape, concat, diagonal

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")
Axes = tuple[int, ...]
Mapped = tuple[bool, ...]


def shifted(axes: Axes) -> Axes:
    """Axes of an array as axes of a batch of them, the batch axis leading."""
    return tuple(axis + 1 for axis in axes)


# --- reshape -------------------------------------------------------------------------------------
def _infer_reshape(x: Aval, shape: Shape) -> Aval:
    return Aval(shape, x.dtype)


def _reshape_push(ops: "Ops[R]", d: R, y: R, x: R, shape: Shape) -> R:
    return ops.reshape(d, shape)


def _reshape_pull(ops: "Ops[R]", d: R, y: R, x: R, shape: Shape) -> R:
    return ops.reshape(d, ops.shape(x))


def _reshape_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, shape: Shape) -> R:
    return ops.reshape(x, (size, *shape))


RESHAPE: Final = declare(
    "reshape",
    _infer_reshape,
    (linear(_reshape_push, _reshape_pull, push_flow=Flow.MOVE, pull_flow=Flow.MOVE),),
    "linear",
    _reshape_batch,
)


# --- permute -------------------------------------------------------------------------------------
def _infer_permute(x: Aval, axes: Axes) -> Aval:
    return Aval(tuple(x.shape[axis] for axis in axes), x.dtype)


def inverse(axes: Axes) -> Axes:
    """The permutation that undoes `axes`."""
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def _permute_push(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return ops.permute(d, axes)


def _permute_pull(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return ops.permute(d, inverse(axes))


def _permute_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axes: Axes) -> R:
    return ops.permute(x, (0, *shifted(axes)))


PERMUTE: Final = declare(
    "permute",
    _infer_permute,
    (linear(_permute_push, _permute_pull, push_flow=Flow.MOVE, pull_flow=Flow.MOVE),),
    "linear",
    _permute_batch,
)


# --- broadcast -----------------------------------------------------------------------------------
def unbroadcast(ops: "Ops[R]", d: R, shape: Shape) -> R:
    """A cotangent summed back to the shape that broadcasting started from."""
    wide = ops.shape(d)
    if wide == shape:
        return d
    lead = len(wide) - len(shape)
    stretched = (i + lead for i, n in enumerate(shape) if n == 1 and wide[i + lead] != 1)
    narrow = ops.sum(d, (*range(lead), *stretched))
    return narrow if ops.shape(narrow) == shape else ops.reshape(narrow, shape)


def _broadcast_push(ops: "Ops[R]", d: R, y: R, x: R, shape: Shape) -> R:
    return ops.broadcast(d, shape)


def _broadcast_pull(ops: "Ops[R]", d: R, y: R, x: R, shape: Shape) -> R:
    return unbroadcast(ops, d, ops.shape(x))


def _broadcast_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, shape: Shape) -> R:
    inner = ops.shape(x)[1:]
    ones: Shape = (1,) * (len(shape) - len(inner))
    return ops.broadcast(ops.reshape(x, (size, *ones, *inner)), (size, *shape))


BROADCAST: Final = declare(
    "broadcast",
    _infer_reshape,
    (linear(_broadcast_push, _broadcast_pull, push_flow=Flow.MOVE, pull_flow=Flow.MIX),),
    "linear",
    _broadcast_batch,
)


# --- slice and pad -------------------------------------------------------------------------------
def _length(start: Extent, stop: Extent, step: int) -> Extent:
    span = stop - start
    if step == 1:
        return span
    return (span + (step - 1)) // step


def _infer_slice(x: Aval, start: Shape, stop: Shape, step: Axes) -> Aval:
    lengths = (_length(a, b, s) for a, b, s in zip(start, stop, step, strict=True))
    return Aval(tuple(lengths), x.dtype)


def _slice_push(ops: "Ops[R]", d: R, y: R, x: R, start: Shape, stop: Shape, step: Axes) -> R:
    return ops.slice(d, start, stop, step)


def _slice_pull(ops: "Ops[R]", d: R, y: R, x: R, start: Shape, stop: Shape, step: Axes) -> R:
    gaps = tuple(s - 1 for s in step)
    ends = tuple(
        n - (a + (m - 1) * s + 1) if m != 0 else n - a
        for n, m, a, s in zip(ops.shape(x), ops.shape(d), start, step, strict=True)
    )
    return ops.pad(d, start, ends, gaps)


def _slice_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, x: R, start: Shape, stop: Shape, step: Axes
) -> R:
    return ops.slice(x, (0, *start), (size, *stop), (1, *step))


def _infer_pad(x: Aval, before: Shape, after: Shape, gaps: Axes) -> Aval:
    sizes = (
        a + n + b + ((n - 1) * g if n != 0 else 0)
        for n, a, b, g in zip(x.shape, before, after, gaps, strict=True)
    )
    return Aval(tuple(sizes), x.dtype)


def _pad_push(ops: "Ops[R]", d: R, y: R, x: R, before: Shape, after: Shape, gaps: Axes) -> R:
    return ops.pad(d, before, after, gaps)


def _pad_pull(ops: "Ops[R]", d: R, y: R, x: R, before: Shape, after: Shape, gaps: Axes) -> R:
    stop = tuple(n - b for n, b in zip(ops.shape(d), after, strict=True))
    return ops.slice(d, before, stop, tuple(g + 1 for g in gaps))


def _pad_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, x: R, before: Shape, after: Shape, gaps: Axes
) -> R:
    return ops.pad(x, (0, *before), (0, *after), (0, *gaps))


SLICE: Final = declare(
    "slice",
    _infer_slice,
    (linear(_slice_push, _slice_pull, push_flow=Flow.MOVE, pull_flow=Flow.PAD),),
    "linear",
    _slice_batch,
)
PAD: Final = declare(
    "pad",
    _infer_pad,
    (linear(_pad_push, _pad_pull, push_flow=Flow.PAD, pull_flow=Flow.MOVE),),
    "linear",
    _pad_batch,
)


# --- concat --------------------------------------------------------------------------------------
def _infer_concat(*xs_axis: Aval | int) -> Aval:
    *xs, axis = xs_axis
    avals = [x for x in xs if isinstance(x, Aval)]
    assert isinstance(axis, int)
    return Aval(concat([x.shape for x in avals], axis), avals[0].dtype)


@lru_cache(maxsize=64)
def _offsets(sizes: Shape) -> Shape:
    """Where each part begins; cached, since every operand's rule asks for the same list."""
    return tuple(accumulate(sizes, initial=0))


def _concat_slot(position: int) -> Slot:
    # Variadic: the operands come first, the axis last.
    def offset(ops: "Ops[R]", xs: tuple[R, ...], axis: int) -> Extent:
        return _offsets(tuple(ops.shape(x)[axis] for x in xs))[position]

    def push(ops: "Ops[R]", d: R, y: R, *xs_axis: R) -> R:
        *xs, axis = xs_axis
        assert isinstance(axis, int)
        whole, part = ops.shape(y), ops.shape(d)
        start = offset(ops, tuple(xs), axis)
        before = tuple(start if i == axis else 0 for i in range(len(whole)))
        after = tuple(n - m - b for n, m, b in zip(whole, part, before, strict=True))
        return ops.pad(d, before, after, (0,) * len(whole))

    def pull(ops: "Ops[R]", d: R, y: R, *xs_axis: R) -> R:
        *xs, axis = xs_axis
        assert isinstance(axis, int)
        part = ops.shape(xs[position])
        start = offset(ops, tuple(xs), axis)
        before = tuple(start if i == axis else 0 for i in range(len(part)))
        stop = tuple(b + m for b, m in zip(before, part, strict=True))
        return ops.slice(d, before, stop, (1,) * len(part))

    return linear(push, pull, push_flow=Flow.PAD, pull_flow=Flow.MOVE)


def leading(ops: "Ops[R]", size: int, is_mapped: bool, x: R) -> R:
    """An operand with the batch axis leading, repeated along it if it had none."""
    return x if is_mapped else ops.broadcast(x, (size, *ops.shape(x)))


def _concat_batch(ops: "Ops[R]", size: int, mapped: Mapped, *xs_axis: R) -> R:
    *xs, axis = xs_axis
    assert isinstance(axis, int)
    whole = (leading(ops, size, m, x) for m, x in zip(mapped, xs, strict=True))
    return ops.concat(tuple(whole), axis + 1)


CONCAT: Final = declare("concat", _infer_concat, EachOperand(_concat_slot), "linear", _concat_batch)


# --- flip ----------------------------------------------------------------------------------------
def _infer_same_axes(x: Aval, axes: Axes) -> Aval:
    return x


def _flip_both(ops: "Ops[R]", d: R, y: R, x: R, axes: Axes) -> R:
    return ops.flip(d, axes)


def _flip_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, axes: Axes) -> R:
    return ops.flip(x, shifted(axes))


FLIP: Final = declare(
    "flip",
    _infer_same_axes,
    (linear(_flip_both, _flip_both, push_flow=Flow.MOVE, pull_flow=Flow.MOVE),),
    "linear",
    _flip_batch,
)


# --- triangles and diagonals of the last two axes ------------------------------------------------
def _infer_triangle(x: Aval, offset: int) -> Aval:
    return x


def _tril_both(ops: "Ops[R]", d: R, y: R, x: R, offset: int) -> R:
    return ops.tril(d, offset)


def _triu_both(ops: "Ops[R]", d: R, y: R, x: R, offset: int) -> R:
    return ops.triu(d, offset)


def _tril_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, offset: int) -> R:
    return ops.tril(x, offset)


def _triu_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, offset: int) -> R:
    return ops.triu(x, offset)


def _infer_diagonal(x: Aval, offset: int) -> Aval:
    return Aval(diagonal(x.shape, offset), x.dtype)


def _diagonal_push(ops: "Ops[R]", d: R, y: R, x: R, offset: int) -> R:
    return ops.diagonal(d, offset)


def _diagonal_pull(ops: "Ops[R]", d: R, y: R, x: R, offset: int) -> R:
    rows, columns = ops.shape(x)[-2:]
    return ops.place_diagonal(d, offset, rows, columns)


def _diagonal_batch(ops: "Ops[R]", size: int, mapped: Mapped, x: R, offset: int) -> R:
    return ops.diagonal(x, offset)


def _infer_place(x: Aval, offset: int, rows: Extent, columns: Extent) -> Aval:
    return Aval((*x.shape[:-1], rows, columns), x.dtype)


def _place_push(ops: "Ops[R]", d: R, y: R, x: R, offset: int, rows: Extent, columns: Extent) -> R:
    return ops.place_diagonal(d, offset, rows, columns)


def _place_pull(ops: "Ops[R]", d: R, y: R, x: R, offset: int, rows: Extent, columns: Extent) -> R:
    return ops.diagonal(d, offset)


def _place_batch(
    ops: "Ops[R]", size: int, mapped: Mapped, x: R, offset: int, rows: Extent, columns: Extent
) -> R:
    return ops.place_diagonal(x, offset, rows, columns)


TRIL: Final = declare(
    "tril",
    _infer_triangle,
    (linear(_tril_both, _tril_both, push_flow=Flow.PAD, pull_flow=Flow.PAD),),
    "linear",
    _tril_batch,
)
TRIU: Final = declare(
    "triu",
    _infer_triangle,
    (linear(_triu_both, _triu_both, push_flow=Flow.PAD, pull_flow=Flow.PAD),),
    "linear",
    _triu_batch,
)
DIAGONAL: Final = declare(
    "diagonal",
    _infer_diagonal,
    (linear(_diagonal_push, _diagonal_pull, push_flow=Flow.MOVE, pull_flow=Flow.PAD),),
    "linear",
    _diagonal_batch,
)
PLACE_DIAGONAL: Final = declare(
    "place_diagonal",
    _infer_place,
    (linear(_place_push, _place_pull, push_flow=Flow.PAD, pull_flow=Flow.MOVE),),
    "linear",
    _place_batch,
)


class Structural(Interpreter[R]):
    """The methods of this family. Axes are non-negative; sizes are what `ops.shape` gives."""

    def reshape(self, x: R, shape: Shape, /) -> R:
        return self.apply(RESHAPE, (x,), (shape,))

    def permute(self, x: R, axes: Axes, /) -> R:
        """Axis i of the result is axis axes[i] of x."""
        return self.apply(PERMUTE, (x,), (axes,))

    def broadcast(self, x: R, shape: Shape, /) -> R:
        """x repeated to a shape that it broadcasts to."""
        return self.apply(BROADCAST, (x,), (shape,))

    def slice(self, x: R, start: Shape, stop: Shape, step: Axes, /) -> R:
        """x[start:stop:step] in every axis; 0 <= start <= stop <= size, step >= 1."""
        return self.apply(SLICE, (x,), (start, stop, step))

    def pad(self, x: R, before: Shape, after: Shape, gaps: Axes, /) -> R:
        """x among zeros: `before` and `after` it, `gaps` between neighbours; none negative."""
        return self.apply(PAD, (x,), (before, after, gaps))

    def concat(self, xs: tuple[R, ...], axis: int, /) -> R:
        return self.apply(CONCAT, xs, (axis,))

    def flip(self, x: R, axes: Axes, /) -> R:
        return self.apply(FLIP, (x,), (axes,))

    def tril(self, x: R, offset: int, /) -> R:
        """x with zeros above the given diagonal of the last two axes."""
        return self.apply(TRIL, (x,), (offset,))

    def triu(self, x: R, offset: int, /) -> R:
        """x with zeros below the given diagonal of the last two axes."""
        return self.apply(TRIU, (x,), (offset,))

    def diagonal(self, x: R, offset: int, /) -> R:
        """A diagonal of the last two axes, as one last axis."""
        return self.apply(DIAGONAL, (x,), (offset,))

    def place_diagonal(self, x: R, offset: int, rows: Extent, columns: Extent, /) -> R:
        """The last axis of x on a diagonal of zeros: the transpose of `diagonal`."""
        return self.apply(PLACE_DIAGONAL, (x,), (offset, rows, columns))
