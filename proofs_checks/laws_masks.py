"""Structural zeros: a primitive carries those it is given, and makes those that it should."""

from typing import Any

import numpy as np

from taglessad.interpreters.eager import EAGER
from taglessad.kernels.quiet import Quiet
from taglessad.masks import Mask, Masked, fit, settle, stretch, through
from taglessad.primitive import Prim
from taglessad.proofs_checks.cases import Array, Case
from taglessad.proofs_checks.differences import central, largest
from taglessad.proofs_checks.laws import ROUNDING, Finding, basis
from taglessad.proofs_checks.runs import active, in_operand, value


def _through(prim: Prim, case: Case, i: int, forward: bool, d: Any, y: Array) -> Any:
    """d through one rule, stretched or summed to the shape of what it is a derivative of.

    Any: an array, or a Masked one.
    """
    ops = EAGER.trusted()
    with Quiet():
        r = through(ops, prim, i, forward, d, y, case.operands, case.params)
        return stretch(ops, r, y.shape) if forward else fit(ops, r, case.operands[i].shape)


def _alive(r: Any, shape: tuple[int, ...]) -> Array:
    """Where a derivative is no structural zero."""
    if r.__class__ is not Masked:
        return np.ones(shape, np.bool_)
    with Quiet():
        return np.broadcast_to(r.mask.get(EAGER.trusted()), shape)


def masking(prim: Prim, case: Case) -> Finding:
    """A rule applied to a masked derivative gives what it gives to zeros in the dead entries.

    The dead entries hold NaN: none may come through.
    """
    y = value(prim, case.operands, case.params)
    rng = np.random.default_rng(case.seed + 2)
    for i in active(prim, case):
        x = case.operands[i]
        for forward, shape in ((True, x.shape), (False, y.shape)):
            alive = rng.random(shape) < 0.5
            d = rng.uniform(-1, 1, shape)
            given = Masked(np.where(alive, d, np.nan), Mask(condition=alive), True)
            results: list[Array] = []
            for operand in (given, np.where(alive, d, 0.0)):
                r = _through(prim, case, i, forward, operand, y)
                with Quiet():
                    results.append(np.asarray(settle(EAGER.trusted(), r)))
            masked, zeroed = results
            if not largest(masked - zeroed) <= ROUNDING * (1 + largest(zeroed)):
                mode = "push" if forward else "pull"
                return f"operand {i}: {mode} of a masked derivative lets dead entries through"
    return None


def selection(prim: Prim, case: Case) -> Finding:
    """What a primitive calls structurally zero does not depend on the operand; nothing is missed.

    Backwards a selecting primitive's structural zeros are exactly the entries that do not move the
    value; forwards, no result entry that moves is among them.
    """
    y = value(prim, case.operands, case.params)
    for i in active(prim, case):
        x = case.operands[i]
        moves = np.zeros((x.size, y.size), np.bool_)
        for k, e in enumerate(basis(case, i)):
            quotient = central(in_operand(prim, case, i), [x], [e])
            moves[k] = quotient.value.ravel() != 0
        rng = np.random.default_rng(case.seed + 4)
        pull = _through(prim, case, i, False, rng.uniform(1, 2, y.shape), y)
        taken = _alive(pull, x.shape).ravel()
        if np.any(moves.any(axis=1) & ~taken):
            return f"operand {i}: an entry that moves the value is called a structural zero"
        if prim.selects and np.any(~moves.any(axis=1) & taken):
            return f"operand {i}: an entry that was not selected is no structural zero"
        push = _through(prim, case, i, True, rng.uniform(1, 2, x.shape), y)
        if np.any(moves.any(axis=0) & ~_alive(push, y.shape).ravel()):
            return f"operand {i}: a result entry that moves is called a structural zero"
    return None
