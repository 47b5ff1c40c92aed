"""Schedules: the rate as a function of the number of updates so far, under optax's names.

The count is an int or an integer handle of rank 0; values may be handles, through which derivatives
pass. Results are float64, which an optimiser brings to the dtype of its parameters.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from taglessad.array_api.arithmetic import pow
from taglessad.array_api.comparison import clip, maximum, minimum
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.rounding import floor
from taglessad.array_api.searching import where
from taglessad.array_api.transcendental import cos
from taglessad.convert import as_handle
from taglessad.dtypes import PI, float64
from taglessad.errors import ArgumentError
from taglessad.optim.leaves import Rate
from taglessad.tensor import IntTensor

Schedule: TypeAlias = Callable[[int | IntTensor], Any]
# Any: a Tensor, or the number that a constant schedule was given.


def _real(count: int | IntTensor) -> Any:
    return astype(as_handle(count, "schedule", "count"), float64)


def _check_steps(what: str, name: str, steps: int) -> None:
    if steps <= 0:
        raise ArgumentError(f"optim.{what}: {name} is {steps}; it must be positive")


def constant_schedule(value: Rate) -> Schedule:
    """The same rate always."""
    return lambda count: value


def polynomial_schedule(
    init_value: Rate, end_value: Rate, power: Rate, transition_steps: int, transition_begin: int = 0
) -> Schedule:
    """(init - end) (1 - t)**power + end, t running from 0 to 1 in the steps of the transition."""
    _check_steps("polynomial_schedule", "transition_steps", transition_steps)

    def schedule(count: int | IntTensor) -> Any:
        left = 1 - clip((_real(count) - transition_begin) / transition_steps, 0.0, 1.0)
        return (init_value - end_value) * pow(left, power) + end_value

    return schedule


def linear_schedule(
    init_value: Rate, end_value: Rate, transition_steps: int, transition_begin: int = 0
) -> Schedule:
    """A straight line from init_value to end_value."""
    _check_steps("linear_schedule", "transition_steps", transition_steps)
    return polynomial_schedule(init_value, end_value, 1, transition_steps, transition_begin)


def exponential_decay(
    init_value: Rate,
    transition_steps: int,
    decay_rate: Rate,
    transition_begin: int = 0,
    staircase: bool = False,
    end_value: Rate | None = None,
) -> Schedule:
    """init_value decay_rate**(count / transition_steps), by whole powers with `staircase`.

    end_value: a bound that the rate does not pass, from above where decay_rate < 1.
    """
    _check_steps("exponential_decay", "transition_steps", transition_steps)

    def schedule(count: int | IntTensor) -> Any:
        exponent = maximum((_real(count) - transition_begin) / transition_steps, 0.0)
        rate = init_value * pow(decay_rate, floor(exponent) if staircase else exponent)
        if end_value is None:
            return rate
        falls = as_handle(decay_rate, "optim.exponential_decay", "decay_rate") < 1.0
        return where(falls, maximum(rate, end_value), minimum(rate, end_value))

    return schedule


def cosine_decay_schedule(
    init_value: Rate, decay_steps: int, alpha: Rate = 0.0, exponent: Rate = 1.0
) -> Schedule:
    """Half a cosine from init_value to alpha * init_value (Loshchilov and Hutter 2017)."""
    _check_steps("cosine_decay_schedule", "decay_steps", decay_steps)

    def schedule(count: int | IntTensor) -> Any:
        done = minimum(_real(count), float(decay_steps)) / decay_steps
        wave = pow(0.5 * (1 + cos(PI * done)), exponent)
        return init_value * ((1 - alpha) * wave + alpha)

    return schedule


def warmup_cosine_decay_schedule(
    init_value: Rate,
    peak_value: Rate,
    warmup_steps: int,
    decay_steps: int,
    end_value: Rate = 0.0,
    exponent: Rate = 1.0,
) -> Schedule:
    """A line from init_value to peak_value, then half a cosine to end_value.

    decay_steps: of both together.
    """
    if not 0 < warmup_steps < decay_steps:
        raise ArgumentError(
            f"optim.warmup_cosine_decay_schedule: warmup_steps is {warmup_steps} and decay_steps, "
            f"of both parts together, {decay_steps}; write 0 < warmup_steps < decay_steps"
        )
    fall = cosine_decay_schedule(1.0, decay_steps - warmup_steps, 0.0, exponent)
    return join_schedules(
        [
            linear_schedule(init_value, peak_value, warmup_steps),
            lambda count: end_value + (peak_value - end_value) * fall(count),
        ],
        [warmup_steps],
    )


def piecewise_constant_schedule(
    init_value: Rate, boundaries_and_scales: Mapping[int, Rate]
) -> Schedule:
    """init_value, times each scale from the count on at which it stands."""

    def schedule(count: int | IntTensor) -> Any:
        steps, rate = _real(count), init_value
        for boundary, factor in sorted(boundaries_and_scales.items(), key=lambda item: item[0]):
            rate = rate * where(steps >= boundary, factor, 1.0)
        return rate

    return schedule


def join_schedules(schedules: Sequence[Schedule], boundaries: Sequence[int]) -> Schedule:
    """One schedule after the other; each counts from the boundary at which it begins."""
    if len(boundaries) != len(schedules) - 1 or list(boundaries) != sorted(boundaries):
        raise ArgumentError(
            f"optim.join_schedules: {len(schedules)} schedules need {len(schedules) - 1} "
            f"boundaries in ascending order, got {list(boundaries)}"
        )

    def schedule(count: int | IntTensor) -> Any:
        steps = as_handle(count, "schedule", "count")
        rate = schedules[0](count)
        for later, boundary in zip(schedules[1:], boundaries, strict=True):
            # The rate of one whose time has not come is not used: it is asked for its first.
            own = later(maximum(steps - boundary, 0))  # type: ignore[arg-type]  # a handle counts steps too
            rate = where(steps < boundary, rate, own)
        return rate

    return schedule
