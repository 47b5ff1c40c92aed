"""Neural functions: data for test_functions.py."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

import taglessad as tad
from tests.checking.rule import NOTHING, Rule, axis

F = tad.nn.functional


def _softmax(x: Any, axis: Any) -> Any:
    return x / np.sum(x, axis=axis, keepdims=True)


def _same_shape(a: Any, b: Any) -> None:
    if a.shape != b.shape:
        raise ValueError("shapes differ")


def _labelled(x: Any, labels: Any) -> Any:
    if x.ndim != labels.ndim + 1:
        raise ValueError("one label for each row")
    _same_shape(x[..., 0], labels)
    return x[..., 0]


def _elementwise_loss(a: Any, b: Any) -> Any:
    _same_shape(a, b)
    return a


def _windows(x: Any, kernel: Any, stride: int, padding: int) -> Any:
    """The windows of the axes behind the first two, `padding` on either side, every stride-th."""
    n = len(kernel)
    if x.ndim != n + 2:
        raise ValueError("a batch of channels of so many axes")
    padded = np.pad(x, [(0, 0)] * 2 + [(padding, padding)] * n)
    whole = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=tuple(range(2, n + 2)))
    return whole[(slice(None), slice(None), *[slice(None, None, stride)] * n)]


def _convolved(x: Any, kernel: Any, stride: int, padding: int) -> Any:
    if x.ndim != kernel.ndim or kernel.ndim < 3 or x.shape[1] != kernel.shape[1]:
        raise ValueError("the kernel is of as many channels and axes")
    windows = _windows(x, kernel.shape[2:], stride, padding)
    return np.moveaxis(np.tensordot(windows, kernel[:, :, ...], axes=_paired(kernel.ndim)), -1, 1)


def _paired(rank: int) -> tuple[list[int], list[int]]:
    """The axes of windows and kernel that are summed over: channels, and the window itself."""
    return [1, *range(rank, 2 * rank - 2)], [1, *range(2, rank)]


def _convolution(n: int) -> Rule:
    ours = getattr(F, f"conv{n}d")
    return Rule(
        f"conv{n}d",
        "rr",
        st.tuples(st.integers(1, 2), st.integers(0, 1)),
        lambda x, k, s, p: ours(x, k, stride=s, padding=p),
        lambda x, k, s, p: _convolved(x, k, s, p) if x.ndim == n + 2 else _refused(),
        exact=False,
        ranks=(n + 1, n + 2),
        empty=False,
    )


def _pooling(name: str, n: int) -> Rule:
    ours = getattr(F, f"{name}{n}d")
    return Rule(
        f"{name}{n}d",
        "r",
        st.tuples(st.integers(1, 2), st.integers(1, 2)),
        lambda x, k, s: ours(x, k, stride=s),
        lambda x, k, s: _windows(x, (k,) * n, s, 0)[(..., *[0] * n)],
        exact=False,
        counts=True,
        ranks=(n + 1, n + 2),
        empty=False,
    )


def _refused() -> Any:
    raise ValueError("another number of axes")


NEURAL: list[Rule] = [
    Rule("softmax", "r", st.tuples(axis), F.softmax, _softmax, ranks=(1, 4), empty=False),
    Rule("log_softmax", "r", st.tuples(axis), F.log_softmax, _softmax, ranks=(1, 4), empty=False),
    *[
        Rule(name, "r", NOTHING, getattr(F, name), np.abs)
        for name in "elu gelu log_sigmoid relu relu6 selu sigmoid silu softplus".split()
    ],
    *[_convolution(n) for n in (1, 2)],
    *[_pooling(name, n) for name in ("avg_pool", "max_pool") for n in (1, 2)],
    Rule("one_hot", "i", st.tuples(st.integers(1, 3)), F.one_hot, lambda i, n: np.eye(n)[i]),
    Rule("cross_entropy", "ri", NOTHING, F.cross_entropy, _labelled, counts=True, empty=False),
    Rule("mse", "rr", NOTHING, F.mse, lambda a, b: np.mean(_elementwise_loss(a, b)), empty=False),
    Rule("binary_cross_entropy", "rr", NOTHING, F.binary_cross_entropy, _elementwise_loss),
]
