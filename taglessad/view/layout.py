"""A layered drawing of a directed acyclic graph: where boxes stand, along which points edges run.

After Sugiyama, Tagawa and Toda (1981): layers by longest path, long edges through points of their
own in the layers between, order within a layer by barycentres, then positions by least squares.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from taglessad.view.ordering import ordered
from taglessad.view.spacing import positions

Size = tuple[float, float]
Point = tuple[float, float]
Pair = tuple[int, int]

BETWEEN: Final = 26.0
"""Horizontal distance of neighbours in a layer."""

LAYERS: Final = 34.0
"""Vertical distance of layers."""

_LANE: Final = 10.0


class Placed(NamedTuple):
    """Centres of the boxes; for each edge its points from source to target, two for each layer."""

    centres: list[Point]
    routes: list[list[Point]]
    width: float
    height: float


class Layered(NamedTuple):
    """Boxes and the points of long edges together: one item each, all edges between neighbours.

    chains: for each edge the items that it runs through, its ends included.
    """

    layers: list[int]
    sizes: list[Size]
    chains: list[list[int]]

    def pairs(self) -> list[Pair]:
        """All the short edges."""
        return [pair for chain in self.chains for pair in zip(chain, chain[1:], strict=False)]


def layered(sizes: Sequence[Size], edges: Sequence[Pair]) -> Placed:
    """Lay out boxes of given widths and heights, the sources of edges above their targets.

    Edges are pairs of positions in `sizes`; several between the same two boxes are allowed.
    """
    if not sizes:
        return Placed([], [], 0.0, 0.0)
    plan = _with_lanes(sizes, edges, _layers(len(sizes), edges))
    rows = ordered(plan.layers, plan.pairs())
    widths = [width for width, _ in plan.sizes]
    xs = positions(rows, plan.pairs(), widths, BETWEEN)
    tops, bottoms = _down(plan, rows)
    left = min(x - w / 2 for x, (w, _) in zip(xs, plan.sizes, strict=True))
    xs = [x - left for x in xs]
    width = max(x + w / 2 for x, (w, _) in zip(xs, plan.sizes, strict=True))
    middles = [(tops[layer] + bottoms[layer]) / 2 for layer in plan.layers]
    centres = list(zip(xs, middles, strict=True))
    routes = _routes(plan, centres, tops, bottoms, len(sizes))
    return Placed(centres[: len(sizes)], routes, width, bottoms[-1])


def _layers(n: int, edges: Sequence[Pair]) -> list[int]:
    """Longest path from the sources; then what has room moves down towards its readers."""
    above: list[list[int]] = [[] for _ in range(n)]
    below: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        above[b].append(a)
        below[a].append(b)
    waiting = [len(a) for a in above]
    order = [i for i in range(n) if not waiting[i]]
    layers = [0] * n
    for i in order:  # grows while it is read
        for b in below[i]:
            layers[b] = max(layers[b], layers[i] + 1)
            waiting[b] -= 1
            if not waiting[b]:
                order.append(b)
    for i in reversed(order):
        if below[i] and len(above[i]) <= len(below[i]):
            layers[i] = min(layers[b] for b in below[i]) - 1
    return layers


def _with_lanes(sizes: Sequence[Size], edges: Sequence[Pair], layers: list[int]) -> Layered:
    all_sizes, all_layers, chains = list(sizes), list(layers), list[list[int]]()
    for a, b in edges:
        chain = [a]
        for layer in range(layers[a] + 1, layers[b]):
            chain.append(len(all_sizes))
            all_sizes.append((_LANE, 0.0))
            all_layers.append(layer)
        chains.append([*chain, b])
    return Layered(all_layers, all_sizes, chains)


def _down(plan: Layered, rows: list[list[int]]) -> tuple[list[float], list[float]]:
    """Top and bottom of every layer."""
    tops, bottoms, y = list[float](), list[float](), 0.0
    for row in rows:
        height = max(plan.sizes[i][1] for i in row)
        tops.append(y)
        bottoms.append(y + height)
        y += height + LAYERS
    return tops, bottoms


def _routes(
    plan: Layered, centres: list[Point], tops: list[float], bottoms: list[float], boxes: int
) -> list[list[Point]]:
    leaving: list[list[tuple[float, int]]] = [[] for _ in range(boxes)]
    entering: list[list[tuple[float, int]]] = [[] for _ in range(boxes)]
    for e, chain in enumerate(plan.chains):
        leaving[chain[0]].append((centres[chain[1]][0], e))
        entering[chain[-1]].append((centres[chain[-2]][0], e))
    starts = _ports(leaving, plan, centres)
    ends = _ports(entering, plan, centres)
    routes: list[list[Point]] = []
    for e, chain in enumerate(plan.chains):
        a, b = chain[0], chain[-1]
        points = [(starts[e], centres[a][1] + plan.sizes[a][1] / 2)]
        for i in chain[1:-1]:
            x, layer = centres[i][0], plan.layers[i]
            points += [(x, tops[layer]), (x, bottoms[layer])]
        points.append((ends[e], centres[b][1] - plan.sizes[b][1] / 2))
        routes.append(points)
    return routes


def _ports(
    sides: list[list[tuple[float, int]]], plan: Layered, centres: list[Point]
) -> dict[int, float]:
    """Where edges meet a side of their box: side by side, in the order of their other ends."""
    ports: dict[int, float] = {}
    for i, side in enumerate(sides):
        step = min(18.0, 0.7 * plan.sizes[i][0] / max(1, len(side)))
        for k, (_, e) in enumerate(sorted(side)):
            ports[e] = centres[i][0] + step * (k - (len(side) - 1) / 2)
    return ports
