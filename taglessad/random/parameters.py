"""What the distributions have in common: shape, dtype and parameters of a draw."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from taglessad import shapes
from taglessad.array_api.creation import ShapeArgument
from taglessad.convert import as_handle, from_array, is_python_number, number
from taglessad.dispatch import cast
from taglessad.dtypes import (
    REAL,
    DType,
    float64,
    is_bfloat16,
    is_real,
    promote,
    resolve,
    uint16,
    uint32,
)
from taglessad.errors import DTypeError
from taglessad.ops import Ops
from taglessad.random.keys import lower_half, random_words, upper_half
from taglessad.shapes import Shape
from taglessad.tensor import AnyTensor, Tensor, TensorLike, handle


class Draw(NamedTuple):
    """The shape and dtype of the result, and the parameters in that dtype, by name."""

    shape: Shape
    dtype: DType
    parameters: dict[str, Tensor]


def draw(
    what: str,
    shape: ShapeArgument | None,
    dtype: object,
    parameters: Mapping[str, TensorLike],
) -> Draw:
    """What a call asks for.

    shape None: that to which the parameters broadcast. dtype None: that of the parameters that are
    real arrays, else float64. Raises ShapeError for a parameter that does not broadcast to the
    shape, DTypeError for a dtype that is not real.
    """
    arrays = {
        name: as_handle(value, what, name)
        for name, value in parameters.items()
        if not is_python_number(value)
    }
    target = _dtype(what, dtype, arrays)
    if shape is None:
        whole = shapes.broadcast(*(x.shape for x in arrays.values()), what=what) if arrays else ()
    else:
        whole = shapes.normalize_shape(shape, what)
        for name, x in arrays.items():
            shapes.broadcast_to(x.shape, whole, what=f"{what}: {name}")
    ready: dict[str, Tensor] = {}
    for name, value in parameters.items():
        if name not in arrays:
            ready[name] = from_array(number(value, target, f"{what}: {name}"))
        else:
            x = arrays[name]
            ready[name] = handle(x.ops, cast(x.ops, x.payload, x.dtype, target), target)
    return Draw(whole, target, ready)


def _dtype(what: str, dtype: object, arrays: Mapping[str, AnyTensor]) -> DType:
    if dtype is None:
        own = [x.dtype for x in arrays.values() if is_real(x.dtype)]
        target = own[0] if own else float64
        for other in own[1:]:
            target = promote(target, other)
        if is_bfloat16(target):
            raise DTypeError(
                f"{what}: numbers are not drawn in bfloat16, which has 128 of them from 1 to 2; "
                "pass dtype=tad.float32, and cast them with astype"
            )
        return target
    target = resolve(dtype, what)
    if not is_real(target):
        known = ", ".join(d.name for d in reversed(REAL))
        raise DTypeError(f"{what}: dtype {target} is not real; it is one of {known}")
    return target


def fractions(what: str, key: TensorLike, shape: Shape, dtype: DType) -> Tensor:
    """Multiples of one ulp of 1 below 1, in [0, 1), all equally often: bits for a mantissa."""
    ops, words = random_words(what, key, shape)
    return Tensor(ops, _scaled(ops, words, dtype), dtype)


def _scaled(ops: Ops[Any], words: Any, dtype: DType) -> Any:  # Any: payloads of the interpreter
    digits = {8: 52, 4: 23, 2: 10}[dtype.itemsize]
    if dtype.itemsize < 8:
        words = ops.bitwise_xor(upper_half(ops, words), lower_half(ops, words))
        words = ops.cast(words, uint32 if dtype.itemsize == 4 else uint16)
    kept = ops.right_shift(words, ops.scalar(8 * dtype.itemsize - digits, words))
    whole = ops.cast(kept, dtype)
    return ops.mul(whole, ops.scalar(2.0**-digits, whole))
