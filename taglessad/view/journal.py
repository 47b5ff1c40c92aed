"""Journal: programs mean their value and a graph of every operation, as it was written.

Record shares equal operations and simplifies; a reader who wants to see two squares meet wants two
squares. So nothing is shared here, and every register keeps its value.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taglessad.closed import end
from taglessad.errors import user_frame
from taglessad.graph import Graph, Ref, Site
from taglessad.interpreters.eager import EAGER
from taglessad.ops import Ops
from taglessad.primitive import PART, Aval, Params, Prim, PrimN
from taglessad.view.values import Array


class Journal(Ops[Ref]):
    """Over Eager; the payload is a register of the graph, and `values` has what is in it.

    Program text may look at values: the graph is then that of the path that ran.
    """

    base: Ops[Any]  # Any: NumPy's arrays and scalars

    def __init__(self) -> None:
        # Set once, so that a narrower type is sound.
        self.base = EAGER  # pyright: ignore[reportIncompatibleVariableOverride]
        self.level = EAGER.level + 1
        self.graph = Graph()
        self.values: list[Array] = []
        self._given: dict[int, tuple[Ref, Any]] = {}  # Any: payloads of Eager, by identity

    def input(self, value: Any) -> Ref:  # Any: a payload of Eager
        """A new input of the graph."""
        array = np.asarray(value)
        self.values.append(array)
        return self.graph.add_input(Aval(array.shape, array.dtype))

    def given(self, value: Any) -> Ref:  # Any: a payload of Eager
        """The input that a value from outside becomes; used again, it is the same input."""
        entry = self._given.get(id(value))
        if entry is None:  # holding the value keeps its id its own
            entry = self._given[id(value)] = (self.input(value), value)
        return entry[0]

    def aval(self, x: Ref, /) -> Aval:
        return self.graph.avals[x]

    def peek(self, x: Ref, /) -> NDArray[Any] | None:
        return self.values[x]

    def const(self, value: NDArray[Any], /) -> Ref:
        array = np.asarray(value)
        self.values.append(array)
        return self.graph.add_constant(array)

    def embed(self, x: Any, /) -> Ref:
        entry = self._given.get(id(x))
        return self.const(x) if entry is None else entry[0]

    def apply(self, prim: Prim, operands: tuple[Ref, ...], params: Params, /) -> Ref:
        xs = tuple([self.values[x] for x in operands])
        array = np.asarray(EAGER.run(prim, xs, params))
        self.values.append(array)
        return self.graph.add_node(
            (prim, operands, params), Aval(array.shape, array.dtype), _site()
        )

    def decide(self, x: Ref, /) -> int:
        return int(self.values[x])

    def apply_n(self, prim: PrimN, operands: tuple[Ref, ...], params: Params, /) -> tuple[Ref, ...]:
        if prim.evaluate is not None:  # a branch or a loop: what ran is what is drawn
            return super().apply_n(prim, operands, params)
        xs = tuple([self.values[x] for x in operands])
        arrays = [np.asarray(y) for y in EAGER.run_n(prim, xs, params)]
        whole: Any = tuple(arrays)  # Any: the register of several results holds them all
        self.values.append(whole)
        several = Aval((len(arrays),), np.dtype(object))
        ref = self.graph.add_node((prim, operands, params), several, _site())
        parts: list[Ref] = []
        for i, array in enumerate(arrays):
            self.values.append(array)
            aval = Aval(array.shape, array.dtype)
            parts.append(self.graph.add_node((PART, (ref,), (i,)), aval, _site()))
        return tuple(parts)

    def finish(self, outputs: list[Ref]) -> Graph:
        """The graph, without what no output needs; the journal closes."""
        graph = self.graph
        graph.finish(outputs, [])
        self.close()
        return graph

    def close(self) -> None:
        end(self)


def _site() -> Site | None:
    frame = user_frame()
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)
