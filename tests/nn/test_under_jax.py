"""Models compiled by XLA have the gradients that NumPy gives."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import nn
from taglessad.trees import leaves

RNG = np.random.default_rng(8)

MODELS: dict[str, tuple[Any, np.ndarray]] = {
    "convolutions": (
        nn.Sequential(
            nn.Conv2d(2, 4, 3, padding="same", rng=0),
            nn.GELU(),
            nn.MaxPool2d(2),
            nn.GroupNorm(4, 2),
            nn.ConvTranspose2d(4, 2, 2, stride=2, rng=0),
            nn.AvgPool2d(2),
            nn.Flatten(),
            nn.Linear(8, 3, rng=1),
        ),
        RNG.standard_normal((2, 2, 4, 4)),
    ),
    "attention": (
        nn.Sequential(nn.Linear(4, 8, rng=0), nn.MultiHeadAttention(8, 2, rng=0), nn.LayerNorm(8)),
        RNG.standard_normal((2, 3, 4)),
    ),
    "recurrence": (nn.LSTM(3, 4, rng=0), RNG.standard_normal((2, 5, 3))),
}


def loss(model: Any, x: Any) -> Any:
    y = model(x)
    return tad.sum((y[0] if isinstance(y, tuple) else y) ** 2)


@pytest.mark.parametrize("name", MODELS)
def test_gradients_under_jax(name: str) -> None:
    pytest.importorskip("jax")
    model, x = MODELS[name]
    wanted = tad.grad(loss)(model, x)
    found = tad.jit(tad.grad(loss), tad.interpreters.Jax())(model, x)
    assert type(found) is type(model)
    for got, want in zip(leaves(found), leaves(wanted), strict=True):
        assert got.dtype == want.dtype == np.float64
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-9, atol=1e-11)
