"""Transforms of models: the numbers of TorchLean's chapter on differentiation, and more.

The chapter's affine model is y = W x + b with W [3, 2]; here w is [2, 3] and y = x w + b, so its
matrices stand transposed. All parameters are 0.1.
"""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import nn
from taglessad.nn import functional as nnf
from taglessad.trees import leaves
from taglessad.trees import map as tree_map

X, TARGET = np.asarray([0.5, -1.2]), np.asarray([0.7, 0.1, -0.5])


def model(value: float = 0.1) -> nn.Linear[Any, Any]:
    return tree_map(lambda w: tad.full(w.shape, value), nn.Linear(2, 3, rng=0))  # type: ignore[no-any-return]


def loss(m: Any, x: Any) -> tad.Tensor:
    return nnf.mse(m(x), TARGET)


def shown(m: Any, w: Any, b: Any) -> None:
    np.testing.assert_allclose(np.asarray(m.w).T, w, atol=5e-7)
    np.testing.assert_allclose(np.asarray(m.b), b, atol=5e-7)


def apply(m: Any, x: Any) -> Any:
    return m(x)


def test_parameters_and_input_from_one_pass() -> None:
    state, x_bar = tad.vjp(apply, argnums=(0, 1))(model(), X, np.ones(3))
    assert type(state) is nn.Linear
    shown(state, [[0.5, -1.2]] * 3, [1, 1, 1])
    np.testing.assert_allclose(np.asarray(x_bar), [0.3, 0.3], atol=5e-7)
    y, pullback = tad.vjp(apply, model(), tad.tensor(X))
    np.testing.assert_allclose(np.asarray(y), [0.03] * 3, atol=1e-12)
    again, _ = pullback(np.ones(3))
    assert again == state


def test_loss_and_gradient() -> None:
    value, g = tad.value_and_grad(loss)(model(), X)
    assert float(value) == pytest.approx(0.2449, abs=5e-7)
    shown(
        g,
        [[-0.223333, 0.536], [-0.023333, 0.056], [0.176667, -0.424]],
        [-0.446667, -0.046667, 0.353333],
    )


def test_directional_derivative() -> None:
    along = tad.jvp(loss)(model(), X, model())
    assert float(along) == pytest.approx(-0.0042, abs=5e-7)
    y, tangent = tad.jvp(lambda m: loss(m, X), (model(),), (model(),))
    assert float(tangent) == float(along)


def test_hessian_vector_product() -> None:
    hv = tad.hvp(loss)(model(), X, model())
    assert type(hv) is nn.Linear
    shown(hv, [[0.01, -0.024]] * 3, [0.02] * 3)


def test_a_detached_output_keeps_the_loss_and_stops_the_gradient() -> None:
    def detached(m: Any, x: Any) -> tad.Tensor:
        return nnf.mse(tad.detach(m(x)), TARGET)

    value, g = tad.value_and_grad(detached)(model(), X)
    assert float(value) == pytest.approx(0.2449, abs=5e-7)
    shown(g, np.zeros((3, 2)), np.zeros(3))


def test_jacobian_of_a_model() -> None:
    j = tad.jacrev(apply)(model(), X)
    assert type(j) is nn.Linear
    wanted = np.zeros((3, 2, 3))
    for i in range(3):
        wanted[i, :, i] = X
    np.testing.assert_allclose(np.asarray(j.w), wanted, atol=1e-12)
    np.testing.assert_allclose(np.asarray(j.b), np.eye(3), atol=1e-12)
    forward = tad.jacfwd(apply)(model(), X)
    np.testing.assert_allclose(np.asarray(forward.w), wanted, atol=1e-12)
    inputs = tad.jacrev(apply, argnums=1)(model(), X)
    np.testing.assert_allclose(np.asarray(inputs), np.full((3, 2), 0.1), atol=1e-12)


def test_derivatives_of_order_k_along_directions() -> None:
    layer = nn.Sequential(nn.Tanh())
    first, second = np.asarray([1.0, 0.0]), np.asarray([0.0, 1.0])
    derivative = tad.derivative(lambda x: layer(x))
    mixed = derivative(np.zeros(2), [first, second])
    np.testing.assert_allclose(np.asarray(mixed), [0, 0], atol=1e-12)
    third = derivative(np.zeros(2), [first, first, first])
    np.testing.assert_allclose(np.asarray(third), [-2, 0], atol=1e-12)
    along = tad.derivative(loss)(model(), X, [model(), model()])
    hv = tad.hvp(loss)(model(), X, model())
    product = sum(float(tad.sum(a * b)) for a, b in zip(leaves(model()), leaves(hv), strict=True))
    assert float(along) == pytest.approx(product, rel=1e-12)


def test_a_deep_model_against_differences() -> None:
    deep = nn.Sequential(
        nn.Conv2d(1, 2, 3, padding="same", rng=0),
        nn.GroupNorm(2),
        nn.GELU(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(8, 3, rng=1),
    )
    rng = np.random.default_rng(0)
    x, labels = rng.standard_normal((2, 1, 4, 4)), np.asarray([0, 2])

    def objective(m: Any) -> tad.Tensor:
        return tad.mean(nnf.cross_entropy(m(x), labels))

    step = 2.0**-17
    direction = tree_map(lambda w: tad.tensor(rng.standard_normal(w.shape)), deep)
    g = tad.grad(objective)(deep)
    slope = sum(float(tad.sum(a * b)) for a, b in zip(leaves(g), leaves(direction), strict=True))

    def along(t: float) -> float:
        return float(objective(tree_map(lambda w, v: w + t * v, deep, direction)))

    assert slope == pytest.approx((along(step) - along(-step)) / (2 * step), rel=1e-7)
    assert float(tad.jvp(objective)(deep, direction)) == pytest.approx(slope, rel=1e-12)
    hv = tad.hvp(objective)(deep, direction)
    ahead, behind = (
        tad.grad(objective)(tree_map(lambda w, v, t=t: w + t * v, deep, direction))
        for t in (step, -step)
    )
    for got, a, b in zip(leaves(hv), leaves(ahead), leaves(behind), strict=True):
        want = (np.asarray(a) - np.asarray(b)) / (2 * step)
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-6, atol=1e-7)


def test_a_step_of_training_with_state() -> None:
    """BatchNorm's statistics and dropout's key go in and come out; they carry no gradient."""

    class Net(nn.Module):
        first: nn.Linear[Any, Any]
        norm: nn.BatchNorm[Any]
        drop: nn.Dropout
        last: nn.Linear[Any, Any]

        def __call__(self, x: Any, state: Any, key: Any) -> tuple[tad.Tensor, Any]:
            y, state = self.norm(self.first(x), state, train=key is not None)
            return self.last(self.drop(nnf.relu(y), key)), state

    net = Net(nn.Linear(3, 8, rng=0), nn.BatchNorm(8), nn.Dropout(0.5), nn.Linear(8, 1, rng=1))
    rng = np.random.default_rng(0)
    x = rng.standard_normal((64, 3))
    target = x[:, :1] - 2 * x[:, 1:2]

    @tad.jit
    def step(net: Net, state: Any, key: Any) -> Any:
        def objective(net: Net) -> Any:
            y, after = net(x, state, key)
            return nnf.mse(y, target), after

        (value, after), g = tad.value_and_grad(objective, has_aux=True)(net)
        return tree_map(lambda w, d: w - 0.05 * d, net, g), after, value

    state, key = net.norm.initial_state(), tad.random.key(0)
    values = []
    for i in range(60):
        net, state, value = step(net, state, tad.random.fold_in(key, i))
        values.append(float(value))
    assert type(net) is Net and type(state) is nn.BatchStatistics
    y, after = net(x, state, None)
    assert after is state
    assert float(nnf.mse(y, target)) < 0.2 * values[0]
