"""Looking at the value behind a handle, where the interpreter lets program text do so.

Python numbers and NumPy arrays carry no derivative. A choice needs the number all the same, so that
under a tape that lets values be looked at `float()`, `int()`, `item()` give it; arrays are computed
with, so that one of a value whose derivative is being recorded is an error.
"""

import builtins
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import NDArray

from taglessad.dtypes import DType, is_integer, is_real
from taglessad.errors import ArgumentError, ConcretizationError, DTypeError
from taglessad.ops import Ops
from taglessad.shapes import show

_LOOK: Final = "to look at a value, return it with has_aux=True"
_NUMBERS: Final = (
    "As a Python number it would lose the derivative: compute with handles (tad.sin for math.sin, "
    "tad.floor for int(), tad.stack or tad.asarray for a list of them; tad.where, tad.cond for a "
    f"choice); {_LOOK}"
)
_HANDLES: Final = (
    "compute with handles (tad.sin for np.sin, tad.stack or tad.asarray for a list of them, "
    "x.at[index].set(value) for x[index] = value)"
)
_ARRAYS: Final = f"As an array it would lose the derivative: {_HANDLES}; {_LOOK}"
_INDEX: Final = "Compute with handles; an entry of a NumPy array: tad.asarray(array)[index]"


def _choice(also: str = "") -> str:
    return (
        f"Write a choice as an operation (tad.where, tad.maximum, tad.cond, tad.while_loop{also}), "
        "or differentiate the path that runs with tad.grad(f, tape=True)"
    )


class Peeking:
    """What needs the number itself; a handle is the only class that has it."""

    __slots__ = ()

    if TYPE_CHECKING:
        ops: Ops[Any]  # Any: the interpreter's payload is its own affair
        payload: Any
        _dtype: DType

        @property
        def shape(self) -> tuple[Any, ...]: ...

    def _value(self, asked: str, instead: str) -> NDArray[Any]:
        value = self.ops.peek(self.payload)
        if value is None:
            raise ConcretizationError(
                f"{asked} of a handle under {self.ops!r}: its value is not known while the program "
                f"is interpreted. {instead}"
            )
        return value

    def _seen(self, asked: str) -> NDArray[Any]:
        return self._value(asked, _choice())

    def _number(self, asked: str) -> NDArray[Any]:
        # Integers and truth values have no derivative to lose: what they give is a choice.
        return self._value(asked, _NUMBERS if is_real(self._dtype) else _choice())

    def _array(self, asked: str) -> NDArray[Any]:
        """The value as an array. Raises ConcretizationError where the derivative would be lost."""
        value = self._value(asked, _ARRAYS if is_real(self._dtype) else _INDEX)
        if self.ops.differentiates(self.payload):
            raise ConcretizationError(
                f"{asked} of a handle under {self.ops!r}: the derivative would be lost, since NumPy "
                f"arrays carry none; {_HANDLES}, or say that it is a constant: tad.detach(x)"
            )
        return value

    def item(self) -> bool | int | float:
        """The value of a one-entry handle as a Python number."""
        value = self._number("item()")
        if value.size != 1:
            raise ArgumentError(f"item: shape {show(self.shape)} has {value.size} entries, not 1")
        number: bool | int | float = value.item()
        return number

    def tolist(self) -> Any:  # Any: nested lists of numbers
        """The values as nested lists."""
        return self._number("tolist()").tolist()

    def _scalar(self, asked: str, value: NDArray[Any]) -> NDArray[Any]:
        if value.ndim != 0:
            raise ArgumentError(
                f"{asked} of a handle of shape {show(self.shape)}: only rank 0 is one number; take "
                "an entry, or reduce it (tad.any, tad.all, tad.sum)"
            )
        return value

    def __bool__(self) -> bool:
        return builtins.bool(self._scalar("bool()", self._value("bool()", _choice())))

    def __float__(self) -> float:
        return float(self._scalar("float()", self._number("float()")))

    def __int__(self) -> int:
        return int(self._scalar("int()", self._number("int()")))

    def __index__(self) -> int:
        if not is_integer(self._dtype):
            raise DTypeError(
                f"use as an index of a handle of dtype {self._dtype}: indices are integers; write "
                "x.astype(tad.int64)"
            )
        asked = "use as an index"
        also = "; one of several functions: tad.switch; so many trips: tad.fori_loop"
        return int(self._scalar(asked, self._value(asked, _choice(also))))
