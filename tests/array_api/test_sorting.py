"""Order along an axis: against NumPy and array-api-strict, stability, derivatives."""

from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import taglessad as tad
from taglessad.compiled.jit import jit
from taglessad.errors import ArgumentError, IndexOutOfRange
from taglessad.interpreters import Exact

TIES = np.random.default_rng(0).integers(-2, 3, (3, 4, 5))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8", "uint8", "bool"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_order_is_stable(axis: int, descending: bool, dtype: str) -> None:
    x = TIES.astype(dtype)
    order = tad.argsort(x, axis=axis, descending=descending)
    result = tad.sort(x, axis=axis, descending=descending)
    assert order.dtype == tad.int64
    assert result.dtype == x.dtype
    if dtype not in ("bool", "float16"):
        want = strict.argsort(strict.asarray(x), axis=axis, descending=descending)
        np.testing.assert_array_equal(np.asarray(order), np.asarray(want))
    ascending = np.sort(x, axis=axis)
    want = np.flip(ascending, axis) if descending else ascending
    np.testing.assert_array_equal(np.asarray(result), want)
    both = np.stack([x, x[::-1]])

    def f(x: Any) -> Any:
        return tad.sort(x, axis=axis, descending=descending)

    np.testing.assert_array_equal(np.asarray(tad.vmap(f)(both))[0], want)
    np.testing.assert_array_equal(np.asarray(jit(f)(x)), want)


numbers = st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]), max_size=8)


@given(numbers)
def test_numpy_order_with_nan_and_infinities(values: list[float]) -> None:
    x = np.array(values)
    np.testing.assert_array_equal(np.asarray(tad.argsort(x)), np.argsort(x, kind="stable"))
    got = np.asarray(tad.sort(x, descending=True))
    np.testing.assert_array_equal(got, np.sort(x)[::-1])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, -1])
def test_the_derivative_follows_the_permutation(
    check_program: Callable[..., None], axis: int, descending: bool
) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4))
    check_program(lambda x: tad.sin(tad.sort(x, axis=axis, descending=descending)), x)


def test_ties_keep_their_own_derivatives() -> None:
    w = np.array([1.0, 2.0, 4.0])

    def f(x: Any) -> Any:
        return tad.sum(tad.sort(x) * w)

    np.testing.assert_array_equal(np.asarray(tad.grad(f)(np.array([5.0, 1.0, 1.0]))), [4, 1, 2])

    def g(x: Any) -> Any:
        return tad.sum(tad.sort(x, descending=True) * w)

    np.testing.assert_array_equal(np.asarray(tad.grad(g)(np.array([1.0, 5.0, 1.0]))), [2, 1, 4])


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_top_k(k: int, axis: int) -> None:
    values, indices = tad.top_k(TIES, k, axis=axis)
    want = np.take(np.argsort(-TIES, axis=axis, kind="stable"), range(k), axis)
    assert indices.dtype == tad.int64
    np.testing.assert_array_equal(np.asarray(indices), want)
    np.testing.assert_array_equal(np.asarray(values), np.take_along_axis(TIES, want, axis))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "uint8", "bool"])
@pytest.mark.parametrize("k", [0, 1, 7, 150, 600])
@pytest.mark.parametrize("axis", [0, 1])
def test_the_largest_of_many_are_the_first_in_order(axis: int, k: int, dtype: str) -> None:
    """Selected before they are sorted, where they are few: among ties, infinities and no NaN."""
    rng = np.random.default_rng(0)
    x = rng.integers(-40, 40, (600, 9) if axis == 0 else (9, 600))
    if dtype.startswith("float"):
        x = np.where(x == 39, np.inf, np.where(x == 38, -np.inf, x * 0.5))
        x = np.where((x == 0) & (rng.random(x.shape) < 0.5), -0.0, x)
    x = x.astype(dtype)
    want = np.take(np.asarray(tad.argsort(x, axis=axis, descending=True)), range(k), axis)
    np.testing.assert_array_equal(tad.top_k(x, k, axis=axis).indices, want)


@pytest.mark.parametrize("k", [2, 9])
def test_nan_among_many_is_largest(k: int) -> None:
    x = np.random.default_rng(0).standard_normal((9, 600))
    x[:, 500], x[3, ::100] = np.nan, -np.nan
    want = np.asarray(tad.argsort(x, descending=True))[:, :k]
    np.testing.assert_array_equal(tad.top_k(x, k).indices, want)


def test_top_k_of_a_batch() -> None:
    x = np.stack([TIES, TIES[::-1]], axis=1)
    got = tad.vmap(lambda x: tad.top_k(x, 2, axis=0).indices, in_axes=1)(x)
    for i in (0, 1):
        np.testing.assert_array_equal(got[i], tad.top_k(x[:, i], 2, axis=0).indices)


def test_derivatives_of_top_k(check_program: Callable[..., None]) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4))
    check_program(lambda x: tad.sin(tad.top_k(x, 2).values), x)


def test_the_first_of_equal_entries_comes_first_and_nan_is_largest() -> None:
    got = tad.top_k(np.array([1.0, 2.0, np.nan, 2.0]), 3)
    np.testing.assert_array_equal(np.asarray(got.indices), [2, 1, 3])


@pytest.mark.parametrize("k,ties", [(0, 0), (1, 0), (2, 1), (3, 2)])
def test_ties_count_where_they_decide_what_is_largest(k: int, ties: int) -> None:
    """In the first column none is among the two largest or ends them."""
    pytest.importorskip("flint")
    x = np.array([[5.0, 3.0], [1.0, 2.0], [4.0, 2.0], [1.0, 1.0]])
    exact = Exact()
    got = tad.interpret(lambda x: tad.top_k(x, k, axis=0).values, exact)(x)
    np.testing.assert_array_equal(np.asarray(got, float), -np.sort(-x, axis=0)[:k])
    assert sum(t.entries for t in exact.ties) == ties


def test_sorting_errors() -> None:
    with pytest.raises(IndexOutOfRange, match=r"sort: axis -1 is out of range for shape \[\]"):
        tad.sort(1.0)
    with pytest.raises(IndexOutOfRange, match="argsort: axis 3"):
        tad.argsort(TIES, axis=3)
    with pytest.raises(
        ArgumentError, match=r"top_k: k is 6, but axis 2 of shape \[3, 4, 5\] has 5"
    ):
        tad.top_k(TIES, 6)
    with pytest.raises(ArgumentError, match="top_k: k is -1"):
        tad.top_k(TIES, -1)
