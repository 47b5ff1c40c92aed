"""Beta functions and binomial coefficients of negative numbers: values, zeros, poles, derivatives."""

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import scipy.special

import taglessad as tad
from taglessad import special
from taglessad.interpreters import Jax, Real

INF = math.inf
WHOLE = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
HALVES = (-2.5, -1.5, -0.5, 0.5, 1.5)
BETA = [(a, b) for a in (*WHOLE, *HALVES) for b in (*WHOLE, *HALVES)]
FAR = [(INF, -0.5), (1e300, -0.5)]


@pytest.mark.parametrize("name", ("beta", "betaln"))
@pytest.mark.parametrize("at", BETA + FAR, ids=str)
def test_beta_as_scipy(name: str, at: tuple[float, float]) -> None:
    found, expected = float(getattr(special, name)(*at)), getattr(scipy.special, name)(*at)
    if math.isinf(expected):  # at a pole its sign depends on the side
        assert abs(found) == INF
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-14, atol=1e-15)


@pytest.mark.parametrize("at", ((-200.3, 0.5), (-200.3, 200.8), (-171.5, 171.2), (-96.5, -63.25)))
def test_beta_where_gamma_leaves_the_range(at: tuple[float, float]) -> None:
    with mp.workdps(60):
        exact = float(exact_beta(*map(mp.mpf, at)))
    np.testing.assert_allclose(float(special.beta(*at)), exact, rtol=1e-14)
    np.testing.assert_allclose(float(special.betaln(*at)), np.log(abs(exact)), rtol=1e-14)


SPECIAL_N = (*HALVES, 1.0, 2.0, 5.0, 5.5)


@pytest.mark.parametrize("at", [(n, k) for n in SPECIAL_N for k in (*WHOLE, *HALVES, 6.5, 7.0)])
def test_binom_as_scipy(at: tuple[float, float]) -> None:
    found = float(special.binom(*at))
    np.testing.assert_allclose(found, scipy.special.binom(*at), rtol=2e-14, atol=1e-15)


@pytest.mark.parametrize("k", (-1.0, 0.5, 2.0))
def test_binom_of_negative_integers_has_no_value(k: float) -> None:
    assert math.isnan(float(special.binom(-2.0, k)))


Function = Callable[[Any, Any], Any]  # Any: mpmath numbers


def exact_beta(a: Any, b: Any) -> Any:
    return mp.gamma(a) * mp.gamma(b) * mp.rgamma(a + b)


def exact_binom(n: Any, k: Any) -> Any:
    return mp.gamma(n + 1) * mp.rgamma(k + 1) * mp.rgamma(n - k + 1)


# Where a + b, or k + 1, or n - k + 1, is a pole, the function is 0; and beside such places.
DERIVED: list[tuple[str, Function, tuple[float, float]]] = [
    ("beta", exact_beta, (-0.5, -0.5)),
    ("beta", exact_beta, (-1.5, 0.5)),
    ("beta", exact_beta, (-1.25, -2.75)),
    ("beta", exact_beta, (-0.3, -0.4)),
    ("beta", exact_beta, (-2.2, 5.7)),
    ("binom", exact_binom, (5.0, -2.0)),
    ("binom", exact_binom, (5.0, 7.0)),
    ("binom", exact_binom, (5.5, 7.5)),
    ("binom", exact_binom, (-1.5, -2.0)),
    ("binom", exact_binom, (-1.5, 0.5)),
    ("binom", exact_binom, (-1.25, 0.5)),
]


@pytest.mark.parametrize(("name", "exact", "at"), DERIVED, ids=[f"{n}{a}" for n, _, a in DERIVED])
@pytest.mark.parametrize("orders", ((), (0,), (1,), (0, 0), (0, 1), (1, 1), (0, 0, 1)), ids=str)
def test_derivatives(
    name: str, exact: Function, at: tuple[float, float], orders: tuple[int, ...]
) -> None:
    f: Any = getattr(special, name)
    for argument in orders:
        f = tad.grad(f, argnums=argument)
    with mp.workdps(40):
        place = tuple(map(mp.mpf, at))
        counts = (orders.count(0), orders.count(1))
        expected = float(mp.diff(exact, place, counts) if orders else exact(*place))
    np.testing.assert_allclose(float(f(*at)), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("mode", ("fwd", "rev"))
def test_both_modes_at_a_zero(mode: str) -> None:
    jacobian: Any = getattr(tad, f"jac{mode}")
    found = jacobian(special.beta, argnums=(0, 1))(-0.5, -0.5)
    np.testing.assert_allclose([float(d) for d in found], [-4 * math.pi] * 2, rtol=1e-15)


def test_other_interpreters() -> None:
    at = (tad.tensor(-1.25), tad.tensor(0.5))
    value = float(special.beta(*at))
    assert float(tad.interpret(special.beta, Jax())(*at)) == value
    ball = tad.interpret(special.beta, Real())(*at)
    assert abs(float(ball.lo) - value) < 1e-14 and abs(float(ball.hi) - value) < 1e-14
