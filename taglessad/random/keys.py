"""Keys: where random numbers come from, as values that are passed in.

A key is a uint32 vector of two, so it is an argument like any other: of jit, vmap, scan, of a
file. The same key gives the same numbers, under every interpreter and on every machine; whoever
needs others splits it.
"""

from typing import Any, TypeAlias

import numpy as np

from taglessad import shapes
from taglessad.array_api.creation import ShapeArgument
from taglessad.convert import article, as_handle, from_array, literal_root
from taglessad.dispatch import cast
from taglessad.dtypes import is_integer, uint32, uint64
from taglessad.errors import ArgumentError, DomainError, DTypeError, ShapeError
from taglessad.levels import higher
from taglessad.ops import Ops
from taglessad.shapes import Shape
from taglessad.tensor import AnyTensor, IntTensor, TensorLike, handle

Key: TypeAlias = AnyTensor
"""A key as an argument. Statically any handle, since what comes out of an array of keys, by unpacking
or indexing, is one; as_key holds it to be a key."""


def key(seed: int | IntTensor) -> IntTensor:
    """A key made of a seed: uint32 [2], the upper and the lower half of its 64 bits.

    seed: an int from -2**63 to 2**64 - 1, or an integer handle of rank 0. Raises DomainError for
    an int outside, ShapeError and DTypeError for another handle.
    """
    if isinstance(seed, int):
        if not -(2**63) <= seed < 2**64:
            raise DomainError(f"random.key: the seed {seed} does not fit 64 bits")
        halves = divmod(seed % 2**64, 2**32)
        made: IntTensor = from_array(np.asarray(halves, np.uint32))
        return made
    t = _whole_number(seed, "random.key", "seed")
    return _key_of(t.ops, cast(t.ops, t.payload, t.dtype, uint64))


def split(key: Key, num: ShapeArgument = 2) -> IntTensor:
    """New keys from one: uint32 [num, 2]; `num` may be a shape. Do not use `key` itself again."""
    shape = shapes.normalize_shape(num, "random.split")
    ops, words = random_words("random.split", key, shape)
    return _key_of(ops, words)


def fold_in(key: Key, data: int | IntTensor) -> IntTensor:
    """The key of a key and a number, such as the step of a loop: uint32 [2].

    data: an int from 0 to 2**64 - 1, or an integer handle of rank 0. Raises DomainError for an int
    outside.
    """
    what = "random.fold_in"
    t = as_key(key, what)
    if isinstance(data, int):
        if not 0 <= data < 2**64:
            raise DomainError(f"{what}: data is {data}; it must be from 0 to 2**64 - 1")
        start: AnyTensor = from_array(np.asarray(data, np.uint64))
    else:
        start = _whole_number(data, what, "data")
    ops = higher(t.ops, start.ops)
    counter = cast(ops, ops.lift(start.ops, start.payload), start.dtype, uint64)
    return _key_of(ops, ops.threefry(ops.lift(t.ops, t.payload), counter, ()))


def random_words(what: str, key: TensorLike, shape: Shape) -> tuple[Ops[Any], Any]:
    """uint64 words of that shape, and their interpreter. Any: its payload."""
    t = as_key(key, what)
    start = t.ops.const(np.zeros((), np.uint64))
    return t.ops, t.ops.threefry(t.payload, start, shape)


def as_key(key: TensorLike, what: str) -> AnyTensor:
    """A key as a handle, in the interpreter in which new numbers are made.

    Raises ArgumentError for what is no array, DTypeError and ShapeError for what is no key.
    """
    advice = "make one with tad.random.key(seed)"
    if not hasattr(key, "dtype"):
        raise ArgumentError(f"{what}: key is {article(key)}, where a key is expected; {advice}")
    if str(key.dtype).startswith("key<"):
        raise DTypeError(
            f"{what}: key is a typed key of JAX ({key.dtype}); pass jax.random.key_data(key)"
        )
    t = as_handle(key, what, "key")
    if t.dtype != uint32:
        raise DTypeError(f"{what}: key has dtype {t.dtype}; a key is a uint32 [2]; {advice}")
    if t.shape != (2,):
        several = len(t.shape) > 1 and t.shape[-1] == 2
        remedy = "take one of them, or map over them with tad.vmap" if several else advice
        found = "an array of keys, " if several else ""
        raise ShapeError(
            f"{what}: key is {found}uint32 {shapes.show(t.shape)}; a key is a uint32 [2]; {remedy}"
        )
    ops = higher(t.ops, literal_root())
    return t if ops is t.ops else handle(ops, ops.lift(t.ops, t.payload), uint32)


def lower_half(ops: Ops[Any], words: Any) -> Any:
    """The lower 32 bits of words, as uint32."""
    return ops.cast(words, uint32)


def upper_half(ops: Ops[Any], words: Any) -> Any:
    """The upper 32 bits of words, as uint32."""
    return ops.cast(ops.right_shift(words, ops.scalar(32, words)), uint32)


def _key_of(ops: Ops[Any], words: Any) -> IntTensor:
    """Words as keys, upper half first."""
    pair = (*ops.shape(words), 1)
    halves = tuple(
        ops.reshape(half, pair) for half in (upper_half(ops, words), lower_half(ops, words))
    )
    return IntTensor(ops, ops.concat(halves, len(pair) - 1), uint32)


def _whole_number(value: TensorLike, what: str, name: str) -> AnyTensor:
    t = as_handle(value, what, name)
    if not is_integer(t.dtype):
        raise DTypeError(f"{what}: {name} has dtype {t.dtype}; it must be an integer")
    if t.shape != ():
        raise ShapeError(
            f"{what}: {name} has shape {shapes.show(t.shape)}; it must be one number, of shape []; "
            "use tad.vmap for several"
        )
    return t
