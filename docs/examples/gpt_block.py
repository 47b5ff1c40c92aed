"""A small GPT, its sizes in the types: B members, T positions, H heads of size K, V tokens.

`mypy --strict` with the plugin checks every line for all sizes: a 2 for a 3 is an error before
anything runs. The two annotations in a body are there because axes exchanged by mistake may have a
number of entries that fits. Pre-normalisation, causal attention, a hidden layer four times as wide
(Radford et al. 2019). `python docs/examples/gpt_block.py` trains it to repeat a sequence.
"""

from typing import Generic, TypeVar
from typing import Literal as L

import numpy as np

import taglessad as tad
from taglessad import IntTensor, Mul, Size, Tensor, nn, optim
from taglessad.nn import functional as F

B = TypeVar("B")
T = TypeVar("T")
H = TypeVar("H")
K = TypeVar("K")
V = TypeVar("V")
P = TypeVar("P")


class Attention(nn.Module, Generic[H, K]):
    """Causal attention with `heads` heads of size `head_size`."""

    qkv: nn.Linear[Mul[H, K], Mul[L[3], Mul[H, K]]]
    out: nn.Linear[Mul[H, K], Mul[H, K]]
    heads: Size[H]
    head_size: Size[K]

    def __call__(self, x: Tensor[B, T, Mul[H, K]]) -> Tensor[B, T, Mul[H, K]]:
        b, t, _ = x.shape
        split = tad.reshape(self.qkv(x), (b, t, 3, self.heads, self.head_size))
        parts: Tensor[L[3], B, H, T, K] = tad.permute_dims(split, (2, 0, 3, 1, 4))
        q, k, v = tad.unstack(parts)
        y = F.scaled_dot_product_attention(q, k, v, causal=True)
        joined: Tensor[B, T, H, K] = tad.permute_dims(y, (0, 2, 1, 3))
        return self.out(tad.reshape(joined, x.shape))


class Block(nn.Module, Generic[H, K]):
    """Attention and a hidden layer, each around a residual connection."""

    before: nn.LayerNorm[Mul[H, K]]
    attention: Attention[H, K]
    between: nn.LayerNorm[Mul[H, K]]
    wide: nn.Linear[Mul[H, K], Mul[L[4], Mul[H, K]]]
    narrow: nn.Linear[Mul[L[4], Mul[H, K]], Mul[H, K]]

    def __call__(self, x: Tensor[B, T, Mul[H, K]]) -> Tensor[B, T, Mul[H, K]]:
        x = x + self.attention(self.before(x))
        return x + self.narrow(F.gelu(self.wide(self.between(x))))


class GPT(nn.Module, Generic[V, P, H, K]):
    """Scores of the next token at every position."""

    tokens: nn.Embedding[V, Mul[H, K]]
    positions: nn.Embedding[P, Mul[H, K]]
    blocks: tuple[Block[H, K], ...]
    norm: nn.LayerNorm[Mul[H, K]]
    head: nn.Linear[Mul[H, K], V]

    def __call__(self, ids: IntTensor[B, T]) -> Tensor[B, T, V]:
        x = self.tokens(ids) + self.positions(tad.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def block(heads: Size[H], head_size: Size[K], rng: np.random.Generator) -> Block[H, K]:
    """A block with fresh parameters."""
    n = heads * head_size
    return Block(
        nn.LayerNorm(n),
        Attention(nn.Linear(n, 3 * n, rng=rng), nn.Linear(n, n, rng=rng), heads, head_size),
        nn.LayerNorm(n),
        nn.Linear(n, 4 * n, rng=rng),
        nn.Linear(4 * n, n, rng=rng),
    )


def gpt(
    vocabulary: Size[V],
    longest: Size[P],
    heads: Size[H],
    head_size: Size[K],
    depth: int,
    rng: np.random.Generator,
) -> GPT[V, P, H, K]:
    """A GPT with fresh parameters."""
    n = heads * head_size
    return GPT(
        nn.Embedding(vocabulary, n, rng=rng, init=nn.init.normal(0.1)),
        nn.Embedding(longest, n, rng=rng, init=nn.init.normal(0.1)),
        tuple(block(heads, head_size, rng) for _ in range(depth)),
        nn.LayerNorm(n),
        nn.Linear(n, vocabulary, rng=rng),
    )


def loss(model: GPT[V, P, H, K], ids: IntTensor[B, T], following: IntTensor[B, T]) -> Tensor[()]:
    """The mean cross entropy of the next tokens."""
    return tad.mean(F.cross_entropy(model(ids), following))


def train(steps: int, seed: int = 0) -> list[float]:
    """The losses of learning sequences that repeat themselves after four tokens."""
    rng = np.random.default_rng(seed)
    words = np.tile(rng.integers(0, 8, (16, 4)), 3)
    ids, following = tad.asarray(words[:, :-1]), tad.asarray(words[:, 1:])
    model = gpt(8, 11, 2, 8, 2, rng)
    optimiser = optim.adam(0.01)
    state = optimiser.init(model)
    step = tad.jit(tad.value_and_grad(loss))
    losses: list[float] = []
    for _ in range(steps):
        value, gradient = step(model, ids, following)
        updates, state = optimiser.update(gradient, state, model)
        model = optim.apply_updates(model, updates)
        losses.append(float(value))
    return losses


if __name__ == "__main__":
    for i, value in enumerate(train(60)):
        if i % 10 == 9:
            print(f"step {i + 1}: loss {value:.3f}")
