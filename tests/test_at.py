"""x.at[index]: modes for indices out of range, structural zeros, dtypes of values."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.compiled.jit import jit
from taglessad.errors import DTypeError, IndexOutOfRange

UPDATES = ("set", "add", "multiply", "min", "max")


# --- modes -----------------------------------------------------------------------------------------
X = np.array([10.0, 20.0, 30.0])
FAR = np.array([0, 3, -1, -4, 2, 7])
INSIDE = np.array([True, False, True, False, True, False])


def under(f: Callable[..., Any], known: bool) -> Callable[..., Any]:
    """The program with its index known, or traced."""
    return f if known else jit(f)


@pytest.mark.parametrize("known", [True, False])
def test_get_brings_indices_back_or_fills(known: bool) -> None:

    def read(mode: Any, **kw: Any) -> Any:
        return under(lambda x, i: x.at[i].get(mode=mode, **kw), known)

    x, i = tad.asarray(X), tad.asarray(FAR)
    np.testing.assert_array_equal(np.asarray(read("clip")(x, i)), X[[0, 2, 2, 0, 2, 2]])
    want = np.where(INSIDE, X[[0, 0, 2, 0, 2, 0]], np.nan)
    for mode in ("fill", "drop"):
        np.testing.assert_array_equal(np.asarray(read(mode)(x, i)), want)
    want = np.where(INSIDE, want, 7.0)
    np.testing.assert_array_equal(np.asarray(read("fill", fill_value=7.0)(x, i)), want)


@pytest.mark.parametrize("known", [True, False])
def test_gradients_of_get_agree_with_its_values(known: bool) -> None:
    w = np.arange(1.0, 7.0)
    for mode, want in (("clip", [5.0, 0.0, 16.0]), ("fill", [1.0, 0.0, 8.0])):
        f = under(
            lambda x, i, mode=mode: tad.sum(x.at[i].get(mode=mode, fill_value=0.0) * w), known
        )
        np.testing.assert_array_equal(np.asarray(tad.grad(f)(X, tad.asarray(FAR))), want)


def test_integers_and_bools_are_filled_with_their_extremes() -> None:
    for dtype, want in (("int8", -128), ("uint8", 255), ("uint64", 2**64 - 1), ("bool", True)):
        x = tad.asarray(np.zeros(2, dtype))
        assert x.at[5].get(mode="fill").item() == want


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", UPDATES)
def test_updates_out_of_range_are_dropped_or_clipped(
    updated: Callable[..., np.ndarray], name: str, known: bool
) -> None:
    v = np.array([1.0, 2.0, 40.0, 3.0, 5.0, 100.0])
    for mode, index, values in (
        ("drop", FAR[INSIDE], v[INSIDE]),
        ("fill", FAR[INSIDE], v[INSIDE]),
        ("clip", np.array([0, 2, 2, 0, 2, 2]), v),
    ):
        f = under(lambda x, i, v, mode=mode: getattr(x.at[i], name)(v, mode=mode), known)
        got = np.asarray(f(tad.asarray(X), tad.asarray(FAR), v))
        np.testing.assert_allclose(got, updated(X, index, name, values), rtol=1e-14)


@pytest.mark.parametrize("mode", ["drop", "clip"])
@pytest.mark.parametrize("name", UPDATES)
def test_derivatives_of_updates_in_every_mode(
    check_program: Callable[..., None], name: str, mode: str
) -> None:
    rng = np.random.default_rng(0)
    x, v = rng.standard_normal((3, 2)), rng.standard_normal((6, 2))
    check_program(lambda x, v: tad.sin(getattr(x.at[FAR], name)(v, mode=mode)), x, v)
    check_program(lambda x: tad.sin(x.at[FAR].get(mode=mode, fill_value=0.5)), x)


@pytest.mark.parametrize("known", [True, False])
def test_several_indices_are_out_of_range_one_by_one(
    updated: Callable[..., np.ndarray], known: bool
) -> None:
    x = np.arange(12.0).reshape(3, 4)
    i, j = np.array([0, 0, 5, -4]), np.array([1, 4, 1, 1])
    f = under(lambda x, i, j: x.at[i, j].get(mode="fill", fill_value=-1.0), known)
    got = np.asarray(f(tad.asarray(x), tad.asarray(i), tad.asarray(j)))
    np.testing.assert_array_equal(got, [1.0, -1.0, -1.0, -1.0])
    g = under(lambda x, i, j: x.at[i, j].add(1.0, mode="drop"), known)
    got = np.asarray(g(tad.asarray(x), tad.asarray(i), tad.asarray(j)))
    np.testing.assert_array_equal(got, updated(x, ([0], [1]), "add", 1.0))


def test_a_position_out_of_range_has_a_meaning_in_every_lenient_mode() -> None:
    x = tad.asarray(X)
    assert float(x.at[9].get(mode="clip")) == 30.0
    assert np.isnan(float(x.at[-9].get(mode="fill")))
    np.testing.assert_array_equal(np.asarray(x.at[9].set(0.0, mode="drop")), X)
    np.testing.assert_array_equal(np.asarray(x.at[9].set(0.0, mode="clip")), [10, 20, 0])
    empty = tad.zeros((0, 2))
    np.testing.assert_array_equal(
        np.asarray(empty.at[[3]].get(mode="fill", fill_value=1.0)), [[1, 1]]
    )
    assert empty.at[[3]].add(1.0, mode="drop").shape == (0, 2)
    with pytest.raises(IndexOutOfRange, match=r"\[0, 2\] is empty"):
        empty.at[[3]].get(mode="clip")


def test_filled_entries_contribute_nothing() -> None:

    def f(x: Any) -> Any:
        return tad.sum(tad.log(x.at[np.array([0, 5])].get(mode="fill", fill_value=0.0))[:1])

    np.testing.assert_array_equal(np.asarray(tad.grad(f)(np.array([2.0, 0.0]))), [0.5, 0.0])


# --- structural zeros and signs --------------------------------------------------------------------
def test_what_is_overwritten_contributes_nothing() -> None:
    x = np.array([0.0, 4.0, -1.0])
    for index in (0, slice(0, 1), [0], np.array([True, False, False])):

        def f(x: Any, index: Any = index) -> Any:
            return tad.sum(tad.sqrt(x).at[index].set(1.0)[:2])

        np.testing.assert_array_equal(np.asarray(tad.grad(f)(x)), [0.0, 0.25, 0.0])
        assert float(tad.jvp(f, (x,), (np.ones(3),))[1]) == 0.25


def test_untouched_entries_are_unchanged_to_the_sign_of_zero() -> None:
    x = tad.asarray([-0.0, 1.0, -0.0])
    for index in (1, slice(1, 2), [1], [1, 1]):
        for name in UPDATES:
            y = np.asarray(getattr(x.at[index], name)(2.0))
            assert np.signbit(y[0]) and np.signbit(y[2])


def test_updates_change_no_input() -> None:
    x, v = np.zeros(3), np.ones(2)
    y = tad.asarray(x).at[:2].set(v)
    assert float(np.sum(x)) == 0.0
    v[:] = 5.0
    np.testing.assert_array_equal(np.asarray(y), [1.0, 1.0, 0.0])


# --- dtypes of values ------------------------------------------------------------------------------
def test_values_take_the_dtype_of_x() -> None:
    x = tad.zeros(3, dtype=tad.float32)
    for values in (1, True, 2.5, np.float64(2.5), np.array([1, 2, 3])):
        assert x.at[:].set(values).dtype == np.float32
    assert x.at[[0]].add(np.ones(1, np.int8)).dtype == np.float32
    n = tad.zeros(3, dtype=tad.int8)
    assert n.at[0].set(True).dtype == np.int8
    assert n.at[0].set(np.int64(5)).dtype == np.int8
    assert bool(tad.asarray([True, False]).at[1].set(True)[1])


def test_values_of_a_higher_kind_are_refused() -> None:
    n = tad.zeros(3, dtype=tad.int64)
    with pytest.raises(DTypeError, match=r"at.set: values of dtype float64 .* dtype int64"):
        n.at[0].set(1.5)
    with pytest.raises(DTypeError, match="values of dtype float32"):
        n.at[[0]].add(np.ones(1, np.float32))
    with pytest.raises(DTypeError, match="values of dtype int64"):
        tad.asarray([True]).at[0].set(1)
    with pytest.raises(DTypeError, match="at.add: x holds truth values"):
        tad.asarray([True]).at[0].add(True)
    with pytest.raises(DTypeError, match="300 does not fit dtype int8"):
        tad.zeros(3, dtype=tad.int8).at[0].set(300)


def test_values_of_python_numbers_stacked() -> None:
    """They take the dtype of the array, as one number does, and must fit it."""
    pair = tad.stack((1.0, 2.0))
    got = tad.zeros(3).at[np.asarray([0, 1])].max(pair)
    np.testing.assert_array_equal(np.asarray(got), [1.0, 2.0, 0.0])
    small = tad.zeros(3, dtype=np.uint8)
    with pytest.raises(DTypeError, match=r"300.* does not fit dtype uint8"):
        small.at[np.asarray([0, 1])].set(tad.stack((300, 1)))
