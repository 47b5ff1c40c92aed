"""The pullback of a loop of known length: from its log, or from states that were kept on its way."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from taglessad.compiled.loops import backward_function, fits, logged_function, repeated_function
from taglessad.control import derived
from taglessad.control.derived import only
from taglessad.control.loop_graphs import Back, logging
from taglessad.control.reversal import BLOCK, reverse_loop, stored
from taglessad.control.running import on_numpy, runner
from taglessad.control.zeros import narrowed
from taglessad.graph import Graph
from taglessad.ops import Ops

R = TypeVar("R")


class Steps(NamedTuple, Generic[R]):
    """The ways forward and back, for `reverse_loop`; back adds to the cotangents of constants."""

    forward: Callable[[Sequence[R], int], Sequence[R]]
    backward: Callable[[Sequence[R], int, Sequence[R]], Sequence[R]]
    sums: list[R]
    block: int


def pull_of(back: Back) -> Graph:
    """(constants, carry, cotangents) -> cotangents of the asked constants, of the carry before."""
    return derived.pulled(back.body, back.smooth, (*back.asked, *back.smooth))


def backward_from(made: Back, back: Back) -> Graph | None:
    """The backward half of a pullback that reads the log made for another; None if it cannot."""
    if not made.covers(back):
        return None
    live = tuple(only(back.smooth, made.smooth))
    return narrowed(logging(made).backward, live, (*only(back.asked, made.asked), *live))


# Any: NumPy payloads
def from_log(
    pull: Graph,
    log: Any,
    back: Back,
    constants: Sequence[Any],
    sums: Sequence[Any],
    gs: Sequence[Any],
) -> Sequence[Any]:
    """Sums of cotangents of constants, which are added to in place, and cotangents of the start.

    pull: (constants, what was logged of a trip, cotangents) -> cotangents, as `backward_from` has it.
    """
    k, m = back.constants, sum(back.asked)
    logged = len(pull.inputs) - k - len(gs)
    come = derived.kept(pull, ("back", k), lambda: backward_function(pull, k, logged, m))
    found: Sequence[Any] = come(log, *constants, *sums, *gs)
    return found


def numpy_sums(back: Back) -> list[Any]:
    """Zeros for the cotangents of constants."""
    avals = only(derived.inputs(back.body)[: back.constants], back.asked)
    return [np.zeros([n for n in a.shape if isinstance(n, int)], a.dtype) for a in avals]


def _numpy_steps(back: Back, constants: Sequence[Any], trips: int) -> Steps[Any]:
    """Generated loops."""
    body, k, m = back.body, back.constants, sum(back.asked)
    cut, n = logging(back), len(back.smooth)
    many = derived.kept(body, ("repeated on NumPy", k), lambda: repeated_function(body, k))
    go = derived.kept(cut.forward, "logged", lambda: logged_function(cut.forward, k, n))
    sums = numpy_sums(back)

    def forward(state: Sequence[Any], count: int) -> Sequence[Any]:
        after: Sequence[Any] = many(count, *constants, *state)
        return after

    def backward(state: Sequence[Any], count: int, gs: Sequence[Any]) -> Sequence[Any]:
        found = from_log(cut.backward, go(count, *constants, *state), back, constants, sums, gs)
        sums[:] = found[:m]
        return found[m:]

    return Steps(forward, backward, sums, trips if trips <= cut.most else cut.block)


def _steps(ops: Ops[R], back: Back, constants: Sequence[R]) -> Steps[R]:
    """Body and pullback run under an interpreter; what is logged are the states."""
    m = sum(back.asked)
    step, backstep = runner(ops, back.body), runner(ops, pull_of(back))
    sums = [ops.zeros(ops.aval(x)) for x in only(constants, back.asked)]

    def forward(state: Sequence[R], count: int) -> Sequence[R]:
        for _ in range(count):
            state = step([*constants, *state])
        return state

    def backward(state: Sequence[R], count: int, gs: Sequence[R]) -> Sequence[R]:
        states = [state]
        for _ in range(count - 1):
            states.append(forward(states[-1], 1))
        while states:
            found = backstep([*constants, *states.pop(), *gs])
            for i in range(m):
                sums[i] = ops.add(sums[i], found[i])
            gs = found[m:]
        return gs

    return Steps(forward, backward, sums, BLOCK)


def reversed_loop(
    ops: Ops[R], xs: Sequence[R], back: Back, kept: Sequence[tuple[int, Sequence[R]]]
) -> list[R]:
    """Cotangents of the asked constants and of the start; kept: as `reverse_loop` takes it."""
    constants, start, cotangents, last = back.split(xs)
    trips = ops.decide(last)
    if on_numpy(ops) and fits(back.body, pull_of(back)):
        steps = _numpy_steps(back, constants, trips)
    else:
        steps = _steps(ops, back, constants)
        if stored(ops, start, trips):
            steps = steps._replace(block=trips)
    gs = reverse_loop(steps.forward, steps.backward, kept, cotangents, trips, block=steps.block)
    return [*steps.sums, *gs]
