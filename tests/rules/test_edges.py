"""Derivatives at infinities, NaN and zeros, and structural zeros behind rules of no special kind."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad

INF, NAN = np.inf, np.nan


def derivative(f: Any, x: Any) -> Any:
    return np.asarray(tad.grad(f)(np.asarray(x)))


def test_first_power_at_infinity() -> None:
    assert float(tad.grad(tad.grad(lambda x: x**1))(INF)) == 0.0


def test_the_largest_of_nan_has_no_infinite_derivative() -> None:
    assert not np.isinf(derivative(tad.max, [NAN, 1.0])).any()


def test_the_hessian_of_a_length_at_the_origin_is_zero() -> None:
    h = tad.hessian(lambda x: tad.hypot(x[0], x[1]))(np.zeros(2))
    np.testing.assert_array_equal(h, np.zeros((2, 2)))


@pytest.mark.parametrize("x", [1e-17, 1e-12, 1e-10])
def test_second_derivatives_of_inverses_near_zero(x: float) -> None:
    # asin'' = x (1 - x*x)**(-3/2), atanh'' = 2 x / (1 - x*x)**2
    assert float(tad.grad(tad.grad(tad.asin))(x)) == pytest.approx(x, rel=1e-15)
    assert float(tad.grad(tad.grad(tad.acos))(x)) == pytest.approx(-x, rel=1e-15)
    assert float(tad.grad(tad.grad(tad.atanh))(x)) == pytest.approx(2 * x, rel=1e-15)


def test_dead_entries_of_updates_contribute_nothing() -> None:
    f = lambda x: x.at[np.array([0])].multiply(np.array([INF]))[1]
    np.testing.assert_array_equal(derivative(f, [1.0, 2.0]), [0.0, 1.0])
    g = lambda u: tad.zeros(2).at[np.array([0, 1])].max(tad.sqrt(u))[1]
    np.testing.assert_array_equal(derivative(g, [-1.0, 4.0]), [0.0, 0.25])


@pytest.mark.xfail(
    strict=True,
    reason="the recurrence of cumulative_prod multiplies by the dead infinity before any select",
)
def test_dead_infinity_in_a_cumulative_product() -> None:
    f = lambda x: tad.sum(tad.cumulative_prod(x)[:2])
    np.testing.assert_array_equal(derivative(f, [1.0, 2.0, INF]), [3.0, 1.0, 0.0])


@pytest.mark.xfail(
    strict=True,
    reason="a matmul cleans what meets dead entries alone; here each infinity meets a live one too",
)
def test_ragged_mask_against_an_infinity_in_a_matmul() -> None:
    live = np.array([[True, False], [False, True]])
    a = np.array([[1.0, INF], [2.0, 3.0]])
    f = lambda v: tad.sum(tad.where(live, tad.asarray(a) @ v, 0.0))
    np.testing.assert_array_equal(derivative(f, np.ones((2, 2))), [[1.0, 2.0], [INF, 3.0]])


def test_losses_and_activations_at_infinities() -> None:
    nnf = tad.nn.functional
    loss = nnf.cross_entropy(np.array([[0.0, -INF, 1.0]]), np.array([0]))
    np.testing.assert_allclose(loss, [np.log(1 + np.e)], rtol=1e-15)
    np.testing.assert_array_equal(nnf.relu6(np.array([NAN, 7.0, 3.0])), [NAN, 6.0, 3.0])
    # x * erfc(-x / sqrt(2)) / 2 at 50 digits
    gelu = nnf.gelu(np.array([-9.0]), approximate=False)
    np.testing.assert_allclose(gelu, [-1.015729565358456583e-18], rtol=5e-14)
