"""Transforms inside transforms: perturbations never meet, every mode order agrees."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad

Derivative = Callable[[Callable[..., Any]], Callable[..., Any]]


def forward(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: tad.jvp(f, (x,), (1.0,))[1]


def through_vmap(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: tad.sum(tad.vmap(lambda t: tad.jvp(f, (x,), (t,))[1])(tad.asarray([1.0])))


MODES: dict[str, Derivative] = {
    "grad": tad.grad,
    "jacfwd": tad.jacfwd,
    "jacrev": tad.jacrev,
    "jvp": forward,
    "jvp in vmap": through_vmap,
}
PAIRS = list(itertools.product(MODES, repeat=2))
TRIPLES = list(itertools.product(("grad", "jacfwd", "jvp"), repeat=3))


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_inner_derivative_of_a_product(outer: str, inner: str) -> None:
    # d/dx [x * d/dy (x y)] = d/dx x**2 = 2 x
    program = lambda x: x * MODES[inner](lambda y: x * y)(1.0)
    assert float(MODES[outer](program)(4.0)) == 8.0


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_inner_derivative_of_a_sum(outer: str, inner: str) -> None:
    program = lambda x: x * MODES[inner](lambda y: x + 3.0 * y)(1.0)
    assert float(MODES[outer](program)(1.0)) == 3.0


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_inner_derivative_at_the_outer_variable(outer: str, inner: str) -> None:
    # d/dy y (2x - y) at y = x is 0 for every x
    program = lambda x: MODES[inner](lambda y: y * (2.0 * x - y))(x)
    assert float(program(3.0)) == 0.0
    assert float(MODES[outer](program)(3.0)) == 0.0


@pytest.mark.parametrize(("one", "two", "three"), TRIPLES)
def test_three_levels(one: str, two: str, three: str) -> None:
    # d/dx [x d/dy [y d/dz (x y z)]] with y = x, z = 1 at x: inner x y; y * x y -> 2 x y = 2 x^2;
    # x * 2 x^2 -> 6 x^2
    program = lambda x: x * MODES[two](lambda y: y * MODES[three](lambda z: x * y * z)(1.0))(x)
    assert float(MODES[one](program)(2.0)) == pytest.approx(24.0)


@pytest.mark.parametrize(("one", "two", "three"), TRIPLES)
def test_third_derivatives_agree(one: str, two: str, three: str) -> None:
    third = MODES[one](MODES[two](MODES[three](lambda x: tad.sin(x) * tad.exp(x))))
    x = 0.7
    # (e^x sin x)''' = 2 e^x (cos x - sin x)
    expected = 2.0 * np.exp(x) * (np.cos(x) - np.sin(x))
    assert float(third(x)) == pytest.approx(expected, rel=1e-13)


def test_one_callable_at_two_levels() -> None:
    class Layered:
        def __init__(self, outer: bool, x: Any) -> None:
            self.outer, self.x = outer, x

        def __call__(self, z: Any) -> Any:
            if self.outer:
                return z * tad.jacfwd(Layered(False, z))(1.0)
            return self.x + z

    assert float(tad.jacfwd(Layered(True, 0.0))(1.0)) == 1.0


def test_gradient_of_nested_forward() -> None:
    f = lambda p: tad.jacfwd(tad.jacfwd(lambda x: p * x**3))(2.0)
    assert float(tad.grad(f)(3.0)) == 12.0


def test_closure_scalar_in_vmap_has_a_scalar_gradient() -> None:
    rows = tad.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    f = lambda z: tad.sum(tad.vmap(lambda r: tad.logaddexp(z, tad.sum(r) + z))(rows))
    g = tad.grad(f)(0.5)
    assert g.shape == ()
    assert float(g) == pytest.approx(3.0, rel=1e-13)


def test_pullback_under_a_higher_interpreter() -> None:
    y, pull = tad.vjp(lambda x: tad.sin(x) * x, tad.asarray([0.3, 0.4]))
    basis = tad.asarray([[1.0, 0.0], [0.0, 1.0]])
    (rows,) = tad.vmap(lambda c: pull(c))(basis)
    x = np.array([0.3, 0.4])
    np.testing.assert_allclose(rows, np.diag(np.cos(x) * x + np.sin(x)), rtol=1e-15)
    # and the pullback is linear in its cotangent, so its own derivative is itself
    g = tad.grad(lambda c: tad.sum(pull(c)[0]))(tad.asarray([1.0, 1.0]))
    np.testing.assert_allclose(g, np.cos(x) * x + np.sin(x), rtol=1e-15)


def test_jit_inside_and_outside_of_derivatives() -> None:
    f = lambda x: tad.sum(tad.sin(x) * x)
    x = tad.asarray([0.5, -1.0])
    plain = np.asarray(tad.grad(f)(x))
    np.testing.assert_array_equal(tad.jit(tad.grad(f))(x), plain)
    np.testing.assert_array_equal(tad.grad(tad.jit(f))(x), plain)
    np.testing.assert_array_equal(tad.jit(tad.grad(tad.jit(f)))(x), plain)
    second = np.asarray(tad.hessian(f)(x))
    np.testing.assert_allclose(tad.jit(tad.hessian(f))(x), second, rtol=1e-15)


def test_jit_over_a_traced_closure_is_not_cached() -> None:
    def outer(a: Any) -> Any:
        return tad.jit(lambda y: a * y * y)(3.0)

    assert float(tad.grad(outer)(2.0)) == 9.0
    assert float(tad.jit(tad.grad(outer))(2.0)) == 9.0


def test_detach_at_every_level_and_order() -> None:
    f = lambda x: x * tad.detach(x * x)
    for d in MODES.values():
        assert float(d(f)(3.0)) == 9.0
        assert float(d(d(f))(3.0)) == 0.0
    g = tad.no_grad(lambda x: x * x)
    assert float(tad.grad(lambda x: x * g(x))(3.0)) == 9.0
    assert float(tad.grad(tad.grad(lambda x: x * x * g(x)))(3.0)) == 18.0
