"""What a replay is given and gives: kinds of numbers, checked arguments, static ones by kind."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad


def test_truth_values_of_rank_0_stay_truth_values() -> None:
    m = tad.jit(lambda x: tad.broadcast_to(x < 0, (3,)))(1.0)
    assert np.asarray(m).dtype == np.bool_
    s = tad.jit(lambda x: tad.stack([x < 0, x > 0]))(1.0)
    assert np.asarray(s).dtype == np.bool_ and s.tolist() == [False, True]
    f = lambda x: tad.sum(tad.where(~tad.broadcast_to(x < 0, (3,)), x * x, 0.0))
    assert float(tad.jit(tad.grad(f))(2.0)) == 12.0


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8])
def test_integer_sums_keep_their_dtype(dtype: Any) -> None:
    x = np.array([100, 100], dtype)
    f = lambda x: tad.sum(x, dtype=x.dtype)
    eager, replay = f(tad.asarray(x)), tad.jit(f)(x)
    assert np.asarray(replay).dtype == dtype
    np.testing.assert_array_equal(replay, np.asarray(eager))


def test_equal_static_arguments_of_another_kind_are_others() -> None:
    j = tad.jit(tad.copysign, static_argnums=1)
    assert (float(j(1.0, 0.0)), float(j(1.0, -0.0))) == (1.0, -1.0)
    k = tad.jit(lambda x, n: x * n[0], static_argnums=1)
    assert k(np.array([3]), (2,)).dtype == tad.int64
    assert k(np.array([3]), (2.0,)).dtype == tad.float64


def test_arguments_are_checked_at_every_call() -> None:
    j = tad.jit(tad.sum)
    assert float(j(np.ones(3))) == 3.0
    with pytest.raises(tad.ArgumentError, match="masked"):
        j(np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]))
    k = tad.jit(lambda n: n * 2)
    assert int(k(1)) == 2
    with pytest.raises(tad.DTypeError):
        k(2**63)


def test_python_integers_are_arrays_to_a_replay() -> None:
    assert tad.jit(lambda n: tad.reshape(n, (1,)))(3).tolist() == [3]
    assert int(tad.jit(tad.prod)(3)) == 3


def test_empty_cumulative_products_have_an_empty_hessian() -> None:
    f = lambda x: tad.sum(tad.cumulative_prod(x))
    assert tad.jit(tad.hessian(f))(np.zeros(0)).shape == (0, 0)
