"""Dimensions as types, for annotations: `Tensor[Batch, Add[N, L[1]]]`.

A size in a type is a `Literal`, a type variable (one unknown size per call), a named dimension (a
subclass of `Dim`), arithmetic on those, or `Dyn`. To a type checker without the plugin arithmetic is
`Any`, so that it objects to nothing; `taglessad check` and run time read it from the annotation.
"""

from typing import Any, ClassVar, Final, TypeAlias, TypeVar

from typing_extensions import TypeAliasType

from taglessad.errors import ArgumentError, ShapeError

A = TypeVar("A")
B = TypeVar("B")


class DimType(type):
    """The class of named dimensions: one that has a size stands wherever a size is asked for."""

    size: int | None

    def __index__(cls) -> int:
        if cls.size is None:
            raise ShapeError(
                f"the dimension {cls.__name__} has no size of its own; take it from a shape that "
                f"has it, or declare it: class {cls.__name__}(Dim, size=...)"
            )
        return cls.size


class Dim(metaclass=DimType):
    """A named dimension: `class Batch(Dim)`, or with a size, `class Hidden(Dim, size=128)`.

    Two named dimensions without a size differ, even where they agree when the program runs; each
    has one size per outermost call of a `tad.program`. One with a size is that size, and stands
    for it: `tad.zeros((Hidden, 2))`. Raises ArgumentError for a size that is no natural number.
    """

    size: ClassVar[int | None] = None

    def __init_subclass__(cls, size: int | None = None) -> None:
        if size is not None and (type(size) is not int or size < 0):
            raise ArgumentError(f"Dim: the size of {cls.__name__} must be 0, 1, 2, ..., got {size}")
        cls.size = size


Dyn: TypeAlias = Any
"""A size that is known only when the program runs. Any: nothing is asked of it."""

Add = TypeAliasType("Add", Any, type_params=(A, B))
"""The sum of two sizes."""
Sub = TypeAliasType("Sub", Any, type_params=(A, B))
"""The difference of two sizes."""
Mul = TypeAliasType("Mul", Any, type_params=(A, B))
"""The product of two sizes."""
Div = TypeAliasType("Div", Any, type_params=(A, B))
"""The floor division of two sizes, exact where that can be proved."""

Size = TypeAliasType("Size", int, type_params=(A,))
"""An int that is the size of a dimension: `def eye(n: Size[N]) -> Tensor[N, N]`."""

ARITHMETIC: Final = (Add, Sub, Mul, Div)
"""The four that combine two sizes."""
