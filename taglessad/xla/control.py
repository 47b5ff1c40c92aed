"""Branches and loops on XLA, their reverse included: one computation, no bound asked for."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.graph import Graph
from taglessad.ops import Ops
from taglessad.primitive import Aval
from taglessad.xla.varying import alike

# Any: arrays and tracers; an interpreter of them.
KNOWN: Final = frozenset({"branch", "scan"})
"""Of the primitives here, those that JAX's own transforms know what to make of."""


def _run(ops: Ops[Any], graph: Graph) -> Callable[..., list[Any]]:
    """The graph as a function of arrays, the same object each time, so that JAX knows it again."""
    found: Callable[..., list[Any]] | None = graph.derived.get(("xla", ops))
    if found is None:

        def function(*xs: Any) -> list[Any]:
            return alike([jnp.asarray(y) for y in graph.run(ops, xs)], *xs)

        found = graph.derived[("xla", ops)] = function
    return found


def _operands(xs: Sequence[Any]) -> list[Any]:
    """Operands of a loop, whose carry keeps its type from trip to trip."""
    return alike([jnp.asarray(x) for x in xs])


def branch(ops: Ops[Any], operands: Sequence[Any], graphs: tuple[Graph, ...]) -> list[Any]:
    """One of several graphs, by an index; out of range it is clamped."""
    index, *xs = operands
    functions = [_run(ops, g) for g in graphs]
    if len(functions) == 1:  # to be computed again, not taken from where it was computed before
        barrier: Any = lax.optimization_barrier  # Any: JAX leaves it untyped
        return list(jax.checkpoint(functions[0])(*barrier(xs)))
    return list(lax.switch(jnp.asarray(index).astype(np.int32), functions, *_operands(xs)))


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
    xs = _operands(operands)
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
    xs = _operands(operands)
    own, start = xs[:constants], xs[constants:]

    def test(state: tuple[Any, list[Any]]) -> Any:
        return going(*own, *state[1])[0]

    def trip(state: tuple[Any, list[Any]]) -> tuple[Any, list[Any]]:
        return state[0] + 1, step(*own, *state[1])

    (zero,) = alike([jnp.zeros((), jnp.int64)], *xs)
    trips, final = lax.while_loop(test, trip, (zero, start))
    return [*final, trips]


class Kept(NamedTuple):
    """States of a loop, and after how many trips they stand: `top + 1` of them (`reversal.Kept`)."""

    top: Any
    places: Any
    stack: list[Any]

    def pushed(self, place: Any, state: Sequence[Any], count: Any = True) -> "Kept":
        """One more state; if not `count` its slot is written, and stays free."""
        at = self.top + 1
        stack = [_written(s, x, at) for s, x in zip(self.stack, state, strict=True)]
        return Kept(self.top + count, _written(self.places, place, at), stack)


def _written(rows: Any, x: Any, at: Any) -> Any:
    return lax.dynamic_update_index_in_dim(rows, x, at, 0)


def _row(rows: Any, at: Any) -> Any:
    return lax.dynamic_index_in_dim(rows, at, 0, keepdims=False)


def _started(start: Sequence[Any], slots: int) -> Kept:
    empty = alike([jnp.zeros((slots, *x.shape), x.dtype) for x in start], *start)
    stack = [rows.at[0].set(x) for rows, x in zip(empty, start, strict=True)]
    top, places = alike([jnp.zeros((), jnp.int64), jnp.zeros((slots,), jnp.int64)], *start)
    return Kept(top, places, stack)


def while_keeping(
    ops: Ops[Any],
    operands: Sequence[Any],
    condition: Graph,
    body: Graph,
    constants: int,
    slots: int,
    stride: int,
) -> tuple[list[Any], Kept]:
    """The loop, and states on its way: three loops, one in the other.

    The innermost makes as many trips as the stride, which is `stride` at first; the next fills the slots; for the outermost every second
    state gives way and the stride doubles. No branch holds the slots, so that XLA updates them in
    place.
    """
    going, step = _run(ops, condition), _run(ops, body)
    xs = _operands(operands)
    own, start = xs[:constants], xs[constants:]

    def goes(state: list[Any]) -> Any:
        return going(*own, *state)[0]

    def trip(state: tuple[Any, list[Any]]) -> tuple[Any, list[Any]]:
        return state[0] + 1, step(*own, *state[1])

    def fill(state: Any) -> Any:
        trips, carry, on, stride, kept = state
        limit = _row(kept.places, kept.top) + stride
        trips, carry = lax.while_loop(lambda s: (s[0] < limit) & goes(s[1]), trip, (trips, carry))
        on = goes(carry)
        return trips, carry, on, stride, kept.pushed(trips, carry, on)

    def level(state: Any) -> Any:
        trips, carry, on, stride, (top, places, stack) = state
        full = top == slots - 1
        order = jnp.where(full, jnp.minimum(2 * np.arange(slots), slots - 1), np.arange(slots))
        kept = Kept(jnp.where(full, slots // 2 - 1, top), places[order], [s[order] for s in stack])
        stride = jnp.where(full, 2 * stride, stride)
        return lax.while_loop(
            lambda s: s[2] & (s[4].top < slots - 1), fill, (trips, carry, on, stride, kept)
        )

    zero, first = alike([jnp.zeros((), jnp.int64), jnp.full((), stride, jnp.int64)], *xs)
    begin = (zero, list(start), goes(start), first, _started(start, slots))
    trips, final, _, _, kept = lax.while_loop(lambda s: s[2], level, begin)
    return [*final, trips], kept


def _split(blocks: Any, slots: Any) -> Any:
    """How far to go before the next checkpoint (`control.reversal.split`, at run time)."""

    def short(state: tuple[Any, Any]) -> Any:
        return state[1] < blocks

    def more(state: tuple[Any, Any]) -> tuple[Any, Any]:
        r, reach = state
        return r + 1, reach * (slots + r + 1) // (r + 1)

    start = alike([jnp.zeros((), jnp.int64), jnp.ones((), jnp.int64)], blocks, slots)
    r, reach = lax.while_loop(short, more, (start[0], start[1]))
    # binomial(s + r - 1, r - 1) and binomial(s + r - 2, r - 1) from binomial(s + r, r).
    before = reach * r // (slots + r)
    behind = jnp.where(slots + r > 1, before * slots // jnp.maximum(slots + r - 1, 1), 0)
    return jnp.maximum(1, jnp.minimum(blocks - 1, jnp.minimum(before, blocks - behind)))


def while_pull(
    ops: Ops[Any],
    operands: Sequence[Any],
    body: Graph,
    cut: tuple[Graph, Graph],
    constants: int,
    sums: int,
    slots: int,
    block: int,
    kept: Kept | None = None,
) -> list[Any]:
    """The pullback of a loop that made `trips` trips, in a fixed number of slots.

    cut: the body that logs, (constants, carry) -> (carry, log), and its pullback from that,
    (constants, log, cotangents) -> (cotangents of constants, of the carry before). kept: states
    that the loop has left; only its start if there are none.

    Binomial checkpointing (`reversal.reverse_loop`) as loops one in the other: over the blocks of
    trips, last one first; over the states to keep on the way to one; over trips. No branch holds
    the slots or the log, so that XLA updates them in place.
    """
    step, logged, back = _run(ops, body), _run(ops, cut[0]), _run(ops, cut[1])
    xs = _operands(operands)
    n = len(body.inputs)
    size = n - constants
    own, start, seeds, trips = xs[:constants], xs[constants:n], xs[n:-1], xs[-1]
    totals = alike([_zeros(cut[1].avals[ref]) for ref in cut[1].outputs[:sums]], *xs)
    log = alike([_zeros(cut[0].avals[ref], block) for ref in cut[0].outputs[size:]], *xs)

    def after(trips: Any, kept: Kept) -> list[Any]:
        """The state some trips after the last one kept."""
        here = [_row(s, kept.top) for s in kept.stack]
        found: list[Any] = lax.fori_loop(0, trips, lambda _, s: step(*own, *s), here)
        return found

    def left(end: Any, kept: Kept) -> Any:
        return end - _row(kept.places, kept.top)

    def nearer(end: Any, kept: Kept) -> Kept:
        blocks = (left(end, kept) + block - 1) // block
        ahead = block * _split(blocks, slots - kept.top)
        return kept.pushed(_row(kept.places, kept.top) + ahead, after(ahead, kept))

    def forward(i: Any, at: tuple[list[Any], list[Any]]) -> tuple[list[Any], list[Any]]:
        state, log = at
        found = logged(*own, *state)
        rows = [_written(r, x, i) for r, x in zip(log, found[size:], strict=True)]
        return found[:size], rows

    def some(at: Any) -> Any:
        end, kept, log, gs, totals = at
        kept = lax.while_loop(
            lambda k: (left(end, k) > block) & (k.top < slots - 1), lambda k: nearer(end, k), kept
        )
        far = left(end, kept)
        count = jnp.minimum(far, block)
        _, log = lax.fori_loop(0, count, forward, (after(far - count, kept), log))

        def backward(i: Any, at: tuple[list[Any], list[Any]]) -> tuple[list[Any], list[Any]]:
            gs, totals = at
            found = back(*own, *(_row(r, count - 1 - i) for r in log), *gs)
            return found[sums:], [t + g for t, g in zip(totals, found[:sums], strict=True)]

        gs, totals = lax.fori_loop(0, count, backward, (gs, totals))
        kept = kept._replace(top=jnp.where(far == count, kept.top - 1, kept.top))
        return end - count, kept, log, gs, totals

    first = _started(start, slots) if kept is None else kept
    begin = (trips.astype(jnp.int64), first, log, seeds, totals)
    *_, gs, totals = lax.while_loop(lambda s: s[0] > 0, some, begin)
    return [*totals, *gs]


def _zeros(aval: Aval, *rows: int) -> Any:
    return jnp.zeros((*rows, *aval.shape), aval.dtype)
