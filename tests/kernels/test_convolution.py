"""The kernel of convolution, whichever way it takes, against the sum that defines it."""

import numpy as np
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
