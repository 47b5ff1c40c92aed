"""Going backwards through a loop of known length, in bounded memory.

Iterates are stored while they fit in a budget; beyond it a fixed number of slots holds a few of
them, and the rest are computed again from the nearest one before (binomial checkpointing,
Griewank and Walther 2000, algorithm 799).
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import comb
from typing import Any, Final, TypeVar

import numpy as np

from taglessad.interpreter import Interpreter

R = TypeVar("R")

BUDGET: int = 256 * 2**20
"""Bytes of iterates that are stored as they are."""

SLOTS: Final = 32
"""How many iterates are held where they do not all fit."""


def reverse_loop(
    ops: Interpreter[R],
    forward: Callable[[Sequence[R]], Sequence[R]],
    backward: Callable[[Sequence[R], Sequence[R]], Sequence[R]],
    start: Sequence[R],
    cotangents: Sequence[R],
    trips: int,
    slots: int | None = None,
) -> Sequence[R]:
    """Cotangents of the start from those of the end, `trips` steps later.

    forward: state -> next state. backward: (state, cotangents of the next state) -> its own.
    slots: how many states are held at once; None for as many as the budget allows.
    """
    if slots is None:
        slots = trips if stored(ops, start, trips) else SLOTS
    gs = cotangents
    # Each entry is a state and how many steps it stands before the end that is still to be reversed.
    stack: list[tuple[int, Sequence[R]]] = [(0, start)]
    end = trips
    while end > 0:
        at, state = stack[-1]
        left = end - at
        free = slots - len(stack)
        if left == 1:
            gs = backward(state, gs)
            stack.pop()
            end -= 1
            continue
        if free <= 0:
            for _ in range(left - 1):
                state = forward(state)
            gs = backward(state, gs)
            end -= 1
            continue
        step = split(left, free + 1)
        for _ in range(step):
            state = forward(state)
        stack.append((at + step, state))
    return gs


def stored(ops: Interpreter[Any], state: Sequence[Any], trips: int) -> bool:
    """Whether the iterates of so many trips fit in the budget."""
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
def split(steps: int, slots: int) -> int:
    """How far to go before the next checkpoint, of `slots` that count the present state too.

    With s slots and every step repeated at most r times, binomial(s + r, s) steps are in reach. The
    part before the new checkpoint has all slots and r - 1 repetitions, the part behind it one slot
    fewer and r (Griewank and Walther 2000, section 3).
    """
    r = 0
    while comb(slots + r, r) < steps:
        r += 1
    before = comb(slots + r - 1, r - 1) if r else 0
    behind = comb(slots + r - 2, r - 1) if r else 0
    return max(1, min(steps - 1, before, steps - behind))
