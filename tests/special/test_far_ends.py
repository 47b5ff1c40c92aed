"""Where arguments are huge, or at the ends of the domain, and plain formulas leave the range."""

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import taglessad as tad
from taglessad import special

INF, NAN = math.inf, math.nan

VALUES: list[tuple[str, tuple[Any, ...], float]] = [
    # 1 + p y rounds to 1.
    ("inv_boxcox", (-3e17, 1e-34), 0.0),
    ("inv_boxcox", (1e20, 1e-36), INF),
    ("inv_boxcox", (1.2659e244, 1e-300), INF),
    ("inv_boxcox", (1e300, 1e-310), INF),
    ("inv_boxcox", (NAN, INF), NAN),
    ("inv_boxcox", (1.0, INF), 1.0),
    ("inv_boxcox", (INF, 0.0), INF),
    ("inv_boxcox", (-INF, 0.0), 0.0),
    ("boxcox", (0.0, 0.0), -INF),
    ("boxcox", (INF, 0.0), INF),
    ("boxcox", (NAN, 0.0), NAN),
    ("boxcox", (-1.0, 0.0), NAN),
    ("boxcox", (-1.0, 2.0), NAN),
    ("betaln", (1.0, 1.0), 0.0),
    ("betaln", (INF, 1.0), -INF),
    ("betaln", (0.0, 0.0), INF),
    ("beta", (0.0, 0.0), INF),
    ("beta", (INF, INF), 0.0),
    ("gammainc", (1e36, 1.0000000000000002e36), 1.0),
    ("gammaincc", (1e100, 0.9999999999999998e100), 1.0),
]


@pytest.mark.parametrize(("name", "at", "value"), VALUES, ids=[f"{n}{a}" for n, a, _ in VALUES])
def test_ends(name: str, at: tuple[float, ...], value: float) -> None:
    np.testing.assert_equal(float(getattr(special, name)(*at)), value)


NEAR: list[tuple[str, tuple[Any, ...], float]] = [
    # B(n - k + 1, k + 1) is subnormal.
    ("binom", (1e160, 1.0), 1e160),
    ("binom", (1e105, 2.0), 5e209),
    ("binom", (1e200, 1.0), 1e200),
    ("binom", (1e308, 1.0), 1e308),
    ("binom", (1e33, 9.0), 1e297 / math.factorial(9)),
    ("polygamma", (100, -1.499999999), 9.5590474593023592e181),
    ("gammaincc", (1e20, 1e20), 0.5 - 1 / (3 * math.sqrt(2 * math.pi * 1e20))),
]


@pytest.mark.parametrize(("name", "at", "value"), NEAR, ids=[f"{n}{a}" for n, a, _ in NEAR])
def test_huge_arguments(name: str, at: tuple[Any, ...], value: float) -> None:
    np.testing.assert_allclose(float(getattr(special, name)(*at)), value, rtol=2e-15)


@pytest.mark.parametrize("a", (1e30, 1e36, 1e40, 1e100, 1e300))
def test_incomplete_functions_at_huge_equal_parameters(a: float) -> None:
    """The normal limit, in which half is on either side, and the slope is that of the middle."""
    half = [special.gammainc(a, a), special.gammaincc(a, a), special.betainc(a, a, 0.5)]
    np.testing.assert_allclose([float(y) for y in half], 0.5, rtol=2e-15)
    slope = 1 / math.sqrt(2 * math.pi) / math.sqrt(a)
    found = [float(d) for d in tad.grad(special.gammainc, argnums=(0, 1))(a, a)]
    np.testing.assert_allclose(found, [-slope, slope], rtol=2e-15)
    in_a = float(tad.grad(special.betainc)(a, a, 0.5))
    np.testing.assert_allclose(in_a, -slope / math.sqrt(2), rtol=2e-15)


@pytest.mark.parametrize("shift", (-8.0, -1.5, 2.0, 9.0))
def test_incomplete_gamma_functions_next_to_a_huge_parameter(shift: float) -> None:
    """erfc of the root of the deviance (NIST DLMF 8.12.3): what is left out is below 1 / sqrt(a)."""
    a = 1e31
    distance = a + shift * math.sqrt(a) - a
    ratio = distance / a
    z = math.sqrt(0.5 * a) * ratio * (1 - ratio / 3)  # its square is a (ratio - log(1 + ratio))
    found = float(special.gammaincc(a, a + distance)), float(special.gammainc(a, a + distance))
    expected = math.erfc(z) / 2, math.erfc(-z) / 2
    np.testing.assert_allclose(found, expected, rtol=5e-14)


@pytest.mark.parametrize("x", (-2.4570247382208006, -2.4570247382207997, -3.955294284858598))
def test_gammaln_next_to_its_zeros(x: float) -> None:
    with mp.workdps(60):
        exact = mp.log(abs(mp.gamma(mp.mpf(x))))
        error = abs(mp.mpf(float(special.gammaln(tad.tensor(x)))) - exact)
        assert error < 2e-30 + 8 * mp.mpf(2) ** -53 * abs(exact)


SLOPES: list[tuple[str, tuple[float, float], float]] = [
    # Where 1 + p y is 0: -y*y times the limit of (1 + p y)**(1/p - 1).
    ("inv_boxcox", (-2.0, 0.5), 0.0),
    ("inv_boxcox", (-1.0, 1.0), -1.0),
    ("inv_boxcox", (-0.5, 2.0), -INF),
    ("inv_boxcox", (-3e17, 1e-34), 0.0),
    ("boxcox", (0.0, 2.0), 0.25),
    ("boxcox", (0.0, 0.5), 4.0),
    ("boxcox", (INF, -2.0), 0.25),
]


@pytest.mark.parametrize(("name", "at", "slope"), SLOPES, ids=[f"{n}{a}" for n, a, _ in SLOPES])
def test_slopes_in_the_power(name: str, at: tuple[float, float], slope: float) -> None:
    f = getattr(special, name)
    assert float(tad.grad(f, argnums=1)(*at)) == slope
    assert float(tad.jvp(lambda p: f(at[0], p))(at[1], 1.0)) == slope


# At x = 0 the transformation's derivatives are their limits: of log(x), of x**p for p > 0.
AT_ZERO: list[tuple[tuple[int, ...], float, float]] = [
    ((0,), 0.0, INF),
    ((1,), 0.0, INF),
    ((0, 0), 0.0, -INF),
    ((0, 1), 0.0, -INF),
    ((1, 0), 0.0, -INF),
    ((1, 1), 0.0, -INF),
    ((1,), -1.0, INF),
    ((0, 0), 0.5, -INF),
    ((0, 1), 0.5, -INF),
    ((1, 0), 0.5, -INF),
    ((0,), 1.0, 1.0),
    ((0, 1), 1.0, -INF),
    ((1, 0), 1.0, -INF),
    ((0, 1), 2.0, 0.0),
    ((1, 0), 2.0, 0.0),
    ((1, 1), 2.0, -0.25),
    ((0, 0), 3.0, 0.0),
]


@pytest.mark.parametrize(("orders", "p", "value"), AT_ZERO, ids=str)
def test_boxcox_at_zero(orders: tuple[int, ...], p: float, value: float) -> None:
    by_gradients: Any = special.boxcox
    tangents: Any = special.boxcox
    for argument in orders:
        by_gradients = tad.grad(by_gradients, argnums=argument)
        tangents = tad.jacfwd(tangents, argnums=argument)
    assert float(by_gradients(0.0, p)) == value
    assert float(tangents(0.0, p)) == value


def test_second_slopes_in_the_power() -> None:
    power = tad.grad(tad.grad(lambda p: special.boxcox(0.0, p)))
    assert float(power(2.0)) == -0.25
    # (1 + p y)**(1/p - 2) y*y (1/p) (1/p - 1) at p = 1/2
    inverse = tad.grad(tad.grad(lambda p: special.inv_boxcox(-2.0, p)))
    assert float(inverse(0.5)) == 8.0


def test_the_slope_where_the_base_rounds_to_one() -> None:
    assert float(tad.grad(special.inv_boxcox)(-3e17, 1e-34)) == 0.0
    assert float(tad.grad(special.inv_boxcox)(1e20, 1e-36)) == INF


# XLA takes subnormal numbers for zero.
TRANSFORMATIONS = [row for row in VALUES if row[0].endswith("boxcox") and row[1][1] != 1e-310]


@pytest.mark.parametrize(
    ("name", "at", "value"), TRANSFORMATIONS, ids=[f"{n}{a}" for n, a, _ in TRANSFORMATIONS]
)
def test_ends_by_xla(name: str, at: tuple[float, ...], value: float) -> None:
    pytest.importorskip("jax")
    from taglessad.interpreters import Jax

    np.testing.assert_equal(float(tad.jit(getattr(special, name), Jax())(*at)), value)
