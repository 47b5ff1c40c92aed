"""SciPy's minimisers on programs of trees."""

import sys
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import optim
from taglessad.optim.minimize import WITH_GRADIENT, WITH_PRODUCTS

pytest.importorskip("scipy")


def rosenbrock(p: Any) -> Any:
    x, y = p["x"], p["rest"][0]
    return (1 - x) ** 2 + 100 * tad.sum((y - x * x) ** 2)


START = {"x": -1.2, "rest": (np.array([1.0, 0.5]),)}


@pytest.mark.parametrize("method", [*WITH_GRADIENT, *WITH_PRODUCTS])
def test_every_method_finds_the_minimum(method: str) -> None:
    options = {"maxfun": 5000} if method == "TNC" else None
    found = optim.minimize(rosenbrock, START, method, tol=1e-9, options=options)
    assert found.success, found.message
    assert float(found.x["x"]) == pytest.approx(1.0, abs=1e-4)
    np.testing.assert_allclose(np.asarray(found.x["rest"][0]), 1.0, atol=1e-4)
    assert found.fun == pytest.approx(float(rosenbrock(found.x)), abs=1e-12)
    assert found.nit > 0


def test_float32_stays_float32() -> None:
    found = optim.minimize(
        lambda w: tad.sum((w - 2.0) ** 2), np.zeros(3, np.float32), callback=lambda w: None
    )
    assert found.x.dtype == tad.float32
    np.testing.assert_allclose(np.asarray(found.x), 2.0, rtol=1e-6)


def test_bounds() -> None:
    f = lambda p: tad.sum((p[0] - 2.0) ** 2) + (p[1] + 1.0) ** 2
    start = (np.zeros(2), 0.0)
    found = optim.minimize(f, start, bounds=((-np.inf, 0.0), (np.array([1.0, 3.0]), np.inf)))
    assert np.asarray(found.x[0]).tolist() == pytest.approx([1.0, 2.0])
    assert float(found.x[1]) == 0.0
    all_below_one = optim.minimize(f, start, bounds=(-np.inf, 1.0))
    assert np.asarray(all_below_one.x[0]).tolist() == pytest.approx([1.0, 1.0])


def test_callback_sees_each_step() -> None:
    seen: list[float] = []
    found = optim.minimize(rosenbrock, START, callback=lambda p: seen.append(float(rosenbrock(p))))
    assert len(seen) == found.nit
    assert seen == sorted(seen, reverse=True)


def test_misuse(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(tad.ArgumentError, match="method 'Powell' is not known"):
        optim.minimize(rosenbrock, START, "Powell")
    with pytest.raises(tad.DTypeError, match=r"x0 at \[1\] has dtype int64"):
        optim.minimize(lambda p: p[0], (1.0, 2))
    with pytest.raises(tad.ArgumentError, match="the lower bound is neither"):
        optim.minimize(rosenbrock, START, bounds=({"x": 0.0}, 1.0))
    with pytest.raises(tad.ArgumentError, match="a pair of trees"):
        optim.minimize(rosenbrock, START, bounds=3.0)
    with pytest.raises(tad.ShapeError, match=r"^optim.minimize: f must return a scalar"):
        optim.minimize(lambda w: w, np.zeros(2))
    with pytest.raises(tad.ConcretizationError):
        tad.grad(lambda a: optim.minimize(lambda w: (w - a) ** 2, 0.0).x)(1.0)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(tad.MissingExtra, match=r"pip install \"taglessad\[scipy\]\""):
        optim.minimize(rosenbrock, START)
