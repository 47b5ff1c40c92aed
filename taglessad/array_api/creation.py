"""Arrays from numbers, lists and shapes.

What is made is a literal of the root that stands under the program, a constant to every transform.
float64, int64 and bool are the dtypes of Python numbers. `device` may be "cpu".
"""

import operator
from collections.abc import Iterable
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from taglessad import dtypes, shapes
from taglessad.array_api.devices import check_device
from taglessad.convert import (
    article,
    as_handle,
    from_array,
    holds_handle,
    is_python_number,
    literal_root,
    number,
    to_array,
)
from taglessad.dispatch import Real, as_real, cast, lift_all, meet
from taglessad.dtypes import DType, is_real
from taglessad.errors import ArgumentError, DomainError, ShapeError
from taglessad.levels import root_of
from taglessad.ops import Ops
from taglessad.shapes import Extent, Polynomial, Shape, Unknown
from taglessad.tensor import AnyTensor, Tensor, TensorLike, handle, known_size

ShapeArgument: TypeAlias = SupportsIndex | Extent | Iterable[SupportsIndex | Extent]
Number: TypeAlias = bool | int | float
T = TypeVar("T", bound=AnyTensor)


# --- from data -----------------------------------------------------------------------------------
def asarray(
    obj: TensorLike, /, dtype: object = None, *, copy: bool | None = None, device: object = None
) -> Any:  # Any: which of the three kinds of handle depends on the data
    """A handle of numbers, nested lists, NumPy arrays and what exports one.

    Handles stay as they are. Arrays are copied, so that later changes to them change nothing; with `copy=False`, which
    forbids that, they are a DomainError. Raises DTypeError for complex numbers and objects,
    ArgumentError for ragged lists and for what is no array.
    """
    check_device(device, "asarray")
    target = None if dtype is None else dtypes.resolve(dtype, "asarray")
    if copy is False and not holds_handle(obj):
        raise DomainError("asarray: a handle holds data of its own: copy=False cannot be kept")
    if is_python_number(obj):
        own = dtypes.of_number(obj) if target is None else target
        return from_array(number(obj, own, "asarray"))
    if target is not None and isinstance(obj, (list, tuple)) and not holds_handle(obj):
        return from_array(to_array(obj, "asarray", "obj", target))  # its numbers must fit
    t = as_handle(obj, "asarray", "obj")
    return t if target is None else _in_dtype(t, target)


def tensor(data: TensorLike, dtype: object = None) -> Any:  # Any: as asarray
    """A handle of numbers, nested lists and arrays: `asarray` under a shorter name."""
    return asarray(data, dtype)


def from_dlpack(x: Any, /, *, device: object = None, copy: bool | None = None) -> Any:
    """A handle of what another library exports by DLPack; the data is copied.

    Raises BufferError with `copy=False`, ArgumentError for an object without `__dlpack__`.
    """
    # Any: an object of another library in, one of three kinds of handle out.
    check_device(device, "from_dlpack")
    if isinstance(x, AnyTensor):
        return x  # pyright: ignore[reportUnknownVariableType]  # its shape is not known here
    if copy is False:
        raise BufferError("from_dlpack: a handle holds data of its own: copy=False cannot be kept")
    if not hasattr(x, "__dlpack__"):
        raise ArgumentError(
            f"from_dlpack: x is {article(x)}, which has no __dlpack__; use tad.asarray"
        )
    return asarray(np.from_dlpack(x))


def _in_dtype(x: AnyTensor, dtype: DType) -> Any:
    if x.dtype == dtype and not x.weak:
        return x
    return handle(x.ops, cast(x.ops, x.payload, x.dtype, dtype), dtype)


# --- one number everywhere -----------------------------------------------------------------------
@overload
def zeros(shape: ShapeArgument, dtype: None = None, *, device: object = None) -> Tensor: ...
@overload
def zeros(shape: ShapeArgument, dtype: object, *, device: object = None) -> Any: ...
def zeros(shape: ShapeArgument, dtype: object = None, *, device: object = None) -> Any:
    # Any: the class of the dtype's kind
    """Zeros of a shape; float64 unless told otherwise."""
    return _filled("zeros", literal_root(), shape, 0.0, dtype, device)


@overload
def ones(shape: ShapeArgument, dtype: None = None, *, device: object = None) -> Tensor: ...
@overload
def ones(shape: ShapeArgument, dtype: object, *, device: object = None) -> Any: ...
def ones(shape: ShapeArgument, dtype: object = None, *, device: object = None) -> Any:
    # Any: the class of the dtype's kind
    """Ones of a shape; float64 unless told otherwise."""
    return _filled("ones", literal_root(), shape, 1.0, dtype, device)


@overload
def empty(shape: ShapeArgument, dtype: None = None, *, device: object = None) -> Tensor: ...
@overload
def empty(shape: ShapeArgument, dtype: object, *, device: object = None) -> Any: ...
def empty(shape: ShapeArgument, dtype: object = None, *, device: object = None) -> Any:
    # Any: the class of the dtype's kind
    """Zeros: a program has no uninitialised memory."""
    return _filled("empty", literal_root(), shape, 0.0, dtype, device)


def full(
    shape: ShapeArgument, fill_value: TensorLike, dtype: object = None, *, device: object = None
) -> Any:  # Any: the kind is that of fill_value
    """One value everywhere, in its own dtype unless told otherwise.

    fill_value may be a handle, which derivatives pass through, of any shape that broadcasts to
    the new one.
    """
    if is_python_number(fill_value):
        own = dtypes.of_number(fill_value) if dtype is None else dtype
        return _filled("full", literal_root(), shape, fill_value, own, device)
    return _repeated("full", shape, fill_value, dtype, device)


def zeros_like(x: T, /, dtype: object = None, *, device: object = None) -> T:
    """Zeros of the shape and dtype of x."""
    return _like("zeros_like", x, 0.0, dtype, device)


def ones_like(x: T, /, dtype: object = None, *, device: object = None) -> T:
    """Ones of the shape and dtype of x."""
    return _like("ones_like", x, 1.0, dtype, device)


def empty_like(x: T, /, dtype: object = None, *, device: object = None) -> T:
    """Zeros of the shape and dtype of x: a program has no uninitialised memory."""
    return _like("empty_like", x, 0.0, dtype, device)


def full_like(x: T, /, fill_value: TensorLike, dtype: object = None, *, device: object = None) -> T:
    """One value everywhere, in the shape and dtype of x; fill_value as in `full`."""
    if is_python_number(fill_value):
        return _like("full_like", x, fill_value, dtype, device)
    t = as_handle(x, "full_like", "x")
    own = t.dtype if dtype is None else dtype
    return _repeated("full_like", t.shape, fill_value, own, device)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def repeated_like(x: AnyTensor, shape: Shape, value: float) -> Any:  # Any: of the kind of x
    """One number everywhere, over the interpreter and in the dtype of x, bfloat16 included."""
    root = root_of(x.ops)
    assert isinstance(root, Ops)
    half = dtypes.is_bfloat16(x.dtype)
    return _filled("full", root, shape, value, x.dtype, None, half)


def _repeated(
    what: str, shape: ShapeArgument, value: TensorLike, dtype: object, device: object
) -> Any:  # Any: the kind is that of the value
    check_device(device, what)
    x = as_handle(value, what, "fill_value")
    if dtype is not None:
        x = _in_dtype(x, dtypes.resolve(dtype, what, bfloat16=True))
    new = shapes.broadcast_to(x.shape, shapes.normalize_shape(shape, what), what=what)
    return handle(x.ops, x.ops.broadcast(x.payload, new), x.dtype)


def _like(what: str, x: T, value: Number, dtype: object, device: object) -> T:
    t = as_handle(x, what, "x")
    root = root_of(t.ops)
    assert isinstance(root, Ops)
    own = t.dtype if dtype is None else dtype
    # Statically the kind of x; at run time that of the dtype.
    half = dtypes.is_bfloat16(t.dtype)
    return _filled(what, root, t.shape, value, own, device, half)  # type: ignore[return-value]  # of the kind of the dtype


def _filled(
    what: str,
    ops: Ops[Any],
    shape: ShapeArgument,
    value: Number,
    dtype: object,
    device: object,
    bfloat16: bool = False,
) -> Tensor:
    """Statically a Tensor; its kind is that of the dtype, which may be bfloat16 if so said."""
    check_device(device, what)
    target = dtypes.float64 if dtype is None else dtypes.resolve(dtype, what, bfloat16=bfloat16)
    new = shapes.normalize_shape(shape, what)
    one = ops.const(_number_in(value, target, what))
    result: Tensor = handle(ops, ops.broadcast(one, new) if new else one, target)
    return result


def _number_in(value: Number, dtype: DType, what: str) -> NDArray[Any]:
    # A float fills an array of integers where it is one, as zeros and ones are.
    whole = isinstance(value, float) and not is_real(dtype) and value.is_integer()
    return number(int(value) if whole else value, dtype, what)


# --- regular patterns ----------------------------------------------------------------------------
def arange(
    start: Number | Extent,
    /,
    stop: Number | Extent | None = None,
    step: Number = 1,
    dtype: object = None,
    *,
    device: object = None,
) -> Any:  # Any: integers give an IntTensor
    """start, start + step, ... up to stop, exclusive: [ceil((stop - start) / step)] of them.

    With one argument it is the stop, and start is 0. Integers give int64, else float64. Raises
    DomainError for a step of 0.
    """
    check_device(device, "arange")
    begin, end = (0, start) if stop is None else (start, stop)
    if isinstance(begin, Polynomial | Unknown) or isinstance(end, Polynomial | Unknown):
        return _so_many(begin, end, step, dtype)
    first = _number(start, "arange", "start")
    last = None if stop is None else _number(stop, "arange", "stop")
    by = _number(step, "arange", "step")
    if by == 0:
        raise DomainError("arange: step is 0; it must lead from start to stop")
    values = np.arange(0, first, by) if last is None else np.arange(first, last, by)
    target = values.dtype if dtype is None else dtypes.resolve(dtype, "arange")
    return from_array(values.astype(target))


def _so_many(start: Any, stop: Any, step: Any, dtype: object) -> Any:
    """Where a size is a symbol, under Shape: how many numbers there are is all that is asked.

    Any: as `arange` takes them.
    """
    if not all(isinstance(n, int | Polynomial | Unknown) for n in (start, stop)):
        raise ArgumentError(f"arange: {start} and {stop} are no two sizes")
    if type(step) is not int or step < 1:
        raise ArgumentError(f"arange: a step along symbolic sizes is 1, 2, ..., not {step!r}")
    count: Extent = (stop - start + (step - 1)) // step
    return zeros((count,), dtypes.int64 if dtype is None else dtype)


def linspace(
    start: Real,
    stop: Real,
    /,
    num: SupportsIndex,
    endpoint: bool = True,
    *,
    dtype: object = None,
    device: object = None,
) -> Tensor:
    """`num` numbers evenly from start to stop, which is the last or, without `endpoint`, the next.

    Derivatives pass through start and stop where they are handles, of rank 0. float64 for Python
    numbers and integers.
    """
    check_device(device, "linspace")
    (count,) = shapes.normalize_shape((num,), "linspace")
    target = None if dtype is None else dtypes.resolve(dtype, "linspace")
    if isinstance(start, AnyTensor) or isinstance(stop, AnyTensor):
        return _between(start, stop, count, endpoint, target)
    first, last = _number(start, "linspace", "start"), _number(stop, "linspace", "stop")
    values = np.linspace(first, last, count, endpoint=endpoint)
    return from_array(values if target is None else values.astype(target))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _between(
    start: TensorLike, stop: TensorLike, count: int, endpoint: bool, dtype: DType | None
) -> Tensor:
    met = as_real(meet("linspace", (start, stop), ("start", "stop")))
    ops, (a, b) = met.ops, met.payloads
    if ops.shape(a) != () or ops.shape(b) != ():
        raise ShapeError(
            f"linspace: start and stop are numbers of shape [], not {shapes.show(ops.shape(a))} "
            f"and {shapes.show(ops.shape(b))}; use tad.vmap for several at once"
        )
    weights = np.linspace(0.0, 1.0, count, endpoint=endpoint).astype(met.dtype)
    w, rest = ops.const(weights), ops.const(1 - weights)
    y = ops.add(ops.mul(a, rest), ops.mul(b, w))
    target = met.dtype if dtype is None else dtype
    result: Tensor = handle(ops, cast(ops, y, met.dtype, target), target)
    return result


def eye(
    n_rows: SupportsIndex | Extent,
    n_cols: SupportsIndex | Extent | None = None,
    /,
    k: int = 0,
    dtype: object = None,
    *,
    device: object = None,
) -> Tensor:
    """Ones on the k-th diagonal of a matrix of zeros, [n_rows, n_cols]; square by default."""
    check_device(device, "eye")
    target = dtypes.float64 if dtype is None else dtypes.resolve(dtype, "eye")
    rows, cols = shapes.normalize_shape((n_rows, n_rows if n_cols is None else n_cols), "eye")
    ops = literal_root()
    one = ops.const(number(1, target, "eye"))
    offset = operator.index(k)
    length = rows if rows == cols and offset == 0 else _diagonal_length(rows, cols, offset)
    if length == 0:
        y = ops.broadcast(ops.scalar(0, one), (rows, cols))
    else:
        y = ops.place_diagonal(ops.broadcast(one, (length,)), offset, rows, cols)
    result: Tensor = handle(ops, y, target)
    return result


def _diagonal_length(rows: Extent, cols: Extent, k: int) -> int:
    r, c = known_size(rows, "eye"), known_size(cols, "eye")
    return max(0, min(r + min(k, 0), c - max(k, 0)))


def tril(x: T, /, k: int = 0) -> T:
    """x with zeros above the k-th diagonal of the last two axes."""
    return _triangle("tril", x, k)


def triu(x: T, /, k: int = 0) -> T:
    """x with zeros below the k-th diagonal of the last two axes."""
    return _triangle("triu", x, k)


def _triangle(name: str, x: T, k: int) -> T:
    t = as_handle(x, name, "x")
    if t.ndim < 2:
        raise ShapeError(f"{name}: shape {shapes.show(t.shape)} has no matrix in its last two axes")
    offset = operator.index(k)
    rows, cols = t.shape[-2:]
    if isinstance(rows, int) and isinstance(cols, int):
        offset = max(-rows, min(offset, cols))  # beyond these nothing changes any more
    y = getattr(t.ops, name)(t.payload, offset)
    return handle(t.ops, y, t.dtype, t.weak)  # type: ignore[no-any-return]  # its kind is kept


def meshgrid(*arrays: AnyTensor, indexing: Literal["xy", "ij"] = "xy") -> list[AnyTensor]:
    """Coordinates of the points of a grid, from the coordinates along each of its axes.

    Vectors of lengths n1, n2, n3, ... give arrays of shape [n1, n2, n3, ...] with "ij", of shape
    [n2, n1, n3, ...] with "xy". A number counts as a vector of one.
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    ops, handles = lift_all("meshgrid", arrays)
    lengths: list[Extent] = []
    for i, t in enumerate(handles):
        if t.ndim > 1:
            raise ShapeError(
                f"meshgrid: argument {i} has shape {shapes.show(t.shape)}; it must be a vector"
            )
        lengths.append(t.shape[0] if t.ndim else 1)
    order = list(range(len(handles)))
    if indexing == "xy":
        order[:2] = reversed(order[:2])
    grid = tuple(lengths[i] for i in order)
    results: list[AnyTensor] = []
    for i, t in enumerate(handles):
        lone: Shape = tuple(lengths[i] if j == i else 1 for j in order)
        y = ops.broadcast(ops.reshape(t.payload, lone), grid)
        results.append(handle(ops, y, t.dtype, t.weak))
    return results


def _number(value: TensorLike, what: str, name: str) -> Number:
    """A Python number of what stands for one.

    Raises ConcretizationError for a handle whose value is not known.
    """
    if isinstance(value, (bool, int, float)):
        return value
    t = as_handle(value, what, name)
    return t.item()
