"""Power series: the coefficients along a line are the nested derivatives, divided by factorials."""

from math import factorial
from typing import Any, Final

import numpy as np

from taglessad.interpreters.eager import EAGER
from taglessad.interpreters.taylor import Taylor
from taglessad.primitive import Prim
from taglessad.proofs_checks.cases import Case
from taglessad.proofs_checks.laws import Finding
from taglessad.proofs_checks.laws_orders import along
from taglessad.proofs_checks.runs import active, as_program, directions, value, weighted
from taglessad.transforms.interpretation import interpret

AGREEMENT: Final = 1e-11
"""Relative to the largest coefficient of the order: roundings only."""


def series(prim: Prim, case: Case, order: int = 3) -> Finding:
    """The series of a primitive along a random line: D^k f[v, ..., v] / k! for k up to `order`."""
    positions = active(prim, case)
    if not positions:
        return None
    y = value(prim, case.operands, case.params)
    rng = np.random.default_rng(case.seed + 3)
    f = weighted(as_program(prim, case, positions), rng.uniform(-1, 1, y.shape))
    points = [case.operands[i] for i in positions]
    vs = directions(case, positions)
    lines = [[x, v] for x, v in zip(points, vs, strict=True)]
    found: list[Any] = interpret(f, Taylor(EAGER, order))(*lines)
    nested = f
    for k in range(order + 1):
        expected = float(nested(*points))
        got = float(found[k]) * factorial(k)
        if not abs(got - expected) <= AGREEMENT * (1 + abs(expected)):
            return f"order {k}: the series gives {got!r}, nested forward mode {expected!r}"
        nested = along(nested, vs, "forward")
    return None
