"""The laws of primitives with several results: those of the others, for all results at once.

A law returns None where it holds, else one sentence with the numbers.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from taglessad.dispatch import lift_all
from taglessad.dtypes import DType, is_real
from taglessad.interpreters.batch import Batch, Batched
from taglessad.interpreters.dual import Dual, DualNumber
from taglessad.interpreters.eager import EAGER
from taglessad.interpreters.tape import Tape
from taglessad.kernels.quiet import Quiet
from taglessad.primitive import PrimN
from taglessad.proofs_checks.cases import Array, Case, Plan
from taglessad.proofs_checks.differences import central, largest
from taglessad.proofs_checks.laws import ROUNDING, TRUNCATION, Finding
from taglessad.proofs_checks.laws_declared import MEMBERS
from taglessad.proofs_checks.laws_interpreters import everywhere_of
from taglessad.proofs_checks.laws_orders import orders_of
from taglessad.proofs_checks.runs import Program, directions, inner
from taglessad.tensor import AnyTensor, handle

LawN: TypeAlias = Callable[[PrimN, Case], Finding]


def values(prim: PrimN, operands: Sequence[Array], params: tuple[Any, ...]) -> list[Array]:
    """The primitive's own kernel. Any: parameters are the primitive's."""
    with Quiet():
        return [np.asarray(y) for y in EAGER.trusted().run_n(prim, tuple(operands), params)]


def _pushed(prim: PrimN, case: Case, tangents: Sequence[Array]) -> list[Array]:
    dual: Dual[Array] = Dual(EAGER)
    duals = tuple(DualNumber(x, d) for x, d in zip(case.operands, tangents, strict=True))
    with Quiet():
        return [np.asarray(dual.tangent(y)) for y in dual.apply_n(prim, duals, case.params)]


def _pulled(prim: PrimN, case: Case, gs: Sequence[Array | None]) -> list[Array]:
    tape: Tape[Array] = Tape(EAGER)
    with Quiet():
        xs = tuple(tape.input(x) for x in case.operands)
        ys = tape.apply_n(prim, xs, case.params)
        seeds = [(y.place, g) for y, g in zip(ys, gs, strict=True) if g is not None]
        found = tape.finish().pull(EAGER, seeds)
    return [
        np.zeros_like(x) if c is None else np.asarray(c)
        for x, c in zip(case.operands, found[: len(xs)], strict=True)
    ]


def _seeds(prim: PrimN, case: Case) -> list[Array]:
    rng = np.random.default_rng(case.seed + 1)
    return [rng.uniform(-1, 1, y.shape) for y in values(prim, case.operands, case.params)]


def _positions(case: Case) -> range:
    return range(len(case.operands))


def adjointness(prim: PrimN, case: Case) -> Finding:
    """The sum of <push(d), g> over the results is <d, pull(g)>: of each result, and of all."""
    gs = _seeds(prim, case)
    ds = directions(case, _positions(case))
    push = _pushed(prim, case, ds)
    chosen = [*([i] for i in range(len(gs))), list(range(len(gs)))]
    for some in chosen:
        pull = _pulled(prim, case, [g if i in some else None for i, g in enumerate(gs)])
        here = float(sum(np.sum(push[i] * gs[i]) for i in some))
        there = float(sum(np.sum(d * c) for d, c in zip(ds, pull, strict=True)))
        scale = float(sum(np.sum(np.abs(push[i] * gs[i])) for i in some))
        scale += float(sum(np.sum(np.abs(d * c)) for d, c in zip(ds, pull, strict=True)))
        if not abs(here - there) <= ROUNDING * scale:
            return f"results {some}: <push(d), g> = {here!r}, <d, pull(g)> = {there!r}"
    return None


def _result(prim: PrimN, case: Case, k: int) -> Callable[[list[Array]], Array]:
    return lambda xs: values(prim, xs, case.params)[k]


def differences(prim: PrimN, case: Case) -> Finding:
    """push(d) is the difference quotient of each result along d."""
    ds = directions(case, _positions(case))
    for k, push in enumerate(_pushed(prim, case, ds)):
        quotient = central(_result(prim, case, k), list(case.operands), ds)
        exact = _pushed(prim, case, quotient.directions)[k]
        scale = 1 + quotient.size + largest(quotient.value)
        error = largest(exact - quotient.value)
        if not error <= TRUNCATION * scale:
            return f"result {k}: push and difference quotient differ by {error:.3g}"
        if push.shape != quotient.value.shape:
            return f"result {k}: push has shape {push.shape}"
    return None


def _weighted(prim: PrimN, case: Case) -> Program:
    weights = _seeds(prim, case)

    def scalar(*xs: AnyTensor) -> Any:  # Any: a handle of whichever interpreter
        ops, handles = lift_all(prim.name, list(xs))
        ys = ops.run_n(prim, tuple(x.payload for x in handles), case.params)
        total: Any = None
        for y, w in zip(ys, weights, strict=True):
            part = inner(handle(ops, y, ops.dtype(y)), handle(EAGER, w, w.dtype))
            total = part if total is None else total + part
        return total

    return scalar


def orders(prim: PrimN, case: Case) -> Finding:
    """All orders of modes agree, and with differences, to the third derivative."""
    return orders_of(_weighted(prim, case), case, _positions(case))


def everywhere(prim: PrimN, case: Case) -> Finding:
    """The gradient means the same under every interpreter."""
    return everywhere_of(_weighted(prim, case), case, _positions(case))


def shape_rule(prim: PrimN, plan: Plan, seed: int, dtype: DType) -> Finding:
    """The shape rule says what the kernel gives."""
    case = plan.case(seed, dtype)
    ops = EAGER.trusted()
    found = tuple(ops.aval(y) for y in values(prim, case.operands, case.params))
    said = prim.avals([ops.aval(x) for x in case.operands], case.params)
    return None if said == found else f"the rule says {said}, the kernel gives {found}"


def batching(prim: PrimN, plan: Plan, seed: int, dtype: DType) -> Finding:
    """Batch gives the stack of the single results."""
    members = [plan.case(seed + k, dtype).operands for k in range(MEMBERS)]
    batch: Batch[Array] = Batch(EAGER, MEMBERS)
    operands = tuple(Batched(np.stack(xs), True) for xs in zip(*members, strict=True))
    with Quiet():
        whole = [np.asarray(batch.full(y)) for y in batch.apply_n(prim, operands, plan.params)]
    single = [values(prim, m, plan.params) for m in members]
    for k, y in enumerate(whole):
        expected = np.stack([s[k] for s in single])
        if y.shape != expected.shape or y.dtype != expected.dtype:
            return f"result {k}: {y.dtype}{y.shape}, members {expected.dtype}{expected.shape}"
        if not np.array_equal(y, expected, equal_nan=is_real(y.dtype)):
            return f"result {k}: the batch differs from its members"
    return None


SEVERAL_CASE_LAWS: Final[tuple[LawN, ...]] = (adjointness, differences)
SEVERAL_DEEP_LAWS: Final[tuple[LawN, ...]] = (orders, everywhere)
SEVERAL_PLAN_LAWS: Final = (shape_rule, batching)
