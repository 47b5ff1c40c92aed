"""Order on XLA as on NumPy, in every dtype; indices that are literals are ordered before XLA sees them."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import taglessad as tad

jax = pytest.importorskip("jax")
from taglessad.interpreters import Jax  # noqa: E402  # after the skip

DTYPES = [
    *("float16", "float32", "float64", "bool"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
]


def entries(dtype: str, shape: tuple[int, ...]) -> Any:
    """Ties, both ends of the dtype, both zeros, NaNs of both signs."""
    rng = np.random.default_rng(0)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.random(shape) < 0.3
    if kind.kind == "f":
        info: Any = np.finfo(kind)
        special = [info.max, info.min, info.tiny, -info.tiny, np.inf, -np.inf, 0.0, -0.0]
        pool = [*special, info.smallest_subnormal, np.nan, -np.nan, *rng.standard_normal(30)]
    else:
        info = np.iinfo(kind)
        pool = [info.min, info.max, info.min + 1, info.max - 1, info.max // 2, 0, 1, 2]
        pool += [i << (4 * kind.itemsize) for i in (0, 1, 2)] + [(1 << 4 * kind.itemsize) - 1]
    return np.asarray(pool, kind)[rng.integers(0, len(pool), shape)]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_argsort(dtype: str, descending: bool) -> None:
    for shape, axis in (((3, 70), 1), ((2, 50, 3), 1), ((0, 2), 0)):
        x = entries(dtype, shape)
        f = lambda x, axis=axis: tad.argsort(x, axis=axis, descending=descending)
        for got in (tad.jit(f, Jax())(x), tad.interpret(f, Jax())(x)):
            np.testing.assert_array_equal(got, f(x))
            assert got.dtype == tad.int64


@pytest.mark.parametrize("dtype", DTYPES)
def test_top_k(dtype: str) -> None:
    for shape, axis, counts in (((3, 200), 1, (0, 2, 40)), ((2, 200, 3), 1, (12,))):
        x = entries(dtype, shape)
        for k in counts:
            f = lambda x, axis=axis, k=k: tad.top_k(x, k, axis=axis)
            got, want = tad.jit(f, Jax())(x), f(x)
            np.testing.assert_array_equal(got.indices, want.indices)
            np.testing.assert_array_equal(got.values, want.values)
            assert got.indices.dtype == tad.int64


def test_bfloat16() -> None:
    x = entries("float32", (3, 70)).astype(ml_dtypes.bfloat16)
    got = tad.jit(lambda x: tad.argsort(x), Jax())(jax.numpy.asarray(x))
    np.testing.assert_array_equal(got, np.argsort(x.astype(np.float32), axis=-1, kind="stable"))


def test_within_transforms_of_jax() -> None:
    x = np.random.default_rng(0).standard_normal((3, 40)).astype(np.float32)

    def largest(x: Any) -> Any:
        return tad.sum(tad.top_k(x, 2).values ** 2)

    g = jax.vmap(jax.grad(tad.as_jax(largest)))(x)
    np.testing.assert_allclose(g, tad.vmap(tad.grad(largest))(x), rtol=1e-6)


def test_segments_of_literal_ids_are_not_sorted_by_xla() -> None:
    ids = np.asarray([2, 0, 2, 1, -1, 0, 7])
    x = np.arange(1.0, 8.0)
    f = tad.grad(lambda x, ids: tad.sum(tad.segment_prod(x, ids, 3) ** 2))
    known = tad.jit(lambda x: f(x, ids), Jax())
    np.testing.assert_allclose(known(x), f(x, ids), rtol=1e-14)
    assert "stablehlo.sort" not in known.lower(x).as_text()
    assert "stablehlo.sort" in tad.jit(f, Jax()).lower(x, ids).as_text()


def test_a_literal_that_grows_is_left_to_xla() -> None:
    """A mask of rows against columns would be kept with the program, entry by entry."""
    i = np.arange(50)
    for condition, compared in ((lambda i: i[:, None] < i, True), (lambda i: i < 7, False)):
        f = tad.jit(lambda x, c=condition: tad.where(c(tad.asarray(i)), x, 0.0), Jax())
        x = np.ones((50, 50))
        np.testing.assert_array_equal(f(x), np.where(condition(i), x, 0.0))
        assert ("stablehlo.compare" in f.lower(x).as_text()) is compared
