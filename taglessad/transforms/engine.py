"""Running a program under a derivative interpreter: what grad, vjp, jvp and their kin share."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.convert import article, as_handle
from taglessad.dtypes import DType, is_real
from taglessad.errors import ArgumentError, DTypeError, ShapeError
from taglessad.interpreters.dual import Dual, DualNumber
from taglessad.interpreters.tape import Tape, Trace, Var
from taglessad.kernels.quiet import Quiet
from taglessad.levels import Under, join
from taglessad.ops import Ops
from taglessad.primitive import Aval
from taglessad.shapes import show
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import Chosen
from taglessad.trees import TreeDef, flatten, match, unflatten

# Any throughout: payloads of whichever interpreters meet here.
NO_AUX = object()


class Result(NamedTuple):
    """A program's result taken apart: leaves as (payload, weak), and its structure."""

    payloads: list[Any]
    weak: list[bool]
    treedef: TreeDef
    aux: Any


def split_aux(what: str, result: Any, has_aux: bool) -> tuple[Any, Any]:
    """The output and the auxiliary value of a function with `has_aux`."""
    if not has_aux:
        return result, NO_AUX
    if not isinstance(result, tuple) or len(result) != 2:
        raise ArgumentError(
            f"{what}: with has_aux=True f returns a pair (output, aux), but it returned "
            f"{article(result)}{f' of {len(result)}' if isinstance(result, tuple) else ''}"
        )
    return result


def run_under(
    what: str, ops: Ops[Any], chosen: Chosen, payloads: Sequence[Any], has_aux: bool
) -> Result:
    """The program under an interpreter, on payloads of its own for the chosen leaves."""
    inputs = [handle(ops, p, x.dtype, x.weak) for p, x in zip(payloads, chosen.leaves, strict=True)]
    with Under(ops):
        output, aux = split_aux(what, chosen.call(inputs), has_aux)
        leaves, treedef = flatten(output)
        results = [as_handle(x, what, "the result of f") for x in leaves]
        lifted = [ops.lift(x.ops, x.payload) for x in results]
    return Result(lifted, [x.weak for x in results], treedef, aux)


def lowered(ops: Ops[Any], base: Ops[Any], below: Callable[[Any], Any], aux: Any) -> Any:
    """Auxiliary values of a program as values of the interpreter below its transform."""
    if aux is NO_AUX:
        return aux
    leaves, treedef = flatten(aux)
    new = []
    for x in leaves:
        if isinstance(x, AnyTensor) and x.ops is ops:
            x = handle(base, below(x.payload), x.dtype, x.weak)
        new.append(x)
    return unflatten(treedef, new)


class Reverse(NamedTuple):
    """A program evaluated and recorded: its results in the base, and the record."""

    base: Ops[Any]
    trace: Trace[Any]
    chosen: Chosen
    outputs: list[Var[Any]]
    weak: list[bool]
    treedef: TreeDef
    aux: Any

    def output(self) -> Any:
        """The program's value."""
        return unflatten(self.treedef, self.output_leaves())

    def output_leaves(self) -> list[AnyTensor]:
        """The numbers of the program's value."""
        base = self.base
        return [
            handle(base, v.value, base.dtype(v.value), w)
            for v, w in zip(self.outputs, self.weak, strict=True)
        ]

    def pull(self, ops: Ops[Any], cotangents: Sequence[Any], *, consume: bool = False) -> list[Any]:
        """Cotangents of the leaves, as payloads of `ops`; None where nothing depends."""
        seeds = [
            (v.place, c)
            for v, c in zip(self.outputs, cotangents, strict=True)
            if v.place >= 0 and c is not None
        ]
        with Quiet():
            return self.trace.pull(ops, seeds, consume=consume)

    def gradients(self, ops: Ops[Any], found: Sequence[Any]) -> list[AnyTensor]:
        """Cotangents as handles: zeros where nothing depends."""
        base = self.base
        results: list[AnyTensor] = []
        for x, c in zip(self.chosen.leaves, found, strict=True):
            if c is None:
                c = ops.zeros(Aval(base.shape(base.lift(x.ops, x.payload)), x.dtype))
            results.append(handle(ops, c, x.dtype, x.weak))
        return results


def reverse(what: str, chosen: Chosen, *, has_aux: bool = False, peeking: bool = False) -> Reverse:
    """Evaluate a program on a tape over what is under way and its arguments' interpreters."""
    base = join([x.ops for x in (*chosen.leaves, *chosen.others)])
    tape: Tape[Any] = Tape(base, peeking=peeking)
    inputs = [tape.input(base.lift(x.ops, x.payload)) for x in chosen.leaves]
    try:
        result = run_under(what, tape, chosen, inputs, has_aux)
        aux = lowered(tape, base, lambda v: v.value, result.aux)
    except BaseException:
        tape.close()
        raise
    trace = tape.finish()
    return Reverse(base, trace, chosen, result.payloads, result.weak, result.treedef, aux)


class Forward(NamedTuple):
    """A program's value and tangent, in the base."""

    base: Ops[Any]
    output: Any
    tangent: Any
    aux: Any


def forward(
    what: str,
    chosen: Chosen,
    tangents: Sequence[AnyTensor],
    *,
    has_aux: bool = False,
) -> Forward:
    """Evaluate a program on dual numbers."""
    base = join([x.ops for x in (*chosen.leaves, *tangents, *chosen.others)])
    dual: Dual[Any] = Dual(base)
    inputs = [
        DualNumber(base.lift(x.ops, x.payload), base.lift(t.ops, t.payload))
        for x, t in zip(chosen.leaves, tangents, strict=True)
    ]
    try:
        result = run_under(what, dual, chosen, inputs, has_aux)
        outputs: list[AnyTensor] = []
        pushed: list[AnyTensor] = []
        with Quiet():
            for d, weak in zip(result.payloads, result.weak, strict=True):
                dtype = base.dtype(d.primal)
                refuse_integers(what, dtype)
                outputs.append(handle(base, d.primal, dtype, weak))
                pushed.append(handle(base, dual.tangent(d), dtype, weak))
        aux = lowered(dual, base, lambda d: d.primal, result.aux)
    finally:
        dual.close()
    return Forward(base, unflatten(result.treedef, outputs), unflatten(result.treedef, pushed), aux)


def refuse_integers(what: str, dtype: DType) -> None:
    """Integers and truth values carry no derivative. Raises DTypeError for a result of them."""
    if not is_real(dtype):
        raise DTypeError(
            f"{what}: f returned dtype {dtype}; only real numbers carry a derivative. Convert "
            "it with astype, or return it beside the result, as aux (has_aux=True)"
        )


def like(what: str, role: str, value: AnyTensor, like: AnyTensor, name: str) -> AnyTensor:
    """A seed as a (co)tangent of `like`: same shape, same dtype; Python numbers take its dtype.

    Raises ShapeError or DTypeError naming both.
    """
    refuse_integers(what, like.dtype)
    if value.weak and not like.weak:
        payload = value.ops.cast(value.payload, like.dtype)
        value = handle(value.ops, payload, like.dtype, like.weak)
    elif not is_real(value.dtype) and value.weak:
        value = handle(value.ops, value.ops.cast(value.payload, like.dtype), like.dtype, True)
    if value.shape != like.shape:
        raise ShapeError(
            f"{what}: the {role} has shape {show(value.shape)}, but {name} has "
            f"{show(like.shape)}; a {role} has the shape of what it belongs to"
        )
    if value.dtype != like.dtype:
        raise DTypeError(
            f"{what}: the {role} has dtype {value.dtype}, but {name} has {like.dtype}; convert it "
            f"with astype({like.dtype})"
        )
    return value


def seeds(
    what: str, role: str, treedef: TreeDef, tree: Any, leaves: Sequence[AnyTensor], name: str
) -> list[AnyTensor]:
    """A tree of seeds, checked against what they belong to, leaf by leaf."""
    given = match(treedef, tree, name=f"{what}: the {role}")
    several = len(leaves) > 1
    return [
        like(what, role, as_handle(g, what, f"the {role}"), x, f"{name} {i}" if several else name)
        for i, (g, x) in enumerate(zip(given, leaves, strict=True))
    ]


def scalar_output(what: str, run: Reverse) -> Var[Any]:
    """The one real number that a function to be differentiated by `grad` returns."""
    one_result(what, run.treedef)
    output = run.outputs[0]
    scalar_result(what, run.base.aval(output.value))
    return output


def one_result(what: str, treedef: TreeDef) -> None:
    """Refuse a result that is a tree, where one number is wanted."""
    if treedef.num_leaves != 1 or len(treedef.tokens) != 1:
        hint = "; if it returns (loss, aux), pass has_aux=True" if treedef.num_leaves != 1 else ""
        raise ArgumentError(
            f"{what}: f must return one real number, but it returned {treedef}{hint}. Use "
            "tad.jacrev or tad.vjp for other results"
        )


def scalar_result(what: str, aval: Aval) -> None:
    """Refuse the result of a function to be differentiated by `grad` if it is no real scalar."""
    if aval.shape != ():
        raise ShapeError(
            f"{what}: f must return a scalar, shape [], but it returned shape {show(aval.shape)}; "
            "sum it, or use tad.jacrev or tad.vjp"
        )
    refuse_integers(what, aval.dtype)


@cache
def _one(dtype: DType) -> NDArray[Any]:  # Any: the dtype is data
    made = np.ones((), dtype)
    made.flags.writeable = False
    return made


def tangents_of(what: str, chosen: Chosen, tree: Any) -> list[AnyTensor]:
    """Tangents of the chosen leaves from the tree that the argument(s) have."""
    _, treedef = flatten(chosen.restore(list(range(len(chosen.leaves)))))
    return seeds(what, "tangent", treedef, tree, chosen.leaves, "the argument")


def one(ops: Ops[Any], dtype: DType) -> Any:
    """The cotangent 1."""
    return ops.const(_one(dtype))
