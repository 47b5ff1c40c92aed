"""Values, first and second derivatives against 50-digit values, at a sample of the points of
docs/accuracy.md (`make accuracy` measures them all)."""

import numpy as np
import pytest

from taglessad.proofs_checks.accuracy import FEW, Row, ulps, worst
from taglessad.proofs_checks.accuracy_report import ROWS, beyond

# In mpmath, at the digits that the tails take.
COSTLY = {"spence", "zeta", "zeta(x, q)", "erfcinv", "ndtri", "gammainc", "gammaincc"} | {
    "logaddexp",
    "logaddexp2",
    "beta",
    "betaln",
    "betainc(a, b, 0.3)",
    "betainc(2.5, 0.5, x)",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_few_units_of_the_last_place(row: Row) -> None:
    found = worst(row, 12 if row.name in COSTLY else 36)
    assert beyond(row, found) == []
    assert all(w.ulp < np.inf for w in found)


def test_errors_are_seen() -> None:
    """The measure itself: one unit is one unit, NaN and a wrong infinity are infinitely wrong."""
    import mpmath as mp

    assert ulps(1 + 2**-52, mp.mpf(1)) == 1
    assert ulps(float("nan"), mp.mpf(1)) == np.inf
    assert ulps(float("inf"), mp.mpf(1)) == np.inf
    assert ulps(1.0, mp.mpf(10) ** 400) == np.inf
    assert ulps(2**-1074, mp.mpf(0)) == 1
    wrong = ROWS[0]._replace(function=lambda x: x * x * (1 + 1e-13))
    assert len(beyond(wrong, worst(wrong, 10))) == 3
    assert FEW == 8
