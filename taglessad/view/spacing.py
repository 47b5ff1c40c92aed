"""Positions on a line: as near to wanted ones as distances allow."""

from collections.abc import Sequence


def spaced(
    wanted: Sequence[float], weights: Sequence[float], gaps: Sequence[float]
) -> list[float]:
    """x that minimises the sum of weights * (x - wanted)**2 where x[i+1] - x[i] >= gaps[i].

    Isotonic regression by pooling adjacent violators (Barlow et al. 1972), after the gaps are
    taken off.
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for x, weight, offset in zip(wanted, weights, offsets, strict=False):
        mean, total, count = x - offset, weight, 1
        while pools and pools[-1][0] > mean:
            left, left_weight, left_count = pools.pop()
            mean = (left * left_weight + mean * total) / (left_weight + total)
            total, count = left_weight + total, left_count + count
        pools.append((mean, total, count))
    levels = [mean for mean, _, count in pools for _ in range(count)]
    return [level + offset for level, offset in zip(levels, offsets, strict=False)]
