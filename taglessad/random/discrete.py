"""Bits, truth values, integers, and choices. They carry no derivative.

`key`: a uint32 [2] of `random.key` or `random.split`. Raises ArgumentError, DTypeError or ShapeError
for what is no key.
"""

from typing import Any, SupportsIndex

import numpy as np

from taglessad import shapes
from taglessad.array_api.arithmetic import add, subtract
from taglessad.array_api.comparison import less, less_equal
from taglessad.array_api.creation import ShapeArgument
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.rounding import remainder
from taglessad.array_api.searching import argmax, where
from taglessad.convert import as_handle, from_array
from taglessad.dispatch import Real
from taglessad.dtypes import UNSIGNED, DType, int64, is_integer, resolve, uint64
from taglessad.errors import DomainError, DTypeError, ShapeError
from taglessad.random.continuous import gumbel
from taglessad.random.keys import Key, as_key, lower_half, random_words, upper_half
from taglessad.random.parameters import draw, fractions
from taglessad.shapes import Shape
from taglessad.tensor import AnyTensor, BoolTensor, IntTensor, Tensor, TensorLike


def bits(key: Key, shape: ShapeArgument = (), dtype: object = "uint32") -> IntTensor:
    """Random bits: every value of an unsigned dtype equally often.

    Raises DTypeError for another dtype.
    """
    what = "random.bits"
    target = resolve(dtype, what)
    if target not in UNSIGNED:
        raise DTypeError(
            f"{what}: dtype {target} is not unsigned; it is one of "
            f"{', '.join(d.name for d in UNSIGNED)}"
        )
    ops, words = random_words(what, key, shapes.normalize_shape(shape, what))
    if target != uint64:
        words = ops.cast(ops.bitwise_xor(upper_half(ops, words), lower_half(ops, words)), target)
    return IntTensor(ops, words, target)


def bernoulli(key: Key, p: Real = 0.5, shape: ShapeArgument | None = None) -> BoolTensor:
    """Truth values that hold with probability p; by default of the shape of p."""
    made = draw("random.bernoulli", shape, None, {"p": p})
    u = fractions("random.bernoulli", key, made.shape, made.dtype)
    return less(u, made.parameters["p"])


def randint(
    key: Key,
    shape: ShapeArgument,
    minval: int | IntTensor,
    maxval: int | IntTensor,
    dtype: object = "int64",
) -> IntTensor:
    """Integers from minval to below maxval, all equally often.

    The remainder of 64 random bits: no value is off its probability by more than the number of
    values / 2**64. Raises DTypeError for bounds or a dtype that are no integers, DomainError where
    it can be seen that there is no integer between the bounds, or that one does not fit the dtype;
    where it cannot, minval stands for an empty range.
    """
    what = "random.randint"
    target = resolve(dtype, what)
    if not is_integer(target):
        raise DTypeError(f"{what}: dtype {target} is not an integer dtype")
    whole = shapes.normalize_shape(shape, what)
    low, seen_low = _bound(what, "minval", minval, whole)
    high, seen_high = _bound(what, "maxval", maxval, whole)
    span = subtract(high, low)  # modulo 2**64, as all that follows
    if seen_low is None or seen_high is None:
        empty = less_equal(astype(high, int64), astype(low, int64))
        span = where(empty, 1, span)
    else:
        _check_range(what, seen_low, seen_high, target)
    ops, payload = random_words(what, key, whole)
    words = IntTensor(ops, payload, uint64)
    # A span of 0 is here one of 2**64.
    rest: Any = remainder(words, where(span == 0, 1, span))  # Any: an IntTensor, as its operands
    offset = where(span == 0, words, rest)
    drawn: Any = astype(add(low, offset), target)  # Any: an IntTensor, as the dtype says
    return drawn  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _bound(what: str, name: str, value: TensorLike, shape: Shape) -> tuple[AnyTensor, Any]:
    """A bound modulo 2**64, and its value where it can be seen. Any: an int, an array or None."""
    if isinstance(value, int):
        if not -(2**63) <= value <= 2**64:
            raise DomainError(f"{what}: {name} is {value}, which does not fit 64 bits")
        return from_array(np.asarray(value % 2**64, np.uint64)), value
    t = as_handle(value, what, name)
    if not is_integer(t.dtype):
        raise DTypeError(f"{what}: {name} has dtype {t.dtype}; it must be an integer")
    shapes.broadcast_to(t.shape, shape, what=f"{what}: {name}")
    return astype(t, uint64), t.ops.peek(t.payload)


def _check_range(what: str, low: Any, high: Any, dtype: DType) -> None:
    lows, highs = np.asarray(low, object), np.asarray(high, object)
    if np.any(lows >= highs):
        raise DomainError(f"{what}: no integer is >= {low} and < {high}")
    info = np.iinfo(dtype)
    if np.any(lows < info.min) or np.any(highs > info.max + 1):
        raise DomainError(
            f"{what}: integers from {low} to below {high} do not fit dtype {dtype}, which has "
            f"{info.min} to {info.max}"
        )


def categorical(
    key: Key,
    logits: Tensor,
    axis: SupportsIndex = -1,
    shape: ShapeArgument | None = None,
) -> IntTensor:
    """Positions along an axis, drawn with probabilities softmax(logits) (the Gumbel-max trick).

    shape: that of the result, which must end in the shape of logits without the axis; by default
    that shape itself. int64. Raises ShapeError for another one.
    """
    what = "random.categorical"
    as_key(key, what)
    made = draw(what, None, None, {"logits": logits})
    t = made.parameters["logits"]
    along = shapes.normalize_axis(axis, t.shape, what)
    batch = (*t.shape[:along], *t.shape[along + 1 :])
    whole = batch if shape is None else shapes.normalize_shape(shape, what)
    lead = len(whole) - len(batch)
    if lead < 0 or whole[lead:] != batch:
        raise ShapeError(
            f"{what}: shape {shapes.show(whole)} does not end in {shapes.show(batch)}, the shape "
            "of logits without the axis"
        )
    noise = gumbel(key, (*whole[:lead], *t.shape), t.dtype)
    return argmax(noise + t, axis=lead + along)
