"""Entries rearranged, joined, repeated, padded and taken: against NumPy and array-api-strict."""

from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import taglessad as tad
from taglessad.compiled.jit import jit
from taglessad.errors import (
    ArgumentError,
    ConcretizationError,
    DTypeError,
    IndexOutOfRange,
    ShapeError,
)
from taglessad.interpreters import Exact, Shape

A = np.random.default_rng(0).standard_normal((2, 3, 4))
V = np.random.default_rng(1).standard_normal(5)
ONE = np.array(2.5)

# name, the call under a namespace, its operands
Case = tuple[str, Callable[..., Any], tuple[np.ndarray, ...]]
STANDARD: list[Case] = [
    ("reshape", lambda xp, x: xp.reshape(x, (4, 6)), (A,)),
    ("reshape", lambda xp, x: xp.reshape(x, (-1, 2, 2)), (A,)),
    ("reshape", lambda xp, x: xp.reshape(x, (1, 1)), (ONE,)),
    ("reshape", lambda xp, x: xp.reshape(x, (0, 7)), (np.zeros((0, 3)),)),
    ("permute_dims", lambda xp, x: xp.permute_dims(x, (2, 0, 1)), (A,)),
    ("permute_dims", lambda xp, x: xp.permute_dims(x, ()), (ONE,)),
    ("permute_dims", lambda xp, x: xp.permute_dims(x, (-1, 0, 1)), (A,)),
    ("moveaxis", lambda xp, x: xp.moveaxis(x, 0, -1), (A,)),
    ("moveaxis", lambda xp, x: xp.moveaxis(x, (0, 2), (1, 0)), (A,)),
    ("expand_dims", lambda xp, x: xp.expand_dims(x, axis=0), (A,)),
    ("expand_dims", lambda xp, x: xp.expand_dims(x, axis=-2), (V,)),
    ("squeeze", lambda xp, x: xp.squeeze(x, axis=1), (A[:, :1],)),
    ("squeeze", lambda xp, x: xp.squeeze(x, axis=(0, -1)), (A[:1, :, :1],)),
    ("flip", lambda xp, x: xp.flip(x), (A,)),
    ("flip", lambda xp, x: xp.flip(x, axis=1), (A,)),
    ("flip", lambda xp, x: xp.flip(x, axis=(0, -1)), (A,)),
    ("flip", lambda xp, x: xp.flip(x), (ONE,)),
    ("roll", lambda xp, x: xp.roll(x, 2), (A,)),
    ("roll", lambda xp, x: xp.roll(x, -7, axis=1), (A,)),
    ("roll", lambda xp, x: xp.roll(x, (1, -2), axis=(0, 2)), (A,)),
    ("roll", lambda xp, x: xp.roll(x, 1, axis=(0, 1)), (A,)),
    ("roll", lambda xp, x: xp.roll(x, 3), (np.zeros(0),)),
    ("concat", lambda xp, x, y: xp.concat([x, y]), (A, A[:1])),
    ("concat", lambda xp, x, y: xp.concat((x, y, x), axis=-1), (A, A[..., :2])),
    ("concat", lambda xp, x, y: xp.concat([x, y], axis=None), (A, V)),
    ("concat", lambda xp, x: xp.concat([x]), (A,)),
    ("stack", lambda xp, x, y: xp.stack([x, y]), (A, 2 * A)),
    ("stack", lambda xp, x, y: xp.stack([x, y], axis=-1), (A, 2 * A)),
    ("stack", lambda xp, x, y: xp.stack([x, y], axis=1), (V, 2 * V)),
    ("unstack", lambda xp, x: xp.unstack(x)[1], (A,)),
    ("unstack", lambda xp, x: xp.unstack(x, axis=-1)[3], (A,)),
    ("repeat", lambda xp, x: xp.repeat(x, 3), (A,)),
    ("repeat", lambda xp, x: xp.repeat(x, 2, axis=1), (A,)),
    ("repeat", lambda xp, x: xp.repeat(x, 0, axis=-1), (A,)),
    ("tile", lambda xp, x: xp.tile(x, (2,)), (A,)),
    ("tile", lambda xp, x: xp.tile(x, (2, 1, 3, 1)), (A,)),
    ("tile", lambda xp, x: xp.tile(x, (0, 2)), (V,)),
    ("take", lambda xp, x: xp.take(x, xp.asarray([2, 0, 2]), axis=1), (A,)),
    ("take", lambda xp, x: xp.take(x, xp.asarray([4, 1])), (V,)),
    (
        "take_along_axis",
        lambda xp, x: xp.take_along_axis(x, xp.asarray([[[0], [2], [2], [1]]]).mT, axis=1),
        (A,),
    ),
]
NUMPY_ONLY: list[Case] = [
    ("swapaxes", lambda xp, x: xp.swapaxes(x, 0, -1), (A,)),
    ("ravel", lambda xp, x: xp.ravel(x), (A,)),
    ("atleast_1d", lambda xp, x: xp.atleast_1d(x), (ONE,)),
    ("atleast_2d", lambda xp, x: xp.atleast_2d(x), (V,)),
    ("atleast_3d", lambda xp, x: xp.atleast_3d(x), (V,)),
    ("atleast_3d", lambda xp, x: xp.atleast_3d(x), (A[0],)),
    ("atleast_3d", lambda xp, x: xp.atleast_3d(x), (ONE,)),
    ("atleast_2d", lambda xp, x: xp.atleast_2d(x), (A,)),
    ("repeat", lambda xp, x: xp.repeat(x, [1, 0, 2], axis=1), (A,)),
    ("repeat", lambda xp, x: xp.repeat(x, np.array([2]), axis=1), (A,)),
    ("tile", lambda xp, x: xp.tile(x, 2), (A,)),
    ("take", lambda xp, x: xp.take(x, [[0, -1], [1, 1]], axis=-1), (A,)),
    ("take_along_axis", lambda xp, x: xp.take_along_axis(x, np.array([[[-1]]]), axis=2), (A,)),
    ("pad", lambda xp, x: xp.pad(x, 1), (A,)),
    ("pad", lambda xp, x: xp.pad(x, (1, 2)), (V,)),
    ("pad", lambda xp, x: xp.pad(x, ((1, 0), (0, 2), (3, 3)), constant_values=True), (A,)),
    ("pad", lambda xp, x: xp.pad(x, ((1, 2),), mode="constant"), (A,)),
    ("flip", lambda xp, x: xp.flip(x, 1), (A,)),
    ("roll", lambda xp, x: xp.roll(x, 1, 1), (A,)),
    ("diag", lambda xp, x: xp.diag(x), (V,)),
    ("diag", lambda xp, x: xp.diag(x, -2), (V,)),
    ("diag", lambda xp, x: xp.diag(x, 1), (A[0],)),
    ("diag", lambda xp, x: xp.diag(x, 9), (A[0],)),
]
IDS = [f"{name}-{i}" for i, (name, _, _) in enumerate(STANDARD + NUMPY_ONLY)]


@pytest.mark.parametrize(("name", "call", "operands"), STANDARD + NUMPY_ONLY, ids=IDS)
def test_values_shapes_and_dtypes(
    name: str, call: Callable[..., Any], operands: tuple[np.ndarray, ...]
) -> None:
    for dtype in ("float64", "float32", "int16", "bool"):
        xs = [np.asarray(x).astype(dtype) for x in operands]
        got = np.asarray(call(tad, *map(tad.asarray, xs)))
        want = np.asarray(call(np, *xs))
        assert got.dtype == want.dtype == np.dtype(dtype)
        assert got.shape == want.shape
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.asarray(jit(lambda *xs: call(tad, *xs))(*xs)), want)


@pytest.mark.parametrize(("name", "call", "operands"), STANDARD, ids=IDS[: len(STANDARD)])
def test_calls_of_the_standard(
    name: str, call: Callable[..., Any], operands: tuple[np.ndarray, ...]
) -> None:
    want = np.asarray(call(strict, *map(strict.asarray, operands)))
    np.testing.assert_array_equal(np.asarray(call(tad, *map(tad.asarray, operands))), want)


@pytest.mark.parametrize(("name", "call", "operands"), STANDARD + NUMPY_ONLY, ids=IDS)
def test_derivatives(
    check_program: Callable[..., None],
    name: str,
    call: Callable[..., Any],
    operands: tuple[np.ndarray, ...],
) -> None:

    def f(*xs: Any) -> Any:
        return tad.sin(call(tad, *xs))

    check_program(f, *operands)


def test_array_likes_are_taken() -> None:
    np.testing.assert_array_equal(np.asarray(tad.stack([[1, 2], (3, 4)])), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(np.asarray(tad.concat([[1.0], np.ones(1, np.int8)])), [1.0, 1.0])
    np.testing.assert_array_equal(np.asarray(tad.reshape([1, 2, 3, 4], (2, 2))), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(np.asarray(tad.concat(tad.ones((2, 3)))), np.ones(6))


def test_joined_arrays_come_to_their_common_dtype() -> None:
    small, wide = tad.ones(1, dtype=tad.float32), tad.ones(1, dtype=tad.float64)
    assert tad.concat([small, wide]).dtype == tad.float64
    assert tad.stack([tad.ones(1, dtype=tad.int8), small]).dtype == tad.float32
    assert tad.stack([small[0], 1.5]).dtype == tad.float32
    assert tad.stack([True, 2]).dtype == tad.int64


def test_several_arrays_of_at_least() -> None:
    made = tad.atleast_2d(1.0, V)
    assert [m.shape for m in made] == [(1, 1), (1, 5)]


def test_copies_do_not_matter() -> None:
    for copy in (None, True, False):
        assert tad.reshape(A, (24,), copy=copy).shape == (24,)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.data())
def test_roll_of_any_shift(shape: list[int], data: st.DataObject) -> None:
    x = np.arange(np.prod(shape)).reshape(shape)
    axes = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), min_size=1, max_size=3))
    shifts = data.draw(
        st.lists(st.integers(-9, 9), min_size=len(axes), max_size=len(axes)).map(tuple)
    )
    np.testing.assert_array_equal(
        np.asarray(tad.roll(x, shifts, axis=tuple(axes))), np.roll(x, shifts, axis=tuple(axes))
    )


@given(st.lists(st.integers(0, 3), min_size=1, max_size=3), st.data())
def test_take_along_axis_broadcasts_away_from_the_axis(
    shape: list[int], data: st.DataObject
) -> None:
    axis = data.draw(st.integers(0, len(shape) - 1))
    n = shape[axis]
    other = [data.draw(st.sampled_from([m, 1])) for m in shape]
    other[axis] = data.draw(st.integers(0, 3)) if n else 0
    x = np.arange(float(np.prod(shape))).reshape(shape)
    index = np.random.default_rng(0).integers(-n, max(n, 1), other) if n else np.zeros(other, int)
    got = np.asarray(tad.take_along_axis(x, index, axis=axis - len(shape)))
    np.testing.assert_array_equal(got, np.take_along_axis(x, index, axis))


def test_take_along_axis_sums_over_what_was_repeated(check_program: Callable[..., None]) -> None:
    index = np.array([[0, 1, 1], [2, 0, 2]])
    check_program(lambda x: tad.sin(tad.take_along_axis(x, index, axis=0)), A[0, :, :1])


def test_indices_traced() -> None:
    take = jit(lambda x, i: tad.take(x, i, axis=1))
    np.testing.assert_array_equal(np.asarray(take(A, np.array([-1, 0]))), A[:, [-1, 0]])
    along = jit(lambda x, i: tad.take_along_axis(x, i, axis=-1))
    index = np.array([[[0, -1]]])
    np.testing.assert_array_equal(np.asarray(along(A, index)), np.take_along_axis(A, index, -1))


MODES = ("edge", "reflect", "symmetric", "wrap")


@pytest.mark.parametrize("mode", MODES)
def test_padding_by_entries_as_numpy(mode: Any) -> None:
    rng = np.random.default_rng(MODES.index(mode))
    for _ in range(40):
        shape = tuple(rng.integers(1, 5, rng.integers(1, 4)))
        widths = rng.integers(0, 9, (len(shape), 2)).tolist()  # more than once around as well
        x = rng.integers(-9, 9, shape)
        np.testing.assert_array_equal(tad.pad(x, widths, mode=mode), np.pad(x, widths, mode))
    assert tad.pad(np.ones((0, 2)), ((0, 0), (1, 1)), mode=mode).shape == (0, 4)
    assert float(tad.pad(2.0, 1, mode=mode)) == 2.0


@pytest.mark.parametrize("mode", MODES)
def test_padding_by_entries_under_every_interpreter(
    check_program: Callable[..., None], mode: Any
) -> None:
    check_program(lambda x: tad.pad(tad.sin(x), (3, 7), mode=mode), V)
    padded = tad.interpret(lambda x: tad.pad(x, (2, 4), mode=mode), Exact())([F(1, 3), F(2, 3)])
    thirds = np.pad([1, 2], (2, 4), mode)
    assert list(padded) == [F(int(n), 3) for n in thirds]
    (n,) = tad.symbols("N")
    shape = tad.interpret(lambda x: tad.pad(x, ((2, 1), (0, 3)), mode=mode), Shape())((n, 3))
    assert shape == (n + 3, 6)


def test_padding_by_a_number_with_a_derivative(check_program: Callable[..., None]) -> None:
    check_program(lambda x, c: tad.pad(tad.sin(x), 1, constant_values=tad.sin(c)), V, ONE)


T = tad.asarray(A)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tad.reshape(T, (5, -1)), ShapeError, r"reshape: \[2, 3, 4\] has 24 elements"),
        (lambda: tad.reshape(T, (-1, -1)), ShapeError, r"reshape: .* one -1"),
        (lambda: tad.reshape(T, (2.0, 12)), ArgumentError, r"reshape: a size must be an integer"),
        (lambda: tad.permute_dims(T, (0, 1)), ShapeError, r"permute_dims: .* \[2, 3, 4\]"),
        (lambda: tad.permute_dims(T, (0, 1, 1)), ArgumentError, r"permute_dims: .* twice"),
        (lambda: tad.moveaxis(T, (0, 1), (0,)), ArgumentError, r"moveaxis: 2 axes .* 1 dest"),
        (lambda: tad.swapaxes(T, 0, 3), IndexOutOfRange, r"swapaxes: axis 3 is out of range"),
        (lambda: tad.expand_dims(T, axis=5), IndexOutOfRange, r"expand_dims: axis 5"),
        (lambda: tad.squeeze(T, axis=0), ShapeError, r"squeeze: axis 0 .* size 2, not 1"),
        (lambda: tad.flip(T, axis=True), ArgumentError, r"flip: axis must be an integer"),
        (lambda: tad.roll(T, (1, 2)), ArgumentError, r"roll: 2 shifts \(1, 2\) without axes"),
        (lambda: tad.roll(T, (1, 2), axis=0), ArgumentError, r"roll: 2 shifts .* 1 axes"),
        (lambda: tad.roll(T, 1.5), ArgumentError, r"roll: shift must be an integer"),
        (lambda: tad.concat([]), ArgumentError, r"concat: no arrays"),
        (lambda: tad.concat([T, V]), ShapeError, r"concat: .*\[2, 3, 4\] and \[5\]"),
        (lambda: tad.concat([T, T[:, :2]]), ShapeError, r"concat: .* \(3 != 2\)"),
        (lambda: tad.concat([T], axis=3), IndexOutOfRange, r"concat: axis 3"),
        (lambda: tad.concat([1.0, 2.0]), IndexOutOfRange, r"concat: axis 0 .*\[\]"),
        (lambda: tad.stack([]), ArgumentError, r"stack: no arrays"),
        (lambda: tad.stack([T, V]), ShapeError, r"stack: .*\[2, 3, 4\] and \[5\]"),
        (lambda: tad.unstack(1.0), IndexOutOfRange, r"unstack: axis 0"),
        (lambda: tad.repeat(T, -1), ShapeError, r"repeat: .* negative"),
        (lambda: tad.repeat(T, 1.5), ArgumentError, r"repeat: .* integer"),
        (lambda: tad.repeat(T, [1.5, 2.5]), ArgumentError, r"repeat: repeats has dtype float64"),
        (lambda: tad.repeat(T, [1, 2], axis=1), ShapeError, r"repeat: 2 numbers .* \(3 != 2\)"),
        (lambda: tad.tile(T, (-1,)), ShapeError, r"tile: .* negative"),
        (lambda: tad.pad(T, 1, mode="median"), ArgumentError, r"pad: mode 'median' is none of"),
        (
            lambda: tad.pad(T[:, :0], ((0, 0), (1, 0), (0, 0)), mode="reflect"),
            ShapeError,
            r"pad: axis 1 of shape \[2, 0, 4\] has no entries for mode 'reflect'",
        ),
        (
            lambda: tad.pad(T, 1, mode="edge", constant_values=1.0),
            ArgumentError,
            r"pad: constant_values is for mode 'constant', not 'edge'",
        ),
        (lambda: tad.pad(T, -1), ShapeError, r"pad: .* -1 .* negative"),
        (lambda: tad.pad(T, 1.5), ArgumentError, r"pad: pad_width 1.5 must hold integers"),
        (lambda: tad.pad(T, ((1, 1), (1, 1))), ArgumentError, r"pad: pad_width .* for 3 axes"),
        (lambda: tad.pad(T, 1, constant_values=V), ArgumentError, r"pad: constant_values"),
        (lambda: tad.take(T, [0]), ArgumentError, r"take: .* say along which axis"),
        (lambda: tad.take(T, [0.0], axis=0), DTypeError, r"take: indices have dtype float64"),
        (lambda: tad.take(T, [2], axis=0), IndexOutOfRange, r"take: index 2 .* axis 0 .*\[2, 3, 4"),
        (lambda: tad.take_along_axis(T, [0]), ShapeError, r"take_along_axis: .* ranks"),
        (lambda: tad.take_along_axis(T, [[[9]]]), IndexOutOfRange, r"take_along_axis: index 9"),
        (lambda: tad.take_along_axis(T, [[[0], [1]]]), ShapeError, r"take_along_axis: .* broad"),
        (lambda: tad.diag(T), ShapeError, r"diag: .* neither a vector nor a matrix"),
    ],
)
def test_errors(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_numbers_of_repetitions_must_be_known() -> None:
    with pytest.raises(ConcretizationError, match="repeat: repeats is a handle under"):
        jit(lambda x, n: tad.repeat(x, n))(V, np.array([1, 2, 3, 4, 5]))
    got = jit(lambda x: tad.repeat(x, tad.asarray([1, 0, 0, 0, 2])))(V)
    np.testing.assert_array_equal(np.asarray(got), V[[0, 4, 4]])
