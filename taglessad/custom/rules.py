"""The primitive of functions with rules of their own: a value, and what replaces its derivative.

Operands: what the function and its rules close over, then the arguments. In the arguments the given
rule counts; in what is closed over, the derivative of the function's own text. A missing mode is
the transpose of the rule given: the tangent map of a `jvp` rule, the cotangent map of a `vjp` rule,
is linear, and its transpose is its own pullback at zero.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from taglessad.control import derived
from taglessad.control.derived import Which, only, spread
from taglessad.control.running import runner
from taglessad.errors import ArgumentError
from taglessad.graph import Graph, Ref, applied, as_written
from taglessad.interpreters.record import Record
from taglessad.ops import Ops
from taglessad.primitive import Aval, declare_several

R = TypeVar("R")


@dataclass(frozen=True)
class Pullback:
    """fwd: (closed over, arguments) -> (results, residuals); bwd: (closed over, residuals,
    cotangents of the real results) -> cotangents of the real arguments."""

    fwd: Graph
    bwd: Graph


@dataclass(eq=False)
class Rules:
    """A function's graph and its rules', which are recorded when first asked for.

    name: of the function, for messages. value: (closed over, arguments) -> results.
    constants: how many values are closed over. push: the graph (closed over, arguments, tangents of
    the real arguments) -> (results, tangents of the real results), or None. pull: a Pullback, or
    None.
    """

    name: str
    value: Graph
    constants: int
    push: Callable[[], Graph] | None
    pull: Callable[[], Pullback] | None
    made: dict[Any, Any] = field(default_factory=dict)  # Any: what was made of the rules, by key

    @property
    def real(self) -> Which:
        """Which arguments may carry a derivative."""
        return derived.real(derived.inputs(self.value)[self.constants :])

    @property
    def smooth(self) -> Which:
        """Which results may carry a derivative."""
        return derived.real(derived.outputs(self.value))

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made before, or is made now."""
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    def pushed(self) -> Graph:
        """The `push` graph, by transposing `pull` where none was given."""
        if self.push is not None:
            return self.once("push", self.push)  # type: ignore[no-any-return]  # kept under its key
        return self.once("push", self._from_pull)  # type: ignore[no-any-return]  # likewise

    def pulled(self) -> Pullback:
        """The `pull` graphs, by transposing `push` where none were given."""
        if self.pull is not None:
            return self.once("pull", self.pull)  # type: ignore[no-any-return]  # kept under its key
        return self.once("pull", self._from_push)  # type: ignore[no-any-return]  # likewise

    def _from_pull(self) -> Graph:
        rule = self.pulled()
        k, m = self.constants, sum(self.smooth)
        back = transposed(rule.bwd, len(rule.bwd.inputs) - m, self.name)
        n = len(self.value.outputs)
        avals = derived.inputs(self.value)

        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            found = rule.fwd.run(ops, xs[: len(avals)])
            tangents = back.run(ops, [*xs[:k], *found[n:], *xs[len(avals) :]])
            return [*found[:n], *tangents]

        return derived.build([*avals, *only(avals[k:], self.real)], program)

    def _from_push(self) -> Pullback:
        graph = self.pushed()
        k, n = self.constants, len(self.value.outputs)
        count = len(self.value.inputs)
        avals = derived.inputs(self.value)

        def tangents(ops: Record, xs: list[Ref]) -> list[Ref]:
            return graph.run(ops, xs)[n:]

        linear = derived.build(derived.inputs(graph), tangents)
        back = transposed(linear, count, self.name)

        def forward(ops: Record, xs: list[Ref]) -> list[Ref]:
            # The value is the rule's own: an outer derivative of it is then the rule's as well.
            zeros = [ops.zeros(a) for a in only(avals[k:], self.real)]
            return [*graph.run(ops, [*xs, *zeros])[:n], *xs[k:]]

        return Pullback(derived.build(avals, forward), back)


def transposed(graph: Graph, fixed: int, name: str) -> Graph:
    """(fixed inputs, cotangents of the outputs) -> cotangents of the other inputs, for a graph
    that is linear in those. Raises ArgumentError where it is not."""
    graph = _written_out(graph, fixed)
    avals = derived.inputs(graph)
    free = avals[fixed:]
    given: Which = (True,) * len(graph.outputs)
    wanted = (*(False,) * fixed, *(True,) * len(free))
    back = derived.pulled(graph, given, wanted)
    live = {x for _, operands, _, _ in back.steps() for x in operands} | set(back.outputs)
    if any(x in live for x in back.inputs[fixed : fixed + len(free)]):
        raise ArgumentError(
            f"{name}: its derivative rule is not linear in the tangent (or cotangent), so the other "
            "mode cannot be had by transposing it; give both rules"
        )

    def program(ops: Record, xs: list[Ref]) -> list[Ref]:
        zeros = [ops.zeros(a) for a in free]
        return back.run(ops, [*xs[:fixed], *zeros, *xs[fixed:]])

    return derived.build([*avals[:fixed], *derived.outputs(graph)], program)


def _written_out(graph: Graph, fixed: int) -> Graph:
    """The graph with the text of functions of a `jvp` rule where they are given what is linear.

    Their transpose is that of their text: asked of their rule, it would be without end for a linear
    function, which is its own tangent.
    """

    def program(ops: Record, xs: list[Ref]) -> list[Ref]:
        known: dict[Ref, Any] = dict(zip(graph.inputs, xs, strict=True))
        known |= {ref: as_written(ops, graph.literal(ref)) for ref in graph.constants}
        linear = set(graph.inputs[fixed:])
        for prim, operands, params, result in graph.steps():
            values = tuple([known[x] for x in operands])
            moves = any(x in linear for x in operands)
            if moves:
                linear.add(result)
            if moves and prim is CUSTOM and params[0].pull is None:
                known[result] = tuple(params[0].value.run(ops, list(values)))
            else:
                known[result] = applied(ops, prim, values, params)
        return [known[x] for x in graph.outputs]

    if not any(prim is CUSTOM for prim, _, _, _ in graph.steps()):
        return graph
    return derived.build(derived.inputs(graph), program)


Params = tuple[Rules]


def _infer(avals: tuple[Aval, ...], rules: Rules) -> tuple[Aval, ...]:
    return tuple(derived.outputs(rules.value))


def _evaluate(ops: Ops[R], xs: tuple[R, ...], params: Params) -> Sequence[R]:
    return runner(ops, params[0].value)(xs)


def _joint(
    ops: Ops[R], xs: tuple[R, ...], ds: list[R | None], params: Params
) -> tuple[list[R], list[R | None]]:
    (rules,) = params
    k, n = rules.constants, len(rules.value.outputs)
    outer, own = ds[:k], only(list(zip(ds[k:], xs[k:], strict=True)), rules.real)
    ts: list[R | None] = [None] * n
    ys: list[R]
    if any(d is not None for d, _ in own):
        given = [ops.zeros(ops.aval(x)) if d is None else d for d, x in own]
        found = rules.pushed().run(ops, [*xs, *given])
        ys, ts = found[:n], spread(found[n:], rules.smooth)
    else:
        ys = list(ops.run_n(CUSTOM, xs, params))
    if any(d is not None for d in outer):
        which = (*(d is not None for d in outer), *(False,) * (len(xs) - k))
        reached = derived.reached(rules.value, which)
        graph = derived.pushed(rules.value, which, reached)
        found = graph.run(ops, [*xs, *(d for d in outer if d is not None)])
        for i, t in enumerate(spread(found[n:], reached)):
            before = ts[i]
            if t is not None:
                ts[i] = t if before is None else ops.add(before, t)
    return ys, ts


def _remember(
    ops: Ops[R], xs: tuple[R, ...], params: Params, wanted: Which
) -> tuple[Sequence[R], Sequence[R]]:
    (rules,) = params
    n = len(rules.value.outputs)
    if not any(wanted[rules.constants :]):
        return ops.run_n(CUSTOM, xs, params), ()
    found = rules.pulled().fwd.run(ops, xs)
    return found[:n], found[n:]


def _recall(
    ops: Ops[R],
    gs: list[R | None],
    memory: Sequence[R],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: Params,
    wanted: Which,
) -> list[R | None]:
    (rules,) = params
    k = rules.constants
    given = tuple(g is not None for g in gs)
    own: list[R | None] = [None] * (len(xs) - k)
    if any(wanted[k:]):
        pairs = only(list(zip(gs, ys, strict=True)), rules.smooth)
        cotangents = [ops.zeros(ops.aval(y)) if g is None else g for g, y in pairs]
        own = spread(rules.pulled().bwd.run(ops, [*xs[:k], *memory, *cotangents]), rules.real)
    outer: list[R | None] = [None] * k
    asked = derived.both(wanted[:k], derived.real(derived.inputs(rules.value)[:k]))
    if any(asked):
        which = (*asked, *(False,) * (len(xs) - k))
        back = derived.pulled(rules.value, given, which)
        outer = spread(back.run(ops, [*xs, *(g for g in gs if g is not None)]), asked)
    return [*outer, *own]


def _batch(
    ops: Ops[R], size: int, mapped: Which, xs: tuple[R, ...], params: Params
) -> tuple[R, ...]:
    (rules,) = params
    k = rules.constants
    # Arguments are made whole, so that a member's cotangent is its own; what is closed over may
    # stay shared.
    given = [
        x if m or i < k else ops.broadcast(x, (size, *ops.shape(x)))
        for i, (x, m) in enumerate(zip(xs, mapped, strict=True))
    ]
    many = rules.once(("batch", size, mapped[:k]), lambda: _many(rules, size, mapped[:k]))
    return ops.run_n(CUSTOM, tuple(given), (many,))


def _many(rules: Rules, size: int, outer: Which) -> Rules:
    """The function and its rules on a batch."""

    def whole(graph: Graph) -> Graph:
        inputs = (*outer, *(True,) * (len(graph.inputs) - rules.constants))
        return derived.batched(graph, size, inputs, (True,) * len(graph.outputs))[0]

    def pull() -> Pullback:
        rule = rules.pulled()
        return Pullback(whole(rule.fwd), whole(rule.bwd))

    return Rules(
        rules.name,
        whole(rules.value),
        rules.constants,
        None if rules.push is None else lambda: whole(rules.pushed()),
        None if rules.pull is None else pull,
    )


CUSTOM: Final = declare_several(
    "custom_rule",
    _infer,
    None,
    None,
    _batch,
    joint=_joint,
    remember=_remember,
    recall=_recall,
    evaluate=_evaluate,
    variadic=True,
)
