"""Every law of a primitive at a fixed set of cases: what `mutants` and the tests run."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from taglessad.primitive import Prim
from taglessad.proofs_checks import laws, laws_declared, laws_orders
from taglessad.proofs_checks.cases import Random
from taglessad.proofs_checks.domains import DOMAINS, cases
from taglessad.proofs_checks.edges import EDGES, edge
from taglessad.proofs_checks.laws import Law

DERIVATIVE_LAWS: Final[tuple[Law, ...]] = (
    laws.constancy,
    laws.adjointness,
    laws.differences,
    laws.linearity,
    laws.masking,
)
CASES: Final = 16
DEEP_CASES: Final = 4


class Broken(NamedTuple):
    """A law that does not hold of a primitive, and how it shows."""

    primitive: str
    law: str
    finding: str


def broken(prim: Prim) -> Iterator[Broken]:
    """The laws that a primitive breaks, the cheap ones first; none of a sound primitive.

    A rule that raises breaks the law under which it did.
    """
    law = "shape rule"
    try:
        for domain in DOMAINS[prim.name]:
            for seed in range(CASES):
                plan, dtype = domain.plan(Random(seed)), domain.dtypes[seed % len(domain.dtypes)]
                for name, check in (
                    ("shape rule", laws_declared.shape_rule),
                    ("batch rule", laws_declared.batching),
                ):
                    law = name
                    if (finding := check(prim, plan, seed, dtype)) is not None:
                        yield Broken(prim.name, law, finding)
        points = cases(prim.name, CASES)
        for name, over in (("flow", laws_declared.flow), ("tameness", laws_declared.tameness)):
            law = name
            if (finding := over(prim, points)) is not None:
                yield Broken(prim.name, law, finding)
        for derivative_law in DERIVATIVE_LAWS:
            law = derivative_law.__name__
            for case in points:
                if (finding := derivative_law(prim, case)) is not None:
                    yield Broken(prim.name, law, finding)
        law = "edges"
        for at in EDGES.get(prim.name, []):
            if (finding := edge(prim, at)) is not None:
                yield Broken(prim.name, law, finding)
        law = "orders"
        for case in cases(prim.name, DEEP_CASES):
            if (finding := laws_orders.orders(prim, case)) is not None:
                yield Broken(prim.name, law, finding)
    except Exception as error:
        yield Broken(prim.name, law, f"{type(error).__name__}: {error}")
