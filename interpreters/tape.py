"""Tape: programs mean their value, and a record of how it came about. Reverse mode over any base.

Values are computed in the base at once. The record is a flat list, so neither its length nor its
end costs recursion. A `Trace` is what remains when the transform has ended: it pulls cotangents
back and pushes tangents forward, emitting in the interpreter under way when it is called.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from taglessad.closed import end
from taglessad.dtypes import DType, Number, is_real
from taglessad.errors import EscapeError
from taglessad.masks import (
    Masked,
    alive_members,
    fit,
    of_members,
    settle,
    stretch,
    through,
    total,
)
from taglessad.ops import Ops
from taglessad.primitive import PRIMITIVES, Aval, Local, Params, Prim, PrimN
from taglessad.shapes import Shape

R = TypeVar("R")
P = TypeVar("P")


class Var(Generic[R]):
    """A value of the base and its place on the tape; -1 for what does not depend on the inputs."""

    __slots__ = ("place", "value")

    def __init__(self, value: R, place: int) -> None:
        self.value = value
        self.place = place


# Any: values of the base, of whichever payload type; a tuple, since a record must stay small.
# Of a primitive with several results the fourth part is (results, memory), and as many places
# follow each other as it has results.
Entry = tuple[Prim | PrimN, tuple[int, ...], tuple[Any, ...], Any, Params]


class Trace(Generic[R]):
    """A finished tape: what was computed, in order."""

    def __init__(self, base: Ops[R], inputs: int, places: int, entries: list[Entry]) -> None:
        self.base = base
        self.inputs = inputs
        self.places = places
        self.entries = entries

    def _lifted(self, ops: Ops[P], entry: Entry) -> tuple[tuple[P, ...], P]:
        base = self.base
        _, _, xs, y, _ = entry
        return tuple(ops.lift(base, x) for x in xs), ops.lift(base, y)

    def _kernels(self, ops: Ops[P]) -> tuple[Ops[P], bool]:
        if self.base.closed:
            raise EscapeError(
                f"a pullback made under {self.base!r} was called after that transform had ended"
            )
        return ops.trusted(), ops is not self.base

    def pull(
        self, ops: Ops[P], seeds: Sequence[tuple[int, P]], *, consume: bool = False
    ) -> list[P | None]:
        """Cotangents of the inputs from cotangents at places of the tape; None for no dependence.

        With `consume` the record is emptied on the way, so that memory falls as it is read.
        """
        kernels, foreign = self._kernels(ops)
        # Any: payloads of `ops`, some of them Masked.
        cotangents: list[Any] = [None] * self.places
        for place, seed in seeds:
            before = cotangents[place]
            cotangents[place] = seed if before is None else total(kernels, before, seed)
        entries = self.entries if consume else list(self.entries)
        while entries:
            entry = entries.pop()
            prim, places, xs, y, params = entry
            if isinstance(prim, PrimN):
                first = len(cotangents) - len(y[0])  # which may have no results at all
                gs = cotangents[first:]
                del cotangents[first:]
                if any(g is not None for g in gs):
                    self._pull_n(kernels, foreign, entry, gs, cotangents)
                continue
            g = cotangents.pop()
            if g is None:
                continue
            if foreign:
                xs, y = self._lifted(ops, entry)
            slots = prim.slots
            if prim.selects or g.__class__ is Masked:
                for k, place in enumerate(places):
                    if place >= 0 and slots[k] is not None:
                        d = through(kernels, prim, k, False, g, y, xs, params)
                        d = fit(kernels, d, kernels.shape(xs[k]))
                        before = cotangents[place]
                        cotangents[place] = d if before is None else total(kernels, before, d)
                continue
            elementwise = prim.kind == "elementwise"
            if params or len(xs) > 2:
                for k, place in enumerate(places):
                    slot = slots[k] if place >= 0 else None
                    if slot is not None:
                        d = slot.pull(kernels, g, y, *xs, *params)
                        if elementwise:
                            d = fit(kernels, d, kernels.shape(xs[k]))
                        before = cotangents[place]
                        cotangents[place] = d if before is None else total(kernels, before, d)
                continue
            # Rules of one and two operands are most of what is called: written out, which makes
            # the whole pass a tenth quicker.
            if len(xs) == 1:
                (place,), slot = places, slots[0]
                assert slot is not None  # or it would not have been recorded
                d = slot.pull(kernels, g, y, xs[0])
                before = cotangents[place]
                if before is None:
                    cotangents[place] = d
                elif before.__class__ is Masked:
                    cotangents[place] = total(kernels, before, d)
                else:
                    cotangents[place] = kernels.add(before, d)
                continue
            both: tuple[Any, ...] = xs
            a, b = both
            stretched = elementwise and not kernels.same_shape(a, b)
            for place, slot, x in ((places[0], slots[0], a), (places[1], slots[1], b)):
                if place < 0 or slot is None:
                    continue
                d = slot.pull(kernels, g, y, a, b)
                if stretched:
                    d = fit(kernels, d, kernels.shape(x))
                before = cotangents[place]
                if before is None:
                    cotangents[place] = d
                elif before.__class__ is Masked:
                    cotangents[place] = total(kernels, before, d)
                else:
                    cotangents[place] = kernels.add(before, d)
        return [None if c is None else settle(kernels, c) for c in cotangents]

    def _lifted_n(
        self, ops: Ops[P], foreign: bool, entry: Entry
    ) -> tuple[tuple[P, ...], tuple[P, ...], Any]:  # Any: what the primitive remembers
        _, _, xs, (ys, memory), _ = entry
        if not foreign:
            return xs, ys, memory
        base = self.base
        lifted: list[P] | None = None
        if memory is not None and not isinstance(memory, Local):
            lifted = [ops.lift(base, m) for m in memory]
        return (
            tuple([ops.lift(base, x) for x in xs]),
            tuple([ops.lift(base, y) for y in ys]),
            lifted,
        )

    def _pull_n(
        self, ops: Ops[P], foreign: bool, entry: Entry, gs: list[Any], cotangents: list[Any]
    ) -> None:
        """The cotangents of one primitive's several results, added to those of its operands."""
        prim, places, _, _, params = entry
        assert isinstance(prim, PrimN)
        xs, ys, memory = self._lifted_n(ops, foreign, entry)
        alive = alive_members(ops, prim, gs, xs)
        gs = [None if g is None else settle(ops, g) for g in gs]
        wanted = tuple([place >= 0 for place in places])
        if prim.recall is not None and memory is not None:
            found = prim.recall(ops, gs, memory, ys, xs, params, wanted)
        else:
            found = prim.pull(ops, gs, ys, xs, params, wanted)
        for place, d in zip(places, found, strict=True):
            if place >= 0 and d is not None:
                d = of_members(ops, alive, d)
                before = cotangents[place]
                cotangents[place] = d if before is None else total(ops, before, d)

    def push(
        self, ops: Ops[P], tangents: Sequence[P | None], places: Sequence[int]
    ) -> list[P | None]:
        """Tangents at places of the tape from tangents of the inputs; None for no dependence."""
        kernels, foreign = self._kernels(ops)
        known: list[Any] = list(tangents)  # Any: payloads of `ops`, some of them Masked
        for entry in self.entries:
            prim, operands, xs, y, params = entry
            if isinstance(prim, PrimN):
                xs, ys, _ = self._lifted_n(kernels, foreign, entry)
                found = [known[place] if place >= 0 else None for place in operands]
                ds = [None if d is None else settle(kernels, d) for d in found]
                if all(d is None for d in ds):
                    known += [None] * len(ys)
                else:
                    alive = alive_members(kernels, prim, found, xs)
                    pushes = prim.push(kernels, ds, ys, xs, params)
                    known += [of_members(kernels, alive, t) for t in pushes]
                continue
            if foreign:
                xs, y = self._lifted(ops, entry)
            tangent: Any = None
            for k, place in enumerate(operands):
                d = known[place] if place >= 0 else None
                slot = prim.slots[k] if d is not None else None
                if slot is None:
                    continue
                if prim.selects or d.__class__ is Masked:
                    pushed = through(kernels, prim, k, True, d, y, xs, params)
                else:
                    pushed = slot.push(kernels, d, y, *xs, *params)
                tangent = pushed if tangent is None else total(kernels, tangent, pushed)
            if tangent is not None and prim.kind == "elementwise" and len(xs) > 1:
                tangent = stretch(kernels, tangent, kernels.shape(y))
            known.append(tangent)
        pushed_to = (known[place] if place >= 0 else None for place in places)
        return [None if t is None else settle(kernels, t) for t in pushed_to]


class Tape(Ops[Var[R]], Generic[R]):
    """Reverse mode: evaluates in the base and records what depends on the inputs.

    With `peeking`, program text may look at values (Python `if` and `while`): the derivative is
    then that of the path that ran.
    """

    base: Ops[R]

    reverses = True

    def __init__(self, base: Ops[R], *, peeking: bool = False) -> None:
        self.base = base
        self.level = base.level + 1
        self.peeking = peeking
        self.kernels = base.trusted()
        self.entries: list[Entry] = []
        self.next_place = 0
        self.inputs = 0

    def input(self, value: R) -> Var[R]:
        """A value that derivatives are taken in; all inputs are made before the first operation."""
        place = self.next_place
        self.next_place = self.inputs = place + 1
        return Var(value, place)

    def const(self, value: NDArray[Any], /) -> Var[R]:
        return Var(self.base.const(value), -1)

    def scalar(self, value: Number, like: Var[R], /) -> Var[R]:
        return Var(self.kernels.scalar(value, like.value), -1)

    def embed(self, x: R, /) -> Var[R]:
        return Var(x, -1)

    def aval(self, x: Var[R], /) -> Aval:
        return self.base.aval(x.value)

    def shape(self, x: Var[R], /) -> Shape:
        return self.base.shape(x.value)

    def dtype(self, x: Var[R], /) -> DType:
        return self.base.dtype(x.value)

    def peek(self, x: Var[R], /) -> NDArray[Any] | None:
        return self.base.peek(x.value) if self.peeking else None

    def differentiates(self, x: Var[R], /) -> bool:
        return x.place >= 0 or self.base.differentiates(x.value)

    def apply(self, prim: Prim, operands: tuple[Var[R], ...], params: Params, /) -> Var[R]:
        if len(operands) == 1:
            (x,) = operands
            xs: tuple[R, ...] = (x.value,)
            places: tuple[int, ...] = (x.place,)
        else:
            xs = tuple([x.value for x in operands])
            places = tuple([x.place for x in operands])
        y = self.kernels.run(prim, xs, params)
        slots = prim.slots
        for k, place in enumerate(places):
            if place >= 0 and slots[k] is not None:
                here = self.next_place
                self.next_place = here + 1
                self.entries.append((prim, places, xs, y, params))
                return Var(y, here)
        return Var(y, -1)

    def apply_n(
        self, prim: PrimN, operands: tuple[Var[R], ...], params: Params, /
    ) -> tuple[Var[R], ...]:
        ops = self.kernels
        xs = tuple([x.value for x in operands])
        places = tuple([x.place for x in operands])
        if all(place < 0 for place in places):
            return tuple([Var(y, -1) for y in ops.run_n(prim, xs, params)])
        memory = None
        if prim.remember is not None:
            wanted = tuple([place >= 0 for place in places])
            ys, memory = prim.remember(ops, xs, params, wanted)
        else:
            ys = ops.run_n(prim, xs, params)
        self.entries.append((prim, places, xs, (ys, memory), params))
        first = self.next_place
        self.next_place = first + len(ys)
        # Integers and truth values carry no derivative.
        return tuple([Var(y, first + i if is_real(ops.dtype(y)) else -1) for i, y in enumerate(ys)])

    def finish(self) -> Trace[R]:
        """The record, taken from the tape, which closes."""
        trace = Trace(self.base, self.inputs, self.next_place, self.entries)
        self.close()
        return trace

    def close(self) -> None:
        self.entries = []
        end(self)


# `apply` says what every method means. The methods of one and two operands without parameters are
# most of what programs call, so they are written out: it saves a third of the time of recording.
# An object made by hand is a quarter cheaper than one made through an `__init__`.
# Any: values of the base.
new = object.__new__


def _unary(prim: Prim) -> Callable[[Tape[Any], Var[Any]], Var[Any]]:
    name = prim.name

    def method(tape: Tape[Any], x: Var[Any], /) -> Var[Any]:
        value, place = x.value, x.place
        y = getattr(tape.kernels, name)(value)
        if place < 0:
            return Var(y, -1)
        here = tape.next_place
        tape.next_place = here + 1
        tape.entries.append((prim, (place,), (value,), y, ()))
        var: Var[Any] = new(Var)
        var.value, var.place = y, here
        return var

    return method


def _binary(prim: Prim) -> Callable[[Tape[Any], Var[Any], Var[Any]], Var[Any]]:
    name = prim.name

    def method(tape: Tape[Any], a: Var[Any], b: Var[Any], /) -> Var[Any]:
        left, right = a.value, b.value
        y = getattr(tape.kernels, name)(left, right)
        if a.place < 0 and b.place < 0:
            return Var(y, -1)
        here = tape.next_place
        tape.next_place = here + 1
        tape.entries.append((prim, (a.place, b.place), (left, right), y, ()))
        var: Var[Any] = new(Var)
        var.value, var.place = y, here
        return var

    return method


_UNARY = ("neg", "exp", "log", "sin", "cos", "tanh", "sqrt", "square", "reciprocal", "sigmoid")
_BINARY = ("add", "sub", "mul", "div")
for _name in _UNARY:
    setattr(Tape, _name, _unary(PRIMITIVES[_name]))
for _name in _BINARY:
    setattr(Tape, _name, _binary(PRIMITIVES[_name]))
