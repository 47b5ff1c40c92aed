"""Every case, in every combination of modes, evaluated and compiled."""

import itertools

import pytest

import taglessad as tad
from tests.cases import (
    cases_arrays,
    cases_later,
    cases_orders,
    cases_selection,
    cases_values,
    test_properties,
)
from tests.cases.case import Case, Mode, check
from tests.cases.vocabulary import IDS, NEEDS, missing

CASES = [
    *cases_arrays.CASES,
    *cases_later.CASES,
    *cases_orders.CASES,
    *cases_selection.CASES,
    *cases_values.CASES,
]


def runs() -> list[object]:
    """(case, modes) for every combination of modes of every case."""
    found: list[object] = []
    for case in CASES:
        absent = missing(case.id)
        if absent:
            skip = pytest.mark.skip(reason=f"needs {absent}")
            found.append(pytest.param(case, (), marks=skip, id=case.id))
            continue
        marks = [pytest.mark.xfail(strict=True, reason=case.fails)] if case.fails else []
        for modes in itertools.product(*case.modes):
            label = "-".join([case.id, *(m.__name__ for m in modes)])
            found.append(pytest.param(case, modes, marks=marks, id=label))
    return found


EVERY = pytest.mark.parametrize(("case", "modes"), runs())


@EVERY
def test_evaluated(case: Case, modes: tuple[Mode, ...]) -> None:
    check(case.derivative(*modes)(*case.arguments()), case.expected, case.rtol)


@EVERY
def test_compiled(case: Case, modes: tuple[Mode, ...]) -> None:
    check(tad.jit(case.derivative(*modes))(*case.arguments()), case.expected, case.rtol)


def test_every_case_has_its_test() -> None:
    tested = [c.id for c in CASES] + sorted(test_properties.TESTED)
    assert len(IDS) == 106
    assert sorted(tested) == sorted(IDS)


def test_only_cases_need_functions() -> None:
    assert NEEDS.keys() <= set(IDS)
