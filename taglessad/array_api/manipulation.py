"""Entries in another arrangement: shape, order of axes, order along axes. All are linear.

x is of any dtype, which the result keeps. Axes may be negative; an axis that x does not have is an
IndexOutOfRange, one that is no integer or is given twice an ArgumentError.
"""

from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex, TypeAlias, overload

from taglessad import shapes
from taglessad.array_api.kinds import Kind, as_before
from taglessad.convert import as_handle
from taglessad.errors import ArgumentError
from taglessad.ops import Ops
from taglessad.shapes import Extent, Shape
from taglessad.shapes.axes import integer, several
from taglessad.tensor import AnyTensor

Axis: TypeAlias = SupportsIndex
Axes: TypeAlias = SupportsIndex | Iterable[SupportsIndex]
Sizes: TypeAlias = SupportsIndex | Extent | Iterable[SupportsIndex | Extent]


# --- shape ---------------------------------------------------------------------------------------
def reshape(x: Kind, /, shape: Sizes, *, copy: bool | None = None) -> Kind:
    """The same entries, in row-major order, in another shape; one size may be -1.

    Handles are immutable, so `copy` changes nothing. Raises ShapeError where the number of entries
    differs.
    """
    t = as_handle(x, "reshape", "x")
    new = shapes.normalize_shape(shape, "reshape", placeholder=True)
    return _reshaped(t, shapes.reshape(t.shape, new))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _reshaped(t: AnyTensor, shape: Shape) -> Any:  # Any: a handle of the kind of t
    return as_before(t, t.payload if t.shape == shape else t.ops.reshape(t.payload, shape))


def ravel(x: Kind, /) -> Kind:
    """The entries, in row-major order, along one axis."""
    t = as_handle(x, "ravel", "x")
    return _reshaped(t, (shapes.size(t.shape),))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def expand_dims(x: Kind, /, axis: Axes = 0) -> Kind:
    """With new axes of size 1; `axis` counts in the result."""
    t = as_handle(x, "expand_dims", "x")
    return _reshaped(t, shapes.expand_dims(t.shape, axis))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def squeeze(x: Kind, /, axis: Axes) -> Kind:
    """Without the given axes. Raises ShapeError for one whose size is not 1."""
    t = as_handle(x, "squeeze", "x")
    return _reshaped(t, shapes.squeeze(t.shape, axis))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _at_least(what: str, arrays: tuple[Any, ...], rank: int) -> Any:
    """Any: handles of the arrays' kinds; one array gives one handle, several a tuple."""
    made: list[Any] = []
    for i, x in enumerate(arrays):
        t = as_handle(x, what, f"argument {i}")
        missing = rank - t.ndim
        # As NumPy's: a vector becomes a row of a matrix, and the middle of three axes.
        behind = 1 if rank == 3 and 0 < t.ndim < 3 else 0
        front = max(missing - behind, 0)
        made.append(_reshaped(t, (*(1,) * front, *t.shape, *(1,) * min(behind, max(missing, 0)))))
    return made[0] if len(made) == 1 else tuple(made)


@overload
def atleast_1d(x: Kind, /) -> Kind: ...
@overload
def atleast_1d(x: AnyTensor, y: AnyTensor, /, *arrays: AnyTensor) -> tuple[AnyTensor, ...]: ...
def atleast_1d(*arrays: AnyTensor) -> Any:
    """A number as a vector of one entry. Several arrays give a tuple."""
    return _at_least("atleast_1d", arrays, 1)


@overload
def atleast_2d(x: Kind, /) -> Kind: ...
@overload
def atleast_2d(x: AnyTensor, y: AnyTensor, /, *arrays: AnyTensor) -> tuple[AnyTensor, ...]: ...
def atleast_2d(*arrays: AnyTensor) -> Any:
    """A number or a vector as a matrix of one row. Several arrays give a tuple."""
    return _at_least("atleast_2d", arrays, 2)


@overload
def atleast_3d(x: Kind, /) -> Kind: ...
@overload
def atleast_3d(x: AnyTensor, y: AnyTensor, /, *arrays: AnyTensor) -> tuple[AnyTensor, ...]: ...
def atleast_3d(*arrays: AnyTensor) -> Any:
    """With three axes at least: [N] becomes [1, N, 1], [M, N] [M, N, 1]. Several give a tuple."""
    return _at_least("atleast_3d", arrays, 3)


# --- order of axes -------------------------------------------------------------------------------
def _permuted(t: AnyTensor, axes: tuple[int, ...]) -> Any:  # Any: a handle of the kind of t
    if axes == tuple(range(len(axes))):
        return t
    return as_before(t, t.ops.permute(t.payload, axes))


def permute_dims(x: Kind, /, axes: Sequence[Axis] | None = None) -> Kind:
    """Axis i of the result is axis axes[i] of x; None reverses their order.

    Raises ShapeError where the axes are too few or too many.
    """
    t = as_handle(x, "permute_dims", "x")
    shapes.permute(t.shape, axes)
    if axes is None:
        return _permuted(t, tuple(range(t.ndim))[::-1])  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    return _permuted(t, shapes.normalize_axes(axes, t.shape, "permute_dims"))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def moveaxis(x: Kind, source: Axes, destination: Axes, /) -> Kind:
    """With some axes moved to other places; the rest keep their order.

    Raises ArgumentError where the numbers of sources and destinations differ.
    """
    t = as_handle(x, "moveaxis", "x")
    old = shapes.normalize_axes(source, t.shape, "moveaxis")
    new = shapes.normalize_axes(destination, t.shape, "moveaxis")
    if len(old) != len(new):
        raise ArgumentError(
            f"moveaxis: {len(old)} axes {source} and {len(new)} destinations {destination}"
        )
    order = [axis for axis in range(t.ndim) if axis not in old]
    for place, axis in sorted(zip(new, old, strict=True)):
        order.insert(place, axis)
    return _permuted(t, tuple(order))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def swapaxes(x: Kind, axis1: Axis, axis2: Axis, /) -> Kind:
    """With two axes exchanged."""
    t = as_handle(x, "swapaxes", "x")
    i = shapes.normalize_axis(axis1, t.shape, "swapaxes")
    j = shapes.normalize_axis(axis2, t.shape, "swapaxes")
    order = list(range(t.ndim))
    order[i], order[j] = j, i
    return _permuted(t, tuple(order))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


# --- order along axes ----------------------------------------------------------------------------
def flip(x: Kind, /, axis: Axes | None = None) -> Kind:
    """With the order of the entries reversed along axes (all by default)."""
    t = as_handle(x, "flip", "x")
    axes = shapes.normalize_axes(axis, t.shape, "flip")
    return as_before(t, t.ops.flip(t.payload, axes) if axes else t.payload)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def roll(x: Kind, /, shift: Axes, axis: Axes | None = None) -> Kind:
    """With the entries moved along axes, those pushed out at one end coming in at the other.

    Without an axis the entries are moved as if they stood along one. Raises ArgumentError where
    there are several shifts for another number of axes.
    """
    t = as_handle(x, "roll", "x")
    shifts = [integer(s, "roll", "shift") for s in several(shift)]
    if axis is None:
        if len(shifts) != 1:
            raise ArgumentError(f"roll: {len(shifts)} shifts {shift} without axes")
        flat = t.ops.reshape(t.payload, (shapes.size(t.shape),))
        y = t.ops.reshape(rolled(t.ops, flat, shifts[0], 0), t.shape)
        return as_before(t, y)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    axes = [shapes.normalize_axis(a, t.shape, "roll") for a in several(axis)]
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(shifts) != len(axes):
        raise ArgumentError(f"roll: {len(shifts)} shifts {shift} for {len(axes)} axes {axis}")
    y = t.payload
    for by, along in zip(shifts, axes, strict=True):
        y = rolled(t.ops, y, by, along)
    return as_before(t, y)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def rolled(ops: Ops[Any], x: Any, shift: int, axis: int) -> Any:
    """Entries moved along one axis. Any: payloads of `ops`."""
    shape = ops.shape(x)
    n = shape[axis]
    if not isinstance(n, int) or n == 0 or shift % n == 0:
        return x  # of a symbolic size only the shape counts
    zeros, ones = (0,) * len(shape), (1,) * len(shape)
    cut = n - shift % n
    start = tuple(cut if i == axis else 0 for i in range(len(shape)))
    stop = tuple(cut if i == axis else m for i, m in enumerate(shape))
    back, front = ops.slice(x, start, shape, ones), ops.slice(x, zeros, stop, ones)
    return ops.concat((back, front), axis)
