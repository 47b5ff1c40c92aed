"""Which interpreter is under way, and how values of several meet.

Transforms build their interpreter over what is under way and over their arguments' interpreters,
enter it, run the program, and close it. So all live interpreters are on one chain, any value of one
lifts into any above it, and perturbations cannot be confused. The chain is a context variable:
threads and tasks do not meet.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Final

from taglessad.errors import EscapeError
from taglessad.interpreter import BODIES, Interpreter
from taglessad.kernels.quiet import restore, silence
from taglessad.ops import Ops

# Any: interpreters of every payload type are on the chain together.
_TOP: Final[ContextVar[Ops[Any] | None]] = ContextVar("taglessad_interpreter", default=None)


class _Root:
    """The interpreter of plain values: the one slot that the layer above fills."""

    default: Ops[Any]


_FOREIGN: Final[list[Callable[[], Ops[Any] | None]]] = []
"""Of another library with transforms, once it is in use: inside them their root, None outside."""


def set_default_root(root: Ops[Any]) -> None:
    """Called once, where Eager is made."""
    _Root.default = root


def set_foreign_root(root: Callable[[], Ops[Any] | None]) -> None:
    """Called once, where a root is made that transforms of another library run on."""
    _FOREIGN[:] = [root]


def default_root() -> Ops[Any]:
    """The root of plain values: Eager."""
    return _Root.default


under_way: Final = _TOP.get
"""The interpreter under way, None outside every transform: `ambient`, for those in a hurry."""


def ambient() -> Ops[Any]:
    """The interpreter under way, or the root of plain values outside every transform."""
    top = _TOP.get()
    if top is None and _FOREIGN:
        top = _FOREIGN[0]()
    return _Root.default if top is None else top


def root_of(ops: Interpreter[Any]) -> Interpreter[Any]:
    """The root that an interpreter finally stands on."""
    while ops.base is not None:
        ops = ops.base
    return ops


def higher(a: Ops[Any], b: Ops[Any]) -> Ops[Any]:
    """The one of two interpreters that the other lifts into."""
    if a is b:
        return a
    if a.level != b.level:
        return a if a.level > b.level else b
    return a if a.precedence >= b.precedence else b


def join(interpreters: Iterable[Ops[Any]]) -> Ops[Any]:
    """The interpreter in which values of all the given ones, and of what is under way, meet."""
    top = ambient()
    for ops in interpreters:
        if ops.closed:
            raise EscapeError(
                f"a value of {ops!r} was used after the transform that made it had ended: return "
                "it from the function (has_aux=True carries extra results)"
            )
        top = higher(top, ops)
    return top


def body_above(ops: Ops[Any]) -> Ops[Any] | None:
    """The recorder of the innermost body under way, if it stands above an interpreter."""
    top = _TOP.get()
    while top is not None and top.level > ops.level:
        if top in BODIES:
            return top
        top = top.base
    return None


class Under(AbstractContextManager[None]):
    """Run a block with an interpreter under way; NumPy's warnings are off meanwhile."""

    __slots__ = ("_ops", "_quiet", "_token")
    _quiet: Any  # Any: a token of NumPy's state
    _token: Token[Ops[Any] | None]

    def __init__(self, ops: Ops[Any] | None) -> None:
        self._ops = ops

    def __enter__(self) -> None:
        self._quiet = silence()
        self._token = _TOP.set(self._ops)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _TOP.reset(self._token)
        restore(self._quiet)
