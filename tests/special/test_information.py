"""Softmax and its kin where there is nothing to normalise."""

from collections.abc import Callable

import numpy as np
import pytest

import taglessad as tad


@pytest.mark.parametrize("f", [tad.special.softmax, tad.special.log_softmax])
def test_an_axis_without_entries(f: Callable[..., tad.Tensor]) -> None:
    x = np.zeros((2, 0))
    for axis in (1, None, 0):
        assert f(x, axis).shape == (2, 0)
    assert tad.grad(lambda x: tad.sum(f(x, 1)))(x).shape == (2, 0)
