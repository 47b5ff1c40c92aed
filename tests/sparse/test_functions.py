"""sparse_jacobian and sparse_hessian: equal to the dense ones, in few products."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors

pytest.importorskip("scipy")

X = np.random.default_rng(0).random(6)


def rosenbrock(x: Any) -> Any:
    return tad.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


JACOBIANS: dict[str, Any] = {
    "shifted": lambda x: x[1:] ** 2 - x[:-1],
    "identity": lambda x: x,
    "constant": lambda x: tad.ones(3),
    "dense": lambda x: tad.sum(x) * x,
    "row": lambda x: tad.stack([tad.sum(x), x[0]]),
    "cumulative": lambda x: tad.cumulative_sum(x * x),
    "selected": lambda x: tad.where(np.arange(6) > 3, x, 0.0),
    "matrix": lambda x: (2.0 * np.eye(6)) @ x,
    "gathered": lambda x: tad.take(x, np.asarray([5, 0, 0])) ** 2,
    "scattered": lambda x: tad.zeros(8).at[np.asarray([1, 7])].add(x[:2] ** 2),
    "reshaped": lambda x: tad.reshape(x, (2, 3)).T @ tad.ones(2),
    "norms": lambda x: tad.linalg.vector_norm(tad.reshape(x, (3, 2)), axis=1),
    "sorted": lambda x: tad.sort(x),
    "scan": lambda x: tad.scan(lambda c, k: (c + k * k, c), 0.0, x)[1],
    "while": lambda x: tad.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, c[1] * x), (0, x))[
        1
    ],
    "cond": lambda x: tad.cond(x[0] > 0.0, lambda t: t * t, lambda t: 2.0 * t, x),
    "solve": lambda x: tad.concat([tad.flip(x), tad.pad(x[:2], (1, 0))]),
}


@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobian(name: str) -> None:
    f = JACOBIANS[name]
    jacobian = tad.sparse_jacobian(f)
    np.testing.assert_allclose(jacobian(X).toarray(), tad.jacrev(f)(X), atol=1e-14)
    again = X[::-1].copy()
    np.testing.assert_allclose(jacobian(again).toarray(), tad.jacrev(f)(again), atol=1e-14)


def test_few_colors() -> None:
    jacobian = tad.sparse_jacobian(JACOBIANS["shifted"])
    jacobian(X)
    assert jacobian.colors.max() == 1 and jacobian.pattern.nnz == 10
    row = tad.sparse_jacobian(JACOBIANS["row"])
    row(X)
    assert row.colors.shape == (2,)  # of the rows: fewer than the columns need


HESSIANS: dict[str, Any] = {
    "tridiagonal": (rosenbrock, 3),
    "arrow": (lambda x: tad.sum(x * x) * x[0] + tad.sum(tad.sin(x) * x[0]), 2),
    "diagonal": (lambda x: tad.sum(x**3), 1),
    "linear": (lambda x: tad.sum(x), 1),
    "dense": (lambda x: tad.sum(x) ** 3, 6),
}


@pytest.mark.parametrize("name", HESSIANS)
def test_hessian(name: str) -> None:
    f, colors = HESSIANS[name]
    hessian = tad.sparse_hessian(f)
    np.testing.assert_allclose(hessian(X).toarray(), tad.hessian(f)(X), rtol=1e-12, atol=1e-12)
    assert hessian.colors.max() + 1 <= colors


def test_further_arguments_are_constants() -> None:
    f = lambda x, a: a * x[1:] ** 2
    np.testing.assert_allclose(
        tad.sparse_jacobian(f)(X, 3.0).toarray(), tad.jacrev(f)(X, 3.0), rtol=1e-14
    )
    h = lambda x, a: tad.sum(a * x**3)
    np.testing.assert_allclose(
        tad.sparse_hessian(h)(X, X).toarray(), tad.hessian(h)(X, X), rtol=1e-13
    )


VARIED: dict[str, Any] = {
    "matrix": (lambda x, m: m @ x, np.eye(6), np.ones((6, 6))),
    "condition": (
        lambda x, m: tad.cond(m > 0.0, lambda t: t * t, lambda t: t * t[::-1], x),
        np.asarray(1.0),
        np.asarray(-1.0),
    ),
    "selection": (lambda x, m: tad.where(m > 0.0, x, x[::-1]) ** 2, X, -X),
    "indices": (lambda x, i: x[i] ** 2, np.asarray([0, 1]), np.asarray([5, 2])),
    "truth": (lambda x, m: tad.where(m, x, x[::-1]) ** 2, X > 0.5, X < 0.5),
    "trips": (
        lambda x, n: tad.fori_loop(0, n, lambda i, c: tad.roll(c, 1), x),
        np.asarray(1),
        np.asarray(2),
    ),
    "tree": (
        lambda x, p: p["a"] * x[p["i"]],
        {"a": 2.0, "i": np.asarray([1])},
        {"a": 1.0, "i": [3]},
    ),
}


@pytest.mark.parametrize("name", VARIED)
def test_further_arguments_may_change_the_pattern(name: str) -> None:
    f, *arguments = VARIED[name]
    jacobian = tad.sparse_jacobian(f)
    hessian = tad.sparse_hessian(lambda x, a: tad.sum(f(x, a) ** 3))
    for a in (*arguments, arguments[0]):
        np.testing.assert_allclose(
            jacobian(X, a).toarray(), tad.jacrev(lambda x, a=a: f(x, a))(X), rtol=1e-13
        )
        np.testing.assert_allclose(
            hessian(X, a).toarray(),
            tad.hessian(lambda x, a=a: tad.sum(f(x, a) ** 3))(X),
            rtol=1e-12,
            atol=1e-14,
        )


def test_no_entries() -> None:
    assert tad.sparse_jacobian(lambda x: x[:0])(X).shape == (0, 6)
    assert tad.sparse_jacobian(lambda x: x)(np.zeros(0)).shape == (0, 0)
    assert tad.sparse_hessian(tad.sum)(np.zeros(0)).shape == (0, 0)


def test_large() -> None:
    n = 20_000
    x = np.random.default_rng(1).random(n)
    hessian = tad.sparse_hessian(rosenbrock)(x)
    assert hessian.shape == (n, n) and hessian.nnz == 3 * n - 2
    v = np.random.default_rng(2).random(n)
    np.testing.assert_allclose(hessian @ v, tad.hvp(rosenbrock)(x, v), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("program", "error", "said"),
    [
        (lambda x: x**2, errors.ShapeError, "f must return a scalar"),
        (lambda x: (tad.sum(x), 1.0), errors.ArgumentError, "f must return one real number"),
        (tad.argmax, errors.DTypeError, "f returned dtype int64"),
    ],
)
def test_errors_name_the_function_called(program: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=f"^sparse_hessian: {said}"):
        tad.sparse_hessian(program)(X)


def test_a_jacobian_of_integers_is_refused() -> None:
    with pytest.raises(errors.DTypeError, match="^sparse_jacobian: f returned dtype int64"):
        tad.sparse_jacobian(tad.argsort)(X)


def test_a_tree_goes_by_a_vector() -> None:
    vector, unravel = tad.trees.ravel({"a": X[:2], "b": X[2:]})
    f = lambda p: tad.sum(p["a"] ** 3) + tad.sum(p["b"] ** 2)
    hessian = tad.sparse_hessian(lambda v: f(unravel(v)))(vector)
    np.testing.assert_allclose(hessian.toarray(), np.diag([*(6.0 * X[:2]), *[2.0] * (X.size - 2)]))


def test_misuse() -> None:
    with pytest.raises(errors.ArgumentError, match="after the first call"):
        _ = tad.sparse_jacobian(rosenbrock).pattern
    for inside in (tad.jit(tad.sparse_jacobian(tad.sin)), tad.vmap(tad.sparse_jacobian(tad.sin))):
        with pytest.raises(errors.ConcretizationError, match="sparse_jacobian.*outside jit"):
            inside(np.ones((2, 2)))
    with pytest.raises(errors.DTypeError, match="sparse_jacobian"):
        tad.sparse_jacobian(lambda x: x)(np.arange(3))
    with pytest.raises(errors.ArgumentError, match="one array"):
        tad.sparse_jacobian(lambda x: (x, x))(X)
    with pytest.raises(errors.ShapeError):
        tad.sparse_hessian(lambda x: x)(X)
