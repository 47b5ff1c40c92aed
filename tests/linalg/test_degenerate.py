"""Equal eigenvalues and singular values: right where a derivative exists, never finite and wrong.

Right values are known from mathematics: of sum f(w) the gradient is v f'(w) v^T, of the projector
onto an invariant subspace it is in the resolvent, of u s v^T it is the cotangent.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import linalg

RNG = np.random.default_rng(3)
Q = np.linalg.qr(RNG.normal(size=(4, 4)))[0]
W = np.array([1.0, 1.0, 2.0, 5.0])
A = (Q * W) @ Q.T
G = RNG.normal(size=(4, 4))
EXACT = np.diag([1.0, 1.0, 2.0, 5.0])


def weighted(f: Callable[[Any], Any], w: np.ndarray = G) -> Callable[[Any], Any]:
    return lambda x: tad.sum(w * f(x))


def close(got: Any, want: np.ndarray) -> None:
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-10, atol=1e-11)


def is_loud(got: Any) -> bool:
    return not np.isfinite(np.asarray(got)).all()


# --- what has a derivative -----------------------------------------------------------------------
@pytest.mark.parametrize("d", [tad.grad, tad.jacrev, tad.jacfwd])
@pytest.mark.parametrize("x", [A, EXACT, np.eye(4), np.zeros((4, 4))])
def test_sums_over_eigenvalues(d: Callable[..., Any], x: np.ndarray) -> None:
    w, v = np.linalg.eigh(x)
    close(d(lambda x: tad.sum(tad.exp(linalg.eigvalsh(x))))(x), (v * np.exp(w)) @ v.T)
    close(d(lambda x: tad.sum(linalg.eigh(x).eigenvalues ** 3))(x), (v * 3 * w**2) @ v.T)


@pytest.mark.parametrize("d", [tad.grad, tad.jacrev, tad.jacfwd])
def test_sums_over_singular_values(d: Callable[..., Any]) -> None:
    x = (Q[:, :3] * [2.0, 2.0, 1.0]) @ np.linalg.qr(G)[0][:3]
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    close(d(lambda x: tad.sum(linalg.svdvals(x) ** 3))(x), (u * 3 * s**2) @ vh)
    nuclear = d(lambda x: linalg.matrix_norm(x[:, :3], ord="nuc"))(EXACT)
    close(nuclear, np.eye(4) * [1.0, 1.0, 1.0, 0.0])


def test_the_projector_onto_an_eigenspace() -> None:
    def projector(x: Any) -> Any:
        v = linalg.eigh(x).eigenvectors[:, :2]
        return v @ v.mT

    p = Q[:, :2] @ Q[:, :2].T
    s = (G + G.T) / 2
    want = np.zeros((4, 4))
    for j in (2, 3):
        other = np.outer(Q[:, j], Q[:, j])
        want -= (p @ s @ other + other @ s @ p) / (W[j] - 1.0)
    close(tad.grad(weighted(projector))(A), want)


def test_a_truncated_decomposition_of_a_matrix_of_low_rank() -> None:
    # The two least singular values are equal: 0. Near x the truncation is a smooth projection.
    x = Q[:, :2] @ np.diag([3.0, 1.0]) @ RNG.normal(size=(2, 4))

    def truncated(x: Any) -> Any:
        u, s, vh = linalg.svd(x, full_matrices=False)
        return (u[:, :2] * s[:2]) @ vh[:2]

    u, _, vh = np.linalg.svd(x)
    outer = (np.eye(4) - u[:, :2] @ u[:, :2].T) @ G @ (np.eye(4) - vh[:2].T @ vh[:2])
    for d in (tad.grad, tad.jacfwd):
        close(d(weighted(truncated))(x), G - outer)


def test_the_polar_factor_at_equal_singular_values() -> None:
    r = np.linalg.qr(G)[0]

    def polar(x: Any) -> Any:
        u, _, vh = linalg.svd(x, full_matrices=False)
        return u @ vh

    # At an orthogonal matrix r the polar factor moves by the skew part: r skew(r^T d).
    turned = r.T @ G
    close(tad.grad(weighted(polar))(2 * r), r @ (turned - turned.T) / 4)


def test_a_function_that_meets_no_equal_pair() -> None:
    def f(x: Any) -> Any:
        w, v = linalg.eigh(x)
        return v[:, 3] ** 2 * w[3]

    weights = RNG.normal(size=4)
    g = tad.grad(lambda x: tad.sum(weights * f(x)))(A)
    v, h = RNG.normal(size=(4, 4)), 1e-5
    ahead, behind = (np.sum(weights * np.asarray(f(A + t * (v + v.T)))) for t in (h, -h))
    assert np.sum(np.asarray(g) * (v + v.T)) == pytest.approx((ahead - behind) / (2 * h), rel=1e-7)


# --- what has none, or none that can be known ----------------------------------------------------
@pytest.mark.parametrize("x", [A, EXACT, np.eye(4)])
@pytest.mark.parametrize("d", [tad.jacrev, tad.jacfwd])
def test_single_eigenvectors_have_no_derivative(d: Callable[..., Any], x: np.ndarray) -> None:
    assert is_loud(d(lambda x: linalg.eigh(x).eigenvectors[:, 0])(x))


@pytest.mark.parametrize("x", [A, EXACT, np.eye(4), np.zeros((4, 4))])
@pytest.mark.parametrize("d", [tad.grad, tad.jacfwd])
@pytest.mark.parametrize(
    ("f", "slope"),
    [(lambda w: w, np.ones_like), (tad.exp, np.exp), (tad.square, lambda w: 2 * w)],
)
def test_a_function_of_the_matrix_is_right_or_loud(
    f: Callable[[Any], Any],
    slope: Callable[[np.ndarray], np.ndarray],
    d: Callable[..., Any],
    x: np.ndarray,
) -> None:
    # v f(w) v^T does have a derivative; that of the decomposition does not hold it.
    def rebuilt(x: Any) -> Any:
        w, v = linalg.eigh(x)
        return (v * f(w)) @ v.mT

    got = np.asarray(d(weighted(rebuilt))(x))
    if not is_loud(got):
        w, v = np.linalg.eigh(x)
        gap = np.subtract.outer(w, w)
        same = np.abs(gap) < 1e-9
        values = np.asarray(f(w))
        quotients = np.subtract.outer(values, values) / np.where(same, 1.0, gap)
        quotients = np.where(same, slope(w)[:, None], quotients)
        close(got, v @ (v.T @ (G + G.T) / 2 @ v * quotients) @ v.T)


def test_at_the_identity_a_function_of_the_matrix_is_loud() -> None:
    def rebuilt(x: Any) -> Any:
        w, v = linalg.eigh(x)
        return (v * tad.exp(w)) @ v.mT

    for d in (tad.grad, tad.jacfwd):
        assert is_loud(d(weighted(rebuilt))(np.eye(4)))


@pytest.mark.parametrize("x", [np.diag([1.0, 1.0, 2.0, 0.0]), np.eye(4), np.zeros((4, 4))])
def test_a_matrix_rebuilt_of_all_its_singular_vectors_is_right_or_loud(x: np.ndarray) -> None:
    def rebuilt(x: Any) -> Any:
        u, s, vh = linalg.svd(x, full_matrices=False)
        return (u * s) @ vh

    assert is_loud(tad.grad(weighted(rebuilt))(x))
    assert is_loud(tad.jacfwd(weighted(rebuilt))(x))
    low = np.outer(RNG.normal(size=5), RNG.normal(size=4))
    assert is_loud(tad.grad(weighted(rebuilt, RNG.normal(size=(5, 4))))(low))


def test_the_published_case_in_both_modes() -> None:
    # |u s v^T| at equal singular values: reverse mode sees that nothing is beside the diagonal;
    # forward mode sees one direction at a time, and knows nothing of what the vectors are used for.
    def f(x: Any) -> Any:
        u, s, vh = linalg.svd(x, full_matrices=False)
        m = (u * s) @ vh
        return tad.sqrt(tad.sum(m * m))

    x = np.diag([1.0, 1.0, 2.0])
    close(tad.grad(f)(x), x / np.sqrt(6.0))
    assert is_loud(tad.jacfwd(f)(x))


def test_second_derivatives_through_equal_values_are_loud() -> None:
    def projector(x: Any) -> Any:
        v = linalg.eigh(x).eigenvectors[:, :2]
        return v @ v.mT

    for d in (tad.jacrev, tad.jacfwd):
        assert is_loud(d(tad.grad(weighted(projector)))(A))


def test_eigenvalues_that_are_merely_close_are_not_equal() -> None:
    x = (Q * [1.0, 1.0 + 1e-6, 2.0, 5.0]) @ Q.T
    w, v = np.linalg.eigh(x)

    def rebuilt(x: Any) -> Any:
        w, v = linalg.eigh(x)
        return (v * tad.exp(w)) @ v.mT

    s = v.T @ (G + G.T) / 2 @ v
    gaps = np.subtract.outer(w, w) + np.eye(4)
    quotients = np.subtract.outer(np.exp(w), np.exp(w)) / gaps + np.diag(np.exp(w))
    want = v @ (s * quotients) @ v.T
    # A difference quotient over a gap of 1e-6 is known to eps / 1e-6, of the largest entry.
    known = np.finfo(np.float64).eps / 1e-6 * np.abs(want).max()
    np.testing.assert_allclose(tad.grad(weighted(rebuilt))(x), want, rtol=0, atol=known)


def test_norms_at_the_zero_matrix() -> None:
    for order in ("nuc", 2, -2):
        g = tad.grad(lambda x, o=order: linalg.matrix_norm(x, ord=o))(np.zeros((3, 2)))
        np.testing.assert_array_equal(np.asarray(g), np.zeros((3, 2)))


def test_a_rank_deficient_matrix_has_no_qr_derivative() -> None:
    x = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    assert is_loud(tad.jacrev(lambda x: linalg.qr(x).Q)(x))


# --- second derivatives of singular values alone, at a matrix of low rank -------------------------
LOW = np.outer(Q[:, 0], Q[:3, 1]) * 3.0 + np.outer(Q[:, 1], Q[:3, 0])


def twice(f: Callable[[Any], Any], x: Any, d: np.ndarray) -> np.ndarray:
    """The Hessian of f in the direction d, reverse over reverse."""
    return np.asarray(tad.grad(lambda x: tad.sum(tad.grad(f)(x) * d))(x))


def test_second_derivatives_of_the_values_that_are_not_zero() -> None:
    """As those of the eigenvalues of x^T x, among which they are simple."""
    d = RNG.normal(size=LOW.shape)
    largest = lambda x: linalg.svdvals(x)[0]
    close(twice(largest, LOW, d), twice(lambda x: linalg.eigvalsh(x.T @ x)[-1] ** 0.5, LOW, d))
    assert is_loud(tad.hvp(largest)(LOW, d))


def test_second_derivatives_that_values_equal_to_zero_take_part_in() -> None:
    squares = lambda x: tad.sum(linalg.svdvals(x) ** 2)
    d = RNG.normal(size=LOW.shape)
    assert is_loud(tad.hvp(squares)(LOW, d)) and is_loud(twice(squares, LOW, d))


@pytest.mark.xfail(
    strict=True, reason="that f'(s) is 0 does not tell that f''(0) is; docs/linalg.md"
)
def test_a_direction_that_couples_vectors_of_value_zero_is_loud() -> None:
    d = np.zeros((3, 3))
    d[1, 2] = 1.0
    found = twice(lambda x: tad.sum(linalg.svdvals(x) ** 2), np.diag([1.0, 0.0, 0.0]), d)
    assert is_loud(found) or np.allclose(found, 2 * d)
