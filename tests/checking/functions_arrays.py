"""Functions that arrange entries: data for test_functions.py."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

import taglessad as tad
from tests.checking.rule import NOTHING, Rule, axes, axis, offset, shape, small, some_axes


def _concat(*arguments: Any) -> Any:
    *xs, a = arguments
    return np.concatenate(xs, axis=a)


MANIPULATION: list[Rule] = [
    Rule("broadcast_to", "r", st.tuples(shape), tad.broadcast_to, np.broadcast_to, exact=False),
    Rule(
        "broadcast_arrays",
        "rr",
        NOTHING,
        lambda a, b: tad.broadcast_arrays(a, b)[0],
        lambda a, b: np.broadcast_arrays(a, b)[0],
    ),
    Rule("concat", "rr", st.tuples(axis), lambda a, b, i: tad.concat((a, b), axis=i), _concat),
    Rule(
        "concat of three",
        "rrr",
        st.tuples(axis),
        lambda a, b, c, i: tad.concat((a, b, c), axis=i),
        _concat,
    ),
    Rule(
        "concat, flat",
        "rr",
        NOTHING,
        lambda a, b: tad.concat((a, b), axis=None),
        lambda a, b: np.concatenate((a, b), axis=None),
    ),
    Rule(
        "stack",
        "rr",
        st.tuples(axis),
        lambda a, b, i: tad.stack((a, b), axis=i),
        lambda a, b, i: np.stack((a, b), axis=i),
    ),
    Rule(
        "unstack",
        "r",
        st.tuples(axis),
        lambda x, i: tad.unstack(x, axis=i)[0],
        lambda x, i: np.unstack(x, axis=i)[0],
        counts=True,
        empty=False,
    ),
    Rule(
        "expand_dims",
        "r",
        st.tuples(axis | axes),
        lambda x, i: tad.expand_dims(x, axis=i),
        lambda x, i: np.expand_dims(x, i),
    ),
    Rule("squeeze", "r", st.tuples(axis | axes), tad.squeeze, np.squeeze, ranks=(1, 4)),
    Rule(
        "flip",
        "r",
        st.tuples(some_axes),
        lambda x, i: tad.flip(x, axis=i),
        lambda x, i: np.flip(x, axis=i),
    ),
    Rule("moveaxis", "r", st.tuples(axis, axis), tad.moveaxis, np.moveaxis),
    Rule("swapaxes", "r", st.tuples(axis, axis), tad.swapaxes, np.swapaxes),
    Rule(
        "permute_dims",
        "r",
        st.tuples(st.permutations(range(3)) | axes),
        tad.permute_dims,
        np.transpose,
    ),
    Rule(
        "reshape",
        "r",
        st.tuples(shape | st.just((-1,)) | st.just((2, -1))),
        tad.reshape,
        np.reshape,
        exact=False,
    ),
    Rule(
        "roll",
        "r",
        st.tuples(st.integers(-3, 3), st.none() | axis),
        lambda x, n, i: tad.roll(x, n, axis=i),
        lambda x, n, i: np.roll(x, n, axis=i),
    ),
    Rule("tile", "r", st.tuples(st.lists(small, max_size=3).map(tuple)), tad.tile, np.tile),
    Rule(
        "repeat",
        "r",
        st.tuples(small, st.none() | axis),
        lambda x, n, i: tad.repeat(x, n, axis=i),
        lambda x, n, i: np.repeat(x, n, axis=i),
        ranks=(1, 4),
    ),
    Rule(
        "pad",
        "r",
        st.tuples(small, small),
        lambda x, a, b: tad.pad(x, (a, b)),
        lambda x, a, b: np.pad(x, (a, b)),
        ranks=(1, 4),
    ),
    Rule(
        "diff",
        "r",
        st.tuples(st.integers(1, 2), axis),
        lambda x, n, i: tad.diff(x, n, i),
        lambda x, n, i: np.diff(x, n, i),
        exact=False,
        ranks=(1, 4),
    ),
    Rule(
        "sort",
        "r",
        st.tuples(axis),
        lambda x, i: tad.sort(x, axis=i),
        lambda x, i: np.sort(x, axis=i),
    ),
    Rule(
        "argsort",
        "r",
        st.tuples(axis),
        lambda x, i: tad.argsort(x, axis=i),
        lambda x, i: np.argsort(x, axis=i),
        ranks=(1, 4),
    ),
    Rule("where", "brr", NOTHING, tad.where, np.where),
    Rule(
        "clip", "rr", NOTHING, lambda x, a: tad.clip(x, a, None), lambda x, a: np.clip(x, a, None)
    ),
    Rule(
        "tril",
        "r",
        st.tuples(offset),
        lambda x, k: tad.tril(x, k=k),
        lambda x, k: np.tril(x, k),
        ranks=(2, 4),
    ),
    Rule(
        "triu",
        "r",
        st.tuples(offset),
        lambda x, k: tad.triu(x, k=k),
        lambda x, k: np.triu(x, k),
        ranks=(2, 4),
    ),
    Rule(
        "full_like", "r", NOTHING, lambda x: tad.full_like(x, 2.0), lambda x: np.full_like(x, 2.0)
    ),
    Rule(
        "meshgrid",
        "rr",
        NOTHING,
        lambda a, b: tad.meshgrid(a, b)[0],
        lambda a, b: np.meshgrid(a, b)[0],
        ranks=(1, 1),
    ),
    Rule(
        "diag",
        "r",
        st.tuples(offset),
        lambda x, k: tad.diag(x, k=k),
        lambda x, k: np.diag(x, k),
        exact=False,
        ranks=(1, 2),
    ),
    Rule("searchsorted", "rr", NOTHING, tad.searchsorted, np.searchsorted),
    Rule(
        "top_k",
        "r",
        NOTHING,
        lambda x: tad.top_k(x, 1)[0],
        lambda x: np.sort(x)[..., :1],
        ranks=(1, 4),
        empty=False,
    ),
    Rule(
        "take",
        "ri",
        st.tuples(axis),
        lambda x, i, a: tad.take(x, i, axis=a),
        lambda x, i, a: np.take(x, i, axis=a),
        ranks=(1, 4),
        empty=False,
    ),
    Rule(
        "take_along_axis",
        "ri",
        st.tuples(axis),
        lambda x, i, a: tad.take_along_axis(x, i, axis=a),
        lambda x, i, a: np.take_along_axis(x, i, axis=a),
        empty=False,
    ),
    Rule("zeros", "r", NOTHING, lambda x: tad.zeros(x.shape), lambda x: np.zeros(x.shape)),
    Rule("ones", "r", NOTHING, lambda x: tad.ones(x.shape), lambda x: np.ones(x.shape)),
    Rule("full", "r", NOTHING, lambda x: tad.full(x.shape, 1.0), lambda x: np.full(x.shape, 1.0)),
    Rule(
        "eye",
        "r",
        NOTHING,
        lambda x: tad.eye(*x.shape),
        lambda x: np.eye(*x.shape),
        counts=True,
        ranks=(1, 2),
    ),
]
