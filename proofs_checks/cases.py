"""Points at which a primitive is looked at: shapes, values and static parameters.

A `Plan` says which shapes and parameters go together and where the values come from; its numbers
are then drawn from a seed. Shapes come from a `Source`, so that a property test may shrink them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import DType, float64
from taglessad.primitive import Params

Array: TypeAlias = NDArray[Any]  # Any: the dtype is data
Sizes: TypeAlias = tuple[int, ...]


class Source(Protocol):
    """Where shapes and parameters come from."""

    def integer(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        ...


class Random:
    """A source that draws evenly, from a seed."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def integer(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return int(self._rng.integers(low, high + 1))


class Values(Protocol):
    """Where the entries of an operand come from."""

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """An array of that shape; operands that have no dtype of their own take the one given."""
        ...


@dataclass(frozen=True)
class Reals:
    """Numbers from a union of closed intervals, all equally often."""

    intervals: tuple[tuple[float, float], ...]

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """Entries of the operand."""
        bounds = np.asarray(self.intervals)[rng.integers(len(self.intervals), size=shape)]
        return np.asarray(rng.uniform(bounds[..., 0], bounds[..., 1])).astype(dtype)


@dataclass(frozen=True)
class Zeros:
    """Numbers from an interval, a quarter of them exact zeros."""

    low: float
    high: float

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """Entries of the operand."""
        drawn = rng.uniform(self.low, self.high, shape)
        return np.where(rng.random(shape) < 0.25, 0.0, drawn).astype(dtype)


@dataclass(frozen=True)
class Apart:
    """Numbers no two of which are close: entries differ, and operands with other `part`s too."""

    part: int = 0
    parts: int = 1

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """Entries of the operand."""
        count = int(np.prod(shape))
        places = rng.permutation(count) - count // 2
        lattice = places * self.parts + self.part + rng.uniform(-0.2, 0.2, count)
        return np.asarray(0.3 * lattice.reshape(shape)).astype(dtype)


@dataclass(frozen=True)
class Whole:
    """Integers from low to high, both included, in the dtype under test."""

    low: int
    high: int

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """Entries of the operand."""
        return np.asarray(rng.integers(self.low, self.high + 1, shape)).astype(dtype)


@dataclass(frozen=True)
class Index:
    """int64 from 0 to below a size, or between two bounds: an index, an exponent."""

    stop: int
    start: int = 0

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """Entries of the operand."""
        return np.asarray(rng.integers(self.start, self.stop, shape))


@dataclass(frozen=True)
class Words:
    """Any values of an unsigned dtype: the operand's own, whatever is under test."""

    dtype: DType

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """Entries of the operand."""
        return rng.integers(0, np.iinfo(self.dtype).max, shape, self.dtype.type, endpoint=True)


@dataclass(frozen=True)
class Truth:
    """Truth values: a condition."""

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """Entries of the operand."""
        return np.asarray(rng.random(shape) < 0.5)


@dataclass(frozen=True)
class Ascending:
    """Numbers in order along the last axis."""

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """Entries of the operand."""
        return np.sort(rng.uniform(-3, 3, shape), axis=-1).astype(dtype)


class Case(NamedTuple):
    """A primitive's operands and static parameters, and a seed for directions at that point."""

    operands: tuple[Array, ...]
    params: Params
    seed: int

    def rng(self) -> np.random.Generator:
        """Where directions at this point come from."""
        return np.random.default_rng(self.seed)


class Plan(NamedTuple):
    """Shapes, sources of values, and the static parameters that go with the shapes."""

    operands: tuple[tuple[Sizes, Values], ...]
    params: Params

    def case(self, seed: int, dtype: DType = float64) -> Case:
        """Values for the operands."""
        rng = np.random.default_rng(seed)
        drawn = tuple(values.draw(rng, shape, dtype) for shape, values in self.operands)
        return Case(drawn, self.params, seed)


Planner: TypeAlias = Callable[[Source], Plan]


@dataclass(frozen=True)
class Domain:
    """Where a primitive is looked at.

    dtypes: those that its operands may have, float64 first where it has a derivative.
    smooth: the laws of derivatives hold at these points; if not, only those of shape and batch.
    """

    plan: Planner
    dtypes: Sequence[DType]
    smooth: bool = True


# --- shapes and parameters -----------------------------------------------------------------------
def a_shape(source: Source, least_rank: int = 0, least_size: int = 0) -> Sizes:
    """A shape of at most three axes, none longer than 3."""
    rank = source.integer(least_rank, 3)
    return tuple(source.integer(least_size, 3) for _ in range(rank))


def a_choice(source: Source, *choices: Any) -> Any:  # Any: parameters are of any type
    """One of the choices."""
    return choices[source.integer(0, len(choices) - 1)]


def an_axis(source: Source, shape: Sizes) -> int:
    """An axis of a shape that has one."""
    return source.integer(0, len(shape) - 1)


def some_axes(source: Source, shape: Sizes) -> Sizes:
    """Some axes of a shape, perhaps none, perhaps all."""
    return tuple(i for i in range(len(shape)) if source.integer(0, 1))


def an_order(source: Source, count: int) -> Sizes:
    """A permutation."""
    left = list(range(count))
    return tuple(left.pop(source.integer(0, len(left) - 1)) for _ in range(count))


def broadcasting(source: Source, count: int) -> list[Sizes]:
    """Shapes that broadcast together: leading axes left out, others of size 1."""
    whole = a_shape(source)
    shapes: list[Sizes] = []
    for _ in range(count):
        if source.integer(0, 1):
            shapes.append(whole)
            continue
        kept = whole[source.integer(0, len(whole)) :]
        shapes.append(tuple(n if source.integer(0, 2) else 1 for n in kept))
    return shapes
