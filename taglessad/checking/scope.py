"""The outermost call: the sizes that named dimensions without a size of their own have in it."""

from contextvars import ContextVar
from typing import Final

from taglessad.dims import Extent
from taglessad.shapes.binding import Binder

Scope = dict[str, tuple[Extent, str]]
"""Sizes by the dimension's key, each with where it was found."""

SCOPE: Final[ContextVar[Scope | None]] = ContextVar("taglessad_named_dimensions", default=None)


def enter(binder: Binder, named: tuple[str, ...], scope: Scope) -> None:
    """Bind what the outermost call has bound already."""
    for key in named:
        known = scope.get(key)
        if known is not None:
            binder.know(key, *known)


def leave(binder: Binder, named: tuple[str, ...], scope: Scope) -> None:
    """Keep for the rest of the outermost call what was bound."""
    for key in named:
        if key not in scope and key in binder.sizes:
            scope[key] = binder.sizes[key], f"{binder.origin(key)} of {binder.what}"
