"""Convolutions against a loop over their definition, against PyTorch, and under every transform."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.nn import functional as nnf

RNG = np.random.default_rng(3)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def correlated(x: np.ndarray, kernel: np.ndarray, stride: int, dilation: int) -> np.ndarray:
    """One channel, one result, no padding, by definition: y[i] = sum_k kernel[k] x[i + k]."""
    taps = kernel.shape
    sizes = [(n - (k - 1) * dilation - 1) // stride + 1 for n, k in zip(x.shape, taps, strict=True)]
    y = np.zeros(sizes)
    for i in np.ndindex(*sizes):
        for k in np.ndindex(*taps):
            y[i] += kernel[k] * x[tuple(np.multiply(i, stride) + np.multiply(k, dilation))]
    return y


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("rank", [1, 2])
def test_values_are_those_of_the_definition(rank: int, stride: int, dilation: int) -> None:
    x, kernel = normal(2, 3, *(7, 6)[:rank]), normal(4, 3, *(3, 2)[:rank])
    conv = (nnf.conv1d, nnf.conv2d)[rank - 1]
    y = np.asarray(conv(x, kernel, stride=stride, dilation=dilation))
    for n in range(2):
        for o in range(4):
            parts = [correlated(x[n, c], kernel[o, c], stride, dilation) for c in range(3)]
            np.testing.assert_allclose(y[n, o], sum(parts), rtol=1e-12, atol=1e-12)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"padding": 1},
    {"stride": 2, "padding": 1},
    {"dilation": 2, "padding": 2},
    {"groups": 2},
    {"groups": 4, "stride": 2, "padding": 1, "dilation": 2},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("rank", [1, 2])
def test_values_and_gradients_are_those_of_torch(rank: int, options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    x = normal(2, 4, *(9, 8)[:rank])
    kernel = normal(8, 4 // options.get("groups", 1), *(3, 3)[:rank])
    ours = (nnf.conv1d, nnf.conv2d)[rank - 1]
    theirs = getattr(torch.nn.functional, f"conv{rank}d")
    against_torch(torch, ours, theirs, x, kernel, options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": 2},
        {"stride": 2, "padding": 1, "output_padding": 1},
        {"stride": 3, "dilation": 2, "groups": 2, "output_padding": 2},
    ],
    ids=str,
)
@pytest.mark.parametrize("rank", [1, 2])
def test_transposed_convolution_is_that_of_torch(rank: int, options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    x, kernel = normal(2, 4, *(5, 4)[:rank]), normal(4, 3, *(3, 3)[:rank])
    ours = (nnf.conv_transpose1d, nnf.conv_transpose2d)[rank - 1]
    theirs = getattr(torch.nn.functional, f"conv_transpose{rank}d")
    against_torch(torch, ours, theirs, x, kernel, options)


def against_torch(
    torch: Any,
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    x: np.ndarray,
    kernel: np.ndarray,
    options: dict[str, Any],
) -> None:
    a, k = torch.tensor(x, requires_grad=True), torch.tensor(kernel, requires_grad=True)
    wanted = theirs(a, k, **options)
    y = ours(x, kernel, **options)
    np.testing.assert_allclose(np.asarray(y), wanted.detach(), rtol=1e-12, atol=1e-12)
    weights = normal(*y.shape)
    gradients = torch.autograd.grad((wanted * torch.tensor(weights)).sum(), (a, k))
    found = tad.grad(lambda *xs: tad.sum(ours(*xs, **options) * weights), (0, 1))(x, kernel)
    for got, want in zip(found, gradients, strict=True):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": 1, "groups": 2}], ids=str)
def test_derivatives_batches_and_compiled_code(
    options: dict[str, Any], check_program: Callable[..., None]
) -> None:
    channels = 2 // options.get("groups", 1)
    check_program(
        lambda x, k: nnf.conv2d(x, k, **options), normal(1, 2, 4, 3), normal(4, channels, 2, 3)
    )
    check_program(
        lambda x, k: nnf.conv_transpose1d(x, k, stride=2), normal(2, 2, 3), normal(2, 1, 3)
    )


def test_transposed_convolution_is_the_transpose() -> None:
    """<conv(x), y> is <x, conv_transpose(y)>."""
    kernel, x = normal(3, 2, 3, 2), normal(2, 2, 9, 8)
    y = nnf.conv2d(x, kernel, stride=2, padding=1)
    back = nnf.conv_transpose2d(y, kernel, stride=2, padding=1, output_padding=(0, 0))
    shape = back.shape
    direct = tad.grad(lambda a: 0.5 * tad.sum(nnf.conv2d(a, kernel, stride=2, padding=1) ** 2))(x)
    np.testing.assert_allclose(
        np.asarray(direct)[:, :, : shape[2], : shape[3]], np.asarray(back), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("taps", [1, 2, 3, 4])
def test_same_padding_gives_ceil_of_n_over_the_stride(stride: int, taps: int) -> None:
    for n in range(1, 8):
        y = nnf.conv1d(normal(1, 1, n), normal(1, 1, taps), stride=stride, padding="same")
        assert y.shape == (1, 1, -(-n // stride))


@pytest.mark.filterwarnings("ignore:Using padding='same'")
def test_same_padding_is_that_of_torch() -> None:
    torch = pytest.importorskip("torch")
    x, kernel = normal(2, 3, 7, 6), normal(4, 3, 3, 4)
    wanted = torch.nn.functional.conv2d(torch.tensor(x), torch.tensor(kernel), padding="same")
    y = nnf.conv2d(x, kernel, padding="same")
    np.testing.assert_allclose(np.asarray(y), wanted, rtol=1e-12, atol=1e-12)


def test_padding_by_pairs() -> None:
    x, kernel = normal(2, 3, 7, 6), normal(4, 3, 3, 3)
    y = nnf.conv2d(x, kernel, padding=((1, 0), (0, 2)))
    wider = np.pad(x, ((0, 0), (0, 0), (1, 0), (0, 2)))
    np.testing.assert_allclose(np.asarray(y), np.asarray(nnf.conv2d(wider, kernel)), rtol=1e-12)


def test_dtypes() -> None:
    x, kernel = normal(1, 1, 4).astype(np.float32), normal(1, 1, 2).astype(np.float32)
    y = nnf.conv1d(x, kernel)
    assert y.dtype == np.float32
    assert tad.grad(lambda k: tad.sum(nnf.conv1d(x, k)))(kernel).dtype == np.float32
    whole = nnf.conv1d(np.arange(4).reshape(1, 1, 4), np.ones((1, 1, 2), np.int64))
    assert whole.dtype == np.int64
    np.testing.assert_array_equal(np.asarray(whole), [[[1, 3, 5]]])


def test_no_entries() -> None:
    assert nnf.conv2d(np.zeros((0, 3, 5, 5)), np.zeros((4, 3, 2, 2))).shape == (0, 4, 4, 4)
    g = tad.grad(lambda k: tad.sum(nnf.conv2d(np.zeros((0, 3, 5, 5)), k)))(np.ones((4, 3, 2, 2)))
    np.testing.assert_array_equal(np.asarray(g), np.zeros((4, 3, 2, 2)))


def test_symbolic_sizes() -> None:
    n, c, h, w = tad.symbols("N C H W")
    shape = tad.interpreters.Shape()

    def program(x: Any, k: Any) -> Any:
        return nnf.conv2d(x, k, stride=2, padding=1)

    found = tad.interpret(program, shape)((n, c, h, w), (8, c, 3, 3))
    assert [str(m) for m in found] == ["N", "8", "(H + 1)//2", "(W + 1)//2"]
    gradient = tad.grad(lambda x, k: tad.sum(program(x, k) ** 2), (0, 1))
    assert tad.interpret(gradient, shape)((n, c, h, w), (8, c, 3, 3)) == (
        (n, c, h, w),
        (8, c, 3, 3),
    )
    up = tad.interpret(lambda x, k: nnf.conv_transpose2d(x, k, stride=2), shape)
    assert up((n, c, h, w), (c, 4, 2, 2)) == (n, 4, 2 * h, 2 * w)
    same = tad.interpret(lambda x, k: nnf.conv1d(x, k, padding="same", stride=2), shape)
    assert str(same((n, c, h), (4, c, 3))[2]) == "(H + 1)//2"


@pytest.mark.parametrize(
    ("x", "kernel", "options", "message"),
    [
        ((1, 3, 8, 8), (4, 2, 3, 3), {}, r"x \[1, 3, 8, 8\], kernel \[4, 2, 3, 3\]: x has 3 chann"),
        ((3, 8, 8), (4, 3, 3, 3), {}, r"x has shape \[3, 8, 8\], where \[N, C, H, W\].*x\[None\]"),
        (
            (1, 3, 8, 8),
            (3, 3, 3),
            {},
            r"kernel has shape \[3, 3, 3\], where \[O, C // groups, H, W",
        ),
        ((1, 3, 2, 8), (4, 3, 3, 3), {}, r"spans 3 entries along axis 2 of x, which has 2 with"),
        ((1, 4, 8, 8), (5, 2, 3, 3), {"groups": 2}, r"5 results are no multiple of 2 groups"),
    ],
)
def test_shapes_that_do_not_fit(
    x: tuple[int, ...], kernel: tuple[int, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(tad.ShapeError, match=f"nn.functional.conv2d: .*{message}"):
        nnf.conv2d(np.zeros(x), np.zeros(kernel), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"stride": 0},
        {"stride": (1, 2, 3)},
        {"padding": "full"},
        {"padding": -1},
        {"padding": (1, 2, 3)},
        {"dilation": 1.5},
        {"groups": 0},
    ],
    ids=str,
)
def test_options_that_are_none(options: dict[str, Any]) -> None:
    with pytest.raises(tad.ArgumentError, match=f"nn.functional.conv2d: {next(iter(options))}"):
        nnf.conv2d(np.zeros((1, 1, 4, 4)), np.zeros((1, 1, 2, 2)), **options)


def test_what_a_dead_value_meets_in_a_kernel_takes_no_part() -> None:
    """A NaN that `where` did not take reaches no gradient through a convolution behind it."""
    x = np.asarray([[[1.0, -1.0, 4.0, 9.0]]])
    kernel = np.asarray([[[1.0, 2.0]]])

    def program(x: Any) -> Any:
        return tad.sum(nnf.conv1d(tad.where(x > 0, tad.sqrt(x), 0.0), kernel))

    g = np.asarray(tad.grad(program)(x))
    np.testing.assert_allclose(g, [[[0.5, 0.0, 0.75, 1 / 3]]], rtol=1e-12)
