"""A primitive run at a case: its value, its tangent, its cotangents, and itself as a program.

Derivatives go through the engine, Dual and Tape over NumPy, as a user's program does: so what is
checked is the rule together with the masks, the summing back and the settling around it.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from taglessad.convert import from_array
from taglessad.dispatch import lift_all
from taglessad.dtypes import is_real
from taglessad.interpreters.dual import Dual, DualNumber
from taglessad.interpreters.eager import EAGER
from taglessad.interpreters.tape import Tape
from taglessad.kernels.quiet import Quiet
from taglessad.primitive import Prim
from taglessad.proofs_checks.cases import Array, Case
from taglessad.tensor import AnyTensor, handle

Program: TypeAlias = Callable[..., Any]  # Any: handles of whichever interpreter


def value(prim: Prim, operands: Sequence[Array], params: tuple[Any, ...]) -> Array:
    """The primitive's own kernel."""
    with Quiet():
        return np.asarray(EAGER.trusted().run(prim, tuple(operands), params))


def active(prim: Prim, case: Case) -> list[int]:
    """The operands that the primitive has a derivative in."""
    real = [i for i, x in enumerate(case.operands) if is_real(x.dtype)]
    return [i for i in real if prim.slots[i] is not None]


def inactive(prim: Prim, case: Case) -> list[int]:
    """The real operands that it is declared to have none in."""
    return [i for i, x in enumerate(case.operands) if is_real(x.dtype) and prim.slots[i] is None]


def pushed(prim: Prim, case: Case, tangents: Sequence[Array | None]) -> Array:
    """The result's tangent; None for an operand that is held fixed."""
    dual: Dual[Array] = Dual(EAGER)
    duals = [DualNumber(x, d) for x, d in zip(case.operands, tangents, strict=True)]
    with Quiet():
        y = dual.apply(prim, tuple(duals), case.params)
        return np.asarray(dual.tangent(y))


def pulled(prim: Prim, case: Case, wanted: Sequence[int], g: Array) -> list[Array]:
    """The wanted operands' cotangents from the result's."""
    tape: Tape[Array] = Tape(EAGER)
    with Quiet():
        inputs = {i: tape.input(case.operands[i]) for i in wanted}
        variables = [
            inputs[i] if i in inputs else tape.const(x) for i, x in enumerate(case.operands)
        ]
        y = tape.apply(prim, tuple(variables), case.params)
        found = tape.finish().pull(EAGER, [(y.place, g)])
    return [
        np.zeros_like(case.operands[i]) if c is None else np.asarray(c)
        for i, c in zip(wanted, found[: len(wanted)], strict=True)
    ]


def moved(case: Case, position: int, x: Array) -> list[Array]:
    """The operands with one of them replaced."""
    return [x if i == position else own for i, own in enumerate(case.operands)]


def in_operand(prim: Prim, case: Case, position: int) -> Callable[[list[Array]], Array]:
    """The value as a function of one operand alone: what differences are taken of."""

    def f(xs: list[Array]) -> Array:
        return value(prim, moved(case, position, xs[0]), case.params)

    return f


def directions(case: Case, positions: Sequence[int]) -> list[Array]:
    """A random direction for each of some operands."""
    rng = case.rng()
    return [rng.uniform(-1, 1, case.operands[i].shape) for i in positions]


def as_program(prim: Prim, case: Case, positions: Sequence[int]) -> Program:
    """The primitive as a function of handles for some operands, the others fixed."""

    def program(*xs: AnyTensor) -> Any:  # Any: the result's kind is the primitive's
        given = dict(zip(positions, xs, strict=True))
        operands = [given.get(i, x) for i, x in enumerate(case.operands)]
        ops, handles = lift_all(prim.name, operands)
        y = ops.run(prim, tuple(x.payload for x in handles), case.params)
        return handle(ops, y, ops.dtype(y))

    program.__name__ = prim.name
    return program


def inner(a: AnyTensor, b: AnyTensor) -> Any:
    """The sum of products of two handles of one shape, as a program."""
    ops, (x, y) = lift_all("inner", [a, b])
    product = ops.mul(x.payload, y.payload)
    axes = tuple(range(len(ops.shape(product))))
    return handle(ops, ops.sum(product, axes) if axes else product, ops.dtype(product))


def weighted(program: Program, weights: Array) -> Program:
    """The sum of a program's results times fixed weights: one number, to take gradients of."""

    def scalar(*xs: AnyTensor) -> Any:
        return inner(program(*xs), from_array(weights))

    return scalar
