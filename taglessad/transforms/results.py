"""What type checkers without the plugin know of what a transform gives: the class of its result.

A shape that takes a rule to find is left out there, as everywhere: its rank is unknown.
"""

from typing import Any, Protocol, TypeVar, TypeVarTuple, final

R = TypeVar("R", covariant=True)
S = TypeVarTuple("S")


@final
class Untyped:
    """The result of no function: only one whose result is `Any` fits where this is asked for."""


class Transformed(Protocol[R]):
    """A function of which only the class of its result is known. Any: its arguments.

    A class, since mypy takes what overloads leave open between functions for a function without
    annotations, and --strict refuses to call one.
    """

    __name__: str
    __qualname__: str

    def __call__(self, *args: Any, **kwargs: Any) -> R:
        """The result."""
        ...
