"""Graph: a recorded program. Closed and first-order; it runs under any interpreter.

Registers are numbered in order of definition. A graph knows nothing of derivatives or of generated
code: the layers above keep what they derive from it in `derived`.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, NewType, TypeVar

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import DType
from taglessad.errors import TaglessError
from taglessad.ops import Ops
from taglessad.primitive import PART, Aval, Params, Prim, PrimN

Ref = NewType("Ref", int)
Site = tuple[str, int]
"""The user's file and line that a node came from."""

R = TypeVar("R")


# Any: what a register holds, a payload or a tuple of them.
def applied(ops: Ops[Any], prim: Prim | PrimN, xs: tuple[Any, ...], params: Params) -> Any:
    """What the register of one operation holds, under an interpreter."""
    if prim is PART:
        return xs[0][params[0]]
    if isinstance(prim, PrimN):
        return ops.run_n(prim, xs, params)
    return ops.run(prim, xs, params)


class Node(NamedTuple):
    """One operation: register `result` is `prim` of registers.

    The register of a primitive with several results holds them all, as a tuple; `part` takes one.
    """

    prim: Prim | PrimN
    operands: tuple[Ref, ...]
    params: Params
    result: Ref
    aval: Aval
    site: Site | None


class Written(NamedTuple):
    """A literal that its array rounds, as it was written: a number, or a primitive of literals.

    Interpreters without rounding read this and not the array. prim: None for a number, which is
    then the one part; else the parts are `Written`s and arrays.
    """

    prim: Prim | None
    parts: tuple[Any, ...]  # Any: a Number, or Written and arrays
    params: Params
    dtype: DType


def as_written(ops: Ops[R], literal: Any) -> R:  # Any: Written, or an array
    """A literal under an interpreter."""
    if not isinstance(literal, Written):
        return ops.const(literal)
    if literal.prim is None:
        return ops.scalar(literal.parts[0], ops.const(np.zeros((), literal.dtype)))
    parts = tuple(as_written(ops, part) for part in literal.parts)
    return ops.run(literal.prim, parts, literal.params)


class Derivations:
    """Graphs made of graphs: by the layer above this one, which registers itself here, once."""

    made: ClassVar[Any]  # Any: the module taglessad.control.derived, likewise


class Display:
    """How graphs are shown: by the layer above this one, which registers itself here, once.

    forms: the module `taglessad.view.forms`.
    """

    forms: ClassVar[Any]  # Any: a module; naming it here would be an import upwards


class Graph:
    """Inputs, nodes in order, outputs. Built by Record; not changed once finished."""

    def __init__(self) -> None:
        self.avals: list[Aval] = []
        self.constants: dict[Ref, NDArray[Any]] = {}  # Any: the dtype is data
        self.written: dict[Ref, Written] = {}  # of constants whose array is not exact
        self.inputs: tuple[Ref, ...] = ()
        self._declared: list[Ref] = []
        self.outputs: tuple[Ref, ...] = ()
        self._steps: list[tuple[Prim | PrimN, tuple[Ref, ...], Params]] = []
        self._results: list[Ref] = []
        self._definitions: dict[Ref, int] = {}  # register -> node, while recording
        self._sites: list[Site | None] = []
        self.derived: dict[Any, Any] = {}  # Any: programs made of this one, by whoever made them

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "derived": {}}

    # --- building ---------------------------------------------------------------------------
    def _new(self, aval: Aval) -> Ref:
        self.avals.append(aval)
        return Ref(len(self.avals) - 1)

    def add_input(self, aval: Aval) -> Ref:
        """A new input register."""
        ref = self._new(aval)
        self._declared.append(ref)
        return ref

    def add_constant(self, value: NDArray[Any], written: Written | None = None) -> Ref:
        """A new register that holds a literal; `written` is what the array rounds, if it does."""
        ref = self._new(Aval(value.shape, value.dtype))
        self.constants[ref] = value
        if written is not None:
            self.written[ref] = written
        return ref

    def literal(self, ref: Ref) -> Any:  # Any: Written, or an array
        """The literal of a constant register, for `as_written`."""
        return self.written.get(ref, self.constants[ref])

    def add_node(
        self, step: tuple[Prim | PrimN, tuple[Ref, ...], Params], aval: Aval, site: Site | None
    ) -> Ref:
        """A new operation."""
        ref = self._new(aval)
        self._definitions[ref] = len(self._steps)
        self._steps.append(step)
        self._results.append(ref)
        self._sites.append(site)
        return ref

    def definition(self, ref: Ref) -> tuple[Prim | PrimN, tuple[Ref, ...], Params] | None:
        """The operation that a register is the result of, while the graph is being recorded."""
        i = self._definitions.get(ref)
        return None if i is None else self._steps[i]

    def finish(self, outputs: Sequence[Ref], captures: Sequence[Ref]) -> None:
        """Fix inputs (captured values first) and outputs; drop what no output needs."""
        taken = set(captures)
        self.inputs = (*captures, *(ref for ref in self._declared if ref not in taken))
        self.outputs = tuple(outputs)
        live = set(outputs)
        kept: list[int] = []
        for i in range(len(self._steps) - 1, -1, -1):
            if self._results[i] in live:
                kept.append(i)
                live.update(self._steps[i][1])
        kept.reverse()
        if len(kept) != len(self._steps):
            self._steps = [self._steps[i] for i in kept]
            self._results = [self._results[i] for i in kept]
            self._sites = [self._sites[i] for i in kept]
        self._definitions = {}
        self.constants = {ref: c for ref, c in self.constants.items() if ref in live}
        self.written = {ref: w for ref, w in self.written.items() if ref in live}

    # --- reading ----------------------------------------------------------------------------
    def __len__(self) -> int:
        return len(self._steps)

    @property
    def nodes(self) -> "Nodes":
        """The operations in order."""
        return Nodes(self)

    def node(self, i: int) -> Node:
        """The i-th operation."""
        prim, operands, params = self._steps[i]
        result = self._results[i]
        return Node(prim, operands, params, result, self.avals[result], self._sites[i])

    def steps(self) -> Iterator[tuple[Prim | PrimN, tuple[Ref, ...], Params, Ref]]:
        """The operations in order, without the objects that `nodes` makes."""
        for (prim, operands, params), result in zip(self._steps, self._results, strict=True):
            yield prim, operands, params, result

    # --- running ----------------------------------------------------------------------------
    def run(self, ops: Ops[R], arguments: Sequence[R]) -> list[R]:
        """The outputs under an interpreter, from payloads for the inputs.

        An error under way names the user's line that the failing operation was recorded from.
        """
        registers: list[Any] = [None] * len(self.avals)  # Any: None until defined
        for ref, value in zip(self.inputs, arguments, strict=True):
            registers[ref] = value
        for ref in self.constants:
            registers[ref] = as_written(ops, self.literal(ref))
        i = 0
        try:
            for i, (prim, operands, params) in enumerate(self._steps):
                xs = tuple([registers[x] for x in operands])
                registers[self._results[i]] = applied(ops, prim, xs, params)
        except TaglessError as error:
            site = self._sites[i]
            if site is None or error.site == site:
                raise
            raise type(error)(error.message, site) from error
        return [registers[ref] for ref in self.outputs]

    # --- showing ----------------------------------------------------------------------------
    def __str__(self) -> str:
        """The text form: one line a node, as `%3: float64[2] = mul %1 %2`."""
        text: str = Display.forms.to_text(self)
        return text

    def to_dot(self) -> str:
        """The graph in DOT, the language of Graphviz."""
        text: str = Display.forms.to_dot(self)
        return text

    def to_svg(self) -> str:
        """The graph as a standalone picture; past some hundred nodes it says what it leaves out."""
        text: str = Display.forms.to_svg(self)
        return text

    def to_html(self) -> str:
        """The graph as a self-contained page: picture, nodes, the program's lines."""
        text: str = Display.forms.to_html(self)
        return text

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        text: str = Display.forms.to_fragment(self)
        return text

    def __repr__(self) -> str:
        return f"<Graph: {len(self.inputs)} inputs, {len(self)} nodes, {len(self.outputs)} outputs>"


class Nodes(Sequence[Node]):
    """The operations of a graph as a sequence of `Node`."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __len__(self) -> int:
        return len(self._graph)

    def __getitem__(self, index: Any) -> Any:  # Any: int gives a Node, a slice gives a list
        if isinstance(index, slice):
            return [self._graph.node(i) for i in range(*index.indices(len(self)))]
        n = len(self)
        if not -n <= index < n:
            raise IndexError(index)
        return self._graph.node(index % n)
