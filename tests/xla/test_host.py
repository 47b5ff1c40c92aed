"""What runs on the host, called back from the device: with all 64 bits, whichever thread it is."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad

jax = pytest.importorskip("jax")
from taglessad.interpreters import Jax  # noqa: E402  # after the skip

X = np.linspace(0.1, 1.0, 5)
hosted = tad.primitive("test_host", np.sinh, partials=[lambda y, x: tad.cosh(x)])


def test_numbers_keep_their_width_where_jax_narrows() -> None:
    f = tad.jit(lambda x: hosted(x * x), Jax())
    compiled = f.lower(X).compile()
    with jax.enable_x64(True):
        x = jax.numpy.asarray(X)
    with jax.enable_x64(False):  # as on a thread of XLA's own
        (y,) = jax.tree.leaves(compiled(x))
    assert y.dtype == np.float64
    np.testing.assert_allclose(np.asarray(y), np.sinh(X * X), rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shapes_and_dtypes(dtype: type) -> None:
    x: Any = X.astype(dtype)
    for value in (x, x.reshape(5, 1), x[:0], x[0]):
        got = tad.jit(hosted, Jax())(value)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, hosted(tad.asarray(value)))
    rows = tad.jit(tad.vmap(hosted), Jax())(x)
    np.testing.assert_array_equal(rows, hosted(tad.asarray(x)))
