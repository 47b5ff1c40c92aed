"""The cases whose answer is a property, an error, or a pair of things."""

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from tests.cases.vocabulary import missing

Program = Callable[..., Any]
# The ids of the cases that this file tests.
TESTED = frozenset(
    {
        "custom-rule-wrong-shape",
        "graph-is-freed",
        "has-aux-mistake",
        "mixed-dtype-pytree-jacobian",
        "mse-mixed-dtypes",
        "python-scalar-cotangent",
        "quantile-ties",
    }
)
PLAIN_AND_COMPILED = pytest.mark.parametrize("run", [lambda f: f, tad.jit], ids=["plain", "jit"])


def needs(case_id: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(bool(missing(case_id)), reason=f"needs {missing(case_id)}")


@PLAIN_AND_COMPILED
def test_python_scalar_cotangent_of_a_half_precision_output(run: Program) -> None:
    """python-scalar-cotangent: a Python number takes the dtype of what it is the cotangent of."""
    (g,) = run(lambda x: tad.vjp(tad.sum, x)[1](1.0))(np.ones(3, np.float16))
    assert g.dtype == tad.float16
    np.testing.assert_array_equal(g, [1.0, 1.0, 1.0])


@PLAIN_AND_COMPILED
@pytest.mark.parametrize("mode", [tad.jacrev, tad.jacfwd])
def test_jacobian_of_a_structure_with_two_dtypes(run: Program, mode: Program) -> None:
    """mixed-dtype-pytree-jacobian: the identity on (float16, float32)."""
    point = (np.float16(1.0), np.float32(1.0))
    rows = run(mode(lambda t: t))(point)
    assert [[float(e) for e in row] for row in rows] == [[1.0, 0.0], [0.0, 1.0]]


@PLAIN_AND_COMPILED
@pytest.mark.parametrize("mode", [tad.grad, tad.jacrev, tad.jacfwd])
def test_loss_of_two_dtypes(run: Program, mode: Program) -> None:
    """mse-mixed-dtypes: 2 (x - y) and its negative, each in its own argument's dtype."""
    loss = lambda x, y: tad.mean((x - y) ** 2)
    gx, gy = run(mode(loss, (0, 1)))(np.ones(1, np.float32), np.full(1, 4.0))
    np.testing.assert_array_equal(gx, [-6.0])
    np.testing.assert_array_equal(gy, [6.0])
    assert (gx.dtype, gy.dtype) == (tad.float32, tad.float64)


@PLAIN_AND_COMPILED
def test_a_pair_without_has_aux_is_an_error_that_says_so(run: Program) -> None:
    """has-aux-mistake: the message points at the tuple and at has_aux."""
    with pytest.raises(tad.ArgumentError, match=r"returned \(\*, \*\).*has_aux=True"):
        run(tad.grad(lambda x: (x * x, x)))(2.0)


@needs("custom-rule-wrong-shape")
@PLAIN_AND_COMPILED
def test_a_backward_rule_of_the_wrong_shape(run: Program) -> None:
    """custom-rule-wrong-shape: an error that names both shapes."""

    @tad.custom_vjp
    def f(x: Any) -> Any:
        return 2.0 * x

    f.defvjp(lambda x: (2.0 * x, None), lambda r, g: (tad.ones(10) * g,))
    with pytest.raises(tad.ShapeError, match=r"(?s)\[10\].*\[\]"):
        run(tad.grad(f))(3.0)


@PLAIN_AND_COMPILED
@pytest.mark.parametrize("mode", [tad.grad, tad.jacrev, tad.jacfwd])
def test_median_of_tied_values(run: Program, mode: Program) -> None:
    """quantile-ties: weights of the subdifferential, the same at every run."""
    point = np.full(3, 7.0)
    weights = np.asarray(run(mode(tad.median))(point))
    assert np.all(weights >= 0.0) and np.sum(weights) == 1.0
    np.testing.assert_array_equal(tad.grad(tad.median)(point), weights)


@pytest.fixture
def without_cycle_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@PLAIN_AND_COMPILED
@pytest.mark.parametrize("mode", [tad.grad, tad.jacrev, tad.jacfwd, tad.hessian])
def test_recorded_arrays_are_freed_by_reference_counts(
    run: Program, mode: Program, without_cycle_collector: None
) -> None:
    """graph-is-freed: no cycle keeps what was recorded, at first and second order."""

    def gone(x: np.ndarray) -> list[weakref.ref[Any]]:
        kept: list[weakref.ref[Any]] = []

        def f(x: Any) -> Any:
            captured = tad.asarray(np.full(3, 2.0))
            kept.append(weakref.ref(captured.payload))
            y = x * x * captured
            kept.append(weakref.ref(y.ops))
            return tad.sum(y)

        run(mode(f))(x)
        return kept

    for reference in gone(np.ones(3)):
        assert reference() is None
