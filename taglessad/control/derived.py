"""Graphs made of graphs: tangents, cotangents, batches and forward/backward halves of a body.

Each is recorded once and kept with the graph it is made of. All are closed, first-order programs
over payloads, so they are differentiated and batched by the same functions again.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from taglessad.dtypes import is_real
from taglessad.graph import Graph, Ref, applied, as_written
from taglessad.interpreters.batch import Batch, Batched
from taglessad.interpreters.dual import Dual, DualNumber
from taglessad.interpreters.record import Record
from taglessad.interpreters.tape import Tape, Var
from taglessad.interpreters.taylor import Taylor, power_series
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.rules.structural import BROADCAST, PERMUTE, RESHAPE

R = TypeVar("R")
T = TypeVar("T")
Which = tuple[bool, ...]
"""One truth value per input or output of a graph."""

# Any: payloads of interpreters over Record, and what is kept by key.
Program = Callable[[Record, list[Ref]], Sequence[Ref]]


def build(avals: Sequence[Aval], program: Program, *, reverses: bool = False) -> Graph:
    """The graph of a program over payloads, from the avals of its arguments.

    reverses: reverse mode will go through it.
    """
    recorder = Record()
    recorder.reverses = reverses
    graph, captures = recorder.finish(program(recorder, [recorder.input(a) for a in avals]))
    assert not captures
    return graph


def kept(graph: Graph, key: Any, make: Callable[[], T]) -> T:
    """What was made of a graph before, or is made now."""
    found: T | None = graph.derived.get(key)
    if found is None:
        found = graph.derived[key] = make()
    return found


def single(prim: Prim | PrimN, params: Params, avals: Sequence[Aval]) -> Graph:
    """One operation."""

    def program(ops: Record, xs: list[Ref]) -> Sequence[Ref]:
        y = applied(ops, prim, tuple(xs), params)
        return y if isinstance(prim, PrimN) else [y]

    return build(avals, program)


def inputs(graph: Graph) -> list[Aval]:
    """Shape and dtype of each input."""
    return [graph.avals[ref] for ref in graph.inputs]


def outputs(graph: Graph) -> list[Aval]:
    """Shape and dtype of each output."""
    return [graph.avals[ref] for ref in graph.outputs]


def real(avals: Sequence[Aval]) -> Which:
    """Which of them may carry a derivative."""
    return tuple(is_real(a.dtype) for a in avals)


def only(values: Sequence[T], which: Which) -> list[T]:
    """The values at the places named."""
    return [v for v, w in zip(values, which, strict=True) if w]


def union(a: Which, b: Which) -> Which:
    """The places named by either."""
    return tuple(x or y for x, y in zip(a, b, strict=True))


def both(a: Which, b: Which) -> Which:
    """The places named by both."""
    return tuple(x and y for x, y in zip(a, b, strict=True))


def spread(values: Sequence[T], which: Which) -> list[T | None]:
    """The values at the places named, None at the others."""
    rest = iter(values)
    return [next(rest) if w else None for w in which]


def placed(inner: Which, outer: Which) -> Which:
    """The places named, given which of those that `outer` names are."""
    return tuple(bool(w) for w in spread(inner, outer))


def reached(graph: Graph, given: Which) -> Which:
    """Which outputs have a tangent when the named inputs have one."""

    def make() -> Which:
        found: list[bool] = []

        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            duals = _duals(ops, xs, [x if g else None for x, g in zip(xs, given, strict=True)])
            found.extend(d.tangent is not None for d in graph.run(Dual(ops), duals))
            return []

        build(inputs(graph), program)
        return tuple(found)

    return kept(graph, ("reached", given), make)


def _duals(ops: Record, xs: Sequence[Ref], tangents: Sequence[Ref | None]) -> list[DualNumber[Ref]]:
    return [DualNumber(x, t) for x, t in zip(xs, tangents, strict=True)]


def grouped(values: Sequence[T], which: Which, order: int) -> list[list[T] | None]:
    """`order` values at each of the places named, None at the others."""
    rest = iter(values)
    return [[next(rest) for _ in range(order)] if w else None for w in which]


def pushed(graph: Graph, given: Which, wanted: Which, order: int = 1) -> Graph:
    """(inputs, tangents of the given inputs) -> (outputs, tangents of the wanted outputs).

    order: how many coefficients of a power series each tangent stands for; then as many values
    follow each other, those of t, t**2 and so on.
    """

    def dual(ops: Record, xs: list[Ref], ts: list[Ref]) -> list[Ref]:
        duals: Dual[Ref] = Dual(ops)
        ys = graph.run(duals, _duals(ops, xs, spread(ts, given)))
        return [*(y.primal for y in ys), *(duals.tangent(y) for y in only(ys, wanted))]

    def series(ops: Record, xs: list[Ref], ts: list[Ref]) -> list[Ref]:
        taylor: Taylor[Ref] = Taylor(ops, order)
        parts = zip(xs, grouped(ts, given, order), strict=True)
        ys = graph.run(taylor, [power_series([x, *(cs or ())]) for x, cs in parts])
        found = [*(y.head for y in ys), *(c for y in only(ys, wanted) for c in taylor.beyond(y))]
        taylor.close()
        return found

    def program(ops: Record, xs: list[Ref]) -> list[Ref]:
        n = len(graph.inputs)
        return (dual if order == 1 else series)(ops, xs[:n], xs[n:])

    avals = inputs(graph)
    return kept(
        graph,
        ("pushed", given, wanted, order),
        lambda: build([*avals, *(a for a in only(avals, given) for _ in range(order))], program),
    )


def tangents(graph: Graph, given: Which, wanted: Which) -> Graph:
    """The tangents that `pushed` gives, alone."""
    both, n = pushed(graph, given, wanted), len(graph.outputs)
    return kept(
        graph,
        ("tangents", given, wanted),
        lambda: build(inputs(both), lambda ops, xs: both.run(ops, xs)[n:]),
    )


def pulled(graph: Graph, given: Which, wanted: Which, *, reverses: bool = False) -> Graph:
    """(inputs, cotangents of the given outputs) -> cotangents of the wanted inputs."""

    def make() -> Graph:
        return _joint(graph, given, wanted, with_outputs=False, reverses=reverses)

    return kept(graph, ("pulled", given, wanted, reverses), make)


def _taped(
    ops: Ops[R], graph: Graph, xs: Sequence[R], wanted: Which
) -> tuple[list[Var[R]], list[Var[R]], Tape[R]]:
    """The graph on a tape: the wanted inputs, the outputs."""
    tape: Tape[R] = Tape(ops)
    marked = [tape.input(x) for x in only(xs, wanted)]
    variables = [
        tape.embed(x) if v is None else v for x, v in zip(xs, spread(marked, wanted), strict=True)
    ]
    return marked, graph.run(tape, variables), tape


def pull(
    ops: Ops[R], graph: Graph, xs: Sequence[R], gs: Sequence[R], given: Which, wanted: Which
) -> tuple[list[R], list[R]]:
    """The outputs, and cotangents of the wanted inputs from those of the given outputs."""
    marked, ys, tape = _taped(ops, graph, xs, wanted)
    trace = tape.finish()
    seeds = [(y.place, g) for y, g in zip(only(ys, given), gs, strict=True) if y.place >= 0]
    found = trace.pull(ops, seeds, consume=True)
    cotangents = [
        ops.zeros(ops.aval(v.value)) if c is None else c for v, c in zip(marked, found, strict=True)
    ]
    return [y.value for y in ys], cotangents


def _joint(
    graph: Graph, given: Which, wanted: Which, *, with_outputs: bool, reverses: bool = False
) -> Graph:
    n = len(graph.inputs)

    def program(ops: Record, xs: list[Ref]) -> list[Ref]:
        ys, cotangents = pull(ops, graph, xs[:n], xs[n:], given, wanted)
        return [*ys, *cotangents] if with_outputs else cotangents

    avals = [*inputs(graph), *only(outputs(graph), given)]
    return build(avals, program, reverses=reverses)


def reached_back(graph: Graph, given: Which, wanted: Which) -> Which:
    """Which of the wanted inputs have a cotangent when the named outputs have one."""

    def make() -> Which:
        found: list[bool] = []

        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            _, ys, tape = _taped(ops, graph, xs, wanted)
            seeds = [(y.place, ops.zeros(ops.aval(y.value))) for y in only(ys, given)]
            cotangents = tape.finish().pull(ops, [s for s in seeds if s[0] >= 0], consume=True)
            found.extend(c is not None for c in spread(cotangents, wanted))
            return []

        build(inputs(graph), program)
        return tuple(found)

    return kept(graph, ("reached back", given, wanted), make)


def batched(graph: Graph, size: int, mapped: Which, wanted: Which) -> tuple[Graph, Which]:
    """The graph on a batch, and which outputs have the batch axis: the wanted ones, and any other
    that differs from member to member."""

    def make() -> tuple[Graph, Which]:
        found: list[bool] = []

        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            batch: Batch[Ref] = Batch(ops, size)
            members = [Batched(x, m) for x, m in zip(xs, mapped, strict=True)]
            ys = graph.run(batch, members)
            whole = [y.mapped or w for y, w in zip(ys, wanted, strict=True)]
            found.extend(whole)
            return [batch.full(y) if w else y.value for y, w in zip(ys, whole, strict=True)]

        avals = [
            Aval((size, *a.shape), a.dtype) if m else a
            for a, m in zip(inputs(graph), mapped, strict=True)
        ]
        return build(avals, program), tuple(found)

    return kept(graph, ("batched", size, mapped, wanted), make)


def with_inputs(graph: Graph, avals: Sequence[Aval], places: Sequence[int]) -> Graph:
    """The graph as a function of more arguments: its inputs are those at `places`."""
    return kept(
        graph,
        ("with_inputs", tuple(avals), tuple(places)),
        lambda: build(avals, lambda ops, xs: graph.run(ops, [xs[i] for i in places])),
    )


def nbytes(avals: Sequence[Aval]) -> int:
    """Bytes of one value of each, a number counted as the object that it is in a list."""
    total = 0
    for aval in avals:
        size = 1
        for n in aval.shape:
            size *= n if isinstance(n, int) else 1
        total += max(size * aval.dtype.itemsize, 8)
    return total


class Halves(NamedTuple):
    """A body and its pullback, cut where values pass from one to the other.

    forward: inputs -> (outputs, values to be remembered).
    backward: (invariant inputs, the other inputs that it reads, remembered values, cotangents of
        the given outputs) -> cotangents of the wanted inputs.
    reads: which of the inputs that are not invariant the backward half takes.
    remembered: how many values are remembered.
    """

    forward: Graph
    backward: Graph
    reads: Which
    remembered: int


_CHEAP: Final = frozenset({BROADCAST, RESHAPE, PERMUTE})
"""Views: made again in the backward half rather than remembered at their full size."""


def halves(graph: Graph, given: Which, wanted: Which, invariant: int) -> Halves:
    """Cut a body and its pullback apart; the first `invariant` inputs are the same in every run.

    What depends on invariant inputs alone is computed again rather than remembered for each run.
    """

    def make() -> Halves:
        return _cut(_joint(graph, given, wanted, with_outputs=True), graph, invariant)

    return kept(graph, ("halves", given, wanted, invariant), make)


def again(graph: Graph, given: Which, wanted: Which, invariant: int) -> Halves:
    """The same with nothing remembered but the inputs: the backward half runs the body again."""
    pull = pulled(graph, given, wanted, reverses=True)
    return Halves(graph, pull, (True,) * (len(graph.inputs) - invariant), 0)


def _cut(joint: Graph, graph: Graph, invariant: int) -> Halves:
    n, m = len(graph.inputs), len(graph.outputs)
    xs, gs = joint.inputs[:n], joint.inputs[n:]
    steps = list(joint.steps())
    made = {result: (prim, operands) for prim, operands, _, result in steps}
    late, fixed = set(gs), {*xs[:invariant], *joint.constants}
    for prim, operands, _, result in steps:
        if any(x in late for x in operands):
            late.add(result)
        elif all(x in fixed for x in operands):
            fixed.add(result)
        elif prim in _CHEAP and operands[0] in fixed:
            fixed.add(result)

    # Walk back from what the backward half needs to what must be handed over.
    again: set[Ref] = set()
    kept_values: dict[Ref, None] = {}
    pending = [x for _, operands, _, r in steps if r in late for x in operands if x not in late]
    pending += [x for x in joint.outputs[m:] if x not in late]
    seen: set[Ref] = set()
    while pending:
        x = pending.pop()
        if x in seen or x in joint.constants:
            continue
        seen.add(x)
        if x not in made:  # an input
            if x in xs[:invariant]:
                continue
            kept_values[x] = None
        elif x in fixed or made[x][0] in _CHEAP:
            again.add(x)
            pending.extend(made[x][1])
        else:  # of a primitive with several results the parts, not the tuple, come here
            kept_values[x] = None
    return _halves(joint, list(kept_values), again, late, steps, n, m, invariant)


def _halves(
    joint: Graph,
    kept_values: list[Ref],
    again: set[Ref],
    late: set[Ref],
    steps: list[tuple[Prim | PrimN, tuple[Ref, ...], Params, Ref]],
    n: int,
    m: int,
    invariant: int,
) -> Halves:
    xs, gs = joint.inputs[:n], joint.inputs[n:]
    reads = tuple(x in kept_values for x in xs[invariant:])
    passed = only(xs[invariant:], reads)
    remembered = [x for x in kept_values if x not in xs]
    avals = joint.avals

    def run(ops: Record, known: dict[Ref, Any], which: Callable[[Ref], bool]) -> None:
        for ref in joint.constants:
            known[ref] = as_written(ops, joint.literal(ref))
        for prim, operands, params, result in steps:
            if which(result):
                known[result] = applied(ops, prim, tuple([known[x] for x in operands]), params)

    def forward(ops: Record, arguments: list[Ref]) -> list[Ref]:
        known: dict[Ref, Any] = dict(zip(xs, arguments, strict=True))
        run(ops, known, lambda r: r not in late)
        return [known[x] for x in (*joint.outputs[:m], *remembered)]

    taken = [*xs[:invariant], *passed, *remembered, *gs]

    def backward(ops: Record, arguments: list[Ref]) -> list[Ref]:
        known: dict[Ref, Any] = dict(zip(taken, arguments, strict=True))
        run(ops, known, lambda r: r in late or r in again)
        return [known[x] for x in joint.outputs[m:]]

    return Halves(
        build([avals[x] for x in xs], forward),
        build([avals[x] for x in taken], backward),
        reads,
        len(remembered),
    )
