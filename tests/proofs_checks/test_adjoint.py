"""check_adjoint: passes on sound programs of every form, and names both products where not."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import AdjointError, ArgumentError
from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks.adjoint import check_adjoint
from taglessad.proofs_checks.faults import faults
from taglessad.proofs_checks.mutants import planted

X = np.linspace(0.5, 2.0, 6).reshape(2, 3)


@dataclass(frozen=True)
class Model:
    weights: Any
    bias: Any


def test_a_program_of_arrays() -> None:
    check_adjoint(lambda x, y: tad.sin(x) @ y + tad.sum(x), X, np.ones((3, 2)))


def test_trees_in_and_out() -> None:
    def layer(model: Model, x: Any) -> Any:
        y = x @ model.weights + model.bias
        return {"y": tad.tanh(y), "parts": (tad.sum(y), [tad.max(y)])}

    check_adjoint(layer, Model(np.ones((3, 2)), np.zeros(2)), X)


def test_integers_and_bools_in_and_out_stay_fixed() -> None:
    def picked(x: Any, index: Any, mask: Any) -> Any:
        return tad.take(x, index), tad.argmax(x), tad.where(mask, x, 0.0)

    check_adjoint(picked, X[0], np.array([2, 0, 2]), np.array([True, False, True]))


def test_selections_and_structural_zeros() -> None:
    check_adjoint(lambda x: tad.where(x > 0.0, tad.sqrt(x), 0.0), np.array([0.0, 1.0, -1.0]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtypes(dtype: Any) -> None:
    check_adjoint(lambda x: tad.exp(x) * x, X.astype(dtype))


def test_numbers_and_empty_arrays() -> None:
    check_adjoint(lambda x, y: tad.sum(y) * x, 2.0, np.ones((0, 3)))


def test_derivatives_and_compiled_programs_are_programs() -> None:
    check_adjoint(tad.grad(lambda x: tad.sum(tad.exp(x) ** 2)), X)
    check_adjoint(tad.jit(lambda x: tad.sin(x) * x), X)


def test_it_runs_on_values_of_a_transform_under_way() -> None:
    def checked(x: Any) -> Any:
        check_adjoint(lambda y: tad.sin(y) * 2.0, X)
        return tad.sum(x * x)

    np.testing.assert_array_equal(np.asarray(tad.grad(checked)(X)), 2 * X)


@pytest.mark.parametrize("kind", ["push scaled", "pull scaled"])
def test_a_rule_that_is_not_adjoint_is_reported_with_both_products(kind: str) -> None:
    prim = PRIMITIVES["sin"]
    fault = next(f for f in faults(prim) if f.kind == kind)
    with planted(prim, fault), pytest.raises(AdjointError) as caught:
        check_adjoint(lambda x: tad.sin(x) * x, X)
    message = str(caught.value)
    assert "check_adjoint" in message and "not adjoint" in message
    forward, backward = (
        float(message.split(part)[1].split(",")[0].split(". ")[0])
        for part in ("<jvp(x, dx), d> = ", "<dx, vjp(x, d)> = ")
    )
    assert 1e-5 < abs(forward - backward) / abs(forward) < 1e-2


def test_the_tolerance_is_the_callers_to_choose() -> None:
    prim = PRIMITIVES["sin"]
    fault = next(f for f in faults(prim) if f.kind == "push scaled")
    with planted(prim, fault):
        check_adjoint(tad.sin, X, rtol=1e-2)


def test_a_derivative_that_is_not_finite_is_said_to_be_so() -> None:
    with pytest.raises(AdjointError, match="not finite"):
        check_adjoint(tad.sqrt, np.array([0.0, 1.0]))


@pytest.mark.parametrize("arguments", [(), (3,), (np.array([1, 2]),), (True,), (None,)])
def test_arguments_without_real_numbers(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ArgumentError, match="no argument holds a real number"):
        check_adjoint(lambda *xs: 1.0, *arguments)


def test_a_result_without_real_numbers() -> None:
    with pytest.raises(ArgumentError, match="the result of f holds no real number"):
        check_adjoint(lambda x: tad.argmax(x), X)
