"""Record: programs mean graphs. Common subexpressions are shared, literals interned.

Values of the interpreters below become extra inputs of the graph (`captures`): a graph is closed.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.closed import end
from taglessad.dtypes import Irrational, Number
from taglessad.errors import user_frame
from taglessad.graph import Graph, Ref, Site, Written
from taglessad.interpreter import Interpreter
from taglessad.levels import default_root
from taglessad.ops import Ops
from taglessad.primitive import PART, Aval, Params, Prim, PrimN
from taglessad.rules.arithmetic import ADD, DIV, MUL, NEG, SUB
from taglessad.rules.selection import CAST
from taglessad.simplify import Step, simplified

_ARITHMETIC: Final[dict[Prim, Callable[..., Fraction]]] = {
    ADD: Fraction.__add__,
    SUB: Fraction.__sub__,
    MUL: Fraction.__mul__,
    DIV: Fraction.__truediv__,
    NEG: Fraction.__neg__,
    CAST: Fraction.__pos__,
}


def _is(array: NDArray[Any], value: Number) -> bool:
    """Whether a rank-0 array is a number exactly, and not its rounding."""
    if isinstance(value, Irrational):
        return False
    if array.dtype.kind != "f" or (isinstance(value, float) and not math.isfinite(value)):
        return True
    return bool(np.isfinite(array)) and Fraction(float(array)) == Fraction(value)


def _exactly(prim: Prim, numbers: Sequence[NDArray[Any]], value: NDArray[Any]) -> bool:
    """Whether an operation on literals, exact ones, was not rounded."""
    if not any(n.dtype.kind == "f" for n in (*numbers, value)):
        return True
    if value.dtype.kind != "f":
        return prim is not CAST or _is(numbers[0], value.item())
    operation = _ARITHMETIC.get(prim)
    if operation is None or not all(np.isfinite(n) for n in (*numbers, value)):
        return operation is not None
    exact = [Fraction(n.item()) for n in numbers]
    return bool(Fraction(value.item()) == operation(*exact))


class Record(Ops[Ref]):
    """The payload is a register number of the graph in the making."""

    base: Ops[Any]

    def __init__(self, base: Ops[Any] | None = None) -> None:  # Any: whatever is under way
        self.base = default_root() if base is None else base
        self.level = self.base.level + 1
        self._graph = Graph()
        # Any: keys of nodes and of literals; a Ref, or a tuple of them for several results
        self._known: dict[Any, Any] = {}
        self._sites: dict[Any, Site] = {}  # Any: code objects with line numbers
        self._captured: dict[int, tuple[Ref, Any]] = {}  # Any: payloads of the base

    def input(self, aval: Aval) -> Ref:
        """A new input of the graph."""
        return self._graph.add_input(aval)

    def aval(self, x: Ref, /) -> Aval:
        return self._graph.avals[x]

    def const(self, value: NDArray[Any], /) -> Ref:
        if value.size > 1 and not any(value.strides):  # one number, repeated
            one = self.const(np.asarray(value[(0,) * value.ndim]))
            return self.broadcast(one, value.shape)
        if value.nbytes > 64:
            return self._graph.add_constant(value)
        key = (value.shape, value.dtype, value.tobytes())
        ref = self._known.get(key)
        if ref is None:
            ref = self._known[key] = self._graph.add_constant(value)
        return ref

    def scalar(self, value: Number, like: Ref, /) -> Ref:
        dtype = self._graph.avals[like].dtype
        # -0.0 equals 0 and hashes like it, and is another literal; pi is no float.
        key = (value, type(value), dtype, value == 0 and math.copysign(1.0, value))
        ref = self._known.get(key)
        if ref is None:
            number = value if isinstance(value, int) else float(value)
            array = np.asarray(number).astype(dtype)
            if _is(array, value):
                ref = self.const(array)
            else:
                ref = self._graph.add_constant(array, Written(None, (value,), (), dtype))
            self._known[key] = ref
        return ref

    def embed(self, x: Any, /) -> Ref:  # Any: a payload of the base
        entry = self._captured.get(id(x))
        if entry is None:
            ref = self._graph.add_input(self.base.aval(x))
            entry = self._captured[id(x)] = (ref, x)  # holding x keeps its id its own
        return entry[0]

    def lift(self, source: Interpreter[Any], x: Any, /) -> Ref:
        if source is self:
            return x  # type: ignore[no-any-return]  # a payload of self is a Ref
        array = source.literal(x)
        return super().lift(source, x) if array is None else self.const(array)

    def apply(self, prim: Prim, operands: tuple[Ref, ...], params: Params, /) -> Ref:
        key = (prim, operands, params)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._new(key)
        ref: Ref = found
        return ref

    def apply_n(self, prim: PrimN, operands: tuple[Ref, ...], params: Params, /) -> tuple[Ref, ...]:
        key = (prim, operands, params)
        known = self._known.get(key)
        if known is None:
            graph = self._graph
            avals = prim.avals([graph.avals[x] for x in operands], params)
            site = self._site()
            whole = graph.add_node(key, Aval((len(avals),), np.dtype(object)), site)
            known = self._known[key] = tuple(
                graph.add_node((PART, (whole,), (i,)), aval, site) for i, aval in enumerate(avals)
            )
        parts: tuple[Ref, ...] = known
        return parts

    def _new(self, key: tuple[Prim, tuple[Ref, ...], Params]) -> Ref:
        graph = self._graph
        simple = simplified(graph, Step(*key))
        if isinstance(simple, int):
            return Ref(simple)
        if simple[1] != key[1] or simple[0] is not key[0]:
            known: Ref | None = self._known.get(simple)
            if known is not None:
                return known
        prim, operands, params = simple
        avals = graph.avals
        aval = prim.infer(*[avals[x] for x in operands], *params)
        if aval.shape == () and all(x in graph.constants for x in operands):
            # A number made of numbers is a number: replay must not meet it as an operation.
            root = default_root().trusted()
            numbers = [graph.constants[x] for x in operands]
            value = np.asarray(root.run(prim, tuple(numbers), params)).astype(aval.dtype)
            if not any(x in graph.written for x in operands) and _exactly(prim, numbers, value):
                return self.const(value)
            parts = tuple(graph.literal(x) for x in operands)
            return graph.add_constant(value, Written(prim, parts, params, aval.dtype))
        # The key is kept twice, in the graph and in the table: one object serves both.
        step = key if simple == key else (prim, operands, params)
        ref = graph.add_node(step, aval, self._site())
        self._known[step] = ref
        return ref

    def _site(self) -> Site | None:
        frame = user_frame()
        if frame is None:
            return None
        key = (frame.f_code, frame.f_lineno)
        site = self._sites.get(key)
        if site is None:
            site = self._sites[key] = (frame.f_code.co_filename, frame.f_lineno)
        return site

    def finish(self, outputs: Sequence[Ref]) -> tuple[Graph, list[Any]]:
        """The graph, and the payloads of the base that it takes as further inputs, in order."""
        graph = self._graph
        captured = list(self._captured.values())
        graph.finish(outputs, [ref for ref, _ in captured])
        self.close()
        return graph, [x for _, x in captured]

    def close(self) -> None:
        self._known, self._captured = {}, {}
        end(self)
