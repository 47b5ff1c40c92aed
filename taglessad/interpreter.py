"""The administrative half of an interpreter; the vocabulary half is in rules/ and ops.py.

Names here and names of primitives never meet (a test holds them apart): an attribute of an
interpreter called like a primitive would hide it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import DType, Number
from taglessad.errors import ArgumentError, ConcretizationError, EscapeError, ShapeError
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.shapes import Shape, show

R = TypeVar("R")
T = TypeVar("T")


class Interpreter(ABC, Generic[R]):
    """What every interpreter answers besides the vocabulary. R is its payload: what it computes with.

    A root stands alone (`base` is None); a transformer stands on a base interpreter, and its
    payloads are made of the base's. All interpreters alive at one moment are on one chain.
    """

    # Any: an interpreter or None; each transformer narrows it to an interpreter of its own payload.
    base: Any = None
    level: int = 0
    precedence: int = 0  # of two roots the higher takes the other's values in
    closed: bool = False  # the transform that made it has ended
    takes_shapes: bool = False  # a root whose arguments are shapes (`tad.interpret`)
    reverses: bool = False  # it pulls cotangents back through what is computed under it
    # A root that compiles loops whole: (name, primitive, operands, its parameters, more) -> what
    # the function `name` of `xla.control` gives.
    lowered: Callable[..., Any] | None = None

    @abstractmethod
    def apply(self, prim: Prim, operands: tuple[R, ...], params: Params, /) -> R:
        """The meaning of one primitive. Every method of the vocabulary defaults to this."""

    @abstractmethod
    def const(self, value: NDArray[Any], /) -> R:
        """A literal array, in its own dtype."""

    @abstractmethod
    def aval(self, x: R, /) -> Aval:
        """Shape and dtype of a payload."""

    def apply_n(self, prim: PrimN, operands: tuple[R, ...], params: Params, /) -> tuple[R, ...]:
        """The meaning of one primitive with several results, one payload each."""
        if prim.evaluate is None:
            raise ArgumentError(f"{self!r} has no meaning for {prim.name!r}")
        ys: tuple[R, ...] = tuple(prim.evaluate(self, operands, params))
        return ys

    def run(self, prim: Prim, operands: tuple[R, ...], params: Params, /) -> R:
        """The vocabulary's method for a primitive: what `apply` is reached through."""
        method = getattr(self, prim.name, None)
        # A primitive declared outside the library has no method; an inner one's method would hand
        # the plain one on to the base, and a root sees none of the difference (Kinks does by `run`).
        if method is None or (prim.inner and self.base is not None):
            return self.apply(prim, operands, params)
        y: R = method(operands, *params) if prim.variadic else method(*operands, *params)
        return y

    def run_n(self, prim: PrimN, operands: tuple[R, ...], params: Params, /) -> tuple[R, ...]:
        """The method for a primitive with several results: what `apply_n` is reached through."""
        method = getattr(self, prim.name, None)
        if method is None:
            return self.apply_n(prim, operands, params)
        ys: tuple[R, ...] = (
            method(operands, *params) if prim.variadic else method(*operands, *params)
        )
        return ys

    def decide(self, x: R, /) -> int:
        """The rank-0 truth value or integer that what is computed next depends on.

        Raises ConcretizationError where it is not known.
        """
        value = self.literal(x)
        if value is None:
            raise ConcretizationError(f"a choice under {self!r} rests on a value it does not know")
        return int(value)

    def derives(self, xs: Iterable[R], /) -> bool:
        """Whether a root tells of derivatives of these, so that rules of users' functions matter."""
        return False

    def embed(self, x: Any, /) -> R:  # Any: a payload of the base
        """A payload of the base as one of this interpreter: a constant to it."""
        raise NotImplementedError(f"{self!r} has no base")

    def scalar(self, value: Number, like: R, /) -> R:
        """A literal number in the dtype of `like` (rank 0)."""
        number = value if isinstance(value, int) else float(value)
        return self.const(np.asarray(number).astype(self.dtype(like)))

    def shape(self, x: R, /) -> Shape:
        """Shape of a payload."""
        return self.aval(x).shape

    def same_shape(self, a: R, b: R, /) -> bool:
        """Whether two payloads have one shape."""
        return self.shape(a) == self.shape(b)

    def dtype(self, x: R, /) -> DType:
        """Dtype of a payload."""
        return self.aval(x).dtype

    def zeros(self, aval: Aval, /) -> R:
        """Zeros of a shape and dtype."""
        sizes = tuple(n for n in aval.shape if isinstance(n, int))
        if len(sizes) != len(aval.shape):
            if self.base is not None:
                return self.embed(self.base.zeros(aval))
            raise ShapeError(f"{self!r} cannot make an array of shape {show(aval.shape)}")
        return self.const(np.broadcast_to(np.zeros((), aval.dtype), sizes))

    def literal(self, x: R, /) -> NDArray[Any] | None:
        """The payload as an array that any root may take for a constant; None if there is none."""
        return None

    def peek(self, x: R, /) -> NDArray[Any] | None:
        """The number behind a payload where program text may look at it; None if it may not."""
        return self.literal(x)

    def differentiates(self, x: R, /) -> bool:
        """Whether a derivative of this is being recorded, which an array of its value would lose."""
        return False

    def answer(self, x: R, /) -> Any:  # Any: whatever this interpreter tells its users
        """A result as `tad.interpret` gives it: the payload itself, unless overridden."""
        return x

    def argument(self, value: Any, /) -> R | None:  # Any: whatever the user passed
        """What this root alone takes for an argument, as a payload; None for everything else."""
        return None

    def entered(self, x: R, /) -> R:
        """An argument of a whole program, as its own payload."""
        return x

    def complete(self, attempt: Callable[[], T], /) -> T:
        """One run of a whole program; a root that doubts the result may attempt it again."""
        return attempt()

    def lift(self, source: "Interpreter[Any]", x: Any, /) -> R:
        """A payload of `source` as one of this interpreter.

        `source` is this interpreter, one below it on its chain, or a root of literals.
        Raises EscapeError for any other: the value belongs to a transform that is not under way.
        """
        if source is self:
            return x  # type: ignore[no-any-return]  # a payload of self is an R
        if self.base is not None:
            return self.embed(self.base.lift(source, x))
        array = source.literal(x)
        if array is None:
            raise EscapeError(
                f"a value of {source!r} was used where only {self!r} is under way: a handle stays "
                "inside the transform that made it. Return it from the function (has_aux=True), "
                "or pass it as an argument"
            )
        return self.const(array)

    def close(self) -> None:
        """End of the transform that made this interpreter: its handles are dead from here on."""

    def __repr__(self) -> str:
        name = type(self).__name__
        return name if self.base is None else f"{name}({self.base!r})"


BODIES: Final[list[Interpreter[Any]]] = []
"""Recorders of the bodies of branches and loops that are being recorded, in whatever thread."""
