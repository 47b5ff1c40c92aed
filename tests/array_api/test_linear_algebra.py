"""Products over axes, norms and matrices rearranged: against NumPy and array-api-strict."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import taglessad as tad
from taglessad import linalg
from taglessad.compiled.jit import jit
from taglessad.errors import ArgumentError, IndexOutOfRange, ShapeError

RNG = np.random.default_rng(0)


def sample(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


# --- matmul ----------------------------------------------------------------------------------------
MATMUL = [
    ((3,), (3,)),
    ((3,), (3, 2)),
    ((4, 3), (3,)),
    ((4, 3), (3, 2)),
    ((5, 4, 3), (3,)),
    ((3,), (5, 3, 2)),
    ((5, 4, 3), (3, 2)),
    ((4, 3), (5, 3, 2)),
    ((5, 4, 3), (5, 3, 2)),
    ((1, 4, 3), (5, 3, 2)),
    ((5, 4, 3), (1, 3, 2)),
    ((1, 4, 3), (1, 3, 2)),
    ((6, 1, 4, 3), (5, 3, 2)),
    ((6, 1, 4, 3), (1, 5, 3, 2)),
    ((2, 6, 5, 4, 3), (6, 1, 3, 2)),
    ((1, 3), (3, 1)),
    ((4, 1), (1, 2)),
    ((0, 4, 3), (3, 2)),
    ((0, 3), (3, 2)),
    ((4, 0), (0, 2)),
    ((2, 4, 0), (2, 0, 2)),
]


@pytest.mark.parametrize(("left", "right"), MATMUL)
def test_matmul(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = sample(*left), sample(*right)
    want = np.matmul(a, b)
    got = tad.matmul(a, b)
    assert got.shape == want.shape
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(np.asarray(jit(tad.matmul)(a, b)), want, rtol=1e-12, atol=1e-13)
    operator = np.asarray(tad.asarray(a) @ b), np.asarray(a @ tad.asarray(b))
    for y in operator:
        np.testing.assert_allclose(y, want, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("left", "right"), MATMUL[:17])
def test_derivatives_of_matmul(
    check_program: Callable[..., None], left: tuple[int, ...], right: tuple[int, ...]
) -> None:
    check_program(lambda a, b: tad.sin(tad.matmul(a, b)), sample(*left), sample(*right))


@pytest.mark.parametrize("dtypes", [("int64", "int64"), ("int8", "int8"), ("uint8", "int16")])
def test_matmul_of_integers(dtypes: tuple[str, str]) -> None:
    a = RNG.integers(0, 100, (3, 4)).astype(dtypes[0])
    b = RNG.integers(0, 100, (4, 2)).astype(dtypes[1])
    got = tad.matmul(a, b)
    assert got.dtype == np.matmul(a, b).dtype
    np.testing.assert_array_equal(np.asarray(got), np.matmul(a, b))


def test_matmul_of_bools_counts() -> None:
    a, b = np.array([[True, True], [False, True]]), np.array([True, True])
    got = tad.matmul(a, b)
    assert got.dtype == tad.int64
    np.testing.assert_array_equal(np.asarray(got), [2, 1])


def test_matmul_promotes() -> None:
    a, b = np.ones((2, 2), np.float32), np.ones((2, 2))
    assert tad.matmul(a, b).dtype == tad.float64
    assert tad.matmul(a, np.ones((2, 2), int)).dtype == tad.float32
    assert tad.matmul(a, [[1.0, 2.0], [3.0, 4.0]]).dtype == tad.float64
    assert tad.matmul(a.astype(np.float16), a.astype(np.float16)).dtype == tad.float16


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ((4, 2), (3, 2), r"matmul: inner dimensions differ: \[4, 2\] @ \[3, 2\] \(2 != 3\)"),
        ((2,), (3,), r"matmul: inner dimensions differ: \[2\] @ \[3\]"),
        ((), (3,), r"matmul: a scalar operand"),
        ((2, 4, 3), (3, 3, 2), r"matmul: batch dimensions do not broadcast"),
        ((2, 4, 3), (2, 4, 2), r"matmul: inner dimensions differ"),
    ],
)
def test_matmul_errors(left: tuple[int, ...], right: tuple[int, ...], message: str) -> None:
    for call in (tad.matmul, jit(tad.matmul), lambda a, b: tad.asarray(a) @ tad.asarray(b)):
        with pytest.raises(ShapeError, match=message):
            call(np.ones(left), np.ones(right))


# --- vecdot, tensordot, outer, cross ---------------------------------------------------------------
@pytest.mark.parametrize(
    ("left", "right", "axis"),
    [
        ((3,), (3,), -1),
        ((2, 3), (3,), -1),
        ((2, 3), (1, 3), -1),
        ((2, 1, 3), (4, 3), -1),
        ((3, 2), (3, 1), -2),
        ((3, 4), (5, 3, 4), -2),
    ],
)
def test_vecdot(
    check_program: Callable[..., None],
    left: tuple[int, ...],
    right: tuple[int, ...],
    axis: int,
) -> None:
    a, b = sample(*left), sample(*right)
    got = tad.vecdot(a, b, axis=axis)
    np.testing.assert_allclose(np.asarray(got), np.vecdot(a, b, axis=axis), rtol=1e-12)
    want = strict.vecdot(strict.asarray(a), strict.asarray(b), axis=axis)
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-12)
    check_program(lambda a, b: tad.sin(tad.vecdot(a, b, axis=axis)), a, b)


@pytest.mark.parametrize(
    ("left", "right", "axes"),
    [
        ((2, 3, 4), (3, 4, 5), 2),
        ((2, 3), (3, 4), 1),
        ((2, 3), (4,), 0),
        ((2, 3, 4), (4, 5, 2), ((0, 2), (2, 0))),
        ((2, 3, 4), (5, 3), ((1,), (1,))),
        ((2, 3, 4), (4, 3), ((-1, -2), (0, 1))),
        ((2, 3), (2, 3), ((0, 1), (0, 1))),
        ((), (), 0),
    ],
)
def test_tensordot(
    check_program: Callable[..., None],
    left: tuple[int, ...],
    right: tuple[int, ...],
    axes: Any,
) -> None:
    a, b = sample(*left), sample(*right)
    got = tad.tensordot(a, b, axes)
    want = np.tensordot(a, b, axes)
    assert got.shape == want.shape
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12)
    check_program(lambda a, b: tad.sin(tad.tensordot(a, b, axes)), a, b)


@pytest.mark.parametrize(
    ("left", "right", "axis"),
    [((3,), (3,), -1), ((2, 3), (3,), -1), ((3, 4), (3, 4), 0), ((2, 3, 1), (3, 5), -2)],
)
def test_cross(
    check_program: Callable[..., None],
    left: tuple[int, ...],
    right: tuple[int, ...],
    axis: int,
) -> None:
    a, b = sample(*left), sample(*right)
    want = np.cross(a, b, axis=axis)
    np.testing.assert_allclose(np.asarray(linalg.cross(a, b, axis=axis)), want, rtol=1e-12)
    check_program(lambda a, b: tad.sin(linalg.cross(a, b, axis=axis)), a, b)


def test_outer(check_program: Callable[..., None]) -> None:
    a, b = sample(3), sample(4)
    np.testing.assert_array_equal(np.asarray(linalg.outer(a, b)), np.outer(a, b))
    check_program(lambda a, b: tad.sin(linalg.outer(a, b)), a, b)


# --- matrices --------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", range(8))
def test_matrix_power(check_program: Callable[..., None], n: int) -> None:
    x = sample(2, 3, 3)
    np.testing.assert_allclose(
        np.asarray(linalg.matrix_power(x, n)), np.linalg.matrix_power(x, n), rtol=1e-11, atol=1e-12
    )
    whole = RNG.integers(-3, 3, (2, 2))
    got = linalg.matrix_power(whole, n)
    assert got.dtype == tad.int64
    np.testing.assert_array_equal(np.asarray(got), np.linalg.matrix_power(whole, n))
    check_program(lambda x: linalg.matrix_power(tad.sin(x), n), x)


@pytest.mark.parametrize("offset", [0, 1, -1, 3, 9, -9])
def test_diagonals_and_traces(check_program: Callable[..., None], offset: int) -> None:
    x = sample(2, 3, 4)
    got = linalg.diagonal(x, offset=offset)
    np.testing.assert_array_equal(np.asarray(got), np.diagonal(x, offset, -2, -1))
    got = linalg.trace(x, offset=offset)
    np.testing.assert_allclose(np.asarray(got), np.trace(x, offset, -2, -1), rtol=1e-13)
    check_program(lambda x: tad.sin(linalg.diagonal(x, offset=offset)), x)
    check_program(lambda x: tad.sin(linalg.trace(x, offset=offset)), x)


def test_traces_have_the_dtypes_of_sums() -> None:
    x = np.array([[100, 1], [1, 100]], np.int8)
    got = linalg.trace(x)
    assert got.dtype == tad.int64
    assert int(got) == 200
    assert linalg.trace(x.astype(np.float32)).dtype == tad.float32
    assert linalg.trace(x, dtype=tad.float64).dtype == tad.float64


def test_transposes(check_program: Callable[..., None]) -> None:
    x = sample(2, 3, 4)
    np.testing.assert_array_equal(np.asarray(tad.matrix_transpose(x)), np.swapaxes(x, -1, -2))
    np.testing.assert_array_equal(np.asarray(tad.asarray(x).mT), np.swapaxes(x, -1, -2))
    check_program(lambda x: tad.sin(x.mT), x)


def test_both_namespaces_have_one_function() -> None:
    for name in ("matmul", "matrix_transpose", "tensordot", "vecdot"):
        assert getattr(linalg, name) is getattr(tad, name)


# --- norms -----------------------------------------------------------------------------------------
ORDERS = [2, 1, 0, 3, 0.5, -1, -2, -0.5, math.inf, -math.inf]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), ()])
@pytest.mark.parametrize("order", ORDERS)
def test_vector_norm(order: float, axis: Any, keepdims: bool) -> None:
    x = sample(2, 3, 4)
    got = linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=order)
    if axis == ():
        want = np.abs(x)
    else:
        want = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=order)
    assert got.shape == want.shape
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-13)


@pytest.mark.parametrize("order", ORDERS)
def test_derivatives_of_vector_norms(check_program: Callable[..., None], order: float) -> None:
    check_program(lambda x: linalg.vector_norm(x, axis=1, ord=order) ** 2, sample(3, 4))
    check_program(lambda x: linalg.vector_norm(x, ord=order), sample(5))


def test_norms_of_integers_and_float32() -> None:
    assert linalg.vector_norm(np.array([3, 4])).dtype == tad.float64
    assert float(linalg.vector_norm(np.array([3, 4]))) == 5.0
    assert linalg.vector_norm(np.ones(2, np.float32), ord=3).dtype == tad.float32
    assert linalg.vector_norm(np.ones(2, np.float32), ord=0).dtype == tad.float32


@pytest.mark.parametrize("order", [2, 3, 1, math.inf, 1.5])
def test_norms_at_the_origin_have_gradient_zero(order: float) -> None:
    x = np.array([[0.0, 0.0], [3.0, 4.0]])

    def f(x: Any) -> Any:
        return tad.sum(linalg.vector_norm(x, axis=1, ord=order))

    gradient = np.asarray(tad.grad(f)(x))
    alone = np.asarray(tad.grad(lambda r: linalg.vector_norm(r, ord=order))(x[1]))
    np.testing.assert_allclose(gradient, [[0.0, 0.0], alone], rtol=1e-15)
    tangent = tad.jvp(f, (x,), (np.ones((2, 2)),))[1]
    assert float(tangent) == pytest.approx(float(np.sum(gradient)), rel=1e-15)


def test_second_derivatives_of_the_length() -> None:
    hessian = tad.hessian(linalg.vector_norm)
    # The Hessian of |x| is (I - u u^T) / |x| with u = x / |x|.
    x = np.array([3.0, 4.0])
    u = x / 5
    np.testing.assert_allclose(np.asarray(hessian(x)), (np.eye(2) - np.outer(u, u)) / 5, rtol=1e-14)
    np.testing.assert_array_equal(np.asarray(hessian(np.zeros(2))), np.zeros((2, 2)))
    squared = tad.grad(lambda x: linalg.vector_norm(x) ** 2)
    np.testing.assert_array_equal(np.asarray(squared(np.zeros(2))), np.zeros(2))


@pytest.mark.parametrize("order", (1.25, 1.5, 2.5, 3, 4))
def test_norms_with_an_entry_that_is_zero(order: float) -> None:
    """As without the entry, whose own gradient is 0; and its second derivative but for order 2."""
    x, y = np.array([3.0, 0.0, -4.0]), np.array([3.0, -4.0])
    norm = lambda x: linalg.vector_norm(x, ord=order)
    gradient, hessian = np.zeros(3), np.zeros((3, 3))
    gradient[[0, 2]] = np.asarray(tad.grad(norm)(y))
    hessian[np.ix_([0, 2], [0, 2])] = np.asarray(tad.hessian(norm)(y))
    np.testing.assert_allclose(np.asarray(tad.grad(norm)(x)), gradient, rtol=1e-15)
    both = (tad.jacfwd, tad.jacrev)
    for outer, inner in itertools.product(both, both):
        found = np.asarray(outer(inner(norm))(x))
        np.testing.assert_allclose(found, hessian, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize(
    ("order", "scale"),
    [(2, s) for s in (1e307, 1e200, 1e-200, 1e-307, 1e-320, 5e-324)] + [(3, 1e300), (3, 1e-300)],
)
def test_norms_neither_overflow_nor_underflow(order: float, scale: float) -> None:
    x = np.array([1.0, 1.0]) * scale
    y, g = tad.value_and_grad(lambda x: linalg.vector_norm(x, ord=order))(x)
    assert float(y) == pytest.approx(2.0 ** (1 / order) * scale, rel=1e-14, abs=5e-324)
    np.testing.assert_allclose(np.asarray(g), 2.0 ** (1 / order - 1), rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_lengths_over_the_whole_range_of_a_dtype(dtype: str) -> None:
    info = np.finfo(dtype)
    for size in (info.max / 64, info.smallest_normal, info.smallest_subnormal, 1.0):
        x = np.full(1000, size).astype(dtype)
        y, g = tad.value_and_grad(linalg.vector_norm)(x)
        want = np.linalg.norm(x.astype(np.longdouble))
        assert y.dtype == g.dtype == np.dtype(dtype)
        np.testing.assert_allclose(np.asarray(y), want.astype(dtype), rtol=4 * info.eps)
        np.testing.assert_allclose(np.asarray(g), 1000**-0.5, rtol=4 * info.eps)


def test_norms_of_infinities_and_nan() -> None:
    for order in (2, 3, 1, math.inf):
        assert float(linalg.vector_norm(np.array([np.inf, -np.inf, 1.0]), ord=order)) == np.inf
        assert np.isnan(float(linalg.vector_norm(np.array([np.nan, 1.0]), ord=order)))
    assert float(linalg.vector_norm(np.array([0.0, 2.0]), ord=-1)) == 0.0
    assert float(linalg.vector_norm(np.zeros(0))) == 0.0


MATRIX_ORDERS: list[Any] = ["fro", 1, -1, math.inf, -math.inf]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("order", MATRIX_ORDERS)
def test_matrix_norm(check_program: Callable[..., None], order: Any, keepdims: bool) -> None:
    x = sample(2, 3, 4)
    got = linalg.matrix_norm(x, keepdims=keepdims, ord=order)
    want = np.linalg.matrix_norm(x, keepdims=keepdims, ord=order)
    assert got.shape == want.shape
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-13)
    check_program(lambda x: linalg.matrix_norm(x, keepdims=keepdims, ord=order), x)


def test_norm_calls_of_the_standard() -> None:
    x = sample(2, 3)
    for order in (2, 1, 0, math.inf):
        want = strict.linalg.vector_norm(strict.asarray(x), axis=0, ord=order)
        got = linalg.vector_norm(x, axis=0, ord=order)
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-13)
    want = strict.linalg.matrix_norm(strict.asarray(x))
    assert float(linalg.matrix_norm(x)) == pytest.approx(float(want), rel=1e-13)


X = np.ones((2, 3, 4))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tad.vecdot(X, np.ones(3)), ShapeError, r"vecdot: .*\[2, 3, 4\] and \[3\]"),
        (lambda: tad.vecdot(X, X, axis=3), IndexOutOfRange, r"vecdot: axis 3"),
        (lambda: tad.vecdot(1.0, X), IndexOutOfRange, r"vecdot: axis -1"),
        (lambda: tad.tensordot(X, X, 1), ShapeError, r"tensordot: .*\(4 != 2\)"),
        (lambda: tad.tensordot(X, X, 4), ShapeError, r"tensordot: 4 axes"),
        (lambda: tad.tensordot(X, X, ((0,), (0, 1))), ShapeError, r"tensordot: axes .* pair"),
        (lambda: tad.matrix_transpose(X[0, 0]), ShapeError, r"matrix_transpose: shape \[4\]"),
        (lambda: linalg.outer(X, X[0, 0]), ShapeError, r"outer: .* both must be vectors"),
        (lambda: linalg.cross(X, X), ShapeError, r"cross: .* axis -1 must have size 3 \(got 4\)"),
        (lambda: linalg.cross(X, X[:, :2], axis=1), ShapeError, r"cross: .* size 3 \(got 2\)"),
        (lambda: linalg.matrix_power(X, 2), ShapeError, r"matrix_power: .* must be square"),
        (lambda: linalg.matrix_power(np.eye(2), 1.5), ArgumentError, r"matrix_power: n must be"),
        (lambda: linalg.diagonal(np.ones(3)), ShapeError, r"diagonal: needs two axes .*\[3\]"),
        (lambda: linalg.trace(np.ones(3)), ShapeError, r"trace: needs two axes .*\[3\]"),
        (lambda: linalg.vector_norm(X, ord="fro"), ArgumentError, r"vector_norm: ord is 'fro'"),
        (lambda: linalg.matrix_norm(X, ord=3), ArgumentError, r"matrix_norm: ord is 3"),
        (lambda: linalg.matrix_norm(X[0, 0]), ShapeError, r"matrix_norm: shape \[4\]"),
    ],
)
def test_errors(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


# --- the kernel ------------------------------------------------------------------------------------
@given(st.data())
def test_contract_under_any_specification(data: st.DataObject) -> None:
    from taglessad.interpreters.eager import EAGER

    letters = "abcdef"
    roles = {
        c: data.draw(st.sampled_from(["batch", "sum", "left", "right", "none"])) for c in letters
    }
    sizes = {c: data.draw(st.integers(0, 3)) for c in letters}

    def pick(*kinds: Any) -> Any:
        return [c for c in letters if roles[c] in kinds]

    left = "".join(data.draw(st.permutations(pick("batch", "sum", "left"))))
    right = "".join(data.draw(st.permutations(pick("batch", "sum", "right"))))
    out = "".join(data.draw(st.permutations(pick("batch", "left", "right"))))
    a = np.random.default_rng(0).standard_normal([sizes[c] for c in left])
    b = np.random.default_rng(1).standard_normal([sizes[c] for c in right])
    spec = f"{left},{right}->{out}"
    got = EAGER.contract(a, b, spec)
    want = np.einsum(spec, a, b)
    assert np.shape(got) == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)
