"""Elementwise functions and reductions: data for test_functions.py."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

import taglessad as tad
from tests.checking.rule import NOTHING, Rule, axis, flag, some_axes


def unary() -> list[Rule]:
    names = (
        "abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor isfinite isinf "
        "isnan log log1p log2 log10 logical_not negative positive real reciprocal round sign "
        "signbit sin sinc sinh sqrt square tan tanh trunc ravel ones_like zeros_like empty_like "
        "atleast_1d atleast_2d atleast_3d matrix_transpose"
    ).split()
    return [Rule(name, "r", NOTHING, getattr(tad, name), getattr(np, name)) for name in names]


def binary() -> list[Rule]:
    names = (
        "add atan2 copysign divide equal floor_divide fmod greater greater_equal hypot less "
        "less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply "
        "nextafter not_equal pow remainder subtract matmul"
    ).split()
    other = {"atan2": "arctan2"}
    found = [
        Rule(name, "rr", NOTHING, getattr(tad, name), getattr(np, other.get(name, name)))
        for name in names
    ]
    bits = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split()
    found += [Rule(name, "ii", NOTHING, getattr(tad, name), getattr(np, name)) for name in bits]
    return found


def _reducing(name: str, params: st.SearchStrategy[Any], *, empty: bool) -> Rule:
    ours, numpys = getattr(tad, name), getattr(np, name)
    return Rule(
        name,
        "r",
        st.tuples(params, flag),
        lambda x, a, k: ours(x, axis=a, keepdims=k),
        lambda x, a, k: numpys(x, axis=a, keepdims=k),
        empty=empty,
        ranks=(1, 4),  # NumPy takes axis 0 of a number here and there
    )


def _cumulative(name: str) -> Rule:
    ours, numpys = getattr(tad, name), getattr(np, name)
    return Rule(
        name,
        "r",
        st.tuples(axis, flag),
        lambda x, a, k: ours(x, axis=a, include_initial=k),
        lambda x, a, k: numpys(x, axis=a, include_initial=k),
        ranks=(1, 4),
    )


def _running(name: str, ufunc: np.ufunc) -> Rule:
    ours = getattr(tad, name)
    return Rule(
        name,
        "r",
        st.tuples(axis),
        lambda x, a: ours(x, axis=a),
        lambda x, a: ufunc.accumulate(x, axis=a),
    )


def reductions() -> list[Rule]:
    names = "all any max mean median min nansum prod std sum var count_nonzero".split()
    # The largest of no entries is refused, whatever the shape of the result.
    found = [_reducing(n, some_axes, empty=n not in ("max", "min", "median")) for n in names]
    found += [_reducing(n, st.none() | axis, empty=False) for n in ("argmax", "argmin")]
    found += [_cumulative("cumulative_sum"), _cumulative("cumulative_prod")]
    found += [_running("cumulative_max", np.maximum), _running("cumulative_min", np.minimum)]
    return found
