"""Next to zeros of values and derivatives, where terms nearly cancel: a few units in the last place."""

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import taglessad as tad
from taglessad import special
from taglessad.proofs_checks.accuracy import FEW, Oracle, measured, ulps
from taglessad.proofs_checks.accuracy_report import ROWS

AT: list[tuple[str, tuple[int, ...], tuple[float, ...]]] = [
    ("sinc", (), (-0.947669,)),
    ("sinc", (0,), (3.47081,)),
    ("sinc", (0,), (1.4302966531242027,)),
    ("sinc", (0,), (1.7e308,)),
    ("sinc", (0, 0), (-0.664056,)),
    ("sinc", (0, 0), (0.6625784562335898,)),
    ("gamma", (0,), (-13.7155,)),
    ("gammaln", (), (-2.44716,)),
    ("gammaln", (), (-3.1435808883499798,)),
    ("digamma", (), (-16.7353,)),
    ("digamma", (), (-0.504083008264455,)),
    ("trigamma", (0,), (-29.5,)),
    ("polygamma(2, x)", (), (-29.500001,)),
    ("polygamma(3, x)", (0,), (-29.5,)),
    ("polygamma(10, x)", (), (-29.5,)),
    ("polygamma(10, x)", (0, 0), (-3917230000000000.5,)),
    ("betaln", (), (0.0516443, 1.14761e25)),
    ("betaln", (), (0.7, 1.45)),
    ("beta", (0,), (28.5879, 8.07144e11)),
    ("beta", (0, 0), (28.5879, 8.07144e11)),
    ("binom", (0, 0), (10.2389, 1.00914)),
    ("binom", (0, 0), (91.33818, 8.27181e-17)),
    ("binom", (0, 1), (21.5155, 11.5307)),
    ("binom", (1, 1), (80.6954, 44.8743)),
    ("gammainc", (0, 1), (18.45, 17.9498)),
    ("gammaincc", (0, 1), (18.45, 17.9498)),
    ("betainc(20.0, 30.0, x)", (0, 0), (0.395446,)),
    ("betainc", (0, 2), (15.9261, 1.89651, 0.890563)),
    ("betainc", (1, 2), (20.735, 12.1733, 0.639748)),
    ("betainc", (2, 2), (20.3022, 18.4453, 0.525092)),
    ("inv_boxcox", (), (87.5551, 2.46371e-10)),
    ("inv_boxcox", (1,), (87.5551, 2.46371e-10)),
    ("inv_boxcox", (0, 0), (18.9518, 0.985032)),
    ("inv_boxcox", (1, 1), (87.5551, 2.46371e-10)),
    ("rel_entr", (0,), (4.39292, 12.4412)),
    ("rel_entr", (0,), (0.36787944117144233, 1.0)),
]


@pytest.mark.parametrize(("name", "orders", "at"), AT, ids=[f"{n}{o}{a}" for n, o, a in AT])
def test_next_to_a_zero(name: str, orders: tuple[int, ...], at: tuple[float, ...]) -> None:
    row = next(row for row in ROWS if row.name == name)
    exact = Oracle(row, [mp.mpf(x) for x in at])(orders)
    found = measured(row, [np.asarray([x]) for x in at], orders)
    assert ulps(float(found[0]), exact) <= FEW


def test_higher_derivatives_of_sinc_next_to_zeros_of_theirs() -> None:
    f: Any = tad.sinc
    for order in range(7):
        with mp.workdps(60):
            slope = lambda x, k=order: mp.diff(mp.sincpi, x, k)
            zero = float(mp.findroot(slope, 2.3))
            exact = slope(mp.mpf(zero))
        np.testing.assert_allclose(float(f(zero)), float(exact), rtol=2e-15)
        f = tad.grad(f)


@pytest.mark.parametrize("dtype", (np.float16, np.float32, np.float64))
def test_the_dtype_is_kept(dtype: type) -> None:
    x = tad.tensor(np.asarray([-2.5, 0.3, 1.4], dtype))
    for f in (tad.sinc, special.digamma, lambda x: special.inv_boxcox(x + 3, x + 3)):
        assert f(x).dtype == np.dtype(dtype)
        assert tad.grad(lambda x, f=f: tad.sum(f(x)))(x).dtype == np.dtype(dtype)


def test_the_ends_of_inv_boxcox() -> None:
    f = special.inv_boxcox
    assert float(f(-2.0, 0.5)) == 0.0
    assert math.isnan(float(f(-3.0, 0.5)))
    assert float(f(2.0, -0.5)) == math.inf
    assert float(f(math.inf, 0.5)) == math.inf
    assert float(f(-math.inf, 0.0)) == 0.0
