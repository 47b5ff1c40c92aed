"""OpSpec: a function with its derivative as a bundle, and the law that makes it one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from taglessad.convert import as_handle
from taglessad.dispatch import lift_all
from taglessad.errors import AdjointError
from taglessad.kernels.payloads import each
from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks.cases import Array
from taglessad.proofs_checks.differences import central, largest, scaled
from taglessad.proofs_checks.generic_numbers import Jet, jet
from taglessad.tensor import handle


@dataclass(frozen=True)
class OpSpec:
    """A function of one array, its derivative at x along d, and the adjoint of that at x along g.

    forward(x) -> y; push(x, d) -> the tangent of y; pull(x, g) -> the cotangent of x. Lawful if
    push(x, .) is the derivative of forward at x, and <push(x, d), g> == <d, pull(x, g)>.
    """

    forward: Callable[[Any], Any]  # Any: an array or a handle, of any shape
    push: Callable[[Any, Any], Any]
    pull: Callable[[Any, Any], Any]

    def check(
        self,
        x: Any,
        *,
        exact: bool = False,
        trials: int = 3,
        seed: int = 0,
        rtol: float = 1e-6,
    ) -> None:
        """Hold the bundle to its law at a point, along random directions.

        exact: x has integers or Fractions, and all three functions are made of + - * / on object
        arrays; both laws are then held exactly, by the arithmetic of a + b t modulo t**2. Else
        rtol is that of the difference quotients, relative to the values, and adjointness is held
        to rtol**2. Raises AdjointError with the two numbers that should be equal.
        """
        rng = np.random.default_rng(seed)
        point = np.asarray(x, object if exact else np.float64)
        y = _array(self.forward(point), exact)
        for _ in range(trials):
            d, g = _direction(rng, point, exact), _direction(rng, y, exact)
            push, pull = _array(self.push(point, d), exact), _array(self.pull(point, g), exact)
            here, there = np.sum(push * g), np.sum(d * pull)
            size = 0 if exact else rtol**2 * (np.sum(abs(push * g)) + np.sum(abs(d * pull)))
            if not abs(here - there) <= size:
                raise AdjointError(
                    f"OpSpec: push and pull are not adjoint: <push(x, d), g> = {here!r}, "
                    f"<d, pull(x, g)> = {there!r}"
                )
            if exact:
                self._check_slope(point, d, push)
            else:
                self._check_derivative(point, d, rtol)

    def _check_slope(self, x: Array, d: Array, push: Array) -> None:
        moving = _array(self.forward(each(Jet, x, d)), True)
        slope = each(lambda v: jet(v).slope, moving)
        if not np.all(slope == push):
            raise AdjointError(
                f"OpSpec: push is not the derivative of forward: {push.ravel()[:4].tolist()}, but "
                f"the slope of its values is {slope.ravel()[:4].tolist()}"
            )

    def _check_derivative(self, x: Array, d: Array, rtol: float) -> None:
        quotient = central(lambda xs: _array(self.forward(xs[0]), False), [x], [scaled(d, x)])
        push = _array(self.push(x, quotient.directions[0]), False)
        error = largest(push - quotient.value)
        if not error <= rtol * (1 + quotient.size + largest(push)):
            raise AdjointError(
                f"OpSpec: push is not the derivative of forward: {push.ravel()[:4].tolist()}, but "
                f"the difference quotient is {quotient.value.ravel()[:4].tolist()}"
            )


def compose(first: OpSpec, second: OpSpec) -> OpSpec:
    """`second` after `first`, with the derivative of the chain rule.

    Lawful if both are: push is the product of the two derivatives, the second one at first(x), and
    pull is that of the adjoints, in the other order.
    """

    def forward(x: Any) -> Any:
        return second.forward(first.forward(x))

    def push(x: Any, d: Any) -> Any:
        return second.push(first.forward(x), first.push(x, d))

    def pull(x: Any, g: Any) -> Any:
        return first.pull(x, second.pull(first.forward(x), g))

    return OpSpec(forward, push, pull)


def of_primitive(name: str, *params: Any) -> OpSpec:
    """The bundle of a primitive with one operand. params: its static parameters."""
    prim = PRIMITIVES[name]
    slot = prim.slots[0]
    assert slot is not None, f"{name} has no derivative"

    def forward(x: Any) -> Any:
        h: Any = as_handle(x, name)
        return handle(h.ops, h.ops.run(prim, (h.payload,), params), h.dtype)

    def push(x: Any, d: Any) -> Any:
        ops, (a, b) = lift_all(name, [x, d])
        y = ops.run(prim, (a.payload,), params)
        return handle(ops, slot.push(ops, b.payload, y, a.payload, *params), a.dtype)

    def pull(x: Any, g: Any) -> Any:
        ops, (a, b) = lift_all(name, [x, g])
        y = ops.run(prim, (a.payload,), params)
        return handle(ops, slot.pull(ops, b.payload, y, a.payload, *params), a.dtype)

    return OpSpec(forward, push, pull)


def _array(x: Any, exact: bool) -> Array:
    return np.asarray(x, object) if exact else np.asarray(x, np.float64)


def _direction(rng: np.random.Generator, like: Array, exact: bool) -> Array:
    if exact:
        return np.asarray(rng.integers(-9, 10, like.shape), object)
    return rng.uniform(-1, 1, like.shape)
