"""Convolution of vectors: NumPy's values, derivatives to second order, memory of the operands' size."""

import tracemalloc
from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters import Exact, Real

NAMES, MODES = ("convolve", "correlate"), ("full", "same", "valid")
# One of them longer, one entry, two of a length; all ways through the kernel are fewer.
LENGTHS = ((1, 1), (1, 6), (6, 1), (7, 4), (4, 7), (5, 5), (40, 3))


def both(name: str, mode: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    ours, theirs = getattr(tad, name), getattr(np, name)
    return lambda a, v: ours(a, v, mode=mode), lambda a, v: theirs(a, v, mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_values_of_any_lengths(name: str, mode: str) -> None:
    f, expected = both(name, mode)
    rng = np.random.default_rng(0)
    for n, m in (*LENGTHS, *rng.integers(1, 90, (40, 2)).tolist()):
        a, v = rng.standard_normal(n), rng.standard_normal(m)
        want = expected(a, v)
        for way in (f, tad.jit(f)):
            got = np.asarray(way(a, v))
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint16", "float16", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_whole_numbers_are_exact_in_their_dtype(name: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    for mode in MODES:
        f, expected = both(name, mode)
        for n, m in LENGTHS:
            a, v = (rng.integers(0, 5, k).astype(dtype) for k in (n, m))
            got = np.asarray(f(a, v))
            assert got.dtype == dtype
            np.testing.assert_array_equal(got, expected(a, v))
    large = np.asarray([2**62, 3])
    assert tad.convolve(large, np.asarray([1, 1])).tolist() == [2**62, 2**62 + 3, 3]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_derivatives_in_both_operands(
    check_program: Callable[..., None], name: str, mode: str
) -> None:
    f, _ = both(name, mode)
    rng = np.random.default_rng(2)
    for n, m in LENGTHS:
        check_program(lambda a, v: tad.sin(f(a, v)), *map(rng.standard_normal, (n, m)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_rational_values_and_gradients(name: str, mode: str) -> None:
    """The sum of w times the result is linear in each operand: its gradients are its coefficients."""
    f, expected = both(name, mode)
    rng = np.random.default_rng(3)
    for n, m in LENGTHS:
        a, v = (rng.integers(-9, 10, k) for k in (n, m))
        w = rng.integers(-9, 10, expected(a, v).size)
        thirds, sevenths = [F(int(k), 3) for k in a], [F(int(k), 7) for k in v]
        value = tad.interpret(f, Exact())(thirds, sevenths)
        assert list(value) == [F(int(k), 21) for k in expected(a, v)]
        weighted = lambda a, v, f=f, w=w: tad.sum(f(a, v) * w)
        gradient = tad.grad(weighted, argnums=(0, 1))
        in_a, in_v = tad.interpret(gradient, Exact())(thirds, sevenths)
        assert list(in_a) == [F(int(w @ expected(e, v)), 7) for e in np.eye(n, dtype=int)]
        assert list(in_v) == [F(int(w @ expected(a, e)), 3) for e in np.eye(m, dtype=int)]
        assert tad.interpret(f, Exact())(a, v).tolist() == expected(a, v).tolist()


def test_enclosures_contain_the_value() -> None:
    a, v = np.random.default_rng(4).standard_normal((2, 9))
    found = tad.interpret(tad.convolve, Real())(a, v[:4])
    thirds = tad.interpret(tad.convolve, Exact())(a, v[:4])
    assert all(e.contains(x) for e, x in zip(found, thirds, strict=True))


def test_zeros_beyond_the_ends_are_not_multiplied() -> None:
    a, v = np.asarray([np.inf, 1.0, 2.0]), np.asarray([1.0, 3.0])
    np.testing.assert_array_equal(tad.convolve(a, v), [np.inf, np.inf, 5.0, 6.0])
    np.testing.assert_array_equal(tad.convolve(v, a), [np.inf, np.inf, 5.0, 6.0])


@pytest.mark.parametrize("mapped", [(0, None), (None, 0), (0, 0)], ids=str)
def test_memory_is_that_of_the_operands(mapped: tuple[int | None, int | None]) -> None:
    """A matrix of windows would be 2000 times as large as a vector: 300 MB and more."""
    rng = np.random.default_rng(5)
    a, v = rng.standard_normal(20_000), rng.standard_normal(2000)
    square = lambda a, v: tad.sum(tad.convolve(a, v) ** 2)
    rows = [np.stack([x, -x]) if axis == 0 else x for x, axis in zip((a, v), mapped, strict=True)]
    gradient = tad.grad(square, argnums=(0, 1))
    curved = lambda a, v: tad.jvp(gradient, (a, v), (a, v))[1]
    tracemalloc.start()
    try:
        value = tad.convolve(a, v)
        in_a, _ = gradient(a, v)
        curved(a, v)
        tad.vmap(gradient, in_axes=mapped)(*rows)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16e6
    np.testing.assert_allclose(value, np.convolve(a, v), rtol=1e-12, atol=1e-12)
    want = 2.0 * np.correlate(np.convolve(a, v), v, "valid")
    np.testing.assert_allclose(in_a, want, rtol=1e-11, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_on_jax(name: str) -> None:
    pytest.importorskip("jax")
    from taglessad.interpreters import Jax

    rng = np.random.default_rng(6)
    for mode in MODES:
        f, expected = both(name, mode)
        gradient = tad.grad(lambda a, v, f=f: tad.sum(f(a, v) ** 3), argnums=(0, 1))
        for n, m in ((7, 4), (4, 7)):
            a, v = rng.standard_normal(n), rng.standard_normal(m)
            np.testing.assert_allclose(
                np.asarray(tad.jit(f, Jax())(a, v)), expected(a, v), rtol=1e-12, atol=1e-12
            )
            for got, want in zip(tad.jit(gradient, Jax())(a, v), gradient(a, v), strict=True):
                np.testing.assert_allclose(np.asarray(got), want, rtol=1e-11, atol=1e-11)
            whole = np.arange(n), np.arange(m) - 2
            np.testing.assert_array_equal(tad.jit(f, Jax())(*whole), expected(*whole))
