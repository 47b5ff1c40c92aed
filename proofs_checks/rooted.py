"""A primitive run by the engine over any root: its values, tangents and cotangents as payloads."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from taglessad.dtypes import is_real
from taglessad.interpreters.dual import Dual, DualNumber
from taglessad.interpreters.tape import Tape, Var
from taglessad.kernels.payloads import Numbers, Objects, Payload
from taglessad.ops import Ops
from taglessad.primitive import Params, Prim, PrimN
from taglessad.proofs_checks.cases import Case

Primitive: TypeAlias = Prim | PrimN
Root: TypeAlias = Ops[Payload]


def values(root: Root, prim: Primitive, xs: Sequence[Payload], params: Params) -> list[Payload]:
    """The results, of one or of several."""
    if isinstance(prim, PrimN):
        return list(root.run_n(prim, tuple(xs), params))
    return [root.run(prim, tuple(xs), params)]


def pushed(
    root: Root,
    prim: Primitive,
    xs: Sequence[Payload],
    ds: Sequence[Payload | None],
    params: Params,
) -> list[Objects]:
    """The results' tangents; None for an operand that is held fixed."""
    dual: Dual[Payload] = Dual(root)
    duals = tuple(DualNumber(x, d) for x, d in zip(xs, ds, strict=True))
    if isinstance(prim, PrimN):
        ys = dual.apply_n(prim, duals, params)
    else:
        ys = (dual.apply(prim, duals, params),)
    return [numbers(dual.tangent(y)) for y in ys]


def pulled(
    root: Root,
    prim: Primitive,
    xs: Sequence[Payload],
    gs: Sequence[Payload],
    params: Params,
    wanted: Sequence[int],
) -> list[Objects | None]:
    """The wanted operands' cotangents; None where the result does not depend on one."""
    tape: Tape[Payload] = Tape(root)
    inputs: dict[int, Var[Payload]] = {i: tape.input(xs[i]) for i in wanted}
    operands = tuple(inputs[i] if i in inputs else Var(x, -1) for i, x in enumerate(xs))
    if isinstance(prim, PrimN):
        ys = tape.apply_n(prim, operands, params)
    else:
        ys = (tape.apply(prim, operands, params),)
    seeds = [(y.place, g) for y, g in zip(ys, gs, strict=True) if y.place >= 0]
    found = tape.finish().pull(root, seeds)
    return [None if c is None else numbers(c) for c in found[: len(wanted)]]


def numbers(x: Payload) -> Objects:
    """The entries of an array of reals."""
    assert isinstance(x, Numbers)
    return x.values


def reals(case: Case) -> list[int]:
    """The operands of real numbers."""
    return [i for i, x in enumerate(case.operands) if is_real(x.dtype)]


def active(prim: Primitive, case: Case) -> list[int]:
    """The operands that the primitive has a derivative in."""
    if isinstance(prim, PrimN):
        return reals(case)
    return [i for i in reals(case) if prim.slots[i] is not None]


def payloads(root: Root, case: Case, entries: dict[int, Objects]) -> list[Payload]:
    """The operands, those of real numbers from given entries."""
    return [
        Numbers(entries[i], x.dtype, active=True) if i in entries else root.const(np.asarray(x))
        for i, x in enumerate(case.operands)
    ]


def inner(a: Objects, b: Objects, zero: Any) -> Any:  # Any: an entry
    """The sum of products."""
    total = zero
    for x, y in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True):
        total = total + x * y
    return total
