"""NumPy's floating-point warnings, off for one call.

A result shows inf or NaN; a branch that is not selected shows nothing. NumPy keeps its error state
in a context variable. `np.errstate` sets it too, at three times the cost of a small ufunc, so the
variable is set directly where this NumPy has it under the name known here.
"""

from collections.abc import Callable
from contextvars import Context
from functools import partial
from types import TracebackType
from typing import Any, Final

import numpy as np
from numpy._core import umath  # pyright: ignore[reportPrivateUsage]  # see the module's text

# Any: NumPy's own private objects; None where this NumPy keeps its state elsewhere.
_STATE: Any = getattr(umath, "_extobj_contextvar", None)
_MAKE: Final[Any] = getattr(umath, "_make_extobj", None)
_IGNORE: Final[Any] = _MAKE(all="ignore") if _STATE is not None and _MAKE is not None else None


if _IGNORE is None or _STATE is None:

    def silence() -> Any:
        state = np.errstate(all="ignore")
        state.__enter__()
        return state

    def restore(token: Any, /) -> None:
        token.__exit__(None, None, None)

else:
    silence = partial(_STATE.set, _IGNORE)
    restore = _STATE.reset


class Quiet:
    """A context manager: no floating-point warnings inside. Nests; one object per use.

    Where a hundred nanoseconds count: `token = silence()`, and `restore(token)` in a `finally`.
    """

    __slots__ = ("_token",)
    _token: Any  # Any: a contextvars token, or an errstate where NumPy has no variable

    def __enter__(self) -> None:
        self._token = silence()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        restore(self._token)


def quietly(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the warnings off while it runs."""

    def quiet(*args: Any) -> Any:
        token = silence()
        try:
            return function(*args)
        finally:
            restore(token)

    return quiet


# Contexts in which the variable stands at "ignore", each as its `run`: to run a ufunc in one costs
# half of setting the variable and taking it back. A context runs one thing at a time, so a call
# takes one out of the pool, whose operations are atomic, and gives it back.
_POOL: Final[list[Callable[..., Any]]] = []


def _quiet_context() -> Callable[..., Any]:
    context = Context()
    context.run(_STATE.set, _IGNORE)
    return context.run


def quiet_method(ufunc: np.ufunc) -> Callable[..., Any]:
    """A ufunc of one or two operands as a method with the warnings off; the object is not used.

    This is the path of every operator on concrete handles, where a hundred nanoseconds count: so a
    method and not a static one, which Python finds the slow way.
    """
    take, give = _POOL.pop, _POOL.append

    def unary(_: object, x: Any, /) -> Any:
        try:
            run = take()
        except IndexError:
            run = _quiet_context()
        try:
            return run(ufunc, x)
        finally:
            give(run)

    def binary(_: object, a: Any, b: Any, /) -> Any:
        try:
            run = take()
        except IndexError:
            run = _quiet_context()
        try:
            return run(ufunc, a, b)
        finally:
            give(run)

    def slow(_: object, /, *args: Any) -> Any:
        with np.errstate(all="ignore"):
            return ufunc(*args)

    if _IGNORE is None or _STATE is None:
        return slow
    return unary if ufunc.nin == 1 else binary
