"""Optimisers are programs: of any tree, in jit, under vmap, differentiated through."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import nn, optim, trees

EACH = {
    "sgd": optim.sgd(0.1, momentum=0.9, nesterov=True),
    "adam": optim.adam(0.1),
    "adamw": optim.adamw(0.1),
    "rmsprop": optim.rmsprop(0.1, centered=True, initial_scale=1.0),
    "adagrad": optim.adagrad(0.1),
    "lion": optim.lion(0.1),
    "scheduled": optim.chain(
        optim.clip_by_global_norm(1.0), optim.adam(optim.cosine_decay_schedule(0.1, 20))
    ),
}


@dataclass(frozen=True)
class Layer:
    w: Any
    b: Any
    name: str = field(default="layer", metadata={"static": True})


def model(seed: int = 0, dtype: Any = np.float64) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "first": Layer(
            tad.asarray(rng.standard_normal((2, 3)).astype(dtype)), tad.zeros(3, dtype=dtype)
        ),
        "rest": (tad.asarray(rng.standard_normal(3).astype(dtype)), None),
    }


X = np.random.default_rng(9).standard_normal((8, 2))
Y = np.sin(X[:, 0]) + X[:, 1]


def loss(m: Any) -> Any:
    layer = m["first"]
    return tad.mean((tad.tanh(X @ layer.w + layer.b) @ m["rest"][0] - Y) ** 2)


def step(opt: optim.GradientTransformation, m: Any, state: Any) -> Any:
    updates, state = opt.update(tad.grad(loss)(m), state, m)
    return optim.apply_updates(m, updates), state


def leaves(t: Any) -> list[np.ndarray]:
    return [np.asarray(x) for x in trees.leaves(t)]


def same(a: Any, b: Any, rtol: float = 0.0) -> None:
    for x, y in zip(leaves(a), leaves(b), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("name", EACH)
def test_it_goes_downhill_and_in_jit_the_same_way(name: str) -> None:
    opt = EACH[name]
    m, state = model(), opt.init(model())
    compiled = tad.jit(lambda m, s: step(opt, m, s))
    n, other = m, state
    before = float(loss(m))
    for _ in range(20):
        m, state = step(opt, m, state)
        n, other = compiled(n, other)
    assert type(m["first"]) is Layer and m["rest"][1] is None
    same(m, n, rtol=1e-10)
    same(state, other, rtol=1e-10)
    assert float(loss(m)) < 0.8 * before


@pytest.mark.parametrize("name", EACH)
def test_float32_stays_float32(name: str) -> None:
    opt = EACH[name]
    m = model(dtype=np.float32)
    state = opt.init(m)
    grads = model(seed=1, dtype=np.float32)
    for _ in range(2):
        updates, state = opt.update(grads, state, m)
        m = optim.apply_updates(m, updates)
    for tree in (updates, m, state):
        assert {x.dtype for x in leaves(tree)} <= {np.dtype("float32"), np.dtype("int64")}


@pytest.mark.parametrize("rate", [np.float64(0.1), np.array(0.1), tad.tensor(0.1), 1])
def test_rates_of_other_dtypes_change_no_dtype(rate: Any) -> None:
    m = np.ones(3, np.float32)
    for opt in (optim.adam(rate, b1=rate), optim.sgd(lambda count: rate, momentum=rate)):
        updates, state = opt.update(m, opt.init(m), m)
        assert updates.dtype == tad.float32
        assert {x.dtype for x in leaves(state)} <= {np.dtype("float32"), np.dtype("int64")}


def test_a_batch_of_trainings() -> None:
    opt = optim.adam(0.1)

    def trained(w: Any) -> Any:
        f = lambda w: tad.sum((w - 3.0) ** 2)
        state = opt.init(w)
        for _ in range(3):
            updates, state = opt.update(tad.grad(f)(w), state, w)
            w = optim.apply_updates(w, updates)
        return w

    starts = np.random.default_rng(0).standard_normal((4, 2))
    together = np.asarray(tad.vmap(trained)(starts))
    alone = np.stack([np.asarray(trained(tad.asarray(w))) for w in starts])
    np.testing.assert_allclose(together, alone, rtol=1e-14)


@pytest.mark.parametrize(
    "make",
    [
        lambda h: optim.sgd(h, momentum=0.9),
        lambda h: optim.sgd(0.05, momentum=h),
        lambda h: optim.adam(h),
        lambda h: optim.adam(0.05, b1=h, b2=h + 0.5),
        lambda h: optim.adamw(0.05, weight_decay=h),
        lambda h: optim.rmsprop(0.05, decay=h + 0.5),
        lambda h: optim.adagrad(0.05, initial_accumulator_value=h),
        lambda h: optim.sgd(optim.exponential_decay(h, 2, 0.5)),
        lambda h: optim.sgd(optim.warmup_cosine_decay_schedule(0.0, h, 1, 4)),
        lambda h: optim.chain(optim.clip_by_global_norm(h), optim.sgd(0.1)),
    ],
)
def test_derivatives_pass_through_the_training(make: Any) -> None:
    def after(h: Any) -> Any:
        opt = make(h)
        m = model()
        state = opt.init(m)
        for _ in range(3):
            m, state = step(opt, m, state)
        return loss(m)

    at, h = 0.3, 1e-6
    slope = float(tad.grad(after)(at))
    found = (float(after(at + h)) - float(after(at - h))) / (2 * h)
    assert slope == pytest.approx(found, rel=1e-6, abs=1e-9)
    assert slope != 0


def test_a_training_as_one_scan() -> None:
    def after(rate: Any) -> Any:
        opt = optim.chain(optim.clip_by_global_norm(1.0), optim.adam(rate))
        start = model()
        trip = lambda carry, _: (step(opt, *carry), loss(carry[0]))
        (m, _), losses = tad.scan(trip, (start, opt.init(start)), length=4)
        return loss(m), losses

    def unrolled(rate: Any) -> Any:
        opt = optim.chain(optim.clip_by_global_norm(1.0), optim.adam(rate))
        m = model()
        state, losses = opt.init(m), []
        for _ in range(4):
            losses.append(loss(m))
            m, state = step(opt, m, state)
        return loss(m), tad.stack(losses)

    slope, losses = tad.jit(tad.grad(after, has_aux=True))(0.1)
    want, by_hand = tad.grad(unrolled, has_aux=True)(0.1)
    np.testing.assert_allclose(np.asarray(losses), np.asarray(by_hand), rtol=1e-12)
    assert float(slope) == pytest.approx(float(want), rel=1e-10)


def test_frozen_parts_are_none_in_the_gradient() -> None:
    m = model()
    w = m["first"].w
    grads = {"first": Layer(w, None), "rest": (None, None)}
    for opt in EACH.values():
        state = opt.init(m)
        for _ in range(2):
            updates, state = opt.update(grads, state, m)
        moved = optim.apply_updates(m, updates)
        assert updates["first"].b is None and updates["rest"][0] is None
        assert np.all(np.asarray(moved["first"].w) != np.asarray(w))
        same(moved["first"].b, m["first"].b)
        same(moved["rest"], m["rest"])


def test_a_part_named_by_wrt() -> None:
    def of(first: Layer, rest: Any) -> Any:
        return loss({"first": first, "rest": rest})

    m = model()
    opt = optim.adam(0.1)
    part = {"first.w": m["first"].w}
    grads = tad.grad(of, wrt=["first.w"])(m["first"], m["rest"])
    updates, _ = opt.update(grads, opt.init(part), part)
    moved = optim.apply_updates(part, updates)
    assert moved["first.w"].shape == (2, 3)
    assert np.all(np.asarray(moved["first.w"]) != np.asarray(m["first"].w))


def test_masks() -> None:
    m = model()
    mask = {"first": True, "rest": False}  # a bool stands for all below it
    opt = optim.chain(
        optim.masked(optim.adam(0.1), mask), optim.freeze({"first": False, "rest": True})
    )
    state = opt.init(m)
    updates, state = opt.update(model(1), state, m)
    moved = optim.apply_updates(m, updates)
    same(moved["rest"], m["rest"])
    assert np.all(np.asarray(moved["first"].w) != np.asarray(m["first"].w))
    inner = state[0].inner_state[0]
    assert inner.mu["rest"] == (None, None)


# Each with the state that it makes, as update expects it.
STATEFUL = {
    "trace": (optim.trace(0.9), "TraceState"),
    "scale_by_adam": (optim.scale_by_adam(), "ScaleByAdamState"),
    "scale_by_rms": (optim.scale_by_rms(), "ScaleByRmsState"),
    "scale_by_stddev": (optim.scale_by_stddev(), "ScaleByStddevState"),
    "scale_by_rss": (optim.scale_by_rss(), "ScaleByRssState"),
    "scale_by_lion": (optim.scale_by_lion(), "ScaleByLionState"),
    "scale_by_schedule": (optim.scale_by_schedule(lambda n: 1.0), "ScaleByScheduleState"),
    "masked": (optim.masked(optim.scale(1.0), lambda p: {"a": True}), "MaskedState"),
    "scale": (optim.scale(1.0), "()"),
    "add_decayed_weights": (optim.add_decayed_weights(0.1), "()"),
    "clip": (optim.clip(1.0), "()"),
    "clip_by_global_norm": (optim.clip_by_global_norm(1.0), "()"),
    "identity": (optim.identity(), "()"),
    "set_to_zero": (optim.set_to_zero(), "()"),
    "chain": (optim.adam(0.1), "a tuple of 2, one of each part"),
}


@pytest.mark.parametrize("name", STATEFUL)
def test_arguments_of_update_in_another_order(name: str) -> None:
    transformation, own = STATEFUL[name]
    params = {"a": np.ones(2)}
    grads, state = {"a": np.ones(2)}, transformation.init(params)
    said = (
        f"optim.{name}: update(grads, state, params): the second argument is a dict, not a state of "
        f"this optimiser ({own}), which init(params) and update give"
    )
    for arguments in ((state, grads, params), (grads, params, state)):
        with pytest.raises(tad.ArgumentError) as caught:
            transformation.update(*arguments)
        assert caught.value.message == said
    updates, _ = transformation.update(grads, state, params)
    assert optim.apply_updates(params, updates)["a"].shape == (2,)


def test_a_model_in_place_of_the_state() -> None:
    layer = nn.Linear(2, 1, rng=0)
    opt = optim.adam(0.1)
    with pytest.raises(tad.ArgumentError, match="second argument is a Linear, not a state of this"):
        opt.update(layer, layer, opt.init(layer))


WRONG: list[tuple[Any, type[Exception], str]] = [
    (
        lambda: optim.apply_updates({"a": np.ones(2)}, {"a": np.ones(3)}),
        tad.ShapeError,
        r"optim.apply_updates: at a updates have shape \[3\] and params \[2\]",
    ),
    (
        lambda: optim.apply_updates({"a": 1.0}, {"b": 1.0}),
        tad.ArgumentError,
        "updates have a leaf at b, where params have none; those of params are at: a",
    ),
    (
        lambda: optim.apply_updates({"a": 1}, {"a": 1.0}),
        tad.DTypeError,
        "params at a has dtype int64",
    ),
    (
        lambda: optim.adamw(0.1).update(1.0, optim.adamw(0.1).init(1.0)),
        tad.ArgumentError,
        r"update\(grads, state, params\) needs the parameters",
    ),
    (
        lambda: optim.adam(0.1).update(1.0, optim.sgd(0.1).init(1.0)),
        tad.ArgumentError,
        r"optim.chain: .* is a tuple of 1, not a state of this optimiser \(a tuple of 2",
    ),
    (
        lambda: optim.apply_updates({"a": None, "b": 1.0}, {"a": 1.0, "b": 1.0}),
        tad.ArgumentError,
        r"leaf at a, where params have none; .*; the order is apply_updates\(params, updates\)",
    ),
    (
        lambda: optim.masked(optim.sgd(0.1), {"a": True}).init({"a": 1.0, "b": 1.0}),
        tad.ArgumentError,
        "the mask says nothing of b",
    ),
    (
        lambda: optim.masked(optim.sgd(0.1), {"a": 1.0}).init({"a": 1.0}),
        tad.ArgumentError,
        "the mask at a is 1.0",
    ),
    (lambda: optim.linear_schedule(1.0, 0.0, 0), tad.ArgumentError, "must be positive"),
    (
        lambda: optim.warmup_cosine_decay_schedule(0.0, 1.0, 5, 5),
        tad.ArgumentError,
        "0 < warmup_steps < decay_steps",
    ),
    (
        lambda: optim.join_schedules([optim.constant_schedule(1.0)], [3]),
        tad.ArgumentError,
        "1 schedules need 0 boundaries",
    ),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_misuse(case: int) -> None:
    f, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        f()
