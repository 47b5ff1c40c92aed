"""Real: enclosures that hold the true number, at whatever precision that takes."""

import copy
import pickle
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import taglessad as tad
from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError, DomainError, NotDifferentiable
from taglessad.interpreters import Batch, Dual, Exact, Real
from taglessad.kernels.ball_kernels import BALLS
from taglessad.kernels.enclosure import Enclosure
from taglessad.kernels.tables import meanings
from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks.domains import DOMAINS, cases
from taglessad.proofs_checks.runs import active, as_program, weighted
from taglessad.transforms.gradient import grad
from tests.conformance.programs import CASES, Case

flint = pytest.importorskip("flint")

F = Fraction
Program = Callable[..., Any]


def under(f: Program, **options: Any) -> Program:
    return tad.interpret(f, Real(**options))


def holds(found: Enclosure, truth: Any) -> bool:
    """Whether an entry holds a number of mpmath's, and is no wider than two floats."""
    lo, hi = found.exact
    with mpmath.workdps(120):
        inside = mpmath.mpf(lo.numerator) / lo.denominator <= truth
        inside = inside and truth <= mpmath.mpf(hi.numerator) / hi.denominator
    return bool(inside) and float(found.hi) <= float(np.nextafter(found.lo, np.inf))


# --- values --------------------------------------------------------------------------------------
def test_a_value_is_enclosed_between_neighbouring_floats() -> None:
    with mpmath.workdps(120):
        assert holds(under(lambda x: tad.exp(tad.sin(x)))(0.3), mpmath.exp(mpmath.sin(0.3)))


def test_a_sum_of_dyadics_is_exact() -> None:
    y = under(tad.sum)(np.asarray([0.1, 0.2, 0.3]))
    total = F(0.1) + F(0.2) + F(0.3)
    assert y.exact == (total, total) and y.lo <= total <= y.hi


def test_constants_of_rules_are_exact_and_literals_are_floats() -> None:
    slope = under(tad.grad(tad.special.erf))(0.0)
    with mpmath.workdps(120):
        assert holds(slope, 2 / mpmath.sqrt(mpmath.pi))
    assert under(lambda x: x * 0.1)(1.0).exact == (F(0.1), F(0.1))


def test_results_that_are_no_reals_come_back_as_handles() -> None:
    place, above = under(lambda x: (tad.argmax(x), x > 1))(np.asarray([0.5, 2.0]))
    assert int(place) == 1 and np.asarray(above).tolist() == [False, True]


def test_precision_rises_until_the_answer_is_known() -> None:
    real = Real()
    y = tad.interpret(lambda x: (x + 1e40) - 1e40, real)(np.pi)
    assert y.exact == (F(np.pi), F(np.pi)) and real.used > 128


def test_an_answer_that_never_comes_is_an_error_that_names_the_operation() -> None:
    with pytest.raises(DomainError, match=r"log: perhaps outside its domain, element \[0\]"):
        under(lambda x: tad.log(x - x[0]))(np.asarray([0.0, -1.0]))
    with pytest.raises(DomainError, match=r"not decided at 256 bits, which is the limit"):
        under(lambda x: tad.argmax(tad.exp(x)), max_prec=256)(np.asarray([1.0, 1.0]))


def test_a_dead_branch_does_no_harm() -> None:
    y = under(tad.grad(lambda x: tad.where(x > 0, tad.log(x), 3 * x)))(-1.0)
    assert y.exact == (3, 3)


# --- Muller, cancellation ------------------------------------------------------------------------
def muller(a: Any, b: Any, steps: int) -> Any:
    for _ in range(steps):
        a, b = b, 111 - 1130 / b + 3000 / (a * b)
    return b


def test_muller_fifty_steps_and_its_gradient() -> None:
    real = Real()
    y = tad.interpret(lambda a: muller(a, -4.0, 50), real)(2.0)
    truth = muller(F(2), F(-4), 50)
    assert y.lo <= truth <= y.hi and abs(float(y.mid) - 6.000122) < 1e-6
    slope = tad.interpret(tad.grad(lambda a: muller(a, -4.0, 50)), Exact())(2.0)
    found = tad.interpret(tad.grad(lambda a: muller(a, -4.0, 50)), real)(2.0)
    assert found.contains(slope) and real.used == 512
    assert 1.08e61 < float(found.lo) < 1.09e61


def test_cancellation_is_seen_through() -> None:
    f = lambda x: (1 - tad.cos(x)) / (x * x)
    found = under(tad.grad(f))(1e-8)
    with mpmath.workdps(120):
        x = mpmath.mpf(1e-8)
        assert holds(found, mpmath.sin(x) / x**2 - 2 * (1 - mpmath.cos(x)) / x**3)


# --- kinks ---------------------------------------------------------------------------------------
KINKS: dict[str, tuple[Program, Any, Any, Any]] = {
    "relu": (tad.nn.functional.relu, 0.0, 0.0, 1.0),
    "abs": (tad.abs, 0.0, -1.0, 1.0),
    "maximum": (lambda x: tad.maximum(x, 5.0), 5.0, 0.0, 1.0),
    "minimum": (lambda x: tad.minimum(0.0, 3 * x), 0.0, 0.0, 3.0),
    "clip": (lambda x: tad.clip(x, 0.0, 1.0), 1.0, 0.0, 1.0),
    "max": (tad.max, np.asarray([1.0, 1.0, 0.0]), [0, 0, 0], [1, 1, 0]),
    "max_at": (
        lambda x: x.at[np.asarray([0, 0])].max(x[1:])[0],
        np.asarray([1.0, 1.0, 0.0]),
        [0, 0, 0],
        [1, 1, 0],
    ),
}


@pytest.mark.parametrize("name", KINKS)
def test_at_a_kink_the_derivative_is_the_hull(name: str) -> None:
    f, x, low, high = KINKS[name]
    found = under(tad.grad(f))(x)
    assert np.all(found.lo <= np.asarray(low)) and np.all(found.hi >= np.asarray(high))
    assert np.allclose(found.lo, low, atol=1e-7) and np.allclose(found.hi, high, atol=1e-7)


@pytest.mark.parametrize("name", KINKS)
def test_or_an_error_that_names_operation_line_and_element(name: str) -> None:
    f, x, _, _ = KINKS[name]
    with pytest.raises(NotDifferentiable, match=rf"{name}: a tie, element \[\d*\], operand.*\.py:"):
        under(tad.grad(f), kink="error")(x)


@pytest.mark.parametrize("argument", [0.0, np.asarray(0.0), tad.tensor(0.0)])
def test_however_the_argument_is_passed(argument: Any) -> None:
    found = under(tad.grad(tad.nn.functional.relu))(argument)
    assert (float(found.lo), float(found.hi)) == (0.0, 1.0)


def test_a_tie_among_constants_is_none() -> None:
    f = lambda x: x * tad.sum(tad.nn.functional.relu(tad.tensor([0.0, 1.0])))
    assert under(tad.grad(f), kink="error")(2.0).exact == (1, 1)


def test_the_value_at_a_kink_is_exact() -> None:
    f = lambda x: tad.nn.functional.relu(x) + tad.abs(x) + tad.maximum(x, -x)
    assert under(f)(0.0).exact == (0, 0)


SCALED: dict[str, tuple[Program, Any, Any]] = {
    # program, a point where what it scales by is tied, the gradient
    "expm": (
        lambda x: tad.sum(tad.tanh(tad.linalg.expm(x)) * 0.0 + 2.0 * x),
        np.eye(2),
        [[2.0, 2.0], [2.0, 2.0]],
    ),
    "expm in a branch": (
        lambda x: tad.sum(
            tad.switch(1, [lambda x: (x, x), lambda x: (tad.tanh(tad.linalg.expm(x)), x)], x)[1]
        ),
        np.eye(2),
        [[1.0, 1.0], [1.0, 1.0]],
    ),
    "vector_norm": (tad.linalg.vector_norm, np.asarray([1.0, -1.0, 1.0, -1.0]), [0.5, -0.5] * 2),
    "vector_norm of order 1/2": (
        lambda x: tad.linalg.vector_norm(x, ord=0.5),
        np.asarray([1.0, 1.0]),
        [2.0, 2.0],
    ),
}


@pytest.mark.parametrize("name", SCALED)
def test_what_numbers_are_scaled_by_is_at_no_kink(name: str) -> None:
    f, x, want = SCALED[name]
    for kink in ("hull", "error"):
        found = under(tad.grad(f), kink=kink)(x)
        assert np.all(found.lo <= want) and np.all(want <= found.hi)
        assert np.all(found.rad <= 1e-15)


def test_a_scale_of_the_users_own() -> None:
    """That its entries were tied at 0 leaves no comparison open behind `detach`."""

    def scaled(x: Any) -> Any:
        size = tad.detach(tad.max(tad.abs(x)))
        size = tad.where(size == 0.0, 1.0, size)
        return tad.sum(x / size * size)

    for x in (np.zeros(2), np.ones(2)):
        found = under(tad.grad(scaled))(x)
        assert np.all(found.lo == 1.0) and np.all(found.hi == 1.0)


def test_a_false_tie_of_floats_is_told_from_a_true_one() -> None:
    f = lambda x: tad.nn.functional.relu((1 + x) - 1)
    assert float(tad.grad(f)(1e-17)) == 0.0
    assert under(tad.grad(f))(1e-17).exact == (1, 1)


def test_a_selection_that_cannot_be_decided_encloses_both_sides() -> None:
    # sin(pi) of the real pi would be 0; of the float it is 1.2e-16, which is decided.
    assert under(lambda x: tad.where(tad.sin(x) > 0, x, -x))(np.pi).exact[0] == F(np.pi)
    y = under(lambda x: tad.where(tad.exp(tad.log(x)) >= x, 1.0, 2.0), max_prec=256)(3.0)
    assert (float(y.lo), float(y.hi)) == (1.0, 2.0)


# --- transforms ----------------------------------------------------------------------------------
def test_hessian_jvp_vmap_and_jit() -> None:
    f = lambda x: tad.sum(tad.exp(x) * x[0])
    x = np.asarray([0.3, 0.7])
    with mpmath.workdps(120):
        e0, e1 = mpmath.exp(mpmath.mpf(0.3)), mpmath.exp(mpmath.mpf(0.7))
        h = under(tad.hessian(f))(x)
        assert holds(h[0, 0], e0 * (2 + mpmath.mpf(0.3))) and holds(h[0, 1], e1)
        assert holds(h[1, 1], e1 * mpmath.mpf(0.3))
        assert holds(under(tad.jvp(f))(x, np.asarray([0.0, 1.0])), e1 * mpmath.mpf(0.3))
        assert holds(under(tad.vmap(tad.grad(tad.exp)))(x)[1], e1)
        assert holds(under(tad.jit(tad.grad(tad.exp)))(0.7), e1)


def test_transformers_stand_on_it() -> None:
    y, dy = tad.interpret(lambda x: x**3, Dual(Real()))((2.0, 1.0))
    assert y.exact == (8, 8) and dy.exact == (12, 12)
    rows = tad.interpret(lambda x: tad.exp(x), Batch(Real(), 2))(np.asarray([0.0, 1.0]))
    assert rows.shape == (2,) and float(rows.lo[0]) == 1.0


def test_an_enclosure_is_an_argument_too() -> None:
    y = under(lambda x: x * 2)(under(tad.exp)(1.0))
    with mpmath.workdps(120):
        assert holds(y, 2 * mpmath.e)


# --- enclosures as objects -----------------------------------------------------------------------
def test_enclosures_read_index_print_and_survive_copies() -> None:
    e = under(tad.exp)(np.asarray([[0.0, 1.0]]))
    assert e.shape == (1, 2) and e.size == 2 and len(e) == 1 and e.dtype == np.float64
    assert np.all(e.lo <= e.mid) and np.all(e.mid <= e.hi) and float(e.rad[0, 0]) == 0.0
    assert e.bits[0, 0] == np.inf and e.bits[0, 1] > 100
    assert str(e[0, 0]) == "1.0" and str(e[0, 1]) == "[2.718281828459045, 2.7182818284590455]"
    assert "shape=[1, 2], float64" in repr(e)
    assert copy.deepcopy(e) is e and copy.copy(e) is e
    again = pickle.loads(pickle.dumps(e))
    assert np.array_equal(again.lo, e.lo) and np.array_equal(again.hi, e.hi)
    assert np.all(again.exact[0] <= e.exact[0]) and np.all(again.exact[1] >= e.exact[1])


def test_precision_is_restored_and_threads_do_not_meet() -> None:
    before = flint.ctx.prec
    found: list[Enclosure] = []
    run = lambda p: found.append(under(lambda x: tad.exp(x) / 3, prec=p)(1.0))
    threads = [threading.Thread(target=run, args=(p,)) for p in (128, 512, 128, 1024)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert flint.ctx.prec == before
    shared = tad.interpret(lambda x: tad.exp(x) - tad.exp(x) * (1 - 1e-30), Real())
    for p in (0, 1, 2, 3):
        threads[p] = threading.Thread(target=lambda: found.append(shared(1.0)))
        threads[p].start()
    for t in threads:
        t.join()
    assert len({str(e) for e in found[4:]}) == 1
    del found[4:]
    assert sorted(int(e.bits) > 400 for e in found) == [False, False, True, True]
    with pytest.raises(ZeroDivisionError):
        under(lambda x: 1 // 0)(1.0)
    assert flint.ctx.prec == before


def test_options_are_checked() -> None:
    with pytest.raises(ArgumentError, match="kink is 'soft'"):
        Real(kink="soft")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="prec is 1"):
        Real(prec=1)


# --- every primitive -----------------------------------------------------------------------------
KNOWN = sorted(PRIMITIVES.keys() & DOMAINS.keys() & meanings(BALLS))


def numbers(x: Any) -> Any:
    """A result's midpoints, or its values where it is no enclosure."""
    return x.mid if isinstance(x, Enclosure) else np.asarray(x)


@pytest.mark.parametrize("name", KNOWN)
def test_its_enclosures_are_narrow_and_agree_with_eager(name: str) -> None:
    prim = PRIMITIVES[name]
    for case in cases(name, 3, smooth=False):
        program = as_program(prim, case, range(len(case.operands)))
        expected, found = np.asarray(program(*case.operands)), under(program)(*case.operands)
        assert found.shape == expected.shape
        assert np.allclose(numbers(found), expected, rtol=1e-12, atol=1e-13)
        if isinstance(found, Enclosure):
            assert np.all(found.rad <= 1e-20 * (1 + np.abs(found.mid)))


@pytest.mark.parametrize(
    "name", [n for n in KNOWN if any(active(PRIMITIVES[n], c) for c in cases(n, 1))]
)
def test_its_gradient_agrees_with_eager_and_exact(name: str) -> None:
    prim = PRIMITIVES[name]
    for case in cases(name, 2):
        positions = active(prim, case)
        y = np.asarray(as_program(prim, case, range(len(case.operands)))(*case.operands))
        if not is_real(y.dtype):
            continue
        weights = np.random.default_rng(case.seed).integers(-4, 5, y.shape) / 4
        gradient = grad(
            weighted(as_program(prim, case, positions), weights), tuple(range(len(positions)))
        )
        points = [case.operands[i] for i in positions]
        found = under(gradient)(*points)
        for g, e in zip(found, gradient(*points), strict=True):
            assert np.allclose(g.mid, np.asarray(e), rtol=1e-10, atol=1e-11)
            assert np.all(g.rad <= 1e-20 * (1 + np.abs(g.mid)))
        try:
            rational = tad.interpret(gradient, Exact())(*points)
        except DomainError:
            continue
        assert all(g.contains(q) for g, q in zip(found, rational, strict=True))


# --- the list of programs that every interpreter runs --------------------------------------------
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_every_program_of_the_list(case: Case) -> None:
    points = [np.asarray(p, np.float64) for p in case.point]
    found = under(case.program)(*points)
    expected = np.asarray(case.program(*map(tad.asarray, points)))
    assert np.allclose(numbers(found), expected, rtol=1e-12, atol=1e-13)
    if not case.smooth:
        return  # at a kink the enclosure is the hull
    argnums = tuple(range(len(points)))
    for j, e in zip(
        under(tad.jacrev(case.program, argnums))(*points),
        tad.jacrev(case.program, argnums)(*points),
        strict=True,
    ):
        assert np.allclose(j.mid, np.asarray(e), rtol=1e-11, atol=1e-12)
