"""NumPy's floating-point warnings, off for one call.

A result shows inf or NaN; a branch that is not selected shows nothing. NumPy keeps its error state
in a context variable. `np.errstate` sets it too, at three times the cost of a small ufunc, so the
variable is set directly where this NumPy has it under the name known here.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

import numpy as np
from numpy._core import umath  # pyright: ignore[reportPrivateUsage]  # see the module's text

# Any: NumPy's own private objects; None where this NumPy keeps its state elsewhere.
_STATE: Any = getattr(umath, "_extobj_contextvar", None)
_MAKE: Final[Any] = getattr(umath, "_make_extobj", None)
_IGNORE: Final[Any] = _MAKE(all="ignore") if _STATE is not None and _MAKE is not None else None


class Quiet:
    """A context manager: no floating-point warnings inside. Nests; one object per use."""

    __slots__ = ("_token",)
    _token: Any  # Any: a contextvars token, or an errstate where NumPy has no variable

    def __enter__(self) -> None:
        if _IGNORE is None or _STATE is None:
            self._token = np.errstate(all="ignore")
            self._token.__enter__()
        else:
            self._token = _STATE.set(_IGNORE)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if _IGNORE is None or _STATE is None:
            self._token.__exit__(kind, error, trace)
        else:
            _STATE.reset(self._token)


def quietly(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the warnings off while it runs.

    One- and two-argument ufuncs get a wrapper of their own arity: this is the path of every
    operator on concrete handles, where a hundred nanoseconds count.
    """
    if _IGNORE is None or _STATE is None:

        def slow(*args: Any) -> Any:
            with np.errstate(all="ignore"):
                return function(*args)

        return slow
    enter, leave, ignore = _STATE.set, _STATE.reset, _IGNORE
    arity = function.nin if isinstance(function, np.ufunc) else 0

    def unary(x: Any) -> Any:
        token = enter(ignore)
        try:
            return function(x)
        finally:
            leave(token)

    def binary(a: Any, b: Any) -> Any:
        token = enter(ignore)
        try:
            return function(a, b)
        finally:
            leave(token)

    def general(*args: Any) -> Any:
        token = enter(ignore)
        try:
            return function(*args)
        finally:
            leave(token)

    if arity == 1:
        return unary
    return binary if arity == 2 else general
