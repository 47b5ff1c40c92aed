"""linearize: evaluated once, pushed many times."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError, ShapeError

X = np.array([0.5, -1.2])


def f(x: Any) -> Any:
    return tad.sin(x) * x


SLOPE = np.cos(X) * X + np.sin(X)


def test_value_and_pushforward() -> None:
    y, push = tad.linearize(f, X)
    np.testing.assert_allclose(y, np.sin(X) * X, rtol=1e-15)
    for v in (np.array([1.0, 0.0]), np.array([-2.0, 3.0]), np.zeros(2)):
        np.testing.assert_allclose(push(v), SLOPE * v, rtol=1e-15)
        np.testing.assert_allclose(push(v), tad.jvp(f)(X, v), rtol=1e-15)


def test_the_program_runs_once() -> None:
    calls = []

    def counted(x: Any) -> Any:
        calls.append(1)
        return f(x)

    _, push = tad.linearize(counted, X)
    push(X), push(X)
    assert calls == [1]


def test_aux_comes_third() -> None:
    y, push, aux = tad.linearize(lambda x: (f(x), {"n": 3, "x": 2.0 * x}), X, has_aux=True)
    np.testing.assert_allclose(y, np.sin(X) * X, rtol=1e-15)
    np.testing.assert_allclose(push(np.ones(2)), SLOPE, rtol=1e-15)
    assert aux["n"] == 3
    np.testing.assert_array_equal(aux["x"], 2.0 * X)


def test_several_primals_take_several_tangents() -> None:
    y, push = tad.linearize(lambda a, b: {"p": a * b, "c": tad.ones(2)}, 2.0, np.float32(3.0))
    assert float(y["p"]) == 6.0
    pushed = push(1.0, 10.0)
    assert float(pushed["p"]) == 23.0 and pushed["p"].dtype == np.float32
    np.testing.assert_array_equal(pushed["c"], [0.0, 0.0])
    with pytest.raises(ArgumentError, match="2 tangents, one per primal, but got 1"):
        push(1.0)


def test_trees_as_primals() -> None:
    point = {"w": np.array([1.0, 2.0]), "b": (3.0, None)}
    y, push = tad.linearize(lambda p: tad.sum(p["w"]) * p["b"][0], point)
    assert float(y) == 9.0
    assert float(push({"b": (1.0, None), "w": np.array([1.0, 1.0])})) == 3.0 + 6.0
    with pytest.raises(ArgumentError, match="linearize: the tangent"):
        push((np.array([1.0, 1.0]), 1.0))


def test_tangents_are_checked() -> None:
    _, push = tad.linearize(f, X)
    with pytest.raises(ShapeError, match=r"linearize: the tangent has shape \[3\], .* \[2\]"):
        push(np.ones(3))
    with pytest.raises(DTypeError, match="linearize: the tangent has dtype float32"):
        push(np.ones(2, np.float32))
    with pytest.raises(ArgumentError, match="give the point"):
        tad.linearize(f)
    with pytest.raises(DTypeError, match="linearize: argument 0"):
        tad.linearize(f, np.array([1, 2]))
    with pytest.raises(DTypeError, match="linearize: f returned dtype int64"):
        tad.linearize(lambda x: tad.argmax(x), X)


def test_residuals_keep_the_values_they_had() -> None:
    x = X.copy()
    y, push = tad.linearize(lambda x: x * x, x)
    x[:] = 100.0
    np.testing.assert_array_equal(y, X * X)
    np.testing.assert_array_equal(push(np.ones(2)), 2.0 * X)


def test_the_pushforward_is_a_program() -> None:
    _, push = tad.linearize(f, X)
    np.testing.assert_allclose(tad.vmap(push)(np.eye(2)), np.diag(SLOPE), rtol=1e-15)
    # it is linear: its gradient is its transpose, at any point
    np.testing.assert_allclose(tad.grad(lambda v: tad.sum(push(v)))(X), SLOPE, rtol=1e-15)
    np.testing.assert_allclose(tad.jit(push)(np.ones(2)), SLOPE, rtol=1e-15)


def test_linearize_inside_other_transforms() -> None:
    def slope(x: Any) -> Any:
        return tad.linearize(lambda t: t**3, x)[1](1.0)

    assert float(tad.grad(slope)(2.0)) == 12.0
    assert float(tad.jit(slope)(2.0)) == 12.0
    np.testing.assert_array_equal(tad.vmap(slope)(np.array([1.0, 2.0])), [3.0, 12.0])
