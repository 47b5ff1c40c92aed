"""jvp: tangents pushed forward, curried and in JAX's form."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError, ShapeError

X = np.array([0.5, -1.2])
V = np.array([2.0, 10.0])


def square(x: Any) -> Any:
    return x**2


# --- curried ----------------------------------------------------------------------------------
def test_a_tangent_is_pushed_forward() -> None:
    np.testing.assert_array_equal(tad.jvp(square)(X, V), [2.0, -24.0])


def test_orders_of_value_and_aux() -> None:
    f = lambda x: (square(x), {"twice": 2.0 * x})
    pushed, value = tad.jvp(square, value=True)(X, V)
    np.testing.assert_array_equal(pushed, [2.0, -24.0])
    np.testing.assert_array_equal(value, X**2)
    pushed, aux = tad.jvp(f, has_aux=True)(X, V)
    np.testing.assert_array_equal(pushed, [2.0, -24.0])
    np.testing.assert_array_equal(aux["twice"], 2.0 * X)
    pushed, (value, aux) = tad.jvp(f, value=True, has_aux=True)(X, V)
    np.testing.assert_array_equal(pushed, [2.0, -24.0])
    np.testing.assert_array_equal(value, X**2)
    np.testing.assert_array_equal(aux["twice"], 2.0 * X)


def test_argnums_take_that_tangent_or_that_tuple() -> None:
    f = lambda a, b: a * b
    assert float(tad.jvp(f)(2.0, 3.0, 1.0)) == 3.0
    assert float(tad.jvp(f, argnums=1)(2.0, 3.0, 1.0)) == 2.0
    assert float(tad.jvp(f, argnums=-1)(2.0, 3.0, 1.0)) == 2.0
    assert float(tad.jvp(f, argnums=(0, 1))(2.0, 3.0, (1.0, 10.0))) == 23.0
    assert float(tad.jvp(f, argnums=(1, 0))(2.0, 3.0, (1.0, 10.0))) == 32.0
    assert float(tad.jvp(f, argnums=(1,))(2.0, 3.0, (1.0,))) == 2.0


def test_the_seed_is_last_and_optional_arguments_go_by_keyword() -> None:
    f = lambda a, scale=2.0: a * a * scale
    assert float(tad.jvp(f)(3.0, 1.0)) == 12.0
    assert float(tad.jvp(f)(3.0, 1.0, scale=5.0)) == 30.0
    assert float(tad.jvp(f, argnums=1)(3.0, 1.0, scale=5.0)) == 9.0
    assert float(tad.jvp(f)(1.0, a=3.0)) == 12.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: tad.jvp(square)(),
        lambda: tad.jvp(square)(X),
        lambda: tad.jvp(lambda a, b: a * b)(2.0, 3.0),
        lambda: tad.jvp(lambda a, b: a * b)(2.0, b=3.0),
    ],
)
def test_a_missing_seed(call: Any) -> None:
    with pytest.raises(ArgumentError, match="jvp: the tangent is missing.*last positional"):
        call()


@pytest.mark.parametrize("tangent", [np.ones(3), np.ones((1, 2)), np.ones(()), 1.0])
def test_a_tangent_of_another_shape(tangent: Any) -> None:
    with pytest.raises(ShapeError, match=r"jvp: the tangent has shape .* \[2\]"):
        tad.jvp(square)(X, tangent)
    with pytest.raises(ShapeError, match=r"jvp: the tangent has shape .* \[2\]"):
        tad.jvp(square, (X,), (tangent,))


def test_a_tangent_of_another_dtype() -> None:
    with pytest.raises(DTypeError, match="jvp: the tangent has dtype float32, .* float64"):
        tad.jvp(square)(X, V.astype(np.float32))
    with pytest.raises(DTypeError, match="jvp: the tangent has dtype int64, .* float64"):
        tad.jvp(square)(X, np.array([1, 2]))


def test_a_python_number_as_a_tangent_is_weak() -> None:
    pushed = tad.jvp(square)(np.float32(3.0), 1)
    assert pushed.dtype == np.float32 and float(pushed) == 6.0
    pushed = tad.jvp(square)(3, 1.0)
    assert pushed.weak and float(pushed) == 6.0


def test_integers_carry_no_tangent() -> None:
    with pytest.raises(DTypeError, match="jvp: argument 0"):
        tad.jvp(square)(np.array([1, 2]), np.array([1, 2]))
    with pytest.raises(DTypeError, match="jvp: f returned dtype int64"):
        tad.jvp(lambda x: tad.argmax(x))(X, V)
    pushed, flag = tad.jvp(lambda x: (square(x), x > 0), has_aux=True)(X, V)
    np.testing.assert_array_equal(pushed, [2.0, -24.0])
    np.testing.assert_array_equal(flag, [True, False])


@dataclasses.dataclass(frozen=True)
class Pair:
    w: Any
    b: Any
    tag: str = dataclasses.field(default="t", metadata={"static": True})


def test_trees_in_and_out() -> None:
    f = lambda p: {"y": p.w * p.b, "none": None}
    primal, tangent = Pair(np.array([1.0, 2.0]), 3.0), Pair(np.array([1.0, 0.0]), 10.0)
    pushed = tad.jvp(f)(primal, tangent)
    assert list(pushed) == ["y", "none"] and pushed["none"] is None
    np.testing.assert_array_equal(pushed["y"], [13.0, 20.0])
    with pytest.raises(ArgumentError, match="jvp: the tangent"):
        tad.jvp(f)(primal, (np.array([1.0, 0.0]), 10.0))


# --- JAX's form ---------------------------------------------------------------------------------
def test_primals_and_tangents() -> None:
    y, pushed = tad.jvp(square, (X,), (V,))
    np.testing.assert_array_equal(y, X**2)
    np.testing.assert_array_equal(pushed, [2.0, -24.0])
    y, pushed = tad.jvp(lambda a, b: a * b, [2.0, 3.0], [1.0, 10.0])
    assert (float(y), float(pushed)) == (6.0, 23.0)
    y, pushed, aux = tad.jvp(lambda x: (square(x), "aux"), (X,), (V,), has_aux=True)
    np.testing.assert_array_equal(pushed, [2.0, -24.0])
    assert aux == "aux"


@pytest.mark.parametrize(
    ("primals", "tangents", "message"),
    [
        (X, (V,), "primals must be a tuple"),
        ((X,), V, "tangents must be a tuple"),
        ((X,), None, "tangents must be a tuple"),
        ((X,), (V, V), "1 primals but 2 tangents"),
    ],
)
def test_primals_and_tangents_are_tuples_of_one_length(
    primals: Any, tangents: Any, message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        tad.jvp(square, primals, tangents)


# --- meaning ------------------------------------------------------------------------------------
def test_a_result_that_depends_on_nothing_has_a_zero_tangent() -> None:
    pushed = tad.jvp(lambda x: tad.ones((2, 3), dtype=tad.float32))(X, V)
    assert (pushed.shape, pushed.dtype) == ((2, 3), np.float32)
    np.testing.assert_array_equal(pushed, np.zeros((2, 3)))
    assert float(tad.jvp(lambda x: 3.0)(X, V)) == 0.0


@pytest.mark.parametrize("dtypes", [("float16", "float32"), ("float32", "float64")])
def test_a_tangent_has_the_results_dtype(dtypes: tuple[str, str]) -> None:
    small, large = dtypes
    a, b = np.array([1.0, 2.0], small), np.array(3.0, large)
    y, pushed = tad.jvp(lambda a, b: a * b, (a, b), (np.ones(2, small), np.ones((), large)))
    assert y.dtype == pushed.dtype == np.dtype(large)
    np.testing.assert_array_equal(pushed, [4.0, 5.0])


def test_forward_and_reverse_are_adjoint() -> None:
    f = lambda a, b: tad.tanh(a @ b)
    rng = np.random.default_rng(0)
    a, b, da, db = (rng.normal(size=s) for s in ((2, 3), (3, 4), (2, 3), (3, 4)))
    y, pushed = tad.jvp(f, (a, b), (da, db))
    g = rng.normal(size=y.shape)
    ga, gb = tad.vjp(f, argnums=(0, 1))(a, b, g)
    left = np.sum(np.asarray(pushed) * g)
    right = np.sum(da * np.asarray(ga)) + np.sum(db * np.asarray(gb))
    assert left == pytest.approx(right, rel=1e-14)


def test_a_jvp_is_differentiated_compiled_and_batched() -> None:
    pushed = lambda x, v: tad.sum(tad.jvp(tad.sin)(x, v))  # sum of v cos x
    np.testing.assert_allclose(tad.grad(pushed)(X, V), -V * np.sin(X), rtol=1e-15)
    np.testing.assert_allclose(tad.grad(pushed, 1)(X, V), np.cos(X), rtol=1e-15)
    np.testing.assert_allclose(tad.jit(tad.jvp(tad.sin))(X, V), V * np.cos(X), rtol=1e-15)
    columns = tad.vmap(tad.jvp(square), in_axes=(None, 0))(X, np.eye(2))
    np.testing.assert_array_equal(columns, [[1.0, 0.0], [0.0, -2.4]])
    twice = tad.jvp(tad.jvp(tad.sin))(X, V, np.ones(2))
    np.testing.assert_allclose(twice, -V * np.sin(X), rtol=1e-15)
