"""Gamma, beta and Dirichlet numbers: against SciPy's laws, and their derivatives at every order."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad

stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")

KEY = tad.random.key(7)
N = 10_000
LEAST = 1e-4


@pytest.mark.parametrize("a", [0.02, 0.5, 1.0, 3.7, 1e4])
def test_gamma_against_scipy(a: float) -> None:
    x = np.asarray(tad.random.gamma(KEY, a, (N,)))
    assert stats.kstest(x, stats.gamma(a).cdf).pvalue > LEAST
    y = np.asarray(tad.random.loggamma(KEY, a, (N,)))
    assert stats.kstest(y, stats.loggamma(a).cdf).pvalue > LEAST


def test_float32() -> None:
    x = tad.random.gamma(KEY, np.full(N, 2.5, np.float32))
    assert x.dtype == tad.float32
    assert stats.kstest(np.asarray(x, float), stats.gamma(2.5).cdf).pvalue > LEAST


def test_beta_and_dirichlet_against_scipy() -> None:
    x = np.asarray(tad.random.beta(KEY, 0.4, 2.0, (N,)))
    assert stats.kstest(x, stats.beta(0.4, 2.0).cdf).pvalue > LEAST
    alpha = np.array([0.3, 1.0, 2.5])
    d = np.asarray(tad.random.dirichlet(KEY, alpha, (N, 3)))
    np.testing.assert_allclose(d.sum(axis=-1), 1.0, rtol=1e-14)
    for i in range(3):
        share = stats.beta(alpha[i], alpha.sum() - alpha[i])
        assert stats.kstest(d[:, i], share.cdf).pvalue > LEAST


def quantiles(a: float, q: np.ndarray) -> np.ndarray:
    return np.log(special.gammaincinv(a, q))


@pytest.mark.parametrize("a", [0.05, 0.7, 2.5, 40.0])
def test_the_derivative_is_that_of_quantiles(a: float) -> None:
    f = lambda a: tad.random.loggamma(KEY, a, (5,))
    y = np.asarray(f(a))
    q = special.gammainc(a, np.exp(y))  # its place in the distribution, which stays
    h = 2e-4 * a
    ahead, here, behind = (quantiles(a + d, q) for d in (h, 0.0, -h))
    slope = np.asarray(tad.jacfwd(f)(a))
    np.testing.assert_allclose(slope, (ahead - behind) / (2 * h), rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(tad.jacrev(f)(a)), slope)
    curvature = np.asarray(tad.jacfwd(tad.jacrev(f))(a))
    np.testing.assert_allclose(curvature, (ahead - 2 * here + behind) / h**2, rtol=1e-3)


def test_derivatives_where_the_number_itself_is_0() -> None:
    a = 1e-3
    f = lambda a: tad.random.loggamma(KEY, a, (200,))
    y, slope = np.asarray(f(a)), np.asarray(tad.jacfwd(f)(a))
    assert np.any(np.exp(y) == 0.0)
    assert np.all(np.isfinite(slope))
    # There P(a, x) = x**a / Gamma(a + 1), solved for log x.
    want = (special.digamma(a + 1) - y) / a
    small = np.exp(y) < 1e-12
    np.testing.assert_allclose(slope[small], want[small], rtol=1e-9)


def test_means_move_as_they_should() -> None:
    # E[x] = a, E[log x] = digamma(a); E of a beta number = a / (a + b).
    a = 1.7
    mean = lambda a: tad.mean(tad.random.gamma(KEY, a, (2000,)))
    assert float(tad.grad(mean)(a)) == pytest.approx(1.0, abs=0.06)
    logs = lambda a: tad.mean(tad.random.loggamma(KEY, a, (2000,)))
    assert float(tad.grad(logs)(a)) == pytest.approx(float(special.polygamma(1, a)), abs=0.03)
    share = lambda a, b: tad.mean(tad.random.beta(KEY, a, b, (2000,)))
    by_a, by_b = tad.grad(share, (0, 1))(a, 0.8)
    assert float(by_a) == pytest.approx(0.8 / 2.5**2, abs=0.01)
    assert float(by_b) == pytest.approx(-1.7 / 2.5**2, abs=0.02)


def test_under_transforms() -> None:
    f = lambda a: tad.random.gamma(KEY, a)
    slope = tad.grad(f)
    assert float(tad.jit(slope)(2.0)) == pytest.approx(float(slope(2.0)), rel=1e-14)
    many = np.array([0.2, 1.0, 5.0])
    together = np.asarray(tad.vmap(slope)(many))
    np.testing.assert_allclose(together, [float(slope(a)) for a in many], rtol=1e-13)


def test_what_is_no_parameter() -> None:
    calls: list[Any] = [
        lambda: tad.random.gamma(KEY, 0.0),
        lambda: tad.random.loggamma(KEY, np.array([1.0, np.nan])),
        lambda: tad.random.beta(KEY, 1.0, -1.0),
        lambda: tad.random.dirichlet(KEY, np.array([1.0, -1.0])),
    ]
    for call in calls:
        with pytest.raises(tad.DomainError, match="entries that are not positive"):
            call()
    unseen = tad.jit(lambda a: tad.random.gamma(KEY, a))  # and it comes to an end
    for a in (-1.0, 0.0, np.nan, np.inf):
        assert np.isnan(float(unseen(a)))
