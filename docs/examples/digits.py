"""Handwritten digits: one training script for NumPy and for JAX, which goes on where it was killed.

`python docs/examples/digits.py [--jax] [--epochs N] [--file training.safetensors]`: a perceptron on
the 8 x 8 digits of scikit-learn. After every epoch model, optimiser and epoch are saved, in one file
that appears whole or not at all; started again with the same file, it goes on with the same numbers.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import taglessad as tad
from taglessad import nn, optim, trees

BATCH, TRAINED_ON = 64, 1536
OPTIMISER = optim.adam(optim.exponential_decay(3e-3, 100, 0.9))


def digits() -> tuple[np.ndarray, np.ndarray]:
    images, labels = load_digits(return_X_y=True)
    return (images / 16).astype(np.float32), labels


def start() -> dict[str, Any]:
    """The training before its first step: all that it depends on is in this tree."""
    model = nn.Sequential(nn.Linear(64, 64, rng=0), nn.ReLU(), nn.Linear(64, 10, rng=1))
    model = trees.map(lambda w: w.astype(np.float32), model)
    return {"model": model, "state": OPTIMISER.init(model), "epoch": np.asarray(0)}


def loss(model: Any, x: Any, y: Any) -> Any:
    return tad.mean(nn.functional.cross_entropy(model(x), y))


def step(model: Any, state: Any, x: Any, y: Any) -> Any:
    value, g = tad.value_and_grad(loss)(model, x, y)
    updates, state = OPTIMISER.update(g, state, model)
    return optim.apply_updates(model, updates), state, value


def batches(epoch: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The same for the same epoch: a training that goes on sees what it would have seen."""
    x, y = digits()
    order = np.random.default_rng(epoch).permutation(TRAINED_ON)
    for rows in order.reshape(-1, BATCH):
        yield x[rows], y[rows]


def accuracy(model: Any) -> float:
    x, y = digits()
    found = tad.argmax(model(x[TRAINED_ON:]), axis=-1)
    return float(np.mean(tad.to_numpy(found) == y[TRAINED_ON:]))


def bar(epoch: int, done: int, of: int, value: float) -> None:
    if sys.stderr.isatty():
        line = "#" * (30 * done // of)
        end = "\n" if done == of else ""
        print(f"\repoch {epoch:3d} [{line:<30}] loss {value:.4f}", end=end, file=sys.stderr)


def train(path: Path, epochs: int, interpreter: Any = None) -> list[float]:
    """The mean losses of the epochs that were still to do; afterwards the file has the last one."""
    run = tad.jit(step, interpreter)
    training = tad.load(path, like=start()) if path.exists() else start()
    losses = []
    for epoch in range(int(training["epoch"]), epochs):
        model, state, values = training["model"], training["state"], []
        for x, y in batches(epoch):
            model, state, value = run(model, state, x, y)
            values.append(float(value))
            bar(epoch, len(values), TRAINED_ON // BATCH, values[-1])
        losses.append(float(np.mean(values)))
        training = {"model": model, "state": state, "epoch": np.asarray(epoch + 1)}
        tad.save(path, training)
    return losses


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jax", action="store_true", help="run on JAX")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--file", type=Path, default=Path("training.safetensors"))
    given = parser.parse_args(arguments)
    interpreter = None
    if given.jax:
        from taglessad.interpreters import Jax

        interpreter = Jax()
    train(given.file, given.epochs, interpreter)
    model = tad.load(given.file, like=start())["model"]
    print(f"accuracy on the digits it was not trained on: {accuracy(model):.3f}")


if __name__ == "__main__":
    main()
