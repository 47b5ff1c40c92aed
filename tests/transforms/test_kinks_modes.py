"""Kinks of derivatives: none where a function is smooth, in any mode and at second order."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters import Kinks

S, F = tad.special, tad.nn.functional
Program = Callable[..., Any]

APART = [1.0, 2.0, 7.0]
MATRIX = np.asarray([[2.0, 1.0, 0.0], [1.0, 5.0, 0.5], [0.0, 0.5, 9.0]])
GROUPS = np.asarray([0, 0, 1])

# Where only the largest entry is compared with itself, with another point, at a tie.
LARGEST: dict[str, tuple[Program, Any, Any, str]] = {
    # program, a point where it is smooth, one at a tie, the primitive that is named there
    "max": (tad.max, APART, [1.0, 7.0, 7.0], "max"),
    "min": (tad.min, APART, [1.0, 1.0, 7.0], "min"),
    "max over an axis": (
        lambda x: tad.max(tad.stack((x, 3.0 - x)), axis=0),
        APART,
        [1.5, 2.0, 7.0],
        "max",
    ),
    "max squared": (lambda x: tad.max(x) ** 2, APART, [1.0, 7.0, 7.0], "max"),
    "nanmax": (tad.nanmax, [1.0, np.nan, 2.0], [2.0, np.nan, 2.0], "max"),
    "nanmin": (tad.nanmin, [1.0, np.nan, 2.0], [2.0, np.nan, 2.0], "min"),
    "ptp": (tad.ptp, APART, [1.0, 7.0, 7.0], "max"),
    "vector_norm": (
        lambda x: tad.linalg.vector_norm(x, ord=np.inf),
        APART,
        [1.0, -7.0, 7.0],
        "max",
    ),
    "matrix_norm": (
        lambda x: tad.linalg.matrix_norm(tad.diag(x) + 0.0 * MATRIX, ord=2),
        APART,
        [1.0, 7.0, 7.0],
        "max",
    ),
    "max_pool1d": (
        lambda x: F.max_pool1d(tad.reshape(x, (1, 1, 3)), 2, stride=1),
        APART,
        [1.0, 7.0, 7.0],
        "max",
    ),
    "segment_max": (lambda x: tad.segment_max(x, GROUPS, 2), APART, [2.0, 2.0, 7.0], "max_at"),
    "max_at": (lambda x: tad.zeros(2).at[GROUPS].max(x), APART, [2.0, 2.0, 7.0], "max_at"),
    "min_at": (lambda x: tad.zeros(2).at[GROUPS].min(-x), APART, [2.0, 2.0, 7.0], "min_at"),
}
# Where a size, a side or a level is looked at to choose a formula.
SMOOTH: dict[str, tuple[Program, Any]] = {
    "std": (tad.std, [1.0, 2.0]),
    "nanstd": (tad.nanstd, [1.0, 2.0, np.nan]),
    "gelu": (F.gelu, [0.0, 1.0]),
    "gelu, exact": (lambda x: F.gelu(x, approximate=False), [0.0, 1.0]),
    "logit": (S.logit, [0.25, 0.5, 0.75]),
    "asin": (tad.asin, [0.0, 0.5]),
    "acos": (tad.acos, [0.0, 0.5]),
    "atanh": (tad.atanh, [0.0, 0.5]),
    "hypot": (lambda x: tad.hypot(x, 1.0), [0.0, 1.0]),
    "atan2, up": (lambda x: tad.atan2(x, 1.0), [0.0, 1.0]),
    "atan2, along": (lambda x: tad.atan2(1.0, x), [0.0, 1.0]),
    "a cube": (lambda x: x**3.0, [0.0]),
    "a square": (lambda x: x ** tad.asarray(2.0), [0.0]),
    "rel_entr": (lambda x: S.rel_entr(x, x), [0.5, 1.0]),
    "kl_div": (lambda x: S.kl_div(x, x), [0.5, 1.0]),
    "boxcox": (lambda x: S.boxcox(x, 0.0 * x), [0.5, 1.0]),
    "i1e": (S.i1e, [0.0]),
    "nanmedian": (tad.nanmedian, [1.0, np.nan, 4.0, 2.0]),
    "nanquantile": (lambda x: tad.nanquantile(x, 0.5, method="nearest"), [1.0, np.nan, 4.0, 2.0]),
    "eigh": (lambda x: tad.linalg.eigh(x)[1], MATRIX),
    "eigvalsh": (tad.linalg.eigvalsh, MATRIX),
    "svd": (lambda x: tad.linalg.svd(x)[0], MATRIX),
    "svdvals": (tad.linalg.svdvals, MATRIX),
}


def along(f: Program) -> Program:
    return lambda x: tad.jvp(f, (x,), (tad.ones_like(x),))[1]


MODES: dict[str, Callable[[Program], Program]] = {
    "value": lambda f: f,
    "grad": lambda f: tad.grad(lambda x: tad.sum(f(x))),
    "jvp": along,
    "jvp of jvp": lambda f: along(along(f)),
    "jvp of grad": lambda f: along(tad.grad(lambda x: tad.sum(f(x)))),
    "grad of jvp": lambda f: tad.grad(lambda x: tad.sum(along(f)(x))),
    "hessian": lambda f: tad.hessian(lambda x: tad.sum(f(x))),
    "diagonal": lambda f: tad.hessian_diagonal(lambda x: tad.sum(f(x))),
    "jit of grad": lambda f: tad.jit(tad.grad(lambda x: tad.sum(f(x)))),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_entry_is_at_a_kink_at_a_tie_alone(name: str, mode: str) -> None:
    f, apart, tied, op = LARGEST[name]
    derived = MODES[mode](f)
    assert tad.interpret(derived, Kinks())(np.asarray(apart)) == []
    assert op in {k.op for k in tad.interpret(derived, Kinks())(np.asarray(tied))}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SMOOTH)
def test_a_smooth_function_has_no_kink_in_any_mode(name: str, mode: str) -> None:
    f, x = SMOOTH[name]
    assert tad.interpret(MODES[mode](f), Kinks())(np.asarray(x)) == []


def test_the_second_derivative_of_i1e_is_odd() -> None:
    """It jumps at 0 (from 1 to -1), and is taken to be 0 there."""
    second = tad.grad(tad.grad(S.i1e))
    assert float(second(0.0)) == 0.0 and float(tad.grad(S.i1e)(0.0)) == 0.5
    np.testing.assert_allclose([second(-1e-9), second(1e-9)], [1.0, -1.0], rtol=1e-8)


def test_a_first_entry_of_a_running_extreme_is_at_no_kink() -> None:
    f = tad.grad(lambda x: tad.sum(tad.cumulative_max(x)))
    assert tad.interpret(f, Kinks())(np.asarray([0.0, 1.0, 2.0])) == []


def test_the_count_of_numbers_does_not_move_but_a_share_does() -> None:
    """The position of a quantile, which is rounded, is that of an entry where q = 1/2, of 3."""
    x = np.asarray([1.0, np.nan, 4.0, 2.0])
    for mode in MODES.values():
        f = mode(lambda q: tad.nanquantile(x, q))
        assert {k.op for k in tad.interpret(f, Kinks())(0.5)} == {"floor", "ceil"}
        assert tad.interpret(f, Kinks())(0.25) == []
