"""Linear algebra and einsum: data for test_functions.py."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import taglessad as tad
from tests.checking.rule import NOTHING, Rule, axes, axis, flag, offset, small


def _first(f: Callable[..., Any]) -> Callable[..., Any]:
    """The first of several results."""
    return lambda *xs: f(*xs)[0]


def _decomposition(name: str, pick: Callable[..., Any] = lambda f: f, kinds: str = "r") -> Rule:
    ours, numpys = getattr(tad.linalg, name), getattr(np.linalg, name)
    return Rule(name, kinds, NOTHING, pick(ours), pick(numpys), ranks=(1, 4), empty=False)


def _matrix_functions() -> list[Rule]:
    one = "cholesky cond det eigvalsh inv pinv svdvals".split()
    rank = Rule(
        "matrix_rank",
        "r",
        NOTHING,
        tad.linalg.matrix_rank,
        np.linalg.matrix_rank,
        ranks=(2, 4),  # to NumPy a vector has a rank as well
        empty=False,
    )
    return [
        rank,
        *[_decomposition(name) for name in one],
        *[_decomposition(name, _first) for name in ("eigh", "qr", "slogdet", "svd")],
        _decomposition("solve", kinds="rr"),
    ]


LINEAR_ALGEBRA: list[Rule] = [
    *_matrix_functions(),
    Rule(
        "vecdot",
        "rr",
        st.tuples(axis),
        lambda a, b, i: tad.vecdot(a, b, axis=i),
        lambda a, b, i: _vecdot(a, b, i),
    ),
    Rule(
        "tensordot",
        "rr",
        st.tuples(st.integers(0, 3)),
        lambda a, b, n: tad.tensordot(a, b, axes=n),
        lambda a, b, n: np.tensordot(a, b, axes=n),
    ),
    Rule(
        "tensordot of axes",
        "rr",
        st.tuples(axes, axes),
        lambda a, b, i, j: tad.tensordot(a, b, axes=(i, j)),
        lambda a, b, i, j: np.tensordot(a, b, axes=(i, j)),
    ),
    Rule("outer", "rr", NOTHING, tad.linalg.outer, np.linalg.outer, ranks=(1, 1)),
    Rule(
        "cross",
        "rr",
        st.tuples(axis),
        lambda a, b, i: tad.linalg.cross(a, b, axis=i),
        lambda a, b, i: np.linalg.cross(a, b, axis=i),
        exact=False,
        ranks=(1, 3),
    ),
    Rule(
        "diagonal",
        "r",
        st.tuples(offset),
        lambda x, k: tad.linalg.diagonal(x, offset=k),
        lambda x, k: np.linalg.diagonal(x, offset=k),
        exact=False,
    ),
    Rule(
        "trace",
        "r",
        st.tuples(offset),
        lambda x, k: tad.linalg.trace(x, offset=k),
        lambda x, k: np.linalg.trace(x, offset=k),
        exact=False,
    ),
    Rule("matrix_power", "r", st.tuples(small), tad.linalg.matrix_power, np.linalg.matrix_power),
    Rule(
        "vector_norm",
        "r",
        st.tuples(st.none() | axis, flag),
        lambda x, i, k: tad.linalg.vector_norm(x, axis=i, keepdims=k),
        lambda x, i, k: np.linalg.vector_norm(x, axis=i, keepdims=k),
    ),
    Rule(
        "matrix_norm",
        "r",
        st.tuples(flag),
        lambda x, k: tad.linalg.matrix_norm(x, keepdims=k),
        lambda x, k: np.linalg.matrix_norm(x, keepdims=k),
        ranks=(2, 4),
    ),
]


def _vecdot(a: Any, b: Any, i: int) -> Any:
    n = min(a.ndim, b.ndim)
    if not -n <= i < 0 and (a.ndim != b.ndim or not 0 <= i < n):
        # The standard counts the axis in each operand by itself.
        a.sum(axis=i), b.sum(axis=i)
        return _vecdot(np.moveaxis(a, i, -1), np.moveaxis(b, i, -1), -1)
    return np.linalg.vecdot(a, b, axis=i)


def _einsum(spec: str) -> Rule:
    return Rule(
        f"einsum {spec}",
        "r" * (spec.count(",") + 1),
        NOTHING,
        lambda *xs: tad.einsum(spec, *xs),
        lambda *xs: _numpys_einsum(spec, *xs),
        ranks=(1, 3),
    )


def _numpys_einsum(spec: str, *xs: Any) -> Any:
    if spec.startswith("ii") and xs[0].ndim == 2 and xs[0].shape[0] != xs[0].shape[1]:
        raise ValueError("NumPy takes a diagonal where one of the sizes is 1")
    return np.einsum(spec, *xs)


EINSUM = [
    _einsum(spec)
    for spec in (
        "ij->ji",
        "ii->i",
        "ii",
        "ij->",
        "i,i->",
        "i,j->ij",
        "ij,jk->ik",
        "ij,jk,kl->il",
        "bij,bjk->bik",
        "...i,...i->...",
        "i...->...i",
        "ij,ij->ij",
        "ij,kj",
        "...ij,jk->...ik",
    )
]
