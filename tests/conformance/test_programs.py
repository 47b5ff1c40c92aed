"""Every program of the list under every interpreter that can run it."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters import Batch, Dual, Eager, Shape, Tape
from tests.conformance.bodies import BODIES
from tests.conformance.programs import CASES as WITHOUT_LOOPS
from tests.conformance.programs import Case

CASES = [*WITHOUT_LOOPS, *BODIES]

EVERY = pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)


def arrays(case: Case) -> list[Any]:
    return [np.asarray(p, dtype=np.float64) for p in case.point]


def jacobians(case: Case, transform: Any = tad.jacrev) -> list[Any]:
    n = tuple(range(len(case.point)))
    return [np.asarray(j) for j in transform(case.program, n)(*arrays(case))]


def printed(got: Any, want: Any, digits: int) -> None:
    """Equal to the decimals that the source prints; numbers of 12 digits to rounding error."""
    if want is None:
        return
    want = np.asarray(want, dtype=np.float64)
    assert np.shape(got) == want.shape
    scale = max(1.0, float(np.max(np.abs(want), initial=0.0)))
    unit = 0.5000001 * 10.0**-digits if digits < 12 else 1e-13 * scale
    np.testing.assert_allclose(got, want, rtol=0, atol=unit)


@EVERY
def test_value_and_gradients_are_those_of_the_source(case: Case) -> None:
    printed(np.asarray(case.program(*map(tad.asarray, arrays(case)))), case.value, case.digits)
    for got, want in zip(jacobians(case), case.gradients, strict=True):
        printed(got, want, case.digits)


@EVERY
def test_forward_and_reverse_agree(case: Case) -> None:
    for a, b in zip(jacobians(case), jacobians(case, tad.jacfwd), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-14)


# A difference quotient sees through a fence and averages the two sides of a kink: those cases have
# their numbers in the list alone.
@pytest.mark.parametrize("case", [c for c in CASES if c.smooth], ids=lambda c: c.id)
def test_gradient_against_differences(case: Case) -> None:
    point = arrays(case)
    f = lambda *a: np.asarray(case.program(*map(tad.asarray, a)))
    for k, (x, got) in enumerate(zip(point, jacobians(case), strict=True)):
        flat = x.reshape(-1)
        for i in range(flat.size):
            h = 6e-6 * max(1.0, abs(flat[i]))
            up, down = x.copy().reshape(-1), x.copy().reshape(-1)
            up[i] += h
            down[i] -= h
            args_up = [*point[:k], up.reshape(x.shape), *point[k + 1 :]]
            args_down = [*point[:k], down.reshape(x.shape), *point[k + 1 :]]
            slope = (f(*args_up) - f(*args_down)) / (up[i] - down[i])
            column = got.reshape(*np.shape(slope), flat.size)[..., i]
            np.testing.assert_allclose(column, slope, rtol=1e-6, atol=1e-6)


@EVERY
def test_jit_and_graph_replay(case: Case) -> None:
    point = arrays(case)
    n = tuple(range(len(point)))
    for f in (case.program, tad.jacrev(case.program, n), tad.jacfwd(case.program, n)):
        plain = tad.trees.leaves(f(*map(tad.asarray, point)))
        replay = tad.trees.leaves(tad.jit(f)(*point))
        graph = tad.trace(f)(*point)
        kernels = Eager().trusted()
        machine = graph.run(kernels, [kernels.const(p) for p in point])
        for a, b, c in zip(plain, replay, machine, strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-14, atol=1e-15)
            np.testing.assert_allclose(np.asarray(c), np.asarray(a), rtol=1e-14, atol=1e-15)


@EVERY
def test_shape_interpreter_knows_the_shapes(case: Case) -> None:
    point = arrays(case)
    n = tuple(range(len(point)))
    shapes = [p.shape for p in point]
    value = case.program(*map(tad.asarray, point))
    assert tad.interpret(case.program, Shape())(*shapes) == value.shape
    found = tad.interpret(tad.jacrev(case.program, n), Shape())(*shapes)
    assert list(found) == [(*value.shape, *s) for s in shapes]


@EVERY
def test_batch_is_a_loop(case: Case) -> None:
    point = arrays(case)
    n = tuple(range(len(point)))
    rng = np.random.default_rng(1)
    members = [np.stack([p, p + 0.01 * rng.normal(size=p.shape)]) for p in point]
    for f in (case.program, tad.jacrev(case.program, n)):
        both = tad.trees.leaves(tad.vmap(f)(*members))
        direct = tad.trees.leaves(tad.interpret(f, Batch(Eager(), 2))(*members))
        for i in range(2):
            alone = tad.trees.leaves(f(*(tad.asarray(m[i]) for m in members)))
            for whole, other, one in zip(both, direct, alone, strict=True):
                want = np.asarray(one)
                np.testing.assert_allclose(np.asarray(whole)[i], want, rtol=1e-13, atol=1e-14)
                np.testing.assert_allclose(np.asarray(other)[i], want, rtol=1e-13, atol=1e-14)


@EVERY
def test_dual_and_tape_by_name(case: Case) -> None:
    point = arrays(case)
    tangents = [np.full_like(p, 0.5) for p in point]
    value, pushed = tad.interpret(case.program, Dual(Eager()))(*zip(point, tangents, strict=True))
    expected = sum(
        np.tensordot(j, t, axes=t.ndim) for j, t in zip(jacobians(case), tangents, strict=True)
    )
    np.testing.assert_allclose(np.asarray(pushed), expected, rtol=1e-12, atol=1e-13)
    taped = tad.interpret(case.program, Tape(Eager()))(*point)
    np.testing.assert_array_equal(np.asarray(taped), np.asarray(value))


def test_the_list_covers_its_sources() -> None:
    sources = [c.source for c in CASES]
    assert len(set(sources)) == len(sources)
    letters = {s[0] for s in sources}
    assert {"T", "C", "N", "B"} <= letters
