"""What the mypy plugin puts for sizes that are expressions: never imported when a program runs.

The classes bear the names that users write, so that a type reads `Tensor[Add[N, Literal[1]], K]`.
Only ordinary types are stored, in one canonical form, so that equal sizes are equal types.
"""

from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")


class Add(Generic[A, B]):
    """The sum of two sizes."""


class Mul(Generic[A, B]):
    """The product of two sizes."""


class Div(Generic[A, B]):
    """The floor division of two sizes."""


class Size(int, Generic[A]):
    """An int that is the size of a dimension. The plugin gives the results' own types."""

    # Declared anew: a subclass's reflected methods are tried first, so `2 * n` gets here.
    def __radd__(self, other: int, /) -> int:
        return int(self) + other

    def __rsub__(self, other: int, /) -> int:
        return other - int(self)

    def __rmul__(self, other: int, /) -> int:
        return int(self) * other

    def __rfloordiv__(self, other: int, /) -> int:
        return other // int(self)
