"""Reductions, running sums and products, differences: against NumPy and array-api-strict."""

import math
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import taglessad as tad
from taglessad.dims import Symbol, symbol
from taglessad.interpreters import Record, Shape
from taglessad.primitive import Aval
from taglessad.tensor import AnyTensor, handle

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
DTYPES = ["bool", *INTS, *FLOATS]
SHAPE = (2, 3, 4)
AXES: list[Any] = [None, 0, 1, -1, (0, 2), (-1, 0), (), [1]]
Check = Callable[..., None]


def sample(dtype: str, shape: tuple[int, ...] = SHAPE) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(len(dtype))
    return rng.integers(0, 4, shape).astype(dtype)


def axis_of(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def close(got: AnyTensor, expected: Any, rtol: float | None = None) -> None:
    expected = np.asarray(expected)
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    ulps = 8 * np.finfo(expected.dtype).eps if expected.dtype.kind == "f" else 0
    np.testing.assert_allclose(tad.to_numpy(got), expected, rtol=rtol or ulps, atol=0)


# --- values and dtypes ---------------------------------------------------------------------------
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions_as_numpy(dtype: str, axis: Any, keepdims: bool) -> None:
    x = sample(dtype)
    numbers = x.astype(np.int64) if dtype == "bool" else x
    a = axis_of(axis)
    for name in ("sum", "prod"):
        close(
            getattr(tad, name)(x, axis, keepdims=keepdims),
            getattr(np, name)(x, a, keepdims=keepdims),
        )
    for name in ("max", "min"):
        got = getattr(tad, name)(x, axis, keepdims=keepdims)
        close(got, getattr(np, name)(numbers, a, keepdims=keepdims))
    for name in ("any", "all"):
        got = getattr(tad, name)(x, axis, keepdims=keepdims)
        close(got, getattr(np, name)(x, a, keepdims=keepdims))
        assert isinstance(got, tad.BoolTensor)
    for name in ("mean", "var", "std"):
        wide = np.asarray(getattr(np, name)(x.astype(np.float64), a, keepdims=keepdims))
        own = dtype if dtype in FLOATS else "float64"
        got = getattr(tad, name)(x, axis, keepdims=keepdims)
        assert (got.dtype, got.shape) == (own, wide.shape)
        eps = np.finfo(own).eps
        np.testing.assert_allclose(tad.to_numpy(got), wide, rtol=8 * eps, atol=eps)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "max", "min", "any", "all"])
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "float16"])
def test_reductions_as_array_api_strict(name: str, dtype: str) -> None:
    x = sample(dtype)
    try:
        expected = getattr(strict, name)(strict.asarray(x), axis=(0, -1), keepdims=True)
    except TypeError:
        assert dtype not in FLOATS
        return
    close(getattr(tad, name)(x, axis=(0, -1), keepdims=True), np.asarray(expected))


@pytest.mark.parametrize("target", ["int16", "int64", "uint8", "float32", "float64"])
@pytest.mark.parametrize("source", ["bool", "int8", "uint8", "float32"])
def test_a_dtype_is_cast_to_first(source: str, target: str) -> None:
    x = sample(source)
    for name in ("sum", "prod"):
        close(getattr(tad, name)(x, 1, target), getattr(np, name)(x, 1, dtype=target))
    for name in ("cumulative_sum", "cumulative_prod"):
        close(
            getattr(tad, name)(x, axis=1, dtype=target),
            getattr(np, name)(x, axis=1, dtype=target),
        )


def test_small_integers_do_not_overflow() -> None:
    assert tad.sum(np.full(10, 100, np.int8)).item() == 1000
    assert tad.sum(np.full(10, 200, np.uint8)).dtype == tad.uint64
    assert tad.sum(np.array([True, True])).item() == 2
    assert tad.prod(np.full(8, 100, np.int8)).item() == 10**16


def test_means_of_halves_do_not_overflow() -> None:
    x = np.full(1000, 1000.0, np.float16)
    assert (tad.mean(x).item(), tad.var(x).item()) == (1000.0, 0.0)
    assert tad.mean(x).dtype == tad.float16
    assert tad.grad(lambda z: tad.mean(z))(x).dtype == tad.float16


@pytest.mark.parametrize("include_initial", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_running_sums_and_products(dtype: str, axis: int, include_initial: bool) -> None:
    x = sample(dtype)
    for name in ("cumulative_sum", "cumulative_prod"):
        got = getattr(tad, name)(x, axis=axis, include_initial=include_initial)
        close(got, getattr(np, name)(x, axis=axis, include_initial=include_initial))


def test_running_sums_of_a_vector_and_of_nothing() -> None:
    close(tad.cumulative_sum([1, 2, 3]), np.array([1, 3, 6]))
    close(tad.cumulative_sum(np.ones(0), include_initial=True), np.zeros(1))
    close(tad.cumulative_prod(np.ones((2, 0)), axis=1, include_initial=True), np.ones((2, 1)))
    close(tad.cumulative_prod(np.ones((0, 2)), axis=1), np.ones((0, 2)))
    for x in (np.ones((2, 2)), np.ones(())):
        with pytest.raises(tad.ArgumentError, match="cumulative_sum: axis is missing"):
            tad.cumulative_sum(x)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_medians(dtype: str, axis: Any, keepdims: bool) -> None:
    x = sample(dtype, (2, 3, 5))
    wide = np.asarray(np.median(x.astype(np.float64), axis_of(axis), keepdims=keepdims))
    own = dtype if dtype in FLOATS else "float64"
    close(tad.median(x, axis, keepdims=keepdims), wide.astype(own))


def test_medians_of_special_numbers() -> None:
    assert np.isnan(tad.median([1.0, math.nan, 2.0]).item())
    assert np.isnan(tad.median(np.ones(0)).item())
    assert tad.median([-math.inf, 1.0, math.inf]).item() == 1.0
    assert np.isnan(tad.to_numpy(tad.median(np.ones((2, 0)), 1))).tolist() == [True, True]
    assert tad.grad(lambda x: tad.median(x))(np.array([3.0, 1.0, 2.0, 9.0])).tolist() == [
        0.5, 0.0, 0.5, 0.0,
    ]  # fmt: skip


def test_sums_without_nan() -> None:
    x = np.array([[1.0, math.nan], [math.nan, math.nan]])
    close(tad.nansum(x, 1), np.nansum(x, 1))
    close(tad.nansum(np.array([1, 2], np.int8)), np.array(3))
    gradient = tad.grad(lambda z: tad.nansum(tad.log(z)))(np.array([2.0, -1.0]))
    assert gradient.tolist() == [0.5, 0.0]


# --- edges ---------------------------------------------------------------------------------------
def test_reductions_of_no_entries() -> None:
    x = np.ones((2, 0))
    close(tad.sum(x, 1), np.zeros(2))
    close(tad.prod(x, 1), np.ones(2))
    assert np.isnan(tad.to_numpy(tad.mean(x, 1))).all()
    assert np.isnan(tad.to_numpy(tad.var(x, 1))).all()
    assert np.isnan(tad.to_numpy(tad.std(x, 1))).all()
    assert tad.all(x, 1).tolist() == [True, True]
    assert tad.any(x, 1).tolist() == [False, False]
    close(tad.max(x, 0), np.ones(0))
    for function in (tad.max, tad.min):
        with pytest.raises(tad.ShapeError, match=r"m(ax|in): shape \[2, 0\] has no entries"):
            function(x, 1)
        with pytest.raises(tad.ShapeError):
            function(np.ones(0))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "max", "min"])
def test_nan_propagates(name: str) -> None:
    assert np.isnan(getattr(tad, name)([1.0, math.nan, 2.0]).item())


def test_truth_of_special_numbers() -> None:
    assert tad.all([math.nan, math.inf, -math.inf]).item()
    assert not tad.any([0.0, -0.0]).item()
    assert tad.any(np.array([0, 2], np.int8)).item()


def test_infinities() -> None:
    assert tad.sum([math.inf, 1.0]).item() == math.inf
    assert np.isnan(tad.sum([math.inf, -math.inf]).item())
    assert tad.max([-math.inf, 1.0]).item() == 1.0
    assert np.isnan(tad.var([math.inf, 1.0]).item())


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "max", "min", "any", "all"])
def test_axes_that_are_not_there(name: str) -> None:
    function = getattr(tad, name)
    with pytest.raises(tad.IndexOutOfRange, match=rf"{name}: axis 3 .* \[2, 3, 4\]"):
        function(np.ones(SHAPE), 3)
    with pytest.raises(tad.IndexOutOfRange, match=rf"{name}: axis -4"):
        function(np.ones(SHAPE), (0, -4))
    with pytest.raises(tad.ArgumentError, match=rf"{name}: axes \(0, -3\) name an axis .* twice"):
        function(np.ones(SHAPE), (0, -3))
    with pytest.raises(tad.ArgumentError, match=rf"{name}: axis must be an integer, got 1.5"):
        function(np.ones(SHAPE), 1.5)
    with pytest.raises(tad.DTypeError, match="complex"):
        function(np.ones(2, complex))
    assert function(2.0).shape == ()


@pytest.mark.parametrize("correction", [0, 1, 0.5, 2, 3, 4, -1])
def test_corrections(correction: float) -> None:
    x = np.array([[1.0, 2.0, 4.0], [0.5, -3.0, 8.0]])
    if correction >= 3:
        assert np.isnan(tad.to_numpy(tad.var(x, 1, correction=correction))).all()
        assert np.isnan(tad.to_numpy(tad.std(x, 1, correction=correction))).all()
        return
    close(tad.var(x, 1, correction=correction), np.var(x, 1, correction=correction))
    close(tad.std(x, 1, correction=correction), np.std(x, 1, correction=correction))
    with pytest.raises(tad.ArgumentError, match="var: correction must be a number, not True"):
        tad.var(x, correction=True)


def test_one_entry_with_correction_is_nan() -> None:
    assert np.isnan(tad.std([5.0], correction=1).item())
    assert np.isnan(tad.var([5.0], correction=1).item())


# --- derivatives ---------------------------------------------------------------------------------
SMOOTH: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: tad.sum(x, 1),
    "prod": lambda x: tad.prod(x, (0, 1)),
    "mean": lambda x: tad.mean(x * x, 0, keepdims=True),
    "var": lambda x: tad.var(x, 1, correction=1),
    "std": lambda x: tad.std(x, 1, correction=0.5, keepdims=True),
    "max": lambda x: tad.max(x, 1),
    "min": lambda x: tad.min(x),
    "cumulative_sum": lambda x: tad.cumulative_sum(x, axis=1, include_initial=True),
    "cumulative_prod": lambda x: tad.cumulative_prod(x, axis=0, include_initial=True),
    "median": lambda x: tad.median(x, 1),
    "diff": lambda x: tad.diff(x, n=2, prepend=x, append=1.5),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives(name: str, check_program: Check) -> None:
    x = np.random.default_rng(3).standard_normal((2, 3))
    check_program(SMOOTH[name], x)


def test_products_with_zeros() -> None:
    assert tad.grad(lambda x: tad.prod(x))(np.array([0.0, 2.0, 3.0])).tolist() == [6.0, 0.0, 0.0]
    assert tad.grad(lambda x: tad.prod(x))(np.array([0.0, 0.0, 3.0])).tolist() == [0.0, 0.0, 0.0]
    mixed = tad.hessian(lambda x: tad.prod(x))(np.array([0.0, 0.0, 3.0]))
    assert mixed.tolist() == [[0, 3, 0], [3, 0, 0], [0, 0, 0]]


def test_ties_share() -> None:
    assert tad.grad(lambda x: tad.max(x))(np.array([1.0, 2.0, 2.0])).tolist() == [0.0, 0.5, 0.5]


@pytest.mark.parametrize("value", [0.0, 0.1, -3.7, 1e-200, 1e200])
@pytest.mark.parametrize("length", [1, 3, 10])
def test_the_standard_deviation_of_equal_entries(value: float, length: int) -> None:
    x = np.full(length, value)
    assert tad.std(x).item() == 0.0
    assert tad.grad(lambda z: tad.std(z))(x).tolist() == [0.0] * length
    assert tad.jvp(lambda z: tad.std(z), (x,), (np.ones(length),))[1].item() == 0.0
    assert not np.isnan(tad.to_numpy(tad.hessian(lambda z: tad.std(z))(x))).any()


def test_the_gradient_of_std_and_var() -> None:
    x = np.array([1.0, 2.0, 6.0])
    deviation = x - x.mean()
    np.testing.assert_allclose(
        tad.to_numpy(tad.grad(lambda z: tad.var(z))(x)), 2 * deviation / 3, rtol=1e-15
    )
    np.testing.assert_allclose(
        tad.to_numpy(tad.grad(lambda z: tad.std(z))(x)), deviation / (3 * x.std()), rtol=1e-15
    )


def test_one_level_row_hides_no_other() -> None:
    x = np.array([[1.0, 1.0], [1.0, 3.0]])
    gradient = tad.to_numpy(tad.grad(lambda z: tad.sum(tad.std(z, 1)))(x))
    np.testing.assert_allclose(gradient, [[0.0, 0.0], [-0.5, 0.5]], rtol=1e-15)


# --- diff ----------------------------------------------------------------------------------------
@settings(max_examples=60)
@given(
    npst.arrays(
        st.sampled_from(["int16", "uint8", "float32", "float64"]),
        npst.array_shapes(min_side=0, max_side=4),
        elements=st.integers(0, 9),
    ),
    st.integers(0, 4),
    st.data(),
)
def test_diff_as_numpy(x: np.ndarray[Any, Any], n: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    close(tad.diff(x, n=n, axis=axis), np.diff(x, n, axis))
    close(tad.diff(x, n, axis), np.diff(x, n, axis))
    ends = {k: x for k in data.draw(st.sets(st.sampled_from(["prepend", "append"])))}
    close(tad.diff(x, n=n, axis=axis, **ends), np.diff(x, n, axis, **ends))


def test_diff_takes_numbers_and_refuses() -> None:
    x = np.array([[1.0, 4.0], [9.0, 16.0]])
    close(tad.diff(x, prepend=0.0), np.diff(x, prepend=0.0))
    close(tad.diff(x, axis=0, append=1), np.diff(x, axis=0, append=1))
    with pytest.raises(tad.ArgumentError, match="diff: n must not be negative, got -1"):
        tad.diff(x, n=-1)
    with pytest.raises(tad.ShapeError, match="diff"):
        tad.diff(x, prepend=np.ones((3, 1)))
    with pytest.raises(tad.IndexOutOfRange, match="diff: axis 2"):
        tad.diff(x, axis=2)
    with pytest.raises(tad.IndexOutOfRange, match="diff: axis -1"):
        tad.diff(1.0)


# --- other interpreters --------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32"])
@pytest.mark.parametrize(
    "name",
    [
        *["sum", "prod", "mean", "var", "std", "max", "min", "any", "all"],
        *["cumulative_sum", "diff", "median", "nansum"],
    ],
)
def test_shapes_and_dtypes_are_known_without_values(name: str, dtype: str) -> None:
    x = handle(Shape(), Aval((2, 3), np.dtype(dtype)), np.dtype(dtype))
    function = getattr(tad, name)
    concrete, got = (function(z, axis=1) for z in (np.ones((2, 3), dtype), x))
    assert (got.shape, got.dtype, type(got)) == (concrete.shape, concrete.dtype, type(concrete))


@pytest.mark.parametrize(
    "name",
    ["sum", "prod", "mean", "var", "std", "max", "min", "any", "all", "median", "nansum"],
)
def test_sizes_may_be_symbols(name: str) -> None:
    n = symbol(Symbol("n", "N"))
    x = handle(Shape(), Aval((n, 3), np.dtype("float32")), np.dtype("float32"))
    assert getattr(tad, name)(x, 0).shape == (3,)
    assert getattr(tad, name)(x, 1, keepdims=True).shape == (n, 1)
    assert tad.cumulative_sum(x, axis=0, include_initial=True).shape == (n + 1, 3)
    assert tad.diff(x, axis=0).shape == (n - 1, 3)


def test_a_mean_is_recorded_as_two_operations() -> None:
    record = Record(tad.zeros(1).ops)
    x = handle(record, record.input(Aval((4,), np.dtype("float64"))), np.dtype("float64"))
    graph, _ = record.finish([tad.mean(x).payload])
    assert [node.prim.name for node in graph.nodes] == ["sum", "div"]


def test_methods_are_the_functions() -> None:
    x = tad.asarray([[1.0, 2.0], [3.0, 5.0]])
    assert x.sum().item() == 11.0
    assert x.mean(axis=0).tolist() == [2.0, 3.5]
    assert x.prod(axis=1, keepdims=True).tolist() == [[2.0], [15.0]]
    assert (x.max().item(), x.min(axis=1).tolist()) == (5.0, [1.0, 3.0])
    assert ((x > 4).any().item(), (x > 4).all().item()) == (True, False)
