"""The classifier on real digits: training, and the data that it never sees."""

import sys
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.compiled.jit import jit
from taglessad.demo import adam, digits, training
from taglessad.demo.classifier import Classifier, accuracy, initial, logits, loss
from taglessad.demo.digits import Digits
from taglessad.demo.training import Trained, train
from taglessad.errors import MissingExtra
from taglessad.trees import leaves


@pytest.fixture(name="data", scope="module")
def data_fixture() -> Digits:
    pytest.importorskip("sklearn.datasets", reason="the digits come with scikit-learn")
    return digits.load(0)


@pytest.fixture(name="trained", scope="module")
def trained_fixture(data: Digits) -> tuple[Trained, list[float]]:
    seen: list[float] = []
    return train(data, 0, seen.append), seen


def test_95_percent_of_the_held_out_digits_are_read_right(
    data: Digits, trained: tuple[Trained, list[float]]
) -> None:
    result, seen = trained
    assert result.test_accuracy >= 0.95
    assert result.good
    # By hand, from the model alone.
    m = result.model
    hidden = np.tanh(data.x_test @ np.asarray(m.w1) + np.asarray(m.b1))
    read = np.argmax(hidden @ np.asarray(m.w2) + np.asarray(m.b2), axis=1)
    assert result.test_accuracy == np.mean(read == data.y_test)
    assert result.test_size == len(data.y_test) == 360
    assert seen == result.losses
    assert len(seen) == training.steps(data)
    assert np.mean(seen[-20:]) < 0.05 < np.mean(seen[:20])


def test_a_seed_gives_the_same_run(data: Digits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "EPOCHS", 1)
    first, second, other = (train(data, seed, lambda _: None) for seed in (1, 1, 2))
    assert first.losses == second.losses
    assert first.losses != other.losses


def test_the_step_is_recorded_once(data: Digits, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0

    def counted(*args: Any) -> Any:
        nonlocal runs
        runs += 1
        return loss(*args)

    monkeypatch.setattr(training, "loss", counted)
    monkeypatch.setattr(training, "EPOCHS", 2)
    assert len(train(data, 0, lambda _: None).losses) == 44
    assert runs == 1


def test_too_few_right_are_not_good(trained: tuple[Trained, list[float]]) -> None:
    assert not trained[0]._replace(test_accuracy=0.9499).good


def test_the_held_out_digits_are_apart(data: Digits) -> None:
    datasets = pytest.importorskip("sklearn.datasets", reason="the digits come with scikit-learn")
    images, labels = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(1797)
    assert data.y.tolist() == labels[order[:1437]].tolist()
    assert data.y_test.tolist() == labels[order[1437:]].tolist()
    # Standardised by the training images alone; the constant pixels stay 0.
    used = images[order[:1437]].std(axis=0) > 0
    np.testing.assert_allclose(data.x.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(data.x.std(axis=0), used, atol=1e-12)
    assert not np.allclose(data.x_test.mean(axis=0), 0.0, atol=1e-3)


def test_without_scikit_learn_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(MissingExtra, match=r"pip install 'taglessad\[demo\]'"):
        digits.load(0)


def test_the_loss_is_the_mean_cross_entropy() -> None:
    model = initial(3)
    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(6, 64)), rng.integers(0, 10, 6)
    z = np.tanh(x @ np.asarray(model.w1) + np.asarray(model.b1)) @ np.asarray(model.w2)
    z = z + np.asarray(model.b2)
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.asarray(logits(model, tad.tensor(x))), z, rtol=1e-13)
    value = float(loss(model, tad.tensor(x), tad.tensor(labels)))
    assert value == pytest.approx(-np.mean(np.log(p[np.arange(6), labels])), rel=1e-13)
    share = float(accuracy(model, tad.tensor(x), tad.tensor(labels)))
    assert share == np.mean(z.argmax(axis=1) == labels)


def test_a_gradient_is_a_classifier() -> None:
    model = initial(0)
    x, labels = tad.ones((2, 64)), tad.tensor([1, 2])
    gradient = tad.grad(loss)(model, x, labels)
    assert isinstance(gradient, Classifier)
    assert [g.shape for g in leaves(gradient)] == [p.shape for p in leaves(model)]


def test_adam_is_the_papers_algorithm() -> None:
    x, m, v = np.asarray([1.0, -2.0]), np.zeros(2), np.zeros(2)
    state = adam.start(tad.tensor(x))
    step = jit(adam.step)
    for t in range(1, 6):
        g = 3.0 * x**2
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        x = x - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        state = step(state, 3.0 * state.model**2, 0.1)
        np.testing.assert_allclose(np.asarray(state.model), x, rtol=1e-12)
    assert float(state.steps) == 5.0
