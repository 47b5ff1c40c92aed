"""Pooling against PyTorch, at ties, and under every transform."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.nn import functional as nnf

RNG = np.random.default_rng(4)

OPTIONS: list[dict[str, Any]] = [
    {"kernel_size": 2},
    {"kernel_size": 3, "stride": 2, "padding": 1},
    {"kernel_size": 3, "stride": 1},
    {"kernel_size": 2, "padding": 1},
]


def distinct(*shape: int) -> np.ndarray:
    """No two entries are close, so that no window has a tie."""
    return RNG.permutation(int(np.prod(shape))).reshape(shape) / 7.0


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", ["max_pool1d", "max_pool2d", "avg_pool1d", "avg_pool2d"])
def test_values_and_gradients_are_those_of_torch(name: str, options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    x = distinct(2, 3, *((9, 8) if name.endswith("2d") else (9,)))
    ours, theirs = getattr(nnf, name), getattr(torch.nn.functional, name)
    a = torch.tensor(x, requires_grad=True)
    wanted = theirs(a, **options)
    np.testing.assert_allclose(np.asarray(ours(x, **options)), wanted.detach(), rtol=1e-12)
    gradient = tad.grad(lambda x: tad.sum(ours(x, **options) ** 2))(x)
    (expected,) = torch.autograd.grad((wanted**2).sum(), a)
    np.testing.assert_allclose(np.asarray(gradient), expected, rtol=1e-10)


def test_dilated_windows_and_other_options_of_torch() -> None:
    torch = pytest.importorskip("torch")
    x = distinct(2, 2, 9, 9)
    a = torch.tensor(x)
    options = {"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2}
    wanted = torch.nn.functional.max_pool2d(a, **options)
    np.testing.assert_array_equal(np.asarray(nnf.max_pool2d(x, **options)), wanted)
    options = {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False}
    wanted = torch.nn.functional.avg_pool2d(a, **options)
    np.testing.assert_allclose(np.asarray(nnf.avg_pool2d(x, **options)), wanted, rtol=1e-12)


@pytest.mark.parametrize("size", [1, 2, 4, 5, 7, (3, 7)])
def test_adaptive_means_are_those_of_torch(size: Any) -> None:
    torch = pytest.importorskip("torch")
    x = RNG.standard_normal((2, 3, 7, 7))
    wanted = torch.nn.functional.adaptive_avg_pool2d(torch.tensor(x), size)
    np.testing.assert_allclose(np.asarray(nnf.adaptive_avg_pool2d(x, size)), wanted, rtol=1e-12)


def test_the_global_mean() -> None:
    x = RNG.standard_normal((2, 3, 7))
    wanted = x.mean(axis=2, keepdims=True)
    np.testing.assert_allclose(np.asarray(nnf.adaptive_avg_pool1d(x, 1)), wanted, rtol=1e-12)


@pytest.mark.parametrize("options", [{"kernel_size": 2}, {"kernel_size": 2, "stride": 1}], ids=str)
def test_entries_that_tie_share_the_derivative(options: dict[str, Any]) -> None:
    x = np.asarray([[[1.0, 1.0, 0.0]]])
    gradient = np.asarray(tad.grad(lambda x: tad.sum(nnf.max_pool1d(x, **options)))(x))
    wanted = [0.5, 0.5, 0.0] if "stride" not in options else [0.5, 1.5, 0.0]
    np.testing.assert_array_equal(gradient, [[wanted]])


def test_padding_is_never_the_largest_entry() -> None:
    x = np.full((1, 1, 3), -5.0)
    y = nnf.max_pool1d(x, 3, stride=1, padding=1)
    np.testing.assert_array_equal(np.asarray(y), x)
    whole = nnf.max_pool1d(np.full((1, 1, 3), -5), 3, stride=1, padding=1)
    assert whole.dtype == np.int64
    np.testing.assert_array_equal(np.asarray(whole), x)


def test_derivatives_batches_and_compiled_code(check_program: Callable[..., None]) -> None:
    x = distinct(1, 2, 5, 4)
    check_program(lambda x: nnf.max_pool2d(x, 2), x)
    check_program(lambda x: nnf.max_pool2d(x, 2, stride=1, padding=1) ** 2, x)
    check_program(lambda x: nnf.avg_pool2d(x, 3, stride=2, padding=1) ** 2, x)
    check_program(lambda x: nnf.adaptive_avg_pool2d(x, (3, 1)) ** 2, x)


def test_symbolic_sizes() -> None:
    n, c, h = tad.symbols("N C H")
    shape = tad.interpreters.Shape()
    for pool in (nnf.max_pool2d, nnf.avg_pool2d):
        program = tad.interpret(lambda x, pool=pool: pool(x, 2), shape)
        assert program((n, c, 2 * h, 4)) == (n, c, h, 2)
        gradient = tad.grad(lambda x, pool=pool: tad.sum(pool(x, 3, stride=2, padding=1) ** 2))
        assert tad.interpret(gradient, shape)((n, c, h, 4)) == (n, c, h, 4)


def test_float32_stays_float32() -> None:
    x = distinct(1, 1, 4, 4).astype(np.float32)
    for pool in (nnf.max_pool2d, nnf.avg_pool2d, nnf.adaptive_avg_pool2d):
        assert pool(x, 2).dtype == np.float32


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"kernel_size": 5}, tad.ShapeError, r"windows of \[5, 5\]: the kernel spans 5"),
        ({"kernel_size": 2, "padding": 2}, tad.ArgumentError, r"padding is \[2, 2\].* spans 2"),
        ({"kernel_size": 0}, tad.ArgumentError, "kernel_size is 0"),
        ({"kernel_size": 2, "stride": 0}, tad.ArgumentError, "stride is 0"),
    ],
    ids=str,
)
def test_windows_that_do_not_fit(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"nn.functional.max_pool2d: .*{message}"):
        nnf.max_pool2d(np.zeros((1, 1, 4, 4)), **options)


def test_another_rank() -> None:
    with pytest.raises(tad.ShapeError, match=r"x has shape \[4, 4\], where \[N, C, H, W\]"):
        nnf.max_pool2d(np.zeros((4, 4)), 2)
    with pytest.raises(tad.ShapeError, match="adaptive_avg_pool2d: x has shape"):
        nnf.adaptive_avg_pool2d(np.zeros((4, 4)), 2)
