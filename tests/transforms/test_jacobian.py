"""jacfwd and jacrev: output axes, then input axes; the two modes agree."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, ConcretizationError, DTypeError

X = np.array([0.5, -1.2])
MODES = [tad.jacfwd, tad.jacrev]
both = pytest.mark.parametrize("jacobian", MODES, ids=["jacfwd", "jacrev"])


def square(x: Any) -> Any:
    return x**2


def bits(x: Any) -> list[Any]:
    return np.asarray(x, np.float64).view(np.int64).tolist()


def test_signed_zeros_of_forward_mode() -> None:
    # (0 * -1.2) + (-1.2 * 0) is -0
    assert bits(tad.jacfwd(square)(X)) == bits([[1.0, 0.0], [-0.0, -2.4]])


def test_signed_zeros_of_reverse_mode() -> None:
    # contributions are added to +0
    assert bits(tad.jacrev(square)(X)) == bits([[1.0, 0.0], [0.0, -2.4]])


def outer_cube(x: Any) -> Any:
    """Any shape S to S ++ (2,)."""
    return tad.stack([x**3, 2.0 * x], axis=-1)


@both
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (2, 1, 2), (0,), (2, 0), (0, 3, 2)])
def test_output_axes_then_input_axes(jacobian: Any, shape: tuple[int, ...]) -> None:
    x = np.linspace(1.0, 2.0, int(np.prod(shape))).reshape(shape)
    jac = jacobian(outer_cube)(x)
    assert jac.shape == (*shape, 2, *shape)
    n = x.size
    expected = np.zeros((n, 2, n))
    for i, value in enumerate(x.ravel()):
        expected[i, :, i] = 3.0 * value**2, 2.0
    np.testing.assert_allclose(jac, expected.reshape(jac.shape), rtol=1e-15)


@both
@pytest.mark.parametrize("out_shape", [(), (0,), (2, 2), (1, 0, 3)])
def test_any_rank_out(jacobian: Any, out_shape: tuple[int, ...]) -> None:
    x = np.array([1.0, 2.0, 3.0])
    jac = jacobian(lambda x: tad.broadcast_to(tad.sum(x * x), out_shape))(x)
    assert jac.shape == (*out_shape, 3)
    np.testing.assert_array_equal(jac, np.broadcast_to(2.0 * x, (*out_shape, 3)))


@both
def test_matrix_to_matrix(jacobian: Any) -> None:
    a, b = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.array([[1.0], [-1.0], [0.5]])
    jac = jacobian(lambda a: a @ b)(a)
    assert jac.shape == (2, 1, 2, 3)
    expected = np.zeros((2, 1, 2, 3))
    expected[0, 0, 0], expected[1, 0, 1] = b[:, 0], b[:, 0]
    np.testing.assert_array_equal(jac, expected)


@both
def test_argnums(jacobian: Any) -> None:
    f = lambda a, b: a * b
    b = np.array([3.0, 4.0])
    np.testing.assert_array_equal(jacobian(f)(X, b), np.diag(b))
    np.testing.assert_array_equal(jacobian(f, 1)(X, b), np.diag(X))
    np.testing.assert_array_equal(jacobian(f, argnums=-1)(X, b=b), np.diag(X))
    pair = jacobian(f, argnums=(1, 0))(X, b)
    assert isinstance(pair, tuple)
    np.testing.assert_array_equal(pair, [np.diag(X), np.diag(b)])
    (only,) = jacobian(f, argnums=(0,))(X, b)
    np.testing.assert_array_equal(only, np.diag(b))


@both
def test_aux_is_given_as_it_is(jacobian: Any) -> None:
    jac, aux = jacobian(lambda x: (square(x), {"thrice": 3.0 * x, "s": "text"}), has_aux=True)(X)
    np.testing.assert_array_equal(jac, np.diag(2.0 * X))
    assert aux["s"] == "text" and aux["thrice"].shape == (2,)
    np.testing.assert_array_equal(aux["thrice"], 3.0 * X)


@both
def test_python_numbers(jacobian: Any) -> None:
    jac = jacobian(lambda x: x**3)(2)
    assert (jac.shape, float(jac), jac.weak) == ((), 12.0, True)
    np.testing.assert_array_equal(jacobian(lambda x: tad.stack([x, x * x]))(2.0), [1.0, 4.0])


@both
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_jacobian_has_its_inputs_dtype(jacobian: Any, dtype: Any) -> None:
    x, y = np.array([1.0, 2.0], dtype), np.array([3.0, 4.0])
    dx, dy = jacobian(lambda x, y: x * y, argnums=(0, 1))(x, y)
    assert (dx.dtype, dy.dtype) == (dtype, np.float64)
    np.testing.assert_array_equal(dx, np.diag(y))
    np.testing.assert_array_equal(dy, np.diag(x))


@both
def test_no_dependence_gives_zeros_of_that_shape(jacobian: Any) -> None:
    b = np.ones((2, 3), np.float32)
    da, db = jacobian(lambda a, b: a, argnums=(0, 1))(X, b)
    np.testing.assert_array_equal(da, np.eye(2))
    assert (db.shape, db.dtype) == ((2, 2, 3), np.float32)
    np.testing.assert_array_equal(db, np.zeros((2, 2, 3)))
    np.testing.assert_array_equal(jacobian(lambda x: tad.ones(3))(X), np.zeros((3, 2)))


@dataclasses.dataclass(frozen=True)
class Linear:
    w: Any
    b: Any
    name: str = dataclasses.field(default="linear", metadata={"static": True})


@both
def test_trees_the_outputs_of_the_arguments(jacobian: Any) -> None:
    point = Linear(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.zeros(3), "mine")
    f = lambda p, s: {"y": p.w @ X + p.b, "rest": (s * tad.sum(p.b), None)}
    jac = jacobian(f, argnums=(0, 1))(point, 2.0)
    assert list(jac) == ["y", "rest"] and jac["rest"][1] is None
    by_point, by_s = jac["y"]
    assert isinstance(by_point, Linear) and by_point.name == "mine"
    assert (by_point.w.shape, by_point.b.shape, by_s.shape) == ((3, 3, 2), (3, 3), (3,))
    expected = np.zeros((3, 3, 2))
    expected[range(3), range(3)] = X
    np.testing.assert_array_equal(by_point.w, expected)
    np.testing.assert_array_equal(by_point.b, np.eye(3))
    total_by_point, total_by_s = jac["rest"][0]
    np.testing.assert_array_equal(total_by_point.b, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(total_by_point.w, np.zeros((3, 2)))
    assert float(total_by_s) == 0.0


@both
def test_integers(jacobian: Any) -> None:
    with pytest.raises(DTypeError, match=rf"{jacobian.__name__}: argument 0"):
        jacobian(square)(np.array([1, 2]))
    with pytest.raises(DTypeError, match=rf"{jacobian.__name__}: f returned dtype int64"):
        jacobian(lambda x: tad.argsort(x))(X)


@both
def test_arguments_that_do_not_exist(jacobian: Any) -> None:
    with pytest.raises(ArgumentError, match=rf"{jacobian.__name__}: argnums names argument 1"):
        jacobian(square, 1)(X)


@both
def test_symbolic_sizes_have_no_basis(jacobian: Any) -> None:
    (n,) = tad.symbols("N")
    with pytest.raises(ConcretizationError, match=rf"{jacobian.__name__}: .*\[N\]"):
        tad.interpret(jacobian(square), tad.interpreters.Shape())((n,))


@both
def test_a_jacobian_is_a_program(jacobian: Any) -> None:
    f = lambda x: tad.stack([x[0] ** 2 * x[1], tad.sin(x[1])])
    x = np.array([2.0, 3.0])
    expected = np.array([[12.0, 4.0], [0.0, np.cos(3.0)]])
    np.testing.assert_allclose(jacobian(f)(x), expected, rtol=1e-15)
    np.testing.assert_allclose(tad.jit(jacobian(f))(x), expected, rtol=1e-15)
    rows = tad.vmap(jacobian(f))(np.stack([x, x]))
    np.testing.assert_allclose(rows, [expected, expected], rtol=1e-15)
    second = np.array([[[6.0, 4.0], [4.0, 0.0]], [[0.0, 0.0], [0.0, -np.sin(3.0)]]])
    for outer in MODES:
        np.testing.assert_allclose(outer(jacobian(f))(x), second, rtol=1e-15, atol=0)
    assert tad.interpret(jacobian(f), tad.interpreters.Shape())((2,)) == (2, 2)


def test_the_modes_agree_on_a_network() -> None:
    rng = np.random.default_rng(1)
    w1, w2, x = rng.normal(size=(4, 3)), rng.normal(size=(2, 4)), rng.normal(size=3)
    f = lambda w1, w2, x: w2 @ tad.tanh(w1 @ x)
    ahead = tad.jacfwd(f, argnums=(0, 1, 2))(w1, w2, x)
    back = tad.jacrev(f, argnums=(0, 1, 2))(w1, w2, x)
    h = np.tanh(w1 @ x)
    np.testing.assert_allclose(ahead[2], w2 @ np.diag(1 - h * h) @ w1, rtol=1e-13)
    for a, b in zip(ahead, back, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)
