"""Integers beside numbers of another kind: they stay NumPy's, and wrap around as everywhere."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels import indexing
from taglessad.kernels.elementwise import integer_pow, pow_int
from taglessad.kernels.threefry import threefry

Array = NDArray[Any]  # Any: the dtype is data


def clip(x: Array, low: Array, high: Array) -> Array:
    return np.asarray(np.minimum(np.maximum(x, low), high))


def maximum_reduce(x: Array, axes: tuple[int, ...]) -> Array:
    return np.asarray(np.maximum.reduce(x, axis=axes))


def minimum_reduce(x: Array, axes: tuple[int, ...]) -> Array:
    return np.asarray(np.minimum.reduce(x, axis=axes))


def argmax(x: Array, axis: int) -> Array:
    return np.asarray(np.argmax(x, axis))


def argmin(x: Array, axis: int) -> Array:
    return np.asarray(np.argmin(x, axis))


def cumulative_max(x: Array, axis: int) -> Array:
    return np.maximum.accumulate(x, axis)


def searchsorted(ordered: Array, values: Array, side: Any) -> Array:
    return np.asarray(np.searchsorted(ordered, values, side))


# Any: each takes what the primitive of its name takes.
INTEGERS: dict[str, Callable[..., Any]] = {
    "abs": np.absolute,
    "add": np.add,
    "argmax": argmax,
    "argmin": argmin,
    "argsort": indexing.argsort,
    "argtop": indexing.argtop,
    "bitwise_and": np.bitwise_and,
    "bitwise_invert": np.invert,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "clip": clip,
    "cumulative_max": cumulative_max,
    "equal": np.equal,
    "floor_divide": np.floor_divide,
    "fmod": np.fmod,
    "integer_pow": integer_pow,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "left_shift": np.left_shift,
    "less": np.less,
    "less_equal": np.less_equal,
    "max": maximum_reduce,
    "max_at": indexing.max_at,
    "maximum": np.maximum,
    "min": minimum_reduce,
    "min_at": indexing.min_at,
    "minimum": np.minimum,
    "mul": np.multiply,
    "neg": np.negative,
    "not_equal": np.not_equal,
    "pow_int": pow_int,
    "pow": np.power,
    "remainder": np.remainder,
    "right_shift": np.right_shift,
    "searchsorted": searchsorted,
    "sign": np.sign,
    "square": np.square,
    "sub": np.subtract,
    "threefry": threefry,
}
