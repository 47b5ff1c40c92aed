"""What runs on the host, called back from the device: with all 64 bits, whichever thread it is."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad

jax = pytest.importorskip("jax")
from taglessad.interpreters import Jax  # noqa: E402  # after the skip

X = np.linspace(0.1, 1.0, 5)


def test_numbers_keep_their_width_where_jax_narrows() -> None:
    f = tad.jit(lambda x: tad.special.expi(x * x), Jax())
    compiled = f.lower(X).compile()
    with jax.enable_x64(True):
        x = jax.numpy.asarray(X)
    with jax.enable_x64(False):  # as on a thread of XLA's own
        (y,) = jax.tree.leaves(compiled(x))
    assert y.dtype == np.float64
    np.testing.assert_allclose(np.asarray(y), tad.special.expi(X * X), rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shapes_and_dtypes(dtype: type) -> None:
    x: Any = X.astype(dtype)
    for value in (x, x.reshape(5, 1), x[:0], x[0]):
        got = tad.jit(tad.special.expi, Jax())(value)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, tad.special.expi(tad.asarray(value)))
    rows = tad.jit(tad.vmap(tad.special.expi), Jax())(x)
    np.testing.assert_array_equal(rows, tad.special.expi(tad.asarray(x)))
