"""Bessel functions J and Y, Lambert's W and Pochhammer's symbol: orders, recurrences, interpreters."""

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
from taglessad.kernels.bessel_waves import bessel_j, bessel_y
from taglessad.kernels.lambert import lambertw

Function = Callable[..., Any]  # Any: handles


@pytest.mark.parametrize("n", (0, 1, 2, 3, 6, 11))
def test_orders(n: int) -> None:
    """As mpmath's, to a few units of the last place of the function's size around x."""
    x = np.concatenate([np.geomspace(1e-300, 1, 20), np.linspace(0.9, 40, 90)])
    with mp.workdps(40), np.errstate(all="ignore"):
        first, second = bessel_j(x, n), bessel_y(x, n)
        for at, j, y in zip(x.tolist(), first.tolist(), second.tolist(), strict=True):
            exact = mp.besselj(n, mp.mpf(at)), mp.bessely(n, mp.mpf(at))
            size = math.hypot(*map(float, exact)) if at > max(n, 0.5) else None
            for found, true in zip((j, y), map(float, exact), strict=True):
                assert found == true or abs(found - true) <= 2e-15 * (size or abs(true))


def test_next_to_the_first_zeros() -> None:
    for n, zero in ((0, 2.404825557695773), (1, 3.8317059702075125)):
        x = zero + np.spacing(zero) * np.arange(-3.0, 4.0)
        with mp.workdps(40):
            exact = [float(mp.besselj(n, mp.mpf(at))) for at in x.tolist()]
        np.testing.assert_allclose(bessel_j(x, n), exact, rtol=2e-15)


@pytest.mark.parametrize(
    ("f", "exact", "at"),
    (
        (special.j0, lambda x: mp.besselj(0, x), 1.7),
        (special.j0, lambda x: mp.besselj(0, x), 0.0),
        (special.j1, lambda x: mp.besselj(1, x), -6.2),
        (special.y0, lambda x: mp.bessely(0, x), 0.8),
        (special.y1, lambda x: mp.bessely(1, x), 7.5),
        (special.lambertw, mp.lambertw, 2.5),
        (special.lambertw, mp.lambertw, -0.35),
        (special.lambertw, mp.lambertw, 0.0),
        (lambda x: special.lambertw(x, -1), lambda x: mp.lambertw(x, -1).real, -0.2),
        (lambda z: special.poch(z, 2.7), lambda z: mp.rf(z, 2.7), 0.4),
        (lambda z: special.poch(z, 2.7), lambda z: mp.rf(z, 2.7), 3.4),
        (lambda m: special.poch(0.4, m), lambda m: mp.rf(0.4, m), 1.2),
    ),
)
def test_derivatives_up_to_the_fourth(f: Function, exact: Function, at: float) -> None:
    with mp.workdps(60):
        slopes = [float(mp.re(mp.diff(exact, mp.mpf(at), k))) for k in range(5)]
    found: Any = f
    for k in range(5):
        np.testing.assert_allclose(float(found(at)), slopes[k], rtol=2e-12, atol=1e-14)
        found = tad.grad(found)
    series = tad.taylor(f, 4)(at, 1.0)
    np.testing.assert_allclose([float(y) for y in series], slopes, rtol=2e-12, atol=1e-14)


@pytest.mark.parametrize(("branch", "low", "high"), ((0, -0.3678794, 60.0), (-1, -0.3678794, 0.0)))
def test_lambertw_is_an_inverse(branch: int, low: float, high: float) -> None:
    x = np.linspace(low, high, 300)[1:-1]
    w = lambertw(x, branch, 0)
    np.testing.assert_allclose(w * np.exp(w), x, rtol=1e-14)
    np.testing.assert_allclose(w, scipy.special.lambertw(x, branch).real, rtol=1e-9)
    assert np.all(w > -1 if branch == 0 else w < -1)


@pytest.mark.parametrize("branch", (0, -1))
@pytest.mark.parametrize("dtype", (np.float16, np.float32, np.float64))
def test_where_the_branches_of_lambertw_meet(branch: int, dtype: type) -> None:
    """1 + W is a square root there, of which not a digit is lost."""
    end = np.asarray(-0.36787944117144233, dtype)
    f = lambda x: special.lambertw(x, branch)
    assert float(f(tad.tensor(end))) == -1.0
    assert float(tad.grad(f)(tad.tensor(end))) == (math.inf if branch == 0 else -math.inf)
    if dtype is np.float64:
        x = float(end) + 1e-12
        with mp.workdps(40):
            exact = float(mp.diff(lambda x: mp.lambertw(x, branch).real, mp.mpf(x), h=1e-25))
        np.testing.assert_allclose(float(tad.grad(f)(x)), exact, rtol=1e-12)


@pytest.mark.parametrize("z", (-3.0, -2.0, -0.5, 0.0, 0.5, 2.0, -7.3))
@pytest.mark.parametrize("m", (-2.5, -2.0, 0.0, 1.0, 2.0, 3.5, 8.0))
def test_poch_as_scipy(z: float, m: float) -> None:
    found, expected = float(special.poch(z, m)), scipy.special.poch(z, m)
    if math.isinf(expected):  # at a pole its sign depends on the side
        assert math.isinf(found)
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-14)


PROGRAMS: list[tuple[str, Function]] = [
    ("j0", special.j0),
    ("j1", special.j1),
    ("y0", special.y0),
    ("y1", special.y1),
    ("lambertw", special.lambertw),
    ("lambertw below", lambda x: special.lambertw(-0.05 * x, -1)),
    ("poch", lambda x: special.poch(x, 2.5 * x)),
]


@pytest.mark.parametrize(("name", "f"), PROGRAMS, ids=[n for n, _ in PROGRAMS])
def test_other_interpreters(name: str, f: Function) -> None:
    x = np.array([0.7, 2.4, 6.1])
    for program in (f, tad.grad(lambda x: tad.sum(f(x)))):
        plain = tad.to_numpy(program(x))
        for other in (tad.jit(program), tad.jit(program, Jax())):
            np.testing.assert_allclose(np.asarray(tad.to_numpy(other(x))), plain, rtol=1e-14)
        balls = tad.interpret(program, Real())(x)
        middle = 0.5 * (np.asarray(balls.lo, float) + np.asarray(balls.hi, float))
        np.testing.assert_allclose(plain, middle, rtol=4e-15)
    rows = tad.vmap(tad.grad(f))(x)
    np.testing.assert_array_equal(tad.to_numpy(rows), [float(tad.grad(f)(at)) for at in x])
