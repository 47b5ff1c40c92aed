"""From a public function's arguments to one call of the vocabulary.

Operands are made handles, brought into one interpreter and one dtype, a cast node wherever the
promotion table says so; the result is a handle of that interpreter.
"""

# pyright: reportPrivateUsage=false
# `_dtype` is a handle's dtype without the property's check: every operator passes here.

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np
from typing_extensions import TypeVarTuple

from taglessad.convert import as_handle, literal_root, number, within
from taglessad.dtypes import (
    DType,
    bool_,
    float64,
    int64,
    is_bool,
    is_integer,
    is_real,
    of_number,
    result_type,
)
from taglessad.errors import DTypeError
from taglessad.interpreter import BODIES
from taglessad.levels import higher
from taglessad.ops import Ops
from taglessad.shapes import broadcast
from taglessad.tensor import AnyTensor, BoolTensor, Tensor, TensorLike, handle

S = TypeVarTuple("S")
T = TypeVar("T", bound=AnyTensor)

# What functions of two operands take, statically; at run time any array-like.
Real: TypeAlias = Tensor | float
Numeric: TypeAlias = AnyTensor | float

_NAMES: Final = ("x1", "x2")
_new = object.__new__
# Any: so that type checkers narrow nothing.
_NUMBERS: Final[frozenset[Any]] = frozenset((int, float))
_PYTHON: Final[frozenset[Any]] = frozenset((bool, int, float))


class Operands(NamedTuple):
    """Operands that meet: one interpreter, one dtype. Any: its payloads."""

    ops: Ops[Any]
    payloads: tuple[Any, ...]
    dtype: DType
    weak: bool


def interpreter_of(handles: Sequence[AnyTensor]) -> Ops[Any]:
    """The interpreter in which these handles meet."""
    ops = handles[0].ops
    for h in handles[1:]:
        if h.ops is not ops:
            ops = higher(ops, h.ops)
    if BODIES:
        for h in handles:
            ops = higher(ops, within(h).ops)
    return ops


def lifted(ops: Ops[Any], x: AnyTensor) -> Any:
    """The payload of a handle in an interpreter. Any: that interpreter's."""
    return x.payload if x.ops is ops else ops.lift(x.ops, x.payload)


def cast(ops: Ops[Any], payload: Any, source: DType, target: DType) -> Any:
    """A payload in another dtype: a node only where the dtypes differ.

    Through an integer or a bool no derivative passes, so the operand is detached first.
    """
    if source == target:
        return payload
    if is_real(source) and not is_real(target):
        payload = ops.detach(payload)
    return ops.cast(payload, target)


def meet(what: str, values: Sequence[TensorLike], names: Sequence[str] = ()) -> Operands:
    """Operands in one interpreter and one dtype, by the promotion table.

    A Python number is a literal of that dtype, which it must fit.
    """
    first = values[0]
    if len(values) == 1 and isinstance(first, AnyTensor):
        first = within(first) if BODIES else first
        return Operands(first.ops, (first.payload,), first._dtype, first.weak)
    operands: list[AnyTensor | None] = []  # None: a Python number
    kinds: list[tuple[DType, bool]] = []
    for i, value in enumerate(values):
        if value.__class__ in _PYTHON:
            operands.append(None)
            kinds.append((of_number(value), True))
        else:
            x = as_handle(value, what, names[i] if i < len(names) else f"argument {i}")
            operands.append(x)
            kinds.append((x._dtype, x.weak))
    dtype, weak = result_type(kinds)
    handles = [x for x in operands if x is not None]
    ops = interpreter_of(handles) if handles else literal_root()
    payloads = tuple(
        [
            ops.const(number(value, dtype, what))
            if x is None
            else cast(ops, lifted(ops, x), own, dtype)
            for value, x, (own, _) in zip(values, operands, kinds, strict=True)
        ]
    )
    return Operands(ops, payloads, dtype, weak)


def as_real(met: Operands) -> Operands:
    """The operands as real numbers: integers and bools become float64."""
    if is_real(met.dtype):
        return met
    return recast(met, float64)


def as_number(met: Operands) -> Operands:
    """The operands as numbers to calculate with: bools become int64."""
    return recast(met, int64) if is_bool(met.dtype) else met


def recast(met: Operands, dtype: DType) -> Operands:
    """The operands in another dtype."""
    ops = met.ops
    payloads = tuple(cast(ops, p, met.dtype, dtype) for p in met.payloads)
    return Operands(ops, payloads, dtype, met.weak)


def as_integer(met: Operands, what: str) -> Operands:
    """The operands, which must be integers or bools."""
    if is_real(met.dtype):
        raise DTypeError(f"{what}: dtype {met.dtype}; bits are for integers and bools")
    return met


def call(met: Operands, method: str, what: str, *, swapped: bool = False) -> Any:
    """An elementwise primitive on operands that meet, as a payload; `swapped` in reverse order.

    Raises ShapeError under the public function's name where they do not broadcast.
    """
    operands = met.payloads[::-1] if swapped else met.payloads
    try:
        return getattr(met.ops, method)(*operands)
    except ValueError as error:
        broadcast(*(met.ops.shape(p) for p in met.payloads), what=what)
        raise error


def real_function(method: str, what: str, x: Tensor[*S]) -> Tensor[*S]:
    """An elementwise function of one real: integers become float64."""
    if BODIES or x.__class__ is not Tensor:  # whatever else a user may hand in
        met = as_real(meet(what, (x,), ("x",)))
        return Tensor(met.ops, getattr(met.ops, method)(*met.payloads), met.dtype, met.weak)
    ops = x.ops
    y = getattr(ops, method)(x.payload)
    made = _new(Tensor)  # by hand, as the operators do: it is a tenth of recording
    made.ops, made.payload, made._dtype, made.weak = ops, y, x._dtype, x.weak
    return made  # pyright: ignore[reportReturnType]  # of the shape of x


def real_binary(method: str, what: str, a: TensorLike, b: TensorLike) -> Tensor:
    """An elementwise function of two reals: integers become float64."""
    quick = _quick(method, a, b)
    if quick is not None:
        return Tensor(*quick)
    met = as_real(meet(what, (a, b), _NAMES))
    return Tensor(met.ops, call(met, method, what), met.dtype, met.weak)


def numeric_function(method: str, what: str, x: T) -> T:
    """An elementwise function of one number that keeps its dtype."""
    if x.__class__ is Tensor and not BODIES:
        ops = x.ops
        y: Any = Tensor(ops, getattr(ops, method)(x.payload), x._dtype, x.weak)
    else:
        met = as_number(meet(what, (x,), ("x",)))
        y = handle(met.ops, getattr(met.ops, method)(*met.payloads), met.dtype, met.weak)
    return y  # type: ignore[no-any-return]  # its kind is kept


def arithmetic(method: str, what: str, a: TensorLike, b: TensorLike) -> Tensor:
    """An elementwise function of two numbers in their common dtype. Statically a Tensor."""
    quick = _quick(method, a, b)
    if quick is not None:
        return Tensor(*quick)
    met = as_number(meet(what, (a, b), _NAMES))
    result: Tensor = handle(met.ops, call(met, method, what), met.dtype, met.weak)
    return result


def _quick(method: str, a: TensorLike, b: TensorLike) -> tuple[Ops[Any], Any, DType, bool] | None:
    """The quick path: two tensors that meet already, or a tensor and a Python number.

    The fields of the resulting handle; None in other cases, and where something is wrong.
    """
    if BODIES:
        return None
    try:
        if a.__class__ is Tensor:
            ops, x, dtype, weak = a.ops, a.payload, a._dtype, a.weak
            if b.__class__ in _NUMBERS:
                return ops, getattr(ops, method)(x, ops.scalar(b, x)), dtype, weak
            if b.__class__ is Tensor and b.ops is ops and b._dtype is dtype:
                return ops, getattr(ops, method)(x, b.payload), dtype, weak and b.weak
        elif b.__class__ is Tensor and a.__class__ in _NUMBERS:
            ops, x = b.ops, b.payload
            return ops, getattr(ops, method)(ops.scalar(a, x), x), b._dtype, b.weak
    except (OverflowError, ValueError):  # an int too large, shapes: the long way says so
        pass
    return None


def comparison(
    method: str, what: str, a: TensorLike, b: TensorLike, *, swapped: bool = False
) -> BoolTensor:
    """A comparison of numbers in their common dtype; `swapped` compares b with a."""
    quick = _quick(method, b, a) if swapped else _quick(method, a, b)
    if quick is not None:
        return BoolTensor(quick[0], quick[1], bool_)
    met = meet(what, (a, b), _NAMES)
    return BoolTensor(met.ops, call(met, method, what, swapped=swapped), bool_)


def lift_all(what: str, values: Sequence[TensorLike]) -> tuple[Ops[Any], list[AnyTensor]]:
    """Arguments as handles of one interpreter, each in its own dtype."""
    handles = [as_handle(v, what, f"argument {i}") for i, v in enumerate(values)]
    ops = interpreter_of(handles) if handles else literal_root()
    return ops, [
        h if h.ops is ops else handle(ops, lifted(ops, h), h.dtype, h.weak) for h in handles
    ]


def integers(x: AnyTensor, what: str, name: str) -> AnyTensor:
    """An index array: integers, as int64."""
    if not is_integer(x.dtype):
        raise DTypeError(f"{what}: {name} has dtype {x.dtype}; indices are integers")
    if x.dtype == int64:
        return x
    return handle(x.ops, x.ops.cast(x.payload, int64), np.dtype(np.int64))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
