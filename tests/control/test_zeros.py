"""Parts of a carry or a result that nobody differentiates: no work, and no NaN from their slopes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.control import derived
from taglessad.control.zeros import carried, narrowed
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
    """(k, g, h) -> (k g, k h + g, h, 0), a pullback linear in g and h."""
    number = Aval((), float64)

    def program(ops: Any, xs: Any) -> Any:
        k, g, h = xs
        last = ops.add(ops.mul(k, h), g)
        return [ops.mul(k, g), last, h, ops.zeros(number)]

    graph = derived.build([number] * 3, program)
    small = narrowed(graph, (False, True), (False, True, True, False))
    assert small is not None
    assert [prim.name for prim, *_ in small.steps()] == ["mul"]
    assert len(small.inputs) == 2


def test_flow() -> None:
    """(k, a, b) -> (k a, b + a, sin(a)): a goes to the first and second, b to the second alone."""
    graph = tad.trace(lambda k, a, b: (k * a, b + a, tad.sin(a)))(1.0, 2.0, 3.0)
    every = (True,) * 3
    assert derived.reached_back(graph, (True, False, False), every) == (True, True, False)
    assert derived.reached_back(graph, (False, True, False), every) == (False, True, True)
    assert derived.reached_back(graph, (False, False, True), (True, False, True)) == (False,) * 3
    # Two are carried, and come back as a and b.
    assert carried(graph, (True, False, False), every, 1, 2) == (
        (True, False, False),
        (True, True, False),
    )
    assert carried(graph, (False, True, False), every, 1, 2) == ((True, True, False), every)
    assert carried(graph, (False, False, True), every, 1, 2) == (
        (True, False, True),
        (True, True, False),
    )


def _step(c: Any) -> Any:
    """A value, and what nobody asks for, whose slope is 0 times infinity."""
    return tad.sin(c), tad.sqrt((c - c) ** 2)


def _inner_while(c: Any) -> Any:
    return tad.while_loop(lambda s: s[0] < 1, lambda s: (s[0] + 1, *_step(s[1])), (0, c, 1.0))[1:]


def _inner_scan(c: Any) -> Any:
    return tad.fori_loop(0, 1, lambda _, s: _step(s[0]), (c, 1.0))


INNER: dict[str, Callable[[Any], Any]] = {
    "cond": lambda c: tad.cond(c < 5.0, _step, lambda c: (c, c), c),
    "checkpoint": tad.checkpoint(_step),
    "while": _inner_while,
    "scan": _inner_scan,
}
OUTER: dict[str, Callable[[Any, Any], Any]] = {
    "scan": lambda f, x: tad.fori_loop(0, 2, lambda _, s: f(s[0]), (x, 1.0))[0],
    "while": lambda f, x: tad.while_loop(
        lambda s: s[0] < 2, lambda s: (s[0] + 1, *f(s[1])), (0, x, 1.0)
    )[1],
}


@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("inner", INNER)
def test_within_loops_and_branches_inside(outer: str, inner: str) -> None:
    """sin(sin(x)), and its derivatives."""
    f = lambda x: OUTER[outer](INNER[inner], x)
    x = 0.7
    slope = np.cos(np.sin(x)) * np.cos(x)
    second = -np.sin(np.sin(x)) * np.cos(x) ** 2 - np.cos(np.sin(x)) * np.sin(x)
    for _ in range(2):  # the second time with what the first has left
        assert float(tad.grad(f)(x)) == pytest.approx(slope, rel=1e-14)
    assert float(tad.jit(tad.grad(f))(x)) == pytest.approx(slope, rel=1e-14)
    assert float(tad.grad(tad.jit(f))(x)) == pytest.approx(slope, rel=1e-14)
    assert float(tad.grad(tad.grad(f))(x)) == pytest.approx(second, rel=1e-13)
    assert float(tad.hessian(f)(x)) == pytest.approx(second, rel=1e-13)
    rows = tad.vmap(tad.grad(f))(np.asarray([x, x]))
    np.testing.assert_allclose(np.asarray(rows), slope, rtol=1e-14)


def test_a_pullback_that_gives_nothing_back() -> None:
    """The second derivative of a loop whose rows do not depend on anything."""
    v = np.asarray([0.3, -0.6, 1.1])
    rows = lambda v: tad.sum(tad.scan(lambda c, r: (c, 2.0), 0.3, v)[1])
    f = lambda v: tad.sum(tad.sin(v * rows(v)))
    np.testing.assert_allclose(
        np.asarray(tad.grad(lambda v: tad.sum(tad.grad(f)(v)))(v)), -36.0 * np.sin(6.0 * v)
    )

    def nothing(v: Any) -> Any:
        w = tad.sin(v)
        tad.map(lambda x: None, w)
        tad.cond(w[0] > 0.0, lambda: None, lambda: None)
        return tad.sum(w * w)

    np.testing.assert_allclose(np.asarray(tad.grad(nothing)(v)), np.sin(2.0 * v))
