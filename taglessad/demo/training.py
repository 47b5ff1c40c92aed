"""Training: one jitted step, run over batches."""

from collections.abc import Callable
from time import perf_counter
from typing import Final, NamedTuple, TypeAlias

import numpy as np

import taglessad as tad
from taglessad.demo import adam
from taglessad.demo.adam import Adam
from taglessad.demo.classifier import Classifier, Images, Targets, accuracy, initial, loss
from taglessad.demo.digits import Digits

EPOCHS: Final = 25
BATCH: Final = 64
RATE: Final = 0.005
WANTED: Final = 0.95
"""The share of held-out digits that is to be read right."""

Report: TypeAlias = Callable[[float], None]
"""Called with the loss after every step."""


class Trained(NamedTuple):
    """What training gave. losses: of each batch, before its step. seconds: of training alone."""

    model: Classifier
    losses: list[float]
    epochs: int
    train_accuracy: float
    test_accuracy: float
    test_size: int
    seconds: float
    seed: int

    @property
    def good(self) -> bool:
        """Whether enough held-out digits are read right."""
        return self.test_accuracy >= WANTED


def train_step(
    state: Adam[Classifier], x: Images, labels: Targets
) -> tuple[Adam[Classifier], tad.Tensor[()]]:
    """The next state, and the loss of the batch before it."""
    value, gradient = tad.value_and_grad(loss)(state.model, x, labels)
    return adam.step(state, gradient, RATE), value


def steps(data: Digits) -> int:
    """How many steps `train` takes; the last, smaller batch of an epoch is left out."""
    return EPOCHS * (len(data.y) // BATCH)


def train(data: Digits, seed: int, report: Report) -> Trained:
    """Fit a classifier, from a seed that fixes its weights and the order of the batches."""
    rng = np.random.default_rng(seed)
    step = tad.jit(train_step)
    state = adam.start(initial(seed))
    losses: list[float] = []
    began = perf_counter()
    for _ in range(EPOCHS):
        order = rng.permutation(len(data.y))
        for i in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[i : i + BATCH]
            state, value = step(state, tad.tensor(data.x[batch]), tad.tensor(data.y[batch]))
            losses.append(float(value))
            report(losses[-1])
    seconds = perf_counter() - began
    return Trained(
        state.model,
        losses,
        EPOCHS,
        float(accuracy(state.model, tad.tensor(data.x), tad.tensor(data.y))),
        float(accuracy(state.model, tad.tensor(data.x_test), tad.tensor(data.y_test))),
        len(data.y_test),
        seconds,
        seed,
    )
