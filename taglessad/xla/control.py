"""Branches and loops on XLA, their reverse included: one computation, no bound asked for."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.graph import Graph
from taglessad.ops import Ops

# Any: arrays and tracers; an interpreter of them.
SLOTS: Final = 32
"""States of a loop that its reverse holds at once, besides the three it works on."""


def _run(ops: Ops[Any], graph: Graph) -> Callable[..., list[Any]]:
    """The graph as a function of arrays, the same object each time, so that JAX knows it again."""
    found: Callable[..., list[Any]] | None = graph.derived.get(("xla", ops))
    if found is None:

        def function(*xs: Any) -> list[Any]:
            return [jnp.asarray(y) for y in graph.run(ops, xs)]

        found = graph.derived[("xla", ops)] = function
    return found


def branch(ops: Ops[Any], operands: Sequence[Any], graphs: tuple[Graph, ...]) -> list[Any]:
    """One of several graphs, by an index; out of range it is clamped."""
    index, *xs = operands
    functions = [_run(ops, g) for g in graphs]
    if len(functions) == 1:
        return functions[0](*xs)
    return list(lax.switch(jnp.asarray(index).astype(np.int32), functions, *map(jnp.asarray, xs)))


def scan(
    ops: Ops[Any],
    operands: Sequence[Any],
    body: Graph,
    constants: int,
    carry: int,
    length: int,
    reverse: bool,
) -> list[Any]:
    """A loop over rows, by `lax.scan`."""
    run = _run(ops, body)
    xs = [jnp.asarray(x) for x in operands]
    own, start, rows = xs[:constants], xs[constants : constants + carry], xs[constants + carry :]

    def step(state: list[Any], row: list[Any]) -> tuple[list[Any], list[Any]]:
        found = run(*own, *state, *row)
        return found[:carry], found[carry:]

    final, stacked = lax.scan(step, start, rows, length=length, reverse=reverse)
    return [*final, *stacked]


def while_loop(
    ops: Ops[Any], operands: Sequence[Any], condition: Graph, body: Graph, constants: int
) -> list[Any]:
    """A loop while a condition holds; the number of trips last."""
    going, step = _run(ops, condition), _run(ops, body)
    xs = [jnp.asarray(x) for x in operands]
    own, start = xs[:constants], xs[constants:]

    def test(state: tuple[Any, list[Any]]) -> Any:
        return going(*own, *state[1])[0]

    def trip(state: tuple[Any, list[Any]]) -> tuple[Any, list[Any]]:
        return state[0] + 1, step(*own, *state[1])

    trips, final = lax.while_loop(test, trip, (jnp.zeros((), jnp.int64), start))
    return [*final, trips]


def _split(left: Any, slots: Any) -> Any:
    """How far to go before the next checkpoint (`control.reversal.split`, at run time)."""

    def short(state: tuple[Any, Any]) -> Any:
        return state[1] < left

    def more(state: tuple[Any, Any]) -> tuple[Any, Any]:
        r, reach = state
        return r + 1, reach * (slots + r + 1) // (r + 1)

    one = jnp.ones((), jnp.int64)
    r, reach = lax.while_loop(short, more, (jnp.zeros((), jnp.int64), one))
    # binomial(s + r - 1, r - 1) and binomial(s + r - 2, r - 1) from binomial(s + r, r).
    before = reach * r // (slots + r)
    behind = jnp.where(slots + r > 1, before * slots // jnp.maximum(slots + r - 1, 1), 0)
    return jnp.maximum(1, jnp.minimum(left - 1, jnp.minimum(before, left - behind)))


def while_pull(
    ops: Ops[Any],
    operands: Sequence[Any],
    body: Graph,
    pull: Graph,
    constants: int,
    sums: int,
    smooth: int,
) -> list[Any]:
    """The pullback of a loop that made `trips` trips, in a fixed number of slots.

    Binomial checkpointing (Griewank and Walther 2000, algorithm 799) as three loops, one in the
    other: over the trips, last one first; over the checkpoints to set on the way to one; over the
    trips between two. No branch holds the stack of checkpoints, so that XLA updates it in place.
    """
    step, back = _run(ops, body), _run(ops, pull)
    xs = [jnp.asarray(x) for x in operands]
    n = len(body.inputs)
    own, start, seeds, trips = xs[:constants], xs[constants:n], xs[n:-1], xs[-1]
    avals = [pull.avals[ref] for ref in pull.outputs[:sums]]
    totals = [jnp.zeros(tuple(a.shape), a.dtype) for a in avals]
    stack = [jnp.zeros((SLOTS, *x.shape), x.dtype).at[0].set(x) for x in start]
    places = jnp.zeros((SLOTS,), jnp.int64)

    def after(trips: Any, top: Any, stack: list[Any]) -> list[Any]:
        """The state some trips after the last checkpoint."""
        here = [s[top] for s in stack]
        found: list[Any] = lax.fori_loop(0, trips, lambda _, s: step(*own, *s), here)
        return found

    def trip(state: Any) -> Any:
        end, top, places, stack, gs, totals = state

        def far(state: Any) -> Any:
            top, places, _ = state
            return (end - places[top] > 1) & (top < SLOTS - 1)

        def nearer(state: Any) -> Any:
            top, places, stack = state
            ahead = _split(end - places[top], SLOTS - top)
            there = after(ahead, top, stack)
            pushed = [s.at[top + 1].set(x) for s, x in zip(stack, there, strict=True)]
            return top + 1, places.at[top + 1].set(places[top] + ahead), pushed

        top, places, stack = lax.while_loop(far, nearer, (top, places, stack))
        left = end - places[top]
        found = back(*own, *after(left - 1, top, stack), *gs)
        totals = [t + g for t, g in zip(totals, found[:sums], strict=True)]
        return end - 1, jnp.where(left == 1, top - 1, top), places, stack, found[sums:], totals

    zero = jnp.zeros((), jnp.int64)
    state = (trips.astype(jnp.int64), zero, places, stack, seeds, totals)
    *_, gs, totals = lax.while_loop(lambda s: s[0] > 0, trip, state)
    assert len(gs) == smooth
    return [*totals, *gs]
