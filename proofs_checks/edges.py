"""Points where there is no derivative, or where its rule is delicate, and what it is there.

These values are the library's conventions (docs: derivatives where there is none), not computed:
at a kink the value function has none to compute. Each edge gives, operand by operand, the cotangent
that ones in the result pull back; for elementwise primitives those are the partial derivatives.
"""

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from taglessad.primitive import Params, Prim
from taglessad.proofs_checks.cases import Case
from taglessad.proofs_checks.laws import Finding
from taglessad.proofs_checks.runs import pulled, pushed, value

Entries: TypeAlias = Any  # numbers, nested in lists: what np.asarray takes
INF: Final = float("inf")


class Edge(NamedTuple):
    """Operands, static parameters, and the cotangent of each operand (None: it has no slot)."""

    operands: tuple[Entries, ...]
    cotangents: tuple[Entries | None, ...]
    params: Params = ()


EDGES: Final[dict[str, list[Edge]]] = {
    # kinks
    "abs": [Edge(([0.0, -0.0],), ([0, 0],))],
    "relu": [Edge(([0.0, -0.0],), ([0, 0],))],
    "maximum": [Edge(([1.0, 2.0, 1.0], [1.0, 1.0, 2.0]), ([0.5, 1, 0], [0.5, 0, 1]))],
    "minimum": [Edge(([1.0, 2.0, 1.0], [1.0, 1.0, 2.0]), ([0.5, 0, 1], [0.5, 1, 0]))],
    "max": [
        Edge(([1.0, 2.0, 2.0, 2.0],), ([0, 1 / 3, 1 / 3, 1 / 3],), ((0,),)),
        Edge(([[1.0, 1.0], [0.0, 3.0]],), ([[0.5, 0.5], [0, 1]],), ((1,),)),
    ],
    "min": [
        Edge(([1.0, 1.0, 1.0, 2.0],), ([1 / 3, 1 / 3, 1 / 3, 0],), ((0,),)),
        Edge(([[1.0, 1.0], [0.0, 3.0]],), ([[0.5, 0.5], [1, 0]],), ((1,),)),
    ],
    "clip": [
        # at the bounds, beyond them, between them
        Edge(
            ([1.0, 2.0, 0.0, 3.0, 1.5], 1.0, 2.0),
            ([1, 1, 0, 0, 1], 1, 1),
        ),
        # bounds that cross: the result is the upper one
        Edge(([0.0, 1.0, 2.0, 3.0, 4.0], 3.0, 1.0), ([0, 0, 0, 0, 0], 0, 5)),
        # bounds that meet
        Edge(([0.0, 1.0, 2.0], 1.0, 1.0), ([0, 1, 0], 1, 1)),
    ],
    "where": [Edge(([True, False], [1.0, 1.0], [1.0, 1.0]), (None, [1, 0], [0, 1]))],
    "copysign": [Edge(([0.0, 2.0, -2.0], [-1.0, -0.0, 0.0]), ([0, -1, -1], None))],
    "cumulative_max": [Edge(([1.0, 1.0, 2.0, 0.0, 2.0],), ([2, 0, 3, 0, 0],), (0,))],
    "max_at": [
        Edge(
            ([1.0, 1.0, 2.0], [0, 0, 2], [1.0, 1.0, 1.0]),
            ([1 / 3, 1, 1], None, [1 / 3, 1 / 3, 0]),
            (0,),
        ),
    ],
    "min_at": [
        Edge(
            ([1.0, 1.0, 2.0], [0, 0, 2], [1.0, 1.0, 3.0]),
            ([1 / 3, 1, 1], None, [1 / 3, 1 / 3, 0]),
            (0,),
        ),
    ],
    "set_at": [Edge(([1.0, 2.0], [0, 0], [5.0, 6.0]), ([0, 1], None, [0, 1]), (0,))],
    # steps: the part that is linear keeps its slope
    "remainder": [Edge(([4.0, -4.0, 0.0], [2.0, 2.0, 2.0]), ([1, 1, 1], [-2, 2, 0]))],
    "fmod": [Edge(([4.0, -4.0, 0.0], [2.0, 2.0, 2.0]), ([1, 1, 1], [-2, 2, 0]))],
    # lengths at the origin: the smallest subgradient
    "hypot": [Edge(([0.0, 0.0, -3.0], [0.0, 4.0, 0.0]), ([0, 0, -1], [0, 1, 0]))],
    # singularities are not hidden
    "sqrt": [Edge((0.0,), (INF,)), Edge((INF,), (0,))],
    "log": [Edge((0.0,), (INF,)), Edge((INF,), (0,))],
    # powers of zero
    "pow": [Edge(([0.0, 0.0, 0.0], [2.0, 1.0, 3.5]), ([0, 1, 0], [0, 0, 0]))],
    "pow_int": [Edge(([0.0, 0.0, 0.0, 0.0], [0, 1, 2, 3]), ([0, 1, 0, 0], None))],
    "integer_pow": [Edge((0.0,), (1 if n == 1 else 0,), (n,)) for n in range(4)],
    # products with zeros
    "prod": [
        Edge(([0.0, 2.0, 3.0],), ([6, 0, 0],), ((0,),)),
        Edge(([0.0, 0.0, 3.0],), ([0, 0, 0],), ((0,),)),
    ],
    "cumulative_prod": [Edge(([2.0, 0.0, 3.0],), ([1, 8, 0],), (0,))],
    "multiply_at": [
        Edge(([2.0, 5.0], [0, 0], [0.0, 3.0]), ([0, 1], None, [6, 0]), (0,)),
    ],
    # infinite operands that tie share
    "logaddexp": [
        Edge(([INF, -INF, INF, 0.0], [INF, -INF, 0.0, -INF]), ([0.5, 0.5, 1, 1], [0.5, 0.5, 0, 0]))
    ],
    "logsumexp": [
        Edge(([INF, INF, 0.0],), ([0.5, 0.5, 0],), ((0,),)),
        Edge(([-INF, -INF],), ([0.5, 0.5],), ((0,),)),
    ],
}


def edge(prim: Prim, at: Edge) -> Finding:
    """Pull gives the convention's values, and push agrees with it entry by entry."""
    operands = tuple(np.asarray(x) for x in at.operands)
    case = Case(operands, at.params, 0)
    positions = [i for i, c in enumerate(at.cotangents) if c is not None]
    for i, c in enumerate(at.cotangents):
        if (c is None) != (prim.slots[i] is None):
            return f"operand {i} is expected to have {'no' if c is None else 'a'} slot"
    ones = np.ones_like(value(prim, operands, at.params))
    for i, found in zip(positions, pulled(prim, case, positions, ones), strict=True):
        expected = np.asarray(at.cotangents[i], np.float64)
        if not np.allclose(found, expected, rtol=1e-15, atol=0):
            return f"operand {i}: {found.tolist()}, by convention {expected.tolist()}"
        sums = [
            float(np.sum(pushed(prim, case, _only(case, i, e.reshape(expected.shape)))))
            for e in np.eye(expected.size)
        ]
        if not np.allclose(np.reshape(sums, expected.shape), expected, rtol=1e-15, atol=0):
            return f"operand {i}: push gives {sums}, by convention {expected.tolist()}"
    return None


def _only(case: Case, position: int, d: Any) -> list[Any]:  # Any: an array, or None
    return [d if i == position else None for i in range(len(case.operands))]
