"""The classifier: two layers, their shapes in their types, and programs over them."""

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

import taglessad as tad
from taglessad.nn.functional import cross_entropy

Pixels: TypeAlias = Literal[64]
Hidden: TypeAlias = Literal[32]
Classes: TypeAlias = Literal[10]
Images: TypeAlias = tad.Tensor[Any, Pixels]  # Any: batches of every size
Targets: TypeAlias = tad.IntTensor[Any]

HIDDEN: Final = 32


@dataclass(frozen=True)
class Classifier:
    """Weights and biases. A gradient with respect to it is of this class as well."""

    w1: tad.Tensor[Pixels, Hidden]
    b1: tad.Tensor[Hidden]
    w2: tad.Tensor[Hidden, Classes]
    b2: tad.Tensor[Classes]


def initial(seed: int) -> Classifier:
    """Weights drawn with deviation 1 / sqrt(inputs), biases 0 (LeCun et al. 1998, section 4.6)."""
    rng = np.random.default_rng(seed)

    def weights(n: int, k: int) -> tad.Tensor:
        drawn: tad.Tensor = tad.tensor(rng.normal(size=(n, k)) / np.sqrt(n))
        return drawn

    return Classifier(weights(64, HIDDEN), tad.zeros(HIDDEN), weights(HIDDEN, 10), tad.zeros(10))


def logits(model: Classifier, x: Images) -> tad.Tensor[Any, Classes]:
    """Two affine maps with tanh between, which is smooth: differences have no kinks to cross."""
    hidden = tad.tanh(x @ model.w1 + model.b1)
    return hidden @ model.w2 + model.b2


def loss(model: Classifier, x: Images, labels: Targets) -> tad.Tensor[()]:
    """The mean cross entropy."""
    return tad.mean(cross_entropy(logits(model, x), labels))


def accuracy(model: Classifier, x: Images, labels: Targets) -> tad.Tensor[()]:
    """The share of images whose largest logit is at their label."""
    right = tad.argmax(logits(model, x), axis=-1) == labels
    return tad.mean(tad.astype(right, tad.float64))


def _example() -> tuple[Classifier, tad.Tensor, tad.IntTensor]:
    """Arguments to look at `loss` with: five images of noise."""
    x: tad.Tensor = tad.tensor(np.random.default_rng(1).normal(size=(5, 64)))
    labels: tad.IntTensor = tad.tensor([0, 1, 2, 3, 4])
    return initial(0), x, labels


EXAMPLES: Final = {"loss": _example}
