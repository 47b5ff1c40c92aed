"""What a body computes from values that it closes over is computed in the body."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
import tests.fuzz.vocabulary  # noqa: F401  # it fills the table
from taglessad import levels
from taglessad.compiled.invariant import split
from taglessad.interpreters.tape import Tape
from tests.fuzz.backends import Ours
from tests.fuzz.registry import OPS

# Any: programs over handles

WAYS: dict[str, Callable[[Any], Any]] = {
    "eager": tad.grad,
    "jit": lambda f: tad.jit(tad.grad(f)),
    "of jit": lambda f: tad.grad(tad.jit(f)),
    "vmap": lambda f: lambda x: tad.vmap(tad.grad(f))(x * np.ones(2))[0],
    "forward": tad.jacfwd,
}
PROGRAMS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "cond": (lambda x: tad.cond(x > 0.5, lambda: tad.log(x), lambda: 2.0 * x), 2.0),
    "switch": (lambda x: tad.switch(1, [lambda: tad.log(x), lambda: 3.0 * x]), 3.0),
    "while": (lambda x: tad.while_loop(lambda s: s < 0.0, lambda s: s + tad.log(x), x * 1.0), 1.0),
    "fori": (lambda x: tad.fori_loop(0, 0, lambda _, s: s + tad.log(x), x * 1.0), 1.0),
    "nested": (
        lambda x: tad.cond(
            x < 0.5,
            lambda: tad.cond(x > 0.25, lambda: tad.sqrt(x), lambda: 4.0 * x),
            lambda: tad.log(x),
        ),
        4.0,
    ),
    "method": (lambda x: tad.cond(x > 0.5, lambda: tad.sqrt(x) ** 1.5, lambda: -x), -1.0),
    "selection": (
        lambda x: x + tad.sum(tad.map(lambda m: tad.where(m, 0.0, tad.log(x)), np.ones(2) > 0)),
        1.0,
    ),
    "derivative": (lambda x: tad.cond(x > 0.5, lambda: tad.grad(tad.log)(x), lambda: 2.0 * x), 2.0),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_branch_not_taken_has_no_derivative(name: str, way: str) -> None:
    """All are singular at 0 in a branch or a trip that is not run."""
    f, slope = PROGRAMS[name]
    assert float(WAYS[way](f)(0.0)) == slope


def test_a_norm_with_a_smooth_branch_at_zero() -> None:
    f = lambda v: tad.cond(v @ v > 1e-3, lambda: tad.sqrt(v @ v), lambda: v @ v)
    np.testing.assert_array_equal(tad.grad(f)(np.zeros(2)), np.zeros(2))
    np.testing.assert_array_equal(tad.hessian(f)(np.zeros(2)), 2.0 * np.eye(2))


def test_under_jax() -> None:
    jax = pytest.importorskip("taglessad.interpreters.jax")
    f = PROGRAMS["cond"][0]
    assert float(tad.jit(tad.grad(f), jax.Jax())(0.0)) == 2.0


POINTS = {
    "s": np.asarray(0.37),
    "v": np.asarray([0.31, -0.42, 0.73]),
    "m": np.asarray([[0.9, 0.1, -0.2], [0.3, 1.1, 0.25], [-0.15, 0.35, 0.8]]),
}


def test_every_operation_is_part_of_the_body(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the vocabulary of random programs is recorded outside of the branch that it is in."""
    outside: list[str] = []
    for name in ("apply", "apply_n"):
        plain = getattr(Tape, name)

        def spied(self: Any, prim: Any, *rest: Any, plain: Any = plain) -> Any:
            if levels.body_above(self) is not None:
                outside.append(prim.name)
            return plain(self, prim, *rest)

        monkeypatch.setattr(Tape, name, spied)
    library = Ours()
    tried = 0
    for name, op in OPS.items():
        if op.bodies:
            continue
        points = [POINTS[t] + 0.01 * i for i, t in enumerate(op.takes)]

        def program(*xs: Any, call: Any = op.call) -> Any:
            branch = lambda: tad.sum(call(library, 1, *xs))
            return tad.cond(tad.asarray(True), branch, branch)

        tad.grad(program)(*points)
        assert not outside, f"{name}: {outside}"
        tried += 1
    assert tried > 300


def test_python_may_look_at_values_of_a_peeking_tape() -> None:
    def f(x: Any) -> Any:
        return tad.fori_loop(0, 2, lambda _, c: c * x if float(x) > 0 else c, x)

    assert float(tad.grad(f, tape=True)(2.0)) == 12.0


def test_what_does_not_change_is_computed_before_the_loop() -> None:
    """One exponential for all trips; the values are what they are in place."""
    graph = tad.trace(lambda p, x: tad.exp(p) * x + tad.sin(p))(1.0, 2.0)
    parts = split(graph, 1)
    assert parts is not None
    first, rest = parts
    assert sorted(prim.name for prim, *_ in first.steps()) == ["exp", "sin"]
    assert sorted(prim.name for prim, *_ in rest.steps()) == ["add", "mul"]
    assert split(tad.trace(lambda p, x: p * x)(1.0, 2.0), 1) is None

    def in_place(p: Any, x: Any) -> Any:
        for _ in range(20):
            x = x * tad.tanh(p) + tad.cos(p)
        return tad.sum(x)

    p, x = np.linspace(0.1, 0.9, 5), np.linspace(1.0, 2.0, 5)
    for way in (lambda f: f, tad.jit):
        for order in (lambda f: f, lambda f: tad.grad(f, argnums=(0, 1))):
            got, want = (way(order(f))(p, x) for f in (_looped, in_place))
            np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-13)


def _looped(p: Any, x: Any) -> Any:
    limit = lambda s: s[0] < 20.0 * tad.tanh(p[0] + 30.0)
    step = lambda s: (s[0] + 1.0, s[1] * tad.tanh(p) + tad.cos(p))
    return tad.sum(tad.while_loop(limit, step, (0.0, x))[1])


TABLE = tad.asarray([0.0, 1.0, 2.0])


def _endless(x: Any, n: Any) -> Any:
    """The inner loop ends for x > 0 alone."""
    inner = lambda: tad.while_loop(lambda c: c < 10.0, lambda c: c + x, 0.0 * x)
    return tad.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] + inner()), (0, 0.0 * x))[1]


def test_a_loop_without_trips_computes_nothing_of_its_body() -> None:
    """What would fail, or not end, in the first trip; of which the condition may keep it away."""
    counted = lambda i, n: tad.fori_loop(0, n, lambda _, s: s + TABLE[i], 0.0)
    assert float(tad.jit(counted)(7, 0)) == 0.0
    assert float(tad.jit(counted)(2, 3)) == 6.0
    guard = lambda i: tad.while_loop(
        lambda s: (i < 3) & (s[0] < 2), lambda s: (s[0] + 1, s[1] + TABLE[i]), (0, 0.0)
    )[1]
    assert float(tad.jit(guard)(7)) == 0.0
    assert float(tad.jit(guard)(1)) == 2.0
    power = lambda a, b, n: tad.while_loop(
        lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] + a**b), (0, 0)
    )[1]
    assert int(tad.jit(power)(7, -2, 0)) == 0
    assert int(tad.jit(power)(7, 2, 3)) == 147
    for way in (tad.jit(_endless), tad.grad(_endless)):
        assert float(way(0.0, 0)) == 0.0
    assert float(tad.jit(_endless)(3.0, 2)) == 24.0
