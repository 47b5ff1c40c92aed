"""Activations far from 0, where the obvious formulas lose their derivatives."""

from fractions import Fraction

import numpy as np
import pytest

import taglessad as tad
from taglessad.nn import functional as F


@pytest.mark.parametrize("x", [1e-30, 0.5, 0.999, 1.0, 3.0, 1e8, -4.5e57, -1e100])
def test_soft_sign_and_its_derivatives(x: float) -> None:
    a = 1 + abs(Fraction(x))
    exact = (Fraction(x) / a, 1 / a**2, -2 * int(np.sign(x)) / a**3)
    first, second = tad.grad(F.soft_sign), tad.grad(tad.grad(F.soft_sign))
    for got, y in zip((F.soft_sign(tad.tensor(x)), first(x), second(x)), exact, strict=True):
        assert float(got) == pytest.approx(float(y), rel=1e-15, abs=0.0)


def test_gelu_by_tanh_where_the_cube_overflows() -> None:
    x = np.asarray([2.6e160, -2.6e160, 1e300, np.inf, -np.inf, 101.0, -101.0])
    right = (x > 0).astype(float)
    np.testing.assert_array_equal(F.gelu(tad.asarray(x)), np.where(x > 0, x, 0.0))
    np.testing.assert_array_equal(tad.vmap(tad.grad(F.gelu))(x), right)
    np.testing.assert_array_equal(tad.vmap(tad.grad(tad.grad(F.gelu)))(x), 0.0 * right)
