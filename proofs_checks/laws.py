"""The laws that every primitive's derivative obeys, each a function of the primitive and a case.

A law returns None where it holds, else one sentence with the numbers. Laws run the engine over
NumPy kernels; none looks into a rule. The others are in laws_masks.py,
laws_declared.py and laws_orders.py.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from taglessad.dtypes import is_real
from taglessad.primitive import Prim
from taglessad.proofs_checks.cases import Array, Case
from taglessad.proofs_checks.differences import central, largest
from taglessad.proofs_checks.domains import CONSTANT
from taglessad.proofs_checks.runs import (
    active,
    directions,
    in_operand,
    inactive,
    moved,
    pulled,
    pushed,
    value,
)

Finding: TypeAlias = str | None
Law: TypeAlias = Callable[[Prim, Case], Finding]

ROUNDING: Final = 1e-12
"""Relative to the sum of the absolute products: some thousand roundings."""
TRUNCATION: Final = 1e-7
"""Relative to values and derivatives: the error of a central difference at safe points."""


def _tangents(case: Case, position: int, d: Array) -> list[Array | None]:
    return [d if i == position else None for i in range(len(case.operands))]


def _seed(prim: Prim, case: Case) -> Array:
    y = value(prim, case.operands, case.params)
    return np.asarray(np.random.default_rng(case.seed + 1).uniform(-1, 1, y.shape))


def adjointness(prim: Prim, case: Case) -> Finding:
    """<push(d), g> == <d, pull(g)> for each slot, and for all operands together."""
    positions = active(prim, case)
    if not positions:
        return None
    g = _seed(prim, case)
    ds = directions(case, positions)
    forward, backward, size = 0.0, 0.0, 0.0
    for i, d in zip(positions, ds, strict=True):
        push = pushed(prim, case, _tangents(case, i, d))
        (pull,) = pulled(prim, case, [i], g)
        if push.shape != g.shape or pull.shape != d.shape:
            return f"operand {i}: push has shape {push.shape}, pull {pull.shape}"
        here, there = float(np.sum(push * g)), float(np.sum(d * pull))
        scale = float(np.sum(np.abs(push * g)) + np.sum(np.abs(d * pull)))
        if not abs(here - there) <= ROUNDING * scale:
            return f"operand {i}: <push(d), g> = {here!r}, <d, pull(g)> = {there!r}"
        forward, backward, size = forward + here, backward + there, size + scale
    together: list[Array | None] = [None] * len(case.operands)
    for i, d in zip(positions, ds, strict=True):
        together[i] = d
    push = pushed(prim, case, together)
    pulls = pulled(prim, case, positions, g)
    here = float(np.sum(push * g))
    there = float(sum(np.sum(d * c) for d, c in zip(ds, pulls, strict=True)))
    for mode, found, expected in (("push", here, forward), ("pull", there, backward)):
        if not abs(found - expected) <= ROUNDING * size:
            return f"{mode} of all operands gives {found!r}, one by one {expected!r}"
    return None


def differences(prim: Prim, case: Case) -> Finding:
    """push(d) is the difference quotient of the value along d, in each slot."""
    positions = active(prim, case)
    for i, d in zip(positions, directions(case, positions), strict=True):
        quotient = central(in_operand(prim, case, i), [case.operands[i]], [d])
        push = pushed(prim, case, _tangents(case, i, quotient.directions[0]))
        scale = 1 + quotient.size + largest(quotient.value)
        error = largest(push - quotient.value)
        if not error <= TRUNCATION * scale:
            return f"operand {i}: push and difference quotient differ by {error:.3g}"
    return None


def constancy(prim: Prim, case: Case) -> Finding:
    """No derivative was forgotten, and none invented.

    An operand without a slot does not move the value; results that are no real numbers, and those
    that are constant by definition, have no slots.
    """
    y = value(prim, case.operands, case.params)
    if not is_real(y.dtype) or prim.name in CONSTANT:
        found = active(prim, case)
        return f"operands {found} have slots, where the result has no derivative" if found else None
    positions = inactive(prim, case)
    for i, d in zip(positions, directions(case, positions), strict=True):
        quotient = central(in_operand(prim, case, i), [case.operands[i]], [d])
        if largest(quotient.value) != 0:
            return f"operand {i} has no slot, and the value changes with it"
    return None


def basis(case: Case, position: int) -> list[Array]:
    """The unit vectors of an operand's space."""
    x = case.operands[position]
    eye = np.eye(x.size, dtype=x.dtype)
    return [row.reshape(x.shape) for row in eye]


def linearity(prim: Prim, case: Case) -> Finding:
    """A linear primitive is its own push, entry by entry, and pull is the exact transpose."""
    if prim.kind not in ("linear", "bilinear"):
        return None
    positions = active(prim, case)
    for i in positions:
        others = list(case.operands)
        if prim.kind == "linear":
            others = [np.zeros_like(x) if k in positions else x for k, x in enumerate(others)]
        at = Case(tuple(others), case.params, case.seed)
        rows = []
        for e in basis(case, i):
            expected = value(prim, moved(at, i, e), case.params)
            push = pushed(prim, case, _tangents(case, i, e))
            if not np.array_equal(push, expected):
                return f"operand {i}: push of a unit vector is not the value at it"
            rows.append(push.ravel())
        y = value(prim, case.operands, case.params)
        columns = [pulled(prim, case, [i], e.reshape(y.shape))[0].ravel() for e in np.eye(y.size)]
        matrix = np.reshape(rows, (case.operands[i].size, y.size))
        transpose = np.reshape(columns, (y.size, case.operands[i].size))
        if not np.array_equal(matrix, transpose.T):
            return f"operand {i}: the matrices of push and pull are not transposes"
    return None
