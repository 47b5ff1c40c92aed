"""A gradient is again a program: it means the same under every interpreter."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from taglessad.convert import from_array
from taglessad.interpreters.eager import EAGER
from taglessad.interpreters.shape import Shape
from taglessad.primitive import Prim
from taglessad.proofs_checks.cases import Array, Case
from taglessad.proofs_checks.differences import largest
from taglessad.proofs_checks.laws import Finding
from taglessad.proofs_checks.runs import (
    Program,
    active,
    as_program,
    directions,
    value,
    weighted,
)
from taglessad.transforms.batching import vmap
from taglessad.transforms.gradient import grad
from taglessad.transforms.interpretation import interpret
from taglessad.transforms.products import jvp
from taglessad.transforms.recording import Spec, trace

ROUNDING: Final = 1e-13
MEMBERS: Final = 2


def everywhere(prim: Prim, case: Case) -> Finding:
    """The gradient under Eager, Record and its graph, Dual, Batch and Shape: one meaning."""
    positions = active(prim, case)
    if not positions:
        return None
    y = value(prim, case.operands, case.params)
    weights = np.random.default_rng(case.seed + 3).uniform(-1, 1, y.shape)
    return everywhere_of(weighted(as_program(prim, case, positions), weights), case, positions)


def everywhere_of(f: Program, case: Case, positions: Sequence[int]) -> Finding:
    """The law of a real-valued program of some of a case's operands."""
    gradient = grad(f, tuple(range(len(positions))))
    points = [case.operands[i] for i in positions]
    expected = [np.asarray(g) for g in gradient(*points)]
    ways = {
        "Record": _recorded(gradient, points),
        "Dual": _dual(gradient, points, directions(case, positions)),
        "Batch": _batched(gradient, points),
    }
    for way, found in ways.items():
        if [np.shape(g) for g in found] != [x.shape for x in points]:
            return f"{way}: shapes {[np.shape(g) for g in found]}"
        for g, e in zip(found, expected, strict=True):
            if not largest(np.asarray(g) - e) <= ROUNDING * (1 + largest(e)):
                return f"{way} gives {np.asarray(g).tolist()}, Eager {e.tolist()}"
    said = interpret(gradient, Shape())(*[Spec(x.shape, x.dtype) for x in points])
    if list(said) != [x.shape for x in points]:
        return f"Shape gives {said} for arguments of shapes {[x.shape for x in points]}"
    return None


def _recorded(gradient: Program, points: Sequence[Array]) -> list[Any]:
    """Traced, and the graph run under Eager."""
    return trace(gradient)(*points).run(EAGER, list(points))


def _dual(gradient: Program, points: Sequence[Array], tangents: Sequence[Array]) -> list[Any]:
    """The primal part under Dual."""
    primals, _ = jvp(gradient, tuple(points), tuple(tangents))
    return list(primals)


def _batched(gradient: Program, points: Sequence[Array]) -> list[Any]:
    """The last member of a batch of equal ones."""
    stacked = [from_array(np.stack([x] * MEMBERS)) for x in points]
    return [np.asarray(g)[-1] for g in vmap(gradient)(*stacked)]
