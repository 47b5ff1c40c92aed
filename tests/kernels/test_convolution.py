"""The kernel of convolution, whichever way it takes, against the sum that defines it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taglessad.kernels.convolution import convolution
from taglessad.shapes.convolution import Window
from taglessad.shapes.convolution import convolution as result_shape


def by_definition(x: np.ndarray, kernel: np.ndarray, window: Window) -> np.ndarray:
    """y[i] is the sum over k and m, where i * s + k * d = a + m * e, of kernel[k] * x[m]."""
    strides, padding, dilation, kernel_dilation, groups = window
    outputs, channels, *taps = kernel.shape
    y = np.zeros([int(n) for n in result_shape(x.shape, kernel.shape, window)])  # type: ignore[call-overload]
    for i in np.ndindex(*y.shape[2:]):
        for k in np.ndindex(*taps):
            ends = zip(i, k, strides, padding, kernel_dilation, strict=True)
            steps = [a * s + b * d - before for a, b, s, (before, _), d in ends]
            if any(n % e for n, e in zip(steps, dilation, strict=True)):
                continue
            m = [n // e for n, e in zip(steps, dilation, strict=True)]
            if any(not 0 <= n < size for n, size in zip(m, x.shape[2:], strict=True)):
                continue
            for o in range(outputs):
                group = o // (outputs // groups)
                seen = x[:, group * channels : (group + 1) * channels]
                y[(slice(None), o, *i)] += seen[(..., *m)] @ kernel[(o, ..., *k)]
    return y


@given(st.data())
@settings(deadline=None, database=None, derandomize=True, max_examples=300)
def test_convolution_is_the_sum_that_defines_it(data: st.DataObject) -> None:
    def number(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    rank = number(0, 2)
    groups, channels, each = number(1, 2), number(1, 2), number(1, 2)
    x_shape = (number(0, 2), groups * channels, *(number(0, 4) for _ in range(rank)))
    kernel_shape = (groups * each, channels, *(number(0, 3) for _ in range(rank)))

    def each_axis(low: int, high: int) -> tuple[int, ...]:
        return tuple(number(low, high) for _ in range(rank))

    ends = tuple((number(-2, 3), number(-2, 3)) for _ in range(rank))
    window = Window(each_axis(1, 3), ends, each_axis(1, 3), each_axis(1, 3), groups)
    shape = result_shape(x_shape, kernel_shape, window)
    if any(isinstance(n, int) and n < 0 for n in shape):
        return
    rng = np.random.default_rng(rank)
    x, kernel = rng.standard_normal(x_shape), rng.standard_normal(kernel_shape)
    y = convolution(x, kernel, window)
    assert y.shape == shape
    np.testing.assert_allclose(y, by_definition(x, kernel, window), rtol=1e-12, atol=1e-12)


@given(st.data())
@settings(deadline=None, database=None, derandomize=True, max_examples=300)
def test_rows_of_a_channel_each(data: st.DataObject) -> None:
    """Long kernels of one channel, which NumPy's own sums take."""
    n, k, groups, members = (data.draw(st.integers(*r)) for r in ((0, 6), (1, 9), (1, 2), (1, 2)))
    ends = data.draw(st.integers(-3, 9)), data.draw(st.integers(-3, 9))
    window = Window((1,), (ends,), (1,), (1,), groups)
    rng = np.random.default_rng(n)
    x, kernel = rng.standard_normal((members, groups, n)), rng.standard_normal((groups, 1, k))
    shape = result_shape(x.shape, kernel.shape, window)
    if shape[2] < 0:
        return
    y = convolution(x, kernel, window)
    assert y.shape == shape
    np.testing.assert_allclose(y, by_definition(x, kernel, window), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("ends", [(0, 0), (399, 399), (700, -150), (-100, 20), (5, 900)], ids=str)
@pytest.mark.parametrize("groups", [1, 2])
def test_long_rows_of_several_channels(ends: tuple[int, int], groups: int) -> None:
    """So many products that windows side by side would be a matrix of megabytes."""
    rng = np.random.default_rng(0)
    x, kernel = rng.standard_normal((2, 4, 900)), rng.standard_normal((4, 4 // groups, 400))
    y = convolution(x, kernel, Window((1,), (ends,), (1,), (1,), groups))
    wide = np.pad(x, ((0, 0), (0, 0), tuple(max(0, e) for e in ends)))
    wide = wide[..., max(0, -ends[0]) : wide.shape[2] - max(0, -ends[1])]
    for i, o in np.ndindex(2, 4):
        first = o // (4 // groups) * (4 // groups)
        rows = wide[i, first : first + 4 // groups]
        parts = [np.correlate(r, k, "valid") for r, k in zip(rows, kernel[o], strict=True)]
        np.testing.assert_allclose(y[i, o], np.sum(parts, 0), rtol=1e-10, atol=1e-10)
