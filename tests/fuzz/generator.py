"""Random typed programs over `vocabulary`: how they are drawn, and what they mean over a library."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from tests.fuzz import vocabulary, vocabulary_control, vocabulary_neural, vocabulary_special
from tests.fuzz.registry import OPS, OTHERS

# Each of these fills OPS when it is imported.
VOCABULARY: Final = (vocabulary, vocabulary_control, vocabulary_neural, vocabulary_special)
FAMILIES: Final = sorted({op.family for op in OPS.values()})
# Operations with bodies; a body deep inside has none of these.
NESTING: Final = ("control", "tree", "transform")

# The argument of a program: a tree with a matrix, a vector and a number.
INPUTS: Final = "mvs"
SHAPES: Final = {"s": (), "v": (3,), "m": (3, 3)}

# What is not of these passes through tanh (`L.squash`), so that numbers stay of order 1.
BOUNDED_FAMILIES: Final = ("structure", "indexing", "sort")
BOUNDED: Final = ("sin", "cos", "tanh", "atan", "erf", "sigmoid", "negative", "relu", "clip")


@dataclass(frozen=True)
class Step:
    """An operation, its operands by their place among all values so far, and its bodies."""

    op: str
    operands: tuple[int, ...]
    k: int
    bodies: tuple["Program", ...] = ()


@dataclass(frozen=True)
class Program:
    """Steps over given values; the result is the last value of type `gives`, or all last ones."""

    steps: tuple[Step, ...]
    types: str
    gives: str = ""

    def run(self, L: Any, given: list[Any]) -> list[Any]:
        """All values, those that were given first."""
        values = list(given)
        for step in self.steps:
            op = OPS[step.op]
            bodies = [_body(L, body, values) for body in step.bodies]
            y = op.call(L, step.k, *(values[i] for i in step.operands), *bodies)
            name = step.op.partition(":")[0]
            bounded = op.family in BOUNDED_FAMILIES or name in BOUNDED
            values.append(y if bounded else L.squash(y))
        return values

    def loss(self, L: Any, x: Any) -> Any:
        """A number from the tree of arguments: every late value counts, one as if by accident."""
        values = self.run(L, [x["m"], x["inner"][0], x["inner"][1]])
        total = 0.0
        for weight, y in zip((1.0, 0.5, 0.25), reversed(values[len(INPUTS) :]), strict=False):
            total = total + weight * L.xp.sum(L.squash(y))
        return total

    def others(self) -> list[str]:
        """The libraries that have all its operations, those of its bodies too."""
        ops = [OPS[step.op] for step in self.steps]
        bodies = [body for step in self.steps for body in step.bodies]
        return [
            name
            for name in OTHERS
            if all(name in op.others for op in ops) and all(name in b.others() for b in bodies)
        ]

    def __repr__(self) -> str:
        return "\n".join(["Program:", *self._lines(0)])

    def _lines(self, depth: int) -> list[str]:
        lines = []
        known = len(self.types) - len(self.steps)
        for n, step in enumerate(self.steps, start=known):
            operands = ", ".join(f"x{i}" for i in step.operands)
            lines.append(f"{'    ' * depth}x{n} = {step.op} ({operands}) k={step.k}")
            for body in step.bodies:
                lines += [f"{'    ' * depth}  body:", *body._lines(depth + 1)]
        return lines


def _body(L: Any, body: Program, values: list[Any]) -> Any:
    outer = tuple(values)

    def run(*params: Any) -> Any:
        found = body.run(L, [*outer, *params])
        return found[body.types.rindex(body.gives)]

    return run


@cache
def _families(names: tuple[str, ...], nesting: bool) -> dict[str, list[str]]:
    """Names by family, so that a family of few is drawn as often as one of many."""
    families: dict[str, list[str]] = {}
    for name in names:
        if nesting or OPS[name].family not in NESTING:
            families.setdefault(OPS[name].family, []).append(name)
    return families


@st.composite
def programs(
    draw: st.DrawFn,
    types: str = INPUTS,
    gives: str = "",
    depth: int = 0,
    most: int = 9,
    names: tuple[str, ...] = tuple(OPS),
) -> Program:
    """Programs of operations with the given names, whose first values have the given types."""
    steps: list[Step] = []
    families = _families(names, depth < 2)
    for _ in range(draw(st.integers(1, most if depth == 0 else 3))):
        name = draw(st.sampled_from(families[draw(st.sampled_from(sorted(families)))]))
        op = OPS[name]
        operands = []
        for t in op.takes:
            places = [i for i, known in enumerate(types) if known == t]
            operands.append(draw(st.sampled_from(places[-4:])))
        bodies = tuple(
            draw(programs(types + params, result, depth + 1, names=names))
            for params, result in op.bodies
        )
        steps.append(Step(name, tuple(operands), draw(st.integers(0, 4)), bodies))
        types += op.gives
    return Program(tuple(steps), types, gives)


def reading(params: str, gives: str) -> Program:
    """A body of that type which gives its last parameter, or the sum of it."""
    types = INPUTS + params
    if gives in params:
        return Program((), types, gives)
    step = Step(f"sum:{params[-1]}>{gives}", (len(types) - 1,), 0)
    return Program((step,), types + gives, gives)


def point(seed: int) -> dict[str, Any]:
    """Arguments of order 1."""
    rng = np.random.default_rng(seed)
    m, v, s = (rng.normal(size=SHAPES[t]) for t in INPUTS)
    return {"m": np.asarray(m), "inner": (np.asarray(v), np.asarray(s))}
