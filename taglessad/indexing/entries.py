"""What the parts of an index mean: positions, slices, new axes, arrays of positions, masks."""

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeIs

from taglessad.convert import as_handle, to_array
from taglessad.dims import Polynomial
from taglessad.dtypes import is_bool, is_integer
from taglessad.errors import ArgumentError, ConcretizationError, DTypeError
from taglessad.tensor import AnyTensor

WHAT = "index"

Entry: TypeAlias = int | Polynomial | slice | EllipsisType | NDArray[Any] | AnyTensor | None
"""An array holds integers, or truth values (a mask); a handle holds integers not known yet."""


def entries(index: object) -> list[Entry]:
    """The parts of an index, each made one of the few kinds that there are.

    Integers of rank 0 are positions, known handles are arrays. Raises DTypeError for numbers that
    are no integers, ConcretizationError for a mask whose value is not known, ArgumentError for
    what is no index and for two ellipses.
    """
    # Casts here: isinstance says nothing of the members.
    parts = cast("tuple[object, ...]", index) if isinstance(index, tuple) else (index,)
    found = [_entry(part) for part in parts]
    if sum(part is Ellipsis for part in found) > 1:
        raise ArgumentError(f"{WHAT}: an index has at most one '...'")
    return found


def is_handle(part: object) -> TypeIs[AnyTensor]:
    """Whether it is a handle, of whatever shape: isinstance would leave that unknown."""
    return isinstance(part, AnyTensor)


def _is_slice(part: object) -> TypeIs["slice[Any, Any, Any]"]:  # Any: bounds may be symbols
    return isinstance(part, slice)


def _entry(part: object) -> Entry:
    if part is None:
        return None
    if part is Ellipsis:
        return Ellipsis
    if type(part) is int or isinstance(part, Polynomial):
        return part
    if _is_slice(part):
        _check_bounds(part)
        return part
    if is_handle(part):
        return _of_handle(part)
    if isinstance(part, (list, tuple)):
        items = cast("Sequence[object]", part)
        if not items:
            return np.zeros(0, np.int64)
        if _holds_handle(items):
            return _of_handle(as_handle(items, WHAT, "an array of indices"))
        return _of_array(to_array(items, WHAT, "a part of the index"))
    return _of_array(_numbers(part))


def _check_bounds(part: "slice[Any, Any, Any]") -> None:  # Any: bounds may be symbols
    """Raises ConcretizationError for a bound whose value is not known."""
    for bound in (part.start, part.stop, part.step):
        if not is_handle(bound) or not is_integer(bound.dtype):
            continue
        if bound.ops.peek(bound.payload) is None:
            raise ConcretizationError(
                f"{WHAT}: a slice bound under {bound.ops!r}: its value is not known while the "
                "program is interpreted, and the bounds of a slice fix the shape of the result. "
                "For x[i:i+2] write x[i + np.arange(2)], or tad.take(x, i + np.arange(2), axis)"
            )


def _holds_handle(items: Sequence[object]) -> bool:
    return any(
        isinstance(i, AnyTensor)
        or (isinstance(i, (list, tuple)) and _holds_handle(cast("Sequence[object]", i)))
        for i in items
    )


def _numbers(part: object) -> NDArray[Any]:
    position = getattr(part, "__index__", None)
    if position is not None and not isinstance(part, (bool, np.ndarray, np.generic)):
        return np.asarray(position())
    return to_array(part, WHAT, "a part of the index")


def _of_handle(part: AnyTensor) -> Entry:
    value = part.ops.peek(part.payload)
    if value is not None:
        return _of_array(value)
    if is_bool(part.dtype):
        raise ConcretizationError(
            f"{WHAT}: a mask under {part.ops!r}, whose value is not known, chooses an unknown "
            "number of entries; write tad.where(mask, x, other), which keeps the shape"
        )
    if not is_integer(part.dtype):
        raise _no_index(part.dtype)
    return part


def _of_array(value: NDArray[Any]) -> Entry:
    if is_bool(value.dtype):
        return value
    if value.size == 0 and value.dtype == np.float64:
        return value.astype(np.int64)  # nested empty lists
    if not is_integer(value.dtype):
        raise _no_index(value.dtype)
    return int(value) if value.ndim == 0 else value


def _no_index(dtype: object) -> DTypeError:
    return DTypeError(
        f"{WHAT}: an array of dtype {dtype} is no index; indices are integers or truth values "
        "(write x.astype(tad.int64))"
    )
