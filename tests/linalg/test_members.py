"""Each matrix of a stack is its own: a bad one spoils no other, and one not selected spoils nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import linalg

RNG = np.random.default_rng(4)
GOOD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.0], [0.5, 0.0, 2.0]])
SINGULAR = np.zeros((3, 3))
INDEFINITE = -GOOD
NAN = np.full((3, 3), np.nan)

Function = Callable[[Any], Any]
FUNCTIONS: dict[str, tuple[Function, list[np.ndarray]]] = {
    "cholesky": (linalg.cholesky, [SINGULAR, INDEFINITE, NAN]),
    "det": (linalg.det, [NAN]),
    "eigh": (lambda x: linalg.eigh(x).eigenvectors, [NAN]),
    "eigvalsh": (linalg.eigvalsh, [NAN]),
    "expm": (linalg.expm, [NAN, np.full((3, 3), np.inf)]),
    "inv": (linalg.inv, [SINGULAR, NAN]),
    "pinv": (linalg.pinv, [NAN]),
    "qr": (lambda x: linalg.qr(x).R, [NAN]),
    "slogdet": (lambda x: linalg.slogdet(x).logabsdet, [SINGULAR, NAN]),
    "solve": (lambda x: linalg.solve(x, np.ones(3)), [SINGULAR, NAN]),
    "svd": (lambda x: linalg.svd(x).U, [NAN]),
    "solve_triangular": (lambda x: linalg.solve_triangular(x, np.ones(3)), [SINGULAR, NAN]),
}
EACH = [(name, k) for name, (_, bad) in FUNCTIONS.items() for k in range(len(bad))]
each = pytest.mark.parametrize(("name", "k"), EACH)


@each
def test_a_bad_matrix_spoils_no_other(name: str, k: int) -> None:
    f, bad = FUNCTIONS[name]
    x = np.stack([GOOD, bad[k], 2 * GOOD])
    got = np.asarray(f(x))
    assert not np.isfinite(got[1]).all()
    for i in (0, 2):
        np.testing.assert_allclose(got[i], np.asarray(f(x[i])), rtol=1e-13, atol=1e-13)
    g = np.asarray(tad.grad(lambda x: tad.sum(f(x)))(x))
    for i in (0, 2):
        alone = np.asarray(tad.grad(lambda x: tad.sum(f(x)))(x[i]))
        np.testing.assert_allclose(g[i], alone, rtol=1e-12, atol=1e-12)


@each
def test_a_matrix_that_is_not_selected_contributes_nothing(name: str, k: int) -> None:
    f, bad = FUNCTIONS[name]
    x = np.stack([GOOD, bad[k]])
    chosen = np.array([True, False])

    def selected(x: Any) -> Any:
        y = f(x)
        return tad.sum(tad.where(tad.reshape(chosen, (2, *(1,) * (y.ndim - 1))), y**2, 0.0))

    alone = lambda x: tad.sum(f(x) ** 2)
    want = np.asarray(tad.grad(alone)(GOOD))
    for d in (tad.grad, tad.jacrev, tad.jacfwd, lambda f: tad.jit(tad.grad(f))):
        got = np.asarray(d(selected)(x))
        np.testing.assert_allclose(got[0], want, rtol=1e-11, atol=1e-11)
        np.testing.assert_array_equal(got[1], np.zeros((3, 3)))

    def each(x: Any, chosen: Any) -> Any:
        return tad.where(chosen, alone(x), 0.0)

    got = np.asarray(tad.vmap(tad.grad(each))(x, chosen))
    np.testing.assert_allclose(got[0], want, rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(got[1], np.zeros((3, 3)))
    hessian = np.asarray(tad.hessian(selected)(x))
    np.testing.assert_array_equal(hessian[1], np.zeros((3, 3, 2, 3, 3)))
    assert np.isfinite(hessian[0, :, :, 0]).all()


def test_a_singular_matrix_behind_a_selection_of_its_inverse() -> None:
    # What is selected is the matrix, not the result: the identity stands for the singular one.
    def f(x: Any, ok: Any) -> Any:
        return tad.sum(linalg.inv(tad.where(ok, x, np.eye(3))))

    g = np.asarray(tad.grad(f)(SINGULAR, False))
    np.testing.assert_array_equal(g, np.zeros((3, 3)))
    want = np.asarray(tad.grad(lambda x: tad.sum(linalg.inv(x)))(GOOD))
    np.testing.assert_array_equal(np.asarray(tad.grad(f)(GOOD, True)), want)


def test_vmap_over_either_operand() -> None:
    a, b = RNG.normal(size=(2, 3, 3)), RNG.normal(size=(4, 3, 2))
    got = np.asarray(tad.vmap(linalg.solve, in_axes=(None, 0))(a[0], b))
    want = np.stack([np.linalg.solve(a[0], y) for y in b])
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)
    got = np.asarray(tad.vmap(linalg.solve, in_axes=(0, None))(a, b[0]))
    want = np.stack([np.linalg.solve(x, b[0]) for x in a])
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)
    nested = tad.vmap(tad.vmap(linalg.solve, in_axes=(None, 0)), in_axes=(0, None))
    got = np.asarray(nested(a, b))
    want = np.stack([[np.linalg.solve(x, y) for y in b] for x in a])
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


def test_results_are_trees() -> None:
    x = np.stack([GOOD, 2 * GOOD])
    result = tad.vmap(linalg.eigh)(x)
    assert isinstance(result, linalg.EighResult)
    assert result.eigenvectors.shape == (2, 3, 3)
    compiled = tad.jit(linalg.svd)(GOOD)
    assert isinstance(compiled, linalg.SVDResult)
    np.testing.assert_allclose(np.asarray(compiled.S), np.linalg.svd(GOOD)[1], rtol=1e-13)
