"""The text form of a graph, one line a node: `%3: float64[2] = mul %1 %2`."""

import inspect
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any, Final

import numpy as np

from taglessad.graph import Graph, Node, Ref
from taglessad.ops import Ops
from taglessad.primitive import Aval, Prim
from taglessad.shapes import Polynomial, show
from taglessad.view.values import literal, value_text

_PLAIN: Final[tuple[type[Any], ...]] = (np.dtype, np.generic, Polynomial)

INLINE: Final = 4
"""Entries up to which a constant of rank 0 or 1 is written where it is used."""


def graph_text(graph: Graph) -> str:
    """Inputs, constants and nodes, one line each, and the outputs.

    Small constants stand where they are used; a graph among the parameters of a node (the body of
    a loop) follows its node, indented.
    """
    return "\n".join(line for _, line in graph_lines(graph))


def graph_lines(
    graph: Graph, names: Mapping[Ref, str] | None = None
) -> list[tuple[Ref | None, str]]:
    """The lines of the text form, each with the register it defines; inputs by name if known."""
    names = names or {}
    written = inlined(graph)
    lines: list[tuple[Ref | None, str]] = [
        (ref, f"{typed(graph, ref)} = input {names.get(ref, '')}".rstrip()) for ref in graph.inputs
    ]
    body: list[tuple[Ref, Node | None]] = [(node.result, node) for node in graph.nodes]
    body += [(ref, None) for ref in graph.constants if ref not in written]
    for ref, node in sorted(body, key=lambda entry: entry[0]):
        if node is None:
            lines.append(
                (ref, f"{typed(graph, ref)} = constant {value_text(graph.constants[ref])}")
            )
            continue
        lines.append((ref, f"{typed(graph, ref)} = {operation(node, written)}"))
        lines += [(None, line) for line in _bodies(node)]
    lines.append(
        (None, f"return {', '.join(operand(ref, written) for ref in graph.outputs)}".rstrip())
    )
    return lines


def _bodies(node: Node) -> list[str]:
    """The text forms of graphs among a node's parameters."""
    lines: list[str] = []
    for name, value in named_parameters(node):
        graphs = value if isinstance(value, tuple) else (value,)
        for graph in graphs:
            if isinstance(graph, Graph):
                lines.append(f"    {name or 'body'}:")
                lines += [f"        {line}" for line in graph_text(graph).splitlines()]
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


@cache
def _method_parameters(prim: Prim) -> tuple[str, ...]:
    method = getattr(Ops, prim.name, None)
    return () if method is None else tuple(inspect.signature(method).parameters)


def parameter_text(value: Any) -> str:
    """A parameter as text that is the same in every process. Any: whatever a primitive takes."""
    if isinstance(value, Graph):
        return f"<graph, {len(value)} operations>"
    if isinstance(value, tuple):
        parts = [parameter_text(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, _PLAIN):
        return f"{value}"
    if value is None or isinstance(value, (str, bytes, bool, int, float)):
        return repr(value)
    # The repr of anything else may have an address in it.
    name: str = getattr(value, "__qualname__", None) or type(value).__qualname__
    return f"<{name}>"
