"""Models of `tad.nn`: trained, partly frozen, saved and taken up again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import nn, optim, trees

X = np.random.default_rng(1).standard_normal((16, 3)).astype(np.float32)
Y = np.tanh(X[:, 0] - X[:, 1]).astype(np.float32)


def model(seed: int = 0) -> Any:
    return nn.Sequential(
        nn.Linear(3, 8, rng=seed, dtype=tad.float32),
        nn.Tanh(),
        nn.Linear(8, 1, rng=seed + 1, dtype=tad.float32),
    )


def loss(model: Any, x: Any, y: Any) -> Any:
    return tad.mean((tad.squeeze(model(x), -1) - y) ** 2)


OPT = optim.chain(optim.clip_by_global_norm(1.0), optim.adamw(0.02))


@tad.jit
def step(model: Any, state: Any) -> Any:
    value, grads = tad.value_and_grad(loss)(model, X, Y)
    updates, state = OPT.update(grads, state, model)
    return value, optim.apply_updates(model, updates), state


def run(model: Any, state: Any, steps: int) -> Any:
    losses: list[float] = []
    for _ in range(steps):
        value, model, state = step(model, state)
        losses.append(float(value))
    return losses, model, state


def test_a_model_is_trained_in_its_own_class_and_dtype(tmp_path: Path) -> None:
    start = model()
    losses, trained, state = run(start, OPT.init(start), 30)
    assert type(trained) is type(start)
    assert losses[-1] < 0.5 * losses[0]
    assert {x.dtype for x in trees.leaves(trained)} == {np.dtype("float32")}
    tad.save(tmp_path / "model", {"model": trained, "state": state})
    back = tad.load(tmp_path / "model", like={"model": model(5), "state": OPT.init(model(5))})
    assert back["model"] == trained
    more, _, _ = run(trained, state, 5)
    again, _, _ = run(back["model"], back["state"], 5)
    assert more == again


def test_a_model_of_another_shape_is_refused(tmp_path: Path) -> None:
    tad.save(tmp_path / "model", model())
    wider = nn.Sequential(nn.Linear(3, 9, rng=0), nn.Tanh(), nn.Linear(9, 1, rng=0))
    with pytest.raises(tad.ShapeError, match=r"layers\[0\]\.w is float32 \[3, 8\] in the"):
        tad.load(tmp_path / "model", like=wider)


def test_a_frozen_layer_stays() -> None:
    start = model()
    # Paths count, not classes: a dict and a tuple stand for the model.
    opt = optim.chain(optim.adam(0.1), optim.freeze({"layers": (True, True, False)}))
    grads = tad.grad(loss)(start, X, Y)
    updates, _ = opt.update(grads, opt.init(start), start)
    after = optim.apply_updates(start, updates)
    assert after.layers[0] == start.layers[0]
    assert after.layers[2] != start.layers[2]


def test_only_the_part_that_wrt_names() -> None:
    start = model()
    opt = optim.adam(0.1)
    path = "model.layers[2].w"
    part = {path: start.layers[2].w}
    state = opt.init(part)
    grads = tad.grad(loss, wrt=[path])(start, X, Y)
    updates, state = opt.update(grads, state, part)
    moved = optim.apply_updates(part, updates)[path]
    after = trees.replace(start, "layers[2].w", moved)
    assert float(loss(after, X, Y)) != float(loss(start, X, Y))
    assert after.layers[0] == start.layers[0]


def test_the_best_model_by_scipy() -> None:
    pytest.importorskip("scipy")
    start = model()
    found = optim.minimize(lambda m: loss(m, X, Y), start, options={"maxiter": 20})
    assert type(found.x) is type(start)
    assert found.fun < 0.3 * float(loss(start, X, Y))
