"""Where the operations of a graph write: into an operand that dies there, or into an array kept for
it from one run of the graph to the next. Fresh memory is the dear part of a loop over large arrays.
"""

from collections.abc import Mapping
from typing import NamedTuple

from taglessad.compiled.analysis import is_ufunc
from taglessad.graph import Graph, Ref
from taglessad.primitive import Aval


class Writes(NamedTuple):
    """By step: the operand that its result overwrites; by step: the array its result is written to.

    kept: names of the arrays that hold nothing from one run to the next, first None.
    """

    into: dict[int, Ref]
    to: dict[int, str]
    kept: list[str]


def reused(graph: Graph, last: Mapping[Ref, int], owned: set[Ref]) -> dict[int, Ref]:
    """By step: the first operand of the result's shape and dtype whose last use it is."""
    found: dict[int, Ref] = {}
    for i, (prim, operands, _, result) in enumerate(graph.steps()):
        if not is_ufunc(prim):
            continue
        for x in operands:
            if x in owned and last[x] == i and graph.avals[x] == graph.avals[result]:
                found[i] = x
                break
    return found


def writes(
    graph: Graph,
    last: Mapping[Ref, int],
    owned: set[Ref],
    fresh: set[int],
    rows: Mapping[Ref, str],
    prefix: str,
) -> Writes:
    """The plan for the body of a loop.

    owned: registers with an array of their own. fresh: steps that write where they are told.
    rows: by output, the array that it is to be written to. A register that is neither an output nor
    in someone else's hands keeps its array for the next run; registers that do not live at once
    share one.
    """
    into = reused(graph, last, owned)
    steps = list(graph.steps())
    first: dict[Ref, int] = {}  # by register: the step that made its array
    for i, (_, _, _, result) in enumerate(steps):
        if i in into:
            first[result] = first.get(into[i], -1)
        elif i in fresh:
            first[result] = i
    to = {first[ref]: row for ref, row in rows.items() if first.get(ref, -1) >= 0}
    outputs = set(graph.outputs)
    given = {i for ref, i in first.items() if ref in outputs or ref not in owned}
    kept: list[str] = []
    free: dict[Aval, list[str]] = {}
    holds: dict[Ref, str] = {}
    for i, (_, operands, _, result) in enumerate(steps):
        start = first.get(result, -1)
        if i in into and into[i] in holds:
            holds[result] = holds.pop(into[i])
        elif start == i and i not in given and i not in to:
            spare = free.setdefault(graph.avals[result], [])
            if spare:
                name = spare.pop()
            else:
                name = f"b{prefix}{len(kept)}"
                kept.append(name)
            holds[result] = to[i] = name
        for x in set(operands):
            if last[x] == i and x in holds:
                free.setdefault(graph.avals[x], []).append(holds.pop(x))
    return Writes(into, to, kept)
