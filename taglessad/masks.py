"""Structural zeros: what a selection did not take contributes nothing, whatever stands behind it.

A tangent or cotangent is a payload, or a `Masked(d, mask)`, which means where(mask, d, 0) with the
select not done yet: dead entries of d may hold garbage (0 * inf). Masks are born only from
selections, a slot's `keep` or its padding, never from numeric zeros: a number that happens to be
zero hides no singularity. `through` carries a mask over a rule by the kind of its primitive; where
no selection occurs there is no mask and no cost. Dropping a mask once the select is done is always
right: it is information, not a value.

"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import float32, is_real
from taglessad.ops import Ops
from taglessad.primitive import RESULT, Flow, Params, Prim, PrimN, Slot
from taglessad.rules.inner import below
from taglessad.rules.reductions import expand
from taglessad.rules.structural import unbroadcast
from taglessad.shapes import Shape

# Any throughout: one mechanism for payloads of every interpreter, which it never looks into.
Payload: TypeAlias = Any
_TRUE: Final[NDArray[np.bool_]] = np.asarray(True)
_FALSE: Final[NDArray[np.bool_]] = np.asarray(False)


class Mask:
    """Which entries are alive, computed when first wanted."""

    __slots__ = ("_compute", "_value", "condition", "holds", "within")

    def __init__(
        self,
        compute: Callable[[], Payload] | None = None,
        condition: Payload = None,
        holds: bool = True,
        within: "Mask | None" = None,
    ) -> None:
        self._compute = compute
        self._value: Payload = None
        self.condition = condition
        self.holds = holds
        self.within = within

    def get(self, ops: Ops[Payload]) -> Payload:
        """The mask as a bool payload that broadcasts to what it masks."""
        if self._value is None:
            if self._compute is not None:
                self._value, self._compute = self._compute(), None
            elif self.within is None:
                c = self.condition
                self._value = c if self.holds else ops.logical_not(c)
            else:
                outer = self.within.get(ops)
                c = self.condition if self.holds else ops.logical_not(self.condition)
                self._value = ops.logical_and(outer, c)
        return self._value

    def same_selection(self, other: "Mask") -> bool:
        """Whether both come from one condition in one place: the same side, or the two sides."""
        if self is other:
            return True
        return (
            self.condition is not None
            and self.condition is other.condition
            and self.within is other.within
        )


class Masked:
    """where(mask, d, 0); `pending` says that dead entries of d may not be zero."""

    __slots__ = ("d", "mask", "pending")

    def __init__(self, d: Payload, mask: Mask, pending: bool) -> None:
        self.d, self.mask, self.pending = d, mask, pending


def settle(ops: Ops[Payload], t: Payload) -> Payload:
    """The payload itself: the select, if one is pending, is done."""
    if t.__class__ is not Masked:
        return t
    if t.pending:
        mask, zero = t.mask, ops.scalar(0, t.d)
        if mask.condition is not None and mask.within is None:
            sides = (t.d, zero) if mask.holds else (zero, t.d)
            t.d = ops.where(mask.condition, *sides)
        else:
            t.d = ops.where(mask.get(ops), t.d, zero)
        t.pending = False
    return t.d


def total(ops: Ops[Payload], a: Payload, b: Payload) -> Payload:
    """The sum of two contributions to one (co)tangent."""
    if a.__class__ is not Masked or b.__class__ is not Masked:
        return ops.add(settle(ops, a), settle(ops, b))
    m, n = a.mask, b.mask
    pending = a.pending or b.pending
    if m.same_selection(n):
        if m is n or m.holds == n.holds:
            return Masked(ops.add(a.d, b.d), m, pending)
        # The two sides of one selection meet again: one select, nothing added.
        chosen = ops.where(m.condition, *((a.d, b.d) if m.holds else (b.d, a.d)))
        return chosen if m.within is None else Masked(chosen, m.within, pending)
    d = ops.add(settle(ops, a), settle(ops, b))
    return Masked(d, Mask(lambda: ops.logical_or(m.get(ops), n.get(ops))), False)


def _select(t: Payload, condition: Payload, holds: bool) -> Masked:
    if t.__class__ is Masked:
        return Masked(t.d, Mask(condition=condition, holds=holds, within=t.mask), True)
    return Masked(t, Mask(condition=condition, holds=holds), True)


def _whole(ops: Ops[Payload], mask: Mask, shape: Shape) -> Payload:
    value = mask.get(ops)
    return value if ops.shape(value) == shape else ops.broadcast(value, shape)


def _counts(ops: Ops[Payload], mask: Payload) -> Payload:
    return ops.cast(mask, float32)


def _reached(ops: Ops[Payload], counts: Payload) -> Payload:
    return below(ops, ops.scalar(0, counts), counts)


def through(
    ops: Ops[Payload],
    prim: Prim,
    position: int,
    forward: bool,
    d: Payload,
    y: Payload,
    xs: Sequence[Payload],
    params: Params,
) -> Payload:
    """d through the push (forward) or pull rule of one operand, masks born, carried and ended."""
    slot = prim.slots[position]
    assert slot is not None
    if slot.keep is not None and forward:
        d = _select(d, *slot.keep(ops, y, *xs, *params))
    r = _carry(ops, prim, slot, position, forward, d, y, xs, params)
    if slot.keep is not None and not forward:
        r = _select(r, *slot.keep(ops, y, *xs, *params))
    return r


def _carry(
    ops: Ops[Payload],
    prim: Prim,
    slot: Slot,
    position: int,
    forward: bool,
    d: Payload,
    y: Payload,
    xs: Sequence[Payload],
    params: Params,
) -> Payload:
    rule, flow = (slot.push, slot.push_flow) if forward else (slot.pull, slot.pull_flow)

    def on(v: Payload) -> Payload:
        return rule(ops, v, y, *xs, *params)

    masked = d.__class__ is Masked
    if prim.kind == "elementwise":
        if masked:
            return Masked(on(d.d), d.mask, d.pending or not slot.tame)
        return on(d)
    if prim.kind == "linear":
        return _linear(ops, flow, on, d)
    if not masked:
        return on(d)
    if prim.kind == "bilinear":
        return _bilinear(ops, prim, position, forward, d, y, xs, params)
    value, mask = settle(ops, d), d.mask
    if prim.kind == "reduction":

        def reduced() -> Payload:
            whole = _whole(ops, mask, ops.shape(value))
            return ops.any(whole, params[0]) if forward else expand(ops, whole, xs[0], params[0])

        return Masked(on(value), Mask(reduced), True)
    if prim.kind == "matrix":
        return of_members(ops, alive_members(ops, prim, [d], xs), on(value))

    # Any other rule is linear in d: what it reaches from the live entries. Ones stand for the
    # numbers, so that no zero or infinity counts, except where the rule selects by comparing them.
    def reached() -> Payload:
        def plain(x: Payload) -> Payload:
            if slot.keep is not None or not is_real(ops.dtype(x)):
                return x
            return ops.broadcast(ops.scalar(1, x), ops.shape(x))

        counts = ops.cast(_whole(ops, mask, ops.shape(value)), ops.dtype(y))
        return _reached(ops, rule(ops, counts, plain(y), *[plain(x) for x in xs], *params))

    return Masked(on(value), Mask(reached), True)


def alive_members(
    ops: Ops[Payload], prim: Prim | PrimN, ts: Sequence[Payload], xs: Sequence[Payload]
) -> Mask | None:
    """Of a function of whole arrays what is not wholly masked.

    Of a function of matrices the members of the batch; of others with several results, a loop or a
    branch, all or nothing. None where it is not known: of other primitives, and where some
    (co)tangent has no mask.
    """
    there = [t for t in ts if t is not None]
    several = isinstance(prim, PrimN)
    of_matrices = prim.matrices if isinstance(prim, PrimN) else prim.kind == "matrix"
    if not (several or of_matrices) or any(t.__class__ is not Masked for t in there):
        return None
    count = len(ops.shape(xs[0])) - 2 if of_matrices else 0

    def compute() -> Payload:
        alive: Payload = None
        for t in there:
            whole = _whole(ops, t.mask, ops.shape(t.d))
            member = ops.any(whole, tuple(range(count, len(ops.shape(whole)))))
            alive = member if alive is None else ops.logical_or(alive, member)
        return alive

    return Mask(compute)


def of_members(ops: Ops[Payload], alive: Mask | None, r: Payload) -> Payload:
    """A (co)tangent of whole arrays, masked by the member; `alive` is that of `alive_members`."""
    if alive is None or r is None:
        return r
    return Masked(r, spread_over(ops, alive, r), True)


def spread_over(ops: Ops[Payload], alive: Mask, r: Payload) -> Mask:
    """The mask of members as one that broadcasts to an array of them."""

    def mask() -> Payload:
        members = alive.get(ops)
        leading = ops.shape(members)
        return ops.reshape(members, (*leading, *(1,) * (len(ops.shape(r)) - len(leading))))

    return Mask(mask)


def _linear(ops: Ops[Payload], flow: Flow, on: Callable[[Payload], Payload], d: Payload) -> Payload:
    if d.__class__ is Masked:
        shape = ops.shape(d.d)
        mask = d.mask
        if flow is Flow.MOVE:
            return Masked(on(d.d), Mask(lambda: on(_whole(ops, mask, shape))), d.pending)
        value = settle(ops, d)
        counted = Mask(lambda: _reached(ops, on(_counts(ops, _whole(ops, mask, shape)))))
        return Masked(on(value), counted, False)
    if flow is Flow.PAD or flow is Flow.SPREAD:
        shape = ops.shape(d)

        def not_padding() -> Payload:
            return _reached(ops, on(ops.broadcast(ops.const(np.ones((), np.float32)), shape)))

        return Masked(on(d), Mask(not_padding), False)
    return on(d)


def _bilinear(
    ops: Ops[Payload],
    prim: Prim,
    position: int,
    forward: bool,
    d: Masked,
    y: Payload,
    xs: Sequence[Payload],
    params: Params,
) -> Payload:
    """A contraction: entries of the other operand that meet only dead ones take no part."""
    value = settle(ops, d)
    whole = _whole(ops, d.mask, ops.shape(value))
    if prim.meets is not None:
        return _met(ops, prim, position, forward, value, whole, y, xs, params)
    alive = _counts(ops, whole)
    slot, partner = prim.slots[position], prim.slots[1 - position]
    assert slot is not None and partner is not None
    rule = slot.push if forward else slot.pull

    def ones(x: Payload) -> Payload:
        return ops.broadcast(ops.const(np.ones((), np.float32)), ops.shape(x))

    # What the live entries reach in the other operand is its own pull, with live for values.
    flat = [ones(x) for x in xs]
    if forward:
        flat[position] = alive
        met = partner.pull(ops, ones(y), y, *flat, *params)
    else:
        met = partner.pull(ops, alive, y, *flat, *params)
    operands = list(xs)
    other = xs[1 - position]
    operands[1 - position] = ops.where(_reached(ops, met), other, ops.scalar(0, other))

    def result_mask() -> Payload:
        return _reached(ops, rule(ops, alive, y, *[ones(x) for x in xs], *params))

    return Masked(rule(ops, value, y, *operands, *params), Mask(result_mask), False)


def _met(
    ops: Ops[Payload],
    prim: Prim,
    position: int,
    forward: bool,
    value: Payload,
    whole: Payload,
    y: Payload,
    xs: Sequence[Payload],
    params: Params,
) -> Payload:
    """The same for a primitive that says itself what meets what."""
    slot, meets = prim.slots[position], prim.meets
    assert slot is not None and meets is not None
    source, target = (position, RESULT) if forward else (RESULT, position)
    other = xs[1 - position]
    operands = list(xs)
    shapes = (*map(ops.shape, xs), ops.shape(y))
    met = meets(ops, whole, source, 1 - position, shapes, *params)
    operands[1 - position] = ops.where(met, other, ops.scalar(0, other))
    rule = slot.push if forward else slot.pull
    mask = Mask(lambda: meets(ops, whole, source, target, shapes, *params))
    return Masked(rule(ops, value, y, *operands, *params), mask, False)


def fit(ops: Ops[Payload], d: Payload, shape: Shape) -> Payload:
    """A cotangent summed back to the shape of an operand that broadcasting stretched."""
    if d.__class__ is not Masked:
        return d if ops.shape(d) == shape else unbroadcast(ops, d, shape)
    wide = ops.shape(d.d)
    if wide == shape:
        return d
    value, mask = settle(ops, d), d.mask

    def alive() -> Payload:
        return _reached(ops, unbroadcast(ops, _counts(ops, _whole(ops, mask, wide)), shape))

    return Masked(unbroadcast(ops, value, shape), Mask(alive), False)


def stretch(ops: Ops[Payload], t: Payload, shape: Shape) -> Payload:
    """A tangent repeated to the shape of a result that broadcasting stretched."""
    if t.__class__ is not Masked:
        return t if ops.shape(t) == shape else ops.broadcast(t, shape)
    if ops.shape(t.d) == shape:
        return t
    return Masked(ops.broadcast(t.d, shape), t.mask, t.pending)
