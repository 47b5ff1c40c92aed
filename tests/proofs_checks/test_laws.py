"""Every primitive obeys every law: at random shapes and values, at edges, and at every order."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taglessad.primitive import PRIMITIVES, Prim
from taglessad.proofs_checks.cases import Case
from taglessad.proofs_checks.domains import DOMAINS, cases, uncovered
from taglessad.proofs_checks.edges import EDGES, edge
from taglessad.proofs_checks.holds import (
    ALL_CASES_LAWS,
    CASE_LAWS,
    CASES,
    PLAN_LAWS,
    broken,
)
from taglessad.proofs_checks.laws_interpreters import everywhere
from taglessad.proofs_checks.laws_orders import orders
from taglessad.proofs_checks.laws_series import series

each = pytest.mark.parametrize("prim", PRIMITIVES.values(), ids=list(PRIMITIVES))
quick = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class Drawn:
    """A source of shapes and parameters that hypothesis chooses and shrinks."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def integer(self, low: int, high: int) -> int:
        return self._data.draw(st.integers(low, high))


def a_case(data: st.DataObject, prim: Prim) -> Case:
    """A case at which the laws of derivatives hold."""
    domain = data.draw(st.sampled_from([d for d in DOMAINS[prim.name] if d.smooth]))
    return domain.plan(Drawn(data)).case(data.draw(st.integers(0, 2**32)), domain.dtypes[0])


def test_every_primitive_has_a_domain_and_every_domain_a_primitive() -> None:
    assert uncovered() == (set(), set())


def test_edges_are_of_primitives() -> None:
    assert EDGES.keys() <= PRIMITIVES.keys()


@each
@given(data=st.data())
@settings(quick, max_examples=12)
def test_laws_at_random_shapes(prim: Prim, data: st.DataObject) -> None:
    case = a_case(data, prim)
    for law in CASE_LAWS:
        assert law(prim, case) is None, law.__name__


@each
@given(data=st.data())
@settings(quick, max_examples=8)
def test_shape_and_batch_rules_at_random_shapes(prim: Prim, data: st.DataObject) -> None:
    domain = data.draw(st.sampled_from(DOMAINS[prim.name]))
    plan, seed = domain.plan(Drawn(data)), data.draw(st.integers(0, 2**32))
    for dtype in domain.dtypes:
        for law in PLAN_LAWS:
            assert law(prim, plan, seed, dtype) is None, law.__name__


@each
@pytest.mark.parametrize("law", ALL_CASES_LAWS, ids=lambda law: law.__name__)
def test_labels(prim: Prim, law: object) -> None:
    assert callable(law)
    assert law(prim, cases(prim.name, CASES)) is None


@pytest.mark.parametrize("name", EDGES)
def test_edges(name: str) -> None:
    for at in EDGES[name]:
        assert edge(PRIMITIVES[name], at) is None, at


@each
@given(data=st.data())
@settings(quick, max_examples=2)
def test_all_orders_of_modes_agree_to_the_third_derivative(prim: Prim, data: st.DataObject) -> None:
    assert orders(prim, a_case(data, prim)) is None


@each
@given(data=st.data())
@settings(quick, max_examples=3)
def test_a_gradient_runs_under_every_interpreter(prim: Prim, data: st.DataObject) -> None:
    assert everywhere(prim, a_case(data, prim)) is None


@each
@given(data=st.data())
@settings(quick, max_examples=2)
def test_series_are_nested_derivatives(prim: Prim, data: st.DataObject) -> None:
    assert series(prim, a_case(data, prim)) is None


@pytest.mark.slow
@each
def test_every_law_at_the_fixed_cases(prim: Prim) -> None:
    assert list(broken(prim)) == []
