"""Initial values: variances, orthogonality, shapes, dtypes."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.nn import init

SHAPE = (300, 200)


def drawn(initializer: Any, shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return np.asarray(initializer(np.random.default_rng(0), shape, np.dtype(np.float64)))


@pytest.mark.parametrize(
    ("name", "variance"),
    [("glorot", 2 / 500), ("he", 2 / 300), ("lecun", 1 / 300)],
)
@pytest.mark.parametrize("kind", ["normal", "uniform"])
def test_variances(name: str, kind: str, variance: float) -> None:
    w = drawn(getattr(init, f"{name}_{kind}"))
    assert w.mean() == pytest.approx(0.0, abs=4 * np.sqrt(variance / w.size))
    assert w.var() == pytest.approx(variance, rel=0.03)  # 60,000 entries
    if kind == "uniform":
        assert np.abs(w).max() <= np.sqrt(3 * variance)


def test_fans_of_kernels_count_the_taps() -> None:
    assert init.fans((3, 5)) == (3, 5)
    assert init.fans((8, 4, 3, 3)) == (36, 72)
    assert init.fans((8, 4, 3)) == (12, 24)
    w = drawn(init.he_normal, (64, 32, 3, 3))
    assert w.var() == pytest.approx(2 / (32 * 9), rel=0.05)


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (5, 5), (8, 2, 3)])
def test_orthogonal(shape: tuple[int, ...]) -> None:
    w = drawn(init.orthogonal, shape).reshape(shape[0], -1)
    small = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(small, np.eye(len(small)), atol=1e-12)
    with pytest.raises(tad.ShapeError, match="nn.init.orthogonal"):
        drawn(init.orthogonal, (3,))


def test_constants_and_plain_distributions() -> None:
    assert (drawn(init.zeros) == 0).all() and (drawn(init.ones) == 1).all()
    assert (drawn(init.constant(2.5)) == 2.5).all()
    assert drawn(init.normal(0.1, 3.0)).mean() == pytest.approx(3.0, abs=0.01)
    assert drawn(init.normal(0.1)).std() == pytest.approx(0.1, rel=0.02)
    w = drawn(init.uniform(-1, 3))
    assert -1 <= w.min() and w.max() <= 3 and w.mean() == pytest.approx(1.0, abs=0.05)


def test_dtype_of_the_layer() -> None:
    for name in ("glorot_uniform", "orthogonal", "zeros", "lecun_normal"):
        layer = tad.nn.Linear(3, 2, init=getattr(init, name), dtype="float32")
        assert layer.w.dtype == layer.b.dtype == np.float32
