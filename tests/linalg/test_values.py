"""Values against NumPy and SciPy, on stacks of matrices, in every dtype, empty ones included."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import linalg

RNG = np.random.default_rng(0)
LEADS = [(), (2,), (2, 3), (0,)]
SQUARE = [(*lead, n, n) for lead in LEADS for n in (0, 1, 3)]
OBLONG = [(*lead, m, n) for lead in LEADS for m, n in ((4, 2), (2, 4), (3, 3), (3, 0), (0, 2))]


def matrices(shape: tuple[int, ...]) -> np.ndarray:
    return RNG.normal(size=shape)


def positive(shape: tuple[int, ...]) -> np.ndarray:
    x = matrices(shape)
    return x @ x.swapaxes(-1, -2) + np.eye(shape[-1])


def close(got: Any, want: Any, tolerance: float = 1e-12) -> None:
    got = np.asarray(got)
    assert got.shape == np.shape(want)
    scale = np.max(np.abs(want), initial=1.0)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("shape", SQUARE)
def test_square_matrices(shape: tuple[int, ...]) -> None:
    x, p = matrices(shape), positive(shape)
    close(linalg.inv(x), np.linalg.inv(x), 1e-11)
    close(linalg.det(x), np.linalg.det(x))
    close(linalg.cholesky(p), np.linalg.cholesky(p))
    close(linalg.cholesky(p, upper=True), np.linalg.cholesky(p, upper=True))
    for got, want in zip(linalg.slogdet(x), np.linalg.slogdet(x), strict=True):
        close(got, want)
    close(linalg.eigvalsh(p), np.linalg.eigvalsh(p))
    w, v = linalg.eigh(p)
    close(v @ (w[..., None] * v.mT), p)
    close(v.mT @ v, np.broadcast_to(np.eye(shape[-1]), shape))


@pytest.mark.parametrize("shape", OBLONG)
def test_matrices_of_any_shape(shape: tuple[int, ...]) -> None:
    x = matrices(shape)
    m, n = shape[-2:]
    close(linalg.pinv(x), np.linalg.pinv(x), 1e-11)
    close(linalg.svdvals(x), np.linalg.svd(x, compute_uv=False))
    close(linalg.matrix_rank(x), np.full(shape[:-2], min(m, n)))
    for full in (False, True):
        u, s, vh = linalg.svd(x, full_matrices=full)
        shapes = [y.shape for y in np.linalg.svd(x, full_matrices=full)]
        assert [u.shape, s.shape, vh.shape] == shapes
        k = min(m, n)
        close((u[..., :, :k] * s[..., None, :]) @ vh[..., :k, :], x)
    for mode in ("reduced", "complete"):
        q, r = linalg.qr(x, mode=mode)
        assert [q.shape, r.shape] == [y.shape for y in np.linalg.qr(x, mode)]
        close(q @ r, x)
        close(q.mT @ q, np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], *q.shape[-1:] * 2)))
        close(tad.tril(r, k=-1), np.zeros(r.shape))


def test_the_standard_s_names_of_results() -> None:
    x = positive((3, 3))
    assert linalg.eigh(x)._fields == ("eigenvalues", "eigenvectors")
    assert linalg.svd(x)._fields == ("U", "S", "Vh")
    assert linalg.qr(x)._fields == ("Q", "R")
    assert linalg.slogdet(x)._fields == ("sign", "logabsdet")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 3), (3,)),
        ((3, 3), (3, 2)),
        ((2, 3, 3), (3,)),
        ((3, 3), (2, 4, 3, 2)),
        ((2, 1, 3, 3), (4, 3, 2)),
        ((0, 3, 3), (3, 2)),
        ((3, 3), (0, 3, 2)),
        ((0, 0), (0, 2)),
        ((3, 3), (3, 0)),
        ((1, 1), (1,)),
    ],
)
def test_solve(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = matrices(a), matrices(b)
    close(linalg.solve(x, y), np.linalg.solve(x, y), 1e-11)
    for lower in (False, True):
        t = np.tril(x) if lower else np.triu(x)
        unit = t.copy()
        unit[..., range(a[-1]), range(a[-1])] = 1
        for trans in (0, 1, "N", "T"):
            turned = (lambda z: z.swapaxes(-1, -2)) if trans in (1, "T") else (lambda z: z)
            got = linalg.solve_triangular(x, y, lower=lower, trans=trans)
            close(got, np.linalg.solve(turned(t), y), 1e-10)
            got = linalg.solve_triangular(x, y, lower=lower, trans=trans, unit_diagonal=True)
            close(got, np.linalg.solve(turned(unit), y), 1e-10)


def test_solve_triangular_is_scipy_s() -> None:
    scipy_linalg = pytest.importorskip("scipy.linalg")
    a, b = matrices((5, 5)) + 3 * np.eye(5), matrices((5, 2))
    for options in ({}, {"lower": True}, {"trans": 1}, {"lower": True, "trans": "T"}):
        want = scipy_linalg.solve_triangular(a, b, **options)
        close(linalg.solve_triangular(a, b, **options), want)


def test_a_zero_on_the_diagonal_of_a_triangle_divides() -> None:
    a = np.stack([np.diag([2.0, 0.0]), np.eye(2)])
    b = np.array([[1.0], [3.0]])
    got = np.asarray(linalg.solve_triangular(a, b, lower=True))[..., 0]
    np.testing.assert_array_equal(got, [[0.5, np.inf], [1.0, 3.0]])
    got = np.asarray(linalg.solve_triangular(a, b))[..., 0]
    np.testing.assert_array_equal(got, [[np.nan, np.inf], [1.0, 3.0]])


def test_an_ill_scaled_triangle_is_solved_by_substitution() -> None:
    a = np.array([[1e-200, 0.0], [1.0, 1.0]])
    got = np.asarray(linalg.solve_triangular(a, np.array([1e-200, 3.0]), lower=True))
    np.testing.assert_array_equal(got, [1.0, 2.0])


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 5])
def test_matrix_power(n: int) -> None:
    x = matrices((2, 3, 3))
    close(linalg.matrix_power(x, n), np.linalg.matrix_power(x, n), 1e-9)
    whole = np.array([[2, 1], [1, 1]])
    got = linalg.matrix_power(whole, n)
    close(got, np.linalg.matrix_power(whole.astype(float) if n < 0 else whole, n))
    assert got.dtype == (tad.float64 if n < 0 else tad.int64)


NORMS: list[Any] = ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]


@pytest.mark.parametrize("order", NORMS)
def test_norms_and_condition_numbers(order: Any) -> None:
    x = matrices((2, 3, 3))
    want = np.linalg.matrix_norm(x, ord=order)
    close(linalg.matrix_norm(x, ord=order), want)
    close(linalg.matrix_norm(x, ord=order, keepdims=True), want[..., None, None])
    close(linalg.cond(x, order), np.linalg.cond(x, order), 1e-9)
    close(linalg.cond(x), np.linalg.cond(x), 1e-9)


def test_matrix_rank_counts_singular_values() -> None:
    x = np.stack([np.diag([1.0, 1e-3, 0.0]), np.eye(3)])
    assert linalg.matrix_rank(x).tolist() == [2, 3]
    assert linalg.matrix_rank(x, rtol=0.01).tolist() == [1, 3]
    assert linalg.matrix_rank(x, rtol=np.array([0.01, 2.0])).tolist() == [1, 0]
    assert linalg.matrix_rank(np.zeros((2, 2))).tolist() == 0
    assert linalg.matrix_rank(x).dtype == tad.int64


def test_a_tolerance_for_each_matrix() -> None:
    x = np.stack([np.diag([1.0, 1e-3])] * 2)
    got = np.asarray(linalg.pinv(x, rtol=np.array([1e-4, 1e-2])))
    close(got, np.stack([np.diag([1.0, 1e3]), np.diag([1.0, 0.0])]))
    rows = tad.vmap(lambda x, t: linalg.pinv(x, rtol=t))(x, np.array([1e-4, 1e-2]))
    close(rows, got)
    assert linalg.pinv(x.astype(np.float32), rtol=np.float64(0.1)).dtype == tad.float32


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (3, 3)])
@pytest.mark.parametrize("right", [(), (2,)])
def test_lstsq(shape: tuple[int, int], right: tuple[int, ...]) -> None:
    a, b = matrices(shape), matrices((shape[0], *right))
    x, residuals, rank, s = linalg.lstsq(a, b)
    want = np.linalg.lstsq(a, b)
    close(x, want[0], 1e-11)
    close(residuals, np.sum((b - a @ want[0]) ** 2, axis=0), 1e-11)
    assert int(rank) == want[2]
    close(s, want[3])
    stacked = linalg.lstsq(np.stack([a, 2 * a]), matrices((shape[0], 2))).x
    assert stacked.shape == (2, shape[1], 2)


def test_lstsq_finds_the_shortest_solution_below_full_rank() -> None:
    a = np.outer([1.0, 2.0, 3.0], [1.0, 1.0])
    b = np.array([1.0, 0.0, 1.0])
    close(linalg.lstsq(a, b).x, np.linalg.lstsq(a, b)[0])
    assert int(linalg.lstsq(a, b).rank) == 1


@pytest.mark.parametrize("scale", [0.0, 1e-10, 0.1, 1.0, 10.0, 100.0])
def test_expm(scale: float) -> None:
    scipy_linalg = pytest.importorskip("scipy.linalg")
    x = scale * matrices((2, 4, 4))
    close(linalg.expm(x), np.stack([scipy_linalg.expm(m) for m in x]), 1e-11)


def test_expm_of_known_exponentials() -> None:
    close(linalg.expm(np.zeros((3, 3))), np.eye(3), 0.0)
    close(linalg.expm([[0.0, 5.0], [0.0, 0.0]]), [[1.0, 5.0], [0.0, 1.0]])
    t = 2.0
    close(linalg.expm([[0.0, -t], [t, 0.0]]), [[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
    assert np.isnan(np.asarray(linalg.expm([[np.inf, 0.0], [0.0, 1.0]]))).all()
    assert linalg.expm(np.zeros((2, 0, 0))).shape == (2, 0, 0)


ONE_ARGUMENT: list[Callable[[Any], Any]] = [
    linalg.cholesky,
    linalg.cond,
    linalg.det,
    linalg.eigh,
    linalg.eigvalsh,
    linalg.expm,
    linalg.inv,
    linalg.pinv,
    linalg.qr,
    linalg.slogdet,
    linalg.svd,
    linalg.svdvals,
]


@pytest.mark.parametrize("f", ONE_ARGUMENT, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.bool_])
def test_dtypes(f: Callable[[Any], Any], dtype: Any) -> None:
    x = np.array([[2, 1], [1, 3]]).astype(dtype)
    x = np.eye(2, dtype=dtype) if dtype is np.bool_ else x
    want = np.dtype(dtype) if np.issubdtype(dtype, np.floating) else np.dtype(np.float64)
    ys, exact = f(x), f(x.astype(np.float64))
    for y, e in zip(*((r if isinstance(r, tuple) else (r,)) for r in (ys, exact)), strict=True):
        assert y.dtype == want
        close(y, np.asarray(e), 32 * float(np.finfo(want).eps))


def test_dtypes_of_two_arguments_meet() -> None:
    a, b = np.eye(2, dtype=np.float32), np.ones(2, np.int64)
    assert linalg.solve(a, b).dtype == tad.float32
    assert linalg.solve_triangular(np.eye(2, dtype=np.int64), b).dtype == tad.float64
    assert linalg.solve(a, np.ones(2)).dtype == tad.float64


@pytest.mark.parametrize("f", [linalg.cholesky, linalg.eigvalsh, lambda x: linalg.eigh(x)[0]])
def test_the_symmetric_part_is_read(f: Callable[[Any], Any]) -> None:
    x = positive((3, 3))
    k = matrices((3, 3))
    close(f(x + k - k.T), np.asarray(f(x)))
