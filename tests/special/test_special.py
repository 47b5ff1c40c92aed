"""Special functions: values as SciPy's, all derivatives, ends of the domains, dtypes, errors."""

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import scipy.special

import taglessad as tad

special = tad.special
INF, NAN = math.inf, math.nan

AT: list[tuple[str, tuple[Any, ...]]] = [
    ("erfcx", (1.3,)),
    ("erfcinv", (0.3,)),
    ("ndtr", (-1.3,)),
    ("ndtri", (0.1,)),
    ("ndtri", (0.6,)),
    ("ndtri", (0.9,)),
    ("log_ndtr", (-3.0,)),
    ("gamma", (3.7,)),
    ("gamma", (-2.5,)),
    ("multigammaln", (3.7, 3)),
    ("digamma", (1.2,)),
    ("polygamma", (2, 1.2)),
    ("zeta", (2.5, 1.5)),
    ("beta", (2.0, 3.5)),
    ("betaln", (20.0, 3.5)),
    ("binom", (5.5, 2.2)),
    ("comb", (5.0, 2.0)),
    ("gammainc", (1.5, 2.0)),
    ("gammaincc", (1.5, 2.0)),
    ("betainc", (1.5, 2.0, 0.3)),
    ("i0", (1.0,)),
    ("i1", (-1.0,)),
    ("i0e", (-1.0,)),
    ("i1e", (-10.0,)),
    ("j0", (1.3,)),
    ("j0", (-7.7,)),
    ("j1", (-0.4,)),
    ("j1", (12.5,)),
    ("y0", (0.4,)),
    ("y0", (9.1,)),
    ("y1", (1.7,)),
    ("y1", (6.3,)),
    ("lambertw", (1.3,)),
    ("lambertw", (-0.3, -1)),
    ("poch", (2.3, 1.6)),
    ("poch", (0.3, 2.6)),
    ("poch", (5.0, -2.2)),
    ("exp1", (1.0,)),
    ("expn", (3, 1.0)),
    ("expi", (1.0,)),
    ("expi", (-2.0,)),
    ("exprel", (1.0,)),
    ("spence", (0.4,)),
    ("cosm1", (0.1,)),
    ("entr", (0.3,)),
    ("rel_entr", (0.3, 0.5)),
    ("kl_div", (0.3, 0.5)),
    ("boxcox", (2.0, 0.3)),
    ("inv_boxcox", (2.0, 0.3)),
    ("logit", (0.3,)),
]


@pytest.mark.parametrize(("name", "args"), AT, ids=[f"{n}{a}" for n, a in AT])
def test_values_as_scipy(name: str, args: tuple[Any, ...]) -> None:
    expected = getattr(scipy.special, name)(*args)
    np.testing.assert_allclose(float(getattr(special, name)(*args)), expected, rtol=2e-14)


@pytest.mark.parametrize(("name", "args"), AT, ids=[f"{n}{a}" for n, a in AT])
def test_every_derivative(name: str, args: tuple[Any, ...]) -> None:
    """In all real arguments, first and second order, by differences of the value; both modes."""
    real = [i for i, a in enumerate(args) if isinstance(a, float)]

    def f(*xs: Any) -> Any:
        given = list(args)
        for i, x in zip(real, xs, strict=True):
            given[i] = x
        return getattr(special, name)(*given)

    at = tuple(np.asarray(args[i]) for i in real)
    tad.checks.check_derivative(f, *at, order=2)
    tad.checks.check_adjoint(f, *at)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(("name", "args"), AT, ids=[f"{n}{a}" for n, a in AT])
def test_dtypes_are_kept(name: str, args: tuple[Any, ...], dtype: str) -> None:
    cast = [np.asarray([a], dtype) if isinstance(a, float) else a for a in args]
    y = getattr(special, name)(*cast)
    exact = getattr(special, name)(
        *[np.asarray(c, np.float64) if c is not a else a for c, a in zip(cast, args, strict=True)]
    )
    assert y.dtype == dtype
    rounding = 40 * np.finfo(dtype).eps
    np.testing.assert_allclose(tad.to_numpy(y), tad.to_numpy(exact), rtol=rounding)


ENDS: list[tuple[str, tuple[Any, ...], float]] = [
    ("erfcx", (INF,), 0.0),
    ("erfcx", (-INF,), INF),
    ("erfcinv", (0.0,), INF),
    ("erfcinv", (2.0,), -INF),
    ("erfcinv", (2.5,), NAN),
    ("ndtr", (-INF,), 0.0),
    ("ndtr", (INF,), 1.0),
    ("ndtri", (0.0,), -INF),
    ("ndtri", (1.0,), INF),
    ("log_ndtr", (-INF,), -INF),
    ("log_ndtr", (INF,), 0.0),
    ("gamma", (INF,), INF),
    ("gamma", (-INF,), NAN),
    ("gamma", (0.0,), INF),
    ("gamma", (-0.0,), -INF),
    ("gamma", (-3.0,), NAN),
    ("gamma", (171.7,), INF),
    ("zeta", (1.0, 1.0), INF),
    ("zeta", (2.0, 0.0), INF),
    ("zeta", (0.5, 1.0), NAN),
    ("zeta", (INF, 1.0), 1.0),
    ("gammainc", (2.0, 0.0), 0.0),
    ("gammainc", (2.0, INF), 1.0),
    ("gammainc", (0.0, 1.0), 1.0),
    ("gammainc", (-1.0, 1.0), NAN),
    ("gammaincc", (2.0, 0.0), 1.0),
    ("gammaincc", (2.0, INF), 0.0),
    ("betainc", (2.0, 3.0, 0.0), 0.0),
    ("betainc", (2.0, 3.0, 1.0), 1.0),
    ("betainc", (2.0, 3.0, 1.5), NAN),
    ("i0", (-INF,), INF),
    ("i1", (-INF,), -INF),
    ("i0e", (INF,), 0.0),
    ("i1e", (0.0,), 0.0),
    ("j0", (0.0,), 1.0),
    ("j0", (-INF,), 0.0),
    ("j1", (0.0,), 0.0),
    ("j1", (INF,), 0.0),
    ("y0", (0.0,), -INF),
    ("y1", (0.0,), -INF),
    ("y0", (-1.0,), NAN),
    ("y1", (INF,), 0.0),
    ("lambertw", (0.0,), 0.0),
    ("lambertw", (INF,), INF),
    ("lambertw", (-0.36787944117144233,), -1.0),
    ("lambertw", (-0.36787944117144233, -1), -1.0),
    ("lambertw", (-0.36787944117144239,), NAN),
    ("lambertw", (0.0, -1), -INF),
    ("lambertw", (0.1, -1), NAN),
    ("poch", (0.0, 0.0), 1.0),
    ("poch", (-3.0, 2.0), 6.0),
    ("poch", (-3.0, 4.0), 0.0),
    ("poch", (-2.5, 1.0), -2.5),
    ("poch", (-2.0, 0.5), 0.0),
    ("poch", (3.0, -2.0), 0.5),
    ("poch", (2.0, INF), INF),
    ("exp1", (0.0,), INF),
    ("exp1", (-1.0,), NAN),
    ("expn", (3, 0.0), 0.5),
    ("expn", (2, INF), 0.0),
    ("expi", (0.0,), -INF),
    ("expi", (INF,), INF),
    ("exprel", (0.0,), 1.0),
    ("exprel", (-INF,), 0.0),
    ("spence", (0.0,), math.pi**2 / 6),
    ("spence", (1.0,), 0.0),
    ("spence", (-1.0,), NAN),
    ("entr", (0.0,), 0.0),
    ("entr", (-1.0,), -INF),
    ("rel_entr", (0.0, 0.0), 0.0),
    ("rel_entr", (1.0, 0.0), INF),
    ("kl_div", (0.0, 2.0), 2.0),
    ("kl_div", (1.0, -2.0), INF),
    ("boxcox", (0.0, 2.0), -0.5),
    ("boxcox", (2.0, 0.0), math.log(2)),
    ("comb", (3.0, 5.0), 0.0),
]


@pytest.mark.parametrize(("name", "args", "value"), ENDS, ids=[f"{n}{a}" for n, a, _ in ENDS])
def test_ends(name: str, args: tuple[Any, ...], value: float) -> None:
    found = float(getattr(special, name)(*args))
    assert found == value or (math.isnan(found) and math.isnan(value))
    assert (
        math.isnan(
            float(getattr(special, name)(*[NAN if isinstance(a, float) else a for a in args]))
        )
        or name == "comb"
    )


LIMITS: list[tuple[str, Callable[..., Any], float, float]] = [
    ("entr", special.entr, 0.0, INF),
    ("rel_entr", lambda x: special.rel_entr(x, 1.0), 0.0, -INF),
    ("kl_div", lambda x: special.kl_div(x, 1.0), 0.0, -INF),
    ("log_ndtr", special.log_ndtr, -1e300, 1e300),
    ("log_ndtr", special.log_ndtr, INF, 0.0),
    ("ndtr", special.ndtr, -INF, 0.0),
    ("exprel", special.exprel, 0.0, 0.5),
    ("spence", special.spence, 1.0, -1.0),
    ("boxcox", lambda p: special.boxcox(2.0, p), 0.0, math.log(2) ** 2 / 2),
    ("inv_boxcox", lambda p: special.inv_boxcox(2.0, p), 0.0, -2 * math.exp(2.0)),
    ("i0", special.i0, 0.0, 0.0),
    ("i0e", special.i0e, 0.0, 0.0),
    ("i1", special.i1, 0.0, 0.5),
    ("i1e", special.i1e, 0.0, 0.5),
    ("j0", special.j0, 0.0, 0.0),
    ("j1", special.j1, 0.0, 0.5),
    ("j1 twice", tad.grad(special.j1), 0.0, 0.0),
    ("j0 twice", tad.grad(special.j0), 0.0, -0.5),
    ("y0", special.y0, 0.0, INF),
    ("y1", special.y1, 0.0, INF),
    ("lambertw", special.lambertw, 0.0, 1.0),
    ("lambertw twice", tad.grad(special.lambertw), 0.0, -2.0),
    ("lambertw thrice", tad.grad(tad.grad(special.lambertw)), 0.0, 9.0),
    ("lambertw", special.lambertw, -0.36787944117144233, INF),
    ("lambertw below", lambda x: special.lambertw(x, -1), -0.36787944117144233, -INF),
    ("poch", lambda z: special.poch(z, 3.0), 0.0, 2.0),
    ("cbrt", tad.cbrt, 0.0, INF),
]


@pytest.mark.parametrize(("name", "f", "at", "slope"), LIMITS, ids=[r[0] for r in LIMITS])
def test_derivatives_at_delicate_points(
    name: str, f: Callable[..., Any], at: float, slope: float
) -> None:
    for found in (tad.grad(f)(at), tad.jvp(f, argnums=0)(at, 1.0)):
        np.testing.assert_allclose(float(found), slope, rtol=1e-14)


# --- parameters, against mpmath ------------------------------------------------------------------
def exact(f: Callable[..., Any], at: tuple[float, ...], orders: tuple[int, ...]) -> float:
    with mp.workdps(60):
        return float(mp.diff(f, tuple(mp.mpf(a) for a in at), orders))


SHAPES = [(0.3, 4.0, 0.01), (2.5, 0.4, 0.7), (30.0, 50.0, 0.3), (1.0, 1.0, 0.5), (6.0, 0.5, 0.999)]
ORDERS = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (2, 0, 0), (0, 2, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1)]


def _partial(f: Callable[..., Any], orders: tuple[int, ...]) -> Callable[..., Any]:
    for i, times in enumerate(orders):
        for _ in range(times):
            f = tad.grad(f, argnums=i)
    return f


@pytest.mark.parametrize("orders", ORDERS)
@pytest.mark.parametrize("at", SHAPES)
def test_betainc_in_its_parameters(at: tuple[float, ...], orders: tuple[int, ...]) -> None:
    value = lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True)
    found = float(_partial(special.betainc, orders)(*at))
    np.testing.assert_allclose(found, exact(value, at, orders), rtol=3e-13, atol=1e-15)


@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1)])
@pytest.mark.parametrize("at", [(0.3, 0.01), (2.5, 1.0), (2.5, 9.0), (40.0, 31.0), (1.0, 1.0)])
def test_gammainc_in_its_parameters(at: tuple[float, float], orders: tuple[int, int]) -> None:
    lower = lambda a, x: mp.gammainc(a, 0, x, regularized=True)
    expected = exact(lower, at, orders)
    found = float(_partial(special.gammainc, orders)(*at))
    np.testing.assert_allclose(found, expected, rtol=3e-13)
    found = float(_partial(special.gammaincc, orders)(*at))
    np.testing.assert_allclose(found, -expected, rtol=3e-13)


@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (2, 0), (1, 1), (0, 3)])
@pytest.mark.parametrize("at", [(1.1, 1.0), (2.5, 0.3), (40.0, 7.0)])
def test_zeta_in_both_arguments(at: tuple[float, float], orders: tuple[int, int]) -> None:
    found = float(_partial(special.zeta, orders)(*at))
    np.testing.assert_allclose(found, exact(mp.zeta, at, orders), rtol=1e-13)


# --- other ---------------------------------------------------------------------------------------
def test_operands_broadcast() -> None:
    a, x = np.array([[0.5], [2.0]]), np.array([0.1, 1.0, 4.0])
    y = special.gammainc(a, x)
    np.testing.assert_allclose(tad.to_numpy(y), scipy.special.gammainc(a, x), rtol=1e-14)
    assert special.betainc(a, 1.0, np.full((2, 3), 0.5)).shape == (2, 3)
    assert special.gamma(np.zeros((0, 3))).shape == (0, 3)
    assert float(special.gamma(5)) == 24.0


def test_under_jit_and_vmap() -> None:
    f = lambda a: special.betainc(a, 2.0, 0.3) + special.i0e(a) + special.erfcx(a)
    at = np.array([0.7, 1.9])
    plain = [float(tad.grad(f)(a)) for a in at]
    np.testing.assert_array_equal(tad.to_numpy(tad.vmap(tad.grad(f))(at)), plain)
    np.testing.assert_allclose(tad.to_numpy(tad.jit(tad.vmap(tad.grad(f)))(at)), plain, rtol=1e-15)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: special.expn(-1, 1.0), tad.ArgumentError),
        (lambda: special.expn(1.5, 1.0), tad.ArgumentError),
        (lambda: special.lambertw(1.0, 1), tad.ArgumentError),
        (lambda: special.lambertw(1.0, 0.5), tad.ArgumentError),
        (lambda: special.multigammaln(1.0, 0), tad.ArgumentError),
        (lambda: special.polygamma(-1, 1.0), tad.ArgumentError),
        (lambda: special.gammainc(np.ones(2), np.ones(3)), tad.ShapeError),
        (lambda: special.beta(1j, 1.0), tad.DTypeError),
    ],
)
def test_errors(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()
