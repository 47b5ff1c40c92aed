"""Updates times a number: a rate, a schedule, a bound; and the pull of weight decay."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np

from taglessad.array_api.comparison import clip as clip_entries
from taglessad.array_api.searching import where
from taglessad.array_api.statistical import sum as sum_of
from taglessad.array_api.transcendental import sqrt
from taglessad.convert import from_array
from taglessad.errors import ArgumentError
from taglessad.optim.leaves import Rate, each, in_dtype_of, own
from taglessad.optim.masks import Mask, masked
from taglessad.optim.transformation import GradientTransformation, stateless
from taglessad.tensor import IntTensor, Tensor
from taglessad.trees import leaves
from taglessad.trees.announced import announce

P = TypeVar("P")
Schedule: TypeAlias = Callable[[IntTensor], Any]
"""The number of updates so far -> a rate."""


def scale(step_size: Rate) -> GradientTransformation:
    """Updates times a number or a handle of rank 0, through which derivatives pass."""

    what = "optim.scale"
    scaled = lambda u: u * in_dtype_of(u, step_size)  # noqa: E731  # one expression, named
    return stateless(what, lambda updates, params: each(what, scaled, updates))


@announce
@dataclass(frozen=True)
class ScaleByScheduleState:
    """count: the number of updates so far."""

    count: IntTensor


def scale_by_schedule(step_size_fn: Schedule) -> GradientTransformation:
    """Updates times step_size_fn(count), count being the number of updates so far."""
    what = "optim.scale_by_schedule"

    def init(params: Any) -> ScaleByScheduleState:
        return ScaleByScheduleState(zero_count())

    def update(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        count = own(what, ScaleByScheduleState, state).count
        rate = step_size_fn(count)
        scaled = each(what, lambda u: u * in_dtype_of(u, rate), updates)
        return scaled, ScaleByScheduleState(count + 1)

    return GradientTransformation(init, update)


def scale_by_learning_rate(learning_rate: Rate | Schedule) -> GradientTransformation:
    """Updates times minus the rate: downhill."""
    if callable(learning_rate):
        schedule: Schedule = learning_rate
        return scale_by_schedule(lambda count: -1 * schedule(count))
    return scale(-1 * learning_rate)


def zero_count() -> IntTensor:
    """A count before the first step: int64."""
    count: IntTensor = from_array(np.asarray(0))
    return count


def add_decayed_weights(weight_decay: Rate, mask: Mask | None = None) -> GradientTransformation:
    """Updates plus weight_decay times the parameters; with a mask, where it is True.

    Raises ArgumentError where update is called without params.
    """
    what = "optim.add_decayed_weights"

    def update(updates: Any, params: Any) -> Any:
        if params is None:
            raise ArgumentError(f"{what}: update(grads, state, params) needs the parameters")
        decayed = lambda u, p: u + in_dtype_of(u, weight_decay) * p  # noqa: E731
        return each(what, decayed, updates, params=params)

    plain = stateless(what, update)
    return plain if mask is None else masked(plain, mask)


def clip(max_delta: Rate) -> GradientTransformation:
    """Each entry brought into [-max_delta, max_delta]."""
    what = "optim.clip"

    def clipped(u: Tensor) -> Tensor:
        bound = in_dtype_of(u, max_delta)
        return clip_entries(u, -1 * bound, bound)

    return stateless(what, lambda updates, params: each(what, clipped, updates))


def global_norm(updates: Any) -> Tensor:
    """The Euclidean norm of all entries of a tree together; 0 for a tree without leaves."""
    squares: list[Any] = []
    each("optim.global_norm", lambda u: squares.append(sum_of(u * u)), updates)
    total: Any = 0.0
    for square in squares:
        total = total + square
    return sqrt(total)


def clip_by_global_norm(max_norm: Rate) -> GradientTransformation:
    """Updates scaled so that their norm together is at most max_norm (Pascanu et al. 2013)."""
    what = "optim.clip_by_global_norm"

    def update(updates: Any, params: Any) -> Any:
        if not leaves(updates):
            return updates
        norm = global_norm(updates)
        within = norm < max_norm

        def scaled(u: Tensor) -> Tensor:
            return where(within, u, u / in_dtype_of(u, norm) * in_dtype_of(u, max_norm))

        return each(what, scaled, updates)

    return stateless(what, update)
