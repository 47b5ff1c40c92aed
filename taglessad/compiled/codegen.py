"""A graph as a NumPy function: straight-line Python source, or a list of kernels when very long.

The source interpolates only names made here and float literals; parameters, constants and kernels
are globals of the generated function. A register is a local variable, reused once its value is
dead. The function is a pure one: results are fresh, nothing is kept between calls, so any number of
threads may run it at once.
"""

import math
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Final

import numpy as np

from taglessad.compiled import scalars
from taglessad.dtypes import float64
from taglessad.graph import Graph, Ref
from taglessad.interpreters.eager import EAGER
from taglessad.kernels.contraction import plan
from taglessad.primitive import PART, Params, Prim, PrimN
from taglessad.rules.arithmetic import MUL

Kernel = Callable[..., Any]  # Any: each kernel has its own signature

LONGEST: Final = 20_000
"""Nodes past which source is not worth compiling: Python's compiler needs some 4 kB a statement."""

_VIEWS: Final = frozenset(
    {"reshape", "permute", "broadcast", "slice", "flip", "diagonal", "detach"}
)


def numpy_function(graph: Graph) -> Kernel:
    """The graph on NumPy payloads: takes one argument per input, gives a tuple of outputs."""
    if len(graph) > LONGEST:
        return _machine(graph)
    return _Source(graph).compiled()


def kernel(prim: Prim | PrimN, params: Params) -> Kernel:
    """The NumPy function of a primitive with its static parameters."""
    kernels = EAGER.trusted()
    if prim is PART:
        return itemgetter(params[0])
    if isinstance(prim, PrimN):
        several = prim
        return lambda *xs: kernels.run_n(several, xs, params)
    if prim.name == "contract":
        return plan(*params)
    method: Kernel = getattr(kernels, prim.name)
    if prim.variadic:
        return lambda *xs: method(xs, *params)
    if not params:
        return method
    if prim.name == "sum":
        return _summation(*params)
    return lambda *xs: method(*xs, *params)


def _summation(axes: tuple[int, ...]) -> Kernel:
    add = np.add.reduce
    return lambda x: add(x, axes, x.dtype)


def _last_uses(graph: Graph) -> dict[Ref, int]:
    last: dict[Ref, int] = {}
    for i, (_, operands, _, _) in enumerate(graph.steps()):
        for x in operands:
            last[x] = i
    return last


def _shared(graph: Graph) -> set[Ref]:
    """Registers that may be views of an input or of a constant: results must not be."""
    shared = {*graph.inputs, *graph.constants}
    for prim, operands, _, result in graph.steps():
        if prim is PART or (prim.name in _VIEWS and operands[0] in shared):
            shared.add(result)  # what a primitive with several results gives may be an operand
    return shared


def _machine(graph: Graph) -> Kernel:
    """The graph as a list of kernels over a list of registers."""
    last = _last_uses(graph)
    keep = {*graph.outputs, *graph.constants}
    steps: list[tuple[Kernel, tuple[Ref, ...], Ref, tuple[Ref, ...]]] = []
    made: dict[tuple[Prim | PrimN, Params], Kernel] = {}
    for i, (prim, operands, params, result) in enumerate(graph.steps()):
        key = (prim, params)
        function = made.get(key)
        if function is None:
            function = made[key] = kernel(prim, params)
        dead = tuple(x for x in set(operands) if last[x] == i and x not in keep)
        steps.append((function, operands, result, dead))
    constants, inputs, outputs = graph.constants, graph.inputs, graph.outputs
    shared = _shared(graph)
    size = len(graph.avals)

    def run(*arguments: Any) -> tuple[Any, ...]:
        registers: list[Any] = [None] * size
        for ref, value in zip(inputs, arguments, strict=True):
            registers[ref] = value
        for ref, value in constants.items():
            registers[ref] = value
        for function, operands, result, dead in steps:
            registers[result] = function(*[registers[x] for x in operands])
            for x in dead:
                registers[x] = None
        return tuple(np.array(registers[x]) if x in shared else registers[x] for x in outputs)

    return run


class _Source:
    """The text of the generated function in the making."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.last = _last_uses(graph)
        self.globals: dict[str, Any] = dict(scalars.GLOBALS)  # Any: kernels, constants, parameters
        self.names: dict[Ref, str] = {}
        self.lines: list[str] = []
        self.free: list[str] = []
        self.made = 0
        self.kernels: dict[tuple[Prim | PrimN, Params], str] = {}
        # Python floats (or bools, for rank-0 comparisons) rather than arrays.
        self.scalar = self._scalars()

    def _scalars(self) -> set[Ref]:
        """Registers held as Python numbers: rank-0 float64 chains, decided in one pass."""
        graph = self.graph
        number: set[Ref] = set()
        for ref in (*graph.inputs, *graph.constants):
            if graph.avals[ref] == ((), float64):
                number.add(ref)
        for prim, operands, _, result in graph.steps():
            if graph.avals[result].shape != ():
                continue
            template = prim.name in scalars.TEMPLATES or prim.name == "integer_pow"
            if template and all(x in number for x in operands):
                number.add(result)
            elif graph.avals[result].dtype == float64:
                number.add(result)
        return number

    def compiled(self) -> Kernel:
        graph = self.graph
        arguments = [f"a{i}" for i in range(len(graph.inputs))]
        for ref, name in zip(graph.inputs, arguments, strict=True):
            self.names[ref] = name
            if ref in self.scalar and ref in self.last:
                self.lines.append(f"{name} = float({name})")
        for ref, value in graph.constants.items():
            self.names[ref] = self._constant(ref, value)
        for i, (prim, operands, params, result) in enumerate(graph.steps()):
            self._statement(i, prim, operands, params, result)
        shared = _shared(graph)
        results = [self._result(x, shared) for x in graph.outputs]
        body = "\n    ".join([*self.lines, f"return ({''.join(r + ', ' for r in results)})"])
        source = f"def replay({', '.join(arguments)}):\n    {body}\n"
        self.globals["float64"] = np.float64
        self.globals["array"] = np.array
        exec(compile(source, "<generated by taglessad>", "exec"), self.globals)
        # Taken out again, or function and globals would keep each other, and the constants, alive.
        function: Kernel = self.globals.pop("replay")
        return function

    def _constant(self, ref: Ref, value: Any) -> str:
        # Any: an array of whichever dtype.
        if ref in self.scalar and math.isfinite(value):
            return repr(float(value))
        name = f"c{ref}"
        self.globals[name] = float(value) if ref in self.scalar else value
        return name

    def _result(self, ref: Ref, shared: set[Ref]) -> str:
        name = self.names[ref]
        if ref in self.scalar:
            if self.graph.avals[ref].dtype == float64:
                return f"float64({name})"
            return f"array({name})"
        return f"array({name})" if ref in shared else name

    def _parameter(self, value: Any) -> str:
        name = f"p{len(self.globals)}"
        self.globals[name] = value
        return name

    def _statement(
        self, i: int, prim: Prim | PrimN, operands: Sequence[Ref], params: Params, result: Ref
    ) -> None:
        names = [self.names[x] for x in operands]
        expression = self._expression(prim, operands, params, names, result)
        keep = self.graph.outputs
        for x in set(operands):
            if self.last[x] == i and self.names[x][0] == "v" and x not in keep:
                self.free.append(self.names[x])
        if self.free:
            target = self.free.pop()
        else:
            target = f"v{self.made}"
            self.made += 1
        self.names[result] = target
        self.lines.append(f"{target} = {expression}")

    def _expression(
        self, prim: Prim | PrimN, operands: Sequence[Ref], params: Params, names: list[str], result: Ref
    ) -> str:
        if result in self.scalar and all(x in self.scalar for x in operands):
            if prim.name == "integer_pow":
                power = scalars.power(names[0], params[0])
                if power is not None:
                    return power
            elif prim.name in scalars.TEMPLATES:
                return scalars.TEMPLATES[prim.name].format(*names)
        text = self._array_expression(prim, operands, params, names)
        return f"float({text})" if result in self.scalar else text

    def _array_expression(
        self, prim: Prim | PrimN, operands: Sequence[Ref], params: Params, names: list[str]
    ) -> str:
        if prim is PART:
            return f"{names[0]}[{params[0]}]"
        if not operands:
            return f"{self._kernel(prim, params)}()"
        x = operands[0]
        array = x not in self.scalar and x not in self.graph.constants
        if prim.name == "reshape" and array:
            return f"{names[0]}.reshape({self._parameter(params[0])})"
        if prim.name == "permute" and array:
            return f"{names[0]}.transpose({self._parameter(params[0])})"
        if prim.name == "slice" and array:
            return f"{names[0]}[{self._parameter(tuple(map(slice, *params)))}]"
        if prim.name == "detach":
            return names[0]
        if prim.name == "integer_pow" and params[0] == 2:
            return f"{self._kernel(MUL, ())}({names[0]}, {names[0]})"
        if prim.kind != "elementwise":
            # Kernels with methods of arrays inside want arrays, not Python numbers.
            names = [self._boxed(n, o) for n, o in zip(names, operands, strict=True)]
        return f"{self._kernel(prim, params)}({', '.join(names)})"

    def _boxed(self, name: str, ref: Ref) -> str:
        if ref not in self.scalar:
            return name
        return f"float64({name})" if self.graph.avals[ref].dtype == float64 else f"array({name})"

    def _kernel(self, prim: Prim | PrimN, params: Params) -> str:
        key = (prim, params)
        name = self.kernels.get(key)
        if name is None:
            name = self.kernels[key] = f"k{len(self.kernels)}_{prim.name}"
            self.globals[name] = kernel(prim, params)
        return name
