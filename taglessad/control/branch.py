"""The primitive of branches: one of several graphs runs, an index says which.

Operands: the index (a rank-0 integer, or a truth value for two branches: false is the first), and
the arguments that every branch takes. The derivative is that of the branch that runs.
"""

from collections.abc import Sequence
from typing import Final, TypeVar

from taglessad.control import derived
from taglessad.control.derived import Which
from taglessad.control.running import runner
from taglessad.dtypes import int64, is_bool
from taglessad.graph import Graph
from taglessad.ops import Ops
from taglessad.primitive import Aval, declare_several

R = TypeVar("R")


def _infer(avals: tuple[Aval, ...], graphs: tuple[Graph, ...]) -> tuple[Aval, ...]:
    return tuple(derived.outputs(graphs[0]))


def _evaluate(ops: Ops[R], xs: tuple[R, ...], params: tuple[tuple[Graph, ...]]) -> Sequence[R]:
    (graphs,) = params
    i = ops.decide(xs[0]) if len(graphs) > 1 else 0
    return runner(ops, graphs[min(max(i, 0), len(graphs) - 1)])(xs[1:])


def _series(
    ops: Ops[R],
    xs: tuple[R, ...],
    cs: list[list[R] | None],
    params: tuple[tuple[Graph, ...]],
    order: int,
) -> tuple[list[R], list[list[R] | None]]:
    (graphs,) = params
    given = tuple(c is not None for c in cs[1:])
    reached: Which = (False,) * len(graphs[0].outputs)
    for graph in graphs:
        reached = derived.union(reached, derived.reached(graph, given))
    coefficients = [c for each in cs[1:] if each is not None for c in each]
    both = tuple(derived.pushed(graph, given, reached, order) for graph in graphs)
    found = ops.run_n(BRANCH, (*xs, *coefficients), (both,))
    n = len(reached)
    return list(found[:n]), derived.grouped(found[n:], reached, order)


def _pull(
    ops: Ops[R],
    gs: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: tuple[tuple[Graph, ...]],
    wanted: Which,
) -> list[R | None]:
    (graphs,) = params
    given = tuple(g is not None for g in gs)
    asked = derived.both(wanted[1:], derived.real(derived.inputs(graphs[0])))
    back = tuple(derived.pulled(graph, given, asked) for graph in graphs)
    cotangents = tuple(g for g in gs if g is not None)
    found = ops.run_n(BRANCH, (*xs, *cotangents), (back,))
    return [None, *derived.spread(found, asked)]


def _batch(
    ops: Ops[R],
    size: int,
    mapped: Which,
    xs: tuple[R, ...],
    params: tuple[tuple[Graph, ...]],
) -> Sequence[R]:
    (graphs,) = params
    everything: Which = (True,) * len(graphs[0].outputs)
    many = tuple(derived.batched(g, size, mapped[1:], everything)[0] for g in graphs)
    if not mapped[0]:
        return ops.run_n(BRANCH, xs, (many,))
    # Members differ in their branch: all run, and each member takes its own.
    index = xs[0]
    if is_bool(ops.dtype(index)):
        index = ops.cast(index, int64)
    index = ops.clip(index, ops.scalar(0, index), ops.scalar(len(graphs) - 1, index))
    # Written out, so that what the others did not take stays a structural zero inside them too.
    results = [graph.run(ops, xs[1:]) for graph in many]
    chosen = list(results[0])
    for i, one in enumerate(results[1:], 1):
        here = ops.equal(index, ops.scalar(i, index))
        for k, (y, other) in enumerate(zip(one, chosen, strict=True)):
            aligned = ops.reshape(here, (size, *(1,) * (len(ops.shape(y)) - 1)))
            chosen[k] = ops.where(aligned, y, other)
    return chosen


BRANCH: Final = declare_several(
    "branch", _infer, None, _pull, _batch, series=_series, evaluate=_evaluate, variadic=True
)
