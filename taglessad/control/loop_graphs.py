"""Graphs that the loop primitives are differentiated and batched with."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from taglessad.control import derived, zeros
from taglessad.control.derived import Which, only
from taglessad.control.reversal import BLOCK, BUDGET, SLOTS
from taglessad.dtypes import int64
from taglessad.graph import Graph, Ref
from taglessad.interpreters.record import Record
from taglessad.primitive import Aval


class Loop(NamedTuple):
    """condition, body: (constants, carry) -> a truth value; the next carry."""

    condition: Graph
    body: Graph
    constants: int


Params = tuple[Graph, Graph, int]


COUNT: Final = Aval((), int64)


class Dualised(NamedTuple):
    """A body on dual numbers: (constants, their tangents; carry, its tangents) -> the next carry.

    constants: which constants have a tangent. carry: which parts of the carry. order: how many
    coefficients of a series stand for a tangent (`derived.pushed`).
    """

    body: Graph
    constants: Which
    carry: Which
    order: int

    @property
    def fixed(self) -> int:
        """How many inputs are constants."""
        return len(self.constants) + self.order * sum(self.constants)

    def operands(self, constants: Sequence[Any], carry: Sequence[Any]) -> list[int]:
        """Where a body of values alone finds its operands among those of the dual one."""
        k, n, skip = len(constants), len(carry), self.fixed
        return [*range(k), *range(skip, skip + n)]


def dualised(body: Graph, constants: int, given: Which, order: int = 1) -> Dualised:
    """The body on dual numbers, where the named inputs have tangents at first."""
    first, carry = given[:constants], given[constants:]
    while True:
        after = derived.union(carry, derived.reached(body, (*first, *carry)))
        if after == carry:
            break
        carry = after

    def make() -> Graph:
        avals = derived.inputs(body)
        own, rest = avals[:constants], avals[constants:]
        both = derived.pushed(body, (*first, *carry), carry, order)
        k, n, dk = constants, len(rest), order * sum(first)

        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            values = [*xs[:k], *xs[k + dk : k + dk + n]]
            tangents = [*xs[k : k + dk], *xs[k + dk + n :]]
            return both.run(ops, [*values, *tangents])

        tangents, others = (
            [a for a in only(avals, which) for _ in range(order)]
            for avals, which in ((own, first), (rest, carry))
        )
        return derived.build([*own, *tangents, *rest, *others], program)

    dual = derived.kept(body, ("dualised", first, carry, order), make)
    return Dualised(dual, first, carry, order)


def lifted_condition(condition: Graph, dual: Dualised, constants: int, carry: int) -> Graph:
    places = dual.operands(range(constants), range(carry))
    return derived.with_inputs(condition, derived.inputs(dual.body), places)


def masked(condition: Graph, body: Graph, k: int, size: int) -> Params:
    """A batched loop whose members stop one by one; the carry begins with their trip counts."""

    def make() -> Params:
        avals = derived.inputs(body)
        wide = [*avals[:k], Aval((size,), int64), *avals[k:]]

        def any_left(ops: Record, xs: list[Ref]) -> list[Ref]:
            left = condition.run(ops, [*xs[:k], *xs[k + 1 :]])[0]
            return [ops.any(left, (0,))]

        def step(ops: Record, xs: list[Ref]) -> list[Ref]:
            own = [*xs[:k], *xs[k + 1 :]]
            left = condition.run(ops, own)[0]
            after = body.run(ops, own)
            count = ops.add(xs[k], ops.cast(left, int64))
            return [count, *frozen(ops, left, after, own[k:])]

        return derived.build(wide, any_left), derived.build(wide, step), k

    return derived.kept(body, ("masked", condition, k), make)


def frozen(ops: Record, moves: Ref, after: list[Ref], before: list[Ref]) -> list[Ref]:
    """The next carry of the members that move, the present one of all others."""
    frozen: list[Ref] = []
    for a, b in zip(after, before, strict=True):
        shape = ops.shape(b)
        aligned = ops.reshape(moves, (*shape[:1], *(1,) * (len(shape) - 1)))
        frozen.append(ops.where(aligned, a, b))
    return frozen


class Back(NamedTuple):
    """The pullback of a loop: (constants, initial carry, cotangents of the smooth parts of the
    final carry, trips) -> cotangents of the asked constants and of the smooth parts of the initial
    carry.

    smooth: real parts of the carry that depend on smooth ones alone, as far as real ones go: if the
    cotangents of all others are zero at the end, they are at the start.
    """

    body: Graph
    constants: int
    asked: Which
    smooth: Which

    def split(self, xs: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any], Any]:
        """Constants, initial carry, cotangents, trips."""
        k = self.constants
        n = len(self.body.inputs)
        return xs[:k], xs[k:n], xs[n:-1], xs[-1]

    def covers(self, other: "Back") -> bool:
        """Whether it gives all that another pullback of the loop gives."""
        own, others = (*self.asked, *self.smooth), (*other.asked, *other.smooth)
        return derived.union(own, others) == own


BackParams = tuple[Graph, int, Which, Which]


def entire(body: Graph, constants: int, wanted: Which) -> Back:
    """The pullback for whichever real part of the carry, and for the wanted constants."""
    avals = derived.inputs(body)
    asked = derived.both(wanted[:constants], derived.real(avals[:constants]))
    return Back(body, constants, asked, derived.real(avals[constants:]))


def needed(back: Back, given: Which) -> Back:
    """What a pullback does where only the given parts of the carry have a cotangent."""
    given = derived.both(given, back.smooth)
    if given == back.smooth:
        return back
    k, wanted = back.constants, (*back.asked, *back.smooth)
    smooth, found = zeros.carried(back.body, given, wanted, k, len(given))
    return back._replace(asked=found[:k], smooth=smooth)


class Logging(NamedTuple):
    """A body cut for a log in between.

    forward: (constants, carry) -> (carry, what is logged). backward: (constants, what was logged of
    a trip, cotangents) -> (cotangents of the asked constants, of the carry before). most: trips
    whose log fits the budget. stride: a divisor of `most`, trips between two states that are kept
    for when it does not. block: trips that are logged at a time then.
    """

    forward: Graph
    backward: Graph
    most: int
    stride: int
    block: int


def logging(back: Back) -> Logging:
    """The body of a pullback, cut."""

    def make() -> Logging:
        k, n, body = back.constants, len(back.smooth), back.body
        cut = derived.halves(body, back.smooth, (*back.asked, *back.smooth), k)

        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            found = cut.forward.run(ops, xs)
            return [*found[:n], *only(xs[k:], cut.reads), *found[n:]]

        forward = derived.build(derived.inputs(body), program)
        most = BUDGET // max(derived.nbytes(derived.outputs(forward)[n:]), 1)
        block = max(1, min(BLOCK, most))
        stride = max(block, most // SLOTS)
        return Logging(forward, cut.backward, most - most % stride, stride, block)

    return derived.kept(back.body, ("logging", *back[1:], BUDGET), make)


def stopping(body: Graph, k: int, size: int) -> Graph:
    """A batched body whose members stand still after their own number of trips."""

    def make() -> Graph:
        avals = derived.inputs(body)

        def program(ops: Record, xs: list[Ref]) -> list[Ref]:
            trips, i = xs[k], xs[k + 1]
            own = [*xs[:k], *xs[k + 2 :]]
            after = body.run(ops, own)
            moves = ops.less(ops.broadcast(i, (size,)), trips)
            return [ops.add(i, ops.scalar(1, i)), *frozen(ops, moves, after, own[k:])]

        return derived.build([*avals[:k], Aval((size,), int64), COUNT, *avals[k:]], program)

    return derived.kept(body, ("stopping", k), make)
