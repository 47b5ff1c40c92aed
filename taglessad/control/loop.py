"""The primitives of loops of unknown length: `while_loop`, and its pullback, `while_pull`.

`while_loop` gives the final carry and how many trips were made. With that number its pullback is a
primitive of its own, and the two are closed under differentiation to any order: a tangent of the
pullback at (x, g) is the pullback of the loop on dual numbers, with the two parts of every
cotangent exchanged, since <F'(x) v, g> is symmetric in what it is differentiated by; a cotangent v
of the pullback gives F'(x) v to g, and to x the derivative of <F'(x) v, g>.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from taglessad.compiled.loops import fits, logging_function, while_function
from taglessad.control import derived
from taglessad.control.derived import Which, only, spread
from taglessad.control.loop_graphs import (
    COUNT,
    Back,
    BackParams,
    Loop,
    Params,
    dualised,
    entire,
    lifted_condition,
    logging,
    masked,
    needed,
    stopping,
)
from taglessad.control.loop_reversal import (
    backward_from,
    from_log,
    numpy_sums,
    reversed_loop,
)
from taglessad.control.reversal import SLOTS, Kept
from taglessad.control.running import on_numpy, runner
from taglessad.dtypes import int64
from taglessad.graph import Graph, Ref
from taglessad.interpreters.record import Record
from taglessad.levels import default_root
from taglessad.ops import Ops
from taglessad.primitive import Aval, Local, declare_several

R = TypeVar("R")


def _infer(avals: tuple[Aval, ...], *params: Any) -> tuple[Aval, ...]:
    return (*avals[Loop(*params).constants :], COUNT)


def _evaluate(ops: Ops[R], xs: tuple[R, ...], params: Params) -> list[R]:
    loop = Loop(*params)
    if on_numpy(ops) and fits(loop.condition, loop.body):
        whole = derived.kept(
            loop.body, ("while", loop.condition, loop.constants), lambda: while_function(*loop)
        )
        return list(whole(*xs))
    condition, body = runner(ops, loop.condition), runner(ops, loop.body)
    constants, carry = xs[: loop.constants], xs[loop.constants :]
    trips = 0
    while ops.decide(condition([*constants, *carry])[0]):
        carry = tuple(body([*constants, *carry]))
        trips += 1
    return [*carry, ops.const(np.asarray(trips))]


def _filled(ops: Ops[R], ds: Sequence[R | None], xs: Sequence[R], which: Which) -> list[R]:
    """Tangents at the places named, zeros where there are none."""
    pairs = only(list(zip(ds, xs, strict=True)), which)
    return [ops.zeros(ops.aval(x)) if d is None else d for d, x in pairs]


def _series(
    ops: Ops[R], xs: tuple[R, ...], cs: list[list[R] | None], params: Params, order: int
) -> tuple[list[R], list[list[R] | None]]:
    loop = Loop(*params)
    k = loop.constants
    dual = dualised(loop.body, k, tuple(c is not None for c in cs), order)
    constants, carry = xs[:k], xs[k:]
    condition = lifted_condition(loop.condition, dual, len(constants), len(carry))

    def coefficients(cs: list[list[R] | None], xs: Sequence[R], which: Which) -> list[R]:
        pairs = only(list(zip(cs, xs, strict=True)), which)
        return [c for own, x in pairs for c in own or [ops.zeros(ops.aval(x))] * order]

    given = [
        *constants,
        *coefficients(cs[:k], constants, dual.constants),
        *carry,
        *coefficients(cs[k:], carry, dual.carry),
    ]
    found = ops.run_n(WHILE, tuple(given), (condition, dual.body, dual.fixed))
    n = len(carry)
    return [*found[:n], found[-1]], [*derived.grouped(found[n:-1], dual.carry, order), None]


def _pull(
    ops: Ops[R],
    gs: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: Params,
    wanted: Which,
) -> list[R | None]:
    def run(back: Back, operands: tuple[R, ...]) -> Sequence[R]:
        return ops.run_n(WHILE_PULL, operands, tuple(back))

    return _pulled(ops, gs, ys, xs, params, wanted, run)


def _pulled(
    ops: Ops[R],
    gs: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: Params,
    wanted: Which,
    run: Callable[[Back, tuple[R, ...]], Sequence[R]],
) -> list[R | None]:
    _, body, k = params
    back = needed(entire(body, k, wanted), tuple(g is not None for g in gs[:-1]))
    cotangents = _filled(ops, gs[:-1], ys[:-1], back.smooth)
    found = run(back, (*xs, *cotangents, ys[-1]))
    m = sum(back.asked)
    taken: list[R | None] = [*spread(found[:m], back.asked), *spread(found[m:], back.smooth)]
    return [g if w else None for g, w in zip(taken, wanted, strict=True)]


def _batch(ops: Ops[R], size: int, mapped: Which, xs: tuple[R, ...], params: Params) -> list[R]:
    loop = Loop(*params)
    k = loop.constants
    constants, carry = xs[:k], xs[k:]
    nothing: Which = (False,) * len(carry)
    within = mapped[k:]
    while True:
        after = derived.union(
            within, derived.batched(loop.body, size, (*mapped[:k], *within), nothing)[1]
        )
        if after == within:
            break
        within = after
    if derived.batched(loop.condition, size, (*mapped[:k], *within), (False,))[1][0]:
        within = (True,) * len(carry)
    everything = (*mapped[:k], *within)
    condition, (differs,) = derived.batched(loop.condition, size, everything, (False,))
    body, _ = derived.batched(loop.body, size, everything, within)

    def whole(x: R) -> R:
        return ops.broadcast(x, (size, *ops.shape(x)))

    given = [
        whole(x) if w and not m else x for x, m, w in zip(carry, mapped[k:], within, strict=True)
    ]
    if not differs:
        found = ops.run_n(WHILE, (*constants, *given), (condition, body, k))
        return [
            *(y if w else whole(y) for y, w in zip(found[:-1], within, strict=True)),
            whole(found[-1]),
        ]
    # Members make different numbers of trips: each stands still once it is through.
    counts = ops.zeros(Aval((size,), int64))
    loops = masked(condition, body, k, size)
    found = ops.run_n(WHILE, (*constants, counts, *given), loops)
    return [*found[1:-1], found[0]]


# --- the pullback ---------------------------------------------------------------------------------
def _infer_back(avals: tuple[Aval, ...], *params: Any) -> tuple[Aval, ...]:
    back = Back(*params)
    constants, carry, _, _ = back.split(avals)
    return (*only(constants, back.asked), *only(carry, back.smooth))


def _fused(params: BackParams, loop: Params) -> tuple[Any, Any] | None:
    """A loop that logs, and its pullback from the log."""
    back, (condition, body, k) = Back(*params), loop
    if body is not back.body or k != back.constants or not fits(condition, body):
        return None
    run = _logging_loop(back, condition)
    return run, lambda memory, *operands: _from_memory(back, memory, back, operands)


def _logging_loop(back: Back, condition: Graph) -> Any:
    """The loop on NumPy that leaves what the pullback goes back by."""
    cut = logging(back)
    return derived.kept(
        cut.forward,
        ("while", condition),
        lambda: logging_function(
            condition, cut.forward, back.body, back.constants, cut.most, cut.stride, Kept
        ),
    )


def _from_memory(made: Back, memory: Any, back: Back, operands: Sequence[Any]) -> Any:
    """A pullback from what the loop left for another."""
    if isinstance(memory, Kept):
        return reversed_loop(_numpy(), operands, back, memory.stack)
    constants, carry, cotangents, _ = back.split(operands)
    pull = backward_from(made, back)
    if pull is None:
        return reversed_loop(_numpy(), operands, back, [(0, carry)])
    return from_log(pull, memory, back, constants, numpy_sums(back), cotangents)


def _numpy() -> Ops[Any]:
    return default_root().trusted()


def _remember(
    ops: Ops[R], xs: tuple[R, ...], params: Params, wanted: Which
) -> tuple[Sequence[R], Any]:
    condition, body, k = params
    made = entire(body, k, wanted)
    if (lowered := ops.lowered) is not None:
        ys, kept = lowered("while_keeping", WHILE, xs, params, SLOTS, logging(made).block)

        def pull(back: Back, xs: Sequence[Any]) -> Any:
            return lowered("while_pull", WHILE_PULL, xs, tuple(back), kept)

        return ys, Local((pull,))
    if not on_numpy(ops) or not fits(condition, body):
        return ops.run_n(WHILE, xs, params), None
    # What will be asked for is not known yet; most likely what was asked for the last time.
    likely: Back = body.derived.get(("needed", made), made)
    *ys, memory = _logging_loop(likely, condition)(*xs)

    def run(back: Back, xs: Sequence[Any]) -> Any:
        body.derived["needed", made] = back
        return _from_memory(likely, memory, back, xs)

    return ys, Local((run,))


def _recall(
    ops: Ops[R],
    gs: list[R | None],
    memory: Local,
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: Params,
    wanted: Which,
) -> list[R | None]:
    (run,) = memory.value
    return _pulled(ops, gs, ys, xs, params, wanted, run)


def _evaluate_back(ops: Ops[R], xs: tuple[R, ...], params: BackParams) -> list[R]:
    back = Back(*params)
    _, carry, _, _ = back.split(xs)
    return reversed_loop(ops, xs, back, [(0, carry)])


def _doubled(
    ops: Ops[R],
    back: Back,
    xs: Sequence[R],
    ds: Sequence[R | None],
    values: Sequence[R | None],
    own: Which,
) -> tuple[list[R | None], list[R | None]]:
    """The pullback on dual numbers.

    ds: tangents v of constants and initial carry. values: cotangents (of the carry, of its
    tangents), in this order. own: the constants whose cotangent is asked for. Gives the cotangents
    of constants and carry, and those of their tangents.
    """
    constants, carry, _, trips = back.split(xs)
    k = back.constants
    dual = dualised(
        back.body,
        k,
        derived.union(tuple(d is not None for d in ds), (*back.asked, *back.smooth)),
    )
    asked = (*own, *(True,) * sum(dual.constants))
    given = [
        *constants,
        *_filled(ops, ds[:k], constants, dual.constants),
        *carry,
        *_filled(ops, ds[k:], carry, dual.carry),
    ]
    half = len(values) // 2
    smooth = only(carry, back.smooth)
    every: Which = (True,) * half
    cotangents = [
        *_filled(ops, values[:half], smooth, every),
        *_filled(ops, values[half:], smooth, every),
    ]
    found = ops.run_n(
        WHILE_PULL,
        (*given, *cotangents, trips),
        (dual.body, dual.fixed, asked, (*back.smooth, *only(back.smooth, dual.carry))),
    )
    a, b = sum(own), sum(own) + sum(dual.constants)
    n = sum(back.smooth)
    of_values = [*spread(found[:a], own), *spread(found[b : b + n], back.smooth)]
    of_tangents = [*spread(found[a:b], dual.constants), *spread(found[b + n :], back.smooth)]
    return of_values, of_tangents


def _joint_back(
    ops: Ops[R], xs: tuple[R, ...], ds: list[R | None], params: BackParams
) -> tuple[list[R], list[R | None]]:
    back = Back(*params)
    _, _, gs, _ = back.split(xs)
    n = len(back.body.inputs)
    parts = [*ds[n:-1], *gs]
    of_values, of_tangents = _doubled(ops, back, xs, ds[:n], parts, back.asked)
    wanted = (*back.asked, *back.smooth)
    values: list[Any] = only(of_tangents, wanted)
    tangents = only(of_values, wanted)
    return values, tangents


def _pull_back(
    ops: Ops[R],
    vs: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: BackParams,
    wanted: Which,
) -> list[R | None]:
    back = Back(*params)
    constants, carry, gs, trips = back.split(xs)
    k, n = back.constants, len(back.body.inputs)
    m = sum(back.asked)
    ds = [*spread(vs[:m], back.asked), *spread(vs[m:], back.smooth)]
    of_values: list[R | None] = [None] * n
    if any(wanted[:n]):
        own = derived.both(wanted[:k], derived.real(derived.inputs(back.body)[:k]))
        of_values, _ = _doubled(ops, back, xs, ds, [*([None] * len(gs)), *gs], own)
    of_cotangents: list[R | None] = [None] * len(gs)
    if any(wanted[n:]):
        dual = dualised(back.body, k, tuple(d is not None for d in ds))
        operands = [
            *constants,
            *_filled(ops, ds[:k], constants, dual.constants),
            *carry,
            *_filled(ops, ds[k:], carry, dual.carry),
        ]
        found = repeated(ops, dual.body, dual.fixed, operands, trips)
        tangents = spread(found[len(carry) :], dual.carry)
        of_cotangents = only(tangents, back.smooth)
    taken = [*of_values, *of_cotangents, None]
    return [g if w else None for g, w in zip(taken, wanted, strict=True)]


def repeated(
    ops: Ops[R], body: Graph, constants: int, operands: Sequence[R], trips: R
) -> Sequence[R]:
    """The body applied `trips` times: the final carry."""

    def make() -> tuple[Graph, Graph]:
        avals = derived.inputs(body)
        k = constants
        wide = [COUNT, *avals[:k], COUNT, *avals[k:]]

        def left(ops: Record, xs: list[Ref]) -> list[Ref]:
            return [ops.less(xs[k + 1], xs[0])]

        def step(ops: Record, xs: list[Ref]) -> list[Ref]:
            after = body.run(ops, [*xs[1 : k + 1], *xs[k + 2 :]])
            return [ops.add(xs[k + 1], ops.scalar(1, xs[k + 1])), *after]

        return derived.build(wide, left), derived.build(wide, step)

    condition, step = derived.kept(body, ("repeated", constants), make)
    k = constants
    zero = ops.zeros(COUNT)
    given = (trips, *operands[:k], zero, *operands[k:])
    return ops.run_n(WHILE, given, (condition, step, k + 1))[1:-1]


def _batch_back(
    ops: Ops[R], size: int, mapped: Which, xs: tuple[R, ...], params: BackParams
) -> list[R]:
    back = Back(*params)
    k = back.constants
    constants, carry, gs, trips = back.split(xs)
    every: Which = (True,) * len(carry)
    if size == 0:  # there is no largest number of trips
        wanted = only(derived.inputs(back.body), (*back.asked, *back.smooth))
        return [ops.zeros(Aval((0, *a.shape), a.dtype)) for a in wanted]
    body, _ = derived.batched(back.body, size, (*mapped[:k], *every), every)

    def whole(x: R, m: bool) -> R:
        return x if m else ops.broadcast(x, (size, *ops.shape(x)))

    flags = mapped[k:-1]
    rest = [whole(x, m) for x, m in zip((*carry, *gs), flags, strict=True)]
    carries, cotangents = rest[: len(carry)], rest[len(carry) :]
    # A constant shared by all members has a cotangent for each of them here.
    own = [
        whole(x, m) if asked else x
        for x, m, asked in zip(constants, mapped[:k], back.asked, strict=True)
    ]
    if any(a and not m for a, m in zip(back.asked, mapped[:k], strict=True)):
        within = tuple(a or m for a, m in zip(back.asked, mapped[:k], strict=True))
        body, _ = derived.batched(back.body, size, (*within, *every), every)
    if not mapped[-1]:
        params = (body, k, back.asked, back.smooth)
        return list(ops.run_n(WHILE_PULL, (*own, *carries, *cotangents, trips), params))
    still = stopping(body, k, size)
    zero = ops.zeros(COUNT)
    found = ops.run_n(
        WHILE_PULL,
        (*own, trips, zero, *carries, *cotangents, ops.max(trips, (0,))),
        (still, k + 1, (*back.asked, False), (False, *back.smooth)),
    )
    return list(found)


def _lower_back(*params: Any) -> tuple[Graph, tuple[Graph, Graph], int, int, int, int]:
    back = Back(*params)
    cut = logging(back)
    return back.body, (cut.forward, cut.backward), back.constants, sum(back.asked), SLOTS, cut.block


WHILE: Final = declare_several(
    "while_loop",
    _infer,
    None,
    _pull,
    _batch,
    series=_series,
    remember=_remember,
    recall=_recall,
    evaluate=_evaluate,
    variadic=True,
)

WHILE_PULL: Final = declare_several(
    "while_pull",
    _infer_back,
    None,
    _pull_back,
    _batch_back,
    joint=_joint_back,
    fused=_fused,
    evaluate=_evaluate_back,
    variadic=True,
    lower=_lower_back,
)
