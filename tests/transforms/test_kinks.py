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


AT = np.asarray([0, 2, 0])
IDS = np.asarray([0, 0, 2])
UPDATES: dict[str, tuple[Any, Any, list[tuple[str, list[tuple[int, ...]], list[float]]]]] = {
    # program, point, kinks within 0.1: primitive, places, distances
    "one place": (lambda x: x.at[0].max(x[1]), [1.0, 1.0], [("maximum", [()], [0.0])]),
    "two updates": (
        lambda x: tad.zeros(3).at[AT].max(x),
        [1.0, 5.0, 1.0],
        [("max_at", [(0,)], [0.0])],
    ),
    "two updates, of the least": (
        lambda x: tad.zeros(3).at[AT].min(x),
        [-1.0, 5.0, -1.0],
        [("min_at", [(0,)], [0.0])],
    ),
    "two updates, below": (lambda x: tad.zeros(3).at[AT].max(x), [-1.0, 5.0, -1.0], []),
    "target and update": (
        lambda x: x.at[AT].max(np.asarray([1.0, 4.0, 0.0])),
        [1.0, 2.0, 3.0],
        [("max_at", [(0,)], [0.0])],
    ),
    "target and update, nearly": (
        lambda x: x.at[AT].min(np.asarray([1.0, 4.0, 9.0])),
        [1.0, 2.0, 4.0625],
        [("min_at", [(0,), (2,)], [0.0, 0.0625])],
    ),
    "three of them": (
        lambda x: x[:1].at[np.zeros(2, int)].max(x[1:]),
        [2.0, 2.0, 2.0],
        [("max_at", [(0,)], [0.0])],
    ),
    "the two below": (lambda x: x[:1].at[np.zeros(2, int)].max(x[1:]), [2.0, 1.0, 1.0], []),
    "the only one": (lambda x: x.at[np.asarray([1])].max(x[:1] + 9.0), [2.0, 2.0, 2.0], []),
    "a segment": (
        lambda x: tad.segment_max(x, IDS, 4),
        [1.0, 1.0625, 1.0],
        [("max_at", [(0,)], [0.0625])],
    ),
    "the least of a segment": (
        lambda x: tad.segment_min(x, IDS, 4),
        [3.0, 3.0, 1.0],
        [("min_at", [(0,)], [0.0])],
    ),
    "columns": (
        lambda x: tad.zeros((2, 3)).at[:, AT].max(tad.stack((x, 1.0 + x * x))),
        [1.0, 2.0, -1.0],
        [("max_at", [(1, 0)], [0.0])],
    ),
    "rows": (
        lambda x: tad.zeros((3, 3)).at[AT[:2]].max(tad.stack((x, x - 2.0))),
        [0.0, 2.0, 0.03125],
        [("max_at", [(0, 0), (0, 2), (2, 1)], [0.0, 0.03125, 0.0])],
    ),
    "an index of two axes": (
        lambda x: tad.zeros(3).at[np.asarray([[0, 1], [2, 1]])].max(tad.stack((x[:2], x[1:]))),
        [1.0, 5.0, 5.0],
        [("max_at", [(1,)], [0.0])],
    ),
}


@pytest.mark.parametrize("name", UPDATES)
def test_ties_of_updates(name: str) -> None:
    f, x, want = UPDATES[name]
    found = tad.interpret(f, Kinks(0.1))(np.asarray(x))
    assert [(k.op, k.places, k.distances) for k in found] == want
    assert all(k.site is not None and k.site[0].endswith("test_kinks.py") for k in found)
    compiled = tad.interpret(tad.jit(f), Kinks(0.1))(np.asarray(x))
    assert [(k.op, k.places, k.distances) for k in compiled] == want
    exact = tad.interpret(f, Kinks())(np.asarray(x))
    assert [k.op for k in exact] == [op for op, _, distances in want if 0.0 in distances]


def test_a_tie_of_updates_is_where_the_pull_rule_shares() -> None:
    f = lambda x: tad.zeros(3).at[AT].max(x)[0]
    for x, named, shares in (
        ([0.99, 7.0, 1.0], [], [0.0, 0.0, 1.0]),
        ([1.0, 7.0, 1.0], ["max_at"], [0.5, 0.0, 0.5]),
        ([1.01, 7.0, 1.0], [], [1.0, 0.0, 0.0]),
        ([0.0, 7.0, 0.0], ["max_at"], [1 / 3, 0.0, 1 / 3]),
    ):
        assert [k.op for k in tad.interpret(f, Kinks())(np.asarray(x))] == named
        assert tad.grad(f)(np.asarray(x)).tolist() == shares


def test_ties_of_running_extremes() -> None:
    x = np.asarray([[1.0, 1.0], [1.0, 3.0], [0.0, 2.9375], [2.0, 3.0]])
    (kink,) = tad.interpret(lambda x: tad.cumulative_max(x, axis=0), Kinks(0.1))(x)
    assert kink.op == "cumulative_max"
    assert dict(zip(kink.places, kink.distances, strict=True)) == {
        **{(1, 0): 0.0, (2, 0): 0.0, (2, 1): 0.0625, (3, 1): 0.0},
    }
    (kink,) = tad.interpret(lambda x: tad.cumulative_min(x, axis=1), Kinks())(x)
    assert kink.places == [(0, 1)]
    assert tad.interpret(tad.cumulative_max, Kinks())(np.asarray([3.0, 1.0, 1.0])) == []


@pytest.mark.xfail(strict=True, reason="they share a place of the array, which is cut off later")
def test_slices_of_no_segment_have_none() -> None:
    f = lambda x: tad.segment_max(x, np.asarray([0, 7, 7]), 2)
    assert tad.interpret(f, Kinks())(np.asarray([1.0, 2.0, 2.0])) == []


KNOTS = np.asarray([0.0, 1.0, 3.0])
TURNS: dict[str, tuple[Any, Any, str, list[float], Any]] = {
    # program, a point at or near a kink, the primitive, distances, a point that is far from any
    "argmax": (lambda x: x[tad.argmax(x)], [1.0, 2.0, 2.0], "argmax", [0.0], [2.0, 2.0, 3.0]),
    "argmin": (lambda x: x[tad.argmin(x)], [1.0, 1.0625, 2.0], "argmin", [0.0625], [1.0, 2.0, 2.0]),
    "argmax of an axis": (
        lambda x: tad.sum(tad.argmax(tad.stack((x, 2.0 - x)), axis=0) * x),
        [0.0, 1.0, 3.0],
        "argmax",
        [0.0],
        [0.0, 2.0, 3.0],
    ),
    "argsort": (lambda x: x[tad.argsort(x)], [1.0, 3.0, 1.0], "argsort", [0.0], [1.0, 3.0, 2.0]),
    "top_k": (
        lambda x: tad.top_k(x, 2).values,
        [5.0, 1.0, 1.0625],
        "argtop",
        [0.0625],
        [5.0, 1, 3],
    ),
    "top_k of all": (
        lambda x: tad.top_k(x, 3).values,
        [5.0, 1.0, 1.0],
        "argtop",
        [0.0],
        [5.0, 1, 3],
    ),
    "top_k, ties behind it": (
        lambda x: tad.top_k(x, 1).values,
        [5.0, 1.0, 5.0, 1.0],
        "argtop",
        [0.0],
        [5.0, 1.0, 1.0],
    ),
    "searchsorted": (
        lambda x: x * tad.searchsorted(tad.asarray(KNOTS), x),
        [0.9375, 7.0, 3.03125],
        "searchsorted",
        [0.0625, 0.03125],
        [-1.0, 0.5, 2.0],
    ),
    "searchsorted, what moves": (
        lambda x: tad.sum(x) * tad.searchsorted(x, tad.asarray(1.0)),
        [0.0, 1.0, 3.0],
        "searchsorted",
        [0.0],
        [0.0, 2.0, 3.0],
    ),
    "interp": (lambda x: tad.interp(x, KNOTS, KNOTS**2), [1.0], "searchsorted", [0.0], [0.5, 2.0]),
    "a root": (lambda x: x**0.5, [0.0, 0.0625], "pow", [0.0, 0.0625], [1.0]),
    "a root's exponent": (lambda x: x ** np.asarray([0.25, 2.0]), [0.0, 0.0], "pow", [0.0], [1.0]),
    "cbrt": (tad.cbrt, [0.0, -0.0625], "cbrt", [0.0, 0.0625], [1.0, -1.0]),
    "asin": (tad.asin, [1.0, -1.0], "asin", [0.0, 0.0], [0.5, 0.0]),
    "acos": (tad.acos, [1.0, -0.9375], "acos", [0.0, 0.0625], [0.5, 0.0]),
    "acosh": (tad.acosh, [1.0], "acosh", [0.0], [1.5]),
    "atan2": (lambda x: tad.atan2(x, -1.0), [0.0, -0.0625], "atan2", [0.0, 0.0625], [1.0, -1.0]),
    "atan2 at the origin": (lambda x: tad.atan2(x, x), [0.0], "atan2", [0.0], [-1.0, 1.0]),
    "atan2 in front": (lambda x: tad.atan2(0.0, x), [-1.0, 0.0], "atan2", [0.0, 0.0], [1.0, 2.0]),
}


@pytest.mark.parametrize("name", TURNS)
def test_jumps_and_infinite_slopes(name: str) -> None:
    f, x, op, distances, far = TURNS[name]
    tangent = lambda x: tad.jvp(lambda x: 1.0 * f(x), (x,), (tad.ones_like(x),))
    for g in (f, tad.jit(f), tad.grad(lambda x: tad.sum(1.0 * f(x))), tangent):
        found = [k for k in tad.interpret(g, Kinks(0.1))(np.asarray(x)) if k.op == op]
        assert found and found[0].distances == distances
        assert tad.interpret(g, Kinks(0.1))(np.asarray(far)) == []


@pytest.mark.parametrize("f", [tad.argmax, lambda x: x[tad.argmax(tad.detach(x))]])
def test_a_choice_jumps_also_where_no_derivative_is_taken(f: Any) -> None:
    assert [k.op for k in tad.interpret(f, Kinks())(np.asarray([2.0, 2.0]))] == ["argmax"]


def test_no_entries_to_search_in() -> None:
    f = lambda x: tad.searchsorted(tad.zeros(0), x)
    assert tad.interpret(f, Kinks(9.0))(np.asarray([0.0, 1.0])) == []


def test_what_is_made_of_literals_stays_where_it_is() -> None:
    """An interpolation on a knot is linear in the values at the knots."""
    f = lambda values: tad.interp(tad.asarray([1.0, 2.0]), tad.asarray(KNOTS), values)
    for g in (f, tad.jit(f), tad.jacfwd(f)):
        assert tad.interpret(g, Kinks())(np.asarray([1.0, 5.0, 2.0])) == []
    assert tad.interpret(tad.jit(lambda x: x * tad.floor(tad.ones(()))), Kinks())(1.0) == []


def test_integers_have_no_kink() -> None:
    f = lambda x, i: (x, tad.zeros(3, dtype=tad.int64).at[AT].max(i))
    assert tad.interpret(f, Kinks())(1.0, np.asarray([1, 5, 1])) == []


def test_what_starts_a_segment_is_no_contender() -> None:
    empty = tad.interpret(lambda x: tad.segment_max(x, IDS, 9), Kinks())(
        np.asarray([1.0, 2.0, 3.0])
    )
    assert empty == []
    f = lambda x: tad.segment_max(x - np.inf, IDS, 3)
    assert tad.interpret(f, Kinks())(np.asarray([1.0, 2.0, 3.0])) == []


TIED = np.asarray([1.0, 5.0, 1.0])
WITHIN: dict[str, Any] = {
    "scan": lambda x: tad.scan(lambda c, _: (c.at[AT].max(x), None), tad.zeros(3), None, length=1)[
        0
    ],
    "for": lambda x: tad.fori_loop(0, 1, lambda _, c: c.at[AT].max(x), tad.zeros(3)),
    "while": lambda x: tad.while_loop(
        lambda c: c[0] < 1, lambda c: (c[0] + 1, c[1].at[AT].max(x)), (0, tad.zeros(3))
    )[1],
    "cond": lambda x: tad.cond(True, lambda x: tad.zeros(3).at[AT].max(x), lambda x: x, x),
    "checkpoint": tad.checkpoint(lambda x: tad.zeros(3).at[AT].max(x)),
    "jit": tad.jit(lambda x: tad.zeros(3).at[AT].max(x)),
    "grad": tad.grad(lambda x: tad.zeros(3).at[AT].max(x)[0]),
    "jvp": lambda x: tad.jvp(lambda x: tad.zeros(3).at[AT].max(x), (x,), (x,)),
}


@pytest.mark.parametrize("name", WITHIN)
def test_ties_of_updates_in_a_body(name: str) -> None:
    found = tad.interpret(WITHIN[name], Kinks())(TIED)
    assert ("max_at", [(0,)], [0.0]) in [(k.op, k.places, k.distances) for k in found]
    apart = tad.interpret(WITHIN[name], Kinks())(np.asarray([1.0, 5.0, 2.0]))
    assert "max_at" not in [k.op for k in apart]


def test_what_a_body_closes_over_moves() -> None:
    f = lambda x: tad.scan(lambda c, _: (c + relu(x), None), 0.0, None, length=1)[0]
    assert [k.op for k in tad.interpret(f, Kinks())(0.0)] == ["relu"]
    constant = tad.zeros(())
    f = lambda x: tad.scan(lambda c, _: (c + x * relu(constant), None), 0.0, None, length=1)[0]
    assert tad.interpret(f, Kinks())(0.0) == []


@pytest.mark.parametrize(("shape", "index"), [((0, 2), []), ((2, 0), [0, 0]), ((2, 2), [])])
def test_updates_of_no_places_have_none(shape: tuple[int, int], index: list[int]) -> None:
    f = lambda x: x.at[np.asarray(index, int)].max(tad.zeros((len(index), shape[1])))
    assert tad.interpret(f, Kinks(0.1))(np.zeros(shape)) == []


def test_a_branch_that_is_not_taken_has_none() -> None:
    f = lambda x: tad.cond(False, lambda x: tad.zeros(3).at[AT].max(x), lambda x: x, x)
    assert tad.interpret(f, Kinks())(TIED) == []


def test_ties_of_updates_of_members() -> None:
    """One member of three is at a tie: with the index shared, and with one for each."""
    xs = np.stack((TIED, [1.0, 5.0, 2.0], [7.0, 5.0, 3.0]))
    shared = tad.vmap(lambda x: tad.zeros(3).at[AT].max(x))
    (kink,) = tad.interpret(shared, Kinks())(xs)
    assert (kink.op, kink.places) == ("max_at", [(0, 0)])
    own = tad.vmap(lambda x, i: tad.zeros(3).at[i].max(x))
    places = np.stack((AT, AT, AT))
    (kink,) = tad.interpret(lambda x: own(x, places), Kinks())(xs)
    assert (kink.op, len(kink.places), kink.distances) == ("max_at", 1, [0.0])
    assert tad.interpret(lambda x: own(x, places), Kinks())(xs + np.arange(3.0)) == []


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
