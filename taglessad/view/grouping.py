"""Which operations share a box when a graph is too long to draw one by one."""

from itertools import groupby
from typing import Final

from taglessad.graph import Graph

LIMIT: Final = 120
"""Boxes of operations up to which a picture can be read."""

_FEWEST: Final = 10


def segments(graph: Graph, limit: int = LIMIT) -> list[list[int]]:
    """The operations in order, cut into stretches that are drawn as one box each.

    Up to `limit` operations every one has its own. Past it, neighbours from one line of the
    program go together, where that leaves a readable number; else the first and the last
    stand alone and all between them are one box. A stretch is contiguous in an order in which
    operands come first, so boxes never depend on each other in a circle.
    """
    n = len(graph)
    if n <= limit:
        return [[i] for i in range(n)]
    runs = [list(run) for _, run in groupby(range(n), key=lambda i: graph.node(i).site)]
    if _FEWEST <= len(runs) <= limit:
        return runs
    end = max(1, limit // 4)
    return (
        [[i] for i in range(end)] + [list(range(end, n - end))] + [[i] for i in range(n - end, n)]
    )
