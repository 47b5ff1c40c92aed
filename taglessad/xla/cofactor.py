"""Cofactors and their derivatives on XLA, as taglessad.kernels.matrices has them on NumPy."""

from itertools import permutations
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax


def cofactor(xs: tuple[Any, ...]) -> Any:  # Any: arrays and tracers, in dtypes that are data
    """The matrix of cofactors of xs[0]; or its derivative along each further matrix of xs."""
    m, n = len(xs), xs[0].shape[-1]
    if m > n or xs[0].size == 0:
        return jnp.zeros_like(xs[0])
    kept = xs[0].dtype
    if kept.itemsize == 2:  # LAPACK has none
        xs = tuple(x.astype(jnp.float32) for x in xs)
    u, s, vh = lax.linalg.svd(xs[0], full_matrices=False)
    sign = jnp.rint(jnp.linalg.det(u) * jnp.linalg.det(vh))[..., None, None]
    directions = [u.mT @ x @ vh.mT for x in xs[1:]]
    inner = _of_diagonal(_other_products(s, m), directions)
    return (sign * (u @ inner @ vh)).astype(kept)


def _other_products(s: Any, m: int) -> Any:
    """At (i1, ..., im) the product of all s but those; 0 where two of the indices are equal."""
    n = s.shape[-1]
    places: Any = np.indices((n,) * m)  # Any: what runs over it is an array
    taken = np.zeros((*(n,) * m, n), np.bool_)
    for place in places:
        taken |= place[..., None] == np.arange(n)
    spread = s.reshape(*s.shape[:-1], *(1,) * m, n)
    products = jnp.prod(jnp.where(taken, jnp.ones_like(spread), spread), axis=-1)
    return jnp.where(taken.sum(axis=-1) == m, products, jnp.zeros_like(products))


def _of_diagonal(others: Any, directions: list[Any]) -> Any:
    """By Leibniz' formula, where the last of the chosen rows is that of the cofactor."""
    m, n = len(directions) + 1, others.shape[-1]
    letters = "abcdefghijklmnopqrstuvwxyz"[:m]
    last = m - 1
    result = jnp.zeros((*others.shape[: others.ndim - m], n, n), others.dtype)
    for p in permutations(range(m)):
        odd = sum(p[a] > p[b] for b in range(m) for a in range(b)) % 2
        terms = [f"...{letters[a]}{letters[p[a]]}" for a in range(last)]
        out = letters[last] if p[last] == last else letters[last] + letters[p[last]]
        spec = ",".join([f"...{letters}", *terms])
        found = jnp.einsum(f"{spec}->...{out}", others, *directions)
        if p[last] == last:
            found = found[..., None] * jnp.eye(n, dtype=others.dtype)
        result = result - found if odd else result + found
    return result
