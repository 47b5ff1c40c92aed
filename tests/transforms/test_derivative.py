"""derivative: directional derivatives of any order, from a list of directions."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError, ShapeError

E0, E1, ORIGIN = np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.zeros(2)


@pytest.mark.parametrize(
    ("directions", "expected"), [([E0, E1], [0.0, 0.0]), ([E0, E0, E0], [-2.0, 0.0])]
)
def test_torchlean_tanh_at_zero(directions: Any, expected: list[float]) -> None:
    np.testing.assert_array_equal(tad.derivative(tad.tanh)(ORIGIN, directions), expected)


def field(x: Any, w: Any, b: Any) -> Any:
    """TorchLean's (2x + 3y + 1)**3: w = (2, 3), b = 1."""
    return (tad.sum(w * x) + b) ** 3


W, B, POINT = np.array([2.0, 3.0]), 1.0, np.array([1.0, 2.0])  # the base is 9


@pytest.mark.parametrize(
    ("directions", "expected"),
    [
        ([], 729.0),
        ([E0], 486.0),
        ([E0, E1], 324.0),
        ([E1, E0], 324.0),
        ([E0, E0, E1], 72.0),
        ([E0, E1, E0, E1], 0.0),
        ([np.array([2.0, -1.0])] * 2, 54.0),
    ],
)
def test_torchlean_cubic_field(directions: Any, expected: float) -> None:
    for call in (tad.derivative(field), tad.jit(tad.derivative(field))):
        got = call(POINT, W, B, directions)
        assert got.shape == () and float(got) == expected
    assert float(tad.derivative(field)(POINT, W, B, tuple(directions))) == expected


@pytest.mark.parametrize(
    ("directions", "gw", "gb", "gx"),
    [
        ([E0, E1], [198.0, 180.0], 36.0, [72.0, 108.0]),
        ([E0, E0, E1], [72.0, 24.0], 0.0, [0.0, 0.0]),
    ],
)
def test_torchlean_pullback_through_the_derivative(
    directions: Any, gw: list[float], gb: float, gx: list[float]
) -> None:
    # derivativeVjp: parameters and point of u -> D^k u [directions], cotangent 1
    inner = lambda x, w, b: tad.derivative(field)(x, w, b, directions)
    dx, dw, db = tad.vjp(inner, argnums=(0, 1, 2))(POINT, W, B, 1.0)
    np.testing.assert_array_equal(dw, gw)
    assert float(db) == gb
    np.testing.assert_array_equal(dx, gx)


def test_torchlean_mixed_derivative_of_another_state() -> None:
    # all parameters 2: (2x + 2y + 2)**3 at (1, 2), base 8: 6 * 8 * 2 * 2 = 192
    got = tad.derivative(field)(POINT, np.full(2, 2.0), 2.0, [E0, E1])
    assert float(got) == 192.0


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_order_is_the_number_of_directions(order: int) -> None:
    x = np.array([0.3, -0.7])
    cycle = [np.sin(x), np.cos(x), -np.sin(x), -np.cos(x)]
    got = tad.derivative(tad.sin)(x, [np.ones(2)] * order)
    np.testing.assert_allclose(got, cycle[order % 4], rtol=1e-14)


def test_no_direction_gives_the_value_as_a_handle() -> None:
    got = tad.derivative(lambda x: {"y": x * 2.0, "c": 1.0})(np.array([1.0, 2.0]), [])
    assert isinstance(got["y"], tad.Tensor) and isinstance(got["c"], tad.Tensor)
    np.testing.assert_array_equal(got["y"], [2.0, 4.0])
    assert isinstance(tad.derivative(lambda x: x)(2, []), tad.Tensor)


def test_it_is_linear_and_symmetric_in_its_directions() -> None:
    f = lambda x: tad.exp(x[0] * x[1]) + x[0] ** 3
    x, (u, v) = np.array([0.4, 0.9]), np.random.default_rng(5).normal(size=(2, 2))
    d = tad.derivative(f)
    h = np.asarray(tad.hessian(f)(x))
    assert float(d(x, [u, v])) == pytest.approx(float(d(x, [v, u])), rel=1e-14)
    assert float(d(x, [u, v])) == pytest.approx(u @ h @ v, rel=1e-14)
    assert float(d(x, [2.0 * u, v])) == pytest.approx(2.0 * float(d(x, [u, v])), rel=1e-14)


def test_argnums_and_keywords() -> None:
    f = lambda a, b, scale=1.0: scale * a**3 * b**2
    assert float(tad.derivative(f)(2.0, 3.0, [1.0, 1.0])) == 6 * 2.0 * 9.0
    assert float(tad.derivative(f, argnums=1)(2.0, 3.0, [1.0, 1.0])) == 2 * 8.0
    assert float(tad.derivative(f, argnums=-1)(2.0, 3.0, [1.0])) == 8.0 * 6.0
    assert float(tad.derivative(f)(2.0, 3.0, [1.0, 1.0], scale=10.0)) == 1080.0
    assert float(tad.derivative(f, argnums=1)(2.0, [1.0, 1.0], b=3.0)) == 16.0


def test_trees_as_directions() -> None:
    f = lambda p: p["a"] ** 2 * p["b"]
    point = {"a": 2.0, "b": 3.0}
    d = tad.derivative(f)
    assert float(d(point, [{"a": 1.0, "b": 0.0}, {"b": 1.0, "a": 0.0}])) == 4.0
    assert float(d(point, [{"a": 1.0, "b": 0.0}] * 2)) == 6.0


def test_it_is_itself_differentiable() -> None:
    x = np.array([0.3, -0.7])
    second = lambda x, v: tad.sum(tad.derivative(tad.sin)(x, [v, v]))  # -sum of v**2 sin x
    v = np.array([2.0, 3.0])
    np.testing.assert_allclose(tad.grad(second)(x, v), -(v**2) * np.cos(x), rtol=1e-14)
    np.testing.assert_allclose(tad.grad(second, 1)(x, v), -2.0 * v * np.sin(x), rtol=1e-14)
    ahead = tad.jacfwd(lambda x: tad.derivative(tad.sin)(x, [np.ones(2)] * 3))(x)
    np.testing.assert_allclose(ahead, np.diag(np.sin(x)), rtol=1e-14)
    d1 = lambda x: tad.derivative(tad.sin)(x, [np.ones(2)])
    np.testing.assert_allclose(tad.derivative(d1)(x, [np.ones(2)]), -np.sin(x), rtol=1e-14)


def test_directions_are_constants_of_the_inner_derivatives() -> None:
    # D(x -> sin x)[v(x)] with v(x) = x, differentiated outside: cos x - x sin x
    f = lambda x: tad.derivative(tad.sin)(x, [x])
    x = 0.8
    assert float(tad.grad(f)(x)) == pytest.approx(np.cos(x) - x * np.sin(x), rel=1e-14)
    # at second order inside one call, v is not differentiated: -x**2 sin x
    g = lambda x: tad.derivative(tad.sin)(x, [x, x])
    assert float(g(tad.asarray(x))) == pytest.approx(-x * x * np.sin(x), rel=1e-14)


def test_compiled_and_batched() -> None:
    xs = np.array([[0.1, 0.2], [0.3, 0.4]])
    d2 = lambda x: tad.derivative(tad.sin)(x, [np.ones(2)] * 2)
    np.testing.assert_allclose(tad.vmap(d2)(xs), -np.sin(xs), rtol=1e-14)
    np.testing.assert_allclose(tad.jit(d2)(xs[0]), -np.sin(xs[0]), rtol=1e-14)
    fields = tad.vmap(lambda v: tad.derivative(field)(POINT, W, B, [v]))(np.eye(2))
    np.testing.assert_array_equal(fields, [486.0, 729.0])


def test_mistakes() -> None:
    d = tad.derivative(field)
    with pytest.raises(ArgumentError, match="derivative: the list of directions is missing"):
        tad.derivative(tad.tanh)(ORIGIN)
    with pytest.raises(ArgumentError, match="derivative: the list of directions is missing"):
        d(POINT, W, [E0])
    with pytest.raises(ArgumentError, match="the directions come as a list"):
        d(POINT, W, B, E0)
    with pytest.raises(ShapeError, match=r"derivative: the tangent has shape \[3\], .* \[2\]"):
        d(POINT, W, B, [E0, np.ones(3)])
    with pytest.raises(DTypeError, match="derivative: the tangent has dtype float32"):
        d(POINT, W, B, [np.ones(2, np.float32)])
    with pytest.raises(DTypeError, match="derivative: argument 0"):
        tad.derivative(tad.tanh)(np.array([1, 2]), [E0])
