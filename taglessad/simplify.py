"""Identities that hold exactly for every number, applied while a graph is recorded.

Reverse rules start from a cotangent 1 and repeat it along axes; without these a replay would
multiply by ones that a person would not write. Only what keeps NaN, infinities and signed zeros is
here: x * 1 is x, x + 0 is not (it turns -0 into +0).
"""

from typing import NamedTuple

from taglessad.graph import Graph, Ref
from taglessad.primitive import Params, Prim
from taglessad.rules.arithmetic import DIV, MUL, NEG
from taglessad.rules.reductions import SUM
from taglessad.rules.selection import CAST
from taglessad.rules.structural import BROADCAST, PERMUTE, RESHAPE


class Step(NamedTuple):
    """One operation to be recorded."""

    prim: Prim
    operands: tuple[Ref, ...]
    params: Params


def simplified(graph: Graph, step: Step) -> Step | Ref:
    """The step in its simplest form, or the register that already holds its result."""
    prim, operands, params = step
    if prim.kind == "elementwise":
        return _elementwise(graph, step)
    if prim is RESHAPE:
        return _reshape(graph, operands[0], params)
    if prim is BROADCAST:
        return _broadcast(graph, operands[0], params)
    if prim is PERMUTE:
        return _permute(graph, operands[0], params)
    if prim is SUM and params[0] == ():
        return operands[0]
    return step


def _elementwise(graph: Graph, step: Step) -> Step | Ref:
    prim, operands, params = step
    if len(operands) == 1:
        x = operands[0]
        if prim is CAST and graph.avals[x].dtype == params[0]:
            return x
        if prim is NEG:
            inner = graph.definition(x)
            if inner is not None and inner[0] is NEG:
                return inner[1][0]
        return step
    operands = _unrepeated(graph, operands)
    if prim is MUL:
        for one, other in (operands, operands[::-1]):
            if _is_one(graph, one) and graph.avals[one].shape == ():
                return other
    if prim is DIV and _is_one(graph, operands[1]) and graph.avals[operands[1]].shape == ():
        return operands[0]
    return Step(prim, operands, params)


def _unrepeated(graph: Graph, operands: tuple[Ref, ...]) -> tuple[Ref, ...]:
    """Operands that are one number repeated give way to the number, if another keeps the shape."""
    shapes = [graph.avals[x].shape for x in operands]
    sources = [_repeated_number(graph, x) for x in operands]
    new = list(operands)
    for i, source in enumerate(sources):
        if source is None:
            continue
        kept = [graph.avals[x].shape for j, x in enumerate(new) if j != i]
        if shapes[i] in kept:
            new[i] = source
    return tuple(new)


def _repeated_number(graph: Graph, x: Ref) -> Ref | None:
    made = graph.definition(x)
    if made is None or made[0] is not BROADCAST:
        return None
    source = made[1][0]
    return source if graph.avals[source].shape == () else None


def _is_one(graph: Graph, x: Ref) -> bool:
    value = graph.constants.get(x)
    if value is None or x in graph.written:  # one rounded to 1 is another number
        return False
    return value.shape == () and bool(value == 1)


def _reshape(graph: Graph, x: Ref, params: Params) -> Step | Ref:
    (shape,) = params
    if graph.avals[x].shape == shape:
        return x
    made = graph.definition(x)
    if made is not None and made[0] is RESHAPE:
        return _reshape(graph, made[1][0], params)
    number = _repeated_number(graph, x)
    if number is not None:
        return Step(BROADCAST, (number,), params)
    return Step(RESHAPE, (x,), params)


def _broadcast(graph: Graph, x: Ref, params: Params) -> Step | Ref:
    (shape,) = params
    if graph.avals[x].shape == shape:
        return x
    made = graph.definition(x)
    if made is not None and made[0] is BROADCAST:
        return Step(BROADCAST, made[1], params)
    if made is not None and made[0] is RESHAPE and graph.avals[made[1][0]].shape == ():
        return Step(BROADCAST, made[1], params)  # a number with axes of size 1 added
    return Step(BROADCAST, (x,), params)


def _permute(graph: Graph, x: Ref, params: Params) -> Step | Ref:
    (axes,) = params
    made = graph.definition(x)
    if made is not None and made[0] is PERMUTE:
        (inner,) = made[2]
        return _permute(graph, made[1][0], (tuple(inner[a] for a in axes),))
    if axes == tuple(range(len(axes))):
        return x
    return Step(PERMUTE, (x,), params)
