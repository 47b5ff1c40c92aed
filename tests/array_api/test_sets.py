"""Distinct entries: against NumPy, whose order is ascending, and array-api-strict."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import taglessad as tad
from taglessad.compiled.jit import jit
from taglessad.errors import ConcretizationError

ARRAYS = [
    np.array([3, 1, 1, 2, 3, 3]),
    np.array([[2.5, -1.0], [2.5, 0.0]]),
    np.array([np.nan, 1.0, np.nan, -0.0, 0.0]),
    np.array([True, False, True]),
    np.zeros((0, 2)),
    np.array(5, np.uint8),
]


@pytest.mark.parametrize("x", ARRAYS)
def test_distinct_entries(x: np.ndarray) -> None:
    values, first, inverse, counts = np.unique(x, True, True, True, equal_nan=False)
    got = tad.unique_all(x)
    np.testing.assert_array_equal(np.asarray(got.values), values)
    np.testing.assert_array_equal(np.asarray(got.indices), first)
    np.testing.assert_array_equal(np.asarray(got.inverse_indices), inverse.reshape(x.shape))
    np.testing.assert_array_equal(np.asarray(got.counts), counts)
    assert got.values.dtype == x.dtype
    assert {a.dtype for a in got[1:]} == {np.dtype(np.int64)}
    np.testing.assert_array_equal(np.asarray(tad.unique_values(x)), values)
    for one, other in zip(tad.unique_counts(x), (values, counts), strict=True):
        np.testing.assert_array_equal(np.asarray(one), other)
    for one, other in zip(tad.unique_inverse(x), (values, inverse.reshape(x.shape)), strict=True):
        np.testing.assert_array_equal(np.asarray(one), other)


def test_fields_of_the_standard() -> None:
    x = np.array([2, 1, 2])
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        want = getattr(strict, name)(strict.asarray(x))
        got = getattr(tad, name)(x)
        assert got._fields == want._fields


def test_zeros_of_both_signs_are_one_value() -> None:
    assert tad.unique_values(np.array([-0.0, 0.0])).shape == (1,)


def test_values_must_be_known() -> None:
    for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
        with pytest.raises(ConcretizationError, match=f"{name}: x is a handle under"):
            jit(getattr(tad, name))(ARRAYS[0])


def test_derivatives_pass_to_the_first_of_each_value() -> None:

    def f(x: Any) -> Any:
        return tad.sum(tad.unique_values(x) * np.array([1.0, 2.0]))

    got = tad.grad(f, tape=True)(np.array([5.0, 3.0, 5.0]))
    np.testing.assert_array_equal(np.asarray(got), [2.0, 1.0, 0.0])
