"""Random order, and draws from what is there. Derivatives pass to the entries that were taken."""

import math
import operator
from typing import Any, SupportsIndex, TypeVar

import numpy as np

from taglessad import shapes
from taglessad.array_api.creation import ShapeArgument
from taglessad.array_api.indexing import take, take_along_axis
from taglessad.array_api.manipulation import reshape
from taglessad.array_api.searching import searchsorted
from taglessad.array_api.sorting import argsort, top_k
from taglessad.array_api.statistical import cumulative_sum
from taglessad.array_api.transcendental import log
from taglessad.convert import as_handle
from taglessad.dtypes import uint64
from taglessad.errors import ArgumentError, DomainError, ShapeError
from taglessad.random.continuous import gumbel, uniform
from taglessad.random.discrete import bits, randint
from taglessad.random.keys import Key, as_key
from taglessad.random.parameters import draw
from taglessad.shapes import Shape
from taglessad.tensor import AnyTensor, IntTensor, Tensor, TensorLike, known_size

T = TypeVar("T", bound=AnyTensor)


def permutation(
    key: Key, x: int | T, axis: SupportsIndex = 0, *, independent: bool = False
) -> T | IntTensor:
    """x with its slices along an axis in random order; of an int n, the numbers 0 to n - 1.

    independent: whether each vector along the axis has an order of its own. Raises IndexOutOfRange
    for an axis that is not there, DomainError for a negative n.
    """
    what = "random.permutation"
    as_key(key, what)
    if isinstance(x, (int, np.integer)):
        return _order(key, (_population(what, "x", x),), 0)
    t = as_handle(x, what, "x")
    along = shapes.normalize_axis(axis, t.shape, what)
    if independent:
        taken: Any = take_along_axis(t, _order(key, t.shape, along), axis=along)
    else:
        taken = take(t, _order(key, (t.shape[along],), 0), axis=along)
    return taken  # type: ignore[no-any-return]  # its kind is kept


def _order(key: Key, shape: Shape, axis: int) -> IntTensor:
    """Random orders along an axis: those of 64 random bits each, which hardly ever tie."""
    return argsort(bits(key, shape, uint64), axis=axis)


def choice(
    key: Key,
    a: int | T,
    shape: ShapeArgument = (),
    replace: bool = True,
    p: Tensor | None = None,
    axis: SupportsIndex = 0,
) -> T | IntTensor:
    """Slices of a along an axis, drawn at random; of an int n, numbers from 0 to n - 1.

    shape: that of the draws, which takes the place of the axis. replace: whether one may be drawn
    again. p: their probabilities, a vector that need not sum to 1; by default all are equal.
    Without replacement by the Gumbel-top-k trick (Kool et al. 2019), where fewer than the draws
    asked for have p > 0 others follow.

    Raises DomainError where there is nothing to draw from or, without replacement, not enough,
    ShapeError for p of another length.
    """
    what = "random.choice"
    as_key(key, what)
    whole = shapes.normalize_shape(shape, what)
    if isinstance(a, (int, np.integer)):
        count, t, along = _population(what, "a", a), None, 0
    else:
        t = as_handle(a, what, "a")
        along = shapes.normalize_axis(axis, t.shape, what)
        count = known_size(t.shape[along], what)
    draws = math.prod(known_size(n, what) for n in whole)
    if draws and (count == 0 or (not replace and draws > count)):
        again = "" if replace else " without replacement"
        raise DomainError(f"{what}: {draws} draws{again} from {count} of them")
    if p is None:
        index = randint(key, whole, 0, max(count, 1)) if replace else _first(key, count, whole)
    else:
        index = _weighted(what, key, count, whole, replace, p)
    if t is None:
        return index
    taken: Any = take(t, index, axis=along)
    return taken  # type: ignore[no-any-return]  # its kind is kept


def _first(key: Key, count: int, shape: Shape) -> IntTensor:
    """The head of a permutation."""
    draws = math.prod(known_size(n, "random.choice") for n in shape)
    return reshape(_order(key, (count,), 0)[:draws], shape)


def _weighted(
    what: str, key: Key, count: int, shape: Shape, replace: bool, p: TensorLike
) -> IntTensor:
    made = draw(what, None, None, {"p": p})
    weights = made.parameters["p"]
    if weights.shape != (count,):
        raise ShapeError(
            f"{what}: p has shape {shapes.show(weights.shape)}; it must be [{count}], one "
            "probability for each slice of a"
        )
    if replace:
        ends = cumulative_sum(weights)
        # In (0, total]: what has no probability is never met.
        target = ends[-1] * (1 - uniform(key, shape, made.dtype))
        return searchsorted(ends, target)
    noise = gumbel(key, (count,), made.dtype) + log(weights)
    draws = math.prod(known_size(n, what) for n in shape)
    return reshape(top_k(noise, draws).indices, shape)


def _population(what: str, name: str, n: SupportsIndex) -> int:
    if isinstance(n, bool):
        raise ArgumentError(f"{what}: {name} is a bool; it must be an int or an array")
    count = operator.index(n)
    if count < 0:
        raise DomainError(f"{what}: {name} is {count}; a count is not negative")
    return count
