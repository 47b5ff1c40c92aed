"""Reverse mode through loops whose log does not fit in memory."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.control import loop_graphs, reversal

ROWS = 1000
START = np.linspace(0.1, 0.9, ROWS)


def loop(x: Any, trips: Any) -> Any:
    """x a + (1 - a) sin(x), a = 0.999**trips."""
    step = lambda s: (s[0] + 1, s[1] * 0.999 + 0.001 * tad.sin(x) + 0.0 * tad.sin(s[1]))
    return tad.sum(tad.while_loop(lambda s: s[0] < trips, step, (0, x))[1])


def slope(trips: int) -> Any:
    a = 0.999**trips
    return a + (1 - a) * np.cos(START)


@pytest.fixture
def small_budget(monkeypatch: pytest.MonkeyPatch) -> int:
    """As if there were room for the log of 100 trips."""
    size = 100 * ROWS * 8
    monkeypatch.setattr(reversal, "BUDGET", size)
    monkeypatch.setattr(loop_graphs, "BUDGET", size)
    return size


def plain(f: Any) -> Any:
    return f


@pytest.mark.parametrize("run", [plain, tad.jit])
@pytest.mark.parametrize("trips", [0, 1, 31, 32, 33, 95, 96, 97, 128, 129, 1024, 1025, 4000])
def test_any_number_of_trips(run: Callable[..., Any], trips: int, small_budget: int) -> None:
    def own(x: Any, trips: Any) -> Any:  # a program of its own, of which nothing is kept yet
        return loop(x, trips)

    g = run(tad.grad(own))(START, trips)
    np.testing.assert_allclose(g, slope(trips), rtol=1e-11)
    if trips == 129:
        second: Any = tad.hvp(lambda x: own(x, trips))
        h = run(second)(START, np.ones(ROWS))
        a = 0.999**trips
        np.testing.assert_allclose(h, -(1 - a) * np.sin(START), rtol=1e-10)


@pytest.mark.parametrize("trips", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_many_trips_in_memory_for_a_hundred(trips: int, small_budget: int) -> None:
    g = tad.jit(tad.grad(lambda x, trips: loop(x, trips)))
    g(START, 1)
    tracemalloc.start()
    got = g(START, trips)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(got, slope(trips), rtol=1e-8)
    state = ROWS * 8
    assert peak < small_budget + (reversal.SLOTS + 3 * reversal.BLOCK) * state


@pytest.mark.parametrize("run", [plain, tad.jit])
def test_no_name_of_generated_code_hides_a_function(run: Callable[..., Any]) -> None:
    names = "log log1p exp expm1 sqrt sin cos tanh atan abs".split()

    def f(x: Any) -> Any:
        def body(s: Any) -> Any:
            y = s[1]
            for name in names:
                y = 1.5 + 0.1 * getattr(tad, name)(y)
            return s[0] + 1, y * y**0.3

        return tad.while_loop(lambda s: s[0] < 3, body, (0, x))[1]

    h = 1e-6
    g = run(tad.grad(f))(2.0)
    assert float(g) == pytest.approx(float(f(2.0 + h) - f(2.0 - h)) / (2 * h), rel=1e-4)
