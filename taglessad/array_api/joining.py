"""Several arrays joined, one array taken apart, repeated or padded. All are linear.

Arrays that are joined come to their common dtype. Axes may be negative; an axis that is not there
is an IndexOutOfRange. Raises ShapeError for shapes that do not fit together.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, SupportsIndex, TypeAlias

import numpy as np

from taglessad import shapes
from taglessad.array_api.kinds import Kind, as_before
from taglessad.convert import as_handle, to_array
from taglessad.dispatch import Operands, meet
from taglessad.dtypes import is_integer
from taglessad.errors import ArgumentError, ConcretizationError, ShapeError
from taglessad.shapes import Extent, Shape
from taglessad.shapes.axes import several
from taglessad.tensor import AnyTensor, TensorLike, handle

Axis: TypeAlias = SupportsIndex
Repeats: TypeAlias = SupportsIndex | Extent | Iterable[SupportsIndex | Extent]


# --- joining and taking apart --------------------------------------------------------------------
def _met(what: str, arrays: Sequence[Any]) -> Operands:
    if isinstance(arrays, AnyTensor):
        arrays = unstack(arrays)
    if not arrays:
        raise ArgumentError(f"{what}: no arrays to join")
    return meet(what, arrays, [f"array {i}" for i in range(len(arrays))])


def concat(arrays: Sequence[Kind], /, axis: Axis | None = 0) -> Kind:
    """The arrays one behind the other along an axis; None flattens them first.

    Raises ShapeError where they differ away from the axis, ArgumentError where there are none.
    """
    met = _met("concat", arrays)
    ops, parts = met.ops, met.payloads
    own = [ops.shape(p) for p in parts]
    shapes.concat(own, axis)
    if axis is None:
        parts = tuple(ops.reshape(p, (shapes.size(s),)) for p, s in zip(parts, own, strict=True))
    along = 0 if axis is None else shapes.normalize_axis(axis, own[0], "concat")
    y = parts[0] if len(parts) == 1 else ops.concat(parts, along)
    return handle(ops, y, met.dtype, met.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def stack(arrays: Sequence[Kind], /, axis: Axis = 0) -> Kind:
    """The arrays side by side along a new axis, which counts in the result.

    Raises ShapeError where their shapes differ, ArgumentError where there are none.
    """
    met = _met("stack", arrays)
    ops = met.ops
    whole = shapes.stack([ops.shape(p) for p in met.payloads], axis)
    along = shapes.normalize_axis(axis, whole, "stack")
    thin = tuple(1 if i == along else n for i, n in enumerate(whole))
    parts = tuple(ops.reshape(p, thin) for p in met.payloads)
    y = parts[0] if len(parts) == 1 else ops.concat(parts, along)
    return handle(ops, y, met.dtype, met.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def unstack(x: Kind, /, *, axis: Axis = 0) -> tuple[Kind, ...]:
    """The slices along an axis, without it. Raises ShapeError where its size is not known."""
    return _parts(as_handle(x, "unstack", "x"), axis)


def _parts(t: AnyTensor, axis: Axis) -> tuple[Any, ...]:  # Any: handles of the kind of t
    ops, shape = t.ops, t.shape
    along = shapes.normalize_axis(axis, shape, "unstack")
    n = shape[along]
    if not isinstance(n, int):
        raise ConcretizationError(f"unstack: axis {axis} of {shapes.show(shape)} is a symbol")
    rest = (*shape[:along], *shape[along + 1 :])
    made: list[Any] = []
    for place in range(n):
        start = tuple(place if i == along else 0 for i in range(len(shape)))
        stop = tuple(place + 1 if i == along else m for i, m in enumerate(shape))
        part = ops.slice(t.payload, start, stop, (1,) * len(shape))
        made.append(as_before(t, ops.reshape(part, rest)))
    return tuple(made)


# --- repeating -----------------------------------------------------------------------------------
def repeat(x: Kind, repeats: Repeats, /, axis: Axis | None = None) -> Kind:
    """With each entry along an axis repeated; None flattens first.

    repeats: one number, or one for each entry, whose values must be known (ConcretizationError),
    since the result's shape depends on them. Raises ShapeError for another number of them and for
    negative ones, ArgumentError for what is no integer.
    """
    t = as_handle(x, "repeat", "x")
    return as_before(t, _repeated(t, _times(repeats), axis))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _repeated(t: AnyTensor, times: Any, axis: Axis | None) -> Any:
    # Any: whatever stands for integers in, a payload out.
    ops, y = t.ops, t.payload
    shape: Shape = t.shape
    new = shapes.repeat(shape, times, axis)
    if axis is None:
        shape = (shapes.size(shape),)
        y = ops.reshape(y, shape)
    along = shapes.normalize_axis(0 if axis is None else axis, shape, "repeat")
    counts = several(times)
    if len(counts) == 1:
        front, n, back = shape[:along], shape[along], shape[along + 1 :]
        thin = ops.reshape(y, (*front, n, 1, *back))
        return ops.reshape(ops.broadcast(thin, (*front, n, counts[0], *back)), new)
    numbers = [int(c) for c in counts if isinstance(c, int)]
    source = np.repeat(np.arange(len(counts)), numbers)
    return ops.take(y, ops.const(source), along)


def _times(repeats: Any) -> Any:  # Any: whatever stands for integers; integers come back
    if isinstance(repeats, AnyTensor):
        value = repeats.ops.peek(repeats.payload)
        if value is None:
            raise ConcretizationError(
                f"repeat: repeats is a handle under {repeats.ops!r}: the shape of the result "
                "would depend on its value; give Python integers, or a NumPy array"
            )
        repeats = value
    if isinstance(repeats, (np.ndarray, list, tuple)):
        array = to_array(repeats, "repeat", "repeats")
        if not is_integer(array.dtype) and array.size:
            raise ArgumentError(f"repeat: repeats has dtype {array.dtype}; it must hold integers")
        return int(array) if array.ndim == 0 else [int(n) for n in array.ravel()]
    return repeats


def tile(x: Kind, repetitions: Repeats, /) -> Kind:
    """x laid repetitions[i] times along axis i, the axes aligned at the back.

    Raises ArgumentError for a number of times that is no integer, ShapeError for a negative one.
    """
    t = as_handle(x, "tile", "x")
    return as_before(t, _tiled(t, repetitions))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _tiled(t: AnyTensor, repetitions: Repeats) -> Any:  # Any: a payload
    new = shapes.tile(t.shape, repetitions)
    times = shapes.normalize_shape(repetitions, "tile")
    rank = len(new)
    sizes = (*(1,) * (rank - t.ndim), *t.shape)
    times = (*(1,) * (rank - len(times)), *times)
    thin = tuple(m for n in sizes for m in (1, n))
    thick = tuple(m for k, n in zip(times, sizes, strict=True) for m in (k, n))
    ops = t.ops
    y = ops.broadcast(ops.reshape(t.payload, thin), thick)
    return ops.reshape(y, new)


# --- padding -------------------------------------------------------------------------------------
PadWidth: TypeAlias = int | Sequence[int] | Sequence[Sequence[int]]
PAD_MODES: Final = ("constant", "edge", "reflect", "symmetric", "wrap")


def pad(
    x: Kind, /, pad_width: PadWidth, mode: str = "constant", *, constant_values: TensorLike = 0
) -> Kind:
    """x with a border of one number, or of its own entries.

    pad_width: one number for every side, (before, after) for every axis, or such a pair for each
    axis. mode: "constant"; "edge", the first and the last entry; "reflect", the entries as in a
    mirror at these; "symmetric", the same in a mirror beside them; "wrap", those from the other
    end. constant_values: the number, brought to the dtype of x. Raises ArgumentError for another
    mode, and for constant_values in another; ShapeError for negative widths, for another number of
    them, and for an axis with no entries to repeat.
    """
    if mode not in PAD_MODES:
        raise ArgumentError(f"pad: mode {mode!r} is none of {PAD_MODES}")
    t = as_handle(x, "pad", "x")
    before, after = _widths(pad_width, t.ndim)
    new = shapes.pad(t.shape, before, after)
    zero = isinstance(constant_values, (int, float)) and constant_values == 0
    if mode != "constant":
        if not zero:
            raise ArgumentError(f"pad: constant_values is for mode 'constant', not {mode!r}")
        return as_before(t, _extended(t, before, after, mode))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    gaps = (0,) * t.ndim
    if zero:
        return as_before(t, t.ops.pad(t.payload, before, after, gaps))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    met = meet("pad", (t, constant_values), ("x", "constant_values"))
    if met.dtype != t.dtype or met.ops.shape(met.payloads[1]) != ():
        raise ArgumentError(f"pad: constant_values must be one number that dtype {t.dtype} holds")
    ops, (y, border) = met.ops, met.payloads
    inside = ops.broadcast(ops.const(np.asarray(True)), t.shape)
    padded = ops.pad(y, before, after, gaps)
    y = ops.where(ops.pad(inside, before, after, gaps), padded, ops.broadcast(border, new))
    return handle(ops, y, met.dtype, met.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _extended(t: AnyTensor, before: tuple[int, ...], after: tuple[int, ...], mode: str) -> Any:
    """Entries taken again at the ends of each axis. Any: a payload."""
    ops, y = t.ops, t.payload
    for axis, (n, a, b) in enumerate(zip(t.shape, before, after, strict=True)):
        if a == b == 0:
            continue
        if n == 0:
            raise ShapeError(
                f"pad: axis {axis} of shape {shapes.show(t.shape)} has no entries for mode {mode!r}"
            )
        if isinstance(n, int):
            # Any: NumPy's overloads want the mode as a literal.
            whole: Any = mode
            index = ops.const(np.pad(np.arange(n), (a, b), whole))
        else:  # of a symbolic size only the shape counts
            index = ops.broadcast(ops.const(np.asarray(0)), (n + a + b,))
        y = ops.take(y, index, axis)
    return y


def _widths(pad_width: PadWidth, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    try:
        pairs = np.broadcast_to(np.asarray(pad_width), (rank, 2))
    except ValueError:
        raise ArgumentError(
            f"pad: pad_width {pad_width!r} for {rank} axes; give a number, (before, after), or "
            "one such pair for each axis"
        ) from None
    if pairs.dtype.kind not in "iu" and pairs.size:
        raise ArgumentError(f"pad: pad_width {pad_width!r} must hold integers")
    return tuple(int(a) for a, _ in pairs), tuple(int(b) for _, b in pairs)
