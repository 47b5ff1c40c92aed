"""Where the items of a layered drawing stand in their rows, so that edges run straight."""

from collections.abc import Sequence
from typing import Final

Pair = tuple[int, int]

_ROUNDS: Final = 24
_STRAIGHTENINGS: Final = 6


def positions(
    rows: Sequence[Sequence[int]], pairs: Sequence[Pair], widths: Sequence[float], between: float
) -> list[float]:
    """x of every item: near its neighbours in other rows, `between` free on both sides of it.

    rows: the items of each layer from left to right; pairs join items of neighbouring layers.
    """
    return _Rows(rows, pairs, widths, between).solved()


class _Rows:
    def __init__(
        self,
        rows: Sequence[Sequence[int]],
        pairs: Sequence[Pair],
        widths: Sequence[float],
        between: float,
    ) -> None:
        self.rows = rows
        self.gaps = [
            [(widths[a] + widths[b]) / 2 + between for a, b in zip(row, row[1:], strict=False)]
            for row in rows
        ]
        self.above: list[list[int]] = [[] for _ in widths]
        self.below: list[list[int]] = [[] for _ in widths]
        for a, b in pairs:
            self.above[b].append(a)
            self.below[a].append(b)
        self.light = self._light()
        # What an item hangs on from above: the light ones only where there is nothing else.
        self.trunk = [[j for j in near if not self.light[j]] or near for near in self.above]
        self.xs = [0.0] * len(widths)
        self.where = {i: (r, k) for r, row in enumerate(rows) for k, i in enumerate(row)}

    def solved(self) -> list[float]:
        for r in range(len(self.rows)):
            self._place(r, [0.0] * len(self.rows[r]))
        for turn in range(_ROUNDS):
            down = turn % 2 == 0
            # First each row by the one before it, then by both its neighbours.
            both = turn >= _ROUNDS // 2
            for r in range(len(self.rows)) if down else range(len(self.rows) - 1, -1, -1):
                self._place(
                    r, [self._wanted(i, down or both, not down or both) for i in self.rows[r]]
                )
        chains = self._chains()
        for _ in range(_STRAIGHTENINGS):
            for chain in chains:
                self._straighten(chain)
        return self.xs

    def _light(self) -> list[bool]:
        """Whether an item is a source with one reader, or on the path from one to a junction.

        Such items stand beside what reads them and must not draw it out of its line.
        """
        light = [False] * len(self.above)
        for row in self.rows:
            for i in row:
                above = self.above[i]
                fed = len(above) <= 1 and all(light[j] for j in above)
                light[i] = fed and len(self.below[i]) == 1
        return light

    def _place(self, r: int, wanted: Sequence[float]) -> None:
        row = self.rows[r]
        weights = [0.02 if self.light[i] else 1.0 for i in row]
        for i, x in zip(row, spaced(wanted, weights, self.gaps[r]), strict=True):
            self.xs[i] = x

    def _wanted(self, i: int, by_above: bool, by_below: bool) -> float:
        near = (self.trunk[i] if by_above else []) + (self.below[i] if by_below else [])
        return sum(self.xs[j] for j in near) / len(near) if near else self.xs[i]

    def _chains(self) -> list[list[int]]:
        """Paths without branches, from the top: they are drawn as one straight line."""
        follows = {
            self.trunk[b][0]: b
            for b in range(len(self.xs))
            if len(self.trunk[b]) == 1 and len(self.below[self.trunk[b][0]]) == 1
        }
        inner = set(follows.values())
        chains: list[list[int]] = []
        for start in range(len(self.xs)):
            if start not in inner:
                chain = [start]
                while chain[-1] in follows:
                    chain.append(follows[chain[-1]])
                chains.append(chain)
        return sorted(chains, key=len, reverse=True)

    def _straighten(self, chain: Sequence[int]) -> None:
        """Move a chain to one x, between those beside it, towards what it hangs on."""
        ends = self.trunk[chain[0]] + self.below[chain[-1]]
        lowest, highest = float("-inf"), float("inf")
        for i in chain:
            left, right = self._room(i)
            lowest, highest = max(lowest, left), min(highest, right)
        if lowest > highest and len(chain) > 1:  # no line fits: two shorter ones may
            half = len(chain) // 2
            self._straighten(chain[:half])
            self._straighten(chain[half:])
        elif lowest <= highest:  # always so for one item, up to rounding
            wanted = sum(self.xs[j] for j in ends or chain) / len(ends or chain)
            x = min(max(wanted, lowest), highest)
            for i in chain:
                self.xs[i] = x

    def _room(self, i: int) -> tuple[float, float]:
        r, k = self.where[i]
        row, gap = self.rows[r], self.gaps[r]
        left = self.xs[row[k - 1]] + gap[k - 1] if k > 0 else float("-inf")
        right = self.xs[row[k + 1]] - gap[k] if k + 1 < len(row) else float("inf")
        return left, right


def spaced(wanted: Sequence[float], weights: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """x that minimises the sum of weights * (x - wanted)**2 where x[i+1] - x[i] >= gaps[i].

    Isotonic regression by pooling adjacent violators (Barlow et al. 1972), after the gaps are
    taken off.
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for x, weight, offset in zip(wanted, weights, offsets, strict=False):
        mean, count = x - offset, 1
        while pools and pools[-1][0] > mean:
            left, mass, size = pools.pop()
            mean = (left * mass + mean * weight) / (mass + weight)
            weight, count = mass + weight, size + count
        pools.append((mean, weight, count))
    levels = [mean for mean, _, count in pools for _ in range(count)]
    return [level + offset for level, offset in zip(levels, offsets, strict=False)]
