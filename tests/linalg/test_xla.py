"""Determinants on XLA: derivatives at singular matrices are those of NumPy's kernels."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import linalg

pytest.importorskip("jax", reason="JAX is what is tested here")

SINGULAR = np.outer([1.0, 2.0, -1.0], [3.0, 1.0, 1.0])
X = np.stack([SINGULAR, np.zeros((3, 3)), SINGULAR + np.eye(3)])


def along(f: Any, v: np.ndarray) -> Any:
    return lambda x: tad.jvp(f, (x,), (v,))[1]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_det(order: int) -> None:
    from taglessad.interpreters.jax import Jax

    directions = np.random.default_rng(order).normal(size=(order, 3, 3, 3))
    f: Any = linalg.det
    for v in directions:
        f = along(f, v)
    want = np.asarray(f(X))
    got = np.asarray(tad.jit(f, Jax())(X))
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12 * np.max(np.abs(want)))
