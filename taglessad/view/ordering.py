"""The order of items within their layers, with few crossings of the edges between layers."""

from bisect import bisect_right, insort
from collections.abc import Sequence
from typing import Final

Pair = tuple[int, int]

_SWEEPS: Final = 16


def ordered(layers: Sequence[int], pairs: Sequence[Pair]) -> list[list[int]]:
    """The items of each layer from left to right; pairs join items of neighbouring layers.

    Barycentre sweeps, down and up in turn; the order with the fewest crossings is kept.
    """
    rows: list[list[int]] = [[] for _ in range(max(layers) + 1)]
    for i, layer in enumerate(layers):
        rows[layer].append(i)
    above: list[list[int]] = [[] for _ in layers]
    below: list[list[int]] = [[] for _ in layers]
    for a, b in pairs:
        above[b].append(a)
        below[a].append(b)
    best, fewest = [list(row) for row in rows], crossings(rows, below)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        downwards = sweep % 2 == 0
        neighbours = above if downwards else below
        order = range(1, len(rows)) if downwards else range(len(rows) - 2, -1, -1)
        place = _places(rows)
        for r in order:
            rows[r].sort(key=lambda i: _barycentre(i, neighbours[i], place))
            for k, i in enumerate(rows[r]):
                place[i] = k
        count = crossings(rows, below)
        if count < fewest:
            best, fewest = [list(row) for row in rows], count
    return best


def crossings(rows: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    """How many pairs of edges cross."""
    place = _places(rows)
    total = 0
    for row in rows:
        seen: list[int] = []
        for i in row:
            ends = sorted(place[b] for b in below[i])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _places(rows: Sequence[Sequence[int]]) -> dict[int, int]:
    return {i: k for row in rows for k, i in enumerate(row)}


def _barycentre(i: int, neighbours: Sequence[int], place: dict[int, int]) -> float:
    if not neighbours:
        return float(place[i])
    return sum(place[j] for j in neighbours) / len(neighbours)
