"""Selections and control flow: what a selection did not take contributes nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad

Function = Callable[[Any], Any]
WAYS: dict[str, Callable[[Function], Function]] = {
    "grad": tad.grad,
    "jacfwd": tad.jacfwd,
    "jit": lambda f: tad.jit(tad.grad(f)),
    "vmap": lambda f: lambda x: tad.vmap(tad.grad(f))(x * np.ones(2))[0],
    "series": lambda f: lambda x: tad.taylor(f, 2)(x, 1.0)[1],
    "second": lambda f: lambda x: 1.0 + tad.grad(tad.grad(f))(x),
}


def branch(f: Function) -> Function:
    return lambda x: tad.cond(True, f, lambda t: t, x)


def loop(f: Function) -> Function:
    return lambda x: tad.fori_loop(0, 1, lambda _, c: f(c), x)


def search(f: Function) -> Function:
    return lambda x: tad.while_loop(lambda s: s[0] < 1, lambda s: (s[0] + 1, f(s[1])), (0, x))[1]


AROUND = {"branch": branch, "loop": loop, "while": search, "checkpoint": tad.checkpoint}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("way", WAYS)
def test_a_selection_outside_of_what_is_singular(around: str, way: str) -> None:
    root = AROUND[around](tad.sqrt)
    f = lambda x: tad.where(x > 0.5, root(x), 0.0) + x
    assert float(WAYS[way](f)(0.0)) == 1.0


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("way", ["jacfwd", "series"])
def test_a_selection_before_what_is_singular(around: str, way: str) -> None:
    root = AROUND[around](tad.sqrt)
    f = lambda x: root(tad.where(x > 0.5, x, 0.0)) + x
    assert float(WAYS[way](f)(0.3)) == 1.0


def test_a_live_singularity_is_seen() -> None:
    for around in AROUND.values():
        root = around(tad.sqrt)
        assert tad.grad(lambda x, r=root: tad.where(x > -1.0, r(x), 0.0))(0.0) == np.inf


INSIDE = pytest.mark.xfail(
    strict=True, reason="what a body's own selection dropped leaves the body as a number, 0"
)


@INSIDE
@pytest.mark.parametrize("around", ["branch", "loop", "while"])
def test_a_selection_inside(around: str) -> None:
    taken = AROUND[around](lambda t: tad.where(t > 0.5, t, 0.0))
    assert float(tad.grad(lambda x: taken(tad.sqrt(x)) + x)(0.0)) == 1.0


@pytest.mark.xfail(strict=True, reason="a loop's or branch's cotangent is masked as a whole only")
@pytest.mark.parametrize("around", ["branch", "loop", "while", "checkpoint"])
def test_some_entries_of_an_array(around: str) -> None:
    root = AROUND[around](tad.sqrt)
    f = lambda x: tad.sum(tad.where(x > 0.5, root(x), 0.0))
    np.testing.assert_array_equal(tad.grad(f)(np.asarray([0.0, 1.0])), [0.0, 0.5])


def _root(c: Any, y: Any) -> Any:
    return tad.where(y > 0.0, tad.sqrt(y * c), 0.0)


ROWS = np.asarray([0.0, 1.0])
LOOPS: dict[str, Function] = {
    "scan": lambda p: tad.sum(tad.scan(lambda c, y: (c, _root(c, y)), p, ROWS)[1]),
    "map": lambda p: tad.sum(tad.map(lambda y: _root(p, y), ROWS)),
    "fori": lambda p: tad.fori_loop(0, 2, lambda i, s: s + _root(p, tad.asarray(ROWS)[i]), 0.0 * p),
    "nested": lambda p: tad.map(lambda _: tad.sum(tad.map(lambda y: _root(p, y), ROWS)), ROWS[:1])[
        0
    ],
}


@pytest.mark.parametrize("loop", LOOPS)
def test_reverse_over_reverse_of_a_selection_inside(loop: str) -> None:
    """Each is sqrt(p); its derivatives of higher order do not see what the selection dropped."""
    f = LOOPS[loop]
    slope, second, third = 0.5 / np.sqrt(2.0), -0.25 * 2.0**-1.5, 0.375 * 2.0**-2.5
    one, two, three = tad.grad(f), tad.grad(tad.grad(f)), tad.grad(tad.grad(tad.grad(f)))
    for g, want in ((one, slope), (two, second), (three, third), (tad.jacrev(one), second)):
        np.testing.assert_allclose(np.asarray(g(2.0)), want, rtol=1e-14)
        np.testing.assert_allclose(np.asarray(tad.jit(g)(2.0)), want, rtol=1e-14)
    np.testing.assert_allclose(np.asarray(tad.grad(tad.jit(one))(2.0)), second, rtol=1e-14)
    np.testing.assert_allclose(np.asarray(tad.hvp(f)(2.0, 1.0)), second, rtol=1e-14)
