"""Container classes of the library that other tree libraries are to know as well.

A class is announced where it is defined; whoever wants to know of them all, of those to come too,
listens.
"""

from collections.abc import Callable
from typing import Final, TypeVar

C = TypeVar("C", bound=type)

_CLASSES: Final[list[type]] = []
_LISTENERS: Final[list[Callable[[type], None]]] = []


def announce(cls: C) -> C:
    """Make a container class known to the listeners. A decorator."""
    _CLASSES.append(cls)
    for listener in _LISTENERS:
        listener(cls)
    return cls


def listen(listener: Callable[[type], None]) -> None:
    """Tell of every class announced so far, and of each that will be."""
    _LISTENERS.append(listener)
    for cls in list(_CLASSES):
        listener(cls)
