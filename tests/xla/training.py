"""The training that the tests of several devices share: what is sharded how, and the losses."""

from collections.abc import Callable
from typing import Any

import numpy as np

import taglessad as tad
from taglessad import nn, optim, trees

INPUT, HIDDEN, CLASSES, BATCH, STEPS = 16, 32, 8, 32, 6


def model() -> nn.Sequential:
    made = nn.Sequential(
        nn.Linear(INPUT, HIDDEN, rng=0), nn.Tanh(), nn.Linear(HIDDEN, CLASSES, rng=1)
    )
    single: nn.Sequential = trees.map(lambda t: t.astype(np.float32), made)
    return single


def batch(size: int = BATCH) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((size, INPUT)).astype(np.float32)
    return x, np.argmax(x[:, :CLASSES], axis=1)


def loss(model: Any, x: Any, y: Any) -> Any:
    return tad.mean(nn.functional.cross_entropy(model(x), y))


OPTIMISER = optim.adam(0.05)


def step(training: Any, x: Any, y: Any) -> Any:
    """One step: (model, state) and a batch -> (model, state), loss."""
    model, state = training
    value, g = tad.value_and_grad(loss)(model, x, y)
    updates, state = OPTIMISER.update(g, state, model)
    return (optim.apply_updates(model, updates), state), value


def start() -> Any:
    made = model()
    return made, OPTIMISER.init(made)


def losses(step: Callable[..., Any], training: Any, x: Any, y: Any, steps: int = STEPS) -> Any:
    """The training after some steps, and the losses on the way."""
    values = []
    for _ in range(steps):
        training, value = step(training, x, y)
        values.append(float(value))
    return training, values


def shape_of(kind: str, devices: int) -> tuple[int, int]:
    """The mesh's sizes along its axes "data" and "model"."""
    return {"data": (devices, 1), "model": (1, devices), "mixed": (devices // 2, 2)}[kind]


def specs(tree: Any) -> Any:
    """How the leaves are sharded: the hidden units over "model", everything else whole.

    By shape, so the optimiser's moments, which have their parameters' shapes, go with them.
    """
    from jax.sharding import PartitionSpec as P

    rules: dict[tuple[int, ...], Any] = {
        (INPUT, HIDDEN): P(None, "model"),
        (HIDDEN,): P("model"),
        (HIDDEN, CLASSES): P("model", None),
    }
    return trees.map(lambda t: rules.get(tuple(np.shape(t)), P()), tree)
