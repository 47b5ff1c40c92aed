"""The generator: published vectors, and one meaning whatever computes it."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters.eager import EAGER
from taglessad.kernels.threefry import GROUPS, PARITY, ROTATIONS, threefry

# Random123's kat_vectors, threefry2x32 with 20 rounds: key, counter, result.
PUBLISHED = [
    ((0x00000000, 0x00000000), (0x00000000, 0x00000000), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
]


def rounds(ops: Any, key0: Any, key1: Any, high: Any, low: Any) -> tuple[Any, Any]:
    """The two words of a counter of two, by integer operations of the vocabulary alone."""
    parity = ops.scalar(PARITY, key0)
    schedule = (key0, key1, ops.bitwise_xor(ops.bitwise_xor(key0, key1), parity))
    high, low = ops.add(high, schedule[0]), ops.add(low, schedule[1])
    for group in range(GROUPS):
        for distance in ROTATIONS[group % 2]:
            high = ops.add(high, low)
            left = ops.left_shift(low, ops.scalar(distance, low))
            right = ops.right_shift(low, ops.scalar(32 - distance, low))
            low = ops.bitwise_xor(ops.bitwise_or(left, right), high)
        high = ops.add(high, schedule[(group + 1) % 3])
        step = ops.add(schedule[(group + 2) % 3], ops.scalar(group + 1, low))
        low = ops.add(low, step)
    return high, low


def word(pair: tuple[int, int]) -> int:
    return (pair[0] << 32) | pair[1]


@pytest.mark.parametrize(("key", "counter", "expected"), PUBLISHED)
def test_published_vectors(
    key: tuple[int, int], counter: tuple[int, int], expected: tuple[int, int]
) -> None:
    start = np.array(word(counter), np.uint64)
    assert int(threefry(np.array(key, np.uint32), start, ())) == word(expected)
    many = np.tile(np.array(key, np.uint32), (30, 1))
    assert threefry(many, np.full(30, start), ()).tolist() == [word(expected)] * 30


@pytest.mark.parametrize(("key", "counter", "expected"), PUBLISHED)
def test_published_vectors_by_the_vocabulary(
    key: tuple[int, int], counter: tuple[int, int], expected: tuple[int, int]
) -> None:
    got = rounds(EAGER, *(np.array(w, np.uint32) for w in (*key, *counter)))
    assert tuple(int(w) for w in got) == expected


@pytest.mark.parametrize(("key", "counter", "expected"), PUBLISHED)
def test_published_vectors_by_fold_in(
    key: tuple[int, int], counter: tuple[int, int], expected: tuple[int, int]
) -> None:
    folded = tad.random.fold_in(tad.random.key(word(key)), word(counter))
    assert folded.tolist() == list(expected)


def test_a_stream_is_its_counters_one_by_one() -> None:
    key = np.array([7, 2**32 - 3], np.uint32)
    start = np.array(2**32 - 2, np.uint64)  # the upper half of the counter moves on too
    stream = threefry(key, start, (20, 3))
    alone = [threefry(key, start + np.uint64(i), ()) for i in range(60)]
    assert stream.tolist() == np.reshape(alone, (20, 3)).tolist()
    end = np.array(2**64 - 2, np.uint64)  # after the last counter comes the first
    around = threefry(key, end, (4,)).tolist()
    assert around == threefry(key, end, (40,)).tolist()[:4]
    assert around[2] == int(threefry(key, np.array(0, np.uint64), ()))


def test_blocks_do_not_show() -> None:
    key = np.array([1, 2], np.uint32)
    long = threefry(key, np.zeros((), np.uint64), (40_000,))
    counters = np.arange(40_000, dtype=np.uint32)
    high, low = rounds(
        EAGER,
        np.full(1, 1, np.uint32),
        np.full(1, 2, np.uint32),
        np.zeros_like(counters),
        counters,
    )
    np.testing.assert_array_equal(long >> np.uint64(32), high)
    np.testing.assert_array_equal(long & np.uint64(0xFFFFFFFF), low)


def test_many_keys_are_each_key() -> None:
    keys = np.random.default_rng(0).integers(0, 2**32, (4, 5000, 2), np.uint32)
    starts = np.random.default_rng(1).integers(0, 2**64, (4, 5000), np.uint64)
    together = threefry(keys, starts, (3,))
    assert together.shape == (4, 5000, 3)
    for place in [(0, 0), (1, 4999), (3, 17)]:
        np.testing.assert_array_equal(together[place], threefry(keys[place], starts[place], (3,)))


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2)])
def test_no_numbers(shape: tuple[int, ...]) -> None:
    key = tad.random.key(0)
    assert tad.random.bits(key, shape).shape == shape
    assert tad.random.normal(key, shape).shape == shape
    keys = np.zeros((0, 2), np.uint32)
    assert threefry(keys, np.zeros(0, np.uint64), (2,)).shape == (0, 2)
