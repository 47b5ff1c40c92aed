"""The domain of every primitive: a primitive that has none here is not checked, which is an error.

To add a primitive, add its line in one of the domains_*.py, and its ties, if it has any, in edges.py.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks.cases import Case, Domain, Random
from taglessad.proofs_checks.domains_arrays import ARRAYS
from taglessad.proofs_checks.domains_elementwise import ELEMENTWISE
from taglessad.proofs_checks.domains_matrices import MATRICES

DOMAINS: Final[dict[str, tuple[Domain, ...]]] = ELEMENTWISE | ARRAYS | MATRICES

CONSTANT: Final = frozenset({"detach", "nextafter"})
"""Primitives whose results vary with the operands and have, by definition, no derivative."""


def uncovered() -> tuple[set[str], set[str]]:
    """Primitives without a domain, and domains without a primitive. Both must be empty."""
    return PRIMITIVES.keys() - DOMAINS.keys(), DOMAINS.keys() - PRIMITIVES.keys()


@cache
def cases(name: str, count: int, *, smooth: bool = True) -> Sequence[Case]:
    """The first `count` cases of each domain of a primitive, the same at every call.

    smooth: only where the laws of derivatives hold.
    """
    domains = [d for d in DOMAINS[name] if d.smooth or not smooth]
    seeds = range(count)
    return [d.plan(Random(seed)).case(seed, d.dtypes[0]) for d in domains for seed in seeds]
