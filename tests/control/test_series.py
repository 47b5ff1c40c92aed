"""Power series through branches and loops: one run of the same control flow on all coefficients."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from tests.control.programs import PAIRS, Pair

ORDER = 4


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_against_nested_derivatives(pair: Pair) -> None:
    v = np.ones_like(pair.point)
    series: Any = tad.taylor(pair.program, ORDER)
    expected = [tad.derivative(pair.program)(pair.point, [v] * k) for k in range(ORDER + 1)]
    for run in (series, tad.jit(series)):
        for y, d in zip(run(pair.point, v), expected, strict=True):
            np.testing.assert_allclose(y, d, rtol=1e-9, atol=1e-12)


def test_the_twentieth_derivative() -> None:
    """x**(2**4) by squaring four times; doubling with each order would never end."""
    f = lambda x: tad.fori_loop(0, 4, lambda i, c: c * c, x)
    factor = np.prod(np.arange(13.0, 17.0))
    got = tad.taylor(f, 20)(2.0, 1.0)
    assert float(got[4]) == factor * 2.0**12
    assert float(got[16]) == np.prod(np.arange(1.0, 17.0))
    assert float(got[20]) == 0.0


def test_rows_constants_and_carry_that_move_or_stand() -> None:
    rows = np.asarray([0.3, -0.7, 1.1])

    def looped(x: Any) -> Any:
        def step(c: Any, r: Any) -> Any:
            still, c = c
            return (still + 1.0, c * r + tad.sin(x) * still), c * c + still

        (_, c), ys = tad.scan(step, (0.0, x), x * rows)
        (_, d), zs = tad.scan(step, (1.0, 2.0), tad.asarray(rows), reverse=True)
        return c + tad.sum(ys) + d + tad.sum(zs)

    def unrolled(x: Any) -> Any:
        total = 0.0
        for still, c, each in ((0.0, x, x * rows), (1.0, 2.0, rows[::-1])):
            for i in range(3):
                total = total + c * c + still
                c = c * each[i] + tad.sin(x) * still
                still = still + 1.0
            total = total + c
        return total

    got, expected = ([float(y) for y in tad.taylor(f, 6)(0.4, 1.0)] for f in (looped, unrolled))
    np.testing.assert_allclose(got, expected, rtol=1e-12)
