"""Sequential: composition, its check at construction, keys, paths."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import nn


def mlp() -> nn.Sequential[Any, Any, Any]:
    return nn.Sequential(nn.Linear(2, 8, rng=0), nn.ReLU(), nn.Linear(8, 3, rng=1))


X = np.random.default_rng(0).standard_normal((4, 2))


def test_layers_run_in_order() -> None:
    model = mlp()
    y = model.layers[2](nn.functional.relu(model.layers[0](X)))
    np.testing.assert_array_equal(np.asarray(model(X)), np.asarray(y))
    assert len(model) == 3 and model[1] == nn.ReLU()
    np.testing.assert_array_equal(np.asarray(nn.Sequential()(X)), X)


def test_functions_are_layers() -> None:
    model = nn.Sequential(nn.Linear(2, 3, rng=0), tad.tanh, lambda x: x * 2.0)
    wanted = np.tanh(np.asarray(model.layers[0](X))) * 2
    np.testing.assert_allclose(np.asarray(model(X)), wanted, rtol=1e-15)
    g = tad.grad(lambda m: tad.sum(m(X)))(model)
    assert type(g) is nn.Sequential and g.layers[1] is tad.tanh


def test_parameters_by_path() -> None:
    def program(model: Any) -> Any:
        return tad.sum(model(X) ** 2)

    whole = tad.grad(program)(mlp())
    last = tad.grad(program, wrt="model.layers[2].w")(mlp())
    np.testing.assert_array_equal(np.asarray(last), np.asarray(whole.layers[2].w))


FITTING: list[Callable[[], Any]] = [
    mlp,
    lambda: nn.Sequential(nn.Conv2d(3, 6, 5), nn.ReLU(), nn.Flatten(), nn.Linear(4704, 10)),
    lambda: nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 2)),
    lambda: nn.Sequential(mlp(), nn.Linear(3, 3)),
    lambda: nn.Sequential(nn.Conv1d(2, 3, 2), nn.MaxPool1d(2), nn.GroupNorm(3, 3)),
    lambda: nn.Sequential(nn.Linear(4, 8), nn.MultiHeadAttention(8, 2), nn.LayerNorm(8)),
    lambda: nn.Sequential(nn.LayerNorm((4, 3)), nn.Flatten(), nn.Linear(12, 1)),
    lambda: nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.1), nn.Softmax()),
    lambda: nn.Sequential(nn.Linear(3, 4), lambda x: x.missing),
]


@pytest.mark.parametrize("make", FITTING)
def test_what_fits_some_input_is_made(make: Callable[[], Any]) -> None:
    make()


MISFITS: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(9, 3)),
        r"^Sequential: layer 2: Linear\[9, 3\] cannot take \[\?, 8\] \(8 != 9\)",
    ),
    (
        lambda: nn.Sequential(nn.Conv2d(3, 6, 5), nn.Conv2d(5, 6, 5)),
        r"^Sequential: layer 1: Conv2d\[5, 6, 5\] cannot take \[\?, 6, \?, \?\] \(6 != 5\)",
    ),
    (
        lambda: nn.Sequential(nn.Conv2d(3, 6, 5), nn.Conv1d(6, 6, 5)),
        r"^Sequential: layer 1: Conv1d\[6, 6, 5\] cannot take \[\?, 6, \?, \?\] \(it takes \[N, C",
    ),
    (
        lambda: nn.Sequential(mlp(), nn.LayerNorm(4)),
        r"^Sequential: layer 1: LayerNorm\[4\] cannot take \[\?, 3\] \(3 != 4\)",
    ),
    (
        lambda: nn.Sequential(nn.Linear(2, 2), mlp(), lambda x: x @ tad.ones((4, 2))),
        r"^Sequential: layer 2: matmul: inner dimensions differ: \[\?, 3\] @ \[4, 2\]",
    ),
]


@pytest.mark.parametrize(("make", "message"), MISFITS)
def test_what_fits_no_input_is_refused_when_it_is_made(
    make: Callable[[], Any], message: str
) -> None:
    with pytest.raises(tad.ShapeError, match=message):
        make()


def test_an_input_that_does_not_fit() -> None:
    model = nn.Sequential(nn.Conv2d(3, 6, 5), nn.ReLU(), nn.Flatten(), nn.Linear(4705, 10))
    message = (
        r"^Sequential: layer 3: Linear\[4705, 10\] cannot take \[8, 4704\] \(4704 != 4705\)\n.*"
        r"test_sequential.py:\d+: model\(np.zeros"
    )
    with pytest.raises(tad.ShapeError, match=message):
        model(np.zeros((8, 3, 32, 32)))


def test_what_is_no_layer() -> None:
    with pytest.raises(
        tad.ArgumentError, match="nn.Sequential: layer 1 is 3, which is no function"
    ):
        nn.Sequential(nn.ReLU(), 3)
    with pytest.raises(tad.ArgumentError, match="layer 0 is a BatchNorm, whose running statistics"):
        nn.Sequential(nn.BatchNorm(3))


def test_every_dropout_has_a_key_of_its_own() -> None:
    x, key = np.ones(1000), tad.random.key(3)
    model = nn.Sequential(nn.Dropout(0.5), tad.negative, nn.Sequential(nn.Dropout(0.5)))
    np.testing.assert_array_equal(np.asarray(model(x)), -x)
    first, second = tad.random.split(key)
    (inner,) = tad.random.split(second, 1)
    wanted = nn.functional.dropout(-nn.functional.dropout(x, 0.5, first), 0.5, inner)
    np.testing.assert_array_equal(np.asarray(model(x, key)), np.asarray(wanted))


def test_under_shape_with_symbols() -> None:
    n, m = tad.symbols("N M")
    shape = tad.interpreters.Shape()
    assert tad.interpret(mlp(), shape)((n, m, 2)) == (n, m, 3)
    with pytest.raises(tad.ShapeError, match=r"Linear\[2, 8\] cannot take \[M, N\] \(N and 2 are"):
        tad.interpret(mlp(), shape)((m, n))
