"""Data types and the one promotion table.

A dtype is a `numpy.dtype`; `float32` and its kin are the library's names for them. bfloat16, the
upper half of a float32, is a dtype of JAX's alone. Within a kind promotion is the array API
standard's; across kinds the float wins and keeps its precision, bool counts as an integer, and
integers in a function of reals become float64. A Python number is weak: it gives way to any array
of its kind or a higher one.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np

from taglessad.errors import DTypeError

DType: TypeAlias = np.dtype[Any]  # Any: the scalar type is data here, not a static type

bool_: Final[DType] = np.dtype(np.bool_)
int8: Final[DType] = np.dtype(np.int8)
int16: Final[DType] = np.dtype(np.int16)
int32: Final[DType] = np.dtype(np.int32)
int64: Final[DType] = np.dtype(np.int64)
uint8: Final[DType] = np.dtype(np.uint8)
uint16: Final[DType] = np.dtype(np.uint16)
uint32: Final[DType] = np.dtype(np.uint32)
uint64: Final[DType] = np.dtype(np.uint64)
float16: Final[DType] = np.dtype(np.float16)
float32: Final[DType] = np.dtype(np.float32)
float64: Final[DType] = np.dtype(np.float64)

SIGNED: Final = (int8, int16, int32, int64)
UNSIGNED: Final = (uint8, uint16, uint32, uint64)
REAL: Final = (float16, float32, float64)
ALL: Final = (bool_, *SIGNED, *UNSIGNED, *REAL)

NO_BFLOAT16: Final = (
    "bfloat16 is a dtype of JAX's alone; use float32, which has every number of it, or on JAX an "
    "array of jax.numpy, or x.astype('bfloat16') in the program"
)

Number: TypeAlias = int | float | Fraction
"""What a rule may write as a literal: exact, so that every interpreter reads it exactly."""


class Irrational(float):
    """A named real constant: a float to floating interpreters, the exact number to others."""

    name: str

    def __new__(cls, name: str, value: float) -> "Irrational":
        self = super().__new__(cls, value)
        self.name = name
        return self

    def __repr__(self) -> str:
        return self.name


PI: Final = Irrational("pi", 3.141592653589793)
LN2: Final = Irrational("ln2", 0.6931471805599453)
LN10: Final = Irrational("ln10", 2.302585092994046)
TWO_OVER_SQRT_PI: Final = Irrational("2/sqrt(pi)", 1.1283791670955126)
HALF_SQRT_PI: Final = Irrational("sqrt(pi)/2", 0.886226925452758)


def is_real(dtype: DType) -> bool:
    """Whether values of this dtype are real numbers, which alone carry derivatives."""
    return dtype.kind == "f" or is_bfloat16(dtype)


def is_bfloat16(dtype: DType) -> bool:
    """Whether it is bfloat16, which NumPy knows by name only, and where JAX is installed."""
    return dtype.kind == "V" and dtype.name == "bfloat16"


def smallest_normal(dtype: DType) -> float:
    """The smallest number of a real dtype that has all its digits."""
    return 2.0**-126 if is_bfloat16(dtype) else float(np.finfo(dtype).tiny)


def eps(dtype: DType) -> float:
    """How far it is from 1 to the next number of a real dtype."""
    return 2.0**-7 if is_bfloat16(dtype) else float(np.finfo(dtype).eps)


def is_integer(dtype: DType) -> bool:
    """Whether the dtype is a signed or unsigned integer."""
    return dtype.kind in "iu"


def is_bool(dtype: DType) -> bool:
    """Whether the dtype is the truth values."""
    return dtype.kind == "b"


def of_number(value: object) -> DType:
    """The default dtype of a Python number: bool, int64 or float64."""
    if isinstance(value, bool):
        return bool_
    return int64 if isinstance(value, int) else float64


def resolve(spec: object, what: str, *, bfloat16: bool = False) -> DType:
    """A dtype argument as a dtype: `float32`, a NumPy dtype or its name, or bool, int, float.

    bfloat16: whether it may be that. Raises DTypeError for complex, object and every other kind that
    has no meaning here.
    """
    try:
        dtype = np.dtype(spec)  # type: ignore[call-overload]  # spec is whatever the user gave
    except TypeError:
        raise DTypeError(
            f"{what}: {spec!r} is not a dtype; give one of {', '.join(d.name for d in ALL)}"
        ) from None
    if spec is None:
        raise DTypeError(f"{what}: dtype is None; leave it out for the default")
    return check(dtype, what, bfloat16=bfloat16)


def check(dtype: DType, what: str, *, bfloat16: bool = False) -> DType:
    """The dtype in native byte order, or a DTypeError saying why it is refused."""
    if dtype.kind in "biuf" and dtype.itemsize <= 8:
        return dtype.newbyteorder("=") if not dtype.isnative else dtype
    if is_bfloat16(dtype):
        if bfloat16:
            return dtype
        raise DTypeError(f"{what}: {NO_BFLOAT16}")
    if dtype.kind == "c":
        raise DTypeError(
            f"{what}: complex numbers ({dtype}) are not supported; "
            "carry the real and the imaginary part as two arrays"
        )
    if dtype.kind == "O":
        raise DTypeError(
            f"{what}: an object array is not an array of numbers; check for ragged lists or "
            "foreign objects, and convert with numpy.asarray(..., dtype=float)"
        )
    raise DTypeError(f"{what}: dtype {dtype} is not supported; use {', '.join(map(str, ALL))}")


def promote(a: DType, b: DType) -> DType:
    """The common dtype of two arrays.

    Where the standard leaves a pair undefined: int with float gives that float dtype, bool gives
    way to anything, uint64 with a signed integer gives float64, and the two halves float32.
    """
    if a is b or a == b:
        return a
    if is_real(a) != is_real(b):
        return a if is_real(a) else b
    if is_bfloat16(a) or is_bfloat16(b):
        other = b if is_bfloat16(a) else a
        return float32 if other == float16 else other
    return np.promote_types(a, b)


def result_type(operands: Iterable[tuple[DType, bool]]) -> tuple[DType, bool]:
    """The common dtype of (dtype, weak) pairs, and whether the result is weak.

    Weak operands, Python numbers, only lift the kind: an int array with a Python float is float64.
    Of weak ones the narrower of a kind stays: JAX's own numbers may be float32, Python's are not.
    """
    strong: DType | None = None
    weak: DType | None = None
    for dtype, is_weak in operands:
        if is_weak:
            weak = dtype if weak is None else _weaker(weak, dtype)
        else:
            strong = dtype if strong is None else promote(strong, dtype)
    if strong is None:
        assert weak is not None
        return weak, True
    if weak is None or _RANK[weak.kind] <= _RANK[strong.kind]:
        return strong, False
    return weak, False


def _weaker(a: DType, b: DType) -> DType:
    if _RANK[a.kind] != _RANK[b.kind]:
        return max(a, b, key=lambda dtype: _RANK[dtype.kind])
    return min(a, b, key=lambda dtype: dtype.itemsize)


_RANK: Final = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2}  # V: bfloat16
