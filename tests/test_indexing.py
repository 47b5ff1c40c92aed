"""x[index] and x.at[index]: against NumPy, known and traced, derivatives, modes, errors."""

from collections.abc import Callable
from typing import Any

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
from taglessad.interpreters.shape import Shape

UPDATES = ("set", "add", "multiply", "min", "max")


# --- against NumPy -------------------------------------------------------------------------------
@st.composite
def shapes_and_indices(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """A shape and an index of it, of every kind that NumPy has."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    bound = st.none() | st.integers(-5, 5)
    step = st.none() | st.sampled_from([1, 2, -1, -2, 3])
    form = draw(st.sampled_from([(2,), (3, 1), (1,), (2, 3)]))
    index: list[Any] = []
    axis, ellipsis = 0, False
    while axis < len(shape) and draw(st.integers(0, 9)) > 0:
        n = shape[axis]
        kind = draw(st.sampled_from(["int", "slice", "array", "none", "ellipsis", "mask", "bool"]))
        if kind == "int":
            index.append(draw(st.integers(-n, n - 1)))
        elif kind == "slice":
            index.append(slice(draw(bound), draw(bound), draw(step)))
        elif kind == "array":
            flat = draw(st.lists(st.integers(-n, n - 1), min_size=6, max_size=6))
            index.append(np.array(flat[: int(np.prod(form))]).reshape(form))
        elif kind == "none":
            index.append(None)
            continue
        elif kind == "bool":
            index.append(True)
            continue
        elif kind == "ellipsis":
            if not ellipsis:
                index.append(Ellipsis)
                axis += draw(st.integers(0, len(shape) - axis))
                ellipsis = True
            continue
        else:
            rank = draw(st.integers(1, len(shape) - axis))
            size = int(np.prod(shape[axis : axis + rank]))
            mask = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
            index.append(mask.reshape(shape[axis : axis + rank]))
            axis += rank - 1
        axis += 1
    return shape, tuple(index)


@given(shapes_and_indices())
def test_every_kind_of_index_reads_and_updates_as_numpy(
    updated: Callable[..., np.ndarray], case: Any
) -> None:
    shape, index = case
    x = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    try:
        want = x[index]
    except IndexError:  # arrays, or numbers of entries chosen by masks, that do not broadcast
        with pytest.raises((ShapeError, IndexOutOfRange)):
            tad.asarray(x)[index]
        return
    got = np.asarray(tad.asarray(x)[index])
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)
    values = np.random.default_rng(0).uniform(0, 20, want.shape)
    for name in UPDATES:
        got = np.asarray(getattr(tad.asarray(x).at[index], name)(values))
        np.testing.assert_allclose(got, updated(x, index, name, values), rtol=1e-14)


INDICES: list[Any] = [
    1,
    -1,
    slice(1, None),
    slice(None, None, -2),
    (Ellipsis, 0),
    (slice(None), 1, None),
    (1, slice(0, 2), slice(None, None, 2)),
    [2, 0, 2],
    (0, slice(None), [1, 1]),
    (slice(None), [0, -1], slice(1, 3)),
    ([0, 2], slice(None), [[1], [0]]),
    (slice(1, 3), [0, 1, 1], [2, 2, 2]),
    (None, [1], Ellipsis, np.array([True, False, True, True])),
    np.arange(24).reshape(3, 2, 4) % 5 == 0,
    (slice(None, None, -1), 1, [0, 0, 3]),
    [],
]


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_derivatives_of_reading(check_program: Callable[..., None], index: Any) -> None:
    x = np.random.default_rng(0).standard_normal((3, 2, 4))
    check_program(lambda x: tad.sin(x)[index] * 2.0, x)


@pytest.mark.parametrize("name", UPDATES)
@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_derivatives_of_updating(check_program: Callable[..., None], index: Any, name: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 2, 4))
    values = rng.standard_normal(x[index].shape)
    check_program(lambda x, v: tad.sin(getattr(x.at[index], name)(v)), x, values)


@pytest.mark.parametrize("name", UPDATES)
def test_values_broadcast(
    updated: Callable[..., np.ndarray], check_program: Callable[..., None], name: str
) -> None:
    rng = np.random.default_rng(0)
    x, row, one = rng.standard_normal((4, 3)), rng.standard_normal(3), rng.standard_normal(())
    for values in (row, one):
        for index in (slice(1, 3), [0, 0, 2]):
            f = getattr(tad.asarray(x).at[index], name)
            want = updated(x, index, name, values)
            np.testing.assert_allclose(np.asarray(f(values)), want, rtol=1e-14)
    check_program(lambda x, v: tad.sin(getattr(x.at[[0, 0, 2]], name)(v)), x, row)


def test_every_kind_of_integer_is_an_index() -> None:
    x = tad.asarray([10.0, 20.0, 30.0])
    rows = tad.asarray([2, 0])
    for one in (1, np.int8(1), np.asarray(1), tad.asarray(1), np.uint64(1)):
        assert float(x[one]) == 20.0
    for several in (rows, [2, 0], np.array([2, 0], np.uint8), [tad.asarray(2), 0], ((2, 0),)):
        np.testing.assert_array_equal(np.asarray(x[several]), [30.0, 10.0])


def test_kinds_of_handles_and_dtypes_are_kept() -> None:
    for dtype in ("float32", "int8", "uint16", "bool"):
        x = tad.asarray(np.ones((2, 3), dtype))
        for y in (x[0], x[:, ::-1], x[[1, 1]], x.at[0].set(x[1]), x.at[[0, 1], 0].max(x[0, 0])):
            assert y.dtype == np.dtype(dtype)
            assert type(y) is type(x)


# --- indices that are not known yet ----------------------------------------------------------------
READS: dict[str, Callable[..., Any]] = {
    "one": lambda x, i: x[i[0]],
    "rows": lambda x, i: x[i],
    "table": lambda x, i: x[tad.reshape(i, (2, 2))],
    "column": lambda x, i: x[:, i],
    "pairs": lambda x, i: x[i, i[::-1]],
    "separated": lambda x, i: x[i, :, i],
    "mixed with known": lambda x, i: x[[0, 1, 1, 0], :, i],
    "between slices": lambda x, i: x[1:, i, ::-1],
    "with a position": lambda x, i: x[0, :, i],
}


@pytest.mark.parametrize("name", READS)
def test_traced_indices_read_as_known_ones(name: str) -> None:
    f = READS[name]
    rng = np.random.default_rng(0)
    x = tad.asarray(rng.standard_normal((3, 3, 3)))
    batch = np.array([[0, 1, 1, 0], [2, -1, -3, 1], [0, 0, 0, 0]])
    wants = [np.asarray(f(x, i)) for i in batch]
    compiled = jit(f)
    for i, want in zip(batch, wants, strict=True):
        np.testing.assert_array_equal(np.asarray(compiled(x, i)), want)
        np.testing.assert_array_equal(np.asarray(compiled(x, i.astype(np.int8))), want)
    np.testing.assert_array_equal(np.asarray(tad.vmap(f, (None, 0))(x, batch)), np.stack(wants))
    xs = tad.stack([x, x + 1, x - 1])
    both = np.stack([np.asarray(f(a, i)) for a, i in zip(xs, batch, strict=True)])
    np.testing.assert_array_equal(np.asarray(tad.vmap(f)(xs, batch)), both)


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("update", UPDATES)
def test_derivatives_under_traced_indices(name: str, update: str) -> None:
    # Gradients under vmap over the index and under jit, against those with each index known.
    rng = np.random.default_rng(0)
    x, weights = rng.standard_normal((3, 3, 3)), rng.standard_normal((3, 3, 3))
    batch = np.array([[0, 1, 1, 0], [2, -1, -3, 1], [0, 0, 0, 0]])
    values = rng.standard_normal(READS[name](x, batch[0]).shape)

    class Recorder:
        def __getitem__(self, index: Any) -> Any:
            return index

    def f(x: Any, v: Any, i: Any) -> Any:
        index = READS[name](Recorder(), i)
        return tad.sum(getattr(x.at[index], update)(v) * weights) + tad.sum(x[index] * v)

    gradient = tad.grad(f, argnums=(0, 1))
    wants = [gradient(x, values, i) for i in batch]
    mapped = tad.vmap(gradient, (None, None, 0))(x, values, batch)
    for k in range(2):
        want = np.stack([np.asarray(w[k]) for w in wants])
        np.testing.assert_allclose(np.asarray(mapped[k]), want, rtol=1e-12, atol=1e-12)
        for i, w in zip(batch, wants, strict=True):
            got = np.asarray(jit(gradient)(x, values, i)[k])
            np.testing.assert_allclose(got, np.asarray(w[k]), rtol=1e-12, atol=1e-12)


def test_an_index_computed_by_the_program_itself() -> None:

    def f(x: Any) -> Any:
        return x[tad.argmax(x)] ** 2

    np.testing.assert_array_equal(np.asarray(tad.grad(f)(np.array([1.0, 3.0, 2.0]))), [0, 6, 0])
    np.testing.assert_array_equal(
        np.asarray(tad.vmap(f)(np.array([[1.0, 3.0], [5.0, 2.0]]))), [9.0, 25.0]
    )


def test_a_known_index_may_be_a_handle_of_an_outer_transform() -> None:
    i = tad.asarray([1, 1])
    got = tad.grad(lambda x: tad.sum(x[i] * x[i]))(np.array([1.0, 3.0]))
    np.testing.assert_array_equal(np.asarray(got), [0.0, 12.0])


@pytest.mark.parametrize("name", UPDATES)
def test_a_number_under_a_traced_mask(updated: Callable[..., np.ndarray], name: str) -> None:
    x = np.array([[1.0, -2.0], [-3.0, 4.0]])

    def f(x: Any, c: Any) -> Any:
        return getattr(x.at[x < 0], name)(c)

    want = updated(x, x < 0, name, -2.5)
    np.testing.assert_array_equal(np.asarray(f(tad.asarray(x), -2.5)), want)
    np.testing.assert_array_equal(np.asarray(jit(f)(x, -2.5)), want)

    def rows(x: Any) -> Any:
        return getattr(x.at[x[:, 0] < 0], name)(-2.5)

    want = updated(x, x[:, 0] < 0, name, -2.5)
    np.testing.assert_array_equal(np.asarray(jit(rows)(x)), want)


def test_iteration_and_unpacking_inside_transforms() -> None:
    def f(x: Any) -> Any:
        a, b = x
        return a[0] * b[1] + sum(row[0] for row in x)

    got = tad.grad(f)(np.array([[2.0, 3.0], [5.0, 7.0]]))
    np.testing.assert_array_equal(np.asarray(got), [[8.0, 0.0], [1.0, 2.0]])


# --- errors ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (3, IndexOutOfRange, r"index 3 is out of range for axis 0 of shape \[3, 4\] \(valid: -3"),
        ((0, -5), IndexOutOfRange, r"index -5 .* axis 1 of shape \[3, 4\] \(valid: -4 to 3\)"),
        ([0, 3], IndexOutOfRange, r"index 3 is out of range for axis 0 of shape \[3, 4\]"),
        ((slice(1), [[7]]), IndexOutOfRange, r"index 7 is out of range for axis 1"),
        ((0, 0, 0), IndexOutOfRange, r"3 indices for the 2 axes of shape \[3, 4\]"),
        (1.0, DTypeError, r"dtype float64 is no index"),
        ([0.0], DTypeError, r"dtype float64 is no index"),
        ("a", ArgumentError, r"is a str"),
        ((Ellipsis, Ellipsis), ArgumentError, r"at most one '...'"),
        (slice(None, None, 0), ArgumentError, r"step must not be 0"),
        (slice(0.5), ArgumentError, r"slice bound must be an integer"),
        ([True, False], ShapeError, r"a mask of shape \[2\] on axes of shape \[3\]"),
        (([0, 1], [0, 1, 2]), ShapeError, r"shapes \[2\] and \[3\] do not broadcast"),
    ],
)
def test_what_is_no_index(index: Any, error: type[Exception], message: str) -> None:
    x = tad.ones((3, 4))
    with pytest.raises(error, match=message):
        x[index]
    with pytest.raises(error, match=message):
        x.at[index].set(1.0)


def test_a_traced_mask_names_where() -> None:
    with pytest.raises(ConcretizationError, match=r"tad\.where\(mask, x, other\)"):
        tad.grad(lambda x: tad.sum(x[x > 0]))(np.ones(3))
    with pytest.raises(ConcretizationError, match=r"tad\.where"):
        tad.grad(lambda x: tad.sum(x.at[x > 0].set(x[:2])))(np.ones(3))


def test_a_mask_may_be_looked_at_with_tape() -> None:
    got = tad.grad(lambda x: tad.sum(x[x > 0] ** 2), tape=True)(np.array([1.0, -2.0, 3.0]))
    np.testing.assert_array_equal(np.asarray(got), [2.0, 0.0, 6.0])


@pytest.mark.parametrize("bad", [3, -4])
def test_traced_indices_out_of_range_raise_where_numbers_are_seen(bad: int) -> None:
    x, i = tad.ones((3, 3)), np.array([0, bad])
    for f in (lambda x, i: x[i], lambda x, i: x[i, i], lambda x, i: x.at[i].add(1.0)):
        with pytest.raises(IndexOutOfRange):
            jit(f)(x, i)
        with pytest.raises(IndexOutOfRange):
            tad.vmap(f, (None, 0))(x, i[None])
        with pytest.raises(IndexOutOfRange):
            tad.vmap(f)(x[None], i[None])


def test_errors_of_updates() -> None:
    x = tad.ones((3, 4))
    with pytest.raises(ShapeError, match=r"at.set: shape \[3\] does not broadcast to \[4\]"):
        x.at[0].set(np.ones(3))
    with pytest.raises(ShapeError, match=r"at.add: shape \[3, 4\] does not broadcast to \[2, 4\]"):
        x.at[[0, 1]].add(np.ones((3, 4)))
    with pytest.raises(ArgumentError, match=r"at.get: mode 'wrap' is not known; .*'clip'"):
        x.at[0].get(mode="wrap")
    with pytest.raises(ArgumentError, match=r"x.at\[index\].set"):
        x[0] = 1.0


# --- sizes that are symbols ------------------------------------------------------------------------
N, M = tad.symbols("N M")


@pytest.mark.parametrize(
    ("program", "shape"),
    [
        (lambda x: x[0], (M,)),
        (lambda x: x[-1], (M,)),
        (lambda x: x[1:], (N - 1, M)),
        (lambda x: x[::-1, None], (N, 1, M)),
        (lambda x: x[[0, 2]], (2, M)),
        (lambda x: x[[0, 2], [1, 1]], (2,)),
        (lambda x: x[tad.argmax(x, axis=1), tad.argmax(x, axis=1)], (N,)),
        (lambda x: x.at[0].set(1.0), (N, M)),
        (lambda x: x.at[1:].multiply(2.0), (N, M)),
        (lambda x: x.at[[0, 9], [1, 1]].add(1.0, mode="drop"), (N, M)),
        (lambda x: x.at[[0, 9]].get(mode="fill"), (2, M)),
        (lambda x: x.at[[0, 9]].get(mode="clip"), (2, M)),
    ],
)
def test_shapes_of_symbolic_arrays(program: Any, shape: tuple[Any, ...]) -> None:
    assert tad.interpret(program, Shape())((N, M)) == shape
    gradient = tad.grad(lambda x: tad.sum(program(x)))
    assert tad.interpret(gradient, Shape())((N, M)) == (N, M)
