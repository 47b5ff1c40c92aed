"""The kinds of faults that a primitive's declaration can have, made on purpose."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np

from taglessad.dtypes import bool_, float64, is_real
from taglessad.interpreters.eager import EAGER
from taglessad.kernels.quiet import Quiet
from taglessad.primitive import Aval, EachOperand, Flow, Prim, Rule, Slot
from taglessad.proofs_checks.cases import Array, Case
from taglessad.proofs_checks.differences import central, largest
from taglessad.proofs_checks.domains import cases
from taglessad.proofs_checks.runs import active, directions, value
from taglessad.rules.arithmetic import IDENTITY

SLIGHTLY: Final = Fraction(1001, 1000)


class Fault(NamedTuple):
    """What is wrong, in which slot (None: in no slot), and the primitive's fields that are so."""

    kind: str
    operand: int | None
    fields: dict[str, Any]  # Any: a field of Prim

    def __str__(self) -> str:
        return self.kind if self.operand is None else f"{self.kind}, operand {self.operand}"


# --- rules gone wrong ----------------------------------------------------------------------------
# Any throughout: a rule is generic in the payload of the interpreter that runs it.
def _scaled(rule: Rule) -> Rule:
    def wrong(ops: Any, *rest: Any) -> Any:
        r = rule(ops, *rest)
        return ops.mul(ops.scalar(SLIGHTLY, r), r)

    return wrong


def _negated(rule: Rule) -> Rule:
    def wrong(ops: Any, *rest: Any) -> Any:
        return ops.neg(rule(ops, *rest))

    return wrong


def _exchanged(rule: Rule, first: int, second: int) -> Rule:
    """Two operands in each other's place."""

    def wrong(ops: Any, d: Any, y: Any, *rest: Any) -> Any:
        new = list(rest)
        new[first], new[second] = rest[second], rest[first]
        return rule(ops, d, y, *new)

    return wrong


def _held(rule: Rule) -> Rule:
    """Right, but constant to further derivatives."""

    def wrong(ops: Any, d: Any, y: Any, *rest: Any) -> Any:
        def fixed(x: Any) -> Any:
            parameter = isinstance(x, (int, str, tuple, np.dtype))
            return x if parameter else ops.detach(x)

        return rule(ops, d, fixed(y), *map(fixed, rest))

    return wrong


def _keep_negated(slot: Slot) -> Slot:
    keep = slot.keep
    assert keep is not None

    def wrong(*arguments: Any) -> Any:
        condition, holds = keep(*arguments)
        return condition, not holds

    return replace(slot, keep=wrong)


def _slot_faults(slot: Slot, exchange: tuple[int, int] | None) -> Iterator[tuple[str, Slot | None]]:
    push, pull = slot.push, slot.pull
    yield "push scaled", replace(slot, push=_scaled(push))
    yield "pull scaled", replace(slot, pull=_scaled(pull))
    yield "shared partial scaled", replace(slot, push=_scaled(push), pull=_scaled(pull))
    yield "sign flipped", replace(slot, push=_negated(push), pull=_negated(pull))
    yield "slot missing", None
    yield "constant to the next order", replace(slot, push=_held(push), pull=_held(pull))
    if exchange is not None:
        new = replace(slot, push=_exchanged(push, *exchange), pull=_exchanged(pull, *exchange))
        yield "operands swapped", new
    if slot.keep is not None:
        yield "keep negated", _keep_negated(slot)
        yield "keep dropped", replace(slot, keep=None)
    yield "tame mislabelled", replace(slot, tame=not slot.tame)
    for flow in Flow:
        if flow is not slot.push_flow:
            yield "push flow mislabelled", replace(slot, push_flow=flow)
        if flow is not slot.pull_flow:
            yield "pull flow mislabelled", replace(slot, pull_flow=flow)


def _with(slots: Sequence[Slot | None], i: int, new: Slot | None) -> tuple[Slot | None, ...]:
    return tuple(new if k == i else slot for k, slot in enumerate(slots))


def faults(prim: Prim) -> Iterator[Fault]:
    """Every fault of a primitive, one at a time."""
    slots = prim.slots
    if isinstance(slots, EachOperand):
        # One rule for all positions: it is wrong in all of them.
        for n, (kind, _) in enumerate(_slot_faults(slots[0], None)):
            yield Fault(kind, None, {"slots": _Everywhere(slots, n)})
    else:
        real = _real_operands(prim)
        exchange = (real[-2], real[-1]) if len(real) > 1 else None
        for i, slot in enumerate(slots):
            if slot is not None:
                for kind, wrong in _slot_faults(slot, exchange):
                    yield Fault(kind, i, {"slots": _with(slots, i, wrong)})
            elif i in real:
                yield Fault("slot invented", i, {"slots": _with(slots, i, IDENTITY)})
    yield from _declared_faults(prim)


class _Everywhere(Sequence[Slot | None]):
    """One fault in the slots of a primitive of any number of operands."""

    def __init__(self, slots: EachOperand, which: int) -> None:
        self._slots, self._which = slots, which

    def __getitem__(self, index: Any) -> Any:
        return list(_slot_faults(self._slots[index], None))[self._which][1]

    def __len__(self) -> int:
        return len(self._slots)


def _real_operands(prim: Prim) -> list[int]:
    """The operands that are real numbers in some case."""
    points = cases(prim.name, 1, smooth=False)
    return sorted({i for c in points for i, x in enumerate(c.operands) if is_real(x.dtype)})


def _declared_faults(prim: Prim) -> Iterator[Fault]:
    infer, batch = prim.infer, prim.batch

    def longer(*arguments: Any) -> Aval:
        right = infer(*arguments)
        return Aval((*right.shape, 1), right.dtype)

    def retyped(*arguments: Any) -> Aval:
        right = infer(*arguments)
        return Aval(right.shape, float64 if right.dtype == bool_ else bool_)

    yield Fault("shape rule: an axis more", None, {"infer": longer})
    yield Fault("shape rule: another dtype", None, {"infer": retyped})
    if batch is not None:

        def backwards(ops: Any, *arguments: Any) -> Any:
            return ops.flip(batch(ops, *arguments), (0,))

        yield Fault("batch rule: members in reverse", None, {"batch": backwards})


# --- faults that are none ------------------------------------------------------------------------
def changes_nothing(prim: Prim, fault: Fault) -> bool:
    """Whether the fault is none: the slot's rules do what they did, at every case.

    Only an exchange of operands and a derivative held constant can be that: the first where the
    operands take no part or an equal one, the second where the rule does not vary with them.
    """
    if fault.kind not in ("operands swapped", "constant to the next order"):
        return False
    wrong: Sequence[Slot | None] = fault.fields["slots"]
    for case in cases(prim.name, 12):
        for i in active(prim, case) if fault.operand is None else [fault.operand]:
            before, after = prim.slots[i], wrong[i]
            assert before is not None and after is not None
            if fault.kind == "operands swapped":
                if not (_same(prim, case, i, before, after)):
                    return False
            elif _varies(prim, case, i, before):
                return False
    return True


def _results(prim: Prim, case: Case, i: int, slot: Slot, operands: Sequence[Array]) -> list[Array]:
    """What a slot's two rules give, at the case's own directions."""
    y = value(prim, operands, case.params)
    shapes = (y if prim.kind == "elementwise" else case.operands[i]).shape, y.shape
    rng = case.rng()
    ds = [rng.uniform(-1, 1, shape) for shape in shapes]
    ops = EAGER.trusted()
    with Quiet():
        return [
            np.asarray(rule(ops, d, y, *operands, *case.params))
            for rule, d in zip((slot.push, slot.pull), ds, strict=True)
        ]


def _same(prim: Prim, case: Case, i: int, before: Slot, after: Slot) -> bool:
    one = _results(prim, case, i, before, case.operands)
    try:
        two = _results(prim, case, i, after, case.operands)
    except Exception:  # operands of other shapes: the rule notices itself
        return False
    return all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def _varies(prim: Prim, case: Case, i: int, slot: Slot) -> bool:
    """Whether the slot's rules, as functions of the operands, have a derivative that is not 0."""
    real = [k for k, x in enumerate(case.operands) if is_real(x.dtype)]

    def joined(points: list[Array]) -> Array:
        given = dict(zip(real, points, strict=True))
        operands = [given.get(k, x) for k, x in enumerate(case.operands)]
        return np.concatenate([r.ravel() for r in _results(prim, case, i, slot, operands)])

    points = [case.operands[k] for k in real]
    return largest(central(joined, points, directions(case, real)).value) > 1e-6
