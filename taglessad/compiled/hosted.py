"""Which operations of a program are computed on the host: what keeps it from being exported."""

from collections.abc import Iterator
from typing import Any

import jax

from taglessad.errors import describe_line
from taglessad.graph import Graph, Node
from taglessad.interpreters.jax import KERNELS
from taglessad.numpy_protocols import ours
from taglessad.primitive import PART, Prim
from taglessad.xla.transformed import Operation

# Any: equations and parameters are JAX's, or of whatever a primitive takes.


def hosted(function: Any, *args: Any, **kwargs: Any) -> list[str]:
    """Each such operation as its users call it, with the user's line where that is known."""
    made: Any = jax.make_jaxpr(function)(*args, **kwargs)
    names: dict[str, None] = {}
    for operation in _operations(made.jaxpr):
        for node in _nodes(operation.graph):
            if _is_hosted(node):
                where = "" if node.site is None else f" ({describe_line(*node.site)})"
                names[f"{ours(node.prim.name) or node.prim.name}{where}"] = None
    return list(names)


def _is_hosted(node: Node) -> bool:
    """Whether `Jax` has no function of JAX for it, nor a meaning in operations that it has."""
    prim = node.prim
    if prim is PART:
        return False
    return prim.name not in KERNELS and (isinstance(prim, Prim) or prim.evaluate is None)


def _operations(jaxpr: Any) -> Iterator[Operation]:
    """Our operations among the equations of a program of JAX, and of those inside it."""
    for equation in jaxpr.eqns:
        for value in _parts(tuple(equation.params.values())):
            if isinstance(value, Operation):
                yield value
            elif hasattr(value, "eqns"):
                yield from _operations(value)
            elif hasattr(value, "jaxpr"):
                yield from _operations(value.jaxpr)


def _nodes(graph: Graph) -> Iterator[Node]:
    """The operations of a graph, and of the graphs in their parameters."""
    for node in graph.nodes:
        yield node
        for value in _parts(node.params):
            if isinstance(value, Graph):
                yield from _nodes(value)


def _parts(params: tuple[Any, ...]) -> Iterator[Any]:
    """Parameters, those within tuples and lists among them."""
    for value in params:
        plain = type(value) in (tuple, list)
        yield from _parts(tuple(value)) if plain else (value,)
