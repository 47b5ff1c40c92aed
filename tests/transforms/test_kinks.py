"""with_kinks, the Kinks interpreter, where_nan."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors
from taglessad.interpreters import Kinks

relu = tad.nn.functional.relu
SLOPES: list[tuple[Any, dict[str, Any], float, float]] = [
    # program, policy, slope at 0 by default, slope chosen
    (relu, {"relu": 1.0}, 0.0, 1.0),
    (relu, {"relu": "candle"}, 0.0, 1.0),
    (tad.abs, {"abs": "jax"}, 0.0, 1.0),
    (tad.abs, {"abs": -1.0}, 0.0, -1.0),
    (lambda x: tad.maximum(x, 0.0), {"maximum": (1.0, 0.0)}, 0.5, 1.0),
    (lambda x: tad.minimum(x, 0.0), {"maximum": (0.0, 1.0)}, 0.5, 0.0),
    (lambda x: tad.clip(x, 0.0, 1.0), {"clip": "torchlean"}, 1.0, 0.0),
    (lambda x: tad.clip(x, 0.0, 1.0), {"clip": "jax"}, 1.0, 0.5),
]


@pytest.mark.parametrize(("f", "policy", "own", "chosen"), SLOPES)
def test_slopes(f: Any, policy: dict[str, Any], own: float, chosen: float) -> None:
    g = tad.with_kinks(f, **policy)
    for x in (-1.0, 0.0, 0.5, 2.0):
        assert float(g(x)) == float(f(x))
    for transform in (tad.grad, tad.jacfwd, lambda f: tad.jit(tad.grad(f))):
        assert float(transform(f)(0.0)) == own
        assert float(transform(g)(0.0)) == chosen
        assert float(transform(g)(0.5)) == float(transform(f)(0.5))
    assert float(tad.with_kinks(tad.grad(f), **policy)(0.0)) == chosen
    assert float(tad.grad(tad.grad(g))(0.0)) == 0.0
    np.testing.assert_array_equal(tad.vmap(tad.grad(g))(np.zeros(2)), [chosen, chosen])


def test_compiled_code_is_kept_apart() -> None:
    slope = tad.jit(tad.grad(tad.abs))
    assert [float(slope(0.0)), float(tad.with_kinks(slope, abs=1.0)(0.0)), float(slope(0.0))] == [
        0.0,
        1.0,
        0.0,
    ]


def test_nesting_keeps_what_is_not_named() -> None:
    f = lambda x: relu(x) + tad.abs(x)
    inner = tad.with_kinks(f, relu=1.0)
    assert float(tad.grad(tad.with_kinks(inner, abs=1.0))(0.0)) == 2.0


@pytest.mark.parametrize("policy", [{"relu": "numpy"}, {"abs": "high"}, {"maximum": 1.0}])
def test_misuse(policy: dict[str, Any]) -> None:
    with pytest.raises(errors.ArgumentError, match="with_kinks"):
        tad.with_kinks(relu, **policy)


def test_kinks_at_a_point() -> None:
    f = lambda x: tad.sum(tad.abs(x)) + tad.sum(relu(x - 1.0)) + tad.max(x)
    found = tad.interpret(f, Kinks())(np.asarray([0.0, 1.0, 1.0]))
    assert [(k.op, k.places) for k in found] == [
        ("abs", [(0,)]),
        ("relu", [(1,), (2,)]),
        ("max", [()]),
    ]
    assert found[0].site is not None and found[0].site[0].endswith("test_kinks.py")
    near = tad.interpret(tad.abs, Kinks(0.1))(np.asarray([0.05, 0.2]))
    assert [k.distances for k in near] == [[0.05]]
    assert tad.interpret(tad.sin, Kinks(1.0))(0.5) == []


def test_what_no_derivative_is_taken_of_is_at_no_kink() -> None:
    tied = np.asarray([1.0, 1.0, 0.0])
    for f in (
        tad.nn.functional.softmax,
        lambda x: x - tad.max(tad.detach(x)),
        lambda x: x * tad.abs(tad.asarray(np.zeros(3))),
    ):
        assert tad.interpret(f, Kinks())(tied) == []
    jump = tad.interpret(lambda x: x * tad.floor(tad.detach(x)), Kinks())(tied)
    assert [k.op for k in jump] == ["floor"]
    mixed = tad.interpret(lambda x: tad.maximum(x, tad.detach(x)), Kinks())(tied)
    assert [k.op for k in mixed] == ["maximum"]


@pytest.mark.xfail(strict=True, reason="ties of at[...].max and of segments are not named yet")
def test_ties_of_updates() -> None:
    f = lambda x: tad.sum(x.at[0].max(x[1]))
    assert [k.op for k in tad.interpret(f, Kinks())(np.asarray([1.0, 1.0]))] == ["max_at"]


def test_kinks_of_a_branch() -> None:
    f = lambda x: tad.cond(x <= 1.0, lambda t: t, lambda t: t * t, x)
    assert [k.op for k in tad.interpret(f, Kinks())(1.0)] == ["less_equal"]


def test_where_nan() -> None:
    x = np.asarray([0.0, 1.0])
    found = tad.where_nan(lambda x: tad.sum(tad.sqrt(x)))(x)
    assert (found.op, found.direction) == ("sqrt", "backward")
    assert found.site[0].endswith("test_kinks.py") and "sqrt" in str(found)
    found = tad.where_nan(lambda x: tad.sum(tad.exp(tad.log(x - 1.0))))(x)
    assert (found.op, found.direction) == ("log", "forward")
    np.testing.assert_array_equal(found.operands[0], [-1.0, 0.0])
    assert tad.where_nan(lambda x: tad.sum(tad.where(x > 0.0, tad.sqrt(x), 0.0)))(x) is None
    assert tad.where_nan(lambda x: tad.sum(x * x))(x) is None


BODIES: dict[str, Any] = {
    "scan": lambda x: tad.scan(lambda c, k: (tad.log(c - k), None), x, np.ones(3))[0],
    "reverse": lambda x: tad.scan(
        lambda c, k: (tad.log(c - k), None), x, np.asarray([9.0, 1.0, 1.0]), reverse=True
    )[0],
    "while": lambda x: tad.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, tad.log(c[1] - 1.0)), (0, x)
    )[1],
    "nested": lambda x: tad.fori_loop(
        0, 3, lambda i, c: tad.cond(i < 1, lambda c: c - 2.0, tad.log, c), x
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_where_nan_in_a_body(name: str) -> None:
    """The operation of the trip that did it, not the loop."""
    found = tad.where_nan(BODIES[name])(1.5)
    assert (found.op, found.direction) == ("log", "forward")
    np.testing.assert_allclose(found.operands[0], -0.5 if name == "nested" else np.log(0.5) - 1.0)
    assert found.site[0].endswith("test_kinks.py")


def test_where_nan_back_through_a_loop() -> None:
    roots = lambda x: tad.scan(lambda c, k: (tad.sqrt(c), None), x, np.ones(2))[0]
    found = tad.where_nan(roots)(0.0)
    assert (found.op, found.direction) == ("scan", "backward")
