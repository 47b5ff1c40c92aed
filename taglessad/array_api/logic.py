"""Truth values, bits and classification, entry by entry. They carry no derivatives.

Operands are of any shape and broadcast. Raises DTypeError for what holds no numbers, ShapeError for
shapes that do not broadcast.
"""

from typing import Final, TypeAlias, TypeVar

from typing_extensions import TypeVarTuple

from taglessad.convert import as_handle
from taglessad.dispatch import Numeric, Operands, as_integer, as_number, as_real, call, cast, meet
from taglessad.dtypes import bool_
from taglessad.tensor import AnyTensor, BoolTensor, IntTensor, TensorLike, handle

S = TypeVarTuple("S")
T = TypeVar("T", bound=AnyTensor)
_NAMES: Final = ("x1", "x2")


# --- truth values --------------------------------------------------------------------------------
def _truth(name: str, x1: TensorLike, x2: TensorLike) -> BoolTensor:
    met = meet(name, (x1, x2), _NAMES)
    ops = met.ops
    truth = tuple(cast(ops, p, met.dtype, bool_) for p in met.payloads)
    return BoolTensor(ops, call(Operands(ops, truth, bool_, met.weak), name, name), bool_)


def logical_and(x1: Numeric, x2: Numeric, /) -> BoolTensor:
    """Whether both hold; a number holds where it is not 0."""
    return _truth("logical_and", x1, x2)


def logical_or(x1: Numeric, x2: Numeric, /) -> BoolTensor:
    """Whether either holds; a number holds where it is not 0."""
    return _truth("logical_or", x1, x2)


def logical_xor(x1: Numeric, x2: Numeric, /) -> BoolTensor:
    """Whether exactly one holds; a number holds where it is not 0."""
    return _truth("logical_xor", x1, x2)


def logical_not(x: AnyTensor[*S], /) -> BoolTensor[*S]:
    """Whether it does not hold; a number holds where it is not 0."""
    t = as_handle(x, "logical_not", "x")
    return BoolTensor(t.ops, t.ops.logical_not(cast(t.ops, t.payload, t.dtype, bool_)), bool_)


# --- bits ----------------------------------------------------------------------------------------
Bits: TypeAlias = BoolTensor | IntTensor | int


def _bitwise(name: str, x1: TensorLike, x2: TensorLike) -> AnyTensor:
    met = as_integer(meet(name, (x1, x2), _NAMES), name)
    result: AnyTensor = handle(met.ops, call(met, name, name), met.dtype, met.weak)
    return result


def _shift(method: str, name: str, x1: TensorLike, x2: TensorLike) -> IntTensor:
    met = as_number(as_integer(meet(name, (x1, x2), _NAMES), name))
    return IntTensor(met.ops, call(met, method, name), met.dtype, met.weak)


def bitwise_and(x1: Bits, x2: Bits, /) -> AnyTensor:
    """The bits set in both, of integers or bools. Raises DTypeError for real numbers."""
    return _bitwise("bitwise_and", x1, x2)


def bitwise_or(x1: Bits, x2: Bits, /) -> AnyTensor:
    """The bits set in either, of integers or bools. Raises DTypeError for real numbers."""
    return _bitwise("bitwise_or", x1, x2)


def bitwise_xor(x1: Bits, x2: Bits, /) -> AnyTensor:
    """The bits set in exactly one, of integers or bools. Raises DTypeError for real numbers."""
    return _bitwise("bitwise_xor", x1, x2)


def bitwise_invert(x: T, /) -> T:
    """Every bit turned over, of integers or bools. Raises DTypeError for real numbers."""
    met = as_integer(meet("bitwise_invert", (x,), ("x",)), "bitwise_invert")
    y = met.ops.bitwise_invert(met.payloads[0])
    return handle(met.ops, y, met.dtype, met.weak)  # type: ignore[no-any-return]  # its kind is kept


def bitwise_left_shift(x1: Bits, x2: Bits, /) -> IntTensor:
    """x1 * 2**x2 in the dtype's bits. Raises DTypeError for real numbers."""
    return _shift("left_shift", "bitwise_left_shift", x1, x2)


def bitwise_right_shift(x1: Bits, x2: Bits, /) -> IntTensor:
    """floor(x1 / 2**x2). Raises DTypeError for real numbers."""
    return _shift("right_shift", "bitwise_right_shift", x1, x2)


# --- classification ------------------------------------------------------------------------------
def _classified(name: str, x: AnyTensor[*S]) -> BoolTensor[*S]:
    met = as_real(meet(name, (x,), ("x",)))
    return BoolTensor(met.ops, getattr(met.ops, name)(met.payloads[0]), bool_)


def isfinite(x: AnyTensor[*S], /) -> BoolTensor[*S]:
    """Whether x is neither infinite nor NaN."""
    return _classified("isfinite", x)


def isinf(x: AnyTensor[*S], /) -> BoolTensor[*S]:
    """Whether x is inf or -inf."""
    return _classified("isinf", x)


def isnan(x: AnyTensor[*S], /) -> BoolTensor[*S]:
    """Whether x is NaN."""
    return _classified("isnan", x)


def signbit(x: AnyTensor[*S], /) -> BoolTensor[*S]:
    """Whether the sign of x is negative, that of -0.0 too."""
    return _classified("signbit", x)
