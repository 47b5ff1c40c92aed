"""x.at[index]: updates that give a new handle, and readings with a say in what is out of range."""

from typing import Any, Final, Generic, TypeVar

import numpy as np

from taglessad.convert import as_handle, number
from taglessad.dispatch import cast, interpreter_of, lifted
from taglessad.dtypes import DType, is_bool, is_real
from taglessad.errors import DTypeError, ShapeError
from taglessad.indexing.entries import is_handle
from taglessad.indexing.plan import Plan, plan
from taglessad.indexing.positions import check_mode
from taglessad.ops import Ops
from taglessad.shapes import Shape, broadcast_to, show
from taglessad.tensor import AnyTensor, TensorLike, handle

T = TypeVar("T", bound=AnyTensor)

_KIND: Final = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2}  # V: bfloat16
# The primitive that updates single slices, and the elementwise one for a region.
_SCATTER: Final = {
    "set": "set_at",
    "add": "add_at",
    "multiply": "multiply_at",
    "min": "min_at",
    "max": "max_at",
}
_ELEMENTWISE: Final = {"add": "add", "multiply": "mul", "min": "minimum", "max": "maximum"}


class At(Generic[T]):
    """x.at: to be indexed."""

    __slots__ = ("_x",)

    def __init__(self, x: T) -> None:
        self._x = x

    def __getitem__(self, index: object) -> "Indexed[T]":
        return Indexed(self._x, index)


class Indexed(Generic[T]):
    """x.at[index]: what can be done with those entries. An index is as in x[index].

    Values broadcast to the shape of x[index] and take the dtype of x. Raises ShapeError where they
    do not broadcast, DTypeError for real numbers into integers or integers into truth values,
    ArgumentError for a mode that there is not, else as x[index]. mode says what an index out of
    range means: None or "promise_in_bounds", an error where it is seen; "clip", the nearest entry;
    "drop" or "fill", an update left out, a reading of `fill_value`. Value and derivative agree in
    every mode.
    """

    __slots__ = ("_index", "_x")

    def __init__(self, x: T, index: object) -> None:
        self._x = x
        self._index = index

    def set(self, values: TensorLike, /, *, mode: str | None = None) -> T:
        """x with the entries replaced; of several values for one entry the last one counts.

        What is overwritten contributes nothing to derivatives.
        """
        return self._updated("set", values, mode)

    def add(self, values: TensorLike, /, *, mode: str | None = None) -> T:
        """x with values added to the entries: all of them, where an entry is named repeatedly."""
        return self._updated("add", values, mode)

    def multiply(self, values: TensorLike, /, *, mode: str | None = None) -> T:
        """x with the entries multiplied by values, by all of them where an entry repeats.

        The derivative is right where values are zero; it sorts them by entry and takes time and
        memory k log k for k values.
        """
        return self._updated("multiply", values, mode)

    def min(self, values: TensorLike, /, *, mode: str | None = None) -> T:
        """x with the entries lowered to values; ties share the derivative equally."""
        return self._updated("min", values, mode)

    def max(self, values: TensorLike, /, *, mode: str | None = None) -> T:
        """x with the entries raised to values; ties share the derivative equally."""
        return self._updated("max", values, mode)

    def get(self, *, mode: str | None = None, fill_value: TensorLike = None) -> AnyTensor:
        """The entries. Where the mode is "fill" or "drop" and an index is out of range: fill_value.

        It is NaN by default; of integers the least, or the largest if unsigned; True of bools.
        """
        what = "at.get"
        check_mode(mode, what)
        x = self._x
        found = plan(self._index, x.shape, mode)
        filling = mode in ("fill", "drop")
        wanted = _filler(x.dtype) if fill_value is None else fill_value
        fill = as_handle(wanted, what, "fill_value")
        ops = interpreter_of([x, *found.handles(), *([fill] if filling else [])])
        y = found.region.read(ops, lifted(ops, x))
        gather = found.gather(ops, mode)
        if gather is not None and filling:
            y = gather.read_or_fill(ops, y, _values(ops, x, fill, (), what))
        elif gather is not None:
            y = gather.read(ops, y)
        return handle(ops, y, x.dtype, x.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any

    def _updated(self, name: str, values: TensorLike, mode: str | None) -> T:
        what = f"at.{name}"
        check_mode(mode, what)
        x = self._x
        if is_bool(x.dtype) and name in ("add", "multiply"):
            raise DTypeError(f"{what}: x holds truth values; use set, min (and) or max (or)")
        given = as_handle(values, what, "values")
        masked = _under_mask(self._index, x, given)
        if masked is not None:
            ops = interpreter_of([x, given, masked])
            y = _where(ops, name, x, masked, given, what)
            return handle(ops, y, x.dtype, x.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
        found = plan(self._index, x.shape, mode)
        ops = interpreter_of([x, given, *found.handles()])
        y = _written(ops, name, x, found, given, mode, what)
        return handle(ops, y, x.dtype, x.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _written(
    ops: Ops[Any],
    name: str,
    x: AnyTensor,
    found: Plan,
    values: AnyTensor,
    mode: str | None,
    what: str,
) -> Any:
    """Any: a payload of `ops`."""
    region, payload = found.region, lifted(ops, x)
    gather = found.gather(ops, mode)
    if gather is not None:
        box = region.read(ops, payload)
        new = _values(ops, x, values, gather.result(ops), what)
        drop = mode in ("fill", "drop")
        return region.write(ops, payload, gather.update(ops, box, new, _SCATTER[name], drop))
    new = _values(ops, x, values, region.box, what)
    if name != "set":
        new = getattr(ops, _ELEMENTWISE[name])(region.read(ops, payload), new)
    return region.write(ops, payload, new)


def _values(ops: Ops[Any], x: AnyTensor, values: AnyTensor, shape: Shape, what: str) -> Any:
    """Values in the dtype of x and in a shape. Any: a payload of `ops`."""
    if _KIND[values.dtype.kind] > _KIND[x.dtype.kind]:
        raise DTypeError(
            f"{what}: values of dtype {values.dtype} do not go into x of dtype {x.dtype}; write "
            f"x.astype(tad.{values.dtype}), or convert the values"
        )
    payload = _cast(ops, values, x.dtype, what)
    if ops.shape(payload) == shape:
        return payload
    broadcast_to(values.shape, shape, what)
    return ops.broadcast(payload, shape)


def _cast(ops: Ops[Any], values: AnyTensor, dtype: DType, what: str) -> Any:
    known = values.ops.literal(values.payload) if values.weak else None
    if known is not None:  # Python numbers must fit
        return ops.const(number(known.tolist(), dtype, what))
    return cast(ops, lifted(ops, values), values.dtype, dtype)


def _filler(dtype: DType) -> Any:  # Any: a NumPy number
    if is_real(dtype):
        return np.asarray(np.nan, dtype)
    if is_bool(dtype):
        return np.asarray(True)
    info = np.iinfo(dtype)
    return np.asarray(info.min if info.min else info.max, dtype)


def _under_mask(index: object, x: AnyTensor, values: AnyTensor) -> AnyTensor | None:
    """The index, where it is a mask whose value is not known and one number is to go there."""
    if not is_handle(index) or not is_bool(index.dtype) or values.shape != ():
        return None
    if index.ops.peek(index.payload) is not None:
        return None
    if x.shape[: index.ndim] != index.shape:
        raise ShapeError(
            f"index: a mask of shape {show(index.shape)} on an array of shape {show(x.shape)}"
        )
    return index


def _where(
    ops: Ops[Any], name: str, x: AnyTensor, mask: AnyTensor, values: AnyTensor, what: str
) -> Any:
    """The update as a choice. Any: a payload of `ops`."""
    payload = lifted(ops, x)
    new = _values(ops, x, values, (), what)
    if name != "set":
        new = getattr(ops, _ELEMENTWISE[name])(payload, new)
    behind = (1,) * (x.ndim - mask.ndim)
    return ops.where(ops.reshape(lifted(ops, mask), (*mask.shape, *behind)), new, payload)
