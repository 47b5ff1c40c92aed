"""Cost: exact on programs counted by hand."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters import Cost

W = 8  # bytes of a float64


def rows(x: Any) -> Any:
    return tad.scan(lambda c, r: (c + r * r, None), 0.0, x)[0]


# program, shapes, operations, bytes read, bytes written, peak
COUNTED: list[Any] = [
    (lambda x: x + x, [(10,)], 10, 20 * W, 10 * W, 20 * W),
    (lambda x: tad.exp(x) * x, [(10,)], 20, 30 * W, 20 * W, 30 * W),
    (lambda x: tad.sum(x), [(10,)], 9, 10 * W, W, 11 * W),
    (lambda a, b: a @ b, [(2, 3), (3, 4)], 2 * 24 - 8, 18 * W, 8 * W, 26 * W),
    (lambda a, b: a @ b, [(3,), (3,)], 5, 6 * W, W, 7 * W),
    (lambda x: tad.reshape(x, (5, 2)), [(10,)], 0, 10 * W, 10 * W, 20 * W),
    (lambda x: tad.sum(tad.sin(x)), [(4,)], 7, 8 * W, 5 * W, 9 * W),
    (lambda a, b: a * b, [(3, 1), (1, 4)], 12, 7 * W, 12 * W, 19 * W),
    # the loop: 5 trips of a product and a sum of numbers
    (rows, [(5,)], 10, 5 * 4 * W, 5 * 2 * W, None),
    (lambda x: tad.fori_loop(0, 7, lambda i, c: c * x, x), [()], 14, None, None, None),
]


@pytest.mark.parametrize("case", COUNTED, ids=range(len(COUNTED)))
def test_counted_by_hand(case: Any) -> None:
    f, shapes, operations, read, written, peak = case
    report = tad.interpret(f, Cost())(*shapes)
    assert report.operations == operations
    for got, expected in [(report.read, read), (report.written, written), (report.peak, peak)]:
        assert expected is None or got == expected
    assert not report.unbounded


def test_a_loop_of_unknown_length_says_so() -> None:
    f = lambda x: tad.while_loop(lambda c: c < 9.0, lambda c: c * c, x)
    report = tad.interpret(f, Cost())(())
    assert report.unbounded and report.operations == 2
    assert "unknown length" in str(report)


def test_the_reverse_of_a_loop_of_unknown_length() -> None:
    def f(x: Any) -> Any:
        return tad.while_loop(lambda c: c < 9.0, lambda c: c * x, x)

    report = tad.interpret(tad.grad(f), Cost())(())
    # A trip: the test, the product; again the product, and its two cotangents.
    assert report.unbounded and 5 <= report.operations <= 7


def test_branches_count_the_dearest() -> None:
    f = lambda x: tad.cond(x[0] > 0.0, lambda t: t * t * t, lambda t: t, x)
    assert tad.interpret(f, Cost())((10,)).operations == 21


def test_of_arrays_and_gradients() -> None:
    f = lambda x: tad.sum(x * x)
    forward = tad.interpret(f, Cost())(np.ones(10))
    backward = tad.interpret(tad.grad(f), Cost())(np.ones(10))
    assert forward.operations == 19
    assert 10 <= backward.operations <= 2 * forward.operations
