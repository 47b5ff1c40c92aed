"""Random programs: every transform against JAX's own, and against each other. `make fuzz`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad

jax = pytest.importorskip("jax", reason="JAX is the oracle of this run")

# Smooth on the whole line, so that a random composition stays so.
UNARY = ("sin", "cos", "tanh", "square", "negative", "atan", "asinh", "sigmoid", "softplus", "erf")
BINARY = ("add", "subtract", "multiply", "logaddexp", "hypot")
SHAPE = ("sum", "mean", "transpose", "reverse", "take", "cumulative", "matmul", "logsumexp", "prod")


def _tad_step(name: str) -> Callable[..., Any]:
    table = {
        "sigmoid": tad.nn.functional.sigmoid,
        "softplus": tad.nn.functional.softplus,
        "erf": tad.special.erf,
        "hypot": lambda a, b: tad.hypot(a, b + 2.0),
        "sum": lambda x: x + tad.sum(x, axis=0, keepdims=True),
        "mean": lambda x: x * tad.mean(x, axis=1, keepdims=True),
        "transpose": lambda x: x.mT,
        "reverse": lambda x: x[::-1, :],
        "take": lambda x: tad.take(x, tad.asarray([1, 0, 1]), axis=1),
        "cumulative": lambda x: tad.cumulative_sum(x, axis=1),
        "matmul": lambda x: x @ tad.tanh(x),
        "logsumexp": lambda x: x - tad.special.logsumexp(x, axis=1, keepdims=True),
        "prod": lambda x: x + tad.prod(tad.tanh(x), axis=1, keepdims=True),
    }
    return table[name] if name in table else getattr(tad, name)  # type: ignore[no-any-return]


def _jax_step(name: str) -> Callable[..., Any]:
    jnp, nn, special = jax.numpy, jax.nn, jax.scipy.special
    table = {
        "sigmoid": nn.sigmoid,
        "softplus": nn.softplus,
        "erf": special.erf,
        "hypot": lambda a, b: jnp.sqrt(a * a + (b + 2.0) * (b + 2.0)),
        "sum": lambda x: x + jnp.sum(x, axis=0, keepdims=True),
        "mean": lambda x: x * jnp.mean(x, axis=1, keepdims=True),
        "transpose": lambda x: x.T,
        "reverse": lambda x: x[::-1, :],
        "take": lambda x: jnp.take(x, jnp.asarray([1, 0, 1]), axis=1),
        "cumulative": lambda x: jnp.cumsum(x, axis=1),
        "matmul": lambda x: x @ jnp.tanh(x),
        "logsumexp": lambda x: x - special.logsumexp(x, axis=1, keepdims=True),
        "prod": lambda x: x + jnp.prod(jnp.tanh(x), axis=1, keepdims=True),
        "atan": jnp.arctan,
        "asinh": jnp.arcsinh,
    }
    return table[name] if name in table else getattr(jnp, name)  # type: ignore[no-any-return]


def _program(rng: np.random.Generator) -> list[tuple[str, tuple[int, ...]]]:
    """Steps (name, operands) over a growing list of 3x3 values, the first two being the inputs."""
    steps: list[tuple[str, tuple[int, ...]]] = []
    for i in range(int(rng.integers(3, 12))):
        known = 2 + i
        kind = rng.integers(3)
        if kind == 0:
            steps.append((str(rng.choice(UNARY)), (int(rng.integers(known)),)))
        elif kind == 1:
            operands = (int(rng.integers(known)), int(rng.integers(known)))
            steps.append((str(rng.choice(BINARY)), operands))
        else:
            steps.append((str(rng.choice(SHAPE)), (int(rng.integers(known)),)))
    return steps


def _run(steps: Any, step: Any, tame: Any, total: Any) -> Callable[..., Any]:
    def f(x: Any, y: Any) -> Any:
        values = [x, y]
        for name, operands in steps:
            values.append(step(name)(*(tame(values[i]) for i in operands)))
        return total(tame(values[-1]) * tame(values[-2]))

    return f


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(400))
def test_against_jax(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = _program(rng)
    # tanh keeps the numbers small, so that agreement to 1e-9 means something.
    ours = _run(steps, _tad_step, lambda v: tad.tanh(v * 0.5), tad.sum)
    with jax.enable_x64(True):
        theirs = _run(steps, _jax_step, lambda v: jax.numpy.tanh(v * 0.5), jax.numpy.sum)
        x, y = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
        value = np.asarray(theirs(x, y))
        gradients = [np.asarray(g) for g in jax.grad(theirs, (0, 1))(x, y)]
        hessian = np.asarray(jax.hessian(theirs)(x, y))

    def agree(got: Any, want: Any) -> None:
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-9, atol=1e-10)

    agree(ours(tad.asarray(x), tad.asarray(y)), value)
    for make in (tad.grad, tad.jacfwd, tad.jacrev):
        for got, want in zip(make(ours, (0, 1))(x, y), gradients, strict=True):
            agree(got, want)
    for got, want in zip(tad.jit(tad.grad(ours, (0, 1)))(x, y), gradients, strict=True):
        agree(got, want)
    agree(tad.hessian(ours)(x, y), hessian)
    agree(tad.jit(tad.jacrev(tad.jacfwd(ours)))(x, y), hessian)
    batch = tad.vmap(tad.grad(ours))(np.stack([x, y]), np.stack([y, y]))
    agree(batch[0], gradients[0])
