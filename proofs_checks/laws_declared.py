"""What a primitive declares besides its derivative: shape and dtype, batching, flow, tameness."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final, TypeAlias

import numpy as np

from taglessad.dtypes import DType, is_real
from taglessad.interpreters.batch import Batch, Batched
from taglessad.interpreters.eager import EAGER
from taglessad.kernels.quiet import Quiet
from taglessad.primitive import Flow, Prim, Rule
from taglessad.proofs_checks.cases import Array, Case, Plan
from taglessad.proofs_checks.differences import largest
from taglessad.proofs_checks.laws import Finding, basis
from taglessad.proofs_checks.runs import active, value

MEMBERS: Final = 2
INEXACT: Final = frozenset(
    {"contract", "convolution", "solve", "triangular_solve", "cofactor", "inv", "pow_int"}
)
"""Primitives that may round otherwise when they work on a batch: sums in another order; a power, of
which NumPy computes a lone exponent of 2 as a product, and others by its own vectorised kernel."""

PlanLaw: TypeAlias = Callable[[Prim, Plan, int, DType], Finding]
CasesLaw: TypeAlias = Callable[[Prim, Sequence[Case]], Finding]


def shape_rule(prim: Prim, plan: Plan, seed: int, dtype: DType) -> Finding:
    """The shape rule says what the kernel gives."""
    ops = EAGER.trusted()
    case = plan.case(seed, dtype)
    with Quiet():
        found = ops.aval(ops.run(prim, case.operands, case.params))
    said = prim.infer(*[ops.aval(x) for x in case.operands], *case.params)
    if said != found:
        shapes = ", ".join(f"{x.dtype}{list(x.shape)}" for x in case.operands)
        return f"{shapes}: the rule says {said}, the kernel gives {found}"
    return None


def batching(prim: Prim, plan: Plan, seed: int, dtype: DType) -> Finding:
    """Batch gives the stack of the single results, whichever operands are mapped."""
    members = [plan.case(seed + k, dtype).operands for k in range(MEMBERS)]
    count = len(plan.operands)
    for mapped in product((False, True), repeat=count):
        if not any(mapped):
            continue
        batch: Batch[Array] = Batch(EAGER, MEMBERS)
        operands = [
            Batched(np.stack([m[i] for m in members]) if mapped[i] else members[0][i], mapped[i])
            for i in range(count)
        ]
        with Quiet():
            whole = np.asarray(batch.full(batch.apply(prim, tuple(operands), plan.params)))
        single = [
            value(prim, [m[i] if mapped[i] else members[0][i] for i in range(count)], plan.params)
            for m in members
        ]
        expected = np.stack(single)
        if whole.shape != expected.shape or whole.dtype != expected.dtype:
            return f"mapped {mapped}: {whole.dtype}{whole.shape}, {expected.dtype}{expected.shape}"
        if not _agree(whole, expected, exactly=prim.name not in INEXACT):
            return f"mapped {mapped}: the batch differs from its members"
    return None


def _agree(a: Array, b: Array, *, exactly: bool) -> bool:
    if exactly or not is_real(a.dtype):
        return np.array_equal(a, b, equal_nan=is_real(a.dtype))
    # Other orders of the same few operations: a few ulp of the largest entry.
    tolerance = 16 * float(np.finfo(a.dtype).eps)
    a, b = a.astype(np.float64), b.astype(np.float64)
    return largest(a - b) <= tolerance * (1 + largest(b))


# --- flow ----------------------------------------------------------------------------------------
def _pattern(apply: Callable[[Array], Array], units: Sequence[Array]) -> tuple[bool, bool]:
    """Of a linear map: whether some result entry is no single entry; whether one is of none."""
    columns = [apply(e).ravel() for e in units]
    if not columns or columns[0].size == 0:
        return False, False
    matrix = np.stack(columns)
    reached = np.count_nonzero(matrix, axis=0)
    alone = (reached == 1) & (np.sum(matrix, axis=0) == 1)
    return bool(np.any((reached > 0) & ~alone)), bool(np.any(reached == 0))


def _linear_map(rule: Rule, y: Array, case: Case) -> Callable[[Array], Array]:
    def apply(d: Array) -> Array:
        with Quiet():
            return np.asarray(rule(EAGER.trusted(), d, y, *case.operands, *case.params))

    return apply


_FLOWS: Final = {
    (False, False): Flow.MOVE,
    (False, True): Flow.PAD,
    (True, False): Flow.MIX,
    (True, True): Flow.SPREAD,
}


def flow(prim: Prim, cases: Sequence[Case]) -> Finding:
    """Each linear slot's labels are the tightest that are true at all the cases.

    Slots of primitives of other kinds carry no labels: the engine does not look at them.
    """
    if prim.kind != "linear":
        for i in {i for case in cases for i in active(prim, case)}:
            slot = prim.slots[i]
            if slot is not None and (slot.push_flow, slot.pull_flow) != (Flow.MIX, Flow.MIX):
                return f"operand {i}: flow is labelled, but the primitive is {prim.kind}"
        return None
    seen: dict[tuple[int, str], list[tuple[bool, bool]]] = {}
    for case in cases:
        y = value(prim, case.operands, case.params)
        for i in active(prim, case):
            slot = prim.slots[i]
            if slot is None or y.size == 0 or case.operands[i].size == 0:
                continue
            eye = [e.reshape(y.shape) for e in np.eye(y.size)]
            for name, rule, units in (
                ("push", slot.push, basis(case, i)),
                ("pull", slot.pull, eye),
            ):
                seen.setdefault((i, name), []).append(_pattern(_linear_map(rule, y, case), units))
    for (i, name), patterns in seen.items():
        slot = prim.slots[i]
        tightest = _FLOWS[any(p[0] for p in patterns), any(p[1] for p in patterns)]
        declared = slot and (slot.push_flow if name == "push" else slot.pull_flow)
        if declared is not tightest:
            return f"operand {i}: {name} is {tightest.name}, and labelled {declared}"
    return None


# --- tameness ------------------------------------------------------------------------------------
def tameness(prim: Prim, cases: Sequence[Case]) -> Finding:
    """An elementwise slot is tame if and only if its rules make zeros of zeros, whatever the operands.

    Held to operands of NaN, which spoil every product that an operand takes part in.
    """
    for case in cases:
        for i in active(prim, case):
            slot = prim.slots[i]
            y = value(prim, case.operands, case.params)
            if slot is None or y.size == 0:
                continue
            if prim.kind != "elementwise":
                if slot.tame:
                    return f"operand {i} is tame, which says nothing of a {prim.kind} primitive"
                continue
            bad = [np.full_like(x, np.nan) if is_real(x.dtype) else x for x in case.operands]
            spoiled = np.full_like(y, np.nan)
            with Quiet():
                results = [
                    np.asarray(
                        rule(EAGER.trusted(), np.zeros(y.shape), spoiled, *bad, *case.params)
                    )
                    for rule in (slot.push, slot.pull)
                ]
            holds = all(not np.any(r) for r in results)  # NaN counts as true
            if holds != slot.tame:
                return f"operand {i}: tame is {slot.tame}, but should be {holds}"
    return None
