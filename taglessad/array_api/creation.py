"""Arrays from numbers, lists and shapes.

What is made is a literal of the root that stands under the program, a constant to every transform.
float64, int64 and bool are the dtypes of Python numbers. `device` may be "cpu".
"""

import operator
from collections.abc import Iterable
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from taglessad import dtypes, shapes
from taglessad.array_api.devices import check_device
from taglessad.convert import as_handle, from_array, literal_root, number, to_array
from taglessad.dispatch import cast, lift_all
from taglessad.dtypes import DType, is_real
from taglessad.errors import ArgumentError, DomainError, ShapeError
from taglessad.levels import root_of
from taglessad.ops import Ops
from taglessad.shapes import Extent, Shape
from taglessad.tensor import AnyTensor, TensorLike, handle

ShapeArgument: TypeAlias = SupportsIndex | Extent | Iterable[SupportsIndex | Extent]
Number: TypeAlias = bool | int | float


# --- from data -----------------------------------------------------------------------------------
def asarray(
    obj: TensorLike, /, dtype: object = None, *, copy: bool | None = None, device: object = None
) -> Any:  # Any: which of the three kinds of handle depends on the data
    """A handle of numbers, nested lists, NumPy arrays and what exports one; handles stay as they are.

    Arrays are copied, so that later changes to them change nothing; with `copy=False`, which
    forbids that, they are a DomainError. Raises DTypeError for complex numbers and objects,
    ArgumentError for ragged lists and for what is no array.
    """
    check_device(device, "asarray")
    target = None if dtype is None else dtypes.resolve(dtype, "asarray")
    if isinstance(obj, AnyTensor):
        return obj if target is None else _in_dtype(obj, target)
    if copy is False:
        raise DomainError("asarray: a handle holds data of its own: copy=False cannot be kept")
    if isinstance(obj, (bool, int, float)) and not isinstance(obj, np.generic):
        return from_array(number(obj, target or dtypes.of_number(obj), "asarray"))
    t = as_handle(obj, "asarray", "obj")
    return t if target is None else _in_dtype(t, target)


def tensor(data: TensorLike, dtype: object = None) -> Any:  # Any: as asarray
    """A handle of numbers, nested lists and arrays: `asarray` under a shorter name."""
    return asarray(data, dtype)


def from_dlpack(x: Any, /, *, device: object = None, copy: bool | None = None) -> Any:
    """A handle of what another library exports by DLPack; the data is copied.

    Raises BufferError with `copy=False`, AttributeError for an object without `__dlpack__`.
    """
    # Any: an object of another library in, one of three kinds of handle out.
    check_device(device, "from_dlpack")
    if isinstance(x, AnyTensor):
        return x
    if copy is False:
        raise BufferError("from_dlpack: a handle holds data of its own: copy=False cannot be kept")
    return asarray(np.from_dlpack(x))


def _in_dtype(x: AnyTensor, dtype: DType) -> Any:
    if x.dtype == dtype and not x.weak:
        return x
    return handle(x.ops, cast(x.ops, x.payload, x.dtype, dtype), dtype)


# --- one number everywhere -----------------------------------------------------------------------
def zeros(shape: ShapeArgument, dtype: object = None, *, device: object = None) -> Any:
    """Zeros of a shape; float64 unless told otherwise."""
    return _filled("zeros", literal_root(), shape, 0.0, dtype, device)


def ones(shape: ShapeArgument, dtype: object = None, *, device: object = None) -> Any:
    """Ones of a shape; float64 unless told otherwise."""
    return _filled("ones", literal_root(), shape, 1.0, dtype, device)


def empty(shape: ShapeArgument, dtype: object = None, *, device: object = None) -> Any:
    """Zeros: a program has no uninitialised memory."""
    return _filled("empty", literal_root(), shape, 0.0, dtype, device)
