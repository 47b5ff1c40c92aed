"""Higher derivatives: all orders of modes agree, and with differences of the order below.

The law is of first derivatives; that their rules differentiate again is checked here.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from taglessad.convert import from_array
from taglessad.primitive import Prim
from taglessad.proofs_checks.cases import Array, Case
from taglessad.proofs_checks.differences import central, largest
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


def _on_list(f: Program) -> Callable[[list[Array]], Array]:
    return lambda xs: np.asarray(f(*xs))


def orders(prim: Prim, case: Case, highest: int = 3) -> Finding:
    """D^k f[v1 .. vk] is one number in all 2**k orders of modes, and the difference of D^(k-1)."""
    positions = active(prim, case)
    if not positions:
        return None
    y = value(prim, case.operands, case.params)
    rng = np.random.default_rng(case.seed + 3)
    f = weighted(as_program(prim, case, positions), rng.uniform(-1, 1, y.shape))
    return orders_of(f, case, positions, highest)


def orders_of(f: Program, case: Case, positions: Sequence[int], highest: int = 3) -> Finding:
    """The law of a real-valued program of some of a case's operands."""
    points = [case.operands[i] for i in positions]
    below: Program = f
    programs: list[tuple[tuple[Mode, ...], Program]] = [((), f)]
    for order in range(1, highest + 1):
        vs = directions(case._replace(seed=case.seed + 10 * order), positions)
        programs = [
            ((*modes, mode), along(g, vs, mode)) for (modes, g), mode in product(programs, MODES)
        ]
        found = np.array([float(g(*points)) for _, g in programs])
        size = largest(found)
        if not np.ptp(found) <= AGREEMENT * (1 + size):
            named = {"-".join(modes): v for (modes, _), v in zip(programs, found, strict=True)}
            return f"order {order}: mode orders differ: {named}"
        quotient = central(_on_list(below), points, vs)
        error = abs(float(quotient.value) - found[0])
        if not error <= TRUNCATION * (1 + quotient.size + size):
            return f"order {order}: differs from the difference quotient by {error:.3g}"
        below = programs[0][1]
    return None
