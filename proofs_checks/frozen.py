"""A program with its fences held where they were: what differences of values are taken of.

A derivative takes what is behind `detach` and `no_grad` for constant; a difference of values would
see it move. So the program is recorded once, and what was fenced becomes a literal.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from taglessad.dispatch import lift_all
from taglessad.graph import Graph, Ref, applied
from taglessad.interpreters.eager import EAGER
from taglessad.kernels.quiet import Quiet
from taglessad.ops import Ops
from taglessad.proofs_checks.cases import Array
from taglessad.rules.selection import DETACH
from taglessad.tensor import handle
from taglessad.transforms.recording import trace


def frozen(f: Callable[..., Any], points: Sequence[Array]) -> Callable[..., Any]:
    """f, a function of arrays that returns a tuple, with what it fences as it is at the points.

    Raises as `trace` does where f cannot be recorded.
    """
    graph = trace(f)(*points)
    fenced: dict[Ref, Array] = {}
    with Quiet():
        registers = _run(graph, EAGER, points, {})
    for prim, _, _, result in graph.steps():
        if prim is DETACH:
            fenced[result] = np.asarray(registers[result])

    def program(*xs: Any) -> Any:
        ops, handles = lift_all("check_derivative", xs)
        results = _run(graph, ops, [x.payload for x in handles], fenced)
        return tuple(handle(ops, results[r], graph.avals[r].dtype) for r in graph.outputs)

    return program


def _run(
    graph: Graph, ops: Ops[Any], arguments: Sequence[Any], fixed: dict[Ref, Array]
) -> list[Any]:
    """All registers of a graph, some of them literals whatever computes them."""
    registers: list[Any] = [None] * len(graph.avals)
    for ref, value in zip(graph.inputs, arguments, strict=True):
        registers[ref] = value
    for ref, constant in (graph.constants | fixed).items():
        registers[ref] = ops.const(constant)
    for prim, operands, params, result in graph.steps():
        if result not in fixed:
            xs = tuple(registers[x] for x in operands)
            registers[result] = applied(ops, prim, xs, params)
    return registers
