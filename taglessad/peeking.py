"""Looking at the value behind a handle, where the interpreter lets program text do so."""

import builtins
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from taglessad.dtypes import DType, is_integer
from taglessad.errors import ArgumentError, ConcretizationError, DTypeError
from taglessad.ops import Ops
from taglessad.shapes import show


class Peeking:
    """What needs the number itself; a handle is the only class that has it."""

    __slots__ = ()

    if TYPE_CHECKING:
        ops: Ops[Any]  # Any: the interpreter's payload is its own affair
        payload: Any
        _dtype: DType

        @property
        def shape(self) -> tuple[Any, ...]: ...

    def _value(self, asked: str, also: str = "") -> NDArray[Any]:
        value = self.ops.peek(self.payload)
        if value is None:
            raise ConcretizationError(
                f"{asked} of a handle under {self.ops!r}: its value is not known while the program "
                "is interpreted. Write a choice as an operation (tad.where, tad.maximum, tad.cond, "
                f"tad.while_loop{also}), or differentiate the path that runs with "
                "tad.grad(f, tape=True)"
            )
        return value

    def item(self) -> bool | int | float:
        """The value of a one-entry handle as a Python number."""
        value = self._value("item()")
        if value.size != 1:
            raise ArgumentError(f"item: shape {show(self.shape)} has {value.size} entries, not 1")
        number: bool | int | float = value.item()
        return number

    def tolist(self) -> Any:  # Any: nested lists of numbers
        """The values as nested lists."""
        return self._value("tolist()").tolist()

    def _scalar(self, asked: str, also: str = "") -> NDArray[Any]:
        value = self._value(asked, also)
        if value.ndim != 0:
            raise ArgumentError(
                f"{asked} of a handle of shape {show(self.shape)}: only rank 0 is one number; take "
                "an entry, or reduce it (tad.any, tad.all, tad.sum)"
            )
        return value

    def __bool__(self) -> bool:
        return builtins.bool(self._scalar("bool()"))

    def __float__(self) -> float:
        return float(self._scalar("float()"))

    def __int__(self) -> int:
        return int(self._scalar("int()"))

    def __index__(self) -> int:
        if not is_integer(self._dtype):
            raise DTypeError(
                f"use as an index of a handle of dtype {self._dtype}: indices are integers; write "
                "x.astype(tad.int64)"
            )
        also = "; one of several functions: tad.switch; so many trips: tad.fori_loop"
        return int(self._scalar("use as an index", also))
