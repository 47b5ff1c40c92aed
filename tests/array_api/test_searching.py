"""Positions of entries, counts, and the choice between two: against NumPy and array-api-strict."""

from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import taglessad as tad
from taglessad.compiled.jit import jit
from taglessad.errors import ArgumentError, ConcretizationError, DTypeError, ShapeError

A = np.random.default_rng(0).integers(-3, 3, (2, 3, 4)).astype(float)
NANS = np.array([[1.0, np.nan, 3.0], [np.nan, 2.0, np.nan]])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "uint16", "bool"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("name", ["argmax", "argmin", "count_nonzero"])
def test_positions_and_counts(name: str, axis: int | None, keepdims: bool, dtype: str) -> None:
    x = A.astype(dtype)

    def f(x: Any) -> Any:
        return getattr(tad, name)(x, axis=axis, keepdims=keepdims)

    want = np.asarray(getattr(np, name)(x, axis=axis, keepdims=keepdims))
    got = f(x)
    assert got.dtype == tad.int64
    assert type(got) is tad.IntTensor
    assert got.shape == want.shape
    np.testing.assert_array_equal(np.asarray(got), want)
    np.testing.assert_array_equal(np.asarray(jit(f)(x)), want)
    batch = np.stack([x, x[::-1]])
    loop = np.stack([np.asarray(f(x)), np.asarray(f(x[::-1]))])
    np.testing.assert_array_equal(np.asarray(tad.vmap(f)(batch)), loop)
    if dtype != "bool" or name == "count_nonzero":
        standard = getattr(strict, name)(strict.asarray(x), axis=axis, keepdims=keepdims)
        np.testing.assert_array_equal(np.asarray(got), np.asarray(standard))


def test_counts_over_several_axes() -> None:
    got = tad.count_nonzero(A, axis=(0, -1), keepdims=True)
    np.testing.assert_array_equal(np.asarray(got), np.count_nonzero(A, (0, -1), keepdims=True))
    assert int(tad.count_nonzero(NANS)) == 6
    assert int(tad.count_nonzero(np.zeros((0, 2)))) == 0


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_the_first_nan_is_the_extremum(axis: int | None) -> None:
    for name in ("argmax", "argmin"):
        got = getattr(tad, name)(NANS, axis=axis)
        np.testing.assert_array_equal(np.asarray(got), getattr(np, name)(NANS, axis=axis))


def test_positions_by_position_of_the_axis() -> None:
    np.testing.assert_array_equal(np.asarray(tad.argmax(A, 1)), np.argmax(A, 1))
    assert int(tad.argmax(2.0)) == 0


@pytest.mark.parametrize("x", [A, A > 0, A.astype(int), np.zeros(3), np.zeros((0, 2)), NANS])
def test_nonzero(x: np.ndarray) -> None:
    got = tad.nonzero(x)
    want = np.nonzero(x)
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert g.dtype == tad.int64
        np.testing.assert_array_equal(np.asarray(g), w)


def test_nonzero_needs_the_value() -> None:
    with pytest.raises(ConcretizationError, match=r"nonzero: .* tad.where\(condition, x, other\)"):
        tad.grad(lambda x: x[tad.nonzero(x)[0]][0])(np.ones(3))
    with pytest.raises(ArgumentError, match="nonzero: x has rank 0"):
        tad.nonzero(1.0)
    first = tad.grad(lambda x: x[tad.nonzero(x)[0]][0] ** 2, tape=True)
    np.testing.assert_array_equal(np.asarray(first(np.array([0.0, 3.0, 1.0]))), [0.0, 6.0, 0.0])


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["float64", "int16"])
def test_searchsorted(side: Any, dtype: str) -> None:
    ordered = np.array([1, 1, 2, 5, 8]).astype(dtype)
    values = np.array([[0, 1], [5, 9]]).astype(dtype)
    got = tad.searchsorted(ordered, values, side=side)
    assert got.dtype == tad.int64
    np.testing.assert_array_equal(np.asarray(got), np.searchsorted(ordered, values, side))
    order = np.array([3, 0, 4, 1, 2])
    shuffled = np.empty_like(ordered)
    shuffled[order] = ordered
    got = tad.searchsorted(shuffled, values, side=side, sorter=tad.asarray(order))
    np.testing.assert_array_equal(np.asarray(got), np.searchsorted(ordered, values, side))
    mixed = tad.searchsorted(ordered, 1.5, side=side)
    assert int(mixed) == 2


def test_searchsorted_errors() -> None:
    with pytest.raises(ShapeError, match=r"searchsorted: x1 has shape \[2, 3\]"):
        tad.searchsorted(np.ones((2, 3)), 1.0)
    with pytest.raises(ArgumentError, match="side 'middle'"):
        tad.searchsorted(np.ones(3), 1.0, side="middle")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"searchsorted: .* sorter \[2\]"):
        tad.searchsorted(np.ones(3), 1.0, sorter=tad.asarray([0, 1]))


# --- where -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("condition", "x1", "x2"),
    [
        ([True, False], [1.0, 2.0], [3.0, 4.0]),
        ([[True], [False]], [1, 2], 3.5),
        (True, 1, 2.0),
        ([True, False], np.float32(1), np.ones(2, np.int8)),
        ([True, False], True, np.array([1, 2], np.uint8)),
    ],
)
def test_where(condition: Any, x1: Any, x2: Any) -> None:
    got = np.asarray(tad.where(condition, x1, x2))
    np.testing.assert_array_equal(got, np.where(condition, x1, x2))


def test_where_keeps_the_dtype_of_arrays_next_to_numbers() -> None:
    c = tad.asarray([True, False])
    assert tad.where(c, np.ones(2, np.float32), 0.0).dtype == tad.float32
    assert tad.where(c, np.ones(2, np.int8), 1).dtype == tad.int8
    assert tad.where(c, 1, 2).dtype == tad.int64
    assert type(tad.where(c, c, False)) is tad.BoolTensor


def test_derivatives_of_where(check_program: Callable[..., None]) -> None:
    c = np.array([[True], [False]])
    a, b = np.array([1.0, 2.0, 3.0]), np.array([[4.0], [5.0]])
    check_program(lambda a, b: tad.where(c, tad.sin(a), tad.exp(b)), a, b)


def test_what_is_not_chosen_contributes_nothing() -> None:

    def f(x: Any) -> Any:
        return tad.sum(tad.where(x > 0, tad.log(x), 0.0))

    np.testing.assert_array_equal(np.asarray(tad.grad(f)(np.array([0.0, 2.0]))), [0.0, 0.5])


def test_where_errors() -> None:
    with pytest.raises(DTypeError, match=r"where: condition has dtype float64; .*condition != 0"):
        tad.where(1.0, 2.0, 3.0)  # type: ignore[type-var]
    with pytest.raises(ShapeError, match=r"where: shapes \[2\], \[3\] and \[\]"):
        tad.where(np.array([True, False]), np.ones(3), 1.0)


def test_extrema_of_nothing() -> None:
    with pytest.raises(ShapeError, match=r"argmax: shape \[0, 2\] has no entries along axis 0"):
        tad.argmax(np.zeros((0, 2)), axis=0)
    with pytest.raises(ShapeError, match="argmin"):
        tad.argmin(np.zeros(0))
    assert tad.argmax(np.zeros((0, 2)), axis=1).shape == (0,)
