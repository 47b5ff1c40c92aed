"""Bodies that are recorded again: equal ones are one graph, and others are not."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.control import derived
from taglessad.control.known import LARGEST, known
from taglessad.dtypes import float64
from taglessad.graph import Graph
from taglessad.primitive import Aval

# Any: programs over handles


def _graph(f: Any) -> Graph:
    return tad.trace(f)(tad.Spec((3,)))


def test_the_same_program_is_one_graph() -> None:
    f = lambda x: tad.sin(x) * 2.0 + tad.clip(x, 0.0, 1.0)
    first = known(_graph(f))
    assert known(_graph(f)) is first


@pytest.mark.parametrize(
    ("f", "g"),
    [
        (lambda x: x * 2.0, lambda x: x * 3.0),
        (lambda x: x * 0.0, lambda x: x * -0.0),
        (lambda x: tad.sum(x, axis=0), lambda x: tad.sum(x, axis=0, keepdims=True)),
        (lambda x: x + np.ones(3), lambda x: x + np.ones(3, np.float32)),
        (lambda x: x / 3, lambda x: x * (1 / 3)),
    ],
)  # one line each, so that lines do not tell them apart
def test_others_are_others(f: Any, g: Any) -> None:
    assert known(_graph(f)) is not known(_graph(g))


def test_a_literal_is_what_was_written() -> None:
    """The number 0.1 and its nearest float32 are one array, but not one number."""
    rounded = np.asarray(0.1, np.float32)
    fs = [lambda x: x * 0.1, lambda x: x * rounded]
    one, other = (known(tad.trace(f)(tad.Spec((3,), np.float32))) for f in fs)
    np.testing.assert_array_equal(*(next(iter(g.constants.values())) for g in (one, other)))
    assert one is not other


def test_large_literals_and_custom_rules_are_not_kept_alive() -> None:
    data = np.zeros(LARGEST // 8 + 1)
    graph = _graph(lambda x: x + tad.sum(tad.asarray(data) * x[0]))
    assert known(graph) is graph
    gone = weakref.ref(graph)
    del graph
    gc.collect()
    assert gone() is None

    def program(x: Any) -> Any:
        @tad.custom_jvp
        def f(x: Any) -> Any:
            return x * x

        f.defjvp(lambda primals, tangents: (primals[0] ** 2, 2.0 * primals[0] * tangents[0]))
        return f(x)

    assert known(_graph(program)) is not known(_graph(program))


def test_a_loop_outside_jit_derives_its_body_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        inner = lambda s: tad.scan(lambda c, r: (tad.sin(c) + r, None), s, x)[0]
        return tad.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, inner(s[1])), (0, x[0]))[1]

    x = np.linspace(0.5, 1.0, 3)
    first = tad.grad(f)(x)
    built: list[int] = []
    build = derived.build
    counted = lambda avals, program: (built.append(1), build(avals, program))[1]
    monkeypatch.setattr(derived, "build", counted)
    np.testing.assert_array_equal(tad.grad(f)(x), first)
    assert not built


def test_another_pullback_than_the_last_time() -> None:
    """The loop leaves a log for what was asked for before; what asks for more is right as well."""

    def loop(x: Any, y: Any) -> Any:
        step = lambda s: (s[0] + 1, tad.sin(s[1]) * x, tad.cos(s[2]) * y + s[1])
        return tad.while_loop(lambda s: s[0] < 5, step, (0, x, y))[1:]

    small = lambda x, y: loop(x, y)[0]
    large = lambda x, y: loop(x, y)[1]
    expected = [tad.jit(tad.grad(f, argnums=(0, 1)))(0.4, 0.7) for f in (small, large)]
    for _ in range(2):
        for f, want in zip((small, large), expected, strict=True):
            np.testing.assert_array_equal(tad.grad(f, argnums=(0, 1))(0.4, 0.7), want)


def test_avals_count() -> None:
    made = [derived.build([Aval((n,), float64)], lambda ops, xs: xs) for n in (2, 3)]
    assert known(made[0]) is not known(made[1])


def test_rules_of_a_users_primitive_are_asked_again() -> None:
    """They may read what has changed meanwhile."""
    state = {"factor": 2.0}
    scaled = tad.primitive(
        "scaled_by_state",
        lambda x: x * state["factor"],
        partials=[lambda y, x: 0.0 * x + state["factor"]],
        check=False,
    )
    f = lambda x: tad.fori_loop(0, 1, lambda _, c: scaled(c), x)
    for factor in (2.0, 3.0):
        state["factor"] = factor
        assert [float(v) for v in tad.value_and_grad(f)(1.0)] == [factor, factor]
