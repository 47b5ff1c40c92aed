"""A graph as a NumPy function: straight-line Python source, or a list of kernels when very long.

The source interpolates only names made here and float literals; parameters, constants and kernels
are globals of the generated function. A register is a local variable, reused once its value is
dead. The function is a pure one: results are fresh, nothing is kept between calls, so any number of
threads may run it at once.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

import numpy as np

from taglessad.compiled import scalars
from taglessad.compiled.analysis import fused, is_ufunc, last_uses, owned, shared, slopes
from taglessad.compiled.buffers import Writes, reused, writes
from taglessad.dtypes import float64, int64
from taglessad.errors import GENERATED
from taglessad.graph import Graph, Ref
from taglessad.interpreters.eager import EAGER
from taglessad.kernels.contraction import plan
from taglessad.kernels.elementwise import summed, tanh_slope
from taglessad.primitive import PART, Params, Prim, PrimN
from taglessad.rules.arithmetic import MUL

Kernel = Callable[..., Any]  # Any: each kernel has its own signature

LONGEST: Final = 20_000
"""Nodes past which source is not worth compiling: Python's compiler needs some 4 kB a statement."""


def numpy_function(graph: Graph) -> Kernel:
    """The graph on NumPy payloads: takes one argument per input, gives a tuple of outputs."""
    if len(graph) > LONGEST:
        return _machine(graph)
    return Source(graph).compiled()


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
        axes = params[0]
        return lambda x: summed(x, axes)
    return lambda *xs: method(*xs, *params)


def function_of(source: str, known: dict[str, Any]) -> Kernel:
    """The function `replay` of generated source."""
    known["float64"] = np.float64
    known["array"] = np.array
    exec(compile(source, GENERATED, "exec"), known)
    # Taken out again, or function and globals would keep each other, and the constants, alive.
    function: Kernel = known.pop("replay")
    return function


def _machine(graph: Graph) -> Kernel:
    """The graph as a list of kernels over a list of registers."""
    last = last_uses(graph)
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
    views = shared(graph)
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
        return tuple(np.array(registers[x]) if x in views else registers[x] for x in outputs)

    return run


class Source:
    """The text of a graph's statements in the making.

    With `counters`, rank-0 integers that a loop counts with are Python's too: those that come in,
    and what adding a small constant makes of them, brought back into 64 bits where it leaves them.
    `prefix` begins the names of local variables, and `known` holds the globals of a function that
    several graphs are written into. A `loop` runs the statements again and again: arrays that
    nothing holds from one run to the next are kept in the variables `kept`; `rows`: by output, the
    expression of an array to write it to.
    """

    def __init__(
        self,
        graph: Graph,
        prefix: str = "v",
        known: dict[str, Any] | None = None,
        *,
        counters: bool = False,
        loop: bool = False,
        rows: Mapping[Ref, str] | None = None,
    ) -> None:
        self.graph = graph
        self.prefix = prefix
        self.counters = counters
        self.last = last_uses(graph)
        self.fused = fused(graph)
        for _, log in self.fused.values():
            if log is not None:
                self.last[log[0]] = max(self.last[log[0]], log[1])
        # Any: kernels, constants, parameters
        self.globals: dict[str, Any] = dict(scalars.GLOBALS) if known is None else known
        self.slopes = slopes(graph)
        for i, y in self.slopes.items():
            self.last[y] = max(self.last.get(y, i), i)
        own = owned(graph, self.slopes)
        if loop:
            self.writes = writes(graph, self.last, own, self._fresh(), rows or {}, prefix)
        else:
            self.writes = Writes(reused(graph, self.last, own), {}, [])
        self.names: dict[Ref, str] = {}
        self.lines: list[str] = []
        self.free: list[str] = []
        self.made = 0
        self.kernels: dict[tuple[Prim | PrimN, Params], str] = {}
        # Python floats (or bools, for rank-0 comparisons) rather than arrays.
        self.scalar = self._scalars()

    def _fresh(self) -> set[int]:
        """The steps that write into an array they are given."""
        return {
            i
            for i, (prim, _, _, result) in enumerate(self.graph.steps())
            if i in self.slopes or (is_ufunc(prim) and self.graph.avals[result].shape != ())
        }

    def _counts(self, prim: Prim | PrimN, operands: Sequence[Ref], number: set[Ref]) -> bool:
        """Whether an operation on integers is one that Python numbers do as well."""
        if not all(x in number for x in operands):
            return False
        if prim.name in scalars.BOOLEAN or prim.name == "where":
            return True
        constants = self.graph.constants
        return prim.name in ("add", "sub") and any(
            x in constants and abs(int(constants[x])) < 2**31 for x in operands
        )

    def _scalars(self) -> set[Ref]:
        """Registers held as Python numbers: rank-0 float64 chains, decided in one pass."""
        graph = self.graph
        number: set[Ref] = set()
        for ref in (*graph.inputs, *graph.constants):
            aval = graph.avals[ref]
            if aval == ((), float64) or (self.counters and aval == ((), int64)):
                number.add(ref)
        for prim, operands, _, result in graph.steps():
            if graph.avals[result].shape != ():
                continue
            if self.counters and any(graph.avals[x].dtype == int64 for x in operands):
                if self._counts(prim, operands, number):
                    number.add(result)
                elif graph.avals[result].dtype == float64:
                    number.add(result)
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
        self.write()
        views = shared(graph)
        results = [self.result(x, views) for x in graph.outputs]
        body = "\n    ".join([*self.lines, f"return ({''.join(r + ', ' for r in results)})"])
        source = f"def replay({', '.join(arguments)}):\n    {body}\n"
        return function_of(source, self.globals)

    def write(self) -> None:
        """Name the constants and write one statement an operation; the inputs have names."""
        for ref, value in self.graph.constants.items():
            self.names[ref] = self._constant(ref, value)
        for i, (prim, operands, params, result) in enumerate(self.graph.steps()):
            self._statement(i, prim, operands, params, result)

    def _constant(self, ref: Ref, value: Any) -> str:
        # Any: an array of whichever dtype.
        if ref in self.scalar:
            if value.dtype == int64:
                return f"({int(value)})"
            if math.isfinite(value):
                return repr(float(value))
        name = f"c{self.prefix}{ref}"
        self.globals[name] = float(value) if ref in self.scalar else value
        return name

    def result(self, ref: Ref, views: set[Ref]) -> str:
        """An output as a payload that is nobody else's."""
        name = self.names[ref]
        if ref in self.scalar:
            return self._boxed(name, ref)
        return f"array({name})" if ref in views else name

    def _parameter(self, value: Any) -> str:
        name = f"p{len(self.globals)}"
        self.globals[name] = value
        return name

    def _statement(
        self, i: int, prim: Prim | PrimN, operands: Sequence[Ref], params: Params, result: Ref
    ) -> None:
        names = [self.names[x] for x in operands]
        into = self.names[self.writes.into[i]] if i in self.writes.into else None
        to = self.writes.to.get(i, into)
        if i in self.slopes:
            expression = f"tanh_slope({names[0]}, {self.names[self.slopes[i]]}, {to})"
            self.globals["tanh_slope"] = tanh_slope
        elif i in self.fused:
            function, log = self.fused[i]
            names = [self._boxed(n, o) for n, o in zip(names, operands, strict=True)]
            if log is not None:
                names.insert(0, f"{self.names[log[0]]}[-1]")
            expression = f"{self._parameter(function)}({', '.join(names)})"
        else:
            expression = self._expression(prim, operands, params, names, result, to)
        keep = self.graph.outputs
        log_register = self.fused[i][1] if i in self.fused else None
        logs = () if log_register is None else (log_register[0],)
        held = (self.slopes[i],) if i in self.slopes else ()
        for x in {*operands, *logs, *held}:
            if self.last[x] == i and self.names[x][0] == self.prefix and x not in keep:
                self.free.append(self.names[x])
        if into is not None:
            target = into
            self.free.remove(into)
        elif self.free:
            target = self.free.pop()
        else:
            target = f"{self.prefix}{self.made}"
            self.made += 1
        self.names[result] = target
        place = f"{target} = {to}" if to in self.writes.kept else target
        self.lines.append(f"{place} = {expression}")
        counted = result in self.scalar and self.graph.avals[result].dtype == int64
        if counted and prim.name in ("add", "sub"):
            self.lines.append(f"if not {-(2**63)} <= {target} < {2**63}: {target} = wrap({target})")

    def _expression(
        self,
        prim: Prim | PrimN,
        operands: Sequence[Ref],
        params: Params,
        names: list[str],
        result: Ref,
        to: str | None,
    ) -> str:
        if result in self.scalar and all(x in self.scalar for x in operands):
            if prim.name == "integer_pow":
                power = scalars.power(names[0], params[0])
                if power is not None:
                    return power
            elif prim.name in scalars.TEMPLATES:
                if not any(self.graph.avals[x].dtype == int64 for x in operands) or self._counts(
                    prim, operands, self.scalar
                ):
                    return scalars.TEMPLATES[prim.name].format(*names)
        text = self._array_expression(prim, operands, params, names, to)
        if result not in self.scalar:
            return text
        return f"float({text})" if self.graph.avals[result].dtype == float64 else text

    def _array_expression(
        self,
        prim: Prim | PrimN,
        operands: Sequence[Ref],
        params: Params,
        names: list[str],
        to: str | None,
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
        # Kernels want arrays: they may call methods, and ufuncs are slow on Python numbers.
        names = [self._array(n, o) for n, o in zip(names, operands, strict=True)]
        if to is not None:  # NumPy takes a third operand of these two by keyword alone
            named = prim.name in ("maximum", "minimum")
            names.append(f"out={to}" if named else to)
        return f"{self._kernel(prim, params)}({', '.join(names)})"

    def _array(self, name: str, ref: Ref) -> str:
        """An operand as an array."""
        if ref not in self.scalar:
            return name
        if ref not in self.graph.constants:
            return f"array({name})"
        constant = f"z{self.prefix}{ref}"
        self.globals[constant] = self.graph.constants[ref]
        return constant

    def _boxed(self, name: str, ref: Ref) -> str:
        """A Python number as a payload."""
        if ref not in self.scalar:
            return name
        return f"float64({name})" if self.graph.avals[ref].dtype == float64 else f"array({name})"

    def _kernel(self, prim: Prim | PrimN, params: Params) -> str:
        key = (prim, params)
        name = self.kernels.get(key)
        if name is None:
            name = self.kernels[key] = f"k{len(self.kernels)}{self.prefix}_{prim.name}"
            self.globals[name] = kernel(prim, params)
        return name
