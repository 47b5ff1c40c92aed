"""The published failure cases on JAX: the same right answers."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from tests.cases.case import Case, check
from tests.cases.test_cases import CASES
from tests.xla.differences import DIFFERENCES

pytest.importorskip("jax")
from taglessad.interpreters import Jax  # noqa: E402

EVERY = 15  # all of them where slow tests are asked for


def _cases() -> list[Any]:
    right = [c for c in CASES if not c.fails]
    return [
        pytest.param(c, id=c.id, marks=() if i % EVERY == 0 else (pytest.mark.slow,))
        for i, c in enumerate(right)
    ]


@pytest.mark.parametrize("case", _cases())
def test_case(case: Case) -> None:
    modes = [m[-1] for m in case.modes]
    got = tad.jit(case.derivative(*modes), Jax())(*case.arguments())
    if DIFFERENCES.get(case.id) != "wrong":
        check(got, case.expected, case.rtol)
        return
    with pytest.raises(AssertionError):  # so that the table tells no more than is so
        check(got, case.expected, case.rtol)


def test_a_difference_is_one_of_the_device_not_of_the_rule() -> None:
    """Subnormal numbers are flushed to zero: the largest that is not is right."""
    smallest = np.finfo(np.float64).tiny
    slope = tad.jit(tad.grad(tad.sqrt), Jax())(smallest)
    np.testing.assert_allclose(slope, 0.5 / np.sqrt(smallest), rtol=1e-15)
