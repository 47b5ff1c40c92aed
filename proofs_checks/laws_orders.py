"""Higher derivatives: all orders of modes agree, and with differences of the order below.

The law is of first derivatives; that their rules differentiate again is checked here.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from taglessad.convert import from_array
from taglessad.primitive import Prim
from taglessad.proofs_checks.cases import Array, Case
from taglessad.proofs_checks.differences import central
from taglessad.proofs_checks.laws import Finding
from taglessad.proofs_checks.runs import (
    Program,
    active,
    as_program,
    directions,
    inner,
    value,
    weighted,
)
from taglessad.transforms.gradient import grad
from taglessad.transforms.products import jvp

Mode: TypeAlias = Literal["forward", "reverse"]
MODES: Final[tuple[Mode, ...]] = ("forward", "reverse")
AGREEMENT: Final = 1e-11
"""Between mode orders, relative to the largest of them: roundings only."""
TRUNCATION: Final = 1e-6
"""Against differences, relative to what was subtracted."""


def along(f: Program, vs: Sequence[Array], mode: Mode) -> Program:
    """The directional derivative of a real-valued program, by forward or by reverse mode."""
    count = len(vs)

    def derivative(*xs: Any) -> Any:  # Any: handles
        tangents = [from_array(v) for v in vs]
        if mode == "forward":
            return jvp(f, tuple(xs), tuple(tangents))[1]
        parts = [
            inner(g, t) for g, t in zip(grad(f, tuple(range(count)))(*xs), tangents, strict=True)
        ]
        total = parts[0]
        for part in parts[1:]:
            ops = part.ops
            total = type(part)(ops, ops.add(total.payload, part.payload), part.dtype)
        return total

    return derivative


def orders(prim: Prim, case: Case, highest: int = 3) -> Finding:
    """D^k f[v1 .. vk] is one number in all 2**k orders of modes, and the difference of D^(k-1)."""
    positions = active(prim, case)
    if not positions:
        return None
    y = value(prim, case.operands, case.params)
    rng = np.random.default_rng(case.seed + 3)
    f = weighted(as_program(prim, case, positions), rng.uniform(-1, 1, y.shape))
    points = [case.operands[i] for i in positions]
    below: Program = f
    programs: list[tuple[tuple[Mode, ...], Program]] = [((), f)]
    for order in range(1, highest + 1):
        vs = directions(case._replace(seed=case.seed + 10 * order), positions)
        programs = [
            ((*modes, mode), along(g, vs, mode)) for (modes, g), mode in product(programs, MODES)
        ]
        found = {modes: float(g(*points)) for modes, g in programs}
        largest = max(map(abs, found.values()))
        spread = max(found.values()) - min(found.values())
        if not spread <= AGREEMENT * (1 + largest):
            return f"order {order}: mode orders differ by {spread:.3g}: {found}"
        quotient = central(lambda xs, g=below: np.asarray(g(*xs)), points, vs)
        error = abs(float(quotient.value) - found[("forward",) * order])
        if not error <= TRUNCATION * (1 + quotient.size + largest):
            return f"order {order}: differs from the difference quotient by {error:.3g}"
        below = programs[0][1]
    return None
