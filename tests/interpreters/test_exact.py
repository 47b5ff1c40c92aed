"""Exact: programs on rational numbers, and their derivatives, without error."""

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError, DomainError
from taglessad.interpreters import Batch, Dual, Eager, Exact
from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks.domains import DOMAINS, cases
from taglessad.proofs_checks.runs import active, as_program, weighted
from taglessad.tensor import handle
from taglessad.transforms.gradient import grad

F = Fraction
Program = Callable[..., Any]


def under(f: Program) -> Program:
    return tad.interpret(f, Exact())


def q(*values: Any) -> Any:
    """An object array of Fractions."""
    return np.asarray(values, object)


def same(a: Any, b: Any) -> bool:
    """Equal as exact numbers, shape included."""
    x, y = np.asarray(a, object), np.asarray(b, object)
    return x.shape == y.shape and all(
        isinstance(v, Fraction) and v == w for v, w in zip(x.ravel(), y.ravel(), strict=True)
    )


# --- literals and results ------------------------------------------------------------------------
def test_a_float_literal_is_its_binary_value() -> None:
    assert under(lambda x: x * 0.1)(F(1)) == F(3602879701896397, 2**55)


def test_one_third_stays_one_third() -> None:
    y = under(lambda x: x + x + x)(F(1, 3))
    assert isinstance(y, Fraction) and y == 1


def test_a_fraction_is_a_literal_too() -> None:
    assert under(lambda x: x * F(1, 3) + F(1, 6))(F(1, 2)) == F(1, 3)
    assert under(tad.grad(lambda x: F(2, 3) * x**2))(F(1, 2)) == F(2, 3)
    assert under(lambda x: tad.where(x > F(1, 3), x, -x))(F(1, 3)) == F(-1, 3)
    assert same(under(lambda x: x @ q(F(1, 3), F(1, 2)))(q(F(3), F(4))), F(3))
    with pytest.raises(tad.DTypeError, match="Fraction"):
        tad.tensor(1.0) * F(1, 3)


def test_object_arrays_come_back_as_object_arrays() -> None:
    y = under(lambda x: x / 3)(q(F(1, 2), 1, 0.5))
    assert y.dtype == object and same(y, q(F(1, 6), F(1, 3), F(1, 6)))


def test_integers_and_truth_values_come_back_as_handles() -> None:
    place, above = under(lambda x: (tad.argmax(x), x > 1))(q(F(1, 2), F(3, 2)))
    assert int(place) == 1 and np.asarray(above).tolist() == [False, True]


def test_an_eager_value_that_a_program_closes_over_is_lifted_exactly() -> None:
    outside = tad.tensor([0.1, 0.5])
    expected = q(F(0.1) / 3, F(1, 6))
    assert same(under(lambda x: outside * x)(F(1, 3)), expected)


def test_float32_arguments_are_not_rounded_again() -> None:
    x = np.float32(0.1)
    assert under(lambda x: x * x)(np.asarray(x)) == F(float(x)) ** 2


def test_object_arrays_are_refused_elsewhere_and_of_other_objects() -> None:
    with pytest.raises(tad.DTypeError, match="object array"):
        tad.sum(q(F(1, 2)))
    with pytest.raises(ArgumentError, match="entries must be Fractions"):
        under(lambda x: x)(np.asarray(["a", None], object))


# --- derivatives against hand-derived rationals --------------------------------------------------
def iterate(x: Any, n: int) -> Any:
    """n steps of x(1 - x) * 3."""
    for _ in range(n):
        x = 3 * x * (1 - x)
    return x


def hand_iterated(x: Fraction, n: int) -> Fraction:
    """Its derivative by the chain rule."""
    slope = F(1)
    for _ in range(n):
        x, slope = 3 * x * (1 - x), slope * 3 * (1 - 2 * x)
    return slope


third = F(1, 3)
PROGRAMS: dict[str, tuple[Program, Any, Any]] = {
    "square": (lambda x: x * x, third, 2 * third),
    "cube over": (lambda x: x**3 / (1 + x), third, F(11, 48)),
    "reciprocal": (lambda x: 1 / x, third, -9),
    "negative power": (lambda x: x**-3, F(1, 2), -48),
    "continued fraction": (lambda x: 1 / (1 + 1 / (1 + x)), F(1, 2), F(4, 25)),
    "Horner": (lambda x: ((2 * x - 3) * x + 5) * x - 7, F(2, 7), 6 * F(4, 49) - 6 * F(2, 7) + 5),
    "float literal": (lambda x: 0.1 * x * x, F(5), 10 * F(0.1)),
    "sum of squares": (lambda x: tad.sum(x * x), q(F(1, 2), F(-2, 3)), q(1, F(-4, 3))),
    "product with a zero": (tad.prod, q(F(2), F(0), F(1, 3)), q(0, F(2, 3), 0)),
    "inner product": (
        lambda x: tad.vecdot(x, tad.flip(x)),
        q(F(1), F(1, 2), F(1, 3)),
        q(F(2, 3), 1, 2),
    ),
    "quadratic form": (
        lambda x: x @ (np.asarray([[2.0, 1.0], [0.0, 3.0]]) @ x),
        q(F(1, 3), F(1, 7)),
        q(F(4, 3) + F(1, 7), F(1, 3) + F(6, 7)),
    ),
    "mean": (tad.mean, q(F(1), F(2), F(3)), q(third, third, third)),
    "variance": (tad.var, q(F(0), F(1), F(5)), q(F(-4, 3), F(-2, 3), 2)),
    "maximum at a tie": (lambda x: tad.maximum(x, 1 - x), F(1, 2), 0),
    "largest entry": (tad.max, q(F(1, 3), F(1, 2), F(1, 4)), q(0, 1, 0)),
    "absolute value": (lambda x: tad.abs(x) * x, F(-2, 3), F(4, 3)),
    "selection": (lambda x: tad.where(x > 0.5, x * x, 7 * x), F(1, 2), 7),
    "dead branch": (lambda x: tad.where(x > 0, 1 / x, x), F(0), 1),
    "gather": (
        lambda x: tad.sum(x[np.asarray([0, 0, 2])] ** 2),
        q(F(1, 2), F(5), F(1, 3)),
        q(2, 0, F(2, 3)),
    ),
    "scatter": (
        lambda x: tad.prod(x.at[1].add(x[0])),
        q(F(1, 2), F(1, 3)),
        q(F(4, 3), F(1, 2)),
    ),
    "sorted weights": (
        lambda x: tad.vecdot(tad.sort(x), np.asarray([1.0, 2.0, 3.0])),
        q(F(3, 2), F(1, 2), F(5, 2)),
        q(2, 1, 3),
    ),
    "running products": (
        lambda x: tad.sum(tad.cumulative_prod(x)),
        q(F(2), F(1, 3)),
        q(F(4, 3), 2),
    ),
    "root of a square": (lambda x: tad.sqrt(x * x + 1), F(3, 4), F(3, 5)),
    "iterated map": (lambda x: iterate(x, 3), third, hand_iterated(third, 3)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_is_the_hand_derived_rational(name: str) -> None:
    f, x, expected = PROGRAMS[name]
    wanted = np.asarray(np.vectorize(F, otypes=[object])(np.asarray(expected, object)))
    assert same(under(tad.grad(f))(x), wanted)


def test_there_are_twenty_of_them() -> None:
    assert len(PROGRAMS) >= 20


def test_hessian_of_a_rational_function() -> None:
    # x0^2 / x1: [[2/x1, -2 x0/x1^2], [., 2 x0^2/x1^3]]
    found = under(tad.hessian(lambda x: x[0] ** 2 / x[1]))(q(F(1, 3), F(2)))
    assert same(found, [[F(1), F(-1, 6)], [F(-1, 6), F(1, 36)]])


def test_jvp_hvp_and_vmap_of_grad() -> None:
    f = lambda x: tad.sum(x**3)
    x, v = q(F(1, 2), F(2, 3)), q(F(1, 5), F(-1, 7))
    assert under(tad.jvp(f))(x, v) == F(3, 4) * F(1, 5) + F(4, 3) * F(-1, 7)
    assert same(under(tad.hvp(f))(x, v), q(3 * F(1, 5), 4 * F(-1, 7)))
    rows = np.asarray([[F(1, 2), F(1)], [F(1, 3), F(0)]], object)
    assert same(under(tad.vmap(tad.grad(f)))(rows), [[F(3, 4), F(3)], [F(1, 3), F(0)]])


def test_jit_and_a_recorded_graph() -> None:
    f = lambda x: x**3 / 4
    assert under(tad.jit(tad.grad(f)))(F(1, 3)) == F(1, 12)
    graph = tad.trace(tad.grad(f))(1.0)

    def replayed(x: Any) -> Any:
        (y,) = graph.run(x.ops, [x.payload])
        return handle(x.ops, y, x.dtype)

    assert under(replayed)(F(1, 3)) == F(1, 12)


def test_literals_survive_being_recorded() -> None:
    graph = tad.trace(tad.grad(lambda x: x * x / 3))(1.0)  # its text has 0.333...

    def replayed(x: Any) -> Any:
        return handle(x.ops, graph.run(x.ops, [x.payload])[0], x.dtype)

    assert under(replayed)(F(1, 2)) == F(1, 3)
    assert float(tad.interpret(replayed, Eager())(0.5)) == float(tad.grad(lambda x: x * x / 3)(0.5))


def test_gradient_through_a_loop_whose_trip_count_the_value_decides() -> None:
    grow = lambda x: tad.while_loop(lambda x: x < 10, lambda x: x * x / 3 + 1, x)

    def by_hand(x: Fraction) -> tuple[Fraction, Fraction]:
        slope = F(1)
        while x < 10:
            x, slope = x * x / 3 + 1, slope * 2 * x / 3
        return x, slope

    for x in (F(3), F(7, 2), F(11)):
        assert (under(grow)(x), under(tad.grad(grow))(x)) == by_hand(x)
    rows = q(F(3), F(7, 2))
    assert same(under(tad.vmap(tad.grad(grow)))(rows), [by_hand(x)[1] for x in rows])
    # d/dx of the slope 2x/3 * 2y/3 with y = x*x/3 + 1 (two trips from 3): 4/9 (y + 2 x*x/3)
    two = lambda x: tad.fori_loop(0, 2, lambda i, x: x * x / 3 + 1, x)
    assert under(tad.hessian(two))(F(3)) == F(4, 9) * (4 + 6)


def test_scan_and_cond() -> None:
    products = lambda x: tad.scan(lambda c, t: (c * t, c + t), x, np.arange(1.0, 4.0))[0]
    assert under(tad.grad(products))(F(1, 3)) == 6
    choose = lambda x: tad.cond(x > 0.25, lambda x: x * x, lambda x: -x, x)
    assert under(tad.grad(choose))(F(1, 3)) == F(2, 3) and under(tad.grad(choose))(F(1, 5)) == -1


def test_a_fourier_transform_whose_waves_are_rational() -> None:
    re, im = under(tad.fft.rfft)(q(F(1), F(1, 2), F(1, 3), F(1, 4)))
    assert same(re, q(F(25, 12), F(2, 3), F(7, 12))) and same(im, q(0, F(-1, 4), 0) + F(0))
    with pytest.raises(DomainError, match="rfft: the cosine of 1/3 of a turn"):
        under(tad.fft.rfft)(q(F(1), F(2), F(3)))


def test_linear_algebra_over_the_rationals() -> None:
    a = np.asarray([[F(4), F(2)], [F(2), F(5)]], object)
    assert same(under(tad.linalg.inv)(a), [[F(5, 16), F(-1, 8)], [F(-1, 8), F(1, 4)]])
    assert under(tad.linalg.det)(a) == 16
    assert same(under(tad.grad(tad.linalg.det))(a), [[F(5), F(-2)], [F(-2), F(4)]])
    assert same(under(tad.linalg.cholesky)(a), [[F(2), F(0)], [F(1), F(2)]])
    # d sum(a^-1 1) = -(a^-1 1)(a^-T 1)^T with a^-1 1 = (3/16, 1/8)
    total = lambda a: tad.sum(tad.linalg.solve(a, np.ones(2)))
    assert same(under(tad.grad(total))(a), [[F(-9, 256), F(-3, 128)], [F(-3, 128), F(-1, 64)]])
    with pytest.raises(DomainError, match="inv: the matrix is singular"):
        under(tad.linalg.inv)(np.asarray([[F(1), F(2)], [F(2), F(4)]], object))
    with pytest.raises(DomainError, match="eigh: its results are not rational numbers"):
        under(tad.linalg.eigvalsh)(a)


def test_without_flint_it_works_and_real_says_what_to_install() -> None:
    program = """
import sys
sys.modules["flint"] = None
from fractions import Fraction
import taglessad as tad
from taglessad.interpreters import Exact, Real
print(tad.interpret(tad.grad(lambda x: x**3 / (1 + x)), Exact())(Fraction(1, 3)))
for make in (Real, lambda: tad.checks.certify(tad.exp, 1.0)):
    try:
        make()
    except tad.MissingExtra as error:
        print(error.message)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout.splitlines() == [
        "11/48",
        "Real needs python-flint: pip install 'taglessad[real]'",
        "certify needs python-flint: pip install 'taglessad[real]'",
    ], ran.stderr


def test_transformers_stand_on_it() -> None:
    y, dy = tad.interpret(lambda x: x**3, Dual(Exact()))((F(1, 3), F(1, 2)))
    assert (y, dy) == (F(1, 27), F(1, 6))
    rows = tad.interpret(lambda x: x * x, Batch(Exact(), 2))(q(F(1, 3), F(2)))
    assert same(rows, q(F(1, 9), F(4)))


def test_muller_is_exact() -> None:
    # Muller's recurrence, of which floats converge to 100; the exact value tends to 6.
    def muller(a: Any, b: Any, steps: int) -> Any:
        for _ in range(steps):
            a, b = b, 111 - 1130 / b + 3000 / (a * b)
        return b

    found = under(lambda a, b: muller(a, b, 30))(F(2), F(-4))
    assert found == muller(F(2), F(-4), 30)


# --- ties ----------------------------------------------------------------------------------------
def test_ties_are_reported_with_their_line() -> None:
    exact = Exact()
    program = lambda x: tad.maximum(x[0], x[1]) + tad.abs(x[2]) + tad.max(x)
    found = tad.interpret(tad.grad(program), exact)(q(third, third, F(0)))
    assert same(found, q(F(1), F(1), F(0)))
    assert [(t.op, t.value, t.entries) for t in exact.ties] == [
        ("maximum", third, 1),
        ("abs", 0, 1),
        ("max", third, 1),
    ]
    assert all(t.site is not None and t.site[0] == __file__ for t in exact.ties)


def test_without_ties_none_are_reported() -> None:
    exact = Exact()
    tad.interpret(lambda x: tad.max(x) + tad.abs(x[0]), exact)(q(F(1), F(2)))
    assert exact.ties == []


# --- what is no rational number ------------------------------------------------------------------
@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "atan2", "logaddexp"])
def test_a_function_without_rational_values_is_named(name: str) -> None:
    f = getattr(tad, name)
    args = (F(1, 3), F(1, 2))[: 2 if name in ("atan2", "logaddexp") else 1]
    with pytest.raises(DomainError, match=rf"{name}: its values are not rational"):
        under(f)(*args)


def test_the_root_of_two_is_named_and_that_of_a_square_computed() -> None:
    assert under(tad.sqrt)(F(4, 9)) == F(2, 3)
    with pytest.raises(DomainError, match="sqrt: the value at 2 is not a rational number"):
        under(tad.sqrt)(F(2))
    with pytest.raises(DomainError, match="sqrt: the value at -1"):
        under(tad.sqrt)(F(-1))


def test_division_by_zero_is_an_error_where_it_counts() -> None:
    with pytest.raises(DomainError, match="division by zero"):
        under(lambda x: 1 / (x - x))(F(1))
    with pytest.raises(DomainError, match="truth value"):
        under(lambda x: 1 / (x - x) > 0)(F(1))
    with pytest.raises(DomainError, match="where: the condition"):
        under(lambda x: tad.where(1 / (x - x) > 0, x, -x))(F(1))


def test_nan_and_infinity_are_no_rationals() -> None:
    with pytest.raises(DomainError, match="inf is not a rational"):
        under(lambda x: x + np.inf)(F(1))
    assert under(lambda x: tad.where(x > 0, x, -np.inf))(F(1)) == 1


# --- every primitive that has a rational meaning -------------------------------------------------
def rational(name: str) -> bool:
    """Whether Exact computes the primitive."""
    if name not in DOMAINS:
        return False
    try:
        for case in cases(name, 2, smooth=False):
            under(lambda *xs, c=case: as_program(PRIMITIVES[name], c, range(len(xs)))(*xs))(
                *case.operands
            )
    except DomainError:
        return False
    return True


RATIONAL = sorted(name for name in PRIMITIVES if rational(name))


def test_what_is_rational() -> None:
    assert {"add", "contract", "convolution", "prod", "argsort", "take"} <= set(RATIONAL)
    assert not {"exp", "gammaln", "erf", "tanh"} & set(RATIONAL)


@pytest.mark.parametrize("name", RATIONAL)
def test_it_agrees_with_eager(name: str) -> None:
    prim = PRIMITIVES[name]
    for case in cases(name, 3, smooth=False):
        program = as_program(prim, case, range(len(case.operands)))
        expected, found = np.asarray(program(*case.operands)), under(program)(*case.operands)
        near = np.asarray(np.asarray(found), np.float64)
        assert near.shape == expected.shape
        assert np.allclose(near, expected.astype(np.float64), rtol=1e-12, atol=1e-12), name


@pytest.mark.parametrize(
    "name", [n for n in RATIONAL if any(active(PRIMITIVES[n], c) for c in cases(n, 1))]
)
def test_its_gradient_agrees_with_eager(name: str) -> None:
    prim = PRIMITIVES[name]
    for case in cases(name, 3):
        positions = active(prim, case)
        y = np.asarray(as_program(prim, case, range(len(case.operands)))(*case.operands))
        if not is_real(y.dtype):
            continue
        weights = np.random.default_rng(case.seed).integers(-4, 5, y.shape) / 4
        program = weighted(as_program(prim, case, positions), weights)
        gradient = grad(program, tuple(range(len(positions))))
        points = [case.operands[i] for i in positions]
        for g, e in zip(under(gradient)(*points), gradient(*points), strict=True):
            assert np.shape(g) == e.shape
            assert np.allclose(np.asarray(g, np.float64), np.asarray(e), rtol=1e-11, atol=1e-11)
