"""What a loop's body computes from constants alone: taken out of the loop.

Done where a loop is run, not where it is recorded: there it would be differentiated outside of the
loop, also of one that makes no trip.
"""

from collections.abc import Collection, Sequence

from taglessad.graph import Graph, Ref


def split(body: Graph, constants: int) -> tuple[Graph, Graph] | None:
    """(constants -> values, (constants, values, all other inputs) -> outputs); None for no values.

    constants: how many inputs, the first ones, are the same in every trip.
    """
    fixed = {*body.inputs[:constants], *body.constants}
    steps = list(body.steps())
    made: dict[Ref, None] = {}  # in order
    for _, operands, _, result in steps:
        if fixed.issuperset(operands):
            fixed.add(result)
            made[result] = None
    if not made:
        return None
    used = {x for _, operands, _, result in steps if result not in fixed for x in operands}
    values = [x for x in made if x in used or x in body.outputs]
    own = list(body.inputs)
    first = _part(body, own[:constants], made, values)
    rest = {result for *_, result in steps if result not in fixed}
    return first, _part(body, [*own[:constants], *values, *own[constants:]], rest, body.outputs)


def _part(
    graph: Graph, inputs: Sequence[Ref], results: Collection[Ref], outputs: Sequence[Ref]
) -> Graph:
    """The operations of a graph that give `results`, as one of their own."""
    part = Graph()
    new = {x: part.add_input(graph.avals[x]) for x in inputs}
    for x, value in graph.constants.items():
        new[x] = part.add_constant(value, graph.written.get(x))
    for node in graph.nodes:
        if node.result in results:
            step = (node.prim, tuple([new[x] for x in node.operands]), node.params)
            new[node.result] = part.add_node(step, node.aval, node.site)
    part.finish([new[x] for x in outputs], [])
    return part
