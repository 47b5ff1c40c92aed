"""`tad.program`: a function whose annotations hold, at its definition and at each call."""

import inspect
import sys
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import wraps
from types import FunctionType
from typing import Any, Final, TypeVar

from taglessad.checking.annotations import type_parameters
from taglessad.checking.calls import Calls
from taglessad.checking.running import try_out
from taglessad.checking.signature import Signature, signature
from taglessad.compiled.jit import Compiled
from taglessad.convert import article
from taglessad.errors import ArgumentError

LATER: Final = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
"""The flags of functions whose call does not give their result."""

F = TypeVar("F", bound=Callable[..., Any])  # Any: the program's own signature, which is kept

# Any elsewhere: arguments and results are whatever the program takes and gives.

COLLECTED: Final[ContextVar["list[Program] | None"]] = ContextVar(
    "taglessad_collected_programs", default=None
)
"""Where `taglessad check` gathers the programs of a file: they are then not tried as they come."""


class Program:
    """What is known of one program. `f` is what its calls run."""

    def __init__(
        self, f: Callable[..., Any], annotated: Callable[..., Any], names: Mapping[str, Any]
    ) -> None:
        self.f = f
        self._annotated = annotated
        self._lock = threading.Lock()
        self._signature: Signature | None = None
        self._calls: Calls | None = None
        self._settled = False
        self._read(names)

    def define(self) -> None:
        """Try the program out, now that it is defined; what it misses may be there at a call."""
        known = self._signature
        if known is not None and known.annotated:
            outcome = try_out(self.f, known)
            if outcome.mistake is not None:
                raise outcome.mistake
            # A method waits for a model, and a body for names that are defined later.
            later = isinstance(outcome.at_fault, NameError) or known.method
            self._settled = not later

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Check the arguments, run, check the result."""
        if not self._settled:
            self._settle(type(args[0]) if args else None)
        calls = self._calls
        return self.f(*args, **kwargs) if calls is None else calls.run(args, kwargs)

    def _read(self, names: Mapping[str, Any] | None = None) -> None:
        """Read the annotations, if they can be evaluated by now."""
        try:
            self._signature = signature(self._annotated, names)
        except Exception:  # a forward reference: evaluating it raises what it likes
            return
        self._calls = Calls(self.f, self._signature)

    def _settle(self, owner: type[Any] | None) -> None:
        """At the first call, try what could not be tried before; `owner`: a method's class."""
        with self._lock:
            first, self._settled = not self._settled, True
        if not first:
            return
        if self._signature is None:
            self._read(type_parameters(owner))
        known = self._signature
        if known is not None and known.annotated:
            outcome = try_out(self.f, known, owner if known.method else None)
            if outcome.mistake is not None:
                self._settled = False  # the next call says so again
                raise outcome.mistake


def program(f: F) -> F:
    """Mark a function as a program: its annotations are checked, by the rules of the shapes.

    If every annotation resolves, f is run once when it is defined, on arguments that are nothing
    but shapes, with a symbol for every type variable and named dimension: a shape mistake is an
    error there. (A name that comes later puts that off to the first call.) Each call then checks
    arguments and result. A type variable is one size per call, a named dimension without a size
    one size per outermost call. Array-likes where a tensor is annotated become handles.

    Raises ShapeError where shapes do not go together, DTypeError for another kind of number,
    ArgumentError for another structure or what is no function; at definition IndexOutOfRange too.
    """
    if isinstance(f, (staticmethod, classmethod)) or not callable(f):
        raise ArgumentError(
            f"program: f is {article(f)}, where a function is expected; in a class, write "
            "@staticmethod or @classmethod above @tad.program"
        )
    own: Any = inspect.unwrap(f) if isinstance(f, Compiled) else f
    if not isinstance(own, FunctionType):
        raise ArgumentError(
            f"program: f is {article(f)}, whose parameters have no annotations; mark the function "
            "that it is made from"
        )
    if own.__code__.co_flags & LATER:
        raise ArgumentError(
            f"program: {own.__name__} is a generator or a coroutine, whose call does not give its "
            "result; mark the function that computes it"
        )
    caller = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # CPython's
    made = Program(f, own, caller.f_locals)

    @wraps(own)
    def checked(*args: Any, **kwargs: Any) -> Any:
        return made.call(args, kwargs)

    checked.__program__ = made  # type: ignore[attr-defined]  # for those who look for programs
    collected = COLLECTED.get()
    if collected is not None:
        collected.append(made)
    else:
        made.define()
    return checked  # type: ignore[return-value]  # it takes and gives what f does
