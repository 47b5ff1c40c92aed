"""Contraction of two arrays through one matrix product."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # Any: the dtype is data


def contract(a: Array, b: Array, spec: str) -> Array:
    """The contraction that `spec` ("ij,jk->ik") names; see rules/contraction.py."""
    return plan(spec)(a, b)


@lru_cache(maxsize=1024)
def plan(spec: str) -> Callable[[Array, Array], Array]:
    """How to contract under a specification: a bare product where possible, else matmul."""
    operands, out = spec.split("->")
    left, right = operands.split(",")
    batch = [c for c in left if c in right and c in out]
    summed = [c for c in left if c in right and c not in out]
    rows = [c for c in left if c not in right]
    columns = [c for c in right if c not in left]
    if not summed:
        return _product(left, right, out)
    lead, m, k, n = len(batch), len(rows), len(summed), len(columns)
    plain = _plain_matmul(left, right, out, batch, rows, summed, columns)
    if plain is not None:
        return plain
    a_order = tuple(left.index(c) for c in (*batch, *rows, *summed))
    b_order = tuple(right.index(c) for c in (*batch, *summed, *columns))
    made = (*batch, *rows, *columns)
    out_order = tuple(made.index(c) for c in out)

    def general(a: Array, b: Array) -> Array:
        a, b = a.transpose(a_order), b.transpose(b_order)
        sizes = a.shape[:lead]
        inner = int(np.prod(b.shape[lead : lead + k]))
        wide = a.reshape(*sizes, int(np.prod(a.shape[lead : lead + m])), inner)
        tall = b.reshape(*sizes, inner, int(np.prod(b.shape[lead + k :])))
        y = np.matmul(wide, tall)
        whole = y.reshape((*sizes, *a.shape[lead : lead + m], *b.shape[lead + k : lead + k + n]))
        result: Array = whole.transpose(out_order)
        return result

    return general


def _product(left: str, right: str, out: str) -> Callable[[Array, Array], Array]:
    """No letter is summed: a broadcast product."""
    if left == right == out:
        return np.multiply

    def align(x: Array, letters: str) -> Array:
        order = tuple(letters.index(c) for c in out if c in letters)
        ones = tuple(slice(None) if c in letters else None for c in out)
        return np.asarray(x).transpose(order)[ones]

    def product(a: Array, b: Array) -> Array:
        return np.multiply(align(a, left), align(b, right))

    return product


def _plain_matmul(
    left: str,
    right: str,
    out: str,
    batch: list[str],
    rows: list[str],
    summed: list[str],
    columns: list[str],
) -> Callable[[Array, Array], Array] | None:
    """matmul or dot as they are, transposing the last two axes at most."""
    if len(summed) != 1 or len(rows) > 1 or len(columns) > 1:
        return None
    lead = "".join(batch)
    r, k, c = "".join(rows), summed[0], "".join(columns)
    if not (left.startswith(lead) and right.startswith(lead) and out.startswith(lead)):
        return None
    if not batch and not (rows and columns):
        return _with_vector(left, right, r, k, c)
    if not (rows and columns):
        return None
    a_swapped = left == lead + k + r
    b_swapped = right == lead + c + k
    if out == lead + r + c:
        return _matmul(a_swapped, b_swapped)
    # The transpose of a product is the product of the transposes, the other way round.
    swapped = _matmul(not b_swapped, not a_swapped)
    return lambda a, b: swapped(b, a)


def _matmul(a_swapped: bool, b_swapped: bool) -> Callable[[Array, Array], Array]:
    if not a_swapped and not b_swapped:
        return np.matmul
    if a_swapped and b_swapped:
        return lambda a, b: np.matmul(a.swapaxes(-1, -2), b.swapaxes(-1, -2))
    if a_swapped:
        return lambda a, b: np.matmul(a.swapaxes(-1, -2), b)
    return lambda a, b: np.matmul(a, b.swapaxes(-1, -2))


def _with_vector(left: str, right: str, r: str, k: str, c: str) -> Callable[[Array, Array], Array]:
    if not r and not c:
        return np.dot
    if r:
        return np.matmul if left == r + k else lambda a, b: np.matmul(b, a)
    return np.matmul if right == k + c else lambda a, b: np.matmul(b, a)
