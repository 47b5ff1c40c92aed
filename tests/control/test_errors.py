"""Misuse of branches and loops: the class, what is named, what was expected."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors

X = np.ones(3)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: tad.cond(X, tad.sin, tad.cos, X), errors.ShapeError, ["cond", "pred", "[3]"]),
        (
            lambda: tad.cond(True, lambda x: x, lambda x: x[:2], X),
            errors.ShapeError,
            ["cond", "[3]", "[2]"],
        ),
        (
            lambda: tad.cond(True, lambda x: x, lambda x: x.astype(tad.float32), X),
            errors.DTypeError,
            ["cond", "float32", "float64"],
        ),
        (
            lambda: tad.cond(True, lambda x: (x, x), lambda x: x, X),
            errors.ArgumentError,
            ["cond", "then_fn", "else_fn"],
        ),
        (lambda: tad.cond(True, 1.0, tad.sin, X), errors.ArgumentError, ["cond", "function"]),
        (
            lambda: tad.switch(3, [tad.sin, tad.cos], X),
            errors.IndexOutOfRange,
            ["switch", "3", "2"],
        ),
        (lambda: tad.switch(0.5, [tad.sin], X), errors.DTypeError, ["switch", "float64"]),
        (lambda: tad.switch(0, [], X), errors.ArgumentError, ["switch", "branches"]),
        (
            lambda: tad.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, X), (0, 1.0)),
            errors.ShapeError,
            ["while_loop", "[1]", "[3]", "[]"],
        ),
        (
            lambda: tad.while_loop(lambda c: c < 2, lambda c: c + 0.5, np.asarray(0)),
            errors.DTypeError,
            ["while_loop", "float64", "int64"],
        ),
        (
            lambda: tad.while_loop(lambda c: c, lambda c: c - 1.0, 2.5),
            errors.DTypeError,
            ["while_loop", "cond", "float64", "truth value"],
        ),
        (
            lambda: tad.while_loop(lambda c: c < 2, lambda c: (c, c), 0),
            errors.ArgumentError,
            ["while_loop", "structure"],
        ),
        (
            lambda: tad.while_loop(lambda c: c < 2, lambda c: c, X),
            errors.ShapeError,
            ["while_loop", "cond", "[3]", "tad.all"],
        ),
        (lambda: tad.map(3, X), errors.ArgumentError, ["map", "function", "3"]),
        (lambda: tad.reduce(3, 0.0, X), errors.ArgumentError, ["reduce", "function"]),
        (lambda: tad.scan(3, 0.0, X), errors.ArgumentError, ["scan", "function"]),
        (lambda: tad.fori_loop(0, 2, 3, 0.0), errors.ArgumentError, ["fori_loop", "function"]),
        (lambda: tad.scan(lambda c, x: c, 0.0, X), errors.ArgumentError, ["scan", "pair"]),
        (lambda: tad.scan(lambda c, x: (c, x), 0.0), errors.ArgumentError, ["scan", "length"]),
        (
            lambda: tad.scan(lambda c, x: (c, None), 0.0, (X, X[:2])),
            errors.ShapeError,
            ["scan", "[2]", "3"],
        ),
        (lambda: tad.scan(lambda c, x: (c, x), 0.0, 1.0), errors.ShapeError, ["scan", "rank 0"]),
        *(
            (
                lambda n=n: tad.fori_loop(0, n, lambda i, c: {"a": c["a"][None]}, {"a": 1.0}),
                errors.ShapeError,
                ["fori_loop: the body gives .a shape [1]"],
            )
            for n in (3, np.asarray(3))
        ),
        *(
            (
                lambda n=n: tad.fori_loop(0, n, lambda i, c: (c, c), 1.0),
                errors.ArgumentError,
                ["fori_loop: body gives (*, *), but init is *"],
            )
            for n in (3, np.asarray(3))
        ),
        (
            lambda: tad.fori_loop(0.0, 3, lambda i, c: c, 1.0),
            errors.DTypeError,
            ["fori_loop", "lo", "float64"],
        ),
    ],
)
def test_error(call: Any, kind: type[Exception], words: list[str]) -> None:
    with pytest.raises(kind) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_index_not_seen_is_clamped() -> None:
    branches = [lambda x: x, lambda x: 2.0 * x]
    f = tad.jit(lambda i, x: tad.switch(i, branches, x))
    assert [float(f(np.asarray(i), 3.0)) for i in (-5, 0, 1, 7)] == [3.0, 3.0, 6.0, 6.0]


def test_a_body_may_not_look_at_values() -> None:
    with pytest.raises(errors.ConcretizationError):
        tad.while_loop(lambda c: c < 2, lambda c: c + 1.0 if c > 0 else c, 0.0)


def test_an_array_is_indexed_as_a_handle() -> None:
    table = np.asarray([1.0, 2.0, 4.0])
    with pytest.raises(errors.ConcretizationError, match=r"tad\.asarray\(array\)\[index\]"):
        tad.fori_loop(0, 3, lambda i, c: c + table[i], 0.0)
    assert float(tad.fori_loop(0, 3, lambda i, c: c + tad.asarray(table)[i], 0.0)) == 7.0


def test_an_error_while_a_loop_runs_names_the_users_line() -> None:
    f = lambda x: tad.fori_loop(0, 5, lambda i, c: c + x[i] ** 2, 0.0)
    for g in (f, tad.grad(f), tad.jit(f)):
        with pytest.raises(errors.IndexOutOfRange) as caught:
            g(tad.asarray(X))
        assert caught.value.site[0] == __file__
