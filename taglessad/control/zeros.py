"""Cotangents that nothing flows into: parts of a pullback that need not be run.

A loop that ends by a residual in its carry gives that residual back, and nobody differentiates it.
Zeros in its place would be work, and NaN wherever the residual's own slope is infinite.
"""

from typing import Any

from taglessad.control import derived
from taglessad.control.derived import Which, only
from taglessad.graph import Graph, Ref, applied, as_written
from taglessad.interpreters.record import Record
from taglessad.primitive import PrimN
from taglessad.rules.arithmetic import ADD


def carried(
    body: Graph, given: Which, wanted: Which, first: int, count: int
) -> tuple[Which, Which]:
    """Which results of a body have a cotangent in some trip of a loop, and which inputs.

    given: the results that have one at the end. wanted: inputs that may have one. The first `count`
    results are carried: in the next trip they are the inputs from `first` on.
    """
    live = given
    while True:
        found = derived.reached_back(body, live, wanted)
        union = (*derived.union(live[:count], found[first : first + count]), *live[count:])
        if union == live:  # of no trip what is carried has what it was given
            return live, (*found[:first], *live[:count], *found[first + count :])
        live = union


def narrowed(graph: Graph, live: Which, wanted: Which) -> Graph | None:
    """A pullback that takes the live ones of its last inputs alone, and gives the wanted outputs.

    graph: linear in its last inputs, of which `live` says which are not zero. None where another
    loop or branch inside would be given zeros.
    """
    if all(live) and all(wanted):
        return graph
    n = len(graph.inputs) - len(live)
    zero = _zero(graph, live)
    if zero is None:
        return None

    def make() -> Graph:
        avals = graph.avals
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


def _zero(graph: Graph, live: Which) -> set[Ref] | None:
    """Registers that are zero: linear in the last inputs alone of which none is live."""
    cotangents = graph.inputs[len(graph.inputs) - len(live) :]
    linear = set(cotangents)
    zero = {x for x, some in zip(cotangents, live, strict=True) if not some}
    for prim, operands, _, result in graph.steps():
        own = [x for x in operands if x in linear]
        if own:
            linear.add(result)
            if zero.issuperset(own):
                zero.add(result)
            elif isinstance(prim, PrimN) and not zero.isdisjoint(own):
                return None
    return zero | {x for x in graph.outputs if x not in linear}
