"""The derivative of a product: by halves, of every length, to any order; by running products else."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters import Shape


def others(x: Any, axis: int) -> Any:
    """For each entry the product of all others along the axis, one by one."""
    rows = [np.prod(np.delete(x, i, axis), axis) for i in range(x.shape[axis])]
    return np.stack(rows, axis) if rows else np.ones_like(x)


@pytest.mark.parametrize("length", [*range(10), 31, 32, 33])
def test_every_length_on_either_axis(length: int) -> None:
    rng = np.random.default_rng(length)
    for axis, shape in enumerate([(length, 3), (3, length)]):
        x = rng.uniform(-1.5, 1.5, shape)
        x[rng.random(shape) < 0.1] = 0.0
        g = tad.grad(lambda x, axis=axis: tad.sum(tad.prod(x, axis=axis)))
        for f in (g, tad.jit(g)):
            np.testing.assert_allclose(f(x), others(x, axis), rtol=1e-14)
        whole = tad.grad(lambda x: tad.prod(x))(x)
        np.testing.assert_allclose(whole, others(x.reshape(-1), 0).reshape(shape), rtol=1e-14)


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8])
def test_second_derivatives_where_entries_are_zero(length: int) -> None:
    x = np.arange(float(length)) - 1.0
    want = np.asarray(
        [
            [0.0 if i == j else np.prod(np.delete(x, [i, j])) for j in range(length)]
            for i in range(length)
        ]
    )
    np.testing.assert_array_equal(tad.hessian(lambda x: tad.prod(x))(x), want)


def test_a_length_that_is_a_symbol() -> None:
    (n,) = tad.symbols("N")
    f = tad.grad(lambda x: tad.sum(tad.prod(x, axis=0)))
    assert tad.interpret(f, Shape())((n, 3)) == (n, 3)


def test_exported_for_every_length() -> None:
    pytest.importorskip("jax")
    (n,) = tad.symbols("N")
    f = tad.grad(lambda x: tad.sum(tad.prod(x, axis=0)))
    found = tad.load_exported(tad.export(f)(tad.Spec((n, 2), tad.float64)))
    for length in (1, 4, 5):
        x = np.random.default_rng(0).uniform(0.5, 1.5, (length, 2))
        np.testing.assert_allclose(found(x), others(x, 0), rtol=1e-14)
