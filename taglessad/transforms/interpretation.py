"""interpret: the meaning of a program under an interpreter that the caller names."""

from collections.abc import Callable
from typing import Any

from taglessad.convert import as_handle
from taglessad.dims import Polynomial
from taglessad.errors import ArgumentError, ShapeError
from taglessad.interpreter import Interpreter
from taglessad.interpreters.batch import Batch, Batched
from taglessad.interpreters.dual import Dual, DualNumber
from taglessad.interpreters.record import Record
from taglessad.interpreters.shape import Shape
from taglessad.interpreters.tape import Tape
from taglessad.levels import Under
from taglessad.ops import Ops
from taglessad.primitive import Aval
from taglessad.shapes import show
from taglessad.tensor import handle
from taglessad.transforms.naming import named_after
from taglessad.transforms.recording import Spec, trace
from taglessad.trees import flatten, match, unflatten

# Any throughout: arguments are what the interpreter takes, results what it gives.


def interpret(f: Callable[..., Any], interpreter: Interpreter[Any]) -> Callable[..., Any]:
    """f's meaning under an interpreter, as a function of that interpreter's arguments.

    Roots take arrays (Shape: shapes, as tuples of sizes or `Spec`s) and give handles, shapes, or
    their own payloads; Record gives the Graph. Transformers take what their base takes: Dual pairs
    (primal, tangent), for arguments and results; Batch a leading axis of its size; Tape values.
    """
    if not isinstance(interpreter, Ops):
        raise ArgumentError(
            f"interpret: {interpreter!r} is no interpreter; give an instance, such as Eager()"
        )
    ops: Ops[Any] = interpreter
    if isinstance(ops, Record):
        return trace(f)

    def meaning(*args: Any, **kwargs: Any) -> Any:
        with Under(ops):
            own = [_argument(ops, a, f"argument {i}") for i, a in enumerate(args)]
            named = {k: _argument(ops, a, f"argument {k!r}") for k, a in kwargs.items()}
            results, treedef = flatten(f(*own, **named))
            answers: list[Any] = []
            for r in results:
                h = as_handle(r, "interpret", "the result of f")
                answers.append(_answer(ops, ops.lift(h.ops, h.payload), h.weak))
        return unflatten(treedef, answers)

    return named_after(meaning, f"interpret[{ops!r}]", f)


def _argument(ops: Ops[Any], argument: Any, name: str) -> Any:
    """An argument as the tree of handles that the program sees."""
    if isinstance(ops, Dual):
        if not isinstance(argument, (tuple, list)) or len(argument) != 2:
            raise ArgumentError(f"interpret: under {ops!r} {name} is a pair (primal, tangent)")
        primals, treedef = flatten(argument[0])
        tangents = match(treedef, argument[1], name=f"interpret: the tangent of {name}")
        pairs = [_dual(ops, p, t, name) for p, t in zip(primals, tangents, strict=True)]
        return unflatten(treedef, pairs)
    if isinstance(ops, Shape) and _is_shape(argument):
        return _handle(ops, Aval(tuple(argument), Spec(()).dtype), False)
    leaves, treedef = flatten(argument)
    return unflatten(treedef, [_handle(ops, *_entered(ops, x, name)) for x in leaves])


def _dual(ops: Dual[Any], primal: Any, tangent: Any, name: str) -> Any:
    p, weak = _entered(ops.base, primal, name)
    t, _ = _entered(ops.base, tangent, f"the tangent of {name}")
    if ops.base.shape(p) != ops.base.shape(t):
        raise ShapeError(
            f"interpret: {name} has shape {show(ops.base.shape(p))}, but its tangent has "
            f"{show(ops.base.shape(t))}"
        )
    return _handle(ops, DualNumber(p, ops.base.cast(t, ops.base.dtype(p))), weak)


def _handle(ops: Ops[Any], payload: Any, weak: bool) -> Any:
    return handle(ops, payload, ops.dtype(payload), weak)


def _entered(ops: Ops[Any], leaf: Any, name: str) -> tuple[Any, bool]:
    """One leaf as a payload, and whether it is weak."""
    if isinstance(ops, Batch):
        value, weak = _entered(ops.base, leaf, name)
        shape = ops.base.shape(value)
        if not shape or shape[0] != ops.size:
            raise ShapeError(
                f"interpret: {name} has shape {show(shape)}; under {ops!r} its first axis is the "
                f"batch, of size {ops.size}"
            )
        return Batched(value, True), weak
    if isinstance(ops, (Tape, Dual)):
        value, weak = _entered(ops.base, leaf, name)
        return ops.embed(value), weak
    if isinstance(leaf, Spec):
        if not isinstance(ops, Shape):
            raise ArgumentError(f"interpret: {name} is a Spec; {ops!r} needs an array")
        return Aval(leaf.shape, leaf.dtype), False
    x = as_handle(leaf, "interpret", name)
    return ops.lift(x.ops, x.payload), x.weak


def _is_shape(argument: Any) -> bool:
    return isinstance(argument, (tuple, list)) and all(
        isinstance(n, (int, Polynomial)) and not isinstance(n, bool) for n in argument
    )


def _answer(ops: Ops[Any], payload: Any, weak: bool) -> Any:
    """A result as the interpreter gives it."""
    if isinstance(ops, Dual):
        tangent = ops.tangent(payload)
        return _answer(ops.base, payload.primal, weak), _answer(ops.base, tangent, weak)
    if isinstance(ops, Batch):
        return _answer(ops.base, ops.full(payload), weak)
    if isinstance(ops, Tape):
        return _answer(ops.base, payload.value, weak)
    if ops.literal(payload) is not None:
        return _handle(ops, payload, weak)
    return ops.answer(payload)
