"""What a selection did not take contributes nothing, in every mode, at first and second order.

Each case is a program in which some entry goes through a singularity and is not selected, beside
the same function written so that no singularity is met (the double where that users of other
libraries write by hand). Derivatives of the first must be those of the second.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import taglessad as tad

Program = Callable[[Any], Any]
Values = np.ndarray[Any, Any]

INF = np.inf
LIVE_ROWS = np.array([True, True, False])
LIVE_COLUMN = LIVE_ROWS.reshape(3, 1)
PATTERN = np.array([[True, True, False], [True, False, True], [False, False, False]])
WEIGHTS = np.random.default_rng(0).normal(size=(3, 3))
MATRIX = np.array([[0.3, 1.0, 2.0], [0.5, 0.2, 0.7], [0.1, 0.4, 0.9]])
DEAD_ROW = MATRIX * LIVE_COLUMN
VECTOR = np.array([0.0, 1.0, 2.0, -1.0])
FROM_ZERO = np.array([0.0, 1.0, 4.0])


class Selection(NamedTuple):
    """A program that selects, the same without singularities, and a point."""

    naive: Program
    safe: Program
    at: Values


def positive(x: Any, f: Program, otherwise: Any = 0.0) -> Any:
    """f where x is positive, kept from seeing any other x."""
    return tad.where(x > 0.0, f(tad.where(x > 0.0, x, 1.0)), otherwise)


def norms(x: Any) -> Any:
    return tad.sqrt(tad.sum(x * x, axis=1))


def masked_logsumexp(x: Any, mask: Values) -> Any:
    z = tad.where(mask, x, -INF)
    top = tad.max(z, axis=1)
    return tad.log(tad.sum(tad.exp(z - tad.reshape(top, (-1, 1))), axis=1)) + top


def masked_softmax(x: Any, mask: Values) -> Any:
    z = tad.where(mask, x, -INF)
    e = tad.exp(z - tad.max(z, axis=1, keepdims=True))
    return e / tad.sum(e, axis=1, keepdims=True)


def shared_root(root: Program) -> Program:
    def f(x: Any) -> Any:
        u = root(x)
        return tad.sum(tad.where(x > 1.5, u, x * x) + tad.where(x > 0.5, u * u * u, 0.0))

    return f


SELECTIONS = {
    "where over sqrt": Selection(
        lambda x: tad.sum(tad.where(x > 0.0, tad.sqrt(x), 0.0)),
        lambda x: tad.sum(positive(x, tad.sqrt)),
        VECTOR,
    ),
    "where, the dead side second": Selection(
        lambda x: tad.sum(tad.where(x < 1.5, 3.0 * x, tad.sqrt(x))),
        lambda x: tad.sum(tad.where(x < 1.5, 3.0 * x, tad.sqrt(tad.where(x < 1.5, 1.0, x)))),
        VECTOR,
    ),
    "sqrt of where": Selection(
        lambda x: tad.sum(tad.sqrt(tad.where(x > 0.0, x, 0.0))),
        lambda x: tad.sum(positive(x, tad.sqrt)),
        VECTOR,
    ),
    "sqrt of maximum": Selection(
        lambda x: tad.sum(tad.sqrt(tad.maximum(x, 0.0)) * x),
        lambda x: tad.sum(positive(x, tad.sqrt) * x),
        np.array([-1.0, 1.0, 2.0, -3.0]),
    ),
    "sqrt of relu": Selection(
        lambda x: tad.sum(tad.sqrt(tad.nn.functional.relu(x)) * x),
        lambda x: tad.sum(positive(x, tad.sqrt) * x),
        VECTOR,
    ),
    "where in where": Selection(
        lambda x: tad.sum(
            tad.where(x > 0.0, tad.where(x > 1.5, tad.log(x - 1.5), tad.sqrt(x)), x * x)
        ),
        lambda x: tad.sum(
            positive(
                x,
                lambda z: tad.where(
                    z > 1.5, tad.log(tad.where(z > 1.5, z - 1.5, 1.0)), tad.sqrt(z)
                ),
                x * x,
            )
        ),
        VECTOR,
    ),
    "dead entries into a matmul": Selection(
        lambda x: tad.sum((tad.where(x > 0.0, tad.sqrt(x), 0.0) @ tad.asarray(WEIGHTS)) ** 2),
        lambda x: tad.sum((positive(x, tad.sqrt) @ tad.asarray(WEIGHTS)) ** 2),
        DEAD_ROW,
    ),
    "dead rows out of a matmul": Selection(
        lambda x: tad.sum(tad.where(LIVE_COLUMN, tad.log(x) @ tad.asarray(WEIGHTS), 0.0) ** 2),
        lambda x: tad.sum(
            tad.where(
                LIVE_COLUMN,
                tad.log(tad.where(LIVE_COLUMN, x, 1.0)) @ tad.asarray(WEIGHTS),
                0.0,
            )
            ** 2
        ),
        DEAD_ROW,
    ),
    "dead rows meet infinities in a matmul": Selection(
        lambda w: tad.sum(tad.where(LIVE_COLUMN, tad.log(tad.asarray(DEAD_ROW)) @ w, 0.0) ** 2),
        lambda w: tad.sum((tad.asarray(np.log(DEAD_ROW[:2])) @ w) ** 2),
        WEIGHTS,
    ),
    "one root, live here and dead there": Selection(
        shared_root(tad.sqrt),
        shared_root(lambda x: tad.sqrt(tad.where(x > 0.5, x, 1.0))),
        VECTOR,
    ),
    "live outside the selection": Selection(
        lambda x: tad.sum(tad.where(x**3 > 0.0, tad.sqrt(x**3), 0.0) + x**3),
        lambda x: tad.sum(positive(x**3, tad.sqrt) + x**3),
        VECTOR,
    ),
    "condition that broadcasts": Selection(
        lambda x: tad.sum(tad.where(LIVE_COLUMN, 1.0 / x, 0.0)),
        lambda x: tad.sum(tad.where(LIVE_COLUMN, 1.0 / tad.where(LIVE_COLUMN, x, 1.0), 0.0)),
        DEAD_ROW,
    ),
    "number in a dead branch": Selection(
        lambda x: tad.sum(
            tad.where(np.ones(3, bool), x[0] * np.arange(3.0), tad.sqrt(x[1]) * np.arange(3.0))
        ),
        lambda x: 3.0 * x[0],
        np.array([1.0, 0.0]),
    ),
    "masked logsumexp": Selection(
        lambda x: tad.sum(masked_logsumexp(x, PATTERN)[:2]),
        lambda x: tad.sum(masked_logsumexp(x[:2], PATTERN[:2])),
        MATRIX,
    ),
    "masked logsumexp of nothing": Selection(
        lambda x: tad.sum(tad.where(LIVE_ROWS, masked_logsumexp(x, PATTERN), 0.0)),
        lambda x: tad.sum(masked_logsumexp(x[:2], PATTERN[:2])),
        MATRIX,
    ),
    "masked softmax of nothing": Selection(
        lambda x: tad.sum(tad.where(LIVE_COLUMN, masked_softmax(x, PATTERN), 0.0) ** 2),
        lambda x: tad.sum(masked_softmax(x[:2], PATTERN[:2]) ** 2),
        MATRIX,
    ),
    "norm in where": Selection(
        lambda x: tad.sum(tad.where(tad.sum(x * x, axis=1) > 0.0, norms(x), 0.0)),
        lambda x: tad.sum(norms(x[:2])),
        DEAD_ROW,
    ),
    "quotient": Selection(
        lambda x: tad.sum(tad.where(x > 0.0, 1.0 / x, x * x)),
        lambda x: tad.sum(positive(x, lambda z: 1.0 / z, x * x)),
        VECTOR,
    ),
    "0 times infinity": Selection(
        lambda x: tad.sum(tad.where(x > 0.0, x * (1.0 / x) * x, 0.0)),
        lambda x: tad.sum(tad.where(x > 0.0, x, 0.0)),
        VECTOR,
    ),
    "x log x": Selection(
        lambda x: tad.sum(tad.where(x > 0.0, x * tad.log(x), 0.0)),
        lambda x: tad.sum(positive(x, lambda z: z * tad.log(z))),
        np.array([0.0, 1.0, 2.0]),
    ),
    "overflow": Selection(
        lambda x: tad.sum(tad.where(x < 5.0, tad.exp(x), x)),
        lambda x: tad.sum(tad.where(x < 5.0, tad.exp(tad.where(x < 5.0, x, 1.0)), x)),
        np.array([1.0, 1000.0]),
    ),
    "power": Selection(
        lambda x: tad.sum(tad.where(x > 0.0, x**0.3, 0.0)),
        lambda x: tad.sum(positive(x, lambda z: z**0.3)),
        VECTOR,
    ),
    "triplet loss": Selection(
        lambda x: tad.sum(
            tad.maximum(norms(x - DEAD_ROW) - norms(x - MATRIX) + np.array([0.2, 0.2, -9.0]), 0.0)
        ),
        lambda x: tad.sum(
            tad.maximum(norms(x[:2] - DEAD_ROW[:2]) - norms(x[:2] - MATRIX[:2]) + 0.2, 0.0)
        ),
        np.concatenate([DEAD_ROW[:2] + np.array([[0.9, 0.8, 0.7]]), DEAD_ROW[2:]]),
    ),
    "overwritten": Selection(
        lambda x: tad.sum(tad.sqrt(x).at[0].set(5.0)),
        lambda x: 5.0 + tad.sum(tad.sqrt(x[1:])),
        FROM_ZERO,
    ),
    "overwritten by a zero": Selection(
        lambda x: tad.sum(tad.sqrt(x.at[0].set(0.0))),
        lambda x: tad.sum(tad.sqrt(x[1:])),
        np.array([3.0, 1.0, 4.0]),
    ),
    "mean of selected logarithms": Selection(
        lambda x: tad.sum(tad.where(x > 0.0, tad.log(x), 0.0)) / 2.0,
        lambda x: tad.sum(positive(x, tad.log)) / 2.0,
        VECTOR,
    ),
    "maximum with a constant": Selection(
        lambda x: tad.sum(tad.maximum(tad.sqrt(x), 0.5)),
        lambda x: tad.sum(tad.where(x > 0.25, tad.sqrt(tad.where(x > 0.25, x, 1.0)), 0.5)),
        FROM_ZERO,
    ),
    "clip": Selection(
        lambda x: tad.sum(tad.clip(tad.sqrt(x), 0.5, 1.5)),
        lambda x: 0.5 + tad.sqrt(x[1]) + 1.5,
        FROM_ZERO,
    ),
    "take": Selection(
        lambda x: tad.sum(tad.take(tad.log(x), np.array([1, 2, 1]))),
        lambda x: tad.sum(tad.take(tad.log(x[1:]), np.array([0, 1, 0]))),
        FROM_ZERO,
    ),
    "slice": Selection(
        lambda x: tad.sum(tad.sqrt(x)[1:]) + tad.sqrt(x)[2],
        lambda x: tad.sum(tad.sqrt(x[1:])) + tad.sqrt(x[2]),
        FROM_ZERO,
    ),
    "max": Selection(
        lambda x: tad.max(tad.sqrt(x)),
        lambda x: tad.sqrt(x[2]),
        FROM_ZERO,
    ),
    "max among minus infinities": Selection(
        lambda x: tad.sum(tad.max(tad.log(x), axis=1)),
        lambda x: tad.log(x[0, 2]) + tad.log(x[1, 2]) + tad.log(x[2, 0]),
        np.array([[0.3, 0.0, 2.0], [0.5, 0.2, 0.7], [0.9, 0.0, 0.0]]),
    ),
    "min": Selection(
        lambda x: tad.min(1.0 / x),
        lambda x: 1.0 / x[2],
        FROM_ZERO,
    ),
    "missing data": Selection(
        lambda x: tad.sum(
            tad.where(np.array([True, False, True]), tad.sin(x * np.array([1.0, np.nan, 2.0])), 0.0)
        ),
        lambda x: tad.sin(x[0]) + tad.sin(2.0 * x[2]),
        np.array([1.0, 2.0, 3.0]),
    ),
    "triangle": Selection(
        lambda x: tad.sum(tad.tril(tad.log(x))),
        lambda x: tad.log(x[0, 0]) + tad.log(x[1, 0]) + tad.log(x[1, 1]),
        np.array([[2.0, 0.0], [3.0, 4.0]]),
    ),
}


def units(x: Values) -> list[Values]:
    return [e.reshape(x.shape) for e in np.eye(x.size)]


def along(f: Program, e: Values) -> Program:
    """The directional derivative by forward mode."""
    return lambda x: tad.jvp(f, (x,), (e,))[1]


def component(f: Program, e: Values) -> Program:
    """The same by reverse mode."""
    return lambda x: tad.sum(tad.grad(f)(x) * e)


def gradients(derivative: Callable[[Program, Values], Program], f: Program, x: Values) -> Values:
    return np.reshape([float(derivative(f, e)(tad.asarray(x))) for e in units(x)], x.shape)


def hessians(inner: Any, outer: Any, f: Program, x: Values) -> Values:
    rows = [gradients(outer, inner(f, e), x) for e in units(x)]
    return np.reshape(rows, x.shape * 2)


def batched(f: Program, x: Values) -> Values:
    return np.asarray(tad.vmap(tad.grad(f))(np.stack([x, x])))[1]


FIRST: dict[str, Callable[[Program, Values], Values]] = {
    "reverse": lambda f, x: np.asarray(tad.grad(f)(x)),
    "forward": lambda f, x: gradients(along, f, x),
    "vmap of reverse": batched,
    "jit of reverse": lambda f, x: np.asarray(tad.jit(tad.grad(f))(x)),
}
SECOND: dict[str, Callable[[Program, Values], Values]] = {
    "forward over reverse": lambda f, x: hessians(component, along, f, x),
    "reverse over reverse": lambda f, x: hessians(component, component, f, x),
    "forward over forward": lambda f, x: hessians(along, along, f, x),
    "reverse over forward": lambda f, x: hessians(along, component, f, x),
    "batched": lambda f, x: np.asarray(tad.hessian(f)(x)),
}


def agree(found: Values, expected: Values) -> None:
    assert np.all(np.isfinite(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("mode", FIRST)
@pytest.mark.parametrize("name", SELECTIONS)
def test_first_derivatives(name: str, mode: str) -> None:
    naive, safe, x = SELECTIONS[name]
    agree(FIRST[mode](naive, x), np.asarray(tad.grad(safe)(x)))


@pytest.mark.parametrize("mode", SECOND)
@pytest.mark.parametrize("name", SELECTIONS)
def test_second_derivatives(name: str, mode: str) -> None:
    naive, safe, x = SELECTIONS[name]
    agree(SECOND[mode](naive, x), np.asarray(tad.hessian(safe)(x)))


@pytest.mark.parametrize("name", SELECTIONS)
def test_the_programs_compared_are_one_function(name: str) -> None:
    naive, safe, x = SELECTIONS[name]
    np.testing.assert_allclose(
        float(naive(tad.asarray(x))), float(safe(tad.asarray(x))), rtol=1e-14
    )


# --- a zero that is only a number hides nothing --------------------------------------------------
# Forwards the NaN of one entry reaches the sum along every direction; backwards it stays its own.
LOUD = {
    "a root squared": (lambda x: tad.sum(tad.sqrt(x) ** 2), np.array([0.0, 1.0])),
    "a norm squared": (lambda x: tad.sum(norms(x) ** 2), np.array([[0.0, 0.0], [3.0, 4.0]])),
    "a factor of zero": (
        lambda x: tad.sum(tad.sqrt(x) * np.array([0.0, 1.0])),
        np.array([0.0, 1.0]),
    ),
}


@pytest.mark.parametrize("mode", FIRST)
@pytest.mark.parametrize("name", LOUD)
def test_a_singularity_on_a_live_path_is_not_hidden(name: str, mode: str) -> None:
    f, x = LOUD[name]
    found = FIRST[mode](f, x)
    assert np.all(np.isnan(found[0]))
    assert mode == "forward" or np.all(np.isfinite(found[1]))


@pytest.mark.parametrize("mode", SECOND)
def test_mixed_derivatives_survive_a_zero_factor(mode: str) -> None:
    found = SECOND[mode](lambda x: tad.sqrt(x[0]) * x[1], np.array([4.0, 0.0]))
    np.testing.assert_array_equal(found, [[0.0, 0.25], [0.25, 0.0]])


@pytest.mark.parametrize("mode", FIRST)
def test_nan_is_loud_in_a_maximum(mode: str) -> None:
    found = FIRST[mode](lambda x: tad.max(x * np.array([1.0, np.nan])), np.array([4.0, 1.0]))
    assert not np.any(np.isfinite(found))
