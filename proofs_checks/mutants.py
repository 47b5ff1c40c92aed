"""Break every rule on purpose, one at a time: the laws must notice each time.

    python -m taglessad.proofs_checks.mutants [PRIMITIVE ...]

prints how many faults of each kind were planted and how many were caught, and by which law, and
exits with 1 unless all were. The kinds of faults are in faults.py. A planted fault that changes no
result, such as the operands of addition exchanged, is no fault and is counted apart.
"""

import sys
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from taglessad.primitive import PRIMITIVES, Prim, PrimN
from taglessad.proofs_checks.faults import Fault, changes_nothing, faults
from taglessad.proofs_checks.holds import Broken, broken


class Outcome(NamedTuple):
    """A fault in a primitive, and the law that caught it; None: it went unnoticed."""

    primitive: str
    fault: Fault
    harmless: bool
    caught: Broken | None


@contextmanager
def planted(prim: Prim | PrimN, fault: Fault) -> Generator[None]:
    """The fault in the primitive's place: in every interpreter, at every order of derivative."""
    sound = {name: getattr(prim, name) for name in fault.fields}
    try:
        for name, wrong in fault.fields.items():
            object.__setattr__(prim, name, wrong)
        yield
    finally:
        for name, right in sound.items():
            object.__setattr__(prim, name, right)


def mutate(prim: Prim) -> Iterator[Outcome]:
    """Every fault of a primitive in turn."""
    for fault in faults(prim):
        harmless = changes_nothing(prim, fault)
        with planted(prim, fault):
            caught = None if harmless else next(broken(prim), None)
        yield Outcome(prim.name, fault, harmless, caught)


def table(outcomes: Iterable[Outcome]) -> str:
    """Faults planted, caught and missed, kind by kind."""
    made, caught, missed, same = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    by_law: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        kind = outcome.fault.kind
        made[kind] += 1
        if outcome.harmless:
            same[kind] += 1
        elif outcome.caught is None:
            missed[kind] += 1
        else:
            caught[kind] += 1
            by_law.setdefault(kind, Counter())[outcome.caught.law] += 1
    width = max(map(len, made), default=5)
    lines = [f"{'fault':{width}}  planted  caught  missed  no fault  caught by"]
    for kind in made:
        laws = ", ".join(f"{law} {n}" for law, n in by_law.get(kind, Counter()).most_common())
        lines.append(
            f"{kind:{width}}  {made[kind]:7}  {caught[kind]:6}  {missed[kind]:6}  {same[kind]:8}  "
            f"{laws}"
        )
    total = f"{made.total():7}  {caught.total():6}  {missed.total():6}  {same.total():8}"
    lines.append(f"{'all':{width}}  {total}")
    return "\n".join(lines)


def main(names: list[str]) -> int:
    """Mutate the named primitives, or all: 0 if every fault was caught, else 1."""
    prims = [PRIMITIVES[name] for name in names] or list(PRIMITIVES.values())
    unsound = [found for prim in prims for found in broken(prim)]
    for found in unsound:
        print(f"before any fault: {found.primitive} breaks {found.law}: {found.finding}")
    if unsound:
        return 1
    outcomes = [outcome for prim in prims for outcome in mutate(prim)]
    print(table(outcomes))
    missed = [o for o in outcomes if o.caught is None and not o.harmless]
    for outcome in missed:
        print(f"missed: {outcome.primitive}: {outcome.fault}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
