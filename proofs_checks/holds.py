"""Every law of a primitive at a fixed set of cases: what `mutants` and the tests run."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

from taglessad.primitive import Prim
from taglessad.proofs_checks import laws, laws_declared, laws_masks
from taglessad.proofs_checks.cases import Random
from taglessad.proofs_checks.domains import DOMAINS, cases
from taglessad.proofs_checks.edges import EDGES, edge
from taglessad.proofs_checks.laws import Finding, Law
from taglessad.proofs_checks.laws_interpreters import everywhere
from taglessad.proofs_checks.laws_orders import orders

CASE_LAWS: Final[tuple[Law, ...]] = (
    laws.constancy,
    laws.adjointness,
    laws.differences,
    laws.linearity,
    laws_masks.masking,
    laws_masks.selection,
)
PLAN_LAWS: Final = (laws_declared.shape_rule, laws_declared.batching)
ALL_CASES_LAWS: Final = (laws_declared.flow, laws_declared.tameness)
CASES: Final = 16
DEEP_CASES: Final = 4


class Broken(NamedTuple):
    """A law that does not hold of a primitive, and how it shows."""

    primitive: str
    law: str
    finding: str


def broken(prim: Prim) -> Iterator[Broken]:
    """The laws that a primitive breaks, the quick ones first; none of a sound primitive.

    A rule that raises breaks the law under which it did.
    """
    for law, check in _checks(prim):
        try:
            finding = check()
        except Exception as error:
            finding = f"{type(error).__name__}: {error}"
        if finding is not None:
            yield Broken(prim.name, law, finding)


def _checks(prim: Prim) -> Iterator[tuple[str, Callable[[], Finding]]]:
    points = cases(prim.name, CASES)
    for over in ALL_CASES_LAWS:
        yield over.__name__, partial(over, prim, points)
    for case in points:
        for law in CASE_LAWS:
            yield law.__name__, partial(law, prim, case)
    for domain in DOMAINS[prim.name]:
        for seed in range(CASES):
            plan, dtype = domain.plan(Random(seed)), domain.dtypes[seed % len(domain.dtypes)]
            for declared in PLAN_LAWS:
                yield declared.__name__, partial(declared, prim, plan, seed, dtype)
    for at in EDGES.get(prim.name, []):
        yield edge.__name__, partial(edge, prim, at)
    # Third derivatives are dear, and those of empty arrays say nothing.
    deep = [c for c in points if all(x.size for x in c.operands)]
    for case in deep[:DEEP_CASES]:
        yield orders.__name__, partial(orders, prim, case)
        yield everywhere.__name__, partial(everywhere, prim, case)
