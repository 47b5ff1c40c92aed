"""Random words: a pure function of a key and a counter, without derivative. Legend in primitive.py.

One primitive serves every distribution, so that all interpreters draw the same numbers.
"""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.dtypes import uint32, uint64
from taglessad.errors import DTypeError, ShapeError
from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, declare
from taglessad.rules.structural import Mapped, leading
from taglessad.shapes import Shape, show

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _infer(key: Aval, start: Aval, shape: Shape) -> Aval:
    if key.dtype != uint32 or start.dtype != uint64:
        raise DTypeError(f"threefry: a key of {key.dtype} and a counter of {start.dtype}")
    if key.shape != (*start.shape, 2):
        raise ShapeError(
            f"threefry: a key of shape {show(key.shape)} and a counter of {show(start.shape)}"
        )
    return Aval((*start.shape, *shape), uint64)


def _batch(ops: "Ops[R]", size: int, mapped: Mapped, key: R, start: R, shape: Shape) -> R:
    return ops.threefry(
        leading(ops, size, mapped[0], key), leading(ops, size, mapped[1], start), shape
    )


THREEFRY: Final = declare("threefry", _infer, (None, None), "general", _batch)


class Random(Interpreter[R]):
    """The methods of this family."""

    def threefry(self, key: R, start: R, shape: Shape, /) -> R:
        """Random words for the counters start, start + 1, ..., row by row.

        key: uint32 [*K, 2]; start: uint64 [*K]; the result: uint64 [*K, *shape].
        """
        return self.apply(THREEFRY, (key, start), (shape,))
