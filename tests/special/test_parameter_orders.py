"""Derivatives in the parameters of incomplete functions: as balls they hold the exact value."""

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import taglessad as tad
from taglessad import special
from taglessad.interpreters import Real

GAMMA = [(90.54135, 21.128281), (27.0, 14.874136), (144.0, 52.188531), (2.0, 60.0), (0.5, 0.25)]
BETA = [
    (1.3237844, 44.634617, 0.8158536),
    (2.7061727, 0.0212774, 0.9801945),
    (1.0, 4.0, 0.9950965),
    (1.0, 1.0, 0.8688543),
    (7.0, 13.0, 0.9999963),
    (3.5, 2.0, 0.5),
    (3.5, 2.0, 0.01),
]


def _holds(found: Any, exact: Any) -> bool:  # Any: a ball, and an mpmath number
    low, high = float(found.lo), float(found.hi)
    return bool(low <= exact <= high and high - low <= 1e-15 * abs(exact))


@pytest.mark.parametrize("at", GAMMA, ids=str)
@pytest.mark.parametrize("order", (1, 2))
def test_gammainc_in_its_parameter(at: tuple[float, float], order: int) -> None:
    f: Callable[..., Any] = special.gammainc
    for _ in range(order):
        f = tad.grad(f)
    a, x = at
    with mp.workdps(120):
        exact = mp.diff(lambda s: mp.gammainc(s, 0, mp.mpf(x), regularized=True), a, order)
        assert _holds(tad.interpret(f, Real())(a, x), exact)


@pytest.mark.parametrize("at", BETA, ids=str)
@pytest.mark.parametrize("orders", ((1, 0), (0, 1)), ids=str)
def test_betainc_in_its_parameters(at: tuple[float, ...], orders: tuple[int, int]) -> None:
    f: Callable[..., Any] = special.betainc
    for operand, order in enumerate(orders):
        for _ in range(order):
            f = tad.grad(f, argnums=operand)
    a, b, x = at
    with mp.workdps(120):
        value = lambda s, t: mp.betainc(s, t, 0, mp.mpf(x), regularized=True)
        exact = mp.diff(value, (a, b), orders)
        assert _holds(tad.interpret(f, Real())(a, b, x), exact)


@pytest.mark.parametrize("dtype", (np.float16, np.float32, np.float64))
def test_the_slope_of_entr_next_to_its_zero(dtype: type) -> None:
    x = np.nextafter(np.asarray(np.exp(-1.0), dtype), dtype(1))
    found = float(tad.grad(special.entr)(tad.tensor(x)))
    with mp.workdps(40):
        exact = -(1 + mp.log(mp.mpf(float(x))))
    assert abs(found - exact) <= 4 * np.finfo(dtype).eps * abs(exact)


def test_the_curvature_of_logaddexp_where_its_operands_are_equal() -> None:
    for f, curvature in ((tad.logaddexp, 0.25), (tad.logaddexp2, 0.25 * np.log(2))):
        slope = tad.grad(f)
        assert float(tad.grad(slope)(1.0, 1.0)) == pytest.approx(curvature, rel=1e-15)
        assert float(tad.grad(slope, argnums=1)(1.0, 1.0)) == pytest.approx(-curvature, rel=1e-15)


def test_the_mixed_derivative_of_beta_does_not_cancel() -> None:
    """Its limit at the origin is 2 zeta(3)."""
    mixed = tad.grad(tad.grad(special.beta), argnums=1)
    assert float(mixed(1e-30, 1e-25)) == pytest.approx(float(2 * mp.zeta(3)), rel=1e-15)
