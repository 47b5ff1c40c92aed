"""A multilayer perceptron, 784-256-10, batch 128, float32: value and gradient."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import taglessad as tad
from benchmarks.harness import Row, interleaved, ratio
from benchmarks.peers import optional

BATCH, INPUT, HIDDEN, OUTPUT = 128, 784, 256, 10


def _data() -> tuple[Any, ...]:
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> Any:
        return (rng.normal(size=shape) * 0.05).astype(np.float32)

    return (
        normal(INPUT, HIDDEN),
        normal(HIDDEN),
        normal(HIDDEN, OUTPUT),
        normal(OUTPUT),
        normal(BATCH, INPUT),
        normal(BATCH, OUTPUT),
    )


def _loss(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, t: Any, tanh: Any, mean: Any) -> Any:
    h = tanh(x @ w1 + b1)
    r = h @ w2 + b2 - t
    return mean(r * r)


def _by_hand(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, t: Any) -> Any:
    h = np.tanh(x @ w1 + b1)
    r = h @ w2 + b2 - t
    loss = np.mean(r * r)
    g = np.float32(2.0 / r.size) * r
    gh = (g @ w2.T) * (1 - h * h)
    return loss, (x.T @ gh, gh.sum(0), h.T @ g, g.sum(0))


def training_step() -> Iterator[Row]:
    """Replay against NumPy by hand, JAX and PyTorch."""
    data = _data()
    handles = tuple(tad.asarray(a) for a in data)

    def loss(*args: Any) -> Any:
        return _loss(*args, tad.tanh, tad.mean)

    replay = tad.jit(tad.value_and_grad(loss, (0, 1, 2, 3)))
    contenders: dict[str, Any] = {
        "jit": lambda: replay(*handles),
        "hand": lambda: _by_hand(*data),
    }
    jax = optional("jax")
    if jax is not None:
        jnp = optional("jax.numpy")
        assert jnp is not None
        step = jax.jit(
            jax.value_and_grad(lambda *a: _loss(*a, jnp.tanh, jnp.mean), argnums=(0, 1, 2, 3))
        )
        arrays = tuple(jnp.asarray(a) for a in data)
        contenders["jax"] = lambda: jax.block_until_ready(step(*arrays))
    torch = optional("torch")
    if torch is not None:
        torch.set_num_threads(1)
        tensors = [torch.tensor(a) for a in data]
        parameters = [t.requires_grad_() for t in tensors[:4]]

        def eager() -> Any:
            return torch.autograd.grad(_loss(*tensors, torch.tanh, torch.mean), parameters)

        contenders["torch"] = eager
    times = interleaved(contenders, rounds=100, target=1e-2)
    what = "MLP 784-256-10, batch 128, float32, replay"
    yield Row(what, "NumPy by hand", ratio(times, "jit", "hand"), 1.05)
    if jax is not None:
        yield Row(what, "JAX jit on the CPU", ratio(times, "jit", "jax"), 1.0)
    if torch is not None:
        yield Row(what, "PyTorch eager", ratio(times, "jit", "torch"), None)
