"""Every program of `programs` means what it says, in every mode, order and interpreter."""

from itertools import product

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters.eager import EAGER
from tests.control.programs import PAIRS, Pair

MODES = {"forward": tad.jacfwd, "reverse": tad.grad}
ORDERS = [names for n in range(4) for names in product(MODES, repeat=n)]
each = pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)


@each
@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_derivatives(pair: Pair, order: tuple[str, ...]) -> None:
    f, g = pair.program, pair.meaning
    for name in order:
        f, g = MODES[name](f), MODES[name](g)
    np.testing.assert_allclose(f(pair.point), g(pair.point), rtol=1e-11)


@each
@pytest.mark.parametrize("order", [(), ("reverse",), ("forward", "reverse")], ids="-".join)
def test_replayed(pair: Pair, order: tuple[str, ...]) -> None:
    f = pair.program
    for name in order:
        f = MODES[name](f)
    np.testing.assert_allclose(tad.jit(f)(pair.point), f(pair.point), rtol=1e-13)
    np.testing.assert_allclose(
        tad.trace(f)(pair.point).run(EAGER, [np.float64(pair.point)])[0], f(pair.point), rtol=1e-13
    )


@each
@pytest.mark.parametrize(
    "order", [(), ("reverse",), ("forward",), ("reverse", "reverse")], ids="-".join
)
def test_members_of_a_batch(pair: Pair, order: tuple[str, ...]) -> None:
    f = pair.program
    for name in order:
        f = MODES[name](f)
    points = pair.point * np.asarray([0.9, 1.0, 1.2])
    one_by_one = [float(f(x)) for x in points]
    np.testing.assert_allclose(tad.vmap(f)(points), one_by_one, rtol=1e-12)
    np.testing.assert_allclose(tad.jit(tad.vmap(f))(points), one_by_one, rtol=1e-12)


@each
@pytest.mark.parametrize("mode", MODES)
def test_derivative_of_a_batch(pair: Pair, mode: str) -> None:
    points = pair.point * np.asarray([0.9, 1.0, 1.2])
    rows = (
        tad.jacfwd(tad.vmap(pair.program))
        if mode == "forward"
        else tad.jacrev(tad.vmap(pair.program))
    )
    slopes = [float(tad.grad(pair.program)(x)) for x in points]
    np.testing.assert_allclose(rows(points), np.diag(slopes), rtol=1e-12)


@each
def test_shape(pair: Pair) -> None:
    assert tad.interpret(pair.program, tad.interpreters.Shape())(()) == ()
    assert tad.interpret(tad.grad(pair.program), tad.interpreters.Shape())(()) == ()


@each
def test_linearized(pair: Pair) -> None:
    y, push = tad.linearize(pair.program, pair.point)
    slope = float(tad.grad(pair.meaning)(pair.point))
    np.testing.assert_allclose(y, pair.program(pair.point))
    np.testing.assert_allclose(push(2.0), 2.0 * slope, rtol=1e-11)
    z, pull = tad.vjp(pair.program, pair.point)
    np.testing.assert_allclose(pull(3.0)[0], 3.0 * slope, rtol=1e-11)
