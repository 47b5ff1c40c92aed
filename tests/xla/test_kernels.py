"""Kernels on XLA whose formula is not NumPy's: to a few ulp, on every side, of every shape."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import taglessad as tad

jax = pytest.importorskip("jax")
from taglessad.interpreters import Jax  # noqa: E402  # after the skip


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda t: t.__name__)
def test_the_slope_of_tanh_has_its_digits_in_the_tails_too(dtype: Any) -> None:
    info = np.finfo(dtype)
    # XLA's exponential flushes subnormal numbers, so float64 ends two powers of two earlier.
    least = float(info.tiny) * (4 if dtype is np.float64 else 1)
    edge = np.arccosh(np.longdouble(least) ** -0.5)
    xs = np.concatenate([np.linspace(-edge, edge, 40_001)[1:-1], [0.0, 1e-3, -info.tiny]])
    x = xs.astype(dtype)
    exact = np.cosh(x.astype(np.longdouble)) ** -2
    unit = np.spacing(np.maximum(exact, info.tiny).astype(dtype)).astype(np.longdouble)

    slope = tad.jit(tad.grad(lambda x: tad.sum(tad.tanh(x))), Jax())
    inside = exact > least
    error = np.abs(np.asarray(slope(x)).astype(np.longdouble) - exact) / unit
    assert inside.sum() > 39_000 and np.max(error[inside]) <= 8

    ends = np.asarray([-np.inf, np.inf, np.nan], dtype)
    np.testing.assert_array_equal(slope(ends), np.asarray([0, 0, np.nan], dtype))


@pytest.mark.parametrize(
    "lower,trans,unit", list(product((True, False), repeat=3)), ids=lambda flag: str(flag)
)
def test_triangular_systems(lower: bool, trans: bool, unit: bool) -> None:
    rng = np.random.default_rng(0)
    for lead, n, m in (
        ((), 4, 3),
        ((), 4, 1),
        ((), 1, 1),
        ((2, 3), 4, 3),
        ((2,), 3, 1),
        ((), 2, 0),
    ):
        a = rng.uniform(-1, 1, (*lead, n, n)) + 4 * np.eye(n)
        b = rng.uniform(-1, 1, (*lead, n, m))

        def solved(a: Any, b: Any) -> Any:
            return a.ops.triangular_solve(a.payload, b.payload, lower, trans, unit)

        got = tad.jit(lambda a, b: tad.Tensor(a.ops, solved(a, b), a.dtype), Jax())(a, b)
        read = np.tril(a, -unit) if lower else np.triu(a, unit)
        read = read + np.eye(n) if unit else read
        wanted = np.linalg.solve(np.swapaxes(read, -1, -2) if trans else read, b)
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


def test_results_are_waited_for_where_they_are() -> None:
    """A handle that jit made is an array of JAX to JAX: nothing is fetched to the host."""
    g = tad.jit(tad.value_and_grad(lambda x: tad.sum(x * x)), Jax())(np.arange(3.0))
    leaves = jax.tree.leaves(g)
    assert len(leaves) == 2 and all(isinstance(x, jax.Array) for x in leaves)
    assert jax.block_until_ready(g)[1].tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize("offset", [-3, 0, 2])
@pytest.mark.parametrize("dtype", [np.float32, bool], ids=lambda t: t.__name__)
def test_a_diagonal_among_zeros(offset: int, dtype: Any) -> None:
    """Infinities and NaN on it stay there: what is beside it is selected, not multiplied."""
    for lead, n, spare in (((), 3, 0), ((2,), 3, 2), ((), 0, 1), ((2, 2), 1, 0)):
        x = (np.arange(1, 1 + n) * np.ones((*lead, n))).astype(dtype)
        if n and dtype is np.float32:
            x[..., 0] = np.inf
        rows, columns = n + max(-offset, 0) + spare, n + max(offset, 0)
        wanted = np.zeros((*lead, rows, columns), dtype)
        i = np.arange(n)
        wanted[..., i + max(-offset, 0), i + max(offset, 0)] = x

        def placed(x: Any, size: tuple[int, int] = (rows, columns)) -> Any:
            y = x.ops.place_diagonal(x.payload, offset, *size)
            return type(x)(x.ops, y, x.dtype)

        np.testing.assert_array_equal(tad.jit(placed, Jax())(x), wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda t: t.__name__)
@pytest.mark.parametrize(
    "shape",
    [(1, 1), (64, 3), (65, 3), (64, 1025), (0, 3), (3, 0)],
    ids=lambda s: "x".join(map(str, s)),
)
def test_rows_are_added(shape: tuple[int, int], dtype: Any) -> None:
    """Few of them by a product with ones, and as exactly; what is not finite stays in its column."""
    x = np.random.default_rng(0).uniform(1, 2, shape).astype(dtype)
    if x.size > 3:
        x[0, :2] = np.inf, np.nan
    total = tad.jit(lambda x: tad.sum(x, axis=0), Jax())
    exact = x.astype(np.longdouble).sum(axis=0)
    got = np.asarray(total(x))
    assert got.dtype == dtype
    np.testing.assert_allclose(got, exact, rtol=shape[0] * np.finfo(dtype).eps, atol=0)

    weights = np.arange(1.0, 1 + shape[1]).astype(dtype)
    slope = tad.jit(tad.grad(lambda x: tad.sum(weights * tad.sum(x, axis=0))), Jax())
    np.testing.assert_array_equal(slope(x), np.broadcast_to(weights, shape))


def test_calls_in_turn_of_several_signatures() -> None:
    """The quick reader of one leaves the others to the general walk: each is traced once."""
    traced = [0]

    def f(x: Any, factor: Any) -> Any:
        traced[0] += 1
        return {"y": x * factor}

    j = tad.jit(f, Jax())
    arrays = [tad.asarray(jax.numpy.asarray(x)) for x in (np.ones(2), np.ones(3), np.ones(3, int))]
    for _ in range(3):
        for x in (*arrays, np.ones(3, np.float32), 1.0):
            y = j(x, arrays[0][0])["y"]
            assert y.shape == np.shape(x) and repr(y.ops) == "Jax"
    assert traced[0] == 4  # an array and a handle of one shape and dtype are one signature
    slope = tad.grad(lambda x: tad.sum(j(x, 2.0)["y"]))(arrays[1])
    assert slope.tolist() == [2.0, 2.0, 2.0]
