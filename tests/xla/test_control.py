"""Branches and loops on XLA, reverse mode through a loop of unknown length included."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from tests.control.programs import PAIRS, Pair

pytest.importorskip("jax")
from taglessad.interpreters import Jax  # noqa: E402  # after the skip
from taglessad.xla import control  # noqa: E402  # after the skip

# What has loops of unknown length, loops in loops and branches; the others are slow tests.
ORDINARY = {"while", "while-trips-depend", "scan-in-while", "branch-in-scan", "zero-trips"}


def _pairs(kept: set[str]) -> list[Any]:
    return [
        pytest.param(p, id=p.name, marks=() if p.name in kept else (pytest.mark.slow,))
        for p in PAIRS
    ]


@pytest.mark.parametrize("pair", _pairs(ORDINARY))
def test_gradient(pair: Pair) -> None:
    f = tad.jit(tad.value_and_grad(pair.program), Jax())
    y, g = f(pair.point)
    np.testing.assert_allclose(y, pair.program(pair.point), rtol=1e-13)
    np.testing.assert_allclose(g, tad.grad(pair.meaning)(pair.point), rtol=1e-11)


@pytest.mark.parametrize("pair", [p for p in _pairs({"while"}) if "while" in str(p.id)])
def test_third_order_and_batches(pair: Pair) -> None:
    third, plain = pair.program, pair.meaning
    for _ in range(3):
        third, plain = tad.grad(third), tad.grad(plain)
    np.testing.assert_allclose(tad.jit(third, Jax())(pair.point), plain(pair.point), rtol=1e-9)
    points = pair.point * np.asarray([0.9, 1.0, 1.2])
    rows = tad.jit(tad.vmap(tad.grad(pair.program)), Jax())(points)
    np.testing.assert_allclose(rows, tad.vmap(tad.grad(pair.program))(points), rtol=1e-11)


def test_many_trips_in_a_fixed_number_of_slots() -> None:
    f = lambda x: tad.while_loop(
        lambda s: s[0] < 3000, lambda s: (s[0] + 1, s[1] * 0.999 + 0.001 * tad.sin(x)), (0, x)
    )[1]
    lowered = tad.jit(tad.grad(f), Jax()).lower(0.5)
    memory = lowered.compile().memory_analysis().temp_size_in_bytes
    assert memory < 20_000
    np.testing.assert_allclose(tad.jit(tad.grad(f), Jax())(0.5), tad.grad(f)(0.5), rtol=1e-11)


def test_the_states_that_a_loop_keeps_lead_back_from_any_number_of_trips() -> None:
    def f(x: Any, trips: Any) -> Any:
        return tad.while_loop(
            lambda s: s[0] < trips, lambda s: (s[0] + 1, s[1] * 0.999 + 0.001 * tad.sin(x)), (0, x)
        )[1]

    g, h = (tad.jit(d(f), Jax()) for d in (tad.grad, lambda f: tad.grad(tad.grad(f))))
    for trips in (0, 1, 2, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 5000):
        a = 0.999**trips  # x a + (1 - a) sin(x)
        np.testing.assert_allclose(g(0.5, trips), a + (1 - a) * np.cos(0.5), rtol=1e-11)
        np.testing.assert_allclose(h(0.5, trips), -(1 - a) * np.sin(0.5), rtol=1e-10)


def test_outside_jit_a_loop_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """By count of the times that JAX traces one; the program makes its bodies anew in each call."""
    traced: list[str] = []

    def counted(name: str) -> Any:
        function = getattr(control, name)
        return lambda *args: (traced.append(name), function(*args))[1]

    for name in ("scan", "while_keeping", "while_pull", "branch"):
        monkeypatch.setattr(control, name, counted(name))

    def f(x: Any) -> Any:
        a = tad.scan(lambda c, r: (tad.tanh(0.5 * c + r), None), x[0], x)[0]
        b = tad.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, tad.sin(s[1]) * x[1]), (0, a))
        return tad.cond(a < 0.5, tad.cos, tad.exp, b[1])

    x = np.array([0.25, 0.5, 0.75])
    gradient: Any = tad.interpret(tad.grad(f), Jax())
    first = gradient(x)
    np.testing.assert_allclose(np.asarray(first), np.asarray(tad.grad(f)(x)), rtol=1e-14)
    assert {*traced} == {"scan", "while_keeping", "while_pull", "branch"}
    traced.clear()
    np.testing.assert_array_equal(np.asarray(gradient(x)), np.asarray(first))
    assert not traced
