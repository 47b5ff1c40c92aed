"""Colourings of sparsity patterns: columns that may share one directional derivative.

Gebremedhin, Manne and Pothen 2005, What color is your Jacobian?, SIAM Review 47(4).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Colors = NDArray[np.int64]
Pattern = Any  # a scipy.sparse CSR array, which has no static type


def _neighbours(pattern: Pattern) -> list[list[int]]:
    """For each row the columns in it."""
    indptr, indices = pattern.indptr.tolist(), pattern.indices.tolist()
    return [indices[a:b] for a, b in zip(indptr, indptr[1:], strict=False)]


def _order(sizes: Sequence[int]) -> list[int]:
    """Largest first."""
    return sorted(range(len(sizes)), key=lambda i: -sizes[i])


def color_columns(pattern: Pattern) -> Colors:
    """Colours of the columns, no two of one colour in one row: greedy, the largest first.

    (Algorithm 3.1 there: partial distance-2 colouring.)
    """
    rows = _neighbours(pattern.tocsr())
    columns = _neighbours(pattern.T.tocsr())
    colors = [-1] * len(columns)
    for j in _order([len(c) for c in columns]):
        taken = {colors[k] for i in columns[j] for k in rows[i]}
        color = 0
        while color in taken:
            color += 1
        colors[j] = color
    return np.asarray(colors, np.int64)


def color_symmetric(pattern: Pattern) -> Colors:
    """A star colouring of a symmetric pattern: every path on four vertices has three colours.

    (Algorithm 4.1 there.) Each entry (i, j) can then be read off the compressed products at one of
    its two places.
    """
    rows = _neighbours(pattern.tocsr())
    around = [[k for k in row if k != i] for i, row in enumerate(rows)]
    colors = [-1] * len(around)
    for v in _order([len(a) for a in around]):
        taken: set[int] = set()
        for w in around[v]:
            if colors[w] >= 0:
                taken.add(colors[w])
            for x in around[w]:
                if x == v or colors[x] < 0:
                    continue
                if colors[w] < 0 or any(y != w and colors[y] == colors[w] for y in around[x]):
                    taken.add(colors[x])
        color = 0
        while color in taken:
            color += 1
        colors[v] = color
    return np.asarray(colors, np.int64)


def seeds(colors: Colors, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """One array of the shape for each colour: ones at its entries."""
    n = int(colors.max(initial=-1)) + 1
    rows = np.zeros((n, colors.size), dtype)
    rows[colors, np.arange(colors.size)] = 1
    return rows.reshape(n, *shape)
