"""Running a body again and again under a root."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from taglessad.compiled.codegen import numpy_function
from taglessad.control.derived import kept
from taglessad.graph import Graph
from taglessad.interpreters.eager import Kernels
from taglessad.ops import Ops

R = TypeVar("R")


def on_numpy(ops: Ops[Any]) -> bool:
    """Whether payloads are NumPy's as they come, so that generated code may compute with them."""
    return isinstance(ops, Kernels) and ops.real is None


def runner(ops: Ops[R], graph: Graph) -> Callable[[Sequence[R]], Sequence[R]]:
    """The graph as a function of payloads: generated code on NumPy, `Graph.run` elsewhere."""
    if on_numpy(ops):
        function: Callable[..., Any] = kept(graph, "numpy", lambda: numpy_function(graph))
        return lambda xs: function(*xs)
    return lambda xs: graph.run(ops, xs)


def reverses(ops: Ops[Any]) -> bool:
    """Whether reverse mode is under way: what is computed here will be differentiated backwards."""
    below: Any = ops  # Any: interpreters of every payload type
    while below is not None:
        if below.reverses:
            return True
        below = below.base
    return False
