"""The text form of a graph, one line a node: `%3: float64[2] = mul %1 %2`."""

import inspect
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Final

import numpy as np

from taglessad.graph import Graph, Node, Ref
from taglessad.ops import Ops
from taglessad.primitive import Aval, Prim
from taglessad.shapes import Polynomial, show
from taglessad.view.values import literal, value_text

INLINE: Final = 4
"""Entries up to which a constant of rank 0 or 1 is written where it is used."""


def graph_text(graph: Graph) -> str:
    """Inputs, constants and nodes, one line each, and the outputs.

    Small constants stand where they are used; a graph among the parameters of a node (the body of
    a loop) follows its node, indented.
    """
    written = inlined(graph)
    lines = [f"{typed(graph, ref)} = input" for ref in graph.inputs]
    body: list[tuple[Ref, list[str]]] = []
    for ref, value in graph.constants.items():
        if ref not in written:
            body.append((ref, [f"{typed(graph, ref)} = constant {value_text(value)}"]))
    for node in graph.nodes:
        body.append((node.result, _node_lines(graph, node, written)))
    body.sort(key=lambda entry: entry[0])
    for _, entry in body:
        lines += entry
    lines.append(f"return {', '.join(operand(ref, written) for ref in graph.outputs)}".rstrip())
    return "\n".join(lines)


def _node_lines(graph: Graph, node: Node, written: Mapping[Ref, str]) -> list[str]:
    lines = [f"{typed(graph, node.result)} = {operation(node, written)}"]
    for name, value in named_parameters(node):
        if isinstance(value, Graph):
            lines.append(f"    {name}:" if name else "    body:")
            lines += [f"        {line}" for line in graph_text(value).splitlines()]
    return lines


def inlined(graph: Graph) -> dict[Ref, str]:
    """Constants small enough to stand where they are used, as text."""
    return {
        ref: literal(value)
        for ref, value in graph.constants.items()
        if value.ndim <= 1 and 0 < value.size <= INLINE and ref not in graph.outputs
    }


def register(ref: Ref) -> str:
    """A register's name."""
    return f"%{ref}"


def kind(aval: Aval) -> str:
    """dtype and shape: `float64[2, 3]`."""
    return f"{aval.dtype}{show(aval.shape)}"


def typed(graph: Graph, ref: Ref) -> str:
    """A register with its dtype and shape: `%3: float64[2]`."""
    return f"{register(ref)}: {kind(graph.avals[ref])}"


def operand(ref: Ref, written: Mapping[Ref, str]) -> str:
    """An operand: its register, or the constant itself."""
    return written.get(ref) or register(ref)


def call(node: Node, written: Mapping[Ref, str]) -> str:
    """The primitive and its operands: `mul %1 2.0`."""
    return " ".join([node.prim.name, *(operand(x, written) for x in node.operands)])


def operation(node: Node, written: Mapping[Ref, str]) -> str:
    """The primitive, its operands and its parameters."""
    return " ".join([call(node, written), *parameters(node)])


def parameters(node: Node) -> list[str]:
    """The parameters by name: `axes=(0,)`."""
    return [
        f"{name}={parameter_text(value)}" if name else parameter_text(value)
        for name, value in named_parameters(node)
    ]


def named_parameters(node: Node) -> list[tuple[str, Any]]:
    """Parameters with the names that the vocabulary's method gives them, "" where it gives none.

    Any: static values, as the primitive declares them.
    """
    names = _method_parameters(node.prim)
    n = len(node.params)
    known = names[len(names) - n :] if 0 < n < len(names) else ("",) * n
    return list(zip(known, node.params, strict=True))


@lru_cache(maxsize=None)
def _method_parameters(prim: Prim) -> tuple[str, ...]:
    method = getattr(Ops, prim.name, None)
    return () if method is None else tuple(inspect.signature(method).parameters)


def parameter_text(value: Any) -> str:
    """A parameter as text that is the same in every process. Any: whatever a primitive takes."""
    if isinstance(value, Graph):
        return f"<graph of {len(value)} nodes>"
    if isinstance(value, tuple):
        inner = ", ".join(parameter_text(v) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, Enum):
        return value.name
    if value is None or isinstance(value, (str, bytes, bool, int, float, np.generic)):
        return repr(value)
    if isinstance(value, (np.dtype, Polynomial)):
        return str(value)
    # The repr of anything else may have an address in it.
    name: str = getattr(value, "__qualname__", None) or type(value).__qualname__
    return f"<{name}>"
