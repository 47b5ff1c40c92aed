"""Cotangents that nothing flows into: parts of a pullback that need not be run.

A loop that ends by a residual in its carry gives that residual back, and nobody differentiates it.
Zeros in its place would be work, and NaN wherever the residual's own slope is infinite.
"""

from typing import Any

from taglessad.control import derived
from taglessad.control.derived import Which, only
from taglessad.graph import Graph, Ref, applied, as_written
from taglessad.interpreters.record import Record
from taglessad.rules.arithmetic import ADD


def _zero(graph: Graph, live: Which) -> set[Ref]:
    """Registers that are zero: linear in the last inputs alone of which none is live."""
    cotangents = graph.inputs[len(graph.inputs) - len(live) :]
    linear = set(cotangents)
    zero = {x for x, some in zip(cotangents, live, strict=True) if not some}
    for _, operands, _, result in graph.steps():
        own = [x for x in operands if x in linear]
        if own:
            linear.add(result)
            if zero.issuperset(own):
                zero.add(result)
    return zero | {x for x in graph.outputs if x not in linear}


def reached(graph: Graph, live: Which) -> Which:
    """Which outputs of a pullback are not zero by structure.

    graph: linear in its last inputs. live: which of these are not zero.
    """
    zero = _zero(graph, live)
    return tuple(x not in zero for x in graph.outputs)


def narrowed(graph: Graph, live: Which, wanted: Which) -> Graph:
    """A pullback that takes the live ones of its last inputs alone, and gives the wanted outputs."""
    if all(live) and all(wanted):
        return graph
    n = len(graph.inputs) - len(live)

    def make() -> Graph:
        zero, avals = _zero(graph, live), graph.avals
        taken = [*graph.inputs[:n], *only(graph.inputs[n:], live)]

        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            # Any: a primitive of several results has a tuple
            known: dict[Ref, Any] = dict(zip(taken, xs, strict=True))
            for ref in graph.constants:
                known[ref] = as_written(ops, graph.literal(ref))

            def value(x: Ref) -> Any:
                return ops.zeros(avals[x]) if x in zero else known[x]

            for prim, operands, params, result in graph.steps():
                if result in zero:
                    continue
                rest = [x for x in operands if x not in zero]
                if prim is ADD and len(rest) == 1 and avals[rest[0]] == avals[result]:
                    known[result] = known[rest[0]]
                else:
                    known[result] = applied(ops, prim, tuple(map(value, operands)), params)
            return [value(x) for x in only(graph.outputs, wanted)]

        return derived.build([avals[x] for x in taken], program)

    return derived.kept(graph, ("narrowed", live, wanted), make)


def carried(graph: Graph, given: Which, first: int, count: int) -> tuple[Which, Which]:
    """For a pullback that a loop repeats: the last inputs that are not zero in some trip, and the
    outputs.

    given: which are not zero at first. The first `count` of them are carried: the outputs from
    `first` on are what the trip before takes there, or of no trip what was given.
    """
    live, end = given, first + count
    while True:
        found = reached(graph, live)
        union = (*derived.union(live[:count], found[first:end]), *live[count:])
        if union == live:
            return live, (*found[:first], *live[:count], *found[end:])
        live = union
