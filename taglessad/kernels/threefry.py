"""Threefry-2x32 with 20 rounds: a counter-based random number generator.

Salmon, Moraes, Dror and Shaw 2011, Parallel random numbers: as easy as 1, 2, 3. Section 3.3 and
the constants of its table 2.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

ROTATIONS: Final = ((13, 15, 26, 6), (17, 29, 16, 24))
"""How far each round rotates, by groups of four rounds in turn."""
PARITY: Final = 0x1BD11BDA
"""The third key word is the exclusive or of the other two with this."""
GROUPS: Final = 5

_MASK: Final = 0xFFFFFFFF
_FEW: Final = 16  # words up to which Python's integers are faster than a hundred NumPy calls
_BLOCK: Final = 1 << 14  # counters at a time: three buffers of this many words stay in the cache


def threefry(key: NDArray[Any], start: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The words of the counters start, start + 1, ..., row by row, for each key.

    key: uint32 [*K, 2]; start: uint64 [*K]; the result: uint64 [*K, *shape].
    """
    key, start = np.asarray(key), np.asarray(start)
    count = math.prod(shape)
    halves, starts = key.reshape(-1, 2), start.reshape(-1)
    if start.size * count <= _FEW:
        members = zip(*halves.T.tolist(), starts.tolist(), strict=True)
        few = [_word(a, b, first + i) for a, b, first in members for i in range(count)]
        return np.array(few, np.uint64).reshape((*start.shape, *shape))
    words = np.empty(start.size * count, np.uint64)
    for first in range(0, words.size, _BLOCK):
        place = np.arange(first, min(first + _BLOCK, words.size), dtype=np.uint64)
        if start.size == 1:
            of, counter = halves[0], starts + place
        else:
            member, place = np.divmod(place, np.uint64(count))
            of, counter = halves[member].T, starts[member] + place
        words[first : first + len(counter)] = _block(of[0], of[1], counter)
    return words.reshape((*start.shape, *shape))


def _word(key0: int, key1: int, counter: int) -> int:
    """One word, by Python's integers."""
    schedule = (key0, key1, key0 ^ key1 ^ PARITY)
    high = (((counter >> 32) & _MASK) + key0) & _MASK
    low = ((counter & _MASK) + key1) & _MASK
    for group in range(GROUPS):
        for distance in ROTATIONS[group % 2]:
            high = (high + low) & _MASK
            low = ((low << distance | low >> (32 - distance)) & _MASK) ^ high
        high = (high + schedule[(group + 1) % 3]) & _MASK
        low = (low + schedule[(group + 2) % 3] + group + 1) & _MASK
    return high << 32 | low


def _block(key0: Words, key1: Words, counter: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One word for each counter; the key is one for all, or one for each."""
    high = np.right_shift(counter, np.uint64(32)).astype(np.uint32)
    low = counter.astype(np.uint32)
    keys = (np.atleast_1d(key0), np.atleast_1d(key1))
    schedule = (*keys, keys[0] ^ keys[1] ^ np.uint32(PARITY))
    rest = np.empty_like(low)
    np.add(high, schedule[0], out=high)
    np.add(low, schedule[1], out=low)
    for group in range(GROUPS):
        for distance in ROTATIONS[group % 2]:
            np.add(high, low, out=high)
            np.left_shift(low, np.uint32(distance), out=rest)
            np.right_shift(low, np.uint32(32 - distance), out=low)
            np.bitwise_or(low, rest, out=low)
            np.bitwise_xor(low, high, out=low)
        np.add(high, schedule[(group + 1) % 3], out=high)
        np.add(low, schedule[(group + 2) % 3] + np.uint32(group + 1), out=low)
    word = high.astype(np.uint64)
    np.left_shift(word, np.uint64(32), out=word)
    return np.bitwise_or(word, low, out=word)
