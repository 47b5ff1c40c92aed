"""cond and switch."""

from collections.abc import Callable, Sequence
from typing import Any

from taglessad.control import bodies
from taglessad.control.branch import BRANCH
from taglessad.convert import as_handle
from taglessad.dtypes import bool_, int64, is_bool, is_real
from taglessad.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError
from taglessad.shapes import show
from taglessad.tensor import AnyTensor

# Any: operands and results are trees of whatever the branches take and give.


def cond(
    pred: Any, then_fn: Callable[..., Any], else_fn: Callable[..., Any], *operands: Any
) -> Any:
    """then_fn(*operands) where `pred` is true, else_fn(*operands) where it is not.

    pred: a truth value of rank 0 (a number counts as true unless it is 0). Both functions are
    recorded, and give one structure, shapes and dtypes; one of them runs. The derivative is that of
    the branch that runs; under vmap with a mapped predicate both run and each member takes its own.
    Raises ArgumentError, ShapeError or DTypeError where the branches disagree.
    """
    chosen = as_handle(pred, "cond", "pred")
    if chosen.shape != ():
        raise ShapeError(
            f"cond: pred has shape {show(chosen.shape)}, but one truth value, shape [], decides; "
            "reduce it with tad.any or tad.all, or choose entry by entry with tad.where"
        )
    index = chosen if is_bool(chosen.dtype) else chosen.astype(bool_)
    return _branches("cond", index, (else_fn, then_fn), ("else_fn", "then_fn"), operands)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """branches[index](*operands).

    index: an integer of rank 0. Out of range it is an IndexOutOfRange error where its value is
    known, and clamped where it is not. All branches give one structure, shapes and dtypes; one
    runs, and the derivative is its derivative.
    """
    if callable(branches) or not branches:
        raise ArgumentError("switch: branches is a sequence of at least one function")
    chosen = as_handle(index, "switch", "index")
    if is_real(chosen.dtype) or is_bool(chosen.dtype):
        raise DTypeError(
            f"switch: index has dtype {chosen.dtype}; it is an integer (use tad.cond for a truth "
            "value)"
        )
    if chosen.shape != ():
        raise ShapeError(f"switch: index has shape {show(chosen.shape)}; it is one integer, []")
    seen = chosen.ops.peek(chosen.payload)
    if seen is not None and not 0 <= int(seen) < len(branches):
        raise IndexOutOfRange(
            f"switch: index {int(seen)} is not among the {len(branches)} branches"
        )
    names = [f"branch {i}" for i in range(len(branches))]
    position = chosen if chosen.dtype == int64 else chosen.astype(int64)
    return _branches("switch", position, tuple(branches), names, operands)


def _branches(
    what: str,
    index: AnyTensor,
    functions: Sequence[Callable[..., Any]],
    names: Sequence[str],
    arguments: tuple[Any, ...],
) -> Any:
    given = bodies.operands(what, arguments, "operands")
    base = bodies.base_of([index, *given.leaves])
    recorded = bodies.aligned(
        what,
        [bodies.body(what, f, given.treedef, given.specs, base) for f in functions],
        names,
    )
    graphs, captures = bodies.closed(recorded)
    values = [*bodies.payloads(base, [index]), *captures, *bodies.payloads(base, given.leaves)]
    found = base.run_n(BRANCH, tuple(values), (tuple(graphs),))
    return bodies.result(base, found, recorded[0])
