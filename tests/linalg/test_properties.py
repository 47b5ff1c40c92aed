"""Identities between decompositions and what they are made of: values, gradients, Hessians.

What is put together again from its parts is the matrix itself, so the gradient of its product with
weights is the weights, and the second derivative is 0, however intricate the parts' rules are.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import taglessad as tad
from taglessad import linalg

quick = settings(deadline=None, database=None, derandomize=True, max_examples=15)
seeds = st.integers(0, 2**32)
leads = st.sampled_from([(), (1,), (3,), (2, 2)])
sizes = st.integers(1, 5)


def matrix(seed: int, *shape: int) -> np.ndarray:
    """With singular values 1, 2, ... and some noise: well conditioned, none equal."""
    rng = np.random.default_rng(seed)
    *lead, m, n = shape
    k = min(m, n)
    u = np.linalg.qr(rng.normal(size=(*lead, m, m)))[0][..., :k]
    v = np.linalg.qr(rng.normal(size=(*lead, n, n)))[0][..., :k]
    s = np.arange(1.0, k + 1) + rng.uniform(-0.2, 0.2, (*lead, k))
    return (u * s[..., None, :]) @ v.swapaxes(-1, -2)


def symmetric(seed: int, *shape: int) -> np.ndarray:
    x = matrix(seed, *shape)
    u, s, _ = np.linalg.svd(x)
    return (u * s[..., None, :]) @ u.swapaxes(-1, -2)


def t(x: Any) -> Any:
    return tad.matrix_transpose(x)


def by_cholesky(x: Any) -> Any:
    y = linalg.cholesky(x)
    return y @ t(y)


def by_eigh(x: Any) -> Any:
    w, v = linalg.eigh(x)
    return (v * w[..., None, :]) @ t(v)


def by_qr(x: Any) -> Any:
    q, r = linalg.qr(x)
    return q @ r


def by_svd(x: Any) -> Any:
    u, s, vh = linalg.svd(x, full_matrices=False)
    return (u * s[..., None, :]) @ vh


def check(
    f: Callable[[Any], Any],
    x: np.ndarray,
    seed: int,
    part: Callable[[np.ndarray], np.ndarray],
) -> None:
    """f is linear, and what it makes of any matrix is that `part` of it."""
    rng = np.random.default_rng(seed + 1)
    w, d = rng.normal(size=x.shape), rng.normal(size=x.shape)
    np.testing.assert_allclose(np.asarray(f(x)), x, rtol=1e-11, atol=1e-11)
    want = part(w)
    gradient = tad.grad(lambda x: tad.sum(w * f(x)))
    np.testing.assert_allclose(np.asarray(gradient(x)), want, rtol=1e-9, atol=1e-9)
    _, along = tad.jvp(f, (x,), (d,))
    moved = part(d)
    np.testing.assert_allclose(np.asarray(along), moved, rtol=1e-9, atol=1e-9)
    _, second = tad.jvp(gradient, (x,), (d,))
    np.testing.assert_allclose(np.asarray(second), np.zeros(x.shape), atol=1e-8)


@quick
@given(seeds, leads, sizes, sizes)
@pytest.mark.parametrize("f", [by_qr, by_svd])
def test_what_is_rebuilt_of_any_matrix(
    f: Callable[[Any], Any], seed: int, lead: tuple[int, ...], m: int, n: int
) -> None:
    check(f, matrix(seed, *lead, m, n), seed, lambda w: w)


@quick
@given(seeds, leads, sizes)
@pytest.mark.parametrize("f", [by_cholesky, by_eigh])
def test_what_is_rebuilt_of_a_symmetric_matrix(
    f: Callable[[Any], Any], seed: int, lead: tuple[int, ...], n: int
) -> None:
    check(f, symmetric(seed, *lead, n, n), seed, lambda w: (w + w.swapaxes(-1, -2)) / 2)


@quick
@given(seeds, leads, sizes)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: linalg.inv(linalg.inv(x)),
        lambda x: linalg.pinv(linalg.pinv(x)),
        lambda x: linalg.solve(linalg.inv(x), np.eye(x.shape[-1])),
        lambda x: linalg.solve(x, x @ x),
        lambda x: linalg.matrix_power(x, -2) @ x @ x @ x,
        lambda x: x @ linalg.expm(x) @ linalg.expm(-x),
        lambda x: x * (linalg.det(x) * linalg.det(linalg.inv(x)))[..., None, None],
        lambda x: linalg.solve_triangular(x, tad.tril(x) @ x, lower=True),
    ],
    ids=["inv", "pinv", "solve", "solve x x", "power", "expm", "det", "triangular"],
)
def test_what_undoes_itself(
    f: Callable[[Any], Any], seed: int, lead: tuple[int, ...], n: int
) -> None:
    # A triangle of a random matrix may be badly conditioned: these have large diagonals.
    check(f, matrix(seed, *lead, n, n) / 4 + 2 * np.eye(n), seed, lambda w: w)


@quick
@given(seeds, leads, sizes)
def test_the_gradient_of_the_log_determinant_is_the_inverse(
    seed: int, lead: tuple[int, ...], n: int
) -> None:
    x = symmetric(seed, *lead, n, n)
    for f in (
        lambda x: linalg.slogdet(x).logabsdet,
        lambda x: tad.log(linalg.det(x)),
        lambda x: 2 * tad.sum(tad.log(linalg.diagonal(linalg.cholesky(x))), axis=-1),
        lambda x: tad.sum(tad.log(linalg.eigvalsh(x)), axis=-1),
        lambda x: tad.sum(tad.log(linalg.svdvals(x)), axis=-1),
    ):
        g = tad.grad(lambda x, f=f: tad.sum(f(x)))(x)
        np.testing.assert_allclose(np.asarray(g), np.linalg.inv(x), rtol=1e-9, atol=1e-9)


@quick
@given(seeds, sizes)
def test_the_exponential_along_a_line(seed: int, n: int) -> None:
    x = matrix(seed, n, n)
    f = lambda s: linalg.expm(s * x)
    y = np.asarray(f(0.7))
    scale = np.max(np.abs(y))
    slope = np.asarray(tad.jacfwd(f)(0.7))
    np.testing.assert_allclose(slope, x @ y, rtol=1e-10, atol=1e-10 * scale * n)
    bend = np.asarray(tad.jacfwd(tad.jacfwd(f))(0.7))
    np.testing.assert_allclose(bend, x @ x @ y, rtol=1e-10, atol=1e-9 * scale * n * n)


@quick
@given(seeds, leads, sizes, sizes)
def test_least_squares_is_orthogonal_to_the_residual(
    seed: int, lead: tuple[int, ...], m: int, n: int
) -> None:
    a = matrix(seed, *lead, m, n)
    b = np.random.default_rng(seed).normal(size=(*lead, m, 2))
    x = linalg.lstsq(a, b).x
    residual = b - np.asarray(a @ x)
    np.testing.assert_allclose(a.swapaxes(-1, -2) @ residual, np.zeros((*lead, n, 2)), atol=1e-10)
    if m >= n:  # the least sum of squares does not move with x to first order
        f = lambda b: tad.sum(linalg.lstsq(a, b).residuals)
        np.testing.assert_allclose(np.asarray(tad.grad(f)(b)), 2 * residual, atol=1e-9)
