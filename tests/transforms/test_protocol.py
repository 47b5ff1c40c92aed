"""What a derivative is as a call: nothing is recorded before, nothing is left behind after."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError
from taglessad.interpreters import Eager

X = np.array([1.0, -2.0, 3.0])


def test_the_function_stays_as_it_is() -> None:
    f = lambda x: tad.sum(tad.sin(x) * x)
    before = float(f(X))
    gradient = tad.grad(f)
    assert gradient is not f
    assert float(f(X)) == before == float(tad.value_and_grad(f)(X)[0])


def test_the_program_runs_once_and_forward_once() -> None:
    calls: list[str] = []

    def f(x: Any, y: Any) -> Any:
        calls.append("f")
        return tad.sum(tad.exp(x) * y)

    tad.grad(f, (0, 1))(X, X)
    assert calls == ["f"]
    graph = tad.trace(tad.grad(f, (0, 1), value=True))(X, X)
    assert [node.prim.name for node in graph.nodes].count("exp") == 1


def test_nothing_is_recorded_where_no_derivative_is_asked() -> None:
    seen: list[Any] = []
    f = lambda x: seen.append(x.ops) or tad.sum(x * x)
    f(tad.asarray(X))
    assert isinstance(seen[0], Eager)


def test_uses_add_up_and_broadcasting_is_summed_back() -> None:
    f = lambda row, column, scalar: tad.sum((row + column) * scalar + row * row)
    row, column = np.ones((1, 3)), np.ones((2, 1))
    dr, dc, ds = tad.grad(f, (0, 1, 2))(row, column, 5.0)
    np.testing.assert_array_equal(dr, np.full((1, 3), 2 * (5.0 + 2.0)))
    np.testing.assert_array_equal(dc, np.full((2, 1), 3 * 5.0))
    assert float(ds) == 12.0


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (1, 2, 2)])
def test_one_program_at_every_shape(shape: tuple[int, ...]) -> None:
    x = np.arange(float(np.prod(shape))).reshape(shape)
    gradient = tad.grad(lambda x: tad.sum(x**3))(x)
    assert gradient.shape == shape
    np.testing.assert_array_equal(gradient, 3 * x**2)


def test_no_order_is_left_over_for_the_next_call() -> None:
    f = lambda x: tad.sum(x**3)
    h, g = tad.hessian(f), tad.grad(f)
    first = np.asarray(h(X)), np.asarray(g(X))
    h(10.0 * X), g(10.0 * X)
    np.testing.assert_array_equal(h(X), first[0])
    np.testing.assert_array_equal(g(X), first[1])
    np.testing.assert_array_equal(first[0], np.diag(6 * X))


@dataclasses.dataclass(frozen=True)
class Scale:
    factor: Any
    _hidden: Any
    kind: str = dataclasses.field(metadata={"static": True}, default="cubic")

    def cost(self, x: Any) -> Any:
        if self.kind == "cubic":
            return self.power(x) * self.factor * self._hidden
        return x

    def power(self, x: Any) -> Any:
        return x**3


def test_methods_steer_and_call_methods_at_every_order() -> None:
    scale = Scale(2.0, 0.5)
    assert float(tad.grad(scale.cost)(3.0)) == 27.0
    assert float(tad.hessian(scale.cost)(3.0)) == 18.0
    by_field = tad.grad(Scale.cost, wrt=["self.factor", "self._hidden"])(scale, 3.0)
    assert {k: float(v) for k, v in by_field.items()} == {
        "self.factor": 13.5,
        "self._hidden": 54.0,
    }
    with pytest.raises(ArgumentError, match=r"self has: factor, _hidden"):
        tad.grad(Scale.cost, wrt="self.kind")(scale, 3.0)


def test_positions_computed_by_the_program_at_second_order() -> None:
    f = lambda x: x[tad.argmax(x)] ** 3 + tad.sum(tad.sort(x)[:2] ** 2)
    np.testing.assert_array_equal(tad.hessian(f)(X), np.diag([2.0, 2.0, 18.0]))


def test_slices_at_computed_positions_of_a_known_length() -> None:
    f = lambda x, k: tad.sum(tad.take(x, k + tad.arange(2), axis=0) ** 2)
    np.testing.assert_array_equal(tad.jit(tad.grad(f))(X, np.asarray(1)), [0.0, -4.0, 6.0])


def test_a_letter_repeated_in_one_operand_is_the_diagonal() -> None:
    f = lambda a: tad.sum(tad.einsum("ii->i", a) ** 2)
    np.testing.assert_array_equal(
        tad.grad(f)(np.array([[1.0, 2.0], [3.0, 4.0]])), np.diag([2.0, 8.0])
    )


def test_a_random_draw_is_a_value_of_its_key() -> None:
    key = tad.random.key(0)
    noise = np.asarray(tad.random.normal(key, (3,)))
    f = lambda x: tad.sum(x * tad.random.normal(key, (3,)))
    np.testing.assert_array_equal(tad.grad(f)(X), noise)


def test_half_precision_and_bare_statements() -> None:
    def f(x: Any) -> Any:
        assert x.shape == (3,)
        tad.sin(x)  # a value that nobody reads
        return tad.sum(x * x)

    gradient = tad.grad(f)(tad.astype(X, tad.float16))
    assert gradient.dtype == np.float16
    np.testing.assert_array_equal(gradient, 2 * X)
