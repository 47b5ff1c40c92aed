"""The handle: exists R. (Ops[R], R). An interpreter, and a value in its own representation.

Three classes by kind of number: `Tensor` (real), `IntTensor`, `BoolTensor`. The shape is in the
static type, `Tensor[L[4], L[2]]`; at run time it is asked of the interpreter. What handles do beyond
their operators' fast path is in the array namespace above, which registers itself here.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Generic,
    NoReturn,
    Self,
    SupportsIndex,
    TypeAlias,
)

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVarTuple, Unpack

from taglessad.dtypes import DType, is_bool, is_real
from taglessad.errors import ArgumentError, ConcretizationError
from taglessad.interpreter import BODIES
from taglessad.methods import ArrayMethods
from taglessad.namespace import Namespace as Namespace
from taglessad.numpy_protocols import NumpyProtocols
from taglessad.ops import Ops
from taglessad.shapes import Extent, broadcast

if TYPE_CHECKING:
    from taglessad.indexing.updating import At

    S = TypeVarTuple("S", default=Unpack[tuple[Any, ...]])  # Any: a bare Tensor is of unknown rank
else:
    # With a default, `Tensor[()]` would be the default at run time, and scalars not be told apart.
    S = TypeVarTuple("S")

# Any: what a user may hand in besides handles is decided by `taglessad.convert`, not by typing.
TensorLike: TypeAlias = Any


# The four operators make their handle by hand: Python calls an `__init__` the slow way.
_new = object.__new__


class AnyTensor(ArrayMethods, NumpyProtocols, Generic[*S]):
    """A handle of any kind. Immutable; operators and methods give new handles."""

    __slots__ = ("_dtype", "ops", "payload", "weak")
    if TYPE_CHECKING:
        __hash__: ClassVar[None]  # type: ignore[assignment]  # unhashable, as Python has it
    else:

        def __hash__(self) -> NoReturn:
            raise ArgumentError(
                "hash() of a handle: == compares entries, so handles are no keys of a dict or "
                "members of a set; use their names, positions, or x.item()"
            )

    __array_priority__: ClassVar[int] = 1000

    def __init__(self, ops: Ops[Any], payload: Any, dtype: DType, weak: bool = False) -> None:
        # Any: the interpreter's payload is its own affair.
        self.ops = ops
        self.payload = payload
        self._dtype = dtype
        self.weak = weak

    # --- what is known ----------------------------------------------------------------------
    @property
    def dtype(self) -> DType:
        """The dtype."""
        if self.ops.closed:
            self.ops.dtype(self.payload)  # says that the handle is dead
        return self._dtype

    @property
    def shape(self) -> tuple[Any, ...]:  # Any: ints; under Shape a size may be a symbol
        """The shape, wherever the interpreter knows it."""
        return self.ops.shape(self.payload)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.ops.shape(self.payload))

    @property
    def size(self) -> int:
        """The number of entries."""
        total = 1
        for n in self.shape:
            total *= known_size(n, "size")
        return total

    @property
    def device(self) -> str:
        """Where the value lives; NumPy values live on the CPU."""
        return "cpu"

    def to_device(self, device: str, /, *, stream: object = None) -> Self:
        """The handle itself: only "cpu" exists here."""
        if device != "cpu" or stream is not None:
            raise ArgumentError(f"to_device: device {device!r} is not known; the only one is 'cpu'")
        return self

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise ArgumentError("len() of a handle of rank 0, which has no axis to count along")
        return known_size(shape[0], "len")

    def __iter__(self) -> Iterator["AnyTensor"]:
        if not self.shape:
            raise ArgumentError("iteration over a handle of rank 0, which has no entries to give")
        return (self[i] for i in range(len(self)))

    # --- objects ----------------------------------------------------------------------------
    def __reduce__(self) -> tuple[Any, ...]:  # Any: pickle's protocol
        value = self.ops.literal(self.payload)
        if value is None:
            raise ConcretizationError(
                f"a handle under {self.ops!r} cannot be copied or pickled: it means nothing "
                "outside the transform that made it"
            )
        return _rebuilt, (np.array(value), self.weak)

    def __copy__(self) -> Self:
        self.__reduce__()  # refuses what means nothing elsewhere
        return self

    def __repr__(self) -> str:
        return Namespace.functions.printing.represent(self)  # type: ignore[no-any-return]  # registered late, so Any

    def __str__(self) -> str:
        return Namespace.functions.printing.text(self)  # type: ignore[no-any-return]  # registered late, so Any

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    # --- indexing ---------------------------------------------------------------------------
    def __getitem__(self, index: Any, /) -> "AnyTensor":  # Any: as NumPy's
        return Namespace.functions.indexing.getitem(self, index)  # type: ignore[no-any-return]  # registered late, so Any

    @property
    def at(self) -> "At[Self]":
        """Updates that give a new handle: `x.at[index].set(value)`, add, multiply, min, max, get."""
        return Namespace.functions.indexing.At(self)  # type: ignore[no-any-return]  # registered late, so Any

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise ArgumentError(
            "handles are immutable: write x = x.at[index].set(value), and .at[index].add(value) for +="
        )

    def __delitem__(self, index: object) -> NoReturn:
        raise ArgumentError("handles are immutable: entries cannot be deleted")

    # --- arithmetic -------------------------------------------------------------------------
    def __add__(self, other: TensorLike, /) -> "Tensor":
        ops, dtype = self.ops, self._dtype
        if other.__class__ is Tensor and other.ops is ops and other._dtype is dtype and not BODIES:
            try:
                y = ops.add(self.payload, other.payload)
            except ValueError as error:
                _explain("add", self, other, error)
            made = _new(Tensor)
            made.ops, made.payload, made._dtype = ops, y, dtype
            made.weak = self.weak and other.weak
            return made
        if other.__class__ is float and self.__class__ is Tensor and not BODIES:
            y = ops.add(self.payload, ops.scalar(other, self.payload))
            return Tensor(ops, y, dtype, self.weak)
        return _operator("add", self, other)

    def __sub__(self, other: TensorLike, /) -> "Tensor":
        ops, dtype = self.ops, self._dtype
        if other.__class__ is Tensor and other.ops is ops and other._dtype is dtype and not BODIES:
            try:
                y = ops.sub(self.payload, other.payload)
            except ValueError as error:
                _explain("subtract", self, other, error)
            made = _new(Tensor)
            made.ops, made.payload, made._dtype = ops, y, dtype
            made.weak = self.weak and other.weak
            return made
        if other.__class__ is float and self.__class__ is Tensor and not BODIES:
            y = ops.sub(self.payload, ops.scalar(other, self.payload))
            return Tensor(ops, y, dtype, self.weak)
        return _operator("subtract", self, other)

    def __mul__(self, other: TensorLike, /) -> "Tensor":
        ops, dtype = self.ops, self._dtype
        if other.__class__ is Tensor and other.ops is ops and other._dtype is dtype and not BODIES:
            try:
                y = ops.mul(self.payload, other.payload)
            except ValueError as error:
                _explain("multiply", self, other, error)
            made = _new(Tensor)
            made.ops, made.payload, made._dtype = ops, y, dtype
            made.weak = self.weak and other.weak
            return made
        if other.__class__ is float and self.__class__ is Tensor and not BODIES:
            y = ops.mul(self.payload, ops.scalar(other, self.payload))
            return Tensor(ops, y, dtype, self.weak)
        return _operator("multiply", self, other)

    def __truediv__(self, other: TensorLike, /) -> "Tensor":
        ops, dtype = self.ops, self._dtype
        if other.__class__ is Tensor and other.ops is ops and other._dtype is dtype and not BODIES:
            try:
                y = ops.div(self.payload, other.payload)
            except ValueError as error:
                _explain("divide", self, other, error)
            made = _new(Tensor)
            made.ops, made.payload, made._dtype = ops, y, dtype
            made.weak = self.weak and other.weak
            return made
        if other.__class__ is float and self.__class__ is Tensor and not BODIES:
            y = ops.div(self.payload, ops.scalar(other, self.payload))
            return Tensor(ops, y, dtype, self.weak)
        return _operator("divide", self, other)

    def __radd__(self, other: TensorLike, /) -> "Tensor":
        return _operator("add", other, self)

    def __rsub__(self, other: TensorLike, /) -> "Tensor":
        return _operator("subtract", other, self)

    def __rmul__(self, other: TensorLike, /) -> "Tensor":
        return _operator("multiply", other, self)

    def __rtruediv__(self, other: TensorLike, /) -> "Tensor":
        return _operator("divide", other, self)

    def __floordiv__(self, other: TensorLike, /) -> "Tensor":
        return _operator("floor_divide", self, other)

    def __rfloordiv__(self, other: TensorLike, /) -> "Tensor":
        return _operator("floor_divide", other, self)

    def __mod__(self, other: TensorLike, /) -> "Tensor":
        return _operator("remainder", self, other)

    def __rmod__(self, other: TensorLike, /) -> "Tensor":
        return _operator("remainder", other, self)

    def __pow__(self, other: TensorLike, /) -> "Tensor":
        return _operator("pow", self, other)

    def __rpow__(self, other: TensorLike, /) -> "Tensor":
        return _operator("pow", other, self)

    def __matmul__(self, other: TensorLike, /) -> "Tensor":
        return _operator("matmul", self, other)

    def __rmatmul__(self, other: TensorLike, /) -> "Tensor":
        return _operator("matmul", other, self)

    def __neg__(self) -> Self:
        return Namespace.functions.negative(self)  # type: ignore[no-any-return]  # registered late, so Any

    def __pos__(self) -> Self:
        return Namespace.functions.positive(self)  # type: ignore[no-any-return]  # registered late, so Any

    def __abs__(self) -> Self:
        return Namespace.functions.abs(self)  # type: ignore[no-any-return]  # registered late, so Any

    def __divmod__(self, other: TensorLike, /) -> tuple["Tensor", "Tensor"]:
        return self // other, self % other

    def __round__(self, digits: int | None = None) -> "Tensor":
        if digits is not None:
            raise ArgumentError("round: digits are not supported; use tad.round(x)")
        return Namespace.functions.round(self)  # type: ignore[no-any-return]  # registered late, so Any

    # --- comparison -------------------------------------------------------------------------
    def __eq__(self, other: TensorLike, /) -> "BoolTensor":  # type: ignore[override]  # entry by entry
        return _operator("equal", self, other)  # type: ignore[return-value]  # a comparison

    def __ne__(self, other: TensorLike, /) -> "BoolTensor":  # type: ignore[override]  # entry by entry
        return _operator("not_equal", self, other)  # type: ignore[return-value]  # a comparison

    def __lt__(self, other: TensorLike, /) -> "BoolTensor":
        return _operator("less", self, other)  # type: ignore[return-value]  # a comparison

    def __le__(self, other: TensorLike, /) -> "BoolTensor":
        return _operator("less_equal", self, other)  # type: ignore[return-value]  # a comparison

    def __gt__(self, other: TensorLike, /) -> "BoolTensor":
        return _operator("greater", self, other)  # type: ignore[return-value]  # a comparison

    def __ge__(self, other: TensorLike, /) -> "BoolTensor":
        return _operator("greater_equal", self, other)  # type: ignore[return-value]  # a comparison

    # --- bits and truth values --------------------------------------------------------------
    def __and__(self, other: TensorLike, /) -> "AnyTensor":
        return _operator("bitwise_and", self, other)

    def __rand__(self, other: TensorLike, /) -> "AnyTensor":
        return _operator("bitwise_and", other, self)

    def __or__(self, other: TensorLike, /) -> "AnyTensor":
        return _operator("bitwise_or", self, other)

    def __ror__(self, other: TensorLike, /) -> "AnyTensor":
        return _operator("bitwise_or", other, self)

    def __xor__(self, other: TensorLike, /) -> "AnyTensor":
        return _operator("bitwise_xor", self, other)

    def __rxor__(self, other: TensorLike, /) -> "AnyTensor":
        return _operator("bitwise_xor", other, self)

    def __lshift__(self, other: TensorLike, /) -> "AnyTensor":
        return _operator("bitwise_left_shift", self, other)

    def __rlshift__(self, other: TensorLike, /) -> "AnyTensor":
        return _operator("bitwise_left_shift", other, self)

    def __rshift__(self, other: TensorLike, /) -> "AnyTensor":
        return _operator("bitwise_right_shift", self, other)

    def __rrshift__(self, other: TensorLike, /) -> "AnyTensor":
        return _operator("bitwise_right_shift", other, self)

    def __invert__(self) -> Self:
        return Namespace.functions.bitwise_invert(self)  # type: ignore[no-any-return]  # registered late, so Any


class Tensor(AnyTensor[*S]):
    """Real numbers, which alone carry derivatives."""

    __slots__ = ()

    if TYPE_CHECKING:  # the kind that results have; the plugin says their shapes as well

        def __getitem__(self, index: Any, /) -> "Tensor": ...
        def __iter__(self) -> Iterator["Tensor"]: ...


class IntTensor(AnyTensor[*S]):
    """Integers: indices, labels, exponents. No derivative."""

    __slots__ = ()

    if TYPE_CHECKING:  # the kind that results have; the plugin says their shapes as well

        def __getitem__(self, index: Any, /) -> "IntTensor": ...
        def __iter__(self) -> Iterator["IntTensor"]: ...
        @property
        def T(self) -> "IntTensor": ...  # type: ignore[override]  # of its own kind
        @property
        def mT(self) -> "IntTensor": ...  # type: ignore[override]  # of its own kind
        def reshape(self, *shape: SupportsIndex | Sequence[SupportsIndex]) -> "IntTensor": ...  # type: ignore[override]  # of its own kind
        def squeeze(self, axis: int | tuple[int, ...] | None = None) -> "IntTensor": ...  # type: ignore[override]  # of its own kind
        def max(self, axis: Any = None, *, keepdims: bool = False) -> "IntTensor": ...  # type: ignore[override]  # of its own kind
        def min(self, axis: Any = None, *, keepdims: bool = False) -> "IntTensor": ...  # type: ignore[override]  # of its own kind
        def __add__(self, other: TensorLike, /) -> Any: ...
        def __radd__(self, other: TensorLike, /) -> Any: ...
        def __sub__(self, other: TensorLike, /) -> Any: ...
        def __rsub__(self, other: TensorLike, /) -> Any: ...
        def __mul__(self, other: TensorLike, /) -> Any: ...
        def __rmul__(self, other: TensorLike, /) -> Any: ...
        def __floordiv__(self, other: TensorLike, /) -> Any: ...
        def __rfloordiv__(self, other: TensorLike, /) -> Any: ...
        def __mod__(self, other: TensorLike, /) -> Any: ...
        def __rmod__(self, other: TensorLike, /) -> Any: ...
        def __pow__(self, other: TensorLike, /) -> Any: ...
        def __rpow__(self, other: TensorLike, /) -> Any: ...
        def __matmul__(self, other: TensorLike, /) -> Any: ...
        def __rmatmul__(self, other: TensorLike, /) -> Any: ...
        def sum(self, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> Any: ...
        def prod(self, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> Any: ...
        def __and__(self, other: TensorLike, /) -> "IntTensor": ...
        def __rand__(self, other: TensorLike, /) -> "IntTensor": ...
        def __or__(self, other: TensorLike, /) -> "IntTensor": ...
        def __ror__(self, other: TensorLike, /) -> "IntTensor": ...
        def __xor__(self, other: TensorLike, /) -> "IntTensor": ...
        def __rxor__(self, other: TensorLike, /) -> "IntTensor": ...
        def __lshift__(self, other: TensorLike, /) -> "IntTensor": ...
        def __rshift__(self, other: TensorLike, /) -> "IntTensor": ...


class BoolTensor(AnyTensor[*S]):
    """Truth values: conditions and masks. No derivative."""

    __slots__ = ()

    if TYPE_CHECKING:  # the kind that results have; the plugin says their shapes as well

        def __getitem__(self, index: Any, /) -> "BoolTensor": ...
        def __iter__(self) -> Iterator["BoolTensor"]: ...
        @property
        def T(self) -> "BoolTensor": ...  # type: ignore[override]  # of its own kind
        @property
        def mT(self) -> "BoolTensor": ...  # type: ignore[override]  # of its own kind
        def reshape(self, *shape: SupportsIndex | Sequence[SupportsIndex]) -> "BoolTensor": ...  # type: ignore[override]  # of its own kind
        def squeeze(self, axis: int | tuple[int, ...] | None = None) -> "BoolTensor": ...  # type: ignore[override]  # of its own kind
        def __add__(self, other: TensorLike, /) -> Any: ...
        def __radd__(self, other: TensorLike, /) -> Any: ...
        def __sub__(self, other: TensorLike, /) -> Any: ...
        def __rsub__(self, other: TensorLike, /) -> Any: ...
        def __mul__(self, other: TensorLike, /) -> Any: ...
        def __rmul__(self, other: TensorLike, /) -> Any: ...
        def __floordiv__(self, other: TensorLike, /) -> Any: ...
        def __rfloordiv__(self, other: TensorLike, /) -> Any: ...
        def __mod__(self, other: TensorLike, /) -> Any: ...
        def __rmod__(self, other: TensorLike, /) -> Any: ...
        def __pow__(self, other: TensorLike, /) -> Any: ...
        def __rpow__(self, other: TensorLike, /) -> Any: ...
        def __matmul__(self, other: TensorLike, /) -> Any: ...
        def __rmatmul__(self, other: TensorLike, /) -> Any: ...
        def sum(self, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> Any: ...
        def __and__(self, other: TensorLike, /) -> "BoolTensor": ...
        def __rand__(self, other: TensorLike, /) -> "BoolTensor": ...
        def __or__(self, other: TensorLike, /) -> "BoolTensor": ...
        def __ror__(self, other: TensorLike, /) -> "BoolTensor": ...
        def __xor__(self, other: TensorLike, /) -> "BoolTensor": ...
        def __rxor__(self, other: TensorLike, /) -> "BoolTensor": ...


def handle(ops: Ops[Any], payload: Any, dtype: DType, weak: bool = False) -> Any:
    """A handle of the class for its dtype. Any: which of the three is known only at run time."""
    if is_real(dtype):
        return Tensor(ops, payload, dtype, weak)
    return (BoolTensor if is_bool(dtype) else IntTensor)(ops, payload, dtype, weak)


def known_size(n: Extent, asked: str) -> int:
    """A size as an int, where it is one."""
    if isinstance(n, int):
        return n
    raise ConcretizationError(f"{asked}: the size {n} is a symbol, not a number")


_OPERANDS: Final = (
    *(AnyTensor, int, float, complex, Fraction),
    *(np.ndarray, np.generic, list, tuple),
)


def _operator(name: str, a: TensorLike, b: TensorLike) -> Tensor:
    """A binary operator by its function; NotImplemented for operands that are no numbers."""
    other = b if isinstance(a, AnyTensor) else a
    if not isinstance(other, _OPERANDS):
        if not hasattr(other, "__array__"):
            return NotImplemented  # type: ignore[no-any-return]  # Python's operator protocol
    return getattr(Namespace.functions, name)(a, b)  # type: ignore[no-any-return]  # registered late, so Any


def _explain(name: str, a: AnyTensor, b: AnyTensor, error: ValueError) -> NoReturn:
    """A kernel refused the operands: say what did not fit, under the function's own name."""
    broadcast(a.shape, b.shape, what=name)
    raise error


def _rebuilt(value: NDArray[Any], weak: bool) -> AnyTensor:
    t: AnyTensor = Namespace.functions.asarray(value)
    return handle(t.ops, t.payload, t.dtype, weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
