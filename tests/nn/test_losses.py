"""Losses against PyTorch and their definitions; extreme arguments; errors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.nn import functional as nnf

RNG = np.random.default_rng(7)
P, T = RNG.standard_normal((4, 3)), RNG.standard_normal((4, 3))
LABELS = np.asarray([0, 2, 1, 1])
SHARES = np.exp(T) / np.exp(T).sum(-1, keepdims=True)
SHARES[0] = [0.0, 0.25, 0.75]
SIGNS = np.sign(T)

Pair = tuple[Callable[..., Any], str, np.ndarray, np.ndarray, dict[str, Any]]
PAIRS: dict[str, Pair] = {
    "mse": (nnf.mse, "mse_loss", P, T, {}),
    "l1": (nnf.l1, "l1_loss", P, T, {"reduction": "none"}),
    "huber": (nnf.huber, "huber_loss", P, T, {"reduction": "none"}),
    "cross_entropy": (nnf.cross_entropy, "cross_entropy", P, LABELS, {"reduction": "none"}),
    "nll": (nnf.nll, "nll_loss", P, LABELS, {"reduction": "none"}),
    "binary_cross_entropy": (
        nnf.binary_cross_entropy,
        "binary_cross_entropy_with_logits",
        P,
        SHARES,
        {"reduction": "none"},
    ),
    "cosine_similarity": (nnf.cosine_similarity, "cosine_similarity", P, T, {"dim": -1}),
}


@pytest.mark.parametrize("name", PAIRS)
def test_values_and_gradients_are_those_of_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs, p, t, options = PAIRS[name]
    a = torch.tensor(p, requires_grad=True)
    wanted = getattr(torch.nn.functional, theirs)(a, torch.tensor(t), **options)
    np.testing.assert_allclose(np.asarray(ours(p, t)), wanted.detach(), rtol=1e-12)
    weights = RNG.standard_normal(tuple(wanted.shape))
    (expected,) = torch.autograd.grad((wanted * torch.tensor(weights)).sum(), a)
    found = tad.grad(lambda p: tad.sum(ours(p, t) * weights))(p)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-10, atol=1e-14)


def test_huber_with_another_threshold() -> None:
    torch = pytest.importorskip("torch")
    wanted = torch.nn.functional.huber_loss(
        torch.tensor(P), torch.tensor(T), reduction="none", delta=0.3
    )
    np.testing.assert_allclose(np.asarray(nnf.huber(P, T, delta=0.3)), wanted, rtol=1e-12)


def test_kl_div_is_that_of_torch_summed_over_the_last_axis() -> None:
    torch = pytest.importorskip("torch")
    logs = np.asarray(nnf.log_softmax(P))
    a = torch.tensor(logs, requires_grad=True)
    wanted = torch.nn.functional.kl_div(a, torch.tensor(SHARES), reduction="none").sum(-1)
    np.testing.assert_allclose(np.asarray(nnf.kl_div(logs, SHARES)), wanted.detach(), rtol=1e-12)
    (expected,) = torch.autograd.grad(wanted.sum(), a)
    found = tad.grad(lambda p: tad.sum(nnf.kl_div(p, SHARES)))(logs)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)


def test_kl_div_of_what_cannot_occur() -> None:
    """A class of probability 0 in both contributes nothing, in value and gradient."""
    logs, target = np.asarray([[-np.inf, np.log(0.5), np.log(0.5)]]), np.asarray([[0.0, 0.5, 0.5]])
    value, g = tad.value_and_grad(lambda p: tad.sum(nnf.kl_div(p, target)))(logs)
    assert float(value) == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_array_equal(np.asarray(g), -target)


def test_hinge() -> None:
    wanted = np.maximum(0.0, 1.0 - SIGNS * P)
    np.testing.assert_array_equal(np.asarray(nnf.hinge(P, SIGNS)), wanted)
    g = tad.grad(lambda p: tad.sum(nnf.hinge(p, SIGNS)))(P)
    np.testing.assert_array_equal(np.asarray(g), np.where(wanted > 0, -SIGNS, 0.0))


def test_cosine_distance_and_vectors_of_length_0() -> None:
    wanted = 1 - np.sum(P * T, -1) / np.linalg.norm(P, axis=-1) / np.linalg.norm(T, axis=-1)
    np.testing.assert_allclose(np.asarray(nnf.cosine_distance(P, T)), wanted, rtol=1e-12)
    value, g = tad.value_and_grad(lambda p: tad.sum(nnf.cosine_distance(p, T)))(np.zeros((4, 3)))
    assert float(value) == 4.0
    assert np.isfinite(np.asarray(g)).all()


def test_one_value_for_each_example() -> None:
    assert nnf.mse(P, T).shape == ()
    for loss in (nnf.l1, nnf.huber, nnf.hinge, nnf.binary_cross_entropy):
        assert loss(P, T).shape == (4, 3)
    for loss in (nnf.kl_div, nnf.cosine_distance):
        assert loss(P, T).shape == (4,)
    for loss in (nnf.cross_entropy, nnf.nll):
        assert loss(P, LABELS).shape == (4,)
        assert loss(np.zeros((2, 5, 3)), np.zeros((2, 5), np.int64)).shape == (2, 5)


def test_float32_stays_float32() -> None:
    p, t = P.astype(np.float32), T.astype(np.float32)
    for loss in (nnf.mse, nnf.l1, nnf.huber, nnf.hinge, nnf.kl_div, nnf.cosine_distance):
        assert loss(p, t).dtype == np.float32
    assert nnf.cross_entropy(p, LABELS).dtype == np.float32


@pytest.mark.parametrize(
    "name", ["mse", "l1", "huber", "hinge", "binary_cross_entropy", "kl_div", "cosine_distance"]
)
def test_nothing_is_broadcast(name: str) -> None:
    message = rf"nn.functional.{name}: prediction \[4, 3\] and target \[3\] differ in shape"
    with pytest.raises(tad.ShapeError, match=message):
        getattr(nnf, name)(P, T[0])


def test_labels_that_are_none() -> None:
    with pytest.raises(tad.ShapeError, match=r"nll: log_probabilities \[4, 3\] and labels \[3\]"):
        nnf.nll(P, LABELS[:3])
    with pytest.raises(tad.IndexOutOfRange, match="nll: label 3 is out of range for 3 classes"):
        nnf.nll(P, [0, 1, 2, 3])
    with pytest.raises(tad.DTypeError, match="nll: labels have dtype float64"):
        nnf.nll(P, P[:, 0])


def test_labels_that_are_none_of_the_classes_are_not_silent_where_they_are_not_seen() -> None:
    scores, labels = np.arange(8.0).reshape(2, 4), np.asarray([1, 7])
    loss = tad.jit(nnf.cross_entropy)(scores, labels)
    np.testing.assert_allclose(loss[0], nnf.cross_entropy(scores[:1], labels[:1])[0])
    assert bool(tad.isnan(loss[1]))
    assert bool(tad.isnan(tad.jit(nnf.nll)(scores, -labels)[0]))


ACTIVATIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "leaky_relu": (nnf.leaky_relu, "leaky_relu"),
    "mish": (nnf.mish, "mish"),
    "soft_sign": (nnf.soft_sign, "softsign"),
    "glu": (nnf.glu, "glu"),
    "celu": (nnf.celu, "celu"),
    "selu": (nnf.selu, "selu"),
    "hard_silu": (nnf.hard_silu, "hardswish"),
    "hard_tanh": (nnf.hard_tanh, "hardtanh"),
    "relu6": (nnf.relu6, "relu6"),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_those_of_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = ACTIVATIONS[name]
    x = 3 * RNG.standard_normal((3, 4))
    a = torch.tensor(x, requires_grad=True)
    wanted = getattr(torch.nn.functional, theirs)(a)
    np.testing.assert_allclose(np.asarray(ours(x)), wanted.detach(), rtol=1e-12)
    (expected,) = torch.autograd.grad((wanted**2).sum(), a)
    found = tad.grad(lambda x: tad.sum(ours(x) ** 2))(x)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-10, atol=1e-14)


def test_hard_sigmoid_by_its_definition() -> None:
    """PyTorch's gradient has the digits of a float32 sixth."""
    x = np.linspace(-5, 5, 21)
    value = np.clip((x + 3) / 6, 0, 1)
    np.testing.assert_allclose(np.asarray(nnf.hard_sigmoid(x)), value, rtol=1e-15)
    g = tad.grad(lambda x: tad.sum(nnf.hard_sigmoid(x)))(x)
    np.testing.assert_allclose(np.asarray(g), np.where(np.abs(x) < 3, 1 / 6, 0.0), rtol=1e-15)


def test_an_axis_without_two_halves() -> None:
    with pytest.raises(tad.ShapeError, match=r"nn.functional.glu: axis -1 of \[4, 3\]"):
        nnf.glu(P)
