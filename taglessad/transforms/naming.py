"""Names of what transforms return, so that tracebacks and messages read well."""

from collections.abc import Callable
from typing import Any, TypeVar

from taglessad.errors import ArgumentError

F = TypeVar("F", bound=Callable[..., Any])  # Any: every transform returns its own signature


def named_after(made: F, transform: str, f: Callable[..., Any]) -> F:
    """Name a transformed function `grad(f)` and keep f's documentation. Refuses what is no function."""
    if not callable(f):
        raise ArgumentError(f"{transform}: f is a {type(f).__name__}, where a function is expected")
    name = getattr(f, "__name__", type(f).__name__)
    made.__name__ = f"{transform}({name})"
    made.__qualname__ = made.__name__
    made.__doc__ = getattr(f, "__doc__", None)
    return made
