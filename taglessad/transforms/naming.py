"""Names of what transforms return, so that tracebacks and messages read well."""

from collections.abc import Callable
from typing import Any, TypeVar

from taglessad.convert import article
from taglessad.errors import ArgumentError

F = TypeVar("F", bound=Callable[..., Any])  # Any: every transform returns its own signature


def check_function(transform: str, f: object) -> None:
    """Refuse what is no function."""
    if not callable(f):
        raise ArgumentError(f"{transform}: f is {article(f)}, where a function is expected")


def named_after(
    made: F, transform: str, f: Callable[..., Any], *, same_arguments: bool = True
) -> F:
    """Name a transformed function `grad(f)` and keep f's documentation. Refuses what is no function.

    same_arguments: it takes f's own arguments, so that f's parameter names are its own (`wrt`).
    """
    check_function(transform, f)
    name = getattr(f, "__name__", type(f).__name__)
    made.__name__ = f"{transform}({name})"
    made.__qualname__ = made.__name__
    made.__doc__ = getattr(f, "__doc__", None)
    if same_arguments:
        made.__wrapped__ = f  # type: ignore[attr-defined]  # where inspect.signature looks on
    return made
