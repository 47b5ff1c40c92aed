"""What an interpreter becomes when its transform ends."""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from taglessad.errors import EscapeError
from taglessad.interpreter import Interpreter
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.shapes import Shape


class Closed(Ops[Any]):
    """Every use of a handle of an ended transform raises EscapeError.

    An interpreter becomes one by changing its class, so that live interpreters pay nothing for the
    check. Any: the payloads are those of whatever it was.
    """

    closed = True
    name: str

    def _escaped(self) -> NoReturn:
        raise EscapeError(
            f"a value of {self.name} was used after the transform that made it had ended: return "
            "it from the function (has_aux=True carries extra results), or compute it outside"
        )

    def apply(self, prim: Prim, operands: tuple[Any, ...], params: Params, /) -> NoReturn:
        self._escaped()

    def apply_n(self, prim: PrimN, operands: tuple[Any, ...], params: Params, /) -> NoReturn:
        self._escaped()

    def const(self, value: NDArray[Any], /) -> NoReturn:
        self._escaped()

    def scalar(self, value: object, like: Any, /) -> NoReturn:
        self._escaped()

    def aval(self, x: Any, /) -> Aval:
        self._escaped()

    def shape(self, x: Any, /) -> Shape:
        self._escaped()

    def dtype(self, x: Any, /) -> "np.dtype[Any]":
        self._escaped()

    def lift(self, source: Interpreter[Any], x: Any, /) -> NoReturn:
        self._escaped()

    def literal(self, x: Any, /) -> NoReturn:
        self._escaped()

    def __repr__(self) -> str:
        return self.name


def end(ops: Ops[Any]) -> None:
    """Close an interpreter for good."""
    name = repr(ops)
    ops.__class__ = Closed
    assert isinstance(ops, Closed)
    ops.name = name
