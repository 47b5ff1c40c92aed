"""Determinants are polynomials: their derivatives, by Leibniz' formula, at singular matrices."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import linalg

RNG = np.random.default_rng(2)


def by_leibniz(x: Any) -> Any:
    """The sum of signed products of entries, which is differentiated as it stands."""
    n = x.shape[0]
    total = 0.0
    for p in permutations(range(n)):
        inversions = sum(p[a] > p[b] for b in range(n) for a in range(b))
        term = (-1.0) ** inversions
        for i in range(n):
            term = term * x[i, p[i]]
        total = total + term
    return total


def of_rank(rank: int, n: int = 4) -> np.ndarray:
    """Exact in floating point, so that lower ranks are what they are said to be."""
    left, right = (RNG.integers(-3, 4, size) for size in ((n, rank), (rank, n)))
    return (left @ right).astype(np.float64)


RANKS = range(5)


@pytest.mark.parametrize("rank", RANKS)
def test_gradient_is_the_matrix_of_cofactors(rank: int) -> None:
    x = of_rank(rank)
    want = np.asarray(tad.grad(by_leibniz)(x))
    for d in (tad.grad, tad.jacfwd, tad.jacrev):
        got = np.asarray(d(linalg.det)(x))
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12 * np.max(np.abs(x)) ** 3)


@pytest.mark.parametrize("rank", RANKS)
def test_second_derivative(rank: int) -> None:
    x = of_rank(rank)
    want = np.asarray(tad.hessian(by_leibniz)(x))
    for d in (tad.jacfwd, tad.jacrev):
        for e in (tad.jacfwd, tad.jacrev):
            got = np.asarray(d(e(linalg.det))(x))
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12 * np.max(np.abs(x)) ** 2)


@pytest.mark.parametrize("rank", RANKS)
def test_fourth_derivative_along_directions(rank: int) -> None:
    x = of_rank(rank)
    vs = RNG.normal(size=(4, 4, 4))

    def along(f: Any, v: np.ndarray) -> Any:
        return lambda x: tad.jvp(f, (x,), (v,))[1]

    found = []
    for f in (linalg.det, by_leibniz):
        for v in vs:
            f = along(f, v)
        found.append(float(f(x)))
    assert found[0] == pytest.approx(found[1], rel=1e-11)
    five = linalg.det
    for v in [*vs, vs[0]]:
        five = along(five, v)
    assert float(five(x)) == 0.0


@pytest.mark.parametrize("size", [1e-15, 1e-9, 1e-3])
def test_a_nearly_singular_matrix_is_no_worse(size: float) -> None:
    x = of_rank(2) + size * RNG.normal(size=(4, 4))
    want = np.asarray(tad.hessian(by_leibniz)(x))
    got = np.asarray(tad.hessian(linalg.det)(x))
    np.testing.assert_allclose(got, want, atol=1e-13 * np.max(np.abs(x)) ** 2)


def test_members_of_a_stack_are_of_different_ranks() -> None:
    x = np.stack([of_rank(r) for r in RANKS])
    got = np.asarray(tad.grad(lambda x: tad.sum(linalg.det(x)))(x))
    for g, member in zip(got, x, strict=True):
        want = np.asarray(tad.grad(linalg.det)(member))
        np.testing.assert_allclose(g, want, rtol=1e-11, atol=1e-10)
    rows = np.asarray(tad.vmap(tad.grad(linalg.det))(x))
    np.testing.assert_allclose(rows, got, rtol=1e-12, atol=1e-12)


def test_the_gradient_of_a_large_matrix_does_not_overflow_before_it_must() -> None:
    x = np.diag([1e200, 1e-200, 1e200, 1e-190])
    got = np.diag(np.asarray(tad.grad(linalg.det)(x)))
    np.testing.assert_allclose(got, [1e-190, 1e210, 1e-190, 1e200], rtol=1e-13)


def test_empty_and_single() -> None:
    assert float(linalg.det(np.zeros((0, 0)))) == 1.0
    assert tad.grad(linalg.det)(np.zeros((0, 0))).shape == (0, 0)
    assert float(tad.grad(linalg.det)(np.array([[0.0]]))[0, 0]) == 1.0
    assert float(linalg.slogdet(np.zeros((0, 0))).sign) == 1.0


def test_slogdet_of_what_det_cannot_hold() -> None:
    x = 1e-5 * np.eye(100)
    sign, log = linalg.slogdet(x)
    assert float(sign) == 1.0 and float(log) == pytest.approx(100 * np.log(1e-5), rel=1e-14)
    g = np.asarray(tad.grad(lambda x: linalg.slogdet(x).logabsdet)(x))
    np.testing.assert_allclose(g, 1e5 * np.eye(100), rtol=1e-13)
    assert float(linalg.det(x)) == 0.0


def test_slogdet_of_a_singular_matrix() -> None:
    x = of_rank(1)
    sign, log = linalg.slogdet(x)
    assert float(sign) == 0.0 and float(log) == -np.inf
    assert np.isnan(np.asarray(tad.grad(lambda x: linalg.slogdet(x).logabsdet)(x))).all()
