"""Indexing: data for test_functions.py."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.checking.rule import NOTHING, Rule

INDICES: list[tuple[str, Callable[[Any], Any]]] = [
    ("x[0]", lambda x: x[0]),
    ("x[-1]", lambda x: x[-1]),
    ("x[0, 0]", lambda x: x[0, 0]),
    ("x[0, 0, 0]", lambda x: x[0, 0, 0]),
    ("x[2]", lambda x: x[2]),
    ("x[:, None]", lambda x: x[:, None]),
    ("x[..., 0]", lambda x: x[..., 0]),
    ("x[None, ..., None]", lambda x: x[None, ..., None]),
    ("x[1:]", lambda x: x[1:]),
    ("x[:-1]", lambda x: x[:-1]),
    ("x[::2]", lambda x: x[::2]),
    ("x[::-1]", lambda x: x[::-1]),
    ("x[1:, ..., :1]", lambda x: x[1:, ..., :1]),
    ("x[..., ::-2]", lambda x: x[..., ::-2]),
    ("x[:, 0, :]", lambda x: x[:, 0, :]),
    ("x[0:0]", lambda x: x[0:0]),
]

INDEXING = [
    Rule(text, "r", NOTHING, read, read, exact=False, empty=False) for text, read in INDICES
] + [
    Rule("x[i]", "ri", NOTHING, lambda x, i: x[i], lambda x, i: x[i], empty=False),
    Rule("x[:, i]", "ri", NOTHING, lambda x, i: x[:, i], lambda x, i: x[:, i], empty=False),
    Rule("x[i, j]", "rii", NOTHING, lambda x, i, j: x[i, j], lambda x, i, j: x[i, j], empty=False),
    Rule(
        "x[i, :, j]",
        "rii",
        NOTHING,
        lambda x, i, j: x[i, :, j],
        lambda x, i, j: x[i, :, j],
        empty=False,
    ),
    Rule(
        "x[..., i, 0]",
        "ri",
        NOTHING,
        lambda x, i: x[..., i, 0],
        lambda x, i: x[..., i, 0],
        empty=False,
    ),
    Rule(
        "x.at[0].set",
        "rr",
        NOTHING,
        lambda x, y: x.at[0].set(y),
        lambda x, y: _updated(x, y, 0),
        empty=False,
    ),
    Rule(
        "x.at[i].add",
        "rir",
        NOTHING,
        lambda x, i, y: x.at[i].add(y),
        lambda x, i, y: _updated(x, y, i),
        empty=False,
    ),
]


def _updated(x: Any, y: Any, index: Any) -> Any:
    new = x.copy()
    new[index] = np.broadcast_to(y, x[index].shape)
    return new
