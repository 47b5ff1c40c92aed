"""hvp and hessian: second derivatives of functions with one real result."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError, ShapeError

X = np.array([0.5, -1.2])
TARGET = np.array([0.7, 0.1, -0.5])


def loss(w: Any, b: Any) -> Any:
    """TorchLean's affine model with its mean squared error."""
    return tad.mean((w @ tad.asarray(X) + b - tad.asarray(TARGET)) ** 2)


STATE = (np.full((3, 2), 0.1), np.full(3, 0.1))


def test_torchlean_directional_derivative_of_the_loss() -> None:
    direction = (np.full((3, 2), 0.1), np.full(3, 0.1))
    slope = tad.jvp(loss, argnums=(0, 1))(*STATE, direction)
    assert float(slope) == pytest.approx(-0.0042, abs=1e-15)


@pytest.mark.parametrize("state", [STATE, (np.full((3, 2), -7.0), np.arange(3.0))])
def test_torchlean_hessian_vector_product(state: Any) -> None:
    # The model is affine, so the product is the same at every state.
    direction = (np.full((3, 2), 0.1), np.full(3, 0.1))
    hw, hb = tad.hvp(loss, argnums=(0, 1))(*state, direction)
    np.testing.assert_allclose(hw, [[0.01, -0.024]] * 3, rtol=1e-13)
    np.testing.assert_allclose(hb, [0.02] * 3, rtol=1e-13)


# Published programs: function, point, gradient, Hessian.
PUBLISHED: dict[str, tuple[Any, list[float], list[float], list[list[float]]]] = {
    "T9 mean of squares": (
        lambda x: tad.mean(x**2),
        [0.5, -1.2],
        [0.5, -1.2],
        [[1.0, 0.0], [0.0, 1.0]],
    ),
    "T5 sum of squares": (
        lambda x: tad.sum(x**2),
        [0.5, -1.2],
        [1.0, -2.4],
        [[2.0, 0.0], [0.0, 2.0]],
    ),
    "N12 one factor fenced": (
        lambda w: tad.sum(tad.detach(w**2) * w**2),
        [1.0, 2.0],
        [2.0, 16.0],
        [[2.0, 0.0], [0.0, 8.0]],
    ),
    "N13 the maximum fenced": (
        lambda w: tad.detach(tad.max(w)) * tad.sum(w * w),
        [1.0, 3.0],
        [6.0, 18.0],
        [[6.0, 0.0], [0.0, 6.0]],
    ),
    "N14 square of a sum": (
        lambda x: tad.sum(x) ** 2,
        [1.0, 2.0, 3.0],
        [12.0] * 3,
        [[2.0] * 3] * 3,
    ),
    "N15 polynomial": (
        lambda x: x[0] ** 3 + x[0] * x[1] ** 2,
        [2.0, 3.0],
        [21.0, 12.0],
        [[12.0, 6.0], [6.0, 4.0]],
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_hessians(name: str) -> None:
    f, point, gradient, expected = PUBLISHED[name]
    x = np.array(point)
    np.testing.assert_array_equal(tad.grad(f)(x), gradient)
    np.testing.assert_array_equal(tad.hessian(f)(x), expected)
    for mode in (tad.jacfwd, tad.jacrev):
        np.testing.assert_array_equal(mode(tad.grad(f))(x), expected)
        np.testing.assert_array_equal(mode(tad.jacfwd(f))(x), expected)
    for row, column in zip(np.eye(len(x)), expected, strict=True):  # symmetric
        np.testing.assert_array_equal(tad.hvp(f)(x, row), column)
    np.testing.assert_array_equal(tad.jit(tad.hessian(f))(x), expected)


def test_newton_finds_a_flat_minimum() -> None:
    # N16: (w - 1)**4 + (w - 1)**2 from (3, -2); at most 20 steps, and 7 suffice
    f = lambda w: tad.sum((w - 1.0) ** 4 + (w - 1.0) ** 2)
    w = np.array([3.0, -2.0])
    steps = 0
    while np.max(np.abs(w - 1.0)) > 1e-4:
        w = w - np.linalg.solve(np.asarray(tad.hessian(f)(w)), np.asarray(tad.grad(f)(w)))
        steps += 1
    assert steps == 7


# --- hvp ------------------------------------------------------------------------------------------
def cubic(x: Any) -> Any:
    return tad.sum(x**3)


V = np.array([2.0, 10.0])


def test_value_puts_the_product_first() -> None:
    product, value = tad.hvp(cubic, value=True)(X, V)
    np.testing.assert_allclose(product, 6.0 * X * V, rtol=1e-15)
    assert float(value) == pytest.approx(0.125 - 1.728)


def test_argnums_and_keywords() -> None:
    f = lambda a, b, *, s=1.0: s * tad.sum(a * a * b)
    a, b, v = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([1.0, 1.0])
    np.testing.assert_array_equal(tad.hvp(f)(a, b, v), 2.0 * b)
    np.testing.assert_array_equal(tad.hvp(f)(a, b, v, s=10.0), 20.0 * b)
    np.testing.assert_array_equal(tad.hvp(f, argnums=1)(a, b, v), [0.0, 0.0])
    np.testing.assert_array_equal(tad.hvp(f, argnums=1)(a, v, b=b), [0.0, 0.0])
    ha, hb = tad.hvp(f, argnums=(0, 1))(a, b, (v, np.array([10.0, 100.0])))
    np.testing.assert_array_equal(ha, 2.0 * b + 2.0 * a * [10.0, 100.0])
    np.testing.assert_array_equal(hb, 2.0 * a)
    (only,) = tad.hvp(f, argnums=(-1,))(a, b, (v,))
    np.testing.assert_array_equal(only, [0.0, 0.0])


@pytest.mark.parametrize(
    "call", [lambda: tad.hvp(cubic)(X), lambda: tad.hvp(lambda a, b: tad.sum(a * b))(X, V)]
)
def test_a_missing_seed(call: Any) -> None:
    with pytest.raises(ArgumentError, match="hvp: the tangent is missing"):
        call()


def test_a_seed_of_the_wrong_kind() -> None:
    with pytest.raises(ShapeError, match=r"hvp: the tangent has shape \[3\], .* \[2\]"):
        tad.hvp(cubic)(X, np.ones(3))
    with pytest.raises(DTypeError, match="hvp: the tangent has dtype float32"):
        tad.hvp(cubic)(X, np.ones(2, np.float32))


@dataclasses.dataclass(frozen=True)
class Pair:
    w: Any
    b: Any
    tag: str = dataclasses.field(default="t", metadata={"static": True})


def test_products_of_trees() -> None:
    f = lambda p: tad.sum(p.w * p.w) * p.b
    point, v = Pair(np.array([1.0, 2.0]), 3.0, "mine"), Pair(np.array([1.0, 0.0]), 10.0)
    product = tad.hvp(f)(point, v)
    assert isinstance(product, Pair) and product.tag == "mine"
    # d2f/dw2 = 2 b I, d2f/dw db = 2 w, d2f/db2 = 0
    np.testing.assert_array_equal(product.w, [6.0 + 20.0, 40.0])
    assert float(product.b) == 2.0


def test_the_product_costs_a_constant_number_of_passes() -> None:
    # The reverse pass runs once, over dual numbers, however large the input.
    calls = []

    def counted(x: Any) -> Any:
        calls.append(1)
        return cubic(x)

    tad.hvp(counted)(np.ones(50), np.ones(50))
    assert calls == [1]


def test_a_product_is_a_program() -> None:
    f = lambda x, v: tad.sum(tad.hvp(lambda x: tad.sum(tad.sin(x)))(x, v))  # -sum of v sin x
    np.testing.assert_allclose(tad.grad(f)(X, V), -V * np.cos(X), rtol=1e-15)
    np.testing.assert_allclose(tad.jit(tad.hvp(cubic))(X, V), 6.0 * X * V, rtol=1e-15)
    rows = tad.vmap(tad.hvp(cubic), in_axes=(None, 0))(X, np.eye(2))
    np.testing.assert_allclose(rows, np.diag(6.0 * X), rtol=1e-15)


# --- hessian --------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 2, 1), (0,), (2, 0)])
def test_the_shape_is_the_inputs_twice(shape: tuple[int, ...]) -> None:
    x = np.linspace(1.0, 2.0, int(np.prod(shape))).reshape(shape)
    h = tad.hessian(lambda x: tad.sum(x**3) + tad.sum(x) ** 2)(x)
    assert h.shape == (*shape, *shape)
    expected = np.diag(6.0 * x.ravel()) + 2.0
    np.testing.assert_allclose(h, expected.reshape(h.shape), rtol=1e-15)


class Params(NamedTuple):
    w: Any
    b: Any


def test_blocks_of_trees_mixed_ones_too() -> None:
    f = lambda p: tad.sum(p["w"] ** 2) * p["b"] + p["b"] ** 3
    h = tad.hessian(f)({"w": X, "b": 2.0})
    assert list(h) == ["w", "b"] and list(h["w"]) == ["w", "b"]
    np.testing.assert_allclose(h["w"]["w"], 4.0 * np.eye(2), rtol=1e-15)
    np.testing.assert_allclose(h["w"]["b"], 2.0 * X, rtol=1e-15)
    np.testing.assert_allclose(h["b"]["w"], 2.0 * X, rtol=1e-15)
    assert float(h["b"]["b"]) == 12.0

    g = lambda p: tad.sum(p.w) * tad.sum(p.b)
    h = tad.hessian(g)(Params(X, np.array([3.0])))
    assert isinstance(h, Params) and isinstance(h.w, Params)
    assert (h.w.w.shape, h.w.b.shape, h.b.w.shape, h.b.b.shape) == ((2, 2), (2, 1), (1, 2), (1, 1))
    np.testing.assert_array_equal(h.w.b, [[1.0], [1.0]])


def test_blocks_of_several_arguments() -> None:
    f = lambda a, b: tad.sum(a * a) * tad.sum(b)
    a, b = np.array([1.0, 2.0]), np.array([[3.0], [4.0], [5.0]])
    (aa, ab), (ba, bb) = tad.hessian(f, argnums=(0, 1))(a, b)
    np.testing.assert_array_equal(aa, 24.0 * np.eye(2))
    np.testing.assert_array_equal(ab, np.broadcast_to(2.0 * a[:, None, None], (2, 3, 1)))
    np.testing.assert_array_equal(ba, np.broadcast_to(2.0 * a, (3, 1, 2)))
    np.testing.assert_array_equal(bb, np.zeros((3, 1, 3, 1)))
    np.testing.assert_array_equal(tad.hessian(f, argnums=1)(a, b=b), bb)


def test_block_dtypes_are_the_arguments() -> None:
    x, y = np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0])
    (xx, xy), (yx, yy) = tad.hessian(lambda x, y: tad.sum(x * x * y), argnums=(0, 1))(x, y)
    assert (xx.dtype, yy.dtype) == (np.float32, np.float64)
    np.testing.assert_array_equal(xx, np.diag(2.0 * y))
    np.testing.assert_array_equal(np.asarray(xy), np.asarray(yx).T)


@pytest.mark.parametrize("name", ["hvp", "hessian"])
def test_only_real_scalars_have_second_derivatives(name: str) -> None:
    second = {"hvp": lambda f: lambda x: tad.hvp(f)(x, x), "hessian": tad.hessian}[name]
    with pytest.raises(ShapeError, match=rf"{name}: f must return a scalar.*shape \[2\]"):
        second(lambda x: x**2)(X)
    with pytest.raises(DTypeError, match=rf"{name}: f returned dtype int64"):
        second(lambda x: tad.argmax(x))(X)
    with pytest.raises(DTypeError, match=rf"{name}: argument 0 .*int64"):
        second(lambda x: tad.sum(x))(np.array([1, 2]))
    with pytest.raises(ArgumentError, match=rf"{name}: f must return one real number"):
        second(lambda x: (tad.sum(x), tad.sum(x)))(X)


def test_linear_functions_have_zero_hessians() -> None:
    np.testing.assert_array_equal(tad.hessian(lambda x: tad.sum(x))(X), np.zeros((2, 2)))
    np.testing.assert_array_equal(tad.hessian(lambda x: 3.0)(X), np.zeros((2, 2)))
    np.testing.assert_array_equal(tad.hvp(lambda x: tad.sum(x))(X, V), [0.0, 0.0])


def test_third_derivatives_of_the_hessian() -> None:
    third = tad.jacrev(tad.hessian(lambda x: x[0] ** 2 * x[1]))(X)
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 1] = expected[0, 1, 0] = expected[1, 0, 0] = 2.0
    np.testing.assert_array_equal(third, expected)
