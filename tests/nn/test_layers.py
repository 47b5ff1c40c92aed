"""Layers against PyTorch: values, and gradients of parameters and of inputs."""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import nn
from taglessad.trees import leaves
from taglessad.trees import map as tree_map

RNG = np.random.default_rng(6)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def float64_torch() -> Any:
    """PyTorch, making its modules in float64; the test is skipped where it is not installed."""
    torch = pytest.importorskip("torch")
    torch.set_default_dtype(torch.float64)
    return torch


@pytest.fixture(autouse=True)
def torch_as_it_was() -> Iterator[None]:
    yield
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_default_dtype(torch.float32)


def by_path(model: Any, path: str) -> Any:
    for name in path.split("."):
        model = getattr(model, name)
    return model


def against_torch(
    layer: Any,
    theirs: Any,
    names: Mapping[str, Callable[[Any], Any]],
    *inputs: np.ndarray,
    ours: Callable[..., Any] | None = None,
    forward: Callable[..., Any] | None = None,
) -> None:
    """Same parameters, same values, same gradients.

    names: for each parameter of ours how PyTorch's module gives it, in our layout.
    """
    torch = float64_torch()
    ours = ours or (lambda m, *xs: m(*xs))
    forward = forward or theirs
    parameters = {n: torch.tensor(np.asarray(by_path(layer, n)), requires_grad=True) for n in names}
    with torch.no_grad():
        for name, place in names.items():
            place(theirs).copy_(parameters[name])
    tensors = [torch.tensor(x, requires_grad=True) for x in inputs]
    wanted = forward(*tensors)
    y = ours(layer, *inputs)
    np.testing.assert_allclose(np.asarray(y), wanted.detach(), rtol=1e-11, atol=1e-11)
    weights = normal(*y.shape)
    theirs.zero_grad()
    (wanted * torch.tensor(weights)).sum().backward()
    found, *others = tad.grad(
        lambda m, *xs: tad.sum(ours(m, *xs) * weights), tuple(range(len(inputs) + 1))
    )(layer, *inputs)
    for name, place in names.items():
        # `place` gives a view of the parameter; its gradient has the same layout.
        holder = type("Gradients", (), {})()
        for k, p in theirs.named_parameters():
            target = holder
            *path, last = k.split(".")
            for part in path:
                if not hasattr(target, part):
                    setattr(target, part, type("Gradients", (), {})())
                target = getattr(target, part)
            setattr(target, last, p.grad)
        np.testing.assert_allclose(
            np.asarray(by_path(found, name)), place(holder), rtol=1e-9, atol=1e-9
        )
    for got, t in zip(others, tensors, strict=True):
        np.testing.assert_allclose(np.asarray(got), t.grad, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("lead", [(), (4,), (2, 4)])
def test_linear(lead: tuple[int, ...]) -> None:
    names = {"w": lambda m: m.weight.T, "b": lambda m: m.bias}
    against_torch(nn.Linear(3, 5, rng=0), float64_torch().nn.Linear(3, 5), names, normal(*lead, 3))


CONVOLUTIONS: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("Conv1d", {"stride": 2, "padding": 1}, (2, 4, 9)),
    ("Conv2d", {}, (2, 4, 6, 5)),
    ("Conv2d", {"groups": 2, "padding": 1, "dilation": 2}, (2, 4, 6, 5)),
    ("Conv2d", {"padding": "same"}, (2, 4, 6, 5)),
    ("ConvTranspose1d", {"stride": 2, "output_padding": 1}, (2, 4, 5)),
    ("ConvTranspose2d", {"stride": 2, "padding": 1, "groups": 2}, (2, 4, 3, 4)),
]


@pytest.mark.parametrize(("name", "options", "shape"), CONVOLUTIONS, ids=str)
def test_convolutions(name: str, options: dict[str, Any], shape: tuple[int, ...]) -> None:
    layer = getattr(nn, name)(4, 6, 3, rng=0, **options)
    theirs = getattr(float64_torch().nn, name)(4, 6, 3, **options)
    names = {"w": lambda m: m.weight, "b": lambda m: m.bias}
    against_torch(layer, theirs, names, normal(*shape))


@pytest.mark.parametrize("shape", [3, (4, 3)])
def test_layer_norm(shape: Any) -> None:
    names = {"w": lambda m: m.weight, "b": lambda m: m.bias}
    layer = randomised(nn.LayerNorm(shape))
    against_torch(layer, float64_torch().nn.LayerNorm(shape), names, normal(2, 4, 3))


def randomised(layer: Any) -> Any:
    """The layer with other numbers in its parameters."""
    return tree_map(lambda w: tad.tensor(normal(*w.shape)), layer)


def test_rms_norm() -> None:
    layer = randomised(nn.RMSNorm(3, eps=1e-6))
    theirs = float64_torch().nn.RMSNorm(3, eps=1e-6)
    against_torch(layer, theirs, {"w": lambda m: m.weight}, normal(2, 4, 3))


@pytest.mark.parametrize("shape", [(2, 6), (2, 6, 5), (2, 6, 3, 2)])
def test_group_norm(shape: tuple[int, ...]) -> None:
    names = {"w": lambda m: m.weight, "b": lambda m: m.bias}
    against_torch(
        randomised(nn.GroupNorm(6, 3)), float64_torch().nn.GroupNorm(3, 6), names, normal(*shape)
    )


@pytest.mark.parametrize("shape", [(7, 3), (4, 3, 5), (2, 3, 4, 5)])
@pytest.mark.parametrize("train", [True, False])
def test_batch_norm(shape: tuple[int, ...], train: bool) -> None:
    torch = float64_torch()
    layer = randomised(nn.BatchNorm(3))
    theirs = getattr(torch.nn, f"BatchNorm{max(1, len(shape) - 2)}d")(3)
    state = nn.BatchStatistics(tad.tensor(normal(3)), tad.tensor(normal(3) ** 2 + 0.5))
    with torch.no_grad():
        theirs.running_mean.copy_(torch.tensor(np.asarray(state.mean)))
        theirs.running_var.copy_(torch.tensor(np.asarray(state.var)))
    theirs.train(train)
    names = {"w": lambda m: m.weight, "b": lambda m: m.bias}
    x = normal(*shape)
    against_torch(layer, theirs, names, x, ours=lambda m, x: m(x, state, train=train)[0])
    y, after = layer(x, state, train=train)
    np.testing.assert_allclose(np.asarray(after.mean), theirs.running_mean, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(after.var), theirs.running_var, rtol=1e-12)


def test_batch_norm_begins_with_mean_0_and_variance_1() -> None:
    layer = nn.BatchNorm(3, dtype=tad.float32)
    state = layer.initial_state()
    np.testing.assert_array_equal(np.asarray(state.mean), np.zeros(3, np.float32))
    np.testing.assert_array_equal(np.asarray(state.var), np.ones(3, np.float32))
    assert state.var.dtype == np.float32
    with pytest.raises(tad.ShapeError, match=r"BatchNorm\[3\] cannot take \[1, 3\] \(1 entries"):
        layer(np.ones((1, 3), np.float32), state, train=True)


def test_embedding() -> None:
    layer = nn.Embedding(7, 3, rng=0)
    ids = np.asarray([[0, 6], [3, 3]])
    np.testing.assert_array_equal(np.asarray(layer(ids)), np.asarray(layer.w)[ids])
    g = tad.grad(lambda m: tad.sum(m(ids)))(layer)
    np.testing.assert_array_equal(np.asarray(g.w)[:, 0], [1, 0, 0, 2, 0, 0, 1])
    with pytest.raises(tad.DTypeError, match="nn.Embedding: ids have dtype float64"):
        layer(np.ones(2))  # type: ignore[arg-type]
    with pytest.raises(tad.IndexOutOfRange):
        layer(np.asarray([7]))  # type: ignore[arg-type]


def attention_parameters(theirs: Any) -> dict[str, Callable[[Any], Any]]:
    def part(i: int, attribute: str) -> Callable[[Any], Any]:
        def place(m: Any) -> Any:
            whole = getattr(m, attribute)[8 * i : 8 * (i + 1)]
            return whole.T if attribute.endswith("weight") else whole

        return place

    names: dict[str, Callable[[Any], Any]] = {}
    for i, name in enumerate("qkv"):
        names[f"{name}.w"] = part(i, "in_proj_weight")
        names[f"{name}.b"] = part(i, "in_proj_bias")
    names["out.w"] = lambda m: m.out_proj.weight.T
    names["out.b"] = lambda m: m.out_proj.bias
    return names


def test_multi_head_attention_to_itself() -> None:
    theirs = float64_torch().nn.MultiheadAttention(8, 2, batch_first=True)
    layer = randomised(nn.MultiHeadAttention(8, 2, rng=0))
    against_torch(
        layer, theirs, attention_parameters(theirs), normal(3, 5, 8),
        forward=lambda x: theirs(x, x, x)[0],
    )  # fmt: skip


def test_multi_head_attention_to_another_sequence_with_a_mask() -> None:
    torch = float64_torch()
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    layer = randomised(nn.MultiHeadAttention(8, 2, rng=0))
    mask = RNG.random((4, 6)) < 0.6
    mask[:, 0] = True
    hidden = torch.tensor(~mask)
    against_torch(
        layer,
        theirs,
        attention_parameters(theirs),
        normal(3, 4, 8),
        normal(3, 6, 8),
        ours=lambda m, x, z: m(x, z, mask=mask),
        forward=lambda x, z: theirs(x, z, z, attn_mask=hidden)[0],
    )


def test_causal_attention() -> None:
    torch = float64_torch()
    q, k, v = normal(2, 5, 4), normal(2, 5, 4), normal(2, 5, 3)
    wanted = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.tensor, (q, k, v)), is_causal=True
    )
    attend = nn.functional.scaled_dot_product_attention
    np.testing.assert_allclose(np.asarray(attend(q, k, v, causal=True)), wanted, rtol=1e-12)
    layer = nn.MultiHeadAttention(4, 2, rng=0)
    past = np.tril(np.ones((5, 5), bool))
    np.testing.assert_allclose(
        np.asarray(layer(q, causal=True)), np.asarray(layer(q, mask=past)), rtol=1e-12
    )
    each = np.stack([past, np.ones((5, 5), bool)])  # a mask for each member of the batch
    y = layer(q, mask=each)
    np.testing.assert_allclose(np.asarray(y)[0], np.asarray(layer(q[0], causal=True)), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(y)[1], np.asarray(layer(q[1])), rtol=1e-12)


def test_a_query_that_may_look_nowhere_gives_zeros_and_no_nan() -> None:
    q, k, v = normal(3, 4), normal(5, 4), normal(5, 2)
    mask = np.ones((3, 5), bool)
    mask[1] = False

    def program(q: Any, k: Any, v: Any) -> Any:
        return tad.sum(nn.functional.scaled_dot_product_attention(q, k, v, mask=mask) ** 2)

    y = nn.functional.scaled_dot_product_attention(q, k, v, mask=mask)
    np.testing.assert_array_equal(np.asarray(y)[1], np.zeros(2))
    gradients = tad.grad(program, (0, 1, 2))(q, k, v)
    for g in gradients:
        assert np.isfinite(np.asarray(g)).all()
    np.testing.assert_array_equal(np.asarray(gradients[0])[1], np.zeros(4))


CELL: dict[str, Callable[[Any], Any]] = {
    "w": lambda m: m.weight_ih.T,
    "u": lambda m: m.weight_hh.T,
    "b": lambda m: m.bias_ih,
}


@pytest.mark.parametrize("name", ["RNNCell", "LSTMCell"])
def test_cells(name: str) -> None:
    torch = float64_torch()
    layer = randomised(getattr(nn, name)(3, 4, rng=0))
    theirs = getattr(torch.nn, name)(3, 4)
    with torch.no_grad():
        theirs.bias_hh.zero_()
    if name == "RNNCell":
        against_torch(layer, theirs, CELL, normal(2, 3), normal(2, 4))
        return
    against_torch(
        layer,
        theirs,
        CELL,
        normal(2, 3),
        normal(2, 4),
        normal(2, 4),
        ours=lambda m, x, h, c: tad.concat(m(x, nn.LSTMState(h, c)), axis=-1),
        forward=lambda x, h, c: torch.cat(theirs(x, (h, c)), -1),
    )


def test_gru_cell() -> None:
    torch = float64_torch()
    layer = randomised(nn.GRUCell(3, 4, rng=0))
    theirs = torch.nn.GRUCell(3, 4)
    with torch.no_grad():
        theirs.bias_hh.zero_()
    names = {**CELL, "c": lambda m: m.bias_hh[8:]}
    against_torch(layer, theirs, names, normal(2, 3), normal(2, 4))


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_sequences(name: str) -> None:
    torch = float64_torch()
    layer = randomised(getattr(nn, name)(3, 4, rng=0))
    theirs = getattr(torch.nn, name)(3, 4, batch_first=True)
    with torch.no_grad():
        theirs.bias_hh_l0.zero_()
    names: dict[str, Callable[[Any], Any]] = {
        "cell.w": lambda m: m.weight_ih_l0.T,
        "cell.u": lambda m: m.weight_hh_l0.T,
        "cell.b": lambda m: m.bias_ih_l0,
    }
    if name == "GRU":
        names["cell.c"] = lambda m: m.bias_hh_l0[8:]
    against_torch(
        layer, theirs, names, normal(2, 5, 3),
        ours=lambda m, x: m(x)[0], forward=lambda x: theirs(x)[0],
    )  # fmt: skip


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_sequences_are_their_cells_step_by_step(name: str) -> None:
    layer = randomised(getattr(nn, name)(3, 4, rng=0))
    xs = normal(5, 3)
    start: Any = tad.tensor(normal(4))
    if name == "LSTM":
        start = nn.LSTMState(start, tad.tensor(normal(4)))
    for order in (1, -1):
        ys, final = layer(xs, start, reverse=order < 0)
        state, outputs = start, {}
        for t in range(5)[::order]:
            state = layer.cell(tad.tensor(xs[t]), state)
            outputs[t] = np.asarray(state[0] if name == "LSTM" else state)
        np.testing.assert_allclose(np.asarray(ys), [outputs[t] for t in range(5)], rtol=1e-12)
        np.testing.assert_allclose(np.asarray(final), np.asarray(state), rtol=1e-12)


def test_dropout_keeps_the_mean_and_names_its_key() -> None:
    layer, key = nn.Dropout(0.25), tad.random.key(0)
    x = np.ones(20_000)
    y = np.asarray(layer(x, key))
    assert set(np.unique(y)) == {0.0, 1 / 0.75}
    assert y.mean() == pytest.approx(1.0, abs=0.02)  # deviation 0.0041
    np.testing.assert_array_equal(y, np.asarray(layer(x, key)))
    assert (y != np.asarray(layer(x, tad.random.key(1)))).any()
    np.testing.assert_array_equal(np.asarray(layer(x, None)), x)
    g = tad.grad(lambda x: tad.sum(layer(x, key) * 3.0))(x)
    np.testing.assert_allclose(np.asarray(g), 3.0 * y, rtol=1e-15)
    np.testing.assert_array_equal(np.asarray(tad.jit(layer)(x, key)), y)
    for rate in (1.0, -0.1, "half"):
        with pytest.raises(tad.ArgumentError, match="nn.Dropout: rate is"):
            nn.Dropout(rate)  # type: ignore[arg-type]


ACTIVATIONS: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "ReLU": (nn.ReLU(), "ReLU", {}),
    "LeakyReLU": (nn.LeakyReLU(0.2), "LeakyReLU", {"negative_slope": 0.2}),
    "ELU": (nn.ELU(0.5), "ELU", {"alpha": 0.5}),
    "GELU": (nn.GELU(), "GELU", {"approximate": "tanh"}),
    "GELU by erf": (nn.GELU(approximate=False), "GELU", {}),
    "SiLU": (nn.SiLU(), "SiLU", {}),
    "Sigmoid": (nn.Sigmoid(), "Sigmoid", {}),
    "Softplus": (nn.Softplus(), "Softplus", {}),
    "Tanh": (nn.Tanh(), "Tanh", {}),
    "Softmax": (nn.Softmax(), "Softmax", {"dim": -1}),
    "LogSoftmax": (nn.LogSoftmax(0), "LogSoftmax", {"dim": 0}),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name: str) -> None:
    layer, theirs, options = ACTIVATIONS[name]
    against_torch(layer, getattr(float64_torch().nn, theirs)(**options), {}, 3 * normal(4, 5))


def test_pooling_layers_are_the_functions() -> None:
    x = normal(2, 3, 8, 8)
    for layer, wanted in (
        (nn.MaxPool2d(2), nn.functional.max_pool2d(x, 2)),
        (nn.MaxPool2d(3, 2, 1), nn.functional.max_pool2d(x, 3, stride=2, padding=1)),
        (nn.AvgPool2d(2), nn.functional.avg_pool2d(x, 2)),
        (nn.AdaptiveAvgPool2d(), nn.functional.adaptive_avg_pool2d(x, 1)),
    ):
        np.testing.assert_array_equal(np.asarray(layer(x)), np.asarray(wanted))
    for flat, wanted in (
        (nn.MaxPool1d(2), nn.functional.max_pool1d(x[0], 2)),
        (nn.AvgPool1d(2), nn.functional.avg_pool1d(x[0], 2)),
        (nn.AdaptiveAvgPool1d(), nn.functional.adaptive_avg_pool1d(x[0], 1)),
    ):
        np.testing.assert_array_equal(np.asarray(flat(x[0])), np.asarray(wanted))


F32 = tad.float32
SINGLE: list[tuple[Any, tuple[np.ndarray, ...]]] = [
    (nn.Linear(3, 2, dtype=F32), (normal(4, 3),)),
    (nn.Conv2d(3, 2, 2, dtype=F32), (normal(1, 3, 4, 4),)),
    (nn.ConvTranspose2d(3, 2, 2, dtype=F32), (normal(1, 3, 4, 4),)),
    (nn.LayerNorm(3, dtype=F32), (normal(4, 3),)),
    (nn.RMSNorm(3, dtype=F32), (normal(4, 3),)),
    (nn.GroupNorm(3, dtype=F32), (normal(4, 3, 2),)),
    (nn.MultiHeadAttention(4, 2, dtype=F32), (normal(3, 4),)),
    (nn.GRUCell(3, 4, dtype=F32), (normal(3), normal(4))),
    (nn.RNN(3, 4, dtype=F32), (normal(5, 3),)),
    (nn.GELU(), (normal(3),)),
    (nn.AvgPool2d(2), (normal(1, 1, 4, 4),)),
]


@pytest.mark.parametrize(("layer", "inputs"), SINGLE, ids=lambda v: type(v).__name__)
def test_float32_stays_float32(layer: Any, inputs: tuple[np.ndarray, ...]) -> None:
    single = [x.astype(np.float32) for x in inputs]

    def program(m: Any, *xs: Any) -> Any:
        y = m(*xs)
        return tad.sum((y[0] if isinstance(y, tuple) else y) ** 2)

    value, g = tad.value_and_grad(program)(layer, *single)
    assert value.dtype == np.float32
    assert {str(t.dtype) for t in leaves(g)} <= {"float32"}


WRONG: list[tuple[Any, tuple[int, ...], str]] = [
    (nn.Linear(3, 8), (4, 2), r"Linear\[3, 8\] cannot take \[4, 2\] \(2 != 3\)"),
    (nn.Linear(3, 8), (), r"Linear\[3, 8\] cannot take \[\] \(a scalar\)"),
    (nn.Conv2d(3, 6, 5), (1, 4, 9, 9), r"Conv2d\[3, 6, 5\] cannot take \[1, 4, 9, 9\] \(4 != 3\)"),
    (nn.Conv2d(3, 6, (5, 3)), (3, 9, 9), r"Conv2d\[3, 6, \[5, 3\]\] cannot take \[3, 9, 9\] .*C, H"),
    (nn.Conv1d(3, 6, 5), (1, 3, 4), r"conv1d: x \[1, 3, 4\], kernel \[6, 3, 5\]: the kernel spans 5"),
    (nn.ConvTranspose1d(4, 6, 5, groups=2), (1, 3, 4), r"ConvTranspose1d\[4, 6, 5\] .* \(3 != 4\)"),
    (nn.LayerNorm((4, 3)), (2, 4, 2), r"LayerNorm\[4, 3\] cannot take \[2, 4, 2\] \(2 != 3\)"),
    (nn.RMSNorm(3), (2,), r"RMSNorm\[3\] cannot take \[2\]"),
    (nn.GroupNorm(4, 2), (2, 3), r"GroupNorm\[4, groups=2\] cannot take \[2, 3\] \(3 != 4\)"),
    (nn.MultiHeadAttention(4, 2), (2, 3), r"MultiHeadAttention\[4, heads=2\] cannot take \[2, 3\]"),
    (nn.MultiHeadAttention(4, 2), (4,), r"MultiHeadAttention\[4, heads=2\] cannot take \[4\]"),
    (nn.GRU(3, 4), (5, 2), r"GRUCell\[3, 4\] cannot take \[5, 2\] \(2 != 3\)"),
    (nn.LSTM(3, 4), (3,), r"LSTM cannot take"),
    (nn.Flatten(3), (2, 2), r"Flatten cannot take \[2, 2\] \(it has no axis 3\)"),
]  # fmt: skip


@pytest.mark.parametrize(("layer", "shape", "message"), WRONG, ids=lambda v: type(v).__name__)
def test_errors_name_the_layer_and_both_shapes(
    layer: Any, shape: tuple[int, ...], message: str
) -> None:
    with pytest.raises(tad.ShapeError, match=message):
        layer(np.zeros(shape))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Linear(0, 2), "nn.Linear: inputs is 0; it must be at least 1"),
        (lambda: nn.Linear(2, 2.0), "nn.Linear: outputs must be an integer"),  # type: ignore[arg-type]
        (lambda: nn.Linear(2, 2, rng=-1), "nn.Linear: rng is -1; give a seed"),
        (lambda: nn.Linear(2, 2, init=lambda r, s, d: np.zeros(3)), r"init gave shape \[3\]"),
        (lambda: nn.Conv2d(3, 4, 3, groups=2), "3 inputs and 4 outputs must be multiples of 2"),
        (lambda: nn.Conv2d(3, 4, 3, padding="full"), "nn.Conv2d: padding is 'full'"),  # type: ignore[arg-type]
        (lambda: nn.GroupNorm(3, 2), "nn.GroupNorm: 3 channels are no multiple of 2 groups"),
        (lambda: nn.MultiHeadAttention(6, 4), "6 features are no multiple of 4 heads"),
    ],
)
def test_options_that_are_none(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(tad.ArgumentError, match=message):
        make()


def test_seeds_and_generators() -> None:
    a, b = nn.Linear(3, 4, rng=0), nn.Linear(3, 4, rng=0)
    assert a == b
    assert nn.Linear(3, 4) != nn.Linear(3, 4)
    rng = np.random.default_rng(0)
    first, second = nn.Linear(3, 4, rng=rng), nn.Linear(3, 4, rng=rng)
    assert first == a and second != first
    assert nn.Linear(3, 4, rng=0, bias=False).b is None
    with pytest.raises(tad.DTypeError, match="nn.Linear: dtype is int64"):
        nn.Linear(3, 4, dtype=tad.int64)
