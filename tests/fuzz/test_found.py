"""Disagreements that random programs brought to light, each as small as it gets."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters import Kinks
from taglessad.interpreters.exact import Exact

X = np.asarray([0.3, -0.2, 0.7])

MODES: dict[str, Any] = {"forward": tad.jacfwd, "reverse": tad.grad}


@tad.custom_jvp
def ruled(x: Any) -> Any:
    """x, with the slope 3 x by decree."""
    return x * 1.0


ruled.defjvp(lambda xs, ds: (ruled(xs[0]), 3.0 * xs[0] * ds[0]))


@pytest.mark.parametrize(("inner", "outer"), list(product(MODES, MODES)))
def test_a_rule_counts_in_the_value_that_reverse_mode_keeps(inner: str, outer: str) -> None:
    """Forward over reverse differentiated the function's text where the product keeps its value."""
    f = lambda x: ruled(x) * ruled(x)
    second = MODES[outer](MODES[inner](f))
    # by decree: f' = 2 r r', f'' = 2 r'^2 + 2 r r'' with r = 2, r' = 6, r'' = 3
    assert float(second(2.0)) == 84.0
    assert float(tad.jit(second)(2.0)) == 84.0
    assert float(tad.vmap(second)(np.asarray([2.0]))[0]) == 84.0


def test_a_running_maximum_of_a_vector_is_a_vector_of_numbers() -> None:
    """Its entries were arrays under Real and Exact."""
    xs = np.asarray([Fraction(1), Fraction(3), Fraction(2)], object)
    found = tad.interpret(tad.cumulative_max, Exact())(xs)
    assert found.tolist() == [1, 3, 3]
    real = pytest.importorskip("taglessad.interpreters.real")
    enclosed = tad.interpret(lambda x: tad.tanh(tad.cumulative_max(x)), real.Real())(X)
    np.testing.assert_allclose(enclosed.mid, np.tanh([0.3, 0.3, 0.7]), rtol=1e-15)


def test_a_sorted_function_has_a_gradient_on_jax() -> None:
    """What counts live entries has 32 bits, and lax adds numbers of one width only."""
    jax = pytest.importorskip("taglessad.interpreters.jax")
    f = lambda x: tad.sum(tad.sort(tad.sin(x)) * np.asarray([1.0, 2.0, 4.0]))
    want = np.cos(X) * [2.0, 1.0, 4.0]
    np.testing.assert_allclose(tad.jit(tad.grad(f), jax.Jax())(X), want, rtol=1e-14)


LARGEST: dict[str, Callable[[Any], Any]] = {
    "max": lambda x: tad.max(tad.sin(x)),
    "min": lambda x: -tad.min(-tad.sin(x)),
    "segment_max": lambda x: tad.sum(tad.segment_max(tad.sin(x), np.asarray([0, 0, 0]), 1)),
}


@pytest.mark.parametrize("f", LARGEST.values(), ids=LARGEST)
def test_the_gradient_of_a_largest_number_is_known(f: Callable[[Any], Any]) -> None:
    """Where the numbers themselves are not exact, Real took the largest for perhaps another one."""
    real = pytest.importorskip("taglessad.interpreters.real")
    found = tad.interpret(tad.grad(f), real.Real())(X)
    assert np.all(found.rad < 1e-15)
    np.testing.assert_allclose(found.mid, [0.0, 0.0, np.cos(0.7)], rtol=1e-15)


def test_numbers_of_an_enclosure_that_is_an_argument_are_not_one_number() -> None:
    real = pytest.importorskip("taglessad.interpreters.real")
    wide = tad.interpret(lambda x: tad.sin(x) * np.ones(2), real.Real())(0.5)
    both = wide[np.asarray([0, 0])]
    found = tad.interpret(lambda x: tad.where(x[0] == x[1], 1.0, 0.0), real.Real(max_prec=256))
    assert not (found(both).lo == found(both).hi == 1.0)


@tad.custom_jvp
def through(x: Any) -> Any:
    """Rounded, with the slope 1."""
    return tad.round(x)


through.defjvp(lambda xs, ds: (through(xs[0]), ds[0]))


def test_a_pattern_has_what_a_rule_says() -> None:
    """Patterns were those of the function's text, and derivatives by rule came out as zeros."""
    pytest.importorskip("scipy")
    jacobian = tad.sparse_jacobian(lambda x: through(3.0 * x))(X)
    assert jacobian.toarray().tolist() == (3.0 * np.eye(3)).tolist()
    f = lambda x: tad.sum(through(x) * x[::-1])
    np.testing.assert_array_equal(tad.sparse_hessian(f)(X).toarray(), tad.hessian(f)(X))


def test_the_hessian_of_random_shares_is_full() -> None:
    """Random numbers of gamma distributions have their derivative by a rule."""
    pytest.importorskip("scipy")
    key, weights = tad.random.key(0), np.asarray([1.0, 2.0, 3.0])
    f = lambda x: tad.sum(tad.random.dirichlet(key, x * x + 0.5) * weights)
    want = np.asarray(tad.hessian(f)(X))
    assert np.all(want != 0.0)
    np.testing.assert_allclose(tad.sparse_hessian(f)(X).toarray(), want, rtol=1e-10)


def test_softmax_has_no_kinks() -> None:
    """The largest entry is subtracted, but not differentiated."""
    assert tad.interpret(lambda x: tad.special.softmax(x * 0.0), Kinks())(X) == []


def test_sinc_has_no_kinks() -> None:
    assert tad.interpret(tad.sinc, Kinks())(X) == []
