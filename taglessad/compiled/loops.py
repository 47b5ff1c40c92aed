"""Loops as NumPy functions: the bodies of a loop and the loop around them in one generated function.

Payloads come in and go out as they do for `numpy_function`; inside, rank-0 numbers stay Python's
from trip to trip.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from taglessad.compiled import scalars
from taglessad.compiled.codegen import LONGEST, Kernel, Source, function_of
from taglessad.dtypes import float64, int64
from taglessad.graph import Graph, Ref
from taglessad.primitive import Aval

_PYTHON: Final = {((), float64): "float", ((), int64): "int"}
"""The rank-0 kinds that are Python numbers inside a loop."""


def python_number(aval: Aval) -> str | None:
    """The Python type that holds a rank-0 value inside a loop; None for what stays an array."""
    return _PYTHON.get((aval.shape, aval.dtype))  # type: ignore[arg-type]  # an Extent or not


def fits(*graphs: Graph) -> bool:
    """Whether bodies are short enough for generated source."""
    return sum(map(len, graphs)) <= LONGEST


class _Text:
    """The lines of one function around the statements of several graphs."""

    def __init__(self) -> None:
        # Any: kernels, constants
        self.globals: dict[str, Any] = {**scalars.GLOBALS, "truth": np.bool_}
        self.lines: list[str] = []

    def write(self, line: str, depth: int = 1) -> None:
        self.lines.append("    " * depth + line)

    def unboxed(self, names: Sequence[str], avals: Sequence[Aval]) -> None:
        """Rank-0 arguments become Python numbers."""
        for name, aval in zip(names, avals, strict=True):
            kind = python_number(aval)
            if kind is not None:
                self.write(f"{name} = {kind}({name})")

    def body(self, graph: Graph, prefix: str, names: Sequence[str], depth: int) -> list[str]:
        """The statements of a graph; gives expressions for its outputs, rank-0 ones unboxed."""
        source = Source(graph, prefix, self.globals, counters=True)
        source.names.update(zip(graph.inputs, names, strict=True))
        source.write()
        for line in source.lines:
            self.write(line, depth)
        return [self._unboxed_output(source, ref) for ref in graph.outputs]

    def _unboxed_output(self, source: Source, ref: Ref) -> str:
        name = source.names[ref]
        kind = python_number(source.graph.avals[ref])
        if ref in source.scalar:
            return name if kind is not None else f"truth({name})"  # a bool has no methods
        return name if kind is None else f"{kind}({name})"

    def function(self, arguments: Sequence[str]) -> Kernel:
        source = f"def replay({', '.join(arguments)}):\n" + "\n".join(self.lines) + "\n"
        return function_of(source, self.globals)


def _boxed(name: str, aval: Aval) -> str:
    """A value of the loop as a payload that is nobody else's."""
    kind = python_number(aval)
    if kind == "float":
        return f"float64({name})"
    return f"array({name})"


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
    text.write("trips = 0")
    text.write("while True:")
    _trip(text, condition, body, "v", names, carry)
    final = [_boxed(n, a) for n, a in zip(carry, avals[constants:], strict=True)]
    text.write(f"return {_tuple([*final, 'array(trips)'])}")
    return text.function(names)


def _trip(
    text: _Text,
    condition: Graph,
    body: Graph,
    prefix: str,
    names: list[str],
    carry: list[str],
    depth: int = 2,
) -> list[str]:
    """One trip, or the end of the loop; gives what the body gives besides the carry."""
    (going,) = text.body(condition, prefix.upper(), names, depth)
    text.write(f"if not {going}:", depth)
    text.write("break", depth + 1)
    after = text.body(body, prefix, names, depth)
    rest = after[len(carry) :]
    if rest:
        text.write(f"log.append({_tuple(rest)})", depth)
    text.write(_assign(carry, after[: len(carry)]), depth)
    text.write("trips += 1", depth)
    return rest


def logging_function(
    condition: Graph, forward: Graph, body: Graph, constants: int, most: int
) -> Kernel:
    """(constants, carry) -> (final carry, trips, log).

    forward: the body, giving what is logged after the carry. After `most` trips the log has grown
    too large: it is None, and the loop goes on with the body alone.
    """
    avals = _avals(body)
    names = [f"a{i}" for i in range(len(avals))]
    carry = names[constants:]
    text = _Text()
    text.unboxed(names, avals)
    text.write("trips = 0")
    text.write("log = []")
    text.write(f"while trips < {most}:")
    rest = _trip(text, condition, forward, "v", names, carry)
    if not rest:  # nothing is read on the way back, but its trips are counted by the log
        text.write("log.append(())", 2)
    text.write("else:")
    text.write("while True:", 2)
    _trip(text, condition, body, "w", names, carry, 3)
    final = [_boxed(n, a) for n, a in zip(carry, avals[constants:], strict=True)]
    text.write(f"return {_tuple([*final, 'array(trips)', f'log if trips <= {most} else None'])}")
    return text.function(names)


def logged_function(body: Graph, constants: int, carry: int) -> Kernel:
    """(trips, constants, carry) -> what the body gives besides the carry, trip by trip."""
    avals = _avals(body)
    names = [f"a{i}" for i in range(len(avals))]
    state = names[constants:]
    text = _Text()
    text.unboxed(names, avals)
    text.write("log = []")
    text.write("for _ in range(trips):")
    after = text.body(body, "v", names, 2)
    text.write(f"log.append({_tuple(after[carry:])})", 2)
    text.write(_assign(state, after[:carry]), 2)
    text.write("return log")
    return text.function(["trips", *names])


def backward_function(pull: Graph, constants: int, logged: int, sums: int) -> Kernel:
    """(log, constants, sums, cotangents) -> (sums, cotangents of the first carry).

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
    text.write(f"for {_tuple(states) if states else '_'} in reversed(log):")
    found = text.body(pull, "v", [*own, *states, *gs], 2)
    added = [f"{t} + {g}" for t, g in zip(totals, found[:sums], strict=True)]
    text.write(_assign([*totals, *gs], [*added, *found[sums:]]), 2)
    results = [_boxed(n, a) for n, a in zip([*totals, *gs], outputs, strict=True)]
    text.write(f"return {_tuple(results)}")
    return text.function(["log", *own, *totals, *gs])


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
        text.globals[f"m{name}"] = _room((length, *aval.shape), aval.dtype)
        text.write(f"{name} = m{name}()")
    order = f"range({length - 1}, -1, -1)" if reverse else f"range({length})"
    text.write(f"for i in {order}:")
    for r, x in zip(rows, arrays, strict=True):
        text.write(f"{r} = {x}[i]", 2)
    found = text.body(body, "v", [*names[:k], *rows], 2)
    for o, y in zip(stacked, found[carry:], strict=True):
        text.write(f"{o}[i] = {y}", 2)
    text.write(_assign(state, found[:carry]), 2)
    final = [_boxed(n, a) for n, a in zip(state, avals[constants:k], strict=True)]
    text.write(f"return {_tuple([*final, *stacked])}")
    return text.function(names)


def _room(shape: tuple[Any, ...], dtype: Any) -> Callable[[], Any]:
    # Any: sizes are ints here, a dtype is NumPy's own.
    return lambda: np.empty(shape, dtype)
