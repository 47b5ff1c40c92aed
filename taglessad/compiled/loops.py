"""Loops as NumPy functions: the bodies of a loop and the loop around them in one generated function.

Payloads come in and go out as they do for `numpy_function`; inside, rank-0 numbers stay Python's
from trip to trip.
"""

import math
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from taglessad.compiled import scalars
from taglessad.compiled.codegen import LONGEST, Kernel, Source, function_of
from taglessad.compiled.invariant import split
from taglessad.dtypes import float64, int64
from taglessad.graph import Graph, Ref
from taglessad.primitive import Aval

BLOCK: Final = 16 * 2**20
"""Bytes of a block of rows: enough for the system to use large pages; what is not written to costs
nothing."""

SMALLEST, LARGEST = 4096, 2 * 2**20
"""Bytes of the arrays that a block takes."""

_PYTHON: Final = {((), float64): "float", ((), int64): "int"}
"""The rank-0 kinds that are Python numbers inside a loop."""


def python_number(aval: Aval) -> str | None:
    """The Python type that holds a rank-0 value inside a loop; None for what stays an array."""
    return _PYTHON.get((aval.shape, aval.dtype))  # type: ignore[arg-type]  # an Extent or not


def fits(*graphs: Graph) -> bool:
    """Whether bodies are short enough for generated source."""
    return sum(map(len, graphs)) <= LONGEST


_BEFORE: Final = {"v": "x", "V": "X", "w": "y"}
"""By prefix of a body's variables: that of what is computed before its loop."""


class Repeated(NamedTuple):
    """A body and the names of its arguments, the first `constants` of which stay what they are;
    `before`: the lines that compute those of them that are no constants of the loop."""

    graph: Graph
    constants: int
    names: list[str]
    before: list[str]


class _Text:
    """The lines of one function around the statements of several graphs."""

    def __init__(self) -> None:
        # Any: kernels, constants
        self.globals: dict[str, Any] = {**scalars.GLOBALS, "truth": np.bool_}
        self.lines: list[str] = []
        self.first: list[str] = []  # before all other lines

    def write(self, line: str, depth: int = 1) -> None:
        self.lines.append("    " * depth + line)

    def unboxed(self, names: Sequence[str], avals: Sequence[Aval]) -> None:
        """Rank-0 arguments become Python numbers."""
        for name, aval in zip(names, avals, strict=True):
            kind = python_number(aval)
            if kind is not None:
                self.write(f"{name} = {kind}({name})")

    def body(
        self,
        graph: Graph,
        prefix: str,
        names: Sequence[str],
        depth: int,
        rows: "Rows | None" = None,
    ) -> list[str]:
        """The statements of a graph; gives expressions for its outputs, rank-0 ones unboxed."""
        source = self._statements(graph, prefix, names, depth, rows)
        return [self._unboxed_output(source, ref) for ref in graph.outputs]

    def condition(self, graph: Graph, prefix: str, names: Sequence[str], depth: int) -> str:
        """The statements of a condition; gives an expression for its truth."""
        source = self._statements(graph, prefix, names, depth)
        return source.names[graph.outputs[0]]

    def repeated(self, graph: Graph, constants: int, prefix: str, names: list[str]) -> "Repeated":
        """A body that is to be repeated, cut in what it computes of constants alone and the rest."""
        parts = split(graph, constants)
        if parts is None:
            return Repeated(graph, constants, names, [])
        first, rest = parts
        values = [f"h{prefix}{i}" for i in range(len(first.outputs))]
        mark = len(self.lines)
        found = self.body(first, _BEFORE[prefix], names[:constants], 0)
        self.write(_assign(values, found), 0)
        before = self.lines[mark:]
        del self.lines[mark:]
        self.first.append(f"new_{prefix} = True")
        own = [*names[:constants], *values]
        return Repeated(rest, len(own), [*own, *names[constants:]], before)

    def once(self, step: "Repeated", prefix: str, depth: int) -> None:
        """In the first trip, what all trips have in common: of no trip it might fail, or not end."""
        if step.before:
            self.write(f"if new_{prefix}:", depth)
            for line in step.before:
                self.write(line, depth + 1)
            self.write(f"new_{prefix} = False", depth + 1)

    def _statements(
        self,
        graph: Graph,
        prefix: str,
        names: Sequence[str],
        depth: int,
        rows: "Rows | None" = None,
    ) -> Source:
        places = {} if rows is None else rows.places
        source = Source(graph, prefix, self.globals, counters=True, loop=True, rows=places)
        self.first += [f"{name} = None" for name in source.writes.kept]
        if rows is not None:
            rows.turn(self, len(self.lines), depth, source.writes.to.values())
        source.names.update(zip(graph.inputs, names, strict=True))
        source.write()
        for line in source.lines:
            self.write(line, depth)
        return source

    def _unboxed_output(self, source: Source, ref: Ref) -> str:
        name = source.names[ref]
        kind = python_number(source.graph.avals[ref])
        if ref in source.scalar:
            return name if kind is not None else f"truth({name})"  # a bool has no methods
        return name if kind is None else f"{kind}({name})"

    def function(self, arguments: Sequence[str]) -> Kernel:
        lines = [*("    " + line for line in self.first), *self.lines]
        source = f"def replay({', '.join(arguments)}):\n" + "\n".join(lines) + "\n"
        return function_of(source, self.globals)


def _boxed(name: str, aval: Aval) -> str:
    """A value of the loop as a payload that is nobody else's."""
    kind = python_number(aval)
    if kind == "float":
        return f"float64({name})"
    return f"array({name})"


def _held(name: str, aval: Aval) -> str:
    """A value of the loop as a payload that is only read: no body writes into what it is given."""
    return name if python_number(aval) is None else _boxed(name, aval)


def _tuple(names: Sequence[str]) -> str:
    return f"({''.join(n + ', ' for n in names)})"


def _assign(names: Sequence[str], values: Sequence[str]) -> str:
    return f"{_tuple(names)} = {_tuple(values)}" if names else "pass"


def _avals(graph: Graph) -> list[Aval]:
    return [graph.avals[ref] for ref in graph.inputs]


def while_function(condition: Graph, body: Graph, constants: int) -> Kernel:
    """(constants, carry) -> (final carry, trips)."""
    avals = _avals(body)
    names = [f"a{i}" for i in range(len(avals))]
    carry = names[constants:]
    text = _Text()
    text.unboxed(names, avals)
    test = text.repeated(condition, constants, "V", names)
    step = text.repeated(body, constants, "v", names)
    text.write("trips = 0")
    text.write("while True:")
    _trip(text, test, step, "v", carry)
    final = [_boxed(n, a) for n, a in zip(carry, avals[constants:], strict=True)]
    text.write(f"return {_tuple([*final, 'array(trips)'])}")
    return text.function(names)


def _trip(
    text: _Text,
    test: Repeated,
    step: Repeated,
    prefix: str,
    carry: list[str],
    depth: int = 2,
    rows: "Rows | None" = None,
) -> list[str]:
    """One trip, or the end of the loop; gives what the body gives besides the carry."""
    text.once(test, prefix.upper(), depth)
    going = text.condition(test.graph, prefix.upper(), test.names, depth)
    text.write(f"if not {going}:", depth)
    text.write("break", depth + 1)
    text.once(step, prefix, depth)
    after = text.body(step.graph, prefix, step.names, depth, rows)
    rest = after[len(carry) :]
    if rest:
        text.write(f"memory.append({_tuple(rest)})", depth)
    text.write(_assign(carry, after[: len(carry)]), depth)
    text.write("trips += 1", depth)
    return rest


class Rows:
    """Large arrays that a log takes of every trip, written side by side in blocks: much cheaper than
    fresh memory of their own, which the system hands out page by page.

    places: by output of the body, the expression of the array to write it to. trips: an expression,
    a bound on the number of rows.
    """

    def __init__(self, forward: Graph, constants: int, trips: str) -> None:
        inputs, outputs = forward.inputs, forward.outputs
        n = len(inputs) - constants
        self.trips = trips
        # What is logged of the carry as it comes in was written by the trip before.
        before = [
            out for x, out in zip(inputs[constants:], outputs[:n], strict=True) if x in outputs[n:]
        ]
        self.avals: dict[str, Aval] = {}
        self.places: dict[Ref, str] = {}
        for ref in dict.fromkeys([*before, *outputs[n:]]):
            if SMALLEST <= _nbytes(forward.avals[ref]) <= LARGEST:
                name = f"r{len(self.avals)}"
                self.avals[name] = forward.avals[ref]
                self.places[ref] = f"{name}[i{name}]"

    def turn(self, text: _Text, at: int, depth: int, used: Collection[str]) -> None:
        """Lines for the next row of each block that is used, at a place in the text."""
        lines: list[str] = []
        for name, aval in self.avals.items():
            if f"{name}[i{name}]" in used:
                count = f"min({BLOCK // _nbytes(aval)}, {self.trips})"
                text.globals[f"m{name}"] = partial(_room, aval.shape, aval.dtype)
                text.first += [f"n{name} = {count}", f"i{name} = n{name} - 1"]
                lines += [f"i{name} += 1", f"if i{name} == n{name}:"]
                lines += [f"    {name} = m{name}(n{name})", f"    i{name} = 0"]
        text.lines[at:at] = ["    " * depth + line for line in lines]


def _nbytes(aval: Aval) -> int:
    return math.prod(n for n in aval.shape if isinstance(n, int)) * aval.dtype.itemsize


def logging_function(
    condition: Graph,
    forward: Graph,
    body: Graph,
    constants: int,
    most: int,
    stride: int,
    keep: Callable[..., Any],
) -> Kernel:
    """(constants, carry) -> (final carry, trips, memory).

    forward: the body, giving what is logged after the carry: the memory. After `most` trips, a
    multiple of `stride`, the log has grown too large, and the loop goes on with the body alone. The
    memory is then what `keep(start, stride)` made: its `at(trips, carry)` gives the number of trips
    after which it wants to be called again.
    """
    avals = _avals(body)
    names = [f"a{i}" for i in range(len(avals))]
    carry = names[constants:]
    text = _Text()
    text.globals["keep"] = keep
    text.unboxed(names, avals)
    own = list(zip(carry, avals[constants:], strict=True))
    final = [_boxed(n, a) for n, a in own]
    state, copied = _tuple([_held(n, a) for n, a in own]), _tuple(final)
    text.write("trips = 0")
    text.write("memory = []")
    text.write(f"kept = keep({state}, {stride})")
    text.write(f"limit = {stride}")
    test = text.repeated(condition, constants, "V", names)
    step = text.repeated(forward, constants, "v", names)
    text.write("while True:")
    text.write(f"if trips < {most}:", 2)
    text.write("while trips < limit:", 3)
    rows = Rows(step.graph, step.constants, str(most))
    rest = _trip(text, test, step, "v", carry, 4, rows)
    if not rest:  # nothing is read on the way back, but its trips are counted by the log
        text.write("memory.append(())", 4)
    _call_again(text, copied)  # the carry may be a row of a block, which it would keep alive
    text.write("else:", 2)
    text.write("memory = None", 3)
    step = text.repeated(body, constants, "w", names)
    text.write("while trips < limit:", 3)
    _trip(text, test, step, "w", carry, 4)
    _call_again(text, state)
    text.write("break", 2)
    text.write(f"return {_tuple([*final, 'array(trips)', 'kept if memory is None else memory'])}")
    return text.function(names)


def _call_again(text: _Text, state: str) -> None:
    """The end of an inner loop that has reached the limit rather than its own end."""
    text.write("else:", 3)
    text.write(f"limit = kept.at(trips, {state})", 4)
    text.write("continue", 4)


def logged_function(body: Graph, constants: int, carry: int) -> Kernel:
    """(trips, constants, carry) -> what the body gives besides the carry, trip by trip."""
    avals = _avals(body)
    names = [f"a{i}" for i in range(len(avals))]
    state = names[constants:]
    text = _Text()
    text.unboxed(names, avals)
    step = text.repeated(body, constants, "v", names)
    text.write("memory = []")
    text.write("for _ in range(trips):")
    text.once(step, "v", 2)
    after = text.body(step.graph, "v", step.names, 2, Rows(step.graph, step.constants, "trips"))
    text.write(f"memory.append({_tuple(after[carry:])})", 2)
    text.write(_assign(state, after[:carry]), 2)
    text.write("return memory")
    return text.function(["trips", *names])


def repeated_function(body: Graph, constants: int) -> Kernel:
    """(trips, constants, carry) -> the carry after so many trips."""
    avals = _avals(body)
    names = [f"a{i}" for i in range(len(avals))]
    carry = names[constants:]
    text = _Text()
    text.unboxed(names, avals)
    step = text.repeated(body, constants, "v", names)
    text.write("for _ in range(trips):")
    text.once(step, "v", 2)
    text.write(_assign(carry, text.body(step.graph, "v", step.names, 2)), 2)
    held = [_held(n, a) for n, a in zip(carry, avals[constants:], strict=True)]
    text.write(f"return {_tuple(held)}")
    return text.function(["trips", *names])


def backward_function(pull: Graph, constants: int, logged: int, sums: int) -> Kernel:
    """(log, constants, sums, cotangents) -> (sums, cotangents of the first carry).

    The sums that are arrays are added to in place.
    pull: (constants, what was logged of a trip, cotangents) -> (cotangents of some constants, of
    the carry before).
    """
    avals = _avals(pull)
    outputs = [pull.avals[ref] for ref in pull.outputs]
    own = [f"a{i}" for i in range(constants)]
    states = [f"s{i}" for i in range(logged)]
    gs = [f"g{i}" for i in range(len(avals) - constants - logged)]
    totals = [f"t{i}" for i in range(sums)]
    text = _Text()
    text.unboxed([*own, *gs], [*avals[:constants], *avals[constants + logged :]])
    text.unboxed(totals, outputs[:sums])
    step = text.repeated(pull, constants, "v", [*own, *states, *gs])
    text.write(f"for {_tuple(states) if states else '_'} in reversed(memory):")
    text.once(step, "v", 2)
    found = text.body(step.graph, "v", step.names, 2)
    for t, g in zip(totals, found[:sums], strict=True):
        text.write(f"{t} += {g}", 2)
    text.write(_assign(gs, found[sums:]), 2)
    results = [_held(n, a) for n, a in zip(totals, outputs[:sums], strict=True)]
    results += [_boxed(n, a) for n, a in zip(gs, outputs[sums:], strict=True)]
    text.write(f"return {_tuple(results)}")
    return text.function(["memory", *own, *totals, *gs])


def scan_function(body: Graph, constants: int, carry: int, length: int, reverse: bool) -> Kernel:
    """(constants, carry, arrays) -> (final carry, stacked results)."""
    avals = _avals(body)
    outputs = [body.avals[ref] for ref in body.outputs]
    names = [f"a{i}" for i in range(len(avals))]
    k = constants + carry
    state, arrays = names[constants:k], names[k:]
    rows = [f"r{i}" for i in range(len(arrays))]
    text = _Text()
    text.unboxed(names[:k], avals[:k])
    for name, aval in zip(arrays, avals[k:], strict=True):
        if python_number(aval) is not None:
            text.write(f"{name} = {name}.tolist()")
    stacked = [f"o{i}" for i in range(len(outputs) - carry)]
    for name, aval in zip(stacked, outputs[carry:], strict=True):
        text.globals[f"m{name}"] = partial(_room, aval.shape, aval.dtype)
        text.write(f"{name} = m{name}({length})")
    step = text.repeated(body, constants, "v", [*names[:k], *rows])
    order = f"range({length - 1}, -1, -1)" if reverse else f"range({length})"
    text.write(f"for i in {order}:")
    for r, x in zip(rows, arrays, strict=True):
        text.write(f"{r} = {x}[i]", 2)
    text.once(step, "v", 2)
    found = text.body(step.graph, "v", step.names, 2)
    for o, y in zip(stacked, found[carry:], strict=True):
        text.write(f"{o}[i] = {y}", 2)
    text.write(_assign(state, found[:carry]), 2)
    final = [_boxed(n, a) for n, a in zip(state, avals[constants:k], strict=True)]
    text.write(f"return {_tuple([*final, *stacked])}")
    return text.function(names)


# Any: sizes, which are ints here; a dtype is NumPy's own.
def _room(shape: tuple[Any, ...], dtype: Any, rows: int) -> Any:
    return np.empty((rows, *shape), dtype)
