"""Functions under NumPy's names: values as NumPy's, derivatives by differences, NaN left out."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad

RNG = np.random.default_rng(0)
NAN, INF = math.nan, math.inf
X = RNG.normal(size=(3, 4))
HOLES = np.where(RNG.random((3, 4)) < 0.3, NAN, X)
V, W = RNG.normal(size=7), RNG.normal(size=4)
UP = np.sort(RNG.normal(size=6))


def close(got: Any, expected: Any, tolerance: float = 1e-13) -> None:
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for g, e in zip(got, expected, strict=True):
            close(g, e, tolerance)
        return
    expected = np.asarray(expected)
    assert got.shape == expected.shape
    np.testing.assert_allclose(tad.to_numpy(got), expected, rtol=tolerance, atol=tolerance)


VALUES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *[
        (name, (HOLES,), {"axis": axis, "keepdims": k})
        for name in ("nanmean", "nanmax", "nanmin", "nanprod", "nanmedian", "nanvar", "nanstd")
        for axis, k in ((None, False), (0, True), (1, False), ((0, 1), False))
    ],
    *[
        ("quantile", (X, q), {"axis": axis, "method": method})
        for q, axis in ((0.3, None), ([0.0, 0.25, 1.0], 0), (0.5, 1))
        for method in ("linear", "lower", "higher", "midpoint", "nearest")
    ],
    ("quantile", (HOLES, 0.3), {"axis": 1}),
    ("nanquantile", (HOLES, [0.2, 0.7]), {"axis": 1, "keepdims": True}),
    ("percentile", (X, [10, 50]), {"axis": 0, "keepdims": True}),
    ("interp", (V, UP, RNG.normal(size=6)), {}),
    ("interp", (UP, UP, RNG.normal(size=6)), {"left": -9.0, "right": 9.0}),
    ("interp", (V * 3, RNG.permutation(UP), RNG.normal(size=6)), {"period": 2.5}),
    ("trapezoid", (X,), {"dx": 0.5}),
    ("trapezoid", (X, np.arange(3.0) ** 2), {"axis": 0}),
    ("gradient", (X,), {}),
    ("gradient", (X, 0.5, np.array([0.0, 1.0, 3.0, 4.5])), {"edge_order": 2}),
    ("gradient", (V, 2.0), {"edge_order": 2}),
    ("gradient", (X,), {"axis": 1}),
    ("ediff1d", (V,), {"to_begin": 1.0, "to_end": [2.0, 3.0]}),
    ("unwrap", (np.cumsum(V) * 4,), {}),
    ("unwrap", (X * 9,), {"axis": 0, "period": 3.0}),
    ("average", (X,), {"axis": 0, "weights": [1.0, 2.0, 3.0]}),
    ("average", (X,), {"weights": X**2}),
    ("ptp", (X,), {"axis": 1}),
    ("cov", (X,), {}),
    ("cov", (X,), {"rowvar": False, "bias": True}),
    ("cov", (V, V[::-1]), {"ddof": 0}),
    ("cov", (V,), {}),
    ("corrcoef", (X,), {}),
    ("polyval", (W, X), {}),
    ("polyder", (W, 2), {}),
    ("polyint", (W, 2), {}),
    ("polyfit", (V, V**3 - V, 3), {}),
    ("vander", (W,), {}),
    ("vander", (W, 3), {"increasing": True}),
    *[
        (name, pair, {"mode": mode})
        for name in ("convolve", "correlate")
        for pair in ((V, W), (W, V), (V, V[:3]), (V[:3], W))
        for mode in ("full", "same", "valid")
    ],
    ("inner", (X, RNG.normal(size=(2, 4))), {}),
    ("kron", (X, RNG.normal(size=(2, 2))), {}),
    ("kron", (W, X), {}),
    ("bincount", (np.array([0, 3, 3, 1]),), {}),
    ("bincount", (np.array([0, 3, 3, 1]), W), {"minlength": 6}),
    ("digitize", (V, UP), {}),
    ("digitize", (UP, UP), {"right": True}),
    ("digitize", (UP, UP[::-1]), {}),
    ("histogram", (X,), {}),
    ("histogram", (V,), {"bins": 4, "range": (-1.0, 1.0)}),
    ("histogram", (UP,), {"bins": UP[1:5]}),
    ("histogram", (V,), {"bins": 3, "weights": V**2}),
    ("argwhere", (X > 0,), {}),
    ("flatnonzero", (X > 0,), {}),
    ("exp2", (X,), {}),
    ("cbrt", (X,), {}),
    ("logaddexp2", (V, V[::-1]), {}),
    ("deg2rad", (X,), {}),
    ("rad2deg", (X,), {}),
    ("fmax", (HOLES, 0.1), {}),
    ("fmin", (HOLES, HOLES[::-1]), {}),
    ("heaviside", (np.array([-1.0, 0.0, 2.0, NAN]), 0.3), {}),
    ("nan_to_num", (np.array([NAN, INF, -INF, 2.0]),), {}),
    ("nan_to_num", (np.array([NAN, INF, -INF, 2.0]),), {"nan": 1.0, "posinf": 5.0, "neginf": -5.0}),
    ("isclose", (np.array([1.0, NAN, INF, 1.0]), np.array([1 + 1e-9, NAN, INF, 2.0])), {}),
    ("isclose", (np.array([NAN, 1.0]), np.array([NAN, INF])), {"equal_nan": True}),
    ("allclose", (X, X * (1 + 1e-9)), {}),
    ("select", ([X > 1, X > 0], [X**2, X], 7.0), {}),
    ("hstack", ((V, W),), {}),
    ("hstack", ((X, X),), {}),
    ("vstack", ((W, X),), {}),
    ("column_stack", ((V, V, np.ones((7, 2))),), {}),
    ("split", (X, 2), {"axis": 1}),
    ("split", (V, [2, 5]), {}),
    ("array_split", (V, 3), {}),
    *[("rot90", (X,), {"k": k}) for k in range(-1, 4)],
    ("compress", ([True, False, True], X), {"axis": 0}),
    ("tri", (3, 4, 1), {}),
    ("tril_indices", (3, -1), {}),
    ("triu_indices", (3, 1, 5), {}),
    ("diag_indices", (3,), {}),
]


@pytest.mark.parametrize(
    ("name", "args", "kw"), VALUES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_values_as_numpy(name: str, args: tuple[Any, ...], kw: dict[str, Any]) -> None:
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*args, **kw)
    close(getattr(tad, name)(*args, **kw), expected, 1e-9 if name == "polyfit" else 1e-13)


def test_quantiles_next_to_infinities() -> None:
    """Where NumPy has NaN: an infinite neighbour that has no weight, or is the same."""
    assert float(tad.quantile([1.0, INF, INF], 0.75)) == INF
    assert float(tad.quantile([-INF, 1.0, INF], 0.5)) == 1.0
    assert float(tad.quantile([1.0, 2.0, INF], 0.6)) == INF


def test_piecewise_as_numpy() -> None:
    got = tad.piecewise(V, [V < 0, V > 1], [lambda x: -x, lambda x: x * x, 0.5])
    close(got, np.piecewise(V, [V < 0, V > 1], [lambda x: -x, lambda x: x * x, 0.5]))
    close(tad.piecewise(V, [V < 0], [-1.0]), np.piecewise(V, [V < 0], [-1.0]))


# --- derivatives ---------------------------------------------------------------------------------
C = RNG.normal(size=(3, 4))
SMOOTH: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    ("quantile", lambda x, q: tad.quantile(x, q, axis=1), (X, np.array([0.2, 0.71]))),
    ("midpoint", lambda x: tad.quantile(x, 0.3, method="midpoint"), (X,)),
    ("interp", tad.interp, (V, np.linspace(-2, 2, 6), C.ravel()[:6])),
    ("trapezoid", tad.trapezoid, (X, X + C)),
    ("gradient", lambda f, x: tad.gradient(f, x, edge_order=2), (V, np.cumsum(np.exp(V)))),
    ("average", lambda x, w: tad.average(x, 1, w), (X, np.exp(C))),
    ("cov", tad.cov, (X,)),
    ("corrcoef", tad.corrcoef, (X,)),
    ("polyval", tad.polyval, (W, X)),
    ("polyfit", lambda x, y: tad.polyfit(x, y, 2), (V, V[::-1].copy())),
    ("vander", tad.vander, (W,)),
    ("convolve", tad.convolve, (V, W)),
    ("kron", tad.kron, (W, X)),
    ("bincount", lambda w: tad.bincount(np.array([0, 2, 2, 1]), w), (W,)),
    ("exp2", tad.exp2, (X,)),
    ("cbrt", tad.cbrt, (X,)),
    ("logaddexp2", tad.logaddexp2, (X, C)),
    ("unwrap", tad.unwrap, (np.cumsum(V) * 4,)),
    ("cumulative_logsumexp", lambda x: tad.cumulative_logsumexp(x, axis=1), (X,)),
    ("segment_sum", lambda x: tad.segment_sum(x, np.array([1, 0, 1]), 3), (X,)),
    ("segment_prod", lambda x: tad.segment_prod(x, np.array([1, 0, 1]), 3), (X,)),
    ("segment_max", lambda x: tad.segment_max(x, np.array([1, 0, 1]), 2), (X,)),
]


@pytest.mark.parametrize(("name", "f", "xs"), SMOOTH, ids=[row[0] for row in SMOOTH])
def test_derivatives(name: str, f: Callable[..., Any], xs: tuple[Any, ...]) -> None:
    tad.checks.check_derivative(f, *xs)
    tad.checks.check_adjoint(f, *xs)


NAN_FUNCTIONS = (
    "nansum",
    "nanprod",
    "nanmean",
    "nanvar",
    "nanstd",
    "nanmax",
    "nanmin",
    "nanmedian",
)


@pytest.mark.parametrize("name", NAN_FUNCTIONS)
def test_what_is_nan_contributes_nothing(name: str) -> None:
    """Values and derivatives, forward and reverse, are those of the entries that are there."""
    f, plain = getattr(tad, name), getattr(tad, name.removeprefix("nan"))
    x = np.array([3.0, NAN, 1.0, 2.5, NAN])
    there = ~np.isnan(x)
    expected = np.zeros(5)
    expected[there] = tad.to_numpy(tad.grad(plain)(x[there]))
    # A NaN that comes from a singular function behind it, at -1 here, leaves no trace either.
    behind = lambda t: f(tad.where(there, tad.sqrt(t) ** 2, NAN))
    g = tad.to_numpy(tad.grad(behind)(np.where(there, x, -1.0)))
    np.testing.assert_allclose(g, expected, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(tad.to_numpy(tad.grad(f)(x)), expected, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(tad.to_numpy(tad.jacfwd(f)(x)), expected, rtol=1e-13, atol=1e-15)
    hessian = tad.to_numpy(tad.hessian(f)(x))
    assert np.isfinite(hessian).all()


def test_all_nan() -> None:
    x = np.array([NAN, NAN])
    for name in ("nanmean", "nanvar", "nanstd", "nanmax", "nanmin", "nanmedian"):
        assert np.isnan(float(getattr(tad, name)(x)))
        assert tad.grad(getattr(tad, name))(x).tolist() == [0.0, 0.0]
    assert (float(tad.nansum(x)), float(tad.nanprod(x))) == (0.0, 1.0)


def test_equal_entries_have_no_spread() -> None:
    x = np.array([0.1, 0.1, NAN, 0.1])
    assert float(tad.nanstd(x)) == 0.0
    assert tad.grad(tad.nanstd)(x).tolist() == [0.0] * 4


# --- segments ------------------------------------------------------------------------------------
def test_segments() -> None:
    data = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, NAN], [7.0, 8.0]])
    ids = np.array([0, 2, -1, 0])
    assert tad.segment_sum(data, ids).tolist() == [[8.0, 10.0], [0.0, 0.0], [3.0, 4.0]]
    assert tad.segment_prod(data, ids, 3).tolist() == [[7.0, 16.0], [1.0, 1.0], [3.0, 4.0]]
    assert tad.segment_max(data, ids, 2).tolist() == [[7.0, 8.0], [-INF, -INF]]
    assert tad.segment_min(data, ids, 1).tolist() == [[1.0, 2.0]]
    assert tad.segment_max(np.array([4, 5]), np.array([0, 9]), 2).tolist() == [4, -(2**63)]
    assert tad.segment_sum(np.ones((0, 2)), np.zeros(0, np.int64)).shape == (0, 2)


def test_what_is_in_no_segment_contributes_nothing() -> None:
    ids = np.array([0, 5, 0])

    def f(x: tad.Tensor) -> tad.Tensor:
        return tad.sum(tad.segment_sum(tad.log(x), ids, 2) ** 2)

    x = np.array([2.0, 0.0, 3.0])
    g = tad.to_numpy(tad.grad(f)(x))
    np.testing.assert_allclose(g, 2 * np.log(6.0) * np.array([1 / 2, 0, 1 / 3]), rtol=1e-14)
    np.testing.assert_array_equal(tad.to_numpy(tad.jacfwd(f)(x)), g)
    assert np.isfinite(tad.to_numpy(tad.hessian(f)(x))).all()


def test_segments_under_jit_and_vmap() -> None:
    ids = np.array([0, 1, 0])
    f = lambda x: tad.segment_sum(x, ids, 2)
    assert tad.jit(f)(np.arange(3.0)).tolist() == [2.0, 1.0]
    assert tad.vmap(f)(np.arange(6.0).reshape(2, 3)).tolist() == [[2.0, 1.0], [8.0, 4.0]]
    with pytest.raises(tad.ConcretizationError, match="num_segments"):
        tad.jit(lambda i: tad.segment_sum(np.ones(3), i))(ids)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tad.segment_sum([1.0], [0.0]), tad.DTypeError),
        (lambda: tad.segment_sum([1.0, 2.0], [0]), tad.ShapeError),
        (lambda: tad.quantile([1.0], 1.5), tad.DomainError),
        (lambda: tad.quantile([1.0], 0.5, method="other"), tad.ArgumentError),
        (lambda: tad.quantile(np.ones(0), 0.5), tad.ArgumentError),
        (lambda: tad.interp(1.0, [1.0, 2.0], [1.0]), tad.ShapeError),
        (lambda: tad.gradient([1.0, 2.0], edge_order=3), tad.ArgumentError),
        (lambda: tad.gradient([1.0]), tad.ShapeError),
        (lambda: tad.average(X, weights=[1.0]), tad.ShapeError),
        (lambda: tad.polyval(X, 1.0), tad.ShapeError),
        (lambda: tad.polyder([1.0], -1), tad.ArgumentError),
        (lambda: tad.convolve(X, V), tad.ShapeError),
        (lambda: tad.bincount([-1]), tad.DomainError),
        (lambda: tad.bincount([1.0]), tad.DTypeError),
        (lambda: tad.select([X > 0], []), tad.ArgumentError),
        (lambda: tad.split(V, 3), tad.ArgumentError),
        (lambda: tad.rot90(X, axes=(0, 0)), tad.ArgumentError),
    ],
)
def test_errors(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


# --- selections ----------------------------------------------------------------------------------
def test_branches_not_taken_are_silent() -> None:
    x = np.array([-1.0, 0.0, 4.0])
    programs: list[Callable[[Any], Any]] = [
        lambda t: tad.select([x > 0], [tad.sqrt(t)], 0.0),
        lambda t: tad.piecewise(t, [x > 0], [tad.sqrt, 0.0]),
        lambda t: tad.nan_to_num(tad.where(x > 0, tad.sqrt(t), NAN)),
        lambda t: tad.fmax(tad.where(x > 0, tad.sqrt(t), NAN), 0.0),
    ]
    for f in programs:
        for order in (tad.grad, lambda g: tad.grad(tad.jvp(g, argnums=0))):
            g = order(lambda t, f=f: tad.sum(f(t)))
            found = g(x) if order is tad.grad else g(x, np.ones(3))
            assert np.isfinite(tad.to_numpy(found)).all()
        assert tad.grad(lambda t, f=f: tad.sum(f(t)))(x).tolist() == [0.0, 0.0, 0.25]


def test_cumulative_logsumexp() -> None:
    x = np.array([-INF, 800.0, -3.0, 801.0, NAN])
    with np.errstate(all="ignore"):
        expected = np.logaddexp.accumulate(x)
    close(tad.cumulative_logsumexp(x), expected)
    close(tad.cumulative_logsumexp(X, axis=0), np.logaddexp.accumulate(X, axis=0), 1e-14)
    assert tad.cumulative_logsumexp(np.ones(0)).shape == (0,)
