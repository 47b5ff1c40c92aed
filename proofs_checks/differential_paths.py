"""A program's path as it is executed at one point: every decision on the way held as it was there.

Conditions, indices and fences are literals, and operations with kinks follow the side that they took
(at a tie, the convention's share of each); loops make as many trips. Differences of this program are
those of the branch that ran, and cross no boundary.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from taglessad.dtypes import is_real
from taglessad.graph import Graph, Ref, applied
from taglessad.interpreters.eager import EAGER
from taglessad.kernels.quiet import Quiet
from taglessad.proofs_checks.cases import Array
from taglessad.transforms.recording import trace

# Any throughout: parameters are each primitive's own.

Values = Callable[[Sequence[Array]], list[Array]]
Step = Callable[..., Any]


def _share(a: Array, b: Array) -> Array:
    """1 where a is the larger, 1/2 at a tie, else 0."""
    return np.where(a > b, 1.0, np.where(a == b, 0.5, 0.0))


def _maximum(sign: float) -> Callable[..., Step]:
    def at(y: Array, a: Array, b: Array) -> Step:
        share = _share(sign * a, sign * b)
        return lambda u, v: share * u + (1 - share) * v

    return at


def _reduction(y: Array, x: Array, axes: tuple[int, ...]) -> Step:
    taken = x == np.expand_dims(y, axes)
    share = taken / np.sum(taken, axis=axes, keepdims=True)
    return lambda u: np.sum(share * u, axis=axes)


def _clip(y: Array, x: Array, low: Array, high: Array) -> Step:
    # A number on a bound counts as inside.
    below, above = x < low, x > high
    return lambda u, a, b: np.where(above, b, np.where(below, a, u))


JUMPS: Final = frozenset({"detach", "floor", "ceil", "trunc", "round", "sign", "floor_divide"})
"""Operations whose results are held: fences, and steps, which are constant where they do not jump."""

KINKS: Final[dict[str, Callable[..., Step]]] = {
    "abs": lambda y, x: lambda u: np.sign(x) * u,
    "relu": lambda y, x: lambda u: (x > 0) * u,
    "maximum": _maximum(1.0),
    "minimum": _maximum(-1.0),
    "clip": _clip,
    "max": _reduction,
    "min": _reduction,
}
"""(values at the point) -> the operation on the side that it took."""


def executed(f: Callable[..., Any], points: Sequence[Array]) -> Values:
    """The path of f at the points, a function of arrays that returns a tuple; gives its results.

    Raises as `trace` does where f cannot be recorded.
    """
    graph = trace(f)(*points)
    steps: dict[Ref, Step] = {}
    at: list[Any] = _run(graph, points, {}, {})
    fixed: dict[Ref, Any] = {}
    for prim, operands, params, result in graph.steps():
        y = at[result]
        if prim.name == "while_loop":
            steps[result] = _repeated(int(np.asarray(y[-1])), *params)
        elif prim.name in KINKS and is_real(np.asarray(y).dtype):
            xs = [np.asarray(at[x]) for x in operands]
            steps[result] = KINKS[prim.name](np.asarray(y), *xs, *params)
        elif prim.name in JUMPS or not (isinstance(y, tuple) or is_real(np.asarray(y).dtype)):
            fixed[result] = y

    def values(xs: Sequence[Array]) -> list[Array]:
        registers = _run(graph, xs, fixed, steps)
        return [np.asarray(registers[r]) for r in graph.outputs]

    return values


def _repeated(trips: int, _condition: Graph, body: Graph, captures: int) -> Step:
    """A loop of as many trips as it made."""

    def step(*xs: Any) -> Any:
        closed, carry = list(xs[:captures]), list(xs[captures:])
        for _ in range(trips):
            carry = body.run(EAGER, [*closed, *carry])
        return (*carry, np.asarray(trips))

    return step


def _run(
    graph: Graph, arguments: Sequence[Any], fixed: dict[Ref, Any], steps: dict[Ref, Step]
) -> list[Any]:
    registers: list[Any] = [None] * len(graph.avals)
    for ref, value in zip(graph.inputs, arguments, strict=True):
        registers[ref] = value
    for ref, constant in graph.constants.items():
        registers[ref] = EAGER.const(constant)
    with Quiet():
        for prim, operands, params, result in graph.steps():
            if result in fixed:
                registers[result] = fixed[result]
                continue
            xs = tuple(registers[x] for x in operands)
            if result in steps:
                registers[result] = steps[result](*xs)
            else:
                registers[result] = applied(EAGER, prim, xs, params)
    return registers
