"""The published failure cases on JAX: the same right answers."""

import pytest

import taglessad as tad
from tests.cases.case import Case, check
from tests.cases.test_cases import CASES

pytest.importorskip("jax")
from taglessad.interpreters import Jax  # noqa: E402


@pytest.mark.parametrize("case", [c for c in CASES if not c.fails], ids=lambda c: c.id)
def test_case(case: Case) -> None:
    modes = [m[-1] for m in case.modes]
    check(tad.jit(case.derivative(*modes), Jax())(*case.arguments()), case.expected, case.rtol)
