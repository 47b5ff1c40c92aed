"""check_derivative: derivatives against values, at every order, at kinks and behind fences."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import AdjointError, ArgumentError, DomainError
from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks.derivative import COORDINATES, check_derivative
from taglessad.proofs_checks.differences import STEP, central, scaled
from taglessad.proofs_checks.faults import faults
from taglessad.proofs_checks.mutants import planted

X = np.linspace(0.5, 2.0, 4)


# --- differences ---------------------------------------------------------------------------------
def test_a_difference_belongs_to_the_direction_as_it_was_rounded() -> None:
    """At 1e6 the step is rounded off: per measured direction a linear function's quotient is exact."""
    x, d = np.array([1e6 / 3, 0.1]), np.array([1e-3, 1.0])
    quotient = central(lambda xs: 3 * xs[0], [x], [d])
    assert not np.array_equal(quotient.directions[0], d)
    np.testing.assert_allclose(quotient.value, 3 * quotient.directions[0], rtol=1e-9)
    assert abs(quotient.value[0] / (3 * d[0]) - 1) > 1e-6


def test_one_sided_quotients_tell_a_kink() -> None:
    quotient = central(lambda xs: np.abs(xs[0]), [np.zeros(1)], [np.ones(1)])
    assert (quotient.left[0], quotient.value[0], quotient.right[0]) == (-1.0, 0.0, 1.0)


def test_directions_are_scaled_to_the_point() -> None:
    np.testing.assert_array_equal(scaled(np.ones(3), np.array([-5.0, 0.0, 0.5])), [5.0, 1.0, 1.0])


def test_the_error_of_a_difference_is_what_its_step_allows() -> None:
    quotient = central(lambda xs: np.exp(xs[0]), [X], [np.ones(4)])
    assert np.max(np.abs(quotient.value / np.exp(X) - 1)) < 10 * STEP**2


# --- sound programs ------------------------------------------------------------------------------
@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_smooth_program_at_every_order(order: int) -> None:
    def f(x: Any, y: Any) -> Any:
        return {"sum": tad.sum(tad.sin(x) * y), "each": (tad.exp(x) / y,)}

    check_derivative(f, X, X + 1.0, order=order)


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (tad.abs, [0.0, 1.0]),
        (lambda x: tad.maximum(x, 0.0), [0.0, 1.0]),
        (tad.nn.functional.relu, [0.0, -1.0]),
        (lambda x: tad.clip(x, 0.0, 1.0), [0.0, 1.0]),
        (tad.max, [2.0, 2.0]),
    ],
)
def test_at_a_kink_any_value_between_the_one_sided_ones_is_right(f: Any, at: list[float]) -> None:
    check_derivative(f, np.array(at))


def test_a_kink_nearer_than_the_step() -> None:
    check_derivative(tad.abs, np.array([1e-8, -1e-7]))


@pytest.mark.parametrize("order", [1, 2])
def test_what_is_fenced_is_held_fixed(order: int) -> None:
    check_derivative(lambda x: tad.detach(x) * tad.sin(x), X, order=order)
    check_derivative(lambda x: tad.no_grad(tad.exp)(x) * tad.sin(x), X, order=order)
    check_derivative(tad.jit(lambda x: tad.detach(tad.exp(x)) * tad.sin(x)), X, order=order)


def test_a_fence_within_a_derivative_within_the_program() -> None:
    inner = tad.grad(lambda y: tad.sum(tad.detach(y) * y**2))
    check_derivative(lambda x: inner(x) * x, X)


def test_values_of_steps_and_positions_are_constant() -> None:
    check_derivative(lambda x: tad.floor(x) * x + tad.take(x, tad.argsort(x)), X + 0.2)


def test_numbers_of_different_sizes_each_move_by_their_own_step() -> None:
    check_derivative(lambda x: tad.sum(x**2), np.array([1e6, 1e-3, 1.0]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_lower_precision_arguments_are_checked_in_float64(dtype: Any) -> None:
    check_derivative(lambda x: tad.sin(x) * x, X.astype(dtype))


def test_a_program_that_rounds_to_float32_is_held_to_float32() -> None:
    check_derivative(lambda x: x.astype(tad.float32) * 3.0, X)


def test_many_coordinates_are_sampled() -> None:
    evaluations = []

    def f(x: Any) -> Any:
        evaluations.append(1)
        return tad.sum(tad.sin(x))

    check_derivative(f, np.zeros(20 * COORDINATES))
    assert len(evaluations) < 10 * COORDINATES


# --- faults --------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["shared partial scaled", "sign flipped", "slot missing"])
def test_a_fault_that_both_modes_share_is_found(kind: str) -> None:
    prim = PRIMITIVES["sin"]
    fault = next(f for f in faults(prim) if f.kind == kind)
    with planted(prim, fault), pytest.raises(AdjointError, match=r"order 1 \(forward\)"):
        check_derivative(lambda x: tad.sin(x) * x, X)


def test_a_fault_in_reverse_mode_alone_is_found() -> None:
    prim = PRIMITIVES["sin"]
    fault = next(f for f in faults(prim) if f.kind == "pull scaled")
    with planted(prim, fault), pytest.raises(AdjointError, match="not adjoint"):
        check_derivative(lambda x: tad.sin(x) * x, X)


def test_a_fault_of_the_next_order_alone_is_found_there() -> None:
    prim = PRIMITIVES["sin"]
    fault = next(f for f in faults(prim) if f.kind == "constant to the next order")
    with planted(prim, fault):
        check_derivative(tad.sin, X)
        with pytest.raises(AdjointError, match=r"order 2 \(forward over forward\)"):
            check_derivative(tad.sin, X, order=2)


def test_the_message_names_the_coordinate_and_both_numbers() -> None:
    prim = PRIMITIVES["exp"]
    fault = next(f for f in faults(prim) if f.kind == "sign flipped")
    with planted(prim, fault), pytest.raises(AdjointError) as caught:
        check_derivative(lambda x, y: tad.sum(x) + tad.exp(y), np.ones((2, 2)), np.zeros((1, 2)))
    message = str(caught.value)
    assert "in argument leaf 1, entry [0, 0], f's result entry 0 has derivative -1" in message
    assert "the difference quotient of its values is 1.0000" in message.replace(
        "is 1 ", "is 1.0000 "
    )


def test_a_fence_that_is_none_is_found() -> None:
    prim = PRIMITIVES["detach"]
    fault = next(f for f in faults(prim) if f.kind == "slot invented")
    with planted(prim, fault), pytest.raises(AdjointError):
        check_derivative(lambda x: tad.detach(x) * x, X)


# --- points that cannot be checked ---------------------------------------------------------------
@pytest.mark.parametrize(("f", "at"), [(tad.log, -1.0), (tad.sqrt, 0.0), (tad.log, 0.0)])
def test_outside_the_domain_and_at_singularities(f: Any, at: float) -> None:
    with pytest.raises(DomainError, match="not finite"):
        check_derivative(f, np.array([at, 1.0]))


def test_at_the_edge_of_the_domain_one_side_is_enough() -> None:
    check_derivative(lambda x: x**1.5, np.array([0.0, 1.0]))


@pytest.mark.parametrize("order", [0, -1])
def test_orders_begin_with_one(order: int) -> None:
    with pytest.raises(ArgumentError, match=f"order is {order}"):
        check_derivative(tad.sin, X, order=order)


def test_there_must_be_a_real_argument() -> None:
    with pytest.raises(ArgumentError, match="write 2.0 for 2"):
        check_derivative(lambda n: n * 1.0, 2)
