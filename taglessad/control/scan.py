"""The primitive of loops of known length: a carry goes through, rows come in and go out.

Operands: constants, the initial carry, arrays whose rows are taken in turn. Results: the final
carry, and one array per row result. In reverse the body's own intermediate values are remembered
row by row, so the forward loop runs once (Baydin et al. 2018, section 3.2, on the memory of
reverse mode; `checkpoint` the body to trade it for time).
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from taglessad.compiled.loops import fits, scan_function
from taglessad.control import derived, zeros
from taglessad.control.derived import Which, only, spread
from taglessad.control.running import on_numpy, reverses, runner
from taglessad.graph import Graph, Ref
from taglessad.interpreters.record import Record
from taglessad.ops import Ops
from taglessad.primitive import Aval, declare_several

R = TypeVar("R")


class Scan(NamedTuple):
    """body: (constants, carry, row) -> (carry, row result). reverse: from the last row on."""

    body: Graph
    constants: int
    carry: int
    length: int
    reverse: bool

    def split(self, xs: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Constants, carry and rows among as many values as the body has inputs."""
        a, b = self.constants, self.constants + self.carry
        return xs[:a], xs[a:b], xs[b:]


Params = tuple[Graph, int, int, int, bool]  # a Scan, which is a plain tuple where it is hashed


def row(aval: Aval) -> Aval:
    """One row of an array."""
    return Aval(aval.shape[1:], aval.dtype)


def _infer(avals: tuple[Aval, ...], *params: Any) -> tuple[Aval, ...]:
    loop = Scan(*params)
    found = derived.outputs(loop.body)
    rows = [Aval((loop.length, *a.shape), a.dtype) for a in found[loop.carry :]]
    return (*found[: loop.carry], *rows)


def _evaluate(ops: Ops[R], xs: tuple[R, ...], params: Params) -> Sequence[R]:
    loop = Scan(*params)
    if on_numpy(ops) and fits(loop.body):
        return derived.kept(loop.body, ("scan", *loop[1:]), lambda: scan_function(*loop))(*xs)  # type: ignore[no-any-return]  # payloads of NumPy
    constants, carry, arrays = loop.split(xs)
    step = runner(ops, loop.body)
    order = range(loop.length)
    results: list[Sequence[R]] = []
    for i in reversed(order) if loop.reverse else order:
        rows = [_taken(ops, x, i) for x in arrays]
        found = step([*constants, *carry, *rows])
        carry, result = found[: loop.carry], found[loop.carry :]
        results.append(result)
    if loop.reverse:
        results.reverse()
    avals = _infer((), *params)[loop.carry :]
    stacked = [
        _stacked(ops, [r[k] for r in results], aval) if loop.length else ops.zeros(aval)
        for k, aval in enumerate(avals)
    ]
    return [*carry, *stacked]


def _taken(ops: Ops[R], x: R, i: int) -> R:
    if isinstance(x, np.ndarray):
        one: R = x[i]
        return one
    shape = ops.shape(x)
    start, stop = (i, *(0,) * (len(shape) - 1)), (i + 1, *shape[1:])
    return ops.reshape(ops.slice(x, start, stop, (1,) * len(shape)), shape[1:])


def _stacked(ops: Ops[R], rows: list[R], aval: Aval) -> R:
    if isinstance(rows[0], (np.ndarray, np.generic)):
        whole: Any = np.stack(rows)  # type: ignore[arg-type]  # arrays, as was just asked
        return whole  # type: ignore[no-any-return]  # an array is what R is then
    shape = aval.shape[1:]
    return ops.concat(tuple(ops.reshape(r, (1, *shape)) for r in rows), 0)


def _carried(loop: Scan, given: Which, step: Any) -> tuple[Which, Which]:
    """Which parts of the carry have a property that the body hands on: the least fixed point.

    given: which inputs have it at first. step: (which inputs) -> which outputs.
    """
    first, carry, rows = loop.split(given)
    while True:
        found = step((*first, *carry, *rows))
        after = derived.union(tuple(carry), found[: loop.carry])
        if after == tuple(carry):
            return (*first, *carry, *rows), (*after, *found[loop.carry :])
        carry = after


def _series(
    ops: Ops[R], xs: tuple[R, ...], cs: list[list[R] | None], params: Params, order: int
) -> tuple[list[R], list[list[R] | None]]:
    loop = Scan(*params)
    given = tuple(c is not None for c in cs)
    given, reached = _carried(loop, given, lambda g: derived.reached(loop.body, g))
    body = derived.pushed(loop.body, given, reached, order)
    # The body takes values, then coefficients; a loop takes constants, carry, rows, each with both.
    places = list(range(len(xs)))
    parts = loop.split(list(zip(places, given, strict=True)))

    def behind(first: int, which: Which) -> dict[int, list[int]]:
        """Where the coefficients of the places named stand."""
        named = [i for i, w in enumerate(which) if w]
        return {i: [first + order * k + j for j in range(order)] for k, i in enumerate(named)}

    at = behind(len(xs), given)
    taken = [[*(i for i, _ in part), *(j for i, g in part if g for j in at[i])] for part in parts]
    n, m = loop.carry, len(reached)
    out = behind(m, reached)
    results = [
        [*part, *(j for i in part if reached[i] for j in out[i])]
        for part in (range(n), range(n, m))
    ]
    arranged = _arranged(body, [i for part in taken for i in part], [i for r in results for i in r])
    values: list[Any] = [*xs]
    for x, g, own in zip(xs, given, cs, strict=True):
        if g:
            values += own or [ops.zeros(ops.aval(x))] * order
    operands = tuple(values[i] for part in taken for i in part)
    found = ops.run_n(
        SCAN, operands, (arranged, len(taken[0]), len(taken[1]), loop.length, loop.reverse)
    )
    by_place = dict(zip((i for r in results for i in r), found, strict=True))
    ys = [by_place[i] for i in range(m)]
    return ys, [[by_place[j] for j in out[i]] if reached[i] else None for i in range(m)]


def _arranged(graph: Graph, order: list[int], results: list[int]) -> Graph:
    """The graph with its inputs and outputs in another order."""

    def make() -> Graph:
        avals = derived.inputs(graph)

        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            own: list[Any] = [None] * len(order)
            for x, i in zip(xs, order, strict=True):
                own[i] = x
            ys = graph.run(ops, own)
            return [ys[i] for i in results]

        return derived.build([avals[i] for i in order], program)

    return derived.kept(graph, ("arranged", tuple(order), tuple(results)), make)


def _plan(ops: Ops[R], loop: Scan, wanted: Which) -> tuple[Which, Which, derived.Halves]:
    """Inputs with a cotangent, outputs whose cotangent is taken, the body cut in two.

    Where reverse mode stands below, the backward half computes again what it needs: what passes
    between the halves is differentiated there by a number, and of an intermediate value that a
    selection has dropped that is 0, times a slope that may be infinite.
    """
    avals = derived.inputs(loop.body)
    asked = list(derived.both(wanted, derived.real(avals)))
    smooth = derived.real(derived.outputs(loop.body))
    # A cotangent of the carry is carried back wherever the carry is real.
    for i in range(loop.carry):
        asked[loop.constants + i] = smooth[i]
    inner = tuple(asked)
    return inner, smooth, _cut(ops, loop, smooth, inner)


def _cut(ops: Ops[R], loop: Scan, given: Which, wanted: Which) -> derived.Halves:
    cut = derived.again if reverses(ops) else derived.halves
    return cut(loop.body, given, wanted, loop.constants)


def _remember(
    ops: Ops[R], xs: tuple[R, ...], params: Params, wanted: Which
) -> tuple[tuple[R, ...], list[R]]:
    loop = Scan(*params)
    return _forward(ops, xs, loop, _plan(ops, loop, wanted)[-1])


def _forward(
    ops: Ops[R], xs: tuple[R, ...], loop: Scan, cut: derived.Halves
) -> tuple[tuple[R, ...], list[R]]:
    """The results, and what the backward half reads."""
    # The carry that it reads is remembered as well; rows are there already.
    forward = _with_carry(cut.forward, loop, cut.reads[: loop.carry])
    found = ops.run_n(SCAN, xs, (forward, *loop[1:]))
    n = len(loop.body.outputs)
    return tuple(found[:n]), list(found[n:])


def _with_carry(forward: Graph, loop: Scan, reads: Which) -> Graph:
    def make() -> Graph:
        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            return [*graph_outputs(ops, xs), *only(loop.split(xs)[1], reads)]

        def graph_outputs(ops: Record, xs: list[Ref]) -> list[Ref]:
            return forward.run(ops, xs)

        return derived.build(derived.inputs(forward), program)

    return derived.kept(forward, ("with_carry", reads, loop.constants), make)


def _recall(
    ops: Ops[R],
    gs: list[R | None],
    memory: list[R],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: Params,
    wanted: Which,
) -> list[R | None]:
    loop = Scan(*params)
    inner, smooth, cut = _plan(ops, loop, wanted)
    constants, _, arrays = loop.split(xs)
    # What no cotangent comes to is left out.
    given = derived.both(tuple(g is not None for g in gs), smooth)
    live, found_in = zeros.carried(loop.body, given, inner, loop.constants, loop.carry)
    small = zeros.narrowed(cut.backward, tuple(only(live, smooth)), tuple(only(found_in, inner)))
    inner, smooth = found_in, live
    if small is None:
        cut = _cut(ops, loop, smooth, inner)
        _, memory = _forward(ops, xs, loop, cut)
    backward = cut.backward if small is None else small
    a, _, c = (tuple(w) for w in loop.split(inner))
    remembered, carried = memory[: cut.remembered], memory[cut.remembered :]

    def full(g: R | None, y: R) -> R:
        return ops.zeros(ops.aval(y)) if g is None else g

    cotangents = only([full(g, y) for g, y in zip(gs, ys, strict=True)], smooth)
    m, n = sum(a), sum(smooth[: loop.carry])
    sums = [ops.zeros(ops.aval(x)) for x in only(constants, a)]
    read_rows = cut.reads[loop.carry :]
    rows = [*carried, *only(arrays, read_rows), *remembered, *cotangents[n:]]
    found = ops.run_n(
        SCAN,
        (*constants, *sums, *cotangents[:n], *rows),
        (
            _backward(backward, loop, m, n, len(cotangents)),
            loop.constants,
            m + n,
            loop.length,
            not loop.reverse,
        ),
    )
    taken: list[R | None] = [
        *spread(found[:m], a),
        *spread(found[m : m + n], smooth[: loop.carry]),
        *spread(found[m + n :], c),
    ]
    return [g if w else None for g, w in zip(taken, wanted, strict=True)]


def _backward(pull: Graph, loop: Scan, sums: int, carry: int, cotangents: int) -> Graph:
    """The body of the reverse loop.

    (constants; sums for constants, cotangents of the carry; the rows that `_recall` gives) ->
    (new sums, cotangents of the carry before; cotangents of the rows).
    pull: the backward half. cotangents: how many it takes, those of the carry first.
    """

    def make() -> Graph:
        avals, k = derived.inputs(pull), loop.constants
        first = len(avals) - cotangents
        own, rows, gs = avals[:k], avals[k:first], avals[first:]
        zero = derived.outputs(pull)[:sums]

        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            own, xs = xs[:k], xs[k:]
            before, xs = xs[:sums], xs[sums:]
            gc, xs = xs[:carry], xs[carry:]
            passed, gy = xs[: len(rows)], xs[len(rows) :]
            found = pull.run(ops, [*own, *passed, *gc, *gy])
            added = [ops.add(s, g) for s, g in zip(before, found[:sums], strict=True)]
            return [*added, *found[sums:]]

        return derived.build([*own, *zero, *gs[:carry], *rows, *gs[carry:]], program)

    return derived.kept(pull, ("scan", loop.constants, sums, carry, cotangents), make)


def _batch(ops: Ops[R], size: int, mapped: Which, xs: tuple[R, ...], params: Params) -> list[R]:
    loop = Scan(*params)
    nothing: Which = (False,) * len(loop.body.outputs)
    rows: Which = (*nothing[: loop.carry], *(True,) * (len(nothing) - loop.carry))
    within, after = _carried(
        loop, mapped, lambda m: derived.batched(loop.body, size, m, nothing)[1]
    )
    wanted = derived.union(after, rows)
    body, _ = derived.batched(loop.body, size, within, wanted)
    constants, carry, arrays = loop.split(list(zip(xs, mapped, within, strict=True)))

    def whole(x: R) -> R:
        return ops.broadcast(x, (size, *ops.shape(x)))

    given = [
        *(x for x, _, _ in constants),
        *(whole(x) if w and not m else x for x, m, w in carry),
        *(_swapped(ops, x) if m else x for x, m, _ in arrays),
    ]
    found = ops.run_n(SCAN, tuple(given), (body, *params[1:]))
    finals = [y if w else whole(y) for y, w in zip(found[: loop.carry], wanted, strict=False)]
    return [*finals, *(_swapped(ops, y) for y in found[loop.carry :])]


def _swapped(ops: Ops[R], x: R) -> R:
    """Batch and row axis change places."""
    rank = len(ops.shape(x))
    return ops.permute(x, (1, 0, *range(2, rank)))


SCAN: Final = declare_several(
    "scan",
    _infer,
    None,
    None,
    _batch,
    series=_series,
    remember=_remember,
    recall=_recall,
    evaluate=_evaluate,
    variadic=True,
)
