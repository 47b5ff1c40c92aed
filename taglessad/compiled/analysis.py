"""What the generation of code asks of a graph."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from taglessad.dtypes import float64
from taglessad.graph import Graph, Ref
from taglessad.interpreters.eager import EAGER
from taglessad.primitive import PART, Prim, PrimN

_VIEWS: Final = frozenset(
    {"reshape", "permute", "broadcast", "slice", "flip", "diagonal", "detach"}
)


def last_uses(graph: Graph) -> dict[Ref, int]:
    last: dict[Ref, int] = {}
    for i, (_, operands, _, _) in enumerate(graph.steps()):
        for x in operands:
            last[x] = i
    return last


def shared(graph: Graph) -> set[Ref]:
    """Registers that may be views of an input or of a constant: results must not be."""
    found = {*graph.inputs, *graph.constants}
    for prim, operands, _, result in graph.steps():
        if prim is PART or (prim.name in _VIEWS and operands[0] in found):
            found.add(result)  # what a primitive with several results gives may be an operand
    return found


def is_ufunc(prim: Prim | PrimN) -> bool:
    """Whether NumPy computes the primitive by a ufunc, entry by entry into an array of its own."""
    return isinstance(getattr(EAGER.trusted(), prim.name, None), np.ufunc)


def owned(graph: Graph, slopes: Mapping[int, Ref]) -> set[Ref]:
    """Registers with an array of their own, of which nothing else is a view.

    So the operation that uses one last may write into it.
    """
    own: set[Ref] = set()
    for i, (prim, operands, params, result) in enumerate(graph.steps()):
        if is_ufunc(prim) or i in slopes:
            if graph.avals[result].shape != ():  # NumPy gives rank 0 as scalars
                own.add(result)
        elif prim.name != "contract" and not (prim.name == "sum" and params[0]):
            own.difference_update(operands)  # its result may be a view
    return own - set(graph.outputs)


def slopes(graph: Graph) -> dict[int, Ref]:
    """By step that computes 1 / cosh(x)**2 and gains by it: the register that holds tanh(x)."""
    found: dict[int, Ref] = {}
    known: dict[Ref, Ref] = {}
    for i, (prim, operands, _, result) in enumerate(graph.steps()):
        if prim.name == "tanh":
            known[operands[0]] = result
        elif prim.name == "sech_squared" and operands[0] in known:
            shape, dtype = graph.avals[result]
            size = math.prod(n for n in shape if isinstance(n, int))
            if shape != () and (dtype != float64 or size >= 256):
                found[i] = known[operands[0]]
    return found


# By step: the function that computes it and, if it takes a log, the register that holds that.
# Any: each kernel has its own signature.
Fused: TypeAlias = dict[int, tuple[Callable[..., Any], tuple[Ref, int] | None]]


def fused(graph: Graph) -> Fused:
    """The steps that are computed in pairs, the first leaving a log for the second."""
    steps = list(graph.steps())
    where = {result: i for i, (_, _, _, result) in enumerate(steps)}
    found: Fused = {}
    for i, (prim, operands, params, _) in enumerate(steps):
        if not isinstance(prim, PrimN) or prim.fused is None:
            continue
        part = where.get(operands[-1])
        if part is None or steps[part][0] is not PART:
            continue
        whole = steps[part][1][0]
        j = where[whole]
        other, before, other_params, _ = steps[j]
        if j in found or not isinstance(other, PrimN) or operands[: len(before)] != before:
            continue
        pair = prim.fused(params, other_params)
        if pair is not None:
            found[j] = (pair[0], None)
            found[i] = (pair[1], (whole, i))
    return found
