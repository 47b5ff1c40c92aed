"""Values, first and second derivatives against 50-digit values, at a sample of the points of
docs/accuracy.md (`make accuracy` measures them all)."""

import re

import numpy as np
import pytest

import taglessad as tad
from taglessad import special
from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks.accuracy import FEW, Beyond, Row, ulps, worst
from taglessad.proofs_checks.accuracy_report import POINTS, ROWS, beyond

# In mpmath, at the digits that the tails take.
COSTLY = {"spence", "zeta", "zeta(x, q)", "erfcinv", "ndtri", "gammainc", "gammaincc"} | {
    "logaddexp",
    "logaddexp2",
    "beta",
    "betaln",
    "betainc",
    "binom",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_few_units_of_the_last_place(row: Row) -> None:
    found = worst(row, 12 if row.name in COSTLY else 36)
    assert beyond(row, found) == []
    assert all(w.ulp < np.inf for w in found)


def test_each_function_is_looked_at_at_as_many_points_as_the_page_says() -> None:
    assert POINTS == 2000
    assert {row.name: len(row.points(POINTS)[0]) for row in ROWS} == {r.name: POINTS for r in ROWS}


# Not of single numbers.
OF_ARRAYS = {"logsumexp", "softmax", "log_softmax"}
# binom, rounded where both operands are whole.
STEPPED = {"comb"}


def test_every_special_function_is_measured() -> None:
    named = {re.split(r"\W", row.name)[0] for row in ROWS} | {"polygamma"}
    public = {name for name in dir(special) if callable(getattr(special, name))}
    assert public - named - OF_ARRAYS - STEPPED == set()


# What they give is one of their operands, whose derivative is 1, or none.
MOVED = {"where", "clip", "cast", "detach", "nextafter"}


def test_every_elementwise_primitive_with_a_derivative_is_measured() -> None:
    seen: set[str] = set()
    for row in ROWS:
        operands = [tad.tensor(x[:1]) for x in row.points(4)]
        value = lambda *xs, f=row.function: tad.sum(f(*xs))
        slopes = [tad.grad(value, argnums=i) for i in range(len(operands))]
        for program in (value, *slopes):
            seen |= {node.prim.name for node in tad.trace(program)(*operands).nodes}
    smooth = {
        name
        for name, prim in PRIMITIVES.items()
        if prim.kind == "elementwise" and any(slot is not None for slot in prim.slots)
    }
    assert smooth - seen - MOVED == set()


def test_errors_are_seen() -> None:
    """The measure itself: one unit is one unit, NaN and a wrong infinity are infinitely wrong."""
    import mpmath as mp

    assert ulps(1 + 2**-52, mp.mpf(1)) == 1
    assert ulps(float("nan"), mp.mpf(1)) == np.inf
    assert ulps(float("inf"), mp.mpf(1)) == np.inf
    assert ulps(1.0, mp.mpf(10) ** 400) == np.inf
    assert ulps(2**-1074, mp.mpf(0)) == 1
    square = next(row for row in ROWS if row.name == "square")
    wrong = square._replace(function=lambda x: x * x * (1 + 1e-13))
    assert len(beyond(wrong, worst(wrong, 10))) == 3
    assert FEW == 8
    alone = Row("f", lambda x: x, lambda x: x, wrong.scales, wrong.points)
    large = worst(wrong, 10)
    allowed = wrong._replace(exceptions={w.quantity: Beyond("a test", 1e6) for w in large})
    assert beyond(allowed, large) == [] and beyond(alone, worst(alone, 10)) == []
