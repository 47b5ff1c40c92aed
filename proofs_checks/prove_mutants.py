"""Break every rule slightly, one at a time: `prove` alone must refute each.

    python -m taglessad.proofs_checks.prove_mutants [PRIMITIVE ...]

prints how many faults of each kind were planted, refuted and missed, and exits with 1 unless all
were refuted. The faults are of one part in 10**9, below what differences of floats can see, besides
signs and exchanged operands.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

from taglessad.primitive import PRIMITIVES, SEVERAL, EachOperand, Prim, PrimN, Rule, Slot
from taglessad.proofs_checks import rooted
from taglessad.proofs_checks.domains import cases
from taglessad.proofs_checks.faults import Fault, changes_nothing
from taglessad.proofs_checks.mutants import planted
from taglessad.proofs_checks.prove import verdicts
from taglessad.proofs_checks.prove_report import Verdict

# Any throughout: a rule is generic in the payload of the interpreter that runs it.

SLIGHT: Final = Fraction(1, 10**9)

Change: TypeAlias = Callable[[Any, Any, Any], Any]
"""(ops, what the rule was given, what it gave) -> what it gives now."""


def _scaled(ops: Any, d: Any, r: Any) -> Any:
    return ops.mul(ops.scalar(1 + SLIGHT, r), r)


def _negated(ops: Any, d: Any, r: Any) -> Any:
    return ops.neg(r)


def _raised(ops: Any, d: Any, r: Any) -> Any:
    return ops.add(r, ops.scalar(SLIGHT, r))


def _leaning(ops: Any, d: Any, r: Any) -> Any:
    """As if a shared partial were larger by a little."""
    return ops.add(r, ops.mul(ops.scalar(SLIGHT, d), d))


CHANGES: Final[dict[str, Change]] = {
    "times 1 + 1e-9": _scaled,
    "shifted by 1e-9": _raised,
    "sign flipped": _negated,
}


def _changed(rule: Rule, change: Change) -> Rule:
    def wrong(ops: Any, d: Any, *rest: Any) -> Any:
        return change(ops, d, rule(ops, d, *rest))

    return wrong


def _exchanged(rule: Rule, first: int, second: int) -> Rule:
    def wrong(ops: Any, d: Any, y: Any, *rest: Any) -> Any:
        new = list(rest)
        new[first], new[second] = rest[second], rest[first]
        return rule(ops, d, y, *new)

    return wrong


def _slots(slot: Slot, shared: bool) -> Iterator[tuple[str, Callable[[Slot], Slot]]]:
    """What may be wrong with a slot."""
    for kind, change in CHANGES.items():
        if shared and change is _raised:
            change = _leaning

        def both(s: Slot, change: Change = change) -> Slot:
            return replace(s, push=_changed(s.push, change), pull=_changed(s.pull, change))

        def push(s: Slot, change: Change = change) -> Slot:
            return replace(s, push=_changed(s.push, change))

        def pull(s: Slot, change: Change = change) -> Slot:
            return replace(s, pull=_changed(s.pull, change))

        yield f"push and pull {kind}", both
        yield f"push {kind}", push
        yield f"pull {kind}", pull


def faults(prim: Prim) -> Iterator[Fault]:
    """Every fault of a primitive with one result."""
    slots = prim.slots
    shared = prim.kind == "elementwise"
    if isinstance(slots, EachOperand):
        for kind, wrong in _slots(slots[0], shared):
            yield Fault(kind, None, {"slots": _everywhere(slots, wrong)})
        return
    real = sorted({i for c in cases(prim.name, 1, smooth=False) for i in rooted.reals(c)})
    for i, slot in enumerate(slots):
        if slot is None:
            continue
        for kind, wrong in _slots(slot, shared):
            yield Fault(kind, i, {"slots": _with(slots, i, wrong(slot))})
        if len(real) > 1:
            pair = real[-2], real[-1]
            swapped = replace(
                slot, push=_exchanged(slot.push, *pair), pull=_exchanged(slot.pull, *pair)
            )
            yield Fault("operands swapped", i, {"slots": _with(slots, i, swapped)})


def _everywhere(slots: EachOperand, wrong: Callable[[Slot], Slot]) -> EachOperand:
    """One rule for all positions: it is wrong in all of them."""
    return EachOperand(lambda i: wrong(slots[i]))


def _with(slots: Any, i: int, new: Slot) -> tuple[Slot | None, ...]:
    return tuple(new if k == i else slot for k, slot in enumerate(slots))


def faults_several(prim: PrimN) -> Iterator[Fault]:
    """Every fault of a primitive with several results: of forward mode, or of reverse mode."""
    for kind, change in CHANGES.items():
        forward = {
            "push": _all_changed(prim.push, change),
            "joint": _tangents_changed(prim, change),
        }
        backward = {"pull": _all_changed(prim.pull, change), "recall": None}
        if prim.recall is not None:
            backward["recall"] = _all_changed(prim.recall, change)
        yield Fault(f"push {kind}", None, forward)
        yield Fault(f"pull {kind}", None, backward)


def _all_changed(rule: Rule, change: Change) -> Rule:
    def wrong(ops: Any, *rest: Any) -> Any:
        return [None if r is None else change(ops, r, r) for r in rule(ops, *rest)]

    return wrong


def _tangents_changed(prim: PrimN, change: Change) -> Rule | None:
    rule = prim.joint
    if rule is None:
        return None

    def wrong(ops: Any, *rest: Any) -> Any:
        ys, tangents = rule(ops, *rest)
        return ys, [None if t is None else change(ops, t, t) for t in tangents]

    return wrong


class Outcome(NamedTuple):
    """A fault in a primitive, and the verdict that refutes it; None: it went unnoticed."""

    primitive: str
    fault: Fault
    harmless: bool
    refuted: Verdict | None


def mutate(name: str) -> Iterator[Outcome]:
    """Every fault of a primitive in turn."""
    if name in SEVERAL:
        several = SEVERAL[name]
        for fault in faults_several(several):
            with planted(several, fault):
                yield Outcome(name, fault, False, _refutation(name))
        return
    prim = PRIMITIVES[name]
    for fault in faults(prim):
        harmless = changes_nothing(prim, fault)
        with planted(prim, fault):
            yield Outcome(name, fault, harmless, None if harmless else _refutation(name))


def _refutation(name: str) -> Verdict | None:
    return next((v for v in verdicts(name) if not v.good), None)


def table(outcomes: Iterable[Outcome]) -> str:
    """Faults planted, refuted and missed, kind by kind."""
    made, refuted, same = Counter[str](), Counter[str](), Counter[str]()
    for outcome in outcomes:
        made[outcome.fault.kind] += 1
        same[outcome.fault.kind] += outcome.harmless
        refuted[outcome.fault.kind] += outcome.refuted is not None
    width = max(map(len, made), default=5)
    lines = [f"{'fault':{width}}  planted  refuted  missed  no fault"]
    for kind in made:
        missed = made[kind] - refuted[kind] - same[kind]
        lines.append(
            f"{kind:{width}}  {made[kind]:7}  {refuted[kind]:7}  {missed:6}  {same[kind]:8}"
        )
    return "\n".join(lines)


def main(names: list[str]) -> int:
    """Mutate the named primitives, or all: 0 if every fault was refuted, else 1."""
    outcomes = [o for name in names or [*PRIMITIVES, *SEVERAL] for o in mutate(name)]
    print(table(outcomes))
    missed = [o for o in outcomes if o.refuted is None and not o.harmless]
    for outcome in missed:
        print(f"missed: {outcome.primitive}: {outcome.fault}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
