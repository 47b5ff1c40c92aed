"""Functions of dtypes: conversion, promotion, limits.

A dtype is given as `float32` and its kin, a NumPy dtype, its name, or Python's bool, int, float.
"""

from typing import Final, NamedTuple, TypeAlias

import numpy as np

from taglessad import dtypes
from taglessad.array_api.devices import check_device
from taglessad.convert import as_handle, is_python_number
from taglessad.dispatch import cast
from taglessad.dtypes import DType, is_integer, is_real
from taglessad.errors import ArgumentError, DTypeError
from taglessad.tensor import AnyTensor, handle


def astype(
    x: AnyTensor, dtype: object, /, *, copy: bool = True, device: object = None
) -> AnyTensor:
    """x in another dtype; real numbers lose their fraction on the way to integers.

    Derivatives pass between real dtypes; through integers and bools they end. `copy` changes
    nothing, since handles are immutable.
    """
    check_device(device, "astype")
    t = as_handle(x, "astype", "x")
    target = dtypes.resolve(dtype, "astype", bfloat16=True)
    if t.dtype == target and not t.weak:
        return t
    return handle(t.ops, cast(t.ops, t.payload, t.dtype, target), target)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def can_cast(from_: object, to: object, /) -> bool:
    """Whether promotion takes the first dtype, or an array's, to the second."""
    target = dtypes.resolve(to, "can_cast", bfloat16=True)
    return dtypes.promote(_dtype_of(from_, "can_cast"), target) == target


def result_type(*arrays_and_dtypes: object) -> DType:
    """The dtype in which arrays, Python numbers and dtypes meet.

    Raises ArgumentError without an argument.
    """
    if not arrays_and_dtypes:
        raise ArgumentError("result_type: give at least one array, number or dtype")
    return dtypes.result_type(_kind_of(x) for x in arrays_and_dtypes)[0]


def _kind_of(x: object) -> tuple[DType, bool]:
    """dtype, and whether it is weak."""
    if isinstance(x, AnyTensor):
        return x.dtype, x.weak
    if is_python_number(x):
        return dtypes.of_number(x), True
    return _dtype_of(x, "result_type"), False


def _dtype_of(value: object, what: str) -> DType:
    """The dtype itself, or an array's."""
    if isinstance(value, AnyTensor):
        return value.dtype
    if isinstance(value, (np.ndarray, np.generic)):
        # Its type parameters are not known here.
        return dtypes.check(np.result_type(value), what)  # pyright: ignore[reportUnknownArgumentType]
    return dtypes.resolve(value, what, bfloat16=True)


Kind: TypeAlias = str | DType | type
_KINDS: Final[dict[str, tuple[DType, ...]]] = {
    "bool": (dtypes.bool_,),
    "signed integer": dtypes.SIGNED,
    "unsigned integer": dtypes.UNSIGNED,
    "integral": (*dtypes.SIGNED, *dtypes.UNSIGNED),
    "real floating": dtypes.REAL,
    "complex floating": (),
    "numeric": (*dtypes.SIGNED, *dtypes.UNSIGNED, *dtypes.REAL),
}


def isdtype(dtype: object, kind: Kind | tuple[Kind, ...]) -> bool:
    """Whether a dtype is of a kind: a dtype, a name of the standard's, or a tuple of them.

    The names are "bool", "signed integer", "unsigned integer", "integral", "real floating",
    "complex floating" and "numeric". Raises ArgumentError for another.
    """
    own = dtypes.resolve(dtype, "isdtype", bfloat16=True)
    alike = dtypes.float32 if dtypes.is_bfloat16(own) else own  # of the same kinds
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return any((alike if isinstance(k, str) else own) in _members(k) for k in kinds)


def _members(kind: Kind) -> tuple[DType, ...]:
    if not isinstance(kind, str):
        return (dtypes.resolve(kind, "isdtype", bfloat16=True),)
    if kind not in _KINDS:
        raise ArgumentError(f"isdtype: {kind!r} is no kind; kinds are {', '.join(_KINDS)}")
    return _KINDS[kind]


class FloatInfo(NamedTuple):
    """The limits of a floating dtype, as Python floats."""

    dtype: DType
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float


class IntegerInfo(NamedTuple):
    """The limits of an integer dtype."""

    dtype: DType
    bits: int
    max: int
    min: int


def finfo(type: object, /) -> FloatInfo:
    """The limits of a floating dtype, or of an array's. Raises DTypeError for other dtypes."""
    dtype = _dtype_of(type, "finfo")
    if not is_real(dtype):
        raise DTypeError(f"finfo: {dtype} is no floating dtype; use iinfo for integers")
    if dtypes.is_bfloat16(dtype):
        top = float(np.ldexp(255, 120))
        return FloatInfo(dtype, 16, dtypes.eps(dtype), top, -top, dtypes.smallest_normal(dtype))
    info = np.finfo(dtype)
    largest, least = float(info.max), float(info.min)
    return FloatInfo(dtype, info.bits, float(info.eps), largest, least, float(info.smallest_normal))


def iinfo(type: object, /) -> IntegerInfo:
    """The limits of an integer dtype, or of an array's. Raises DTypeError for other dtypes."""
    dtype = _dtype_of(type, "iinfo")
    if not is_integer(dtype):
        raise DTypeError(f"iinfo: {dtype} is no integer dtype; use finfo for real ones")
    info = np.iinfo(dtype)
    return IntegerInfo(dtype, info.bits, int(info.max), int(info.min))
