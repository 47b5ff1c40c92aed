"""Going backwards through a loop of known length, in bounded memory.

What the way back reads is logged while it fits in a budget. Beyond it a fixed number of slots holds
states, and one block of trips at a time is made again with its log. The loop itself leaves states
that stand evenly (`Kept`); between two of them blocks are reached by binomial checkpointing
(Griewank and Walther 2000, algorithm 799) in the slots that are free by then.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import comb
from typing import Any, Final, TypeVar

import numpy as np

from taglessad.interpreter import Interpreter

R = TypeVar("R")

BUDGET: int = 256 * 2**20
"""Bytes of a log that holds every trip."""

SLOTS: Final = 32
"""How many states are held where the log of all trips does not fit."""

BLOCK: Final = 32
"""How many trips are logged at a time then."""


class Kept:
    """States of a loop under way that the way back may begin at: every `stride`-th, in `SLOTS`.

    When the slots are full, every second state gives way and the stride doubles: whenever the loop
    ends, they are at least half full. stack: pairs of a number of trips and the state after them.
    """

    __slots__ = ("stack", "stride")

    # Any: payloads
    def __init__(self, start: Sequence[Any], stride: int = 1) -> None:
        self.stack: list[tuple[int, Sequence[Any]]] = [(0, start)]
        self.stride = stride

    def at(self, trips: int, state: Sequence[Any]) -> int:
        """Take a state, if it stands right; gives the number of trips to come again after."""
        if len(self.stack) == SLOTS:
            self.stack = self.stack[::2]
            self.stride *= 2
        past = trips % self.stride
        if not past:
            self.stack.append((trips, state))
        return trips - past + self.stride


def reverse_loop(
    forward: Callable[[Sequence[R], int], Sequence[R]],
    backward: Callable[[Sequence[R], int, Sequence[R]], Sequence[R]],
    kept: Sequence[tuple[int, Sequence[R]]],
    cotangents: Sequence[R],
    trips: int,
    *,
    slots: int = SLOTS,
    block: int = BLOCK,
) -> Sequence[R]:
    """Cotangents of the start from those of the end, `trips` steps later.

    forward: (state, n) -> the state n steps later. backward: (state, n, cotangents of the state n
    steps later) -> its own; n is at most `block`. kept: states and how many trips they stand after
    the start, which is the first of them. slots: how many states are held at once.
    """
    gs = cotangents
    end = trips
    stack = [(at, state) for at, state in kept if at < end]
    while end > 0:
        at, state = stack[-1]
        left = end - at
        free = slots - len(stack)
        if left <= block:
            gs = backward(state, left, gs)
            stack.pop()
            end = at
        elif free <= 0:
            gs = backward(forward(state, left - block), block, gs)
            end -= block
        else:
            step = block * split(-(-left // block), free + 1)
            stack.append((at + step, forward(state, step)))
    return gs


def stored(ops: Interpreter[Any], state: Sequence[Any], trips: int) -> bool:
    """Whether the states of so many trips fit in the budget."""
    return trips * _size(ops, state) <= BUDGET


def _size(ops: Interpreter[Any], state: Sequence[Any]) -> int:
    """Bytes of one state."""
    total = 0
    for x in state:
        shape, dtype = ops.aval(x)
        total += int(np.prod([n for n in shape if isinstance(n, int)], dtype=np.int64)) * max(
            dtype.itemsize, 8
        )
    return max(total, 8)


@cache
def split(blocks: int, slots: int) -> int:
    """How far to go before the next checkpoint, of `slots` that count the present state too.

    With s slots and every block repeated at most r times, binomial(s + r, s) blocks are in reach.
    The part before the new checkpoint has all slots and r - 1 repetitions, the part behind it one
    slot fewer and r (Griewank and Walther 2000, section 3).
    """
    r = 0
    while comb(slots + r, r) < blocks:
        r += 1
    before = comb(slots + r - 1, r - 1) if r else 0
    behind = comb(slots + r - 2, r - 1) if r else 0
    return max(1, min(blocks - 1, before, blocks - behind))
