"""Integers in loops are of 64 bits, as NumPy has them, also where they overflow."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad

LARGEST, SMALLEST = 2**63 - 1, -(2**63)


def eager(f: Any) -> Any:
    return f


@pytest.mark.parametrize("run", [eager, tad.jit])
@pytest.mark.parametrize(
    ("step", "start", "end"),
    [
        (lambda n: n + 1, LARGEST, SMALLEST),
        (lambda n: n - 1, SMALLEST, LARGEST),
        (lambda n: 0 - n, SMALLEST, SMALLEST),
        (lambda n: tad.where(n + 1 < n, 7, n + 1), LARGEST, 7),
        (lambda n: n * 3 + 5, LARGEST, SMALLEST + 2),
        (lambda n: n + 1, LARGEST - 1, LARGEST),
    ],
)
def test_one_step_past_the_end(run: Any, step: Any, start: int, end: int) -> None:
    one = lambda n: tad.while_loop(lambda s: s[0] < 1, lambda s: (s[0] + 1, step(s[1])), (0, n))[1]
    got = tad.to_numpy(run(one)(np.asarray(start)))
    assert got.dtype == np.int64
    assert int(got) == end


def test_rows_and_real_numbers_made_of_them() -> None:
    _, rows = tad.scan(lambda c, r: (c, r + 1), 0, np.asarray([LARGEST, 3]))
    np.testing.assert_array_equal(rows, [SMALLEST, 4])

    def step(_: Any, s: Any) -> Any:
        return s[0] + 1, s[1] + tad.astype(s[0] + 1, tad.float64) * np.ones(2)

    _, total = tad.fori_loop(0, 2, step, (np.asarray(LARGEST - 1), np.zeros(2)))
    np.testing.assert_array_equal(total, [0.0, 0.0])
