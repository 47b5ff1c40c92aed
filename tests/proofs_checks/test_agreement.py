"""Every pair of interpreters that share a program gives the same values."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.proofs_checks.agreement import WAYS, agreement
from tests.conformance.programs import CASES, Case

NUMERIC = ["Eager", "replay", "graph", "Dual", "Batch", "Taylor", "Exact"]
ROUNDINGS = 64
"""Units in the last place of the largest entry: interpreters may add in other orders."""


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_pairs(case: Case) -> None:
    pytest.importorskip("flint")
    found = agreement(case.program, *case.point, ways=[*NUMERIC, "Real"])
    assert {"Eager", "replay", "graph", "Dual", "Batch", "Taylor"} <= found.results.keys()
    size = max(float(np.max(np.abs(np.asarray(x)), initial=1.0)) for x in case.point)
    for pair in found.pairs:
        if {pair.left, pair.right} & {"Exact", "Real"}:  # without rounding, so a sum may cancel
            assert pair.gap <= ROUNDINGS * np.spacing(size), str(pair)
        else:
            assert pair.ulps <= ROUNDINGS, str(pair)
    # What replays or carries the same operations on the same arrays gives the same bits.
    for pair in found.pairs:
        if {pair.left, pair.right} <= {"Eager", "graph", "Dual"}:
            assert pair.bits and pair.zeros == 0, str(pair)
    assert len(found.reached) == len(found.results["Eager"])


@pytest.mark.parametrize("case", CASES[:4], ids=lambda c: c.id)
def test_pairs_with_jax(case: Case) -> None:
    pytest.importorskip("jax")
    found = agreement(case.program, *case.point, ways=["Eager", "Jax"])
    (pair,) = found.pairs
    assert pair.ulps <= ROUNDINGS, str(pair)


def test_what_is_told_apart() -> None:
    found = agreement(lambda x, y: (x - y, -(x - y)), 1.0, 1.0, ways=["Eager", "Exact"])
    (pair,) = found.pairs  # the rational 0 has no sign
    assert pair.ulps == 0 and not pair.bits and pair.zeros == 1
    assert str(pair) == "Eager and Exact: 0 ulp, 1 zeros of other signs"
    found = agreement(lambda x: tad.sum(x), np.array([1e16, 1.0, -1e16]), ways=["Eager", "Exact"])
    assert found.worst > 1e10 or found.pairs[0].bits is False
    found = agreement(tad.sin, 1.0, ways=["Eager", "Exact"])
    assert found.pairs == [] and "not rational" in found.left_out["Exact"]


def test_interpreters_that_disagree_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WAYS, "wrong", lambda f, xs: [np.asarray(f(*xs)) * (1 + 1e-12)])
    monkeypatch.setitem(WAYS, "other", lambda f, xs: [np.ones(2)])
    found = agreement(lambda x: x * 3.0, 1.0, ways=["Eager", "wrong", "other"])
    assert found.pairs[0].ulps > 1000 and found.pairs[1].ulps == np.inf


# --- reach ---------------------------------------------------------------------------------------
def test_reach_names_the_inputs() -> None:
    f = lambda a, b, c: (a + b, tad.where(c > 0.0, a, 0.0), tad.ones(2))
    assert tad.reach(f)((3,), np.ones(3), 1.0) == ({"a", "b"}, {"a", "c"}, frozenset())
    g = lambda p, x, n: {"y": p["w"] @ x[0] * n, "z": tad.detach(tad.sum(p["b"]))}
    found = tad.reach(g)({"w": np.ones((2, 3)), "b": 1.5}, [(3,), (2,)], 2)
    assert found == {"y": {"p.w", "x[0]"}, "z": {"p.b"}}
    h: Any = lambda x, *, scale: x * scale
    assert tad.reach(h)(1.0, scale=(3,)) == {"x", "scale"}
    loop = lambda x, n: tad.while_loop(lambda c: c < 9.0, lambda c: c * x, x)
    assert tad.reach(loop)((), ()) == {"x"}
    assert tad.reach(loop).__name__.startswith("reach(")


def test_reach_of_values_that_are_looked_at() -> None:
    with pytest.raises(tad.errors.ConcretizationError):
        tad.reach(lambda x: x if x > 0 else -x)(1.0)
    with pytest.raises(tad.errors.ArgumentError, match="reach: f is"):
        tad.reach(3)  # type: ignore[arg-type]
