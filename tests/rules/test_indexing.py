"""take, the update primitives and the searches: values, derivatives, batches, structural zeros."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import IndexOutOfRange
from taglessad.interpreters.eager import EAGER
from taglessad.tensor import AnyTensor, Tensor

UPDATES = ("set_at", "add_at", "multiply_at", "min_at", "max_at")
# shape of x, axis, shape of the index
PLACES = [
    ((5,), 0, (4,)),
    ((5,), 0, ()),
    ((4, 3), 0, (2, 3)),
    ((2, 4, 3), 1, (5,)),
    ((2, 4), 1, ()),
]


def call(method: str, *operands: Any, params: tuple[Any, ...]) -> Any:
    """A primitive applied to handles, or to arrays."""
    handles = [tad.asarray(x) for x in operands]
    first = max(handles, key=lambda h: h.ops.level)
    ops = first.ops
    payloads = [ops.lift(h.ops, h.payload) for h in handles]
    y = getattr(ops, method)(*payloads, *params)
    return Tensor(ops, y, first.dtype)


def looped(method: str, x: np.ndarray, index: np.ndarray, updates: np.ndarray, axis: int) -> Any:
    """An update one slice after the other."""
    y = np.moveaxis(np.array(x), axis, 0)
    rest = updates.reshape(*x.shape[:axis], index.size, *x.shape[axis + 1 :])
    rows = np.moveaxis(rest, axis, 0)
    combine: dict[str, Callable[[Any, Any], Any]] = {
        "set_at": lambda a, b: b,
        "add_at": np.add,
        "multiply_at": np.multiply,
        "min_at": np.minimum,
        "max_at": np.maximum,
    }
    for i, row in zip(index.ravel(), rows, strict=True):
        y[i] = combine[method](y[i], row)
    return np.moveaxis(y, 0, axis)


def sample(shape: tuple[int, ...], axis: int, places: tuple[int, ...], seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    index = rng.integers(0, shape[axis], places)
    updates = rng.standard_normal((*shape[:axis], *places, *shape[axis + 1 :]))
    return rng.standard_normal(shape), index, updates


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "int8", "uint8"])
@pytest.mark.parametrize(("shape", "axis", "places"), PLACES)
@pytest.mark.parametrize("method", UPDATES)
def test_updates_come_one_after_the_other(
    method: str, shape: tuple[int, ...], axis: int, places: tuple[int, ...], dtype: str
) -> None:
    x, index, updates = sample(shape, axis, places)
    x, updates = (np.abs(3 * x).astype(dtype), np.abs(3 * updates).astype(dtype))
    got = getattr(EAGER, method)(x, index, updates, axis)
    want = looped(method, x, index, updates, axis)
    assert got.dtype == want.dtype
    if dtype == "float16":
        np.testing.assert_allclose(got, want, rtol=2e-3)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_the_last_of_many_repeated_updates_remains(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, updates = np.zeros((3, 4, 2)), rng.standard_normal((3, 7, 50, 2))
    # Strides of every kind: NumPy may walk an index in the order of its memory.
    index = np.asfortranarray(rng.integers(0, 4, (7, 50)))[:, ::-1]
    np.testing.assert_array_equal(
        EAGER.set_at(x, index, updates, 1), looped("set_at", x, index, updates, 1)
    )


@pytest.mark.parametrize(("shape", "axis", "places"), PLACES)
@pytest.mark.parametrize("method", UPDATES)
def test_derivatives_of_updates(
    check_program: Callable[..., None],
    method: str,
    shape: tuple[int, ...],
    axis: int,
    places: tuple[int, ...],
) -> None:
    x, index, updates = sample(shape, axis, places)

    def f(x: Any, u: Any) -> Any:
        return call(method, x, index, u, params=(axis,))

    check_program(lambda x, u: tad.sin(f(x, u)), x, updates)


@pytest.mark.parametrize(("shape", "axis", "places"), PLACES)
def test_derivatives_of_take(
    check_program: Callable[..., None],
    shape: tuple[int, ...],
    axis: int,
    places: tuple[int, ...],
) -> None:
    x, index, _ = sample(shape, axis, places)
    check_program(lambda x: tad.sin(call("take", x, index, params=(axis,))), x)


def test_derivatives_of_take_along_and_add_along(check_program: Callable[..., None]) -> None:
    rng = np.random.default_rng(1)
    x, index = rng.standard_normal((3, 4, 2)), rng.integers(0, 4, (3, 5, 2))
    updates = rng.standard_normal((3, 5, 2))
    check_program(lambda x: tad.sin(call("take_along", x, index, params=(1,))), x)
    check_program(lambda x, u: tad.sin(call("add_along", x, index, u, params=(1,))), x, updates)


@pytest.mark.parametrize("mapped", list(itertools.product((0, None), repeat=3))[:-1])
@pytest.mark.parametrize("method", UPDATES)
@pytest.mark.parametrize(("shape", "axis", "places"), PLACES)
def test_batches_of_every_combination(
    method: str, mapped: tuple[Any, ...], shape: tuple[int, ...], axis: int, places: tuple[int, ...]
) -> None:
    members = [sample(shape, axis, places, seed) for seed in range(3)]
    operands = [
        np.stack([m[k] for m in members]) if a == 0 else members[0][k] for k, a in enumerate(mapped)
    ]
    loop = []
    for i in range(3):
        own = [o[i] if a == 0 else o for o, a in zip(operands, mapped, strict=True)]
        loop.append(looped(method, own[0], own[1], own[2], axis))

    def f(x: Any, i: Any, u: Any) -> Any:
        return call(method, x, i, u, params=(axis,))

    np.testing.assert_allclose(np.asarray(tad.vmap(f, mapped)(*operands)), np.stack(loop))


def test_a_batch_of_none() -> None:
    def f(x: Any, i: Any, u: Any) -> Any:
        return call("add_at", x, i, u, params=(0,))

    got = tad.vmap(f)(np.zeros((0, 3)), np.zeros((0, 2), np.int64), np.zeros((0, 2)))
    assert got.shape == (0, 3)


# --- what the rules promise ------------------------------------------------------------------------
def test_multiply_at_of_zeros_and_repetitions() -> None:
    # y[0] = x[0] * u[0] * u[1] * u[2]; each factor's partial is the product of the others.
    index = np.array([0, 0, 0, 1])

    def f(x: Any, u: Any) -> Any:
        return tad.sum(call("multiply_at", x, index, u, params=(0,)))

    grads = tad.grad(f, argnums=(0, 1))
    x = np.array([2.0, 3.0, 5.0])
    one_zero = grads(x, np.array([0.0, 7.0, 11.0, 0.0]))
    np.testing.assert_array_equal(np.asarray(one_zero[0]), [0.0, 0.0, 1.0])
    np.testing.assert_array_equal(np.asarray(one_zero[1]), [2.0 * 7 * 11, 0.0, 0.0, 3.0])
    two_zeros = grads(x, np.array([0.0, 7.0, 0.0, 1.0]))
    np.testing.assert_array_equal(np.asarray(two_zeros[1]), [0.0, 0.0, 0.0, 3.0])


def test_multiply_at_second_derivative_at_zeros() -> None:
    # d2/du0 du1 of x u0 u1 u2 is x u2, wherever u0 and u1 are.
    index = np.zeros(3, np.int64)

    def f(u: Any) -> Any:
        return tad.sum(call("multiply_at", np.array([2.0]), index, u, params=(0,)))

    got = np.asarray(tad.hessian(f)(np.array([0.0, 0.0, 5.0])))
    np.testing.assert_array_equal(got, [[0, 10, 0], [10, 0, 0], [0, 0, 0]])


def test_multiply_at_keeps_infinities_of_other_places_out() -> None:
    index = np.array([0, 1, 1])

    def f(u: Any) -> Any:
        return call("multiply_at", np.ones(2), index, u, params=(0,))[1]

    got = np.asarray(tad.grad(f)(np.array([np.inf, 2.0, 3.0])))
    np.testing.assert_array_equal(got, [0.0, 3.0, 2.0])


@pytest.mark.parametrize("method", ["min_at", "max_at"])
def test_ties_share_equally(method: str) -> None:
    index = np.array([0, 0, 1, 2])
    weights = np.array([6.0, 1.0, 1.0, 1.0])

    def f(x: Any, u: Any) -> Any:
        return tad.sum(call(method, x, index, u, params=(0,)) * weights)

    worst = 9.0 if method == "min_at" else -9.0
    x, u = np.array([1.0, worst, 1.0, np.nan]), np.array([1.0, 1.0, 2.0, 1.0])
    gx, gu = tad.grad(f, argnums=(0, 1))(x, u)
    # Entry 0: x and two updates tie; 1: the update wins; 2: x and an update tie; 3: not touched.
    np.testing.assert_array_equal(np.asarray(gx), [2.0, 0.0, 0.5, 1.0])
    np.testing.assert_array_equal(np.asarray(gu), [2.0, 2.0, 1.0, 0.5])


def test_what_is_overwritten_contributes_nothing() -> None:
    # log at 0 has slope inf; overwritten, it must not become 0 * inf.
    def f(x: AnyTensor, u: AnyTensor) -> Any:
        index = np.array([0, 2, 0])
        return tad.sum(call("set_at", tad.log(x), index, tad.sqrt(u), params=(0,)))

    x, u = np.array([0.0, 2.0, -1.0]), np.array([0.0, 4.0, 1.0])
    gx, gu = tad.grad(f, argnums=(0, 1))(x, u)
    np.testing.assert_array_equal(np.asarray(gx), [0.0, 0.5, 0.0])
    np.testing.assert_array_equal(np.asarray(gu), [0.0, 0.25, 0.5])
    assert float(tad.jvp(f, (x, u), (np.ones(3), np.ones(3)))[1]) == 1.25


@pytest.mark.parametrize("method", ["min_at", "max_at"])
def test_what_loses_contributes_nothing(method: str) -> None:
    worst = 0.0 if method == "max_at" else np.inf

    def f(u: Any) -> Any:
        return tad.sum(call(method, np.ones(2), np.array([0, 0]), tad.sqrt(u), params=(0,)))

    other = 4.0 if method == "max_at" else 0.25
    got = np.asarray(tad.grad(f)(np.array([worst, other])))
    np.testing.assert_array_equal(got, [0.0, 0.25 if method == "max_at" else 1.0])


def test_entries_not_taken_contribute_nothing() -> None:
    def f(x: Any) -> Any:
        return tad.sum(call("take", tad.log(x), np.array([1, 1]), params=(0,)))

    np.testing.assert_array_equal(np.asarray(tad.grad(f)(np.array([0.0, 4.0, -1.0]))), [0, 0.5, 0])


# --- searches --------------------------------------------------------------------------------------
SORTED = [
    np.array([]),
    np.array([1.0]),
    np.array([1.0, 2.0, 2.0, 4.0]),
    np.array([-np.inf, 0.0, 0.0, np.inf, np.nan]),
    np.arange(9.0),
]
VALUES = np.array([-np.inf, -1.0, 0.0, 1.0, 1.5, 2.0, 4.0, 9.0, np.inf, np.nan])


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("ordered", SORTED)
def test_searchsorted_of_a_batch(ordered: np.ndarray, side: str) -> None:
    def f(a: Any, v: Any) -> Any:
        return tad.searchsorted(a, v, side=side)

    want = np.searchsorted(ordered, VALUES, side)
    np.testing.assert_array_equal(np.asarray(f(ordered, VALUES)), want)
    both = tad.vmap(f)(np.stack([ordered, ordered]), np.stack([VALUES, VALUES[::-1]]))
    np.testing.assert_array_equal(np.asarray(both), [want, want[::-1]])
    first = tad.vmap(f, (0, None))(np.stack([ordered, ordered]), VALUES)
    np.testing.assert_array_equal(np.asarray(first), [want, want])
    second = tad.vmap(f, (None, 0))(ordered, VALUES)
    np.testing.assert_array_equal(np.asarray(second), want)


def test_searchsorted_of_rank_zero_and_two() -> None:
    ordered = np.array([1, 3, 5])
    assert int(tad.searchsorted(ordered, 3)) == 1
    table = np.array([[0, 1], [5, 6]])
    np.testing.assert_array_equal(np.asarray(tad.searchsorted(ordered, table)), [[0, 0], [2, 3]])


@pytest.mark.parametrize("descending", [False, True])
def test_argsort_is_stable_with_nan_at_one_end(descending: bool) -> None:
    x = np.array([2.0, np.nan, 1.0, 2.0, 1.0, np.nan])
    got = np.asarray(EAGER.argsort(x, 0, descending))
    want = [1, 5, 0, 3, 2, 4] if descending else [2, 4, 0, 3, 1, 5]
    np.testing.assert_array_equal(got, want)


# --- indices out of range --------------------------------------------------------------------------
@pytest.mark.parametrize("bad", [-1, 3, 2**40, -(2**40)])
@pytest.mark.parametrize("shape", [(), (2,), (2, 1)])
@pytest.mark.parametrize("method", ["take", *UPDATES])
def test_kernels_refuse_indices_out_of_range(method: str, bad: int, shape: tuple[int, ...]) -> None:
    index = np.full(shape, bad)
    operands = (np.zeros(3), index) if method == "take" else (np.zeros(3), index, np.zeros(shape))
    with pytest.raises(IndexOutOfRange, match=rf"index {bad}, .* axis 0 of shape \[3\]"):
        getattr(EAGER, method)(*operands, 0)


@pytest.mark.parametrize("method", ["take_along", "add_along"])
def test_kernels_along_an_axis_refuse_indices_out_of_range(method: str) -> None:
    x, index = np.zeros((2, 3)), np.array([[0, 1], [2, -1]])
    operands = (x, index) if method == "take_along" else (x, index, np.zeros((2, 2)))
    with pytest.raises(IndexOutOfRange, match="index -1"):
        getattr(EAGER, method)(*operands, 1)


@pytest.mark.parametrize("bad", [-4, 3])
def test_a_batch_refuses_indices_out_of_range(bad: int) -> None:
    index = np.array([[0, 1], [2, bad]])
    with pytest.raises(IndexOutOfRange):
        tad.vmap(lambda x, i: x[i])(np.zeros((2, 3)), index)
