"""vjp: cotangents pulled back, curried and in JAX's form."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError, ShapeError

X = np.array([0.5, -1.2])


def square(x: Any) -> Any:
    return x**2


# --- curried ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("cotangent", "expected"),
    [
        ([1.0, 1.0], [1.0, -2.4]),
        ([1.0, 10.0], [1.0, -24.0]),
        ([0.0, 1.0], [0.0, -2.4]),
        ([0.0, 0.0], [0.0, 0.0]),
    ],
)
def test_the_seed_weighs_the_outputs(cotangent: list[float], expected: list[float]) -> None:
    np.testing.assert_array_equal(tad.vjp(square)(X, np.array(cotangent)), expected)


def test_orders_of_value_and_aux() -> None:
    g = np.array([1.0, 10.0])
    f = lambda x: (square(x), {"twice": 2.0 * x})
    pulled, value = tad.vjp(square, value=True)(X, g)
    np.testing.assert_array_equal(pulled, [1.0, -24.0])
    np.testing.assert_array_equal(value, X**2)
    pulled, aux = tad.vjp(f, has_aux=True)(X, g)
    np.testing.assert_array_equal(pulled, [1.0, -24.0])
    np.testing.assert_array_equal(aux["twice"], 2.0 * X)
    pulled, (value, aux) = tad.vjp(f, value=True, has_aux=True)(X, g)
    np.testing.assert_array_equal(pulled, [1.0, -24.0])
    np.testing.assert_array_equal(value, X**2)
    np.testing.assert_array_equal(aux["twice"], 2.0 * X)


def test_argnums_give_that_argument_or_that_tuple() -> None:
    f = lambda a, b: a * b
    a, b, g = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])
    np.testing.assert_array_equal(tad.vjp(f)(a, b, g), b * g)
    np.testing.assert_array_equal(tad.vjp(f, argnums=1)(a, b, g), a * g)
    np.testing.assert_array_equal(tad.vjp(f, argnums=-1)(a, b, g), a * g)
    pulled = tad.vjp(f, argnums=(1, 0))(a, b, g)
    assert isinstance(pulled, tuple)
    np.testing.assert_array_equal(pulled, [a * g, b * g])
    (only,) = tad.vjp(f, argnums=(1,))(a, b, g)
    np.testing.assert_array_equal(only, a * g)


def test_the_seed_is_last_and_optional_arguments_go_by_keyword() -> None:
    f = lambda a, scale=2.0: a * scale
    assert float(tad.vjp(f)(3.0, 1.0)) == 2.0
    assert float(tad.vjp(f)(3.0, 1.0, scale=5.0)) == 5.0
    assert float(tad.vjp(f, argnums=1)(3.0, 1.0, scale=5.0)) == 3.0
    assert float(tad.vjp(f)(3.0, 7.0, 1.0)) == 7.0
    assert float(tad.vjp(f)(1.0, a=3.0)) == 2.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: tad.vjp(square)(),
        lambda: tad.vjp(square)(X),
        lambda: tad.vjp(square)(x=X),
        lambda: tad.vjp(lambda a, b: a * b)(2.0, 3.0),
        lambda: tad.vjp(lambda a, b: a * b)(2.0, b=3.0),
        lambda: tad.vjp(lambda a, *, b: a * b)(2.0, b=3.0),
    ],
)
def test_a_missing_seed(call: Any) -> None:
    with pytest.raises(ArgumentError, match="vjp: the cotangent is missing.*last positional"):
        call()


def test_a_type_error_of_the_program_stays_its_own() -> None:
    def broken(x: Any) -> Any:
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        tad.vjp(broken)(1.0, 1.0)


@pytest.mark.parametrize("cotangent", [np.ones(3), np.ones((2, 1)), np.ones(()), 1.0])
def test_a_seed_of_another_shape_is_never_broadcast(cotangent: Any) -> None:
    shape = r"\[" + ", ".join(map(str, np.shape(cotangent))) + r"\]"
    with pytest.raises(ShapeError, match=rf"vjp: the cotangent has shape {shape}, .* has \[2\]"):
        tad.vjp(square)(X, cotangent)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64, np.bool_])
def test_a_seed_of_another_dtype(dtype: Any) -> None:
    name = np.dtype(dtype).name
    with pytest.raises(DTypeError, match=f"vjp: the cotangent has dtype {name}, .* has float64"):
        tad.vjp(square)(X, np.ones(2, dtype))


@pytest.mark.parametrize("number", [1, 1.0, -2])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_python_number_as_a_seed_is_weak(dtype: Any, number: Any) -> None:
    x = np.array([1.0, 2.0], dtype)
    pulled = tad.vjp(lambda x: tad.sum(x * x))(x, number)
    assert pulled.dtype == dtype
    np.testing.assert_array_equal(pulled, 2.0 * number * x)


def test_a_cotangent_is_a_result_of_the_inputs_dtype() -> None:
    a, b = np.float32(3.0), np.float64(2.0)
    da, db = tad.vjp(lambda a, b: a * b, argnums=(0, 1))(a, b, np.float64(1.0))
    assert (da.dtype, db.dtype) == (np.float32, np.float64)
    assert (float(da), float(db)) == (2.0, 3.0)


def test_an_integer_result_has_no_cotangent() -> None:
    with pytest.raises(DTypeError, match="vjp: f returned dtype int64.*has_aux"):
        tad.vjp(lambda x: tad.argmax(x))(X, 1)
    with pytest.raises(DTypeError, match="vjp: f returned dtype bool"):
        tad.vjp(lambda x: x > 0)(X, np.ones(2))


@dataclasses.dataclass(frozen=True)
class Pair:
    w: Any
    b: Any
    tag: str = dataclasses.field(default="t", metadata={"static": True})


def test_trees_in_and_out() -> None:
    def f(p: Pair, scale: dict[str, Any]) -> Any:
        return {"y": p.w * p.b, "rest": (p.w * scale["s"], None)}

    p, scale = Pair(np.array([1.0, 2.0]), 3.0, "kept"), {"s": 4.0}
    seed = {"rest": (np.array([1.0, 1.0]), None), "y": np.array([10.0, 100.0])}  # keys reordered
    dp, ds = tad.vjp(f, argnums=(0, 1))(p, scale, seed)
    assert isinstance(dp, Pair) and dp.tag == "kept"
    np.testing.assert_array_equal(dp.w, [34.0, 304.0])
    assert float(dp.b) == 10.0 + 200.0
    assert float(ds["s"]) == 3.0
    y, pullback = tad.vjp(f, p, scale)
    assert list(y) == ["y", "rest"] and y["rest"][1] is None
    again, _ = pullback(seed)
    np.testing.assert_array_equal(again.w, dp.w)


@pytest.mark.parametrize(
    "seed", [np.ones(2), (np.ones(2),), (np.ones(2), np.ones(2), None), [np.ones(2), np.ones(2)]]
)
def test_a_seed_of_another_structure(seed: Any) -> None:
    with pytest.raises(ArgumentError, match="vjp: the cotangent: "):
        tad.vjp(lambda x: (x, x))(X, seed)


# --- JAX's form ---------------------------------------------------------------------------------
def test_the_pullback_gives_a_tuple_one_per_primal() -> None:
    y, pullback = tad.vjp(square, X)
    np.testing.assert_array_equal(y, X**2)
    pulled = pullback(np.array([1.0, 10.0]))
    assert isinstance(pulled, tuple) and len(pulled) == 1
    np.testing.assert_array_equal(pulled[0], [1.0, -24.0])


def test_several_primals() -> None:
    a, b, c = np.array([1.0, 2.0]), 3.0, np.array([[5.0], [7.0]], np.float32)
    y, pullback = tad.vjp(lambda a, b, c: tad.sum(a * b * c), a, b, c)
    assert float(y) == 3.0 * 3.0 * 12.0
    da, db, dc = pullback(1.0)
    np.testing.assert_array_equal(da, [36.0, 36.0])
    assert float(db) == 36.0 and db.weak
    np.testing.assert_array_equal(dc, [[9.0], [9.0]])
    assert dc.dtype == np.float32


def test_aux_comes_third() -> None:
    y, pullback, aux = tad.vjp(lambda x: (square(x), "aux"), X, has_aux=True)
    assert aux == "aux"
    np.testing.assert_array_equal(y, X**2)
    np.testing.assert_array_equal(pullback(np.ones(2))[0], 2.0 * X)


def test_a_pullback_may_be_called_many_times() -> None:
    _, pullback = tad.vjp(lambda x: tad.sum(tad.sin(x) * x), X)
    expected = np.cos(X) * X + np.sin(X)
    for scale in (1.0, -2.0, 0.0, 1.0):
        np.testing.assert_allclose(pullback(scale)[0], scale * expected, rtol=1e-15)


def test_the_pullback_checks_its_seed() -> None:
    _, pullback = tad.vjp(square, X)
    with pytest.raises(ShapeError, match=r"\[3\].*\[2\]"):
        pullback(np.ones(3))
    with pytest.raises(DTypeError, match="float32.*float64"):
        pullback(np.ones(2, np.float32))
    with pytest.raises(ArgumentError):
        pullback((np.ones(2),))


def test_residuals_keep_the_values_they_had() -> None:
    x, w = np.array([0.5, -1.2]), np.array([2.0, 3.0])
    y, pullback = tad.vjp(lambda x: tad.sum(w * x * x), x)
    x[:], w[:] = 100.0, 100.0
    assert float(y) == pytest.approx(2.0 * 0.25 + 3.0 * 1.44)
    np.testing.assert_allclose(pullback(1.0)[0], [2.0, -7.2], rtol=1e-15)


def test_python_ints_as_primals_are_weak_floats() -> None:
    y, pullback = tad.vjp(lambda x: x**3, 2)
    assert float(y) == 8.0
    (g,) = pullback(1)
    assert float(g) == 12.0 and g.weak


# --- what comes back is a program -------------------------------------------------------------
def test_a_vjp_is_differentiated_compiled_and_batched() -> None:
    f = lambda x, g: tad.sum(tad.vjp(tad.sin)(x, g))  # sum of g cos x
    g = np.array([2.0, 3.0])
    expected = -g * np.sin(X)
    np.testing.assert_allclose(tad.grad(f)(X, g), expected, rtol=1e-15)
    np.testing.assert_allclose(tad.grad(f, 1)(X, g), np.cos(X), rtol=1e-15)
    np.testing.assert_allclose(tad.jit(tad.vjp(tad.sin))(X, g), g * np.cos(X), rtol=1e-15)
    rows = tad.vmap(tad.vjp(square), in_axes=(None, 0))(X, np.eye(2))
    np.testing.assert_array_equal(rows, [[1.0, 0.0], [0.0, -2.4]])
    twice = tad.vjp(tad.vjp(tad.sin))(X, g, np.ones(2))
    np.testing.assert_allclose(twice, expected, rtol=1e-15)


def test_unused_inputs_pull_back_to_zeros() -> None:
    b = np.ones((3, 1), np.float32)
    da, db = tad.vjp(lambda a, b: a * 2.0, argnums=(0, 1))(X, b, np.ones(2))
    np.testing.assert_array_equal(da, [2.0, 2.0])
    assert (db.shape, db.dtype) == ((3, 1), np.float32)
    np.testing.assert_array_equal(db, np.zeros((3, 1)))
