"""Parts of a carry or a result that nobody differentiates: no work, and no NaN from their slopes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.control import derived
from taglessad.control.zeros import carried, narrowed, reached
from taglessad.dtypes import float64
from taglessad.primitive import Aval

# Any: programs over trees of arrays

X = np.array([1.0, 2.0])


def _distance(a: Any, b: Any) -> Any:
    """Zero where the iteration stands still: its slope is infinite there."""
    return tad.sqrt(tad.sum((a - b) ** 2))


def _until_still(x: Any) -> Any:
    """Half a square root of x, doubled: Newton's iteration until nothing changes at all."""

    def step(s: Any) -> Any:
        after = 0.5 * (s[0] + x / s[0])
        return after, _distance(after, s[0])

    root, _ = tad.while_loop(lambda s: s[1] > 0.0, step, (0.6 * x, 1.0))
    return tad.sum(root * x)


def _counted(x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        after = 0.5 * (s[0] + x / s[0])
        return after, _distance(after, s[0])

    return tad.sum(tad.fori_loop(0, 12, step, (0.6 * x, 1.0))[0] * x)


def _scanned(x: Any) -> Any:
    """The residual is neither carried on nor part of the result, but a row of it."""

    def step(s: Any, _: Any) -> Any:
        after = 0.5 * (s + x / s)
        return after, _distance(after, s)

    return tad.sum(tad.scan(step, 0.6 * x, None, length=12)[0] * x)


def _nested(x: Any) -> Any:
    """A loop to the end within every trip of another one."""

    def step(s: Any) -> Any:
        return s[0] + 1, s[1] + _until_still(x) / 3.0, _distance(s[1], s[1])

    return tad.while_loop(lambda s: s[0] < 3, step, (0, 0.0 * x[0], 1.0))[1]


PROGRAMS = [_until_still, _counted, _scanned, _nested]


def _names(f: Callable[..., Any]) -> str:
    return f.__name__.strip("_")


@pytest.mark.parametrize("f", PROGRAMS, ids=_names)
@pytest.mark.parametrize("way", ["eager", "jit", "jax"])
def test_a_residual_that_nobody_differentiates(f: Any, way: str) -> None:
    """x sqrt(x) has the slope 1.5 sqrt(x), and the second derivative 0.75 / sqrt(x)."""
    wrap: Any = lambda g: g
    if way == "jit":
        wrap = tad.jit
    elif way == "jax":
        jax = pytest.importorskip("taglessad.interpreters.jax")
        wrap = lambda g: tad.jit(g, interpreter=jax.Jax())
    np.testing.assert_allclose(wrap(tad.grad(f))(X), 1.5 * np.sqrt(X), rtol=1e-14)
    np.testing.assert_allclose(wrap(tad.hessian(f))(X), np.diag(0.75 / np.sqrt(X)), rtol=1e-13)


@pytest.mark.parametrize("f", PROGRAMS, ids=_names)
def test_of_a_batch(f: Any) -> None:
    xs = np.array([[1.0, 2.0], [3.0, 0.5], [0.25, 7.0]])
    np.testing.assert_allclose(tad.vmap(tad.grad(f))(xs), 1.5 * np.sqrt(xs), rtol=1e-14)
    third = tad.vmap(tad.grad(lambda x: tad.sum(tad.jvp(tad.grad(f), (x,), (x,))[1])))
    np.testing.assert_allclose(third(xs), 0.375 / np.sqrt(xs), rtol=1e-12)


def test_a_loop_without_trips_gives_back_what_came() -> None:
    """The body overwrites a part, so that nothing flows to it in a trip; but there is none."""

    def f(x: Any, n: Any) -> Any:
        step = lambda s: (s[0] + 1, x * 3.0)
        return tad.while_loop(lambda s: s[0] < n, step, (0, x * x))[1]

    for n, slope in ((0, 4.0), (2, 3.0)):
        assert tad.grad(f)(2.0, n) == slope
        assert tad.jit(tad.grad(f))(2.0, n) == slope


def test_parts_that_swap_places() -> None:
    """A cotangent reaches a part only after some trips."""

    def f(x: Any) -> Any:
        a, b, c = 2.0 * x, 3.0 * x, 5.0 * x
        return tad.fori_loop(0, 4, lambda _, s: (s[1], s[2], s[0] * x), (a, b, c))[0]

    def g(x: Any) -> Any:
        a, b, c = 2.0 * x, 3.0 * x, 5.0 * x
        step = lambda s: (s[0] + 1, s[2], s[3], s[1] * x)
        return tad.while_loop(lambda s: s[0] < 4, step, (0, a, b, c))[1]

    for h in (f, g):  # 3 x * x
        assert tad.grad(h)(2.0) == 12.0
        assert tad.grad(tad.grad(h))(2.0) == 6.0
        assert tad.jit(tad.grad(h))(2.0) == 12.0


def test_kept_states_serve_a_narrower_pullback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that does not fit gives way to states of the loop."""
    from taglessad.control import loop_graphs, reversal

    def f(x: Any) -> Any:
        def step(s: Any) -> Any:
            after = tad.cos(s[1]) * x
            return s[0] + 1, after, _distance(after, s[1])

        return tad.sum(tad.while_loop(lambda s: s[0] < 300, step, (0, x, 1.0))[1])

    x = np.linspace(0.1, 0.6, 7)
    whole = tad.grad(f)(x)
    assert np.all(np.isfinite(np.asarray(whole)))
    monkeypatch.setattr(reversal, "BUDGET", 2000)
    monkeypatch.setattr(loop_graphs, "BUDGET", 2000)
    fresh = lambda x: f(x)
    np.testing.assert_array_equal(tad.grad(fresh)(x), whole)
    np.testing.assert_array_equal(tad.jit(tad.grad(fresh))(x), whole)


def test_structure() -> None:
    """(k, g, h) -> (k g, k h + g, h, 0)."""
    number = Aval((), float64)

    def program(ops: Any, xs: Any) -> Any:
        k, g, h = xs
        last = ops.add(ops.mul(k, h), g)
        return [ops.mul(k, g), last, h, ops.zeros(number)]

    graph = derived.build([number] * 3, program)
    assert reached(graph, (True, False)) == (True, True, False, False)
    assert reached(graph, (False, True)) == (False, True, True, False)
    small = narrowed(graph, (False, True), (False, True, True, False))
    assert [prim.name for prim, *_ in small.steps()] == ["mul"]
    assert len(small.inputs) == 2
    # Carried: the first goes to the second in one trip, the second to itself alone.
    assert carried(graph, (True, False), 1, 1) == ((True, False), (True, True, False, False))
    assert carried(graph, (True, False), 0, 2) == ((True, True), (True, True, True, False))
    assert carried(graph, (False, True), 0, 2) == ((False, True), (False, True, True, False))
