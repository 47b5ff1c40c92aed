"""What interpreters over numbers of their own compute with: arrays of Python objects.

A payload is `Numbers` (reals: an object array and the dtype that the program believes in), `Truth`
(truth values, some of which may be open) or a NumPy array of integers. Scalars are arrays of
rank 0, never bare objects.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# Any throughout: an entry is a rational, a ball, or what stands for an undefined number.
Objects: TypeAlias = NDArray[Any]
Bools: TypeAlias = NDArray[np.bool_]
DType: TypeAlias = np.dtype[Any]


class Numbers:
    """An array of reals. `active` says that the entries depend on what a derivative is taken in."""

    __slots__ = ("active", "dtype", "values")

    def __init__(self, values: Objects, dtype: DType, active: bool = False) -> None:
        self.values = values
        self.dtype = dtype
        self.active = active


class Truth:
    """Truth values: those that certainly hold, and those that possibly do (Kleene 1952, section 64).

    Both are the same array where everything is decided.
    """

    __slots__ = ("certain", "possible")

    def __init__(self, certain: Bools, possible: Bools | None = None) -> None:
        self.certain = np.asarray(certain)  # ufuncs return bare scalars at rank 0
        self.possible = self.certain if possible is None else np.asarray(possible)

    @property
    def decided(self) -> bool:
        """Whether no entry is open."""
        return self.possible is self.certain or bool(np.all(self.possible == self.certain))


Payload: TypeAlias = Numbers | Truth | NDArray[Any]


def boxed(value: Any) -> Objects:
    """One entry as an array of rank 0; arrays as they are (ufuncs return bare objects at rank 0)."""
    if isinstance(value, np.ndarray):
        return value
    box = np.empty((), object)
    box[()] = value
    return box


def filled(shape: tuple[int, ...], value: Any) -> Objects:
    """An array of one object, repeated."""
    array = np.empty(shape, object)
    array[...] = boxed(value)
    return array


def gathered(entries: Iterable[Any], shape: tuple[int, ...]) -> Objects:
    """Objects in C order as an array."""
    count = math.prod(shape)
    return np.fromiter(entries, object, count).reshape(shape)


def each(f: Callable[..., Any], *arrays: NDArray[Any]) -> Objects:
    """f entry by entry over arrays that broadcast."""
    first = arrays[0]
    if len(arrays) == 1:
        return gathered(map(f, first.ravel().tolist()), first.shape)
    whole = np.broadcast_arrays(*arrays)
    return gathered(map(f, *(a.ravel().tolist() for a in whole)), whole[0].shape)


def moved(f: Callable[[NDArray[Any]], NDArray[Any]], x: Payload) -> Payload:
    """A payload whose entries a function of arrays moves about."""
    if isinstance(x, Numbers):
        return Numbers(f(x.values), x.dtype, x.active)
    if isinstance(x, Truth):
        certain = f(x.certain)
        return Truth(certain, None if x.possible is x.certain else f(x.possible))
    return f(x)


def together(f: Callable[..., NDArray[Any]], first: Payload, *rest: Payload) -> Payload:
    """Payloads of one kind put together by a function of arrays."""
    if isinstance(first, Numbers):
        numbers = [first, *(x for x in rest if isinstance(x, Numbers))]
        values = f(*(x.values for x in numbers))
        return Numbers(values, first.dtype, any(x.active for x in numbers))
    if isinstance(first, Truth):
        truths = [first, *(x for x in rest if isinstance(x, Truth))]
        certain = f(*(x.certain for x in truths))
        if all(x.possible is x.certain for x in truths):
            return Truth(certain)
        return Truth(certain, f(*(x.possible for x in truths)))
    return f(first, *rest)


def rows(values: NDArray[Any], axes: tuple[int, ...]) -> tuple[list[list[Any]], tuple[int, ...]]:
    """The entries along `axes`, one list for each entry of the rest, and the shape of the rest."""
    rest = tuple(i for i in range(values.ndim) if i not in axes)
    shape = tuple(values.shape[i] for i in rest)
    length = math.prod(values.shape[i] for i in axes)
    flat = values.transpose((*rest, *axes)).reshape(math.prod(shape), length)
    return flat.tolist(), shape


def shape_of(x: Payload) -> tuple[int, ...]:
    """The shape of a payload."""
    if isinstance(x, Numbers):
        return x.values.shape
    return x.certain.shape if isinstance(x, Truth) else x.shape


def dtype_of(x: Payload) -> DType:
    """The dtype that the program believes in."""
    return np.dtype(bool) if isinstance(x, Truth) else x.dtype
