"""Optimisers and schedules step by step against optax, in 64 bits."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import optim

jax = pytest.importorskip("jax")
optax = pytest.importorskip("optax")

STEPS = 6


@pytest.fixture(autouse=True)
def _in_64_bits() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def tree(rng: np.random.Generator) -> dict[str, Any]:
    """Of one shape: JAX compiles each operation once for each."""
    return {"w": rng.standard_normal(3), "b": [rng.standard_normal(3), rng.standard_normal(3)]}


def flat(t: Any) -> np.ndarray:
    return np.concatenate([np.ravel(np.asarray(x)) for x in [t["w"], *t["b"]]])


def wide(schedule: Any) -> Any:
    """optax counts in int32, of which exponential_decay makes a float32 rate."""
    return lambda count: schedule(count.astype("int64"))


# One expression for both libraries: `o` is taglessad.optim or optax.
SCHEDULES: dict[str, Callable[[Any], Any]] = {
    "constant": lambda o: o.constant_schedule(0.3),
    "linear": lambda o: o.linear_schedule(1.0, 0.1, 5, 2),
    "polynomial": lambda o: o.polynomial_schedule(1.0, 0.1, 2.5, 6),
    "exponential": lambda o: o.exponential_decay(0.5, 3, 0.7),
    "exponential, staircase": lambda o: o.exponential_decay(0.5, 3, 0.7, 2, True, 0.2),
    "exponential, growing": lambda o: o.exponential_decay(0.5, 3, 1.5, 0, False, 0.9),
    "cosine": lambda o: o.cosine_decay_schedule(0.5, 8, 0.1, 1.5),
    "warmup": lambda o: o.warmup_cosine_decay_schedule(0.0, 0.5, 3, 9, 0.05),
    "piecewise": lambda o: o.piecewise_constant_schedule(0.5, {7: 0.1, 3: 0.5}),
    "join": lambda o: o.join_schedules(
        [o.linear_schedule(0.0, 1.0, 3), o.exponential_decay(1.0, 2, 0.5)], [4]
    ),
}

OPTIMISERS: dict[str, Callable[[Any], Any]] = {
    "sgd": lambda o: o.sgd(0.1),
    "sgd, momentum": lambda o: o.sgd(0.1, 0.9),
    "sgd, nesterov": lambda o: o.sgd(0.1, 0.9, True),
    "sgd, schedule": lambda o: o.sgd(wide(o.exponential_decay(0.5, 3, 0.7)), 0.9),
    "adam": lambda o: o.adam(0.1),
    "adam, tuned": lambda o: o.adam(0.1, 0.8, 0.95, 1e-3, 1e-4),
    "adamw": lambda o: o.adamw(0.1, weight_decay=0.01),
    "adamw, mask": lambda o: o.adamw(0.1, weight_decay=0.1, mask={"w": True, "b": [False, False]}),
    "rmsprop": lambda o: o.rmsprop(0.1),
    "rmsprop, outside": lambda o: o.rmsprop(0.1, 0.95, 1e-4, 0.2, False),
    "rmsprop, centered": lambda o: o.rmsprop(0.1, initial_scale=0.5, centered=True, momentum=0.8),
    "rmsprop, nesterov": lambda o: o.rmsprop(0.1, momentum=0.8, nesterov=True),
    "adagrad": lambda o: o.adagrad(0.1),
    "lion": lambda o: o.lion(0.1, weight_decay=0.02),
    "clip": lambda o: o.chain(o.clip(0.4), o.sgd(0.1)),
    "global norm": lambda o: o.chain(o.clip_by_global_norm(1.5), o.adam(0.1)),
    "masked": lambda o: o.chain(
        o.masked(o.adam(0.1), lambda p: {"w": True, "b": [True, False]}), o.scale(2.0)
    ),
    "frozen": lambda o: o.chain(
        o.sgd(0.1, 0.5), o.masked(o.set_to_zero(), {"w": False, "b": [True, True]})
    ),
    "decay, schedule": lambda o: o.chain(
        o.add_decayed_weights(0.1),
        o.scale_by_schedule(o.cosine_decay_schedule(1.0, 8)),
        o.identity(),
        o.scale_by_learning_rate(0.1),
    ),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(name: str) -> None:
    ours, theirs = SCHEDULES[name](optim), SCHEDULES[name](optax)
    for count in range(14):
        want = float(theirs(count))
        assert float(ours(count)) == pytest.approx(want, rel=1e-12, abs=1e-15)
        assert float(ours(tad.asarray(count))) == float(ours(count))


@pytest.mark.parametrize("name", OPTIMISERS)
def test_optimisers(name: str) -> None:
    ours, theirs = OPTIMISERS[name](optim), OPTIMISERS[name](optax)
    rng = np.random.default_rng(0)
    p = tree(rng)
    q = jax.tree.map(jax.numpy.asarray, p)
    s, t = ours.init(p), theirs.init(q)

    for _ in range(STEPS):
        g = tree(rng)
        u, s = ours.update(g, s, p)
        p = optim.apply_updates(p, u)
        v, t = theirs.update(jax.tree.map(jax.numpy.asarray, g), t, q)
        q = optax.apply_updates(q, v)
        np.testing.assert_allclose(flat(u), flat(v), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(flat(p), flat(q), rtol=1e-12, atol=1e-12)


def test_global_norm() -> None:
    g = tree(np.random.default_rng(1))
    assert float(optim.global_norm(g)) == pytest.approx(float(optax.tree.norm(g)), rel=1e-14)


def test_the_same_steps_when_jax_computes_them() -> None:
    opt = optim.chain(
        optim.clip_by_global_norm(1.0), optim.adam(optim.cosine_decay_schedule(0.1, 10))
    )

    def trained(w: Any) -> Any:
        state = opt.init(w)
        for _ in range(2):
            grads = tad.grad(lambda w: tad.sum((w - 3.0) ** 2))(w)
            updates, state = opt.update(grads, state, w)
            w = optim.apply_updates(w, updates)
        return w

    w = np.arange(3.0)
    there = np.asarray(tad.interpret(trained, tad.interpreters.Jax())(w))
    np.testing.assert_allclose(there, np.asarray(trained(tad.asarray(w))), rtol=1e-13)
