"""Running extremes: against NumPy's accumulate, derivatives, ties."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, IndexOutOfRange

ACCUMULATE: dict[str, Any] = {
    "cumulative_max": np.maximum.accumulate,
    "cumulative_min": np.minimum.accumulate,
}


@pytest.mark.parametrize("dtype", ["float64", "float16", "int8", "uint8", "bool"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ACCUMULATE)
def test_values(name: str, axis: int, dtype: str) -> None:
    x = np.random.default_rng(0).integers(-128, 128, (3, 4, 5)).astype(dtype)
    got = getattr(tad, name)(x, axis=axis)
    assert got.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(got), ACCUMULATE[name](x, axis))
    both = tad.vmap(lambda x: getattr(tad, name)(x, axis=axis))(np.stack([x, x[::-1]]))
    np.testing.assert_array_equal(np.asarray(both[1]), ACCUMULATE[name](x[::-1], axis))


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", ACCUMULATE)
def test_derivatives(check_program: Callable[..., None], name: str, axis: int) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4))
    check_program(lambda x: tad.sin(getattr(tad, name)(x, axis=axis)), x)


@pytest.mark.parametrize("name", ACCUMULATE)
def test_the_first_of_equal_entries_has_the_derivative(name: str) -> None:
    x = np.array([2.0, 2.0, 2.0, 5.0]) * (1 if name == "cumulative_max" else -1)
    got = tad.grad(lambda x: tad.sum(getattr(tad, name)(x)))(x)
    np.testing.assert_array_equal(np.asarray(got), [3.0, 0.0, 0.0, 1.0])


@pytest.mark.parametrize("name", ACCUMULATE)
def test_edges(name: str) -> None:
    f = getattr(tad, name)
    np.testing.assert_array_equal(np.asarray(f([1.0, np.nan, 9.0]))[1:], [np.nan, np.nan])
    assert tad.grad(lambda x: tad.sum(f(x)))(np.zeros(0)).shape == (0,)
    with pytest.raises(ArgumentError, match=rf"{name}: axis is missing; .*\[2, 2\]"):
        f(np.ones((2, 2)))
    with pytest.raises(IndexOutOfRange, match=f"{name}: axis 1"):
        f(np.ones(2), axis=1)
