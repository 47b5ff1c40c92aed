"""Every decomposition with several results obeys every law, at random shapes and at every order."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taglessad.primitive import SEVERAL
from taglessad.proofs_checks.cases import Case
from taglessad.proofs_checks.domains_matrices import SEVERAL_RESULTS
from taglessad.proofs_checks.laws_several import (
    SEVERAL_CASE_LAWS,
    SEVERAL_DEEP_LAWS,
    SEVERAL_PLAN_LAWS,
)

each = pytest.mark.parametrize("name", SEVERAL_RESULTS)
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


def a_case(data: st.DataObject, name: str) -> Case:
    domain = data.draw(st.sampled_from(SEVERAL_RESULTS[name]))
    return domain.plan(Drawn(data)).case(data.draw(st.integers(0, 2**32)))


@each
@given(data=st.data())
@settings(quick, max_examples=20)
def test_laws_at_random_shapes(name: str, data: st.DataObject) -> None:
    case = a_case(data, name)
    for law in SEVERAL_CASE_LAWS:
        assert law(SEVERAL[name], case) is None, law.__name__


@each
@given(data=st.data())
@settings(quick, max_examples=8)
def test_shape_and_batch_rules_at_random_shapes(name: str, data: st.DataObject) -> None:
    domain = data.draw(st.sampled_from(SEVERAL_RESULTS[name]))
    plan, seed = domain.plan(Drawn(data)), data.draw(st.integers(0, 2**32))
    for dtype in domain.dtypes:
        for law in SEVERAL_PLAN_LAWS:
            assert law(SEVERAL[name], plan, seed, dtype) is None, law.__name__


@each
@given(data=st.data())
@settings(quick, max_examples=4)
def test_third_order_and_every_interpreter(name: str, data: st.DataObject) -> None:
    case = a_case(data, name)
    for law in SEVERAL_DEEP_LAWS:
        assert law(SEVERAL[name], case) is None, law.__name__
