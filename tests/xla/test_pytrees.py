"""Handles, models and optimiser states as JAX's trees; optax and orbax with models as they are."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import nn, optim, trees

jax = pytest.importorskip("jax")
jnp = jax.numpy
from taglessad.interpreters import Jax  # noqa: E402

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(6, 2)
Y = np.asarray([0, 1, 2, 0, 1, 2])


def classifier() -> nn.Sequential:
    model = nn.Sequential(nn.Linear(2, 8, rng=0), nn.Tanh(), nn.Linear(8, 3, rng=1))
    return trees.map(lambda t: t.astype(np.float32), model)


def wide() -> nn.Sequential:
    """In float64: Adam makes much of a gradient that is next to nothing."""
    return trees.map(lambda t: t.astype(np.float64), classifier())


def loss(model: Any, x: Any, y: Any) -> Any:
    return tad.mean(nn.functional.cross_entropy(model(x), y))


def leaves(tree: Any) -> list[np.ndarray]:
    return [np.asarray(x) for x in jax.tree.leaves(tree)]


def close(got: Any, want: Any, rtol: float = 1e-5) -> None:
    for a, b in zip(leaves(got), leaves(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)


Jax()  # which registers the classes


def test_a_model_is_a_tree_of_arrays() -> None:
    model = classifier()
    assert len(jax.tree.leaves(model)) == 4
    doubled = jax.tree.map(lambda x: 2 * x, model)
    assert type(doubled) is nn.Sequential and isinstance(doubled.layers[0].w, tad.Tensor)
    np.testing.assert_array_equal(doubled.layers[2].w, 2 * np.asarray(model.layers[2].w))
    paths = [jax.tree_util.keystr(p) for p, _ in jax.tree_util.tree_flatten_with_path(model)[0]]
    assert paths[0].startswith(".layers[0].w")
    assert jax.tree.structure(model) == jax.tree.structure(doubled)
    assert jax.tree.structure(model) != jax.tree.structure(nn.Sequential(nn.Linear(2, 3, rng=0)))


def test_other_leaves_are_kept() -> None:
    shapes = jax.tree.map(lambda x: str(x.shape), classifier())
    assert jax.tree.leaves(shapes)[0] == "(2, 8)"
    assert jax.tree.leaves(jax.tree.map(lambda _: None, classifier())) == []


def test_models_go_through_jit_of_jax() -> None:
    model = classifier()

    @jax.jit
    def step(model: Any, x: Any) -> Any:
        g = tad.grad(loss)(model, x, Y)
        return jax.tree.map(lambda p, d: p - 0.1 * d, model, g)

    after = step(model, X)
    assert type(after) is nn.Sequential
    g = tad.grad(loss)(model, X, Y)
    close(after, trees.map(lambda p, d: p - np.float32(0.1) * d, model, g))
    weak = jax.jit(lambda t: t)(tad.asarray(2.0))
    assert (weak * X).dtype == np.float32 and float(weak) == 2.0


def test_our_jit_inside_theirs_and_theirs_inside_ours() -> None:
    model = classifier()
    ours = tad.jit(tad.grad(loss))
    close(jax.jit(lambda m, x: ours(m, x, Y))(model, X), tad.grad(loss)(model, X, Y))

    def program(x: Any) -> Any:
        return tad.asarray(jax.jit(jnp.tanh)(tad.to_jax(x))) * 2.0

    np.testing.assert_allclose(tad.jit(program, Jax())(X), 2 * np.tanh(X), rtol=1e-6)
    np.testing.assert_allclose(
        tad.jit(lambda x: tad.jit(tad.sin, Jax())(x) + x, Jax())(X), np.sin(X) + X, rtol=1e-6
    )


def test_our_own_optimiser_as_one_computation() -> None:
    optimiser = optim.adam(0.05)

    def step(model: Any, state: Any) -> Any:
        updates, state = optimiser.update(tad.grad(loss)(model, X, Y), state, model)
        return optim.apply_updates(model, updates), state

    def trained(step: Any) -> Any:
        model = wide()
        state = optimiser.init(model)
        for _ in range(5):
            model, state = step(model, state)
        return model, state

    expected = trained(step)
    close(trained(tad.jit(step, Jax(), donate_argnums=(0, 1))), expected, rtol=1e-10)
    with jax.enable_x64(True):
        close(trained(jax.jit(step)), expected, rtol=1e-10)


def test_optax() -> None:
    optax = pytest.importorskip("optax")
    theirs, ours = optax.adam(0.05), optim.adam(0.05)
    model = other = wide()
    own = ours.init(other)
    with jax.enable_x64(True):
        state = theirs.init(model)

    @jax.jit
    def step(model: Any, state: Any) -> Any:
        value, g = tad.value_and_grad(loss)(model, X, Y)
        updates, state = theirs.update(g, state, model)
        return optax.apply_updates(model, updates), state, value

    values = []
    for _ in range(10):
        with jax.enable_x64(True):
            model, state, value = step(model, state)
        values.append(float(value))
        updates, own = ours.update(tad.grad(loss)(other, X, Y), own, other)
        other = optim.apply_updates(other, updates)
    assert type(model) is nn.Sequential
    assert values[-1] < values[0]
    close(model, other, rtol=1e-10)


def test_orbax(tmp_path: Path) -> None:
    """Killed after three steps and restored, training goes on as if it had not been."""
    checkpoint = pytest.importorskip("orbax.checkpoint")
    optax = pytest.importorskip("optax")
    optimiser = optax.adam(0.05)

    @jax.jit
    def step(training: Any) -> Any:
        model, state = training
        updates, state = optimiser.update(tad.grad(loss)(model, X, Y), state, model)
        return optax.apply_updates(model, updates), state

    start = (classifier(), optimiser.init(classifier()))
    training = start
    for _ in range(3):
        training = step(training)
    with checkpoint.StandardCheckpointer() as files:
        files.save(tmp_path / "three", training)
        files.wait_until_finished()
        restored = files.restore(tmp_path / "three", start)
    assert type(restored[0]) is nn.Sequential
    for a, b in zip(leaves(step(restored)), leaves(step(training)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_random_keys_give_the_same_numbers() -> None:
    draw = lambda key: tad.random.normal(key, (5,))
    key = tad.random.key(3)
    words = lambda key: tad.random.bits(key, (7,))
    np.testing.assert_array_equal(tad.jit(words, Jax())(key), words(key))
    np.testing.assert_allclose(tad.jit(draw, Jax())(key), draw(key), rtol=1e-13)
    own, _ = tad.jit(lambda k: tad.random.split(k), Jax())(key)
    np.testing.assert_array_equal(own, tad.random.split(key)[0])


def test_rules_of_ones_own_under_vmap() -> None:
    @tad.custom_vjp
    def halved(x: Any) -> Any:
        return tad.sin(x)

    halved.defvjp(lambda x: (tad.sin(x), x), lambda x, g: (0.5 * g * tad.cos(x),))
    f = lambda x: tad.vmap(tad.grad(halved))(x)
    np.testing.assert_allclose(tad.jit(f, Jax())(X[:, 0]), 0.5 * np.cos(X[:, 0]), rtol=1e-6)
    inside = jax.vmap(lambda x: tad.to_jax(tad.grad(halved)(x)))(X[:, 0])
    np.testing.assert_allclose(inside, 0.5 * np.cos(X[:, 0]), rtol=1e-6)


def test_on_a_device() -> None:
    device = jax.devices()[-1]
    y = tad.interpret(tad.sin, Jax(device))(X)
    assert y.payload.devices() == {device}


def test_derivatives_of_jax_around_programs() -> None:
    """Values and first derivatives of JAX's own, through loops too."""
    scanned = lambda x: tad.to_jax(
        tad.scan(lambda c, k: (tad.sin(c * x) * k, None), x, np.ones(3, np.float32))[0]
    )
    by_us = tad.grad(lambda x: tad.scan(lambda c, k: (tad.sin(c * x) * k, None), x, np.ones(3))[0])
    np.testing.assert_allclose(jax.grad(scanned)(0.7), by_us(0.7), rtol=1e-5)
    looped = lambda x: tad.to_jax(tad.while_loop(lambda c: c < 9.0, lambda c: c * x, x))
    np.testing.assert_allclose(jax.jvp(looped, (2.0,), (1.0,))[1], 32.0, rtol=1e-6)
    np.testing.assert_allclose(jax.grad(looped)(2.0), 32.0, rtol=1e-6)
    slope = lambda x: tad.to_jax(
        tad.grad(lambda t: tad.while_loop(lambda c: c < 9.0, lambda c: c * t, t))(x)
    )
    np.testing.assert_allclose(jax.jvp(slope, (2.0,), (1.0,))[1], 48.0, rtol=1e-6)


BLOCKED = """
import sys


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("jax", "jaxlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Blocker())
import numpy as np

import taglessad as tad
from taglessad import errors, nn, optim

model = nn.Linear(2, 1, rng=0)
g = tad.jit(tad.grad(lambda m, x: tad.sum(m(x))))(model, np.ones((3, 2)))
np.testing.assert_array_equal(g.b, [3.0])
for use in (
    lambda: getattr(tad, "to_jax"),
    lambda: tad.export(tad.sin),
    lambda: tad.load_exported(b""),
    lambda: __import__("taglessad.interpreters", fromlist=["Jax"]).Jax,
):
    try:
        use()
    except errors.MissingExtra as error:
        assert "pip install 'taglessad[jax]'" in str(error), error
    else:
        raise SystemExit(f"{use} says nothing")
"""


def test_without_jax_everything_else_works() -> None:
    subprocess.run([sys.executable, "-c", BLOCKED], check=True)


def test_trees_of_jax_inside_our_transforms() -> None:
    doubled = lambda tree: jax.tree.map(lambda a: a * 2.0, tree)
    np.testing.assert_array_equal(tad.jit(doubled)(np.ones(3)), [2, 2, 2])
    assert float(tad.scan(lambda c, _: (doubled(c), None), 1.0, None, length=2)[0]) == 4.0
    assert float(tad.while_loop(lambda c: c < 10.0, doubled, 1.0)) == 16.0
    total = lambda tree: sum(tad.sum(leaf * leaf) for leaf in jax.tree.leaves(doubled(tree)))
    g = tad.grad(total)({"a": np.ones(2), "b": 2.0})
    np.testing.assert_array_equal(g["a"], [8, 8])
    assert float(g["b"]) == 16.0


def test_trees_of_jax_with_other_leaves_than_arrays() -> None:
    model = nn.Linear(3, 2, rng=0)
    nothing = jax.tree.map(lambda w: None, model)
    assert repr(nothing) == "Linear(w=Tensor(None), b=Tensor(None))"
    mask = jax.tree.map(lambda w: True, model)
    assert jax.tree.structure(mask) == jax.tree.structure(model)


def test_optimisers_of_optax_inside_our_jit() -> None:
    optax = pytest.importorskip("optax")
    model, x = nn.Linear(3, 2, rng=0, dtype=tad.float32), np.ones(3, np.float32)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.1))

    def step(model: Any, state: Any, x: Any) -> Any:
        g = tad.grad(lambda model: tad.sum(model(x) ** 2))(model)
        updates, state = optimiser.update(g, state, model)
        return optax.apply_updates(model, updates), state

    ours, _ = tad.jit(step, Jax())(model, optimiser.init(model), x)
    theirs, _ = jax.jit(step)(model, optimiser.init(model), x)
    np.testing.assert_allclose(ours.w, theirs.w, rtol=1e-4)
    assert np.max(np.abs(tad.to_numpy(ours.w) - tad.to_numpy(model.w))) > 0.05
