"""What users hand in, as handles: numbers, nested lists, NumPy arrays, anything that exports one.

Arrays are copied when they come in, so that later changes to them change nothing; Python numbers
become weak handles, which give way to the dtype of what they meet.
"""

from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import DType, check, float64, of_number
from taglessad.errors import ArgumentError, DTypeError
from taglessad.interpreter import BODIES
from taglessad.kernels.quiet import Quiet
from taglessad.levels import ambient, body_above, root_of
from taglessad.ops import Ops
from taglessad.tensor import AnyTensor, Namespace, TensorLike, handle


def literal_root() -> Ops[Any]:
    """Where a literal lives: the root of what is under way. Any: whichever root that is."""
    return cast("Ops[Any]", root_of(ambient()))  # cast: every interpreter under way is an Ops


def is_python_number(value: object) -> TypeGuard[bool | int | float]:
    """Whether it is a number of Python's own, which is weak; NumPy's are arrays of rank 0."""
    return isinstance(value, (bool, int, float)) and not isinstance(value, np.generic)


def from_array(value: NDArray[Any], weak: bool = False) -> Any:
    """A handle of a literal array that nobody else will change. Any: its class is its kind's."""
    root = literal_root()
    payload = root.const(value)
    return handle(root, payload, root.dtype(payload), weak)


def as_handle(value: TensorLike, what: str, name: str = "x") -> AnyTensor:
    """An argument as a handle; handles are returned as they are.

    `what` and `name` are the public function and its argument, for the message. Raises DTypeError
    for complex, object and other dtypes without meaning, ArgumentError for what is no array.
    """
    if isinstance(value, AnyTensor):
        x: AnyTensor = value  # pyright: ignore[reportUnknownVariableType]  # of any shape
        return within(x) if BODIES else x
    if is_python_number(value):
        weak: AnyTensor = from_array(number(value, of_number(value), what), weak=True)
        return weak
    if holds_handle(value):
        return _stacked(value, what, name)
    if is_jax(value):
        # The layer above; it is imported when the first JAX array comes in.
        own: AnyTensor = import_module("taglessad.interpreters.jax").from_jax(value, what, name)
        return own
    exact = isinstance(value, Fraction)
    if exact or (isinstance(value, np.ndarray) and value.dtype.kind == "O"):
        root = literal_root()
        payload = root.argument(value)  # Exact and Real take them as the numbers that they are
        if payload is not None:
            literal: AnyTensor = handle(root, payload, root.dtype(payload), weak=exact)
            return literal
    made: AnyTensor = from_array(to_array(value, what, name))
    return made


def within(x: AnyTensor) -> AnyTensor:
    """A handle as a value of the body under way, if it belongs to a transform outside of that.

    So what a branch computes from values that it closes over is computed where the branch is taken,
    and a derivative reaches it there alone. Values that may be looked at stay what they are.
    """
    ops = x.ops
    recorder = body_above(ops)
    if recorder is None or ops.closed or ops.peek(x.payload) is not None:
        return x
    inside: AnyTensor = handle(recorder, recorder.lift(ops, x.payload), x.dtype, x.weak)
    return inside


def is_jax(value: object) -> bool:
    """Whether it is an array or a tracer of JAX."""
    module = type(value).__module__
    return module.startswith(("jax", "jaxlib")) and hasattr(value, "aval")


def _stacked(values: Sequence[Any], what: str, name: str) -> AnyTensor:
    """Nested lists of handles as one; the function that stacks stands above this module."""
    parts = [as_handle(v, what, f"{name}[{i}]") for i, v in enumerate(values)]
    whole: AnyTensor = Namespace.functions.stack(parts)
    return whole


def to_array(value: TensorLike, what: str, name: str, target: DType | None = None) -> NDArray[Any]:
    """An array-like as a NumPy array of its own, native byte order, supported dtype.

    Python numbers in lists must fit the dtype `target`, if one is given; arrays are cast to it.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(
            f"{what}: {name} is a masked array, whose mask would be lost; fill it, and pass the "
            "mask to tad.where"
        )
    if isinstance(value, complex):
        raise DTypeError(
            f"{what}: {name} is complex; complex numbers are not supported: carry the real and "
            "the imaginary part as two arrays"
        )
    if value is None or isinstance(value, (str, bytes, dict, set)) or callable(value):
        raise ArgumentError(
            f"{what}: {name} is {article(value)}, where a number, a nested list or an array is "
            "expected"
        )
    try:
        array = np.array(value)
    except ValueError:
        raise ArgumentError(
            f"{what}: {name} is a ragged nested list; rows of an array have one length"
        ) from None
    if array.dtype.kind == "O":
        raise DTypeError(
            f"{what}: {name} is {article(value)}, which NumPy reads as an object array, not as "
            "numbers; convert it with numpy.asarray(..., dtype=float)"
        )
    dtype = check(array.dtype, f"{what}: {name}")
    if target is not None and target != dtype:
        return _refitted(value, target, f"{what}: {name}")
    return array if array.dtype == dtype else array.astype(dtype)


def _refitted(value: TensorLike, dtype: DType, what: str) -> NDArray[Any]:
    try:
        with Quiet():
            return np.array(value, dtype)
    except (OverflowError, ValueError):
        raise DTypeError(f"{what} has a number that does not fit dtype {dtype}") from None


def number(value: bool | int | float, dtype: DType, what: str) -> NDArray[Any]:
    """A Python number as a rank-0 array of a dtype; one that is too large for a float is inf.

    Raises DTypeError for one that no integer of the dtype is.
    """
    try:
        if dtype is float64:  # no number overflows on the way
            return np.asarray(value, dtype)
        with Quiet():
            return np.asarray(value, dtype)
    except (OverflowError, ValueError):
        raise DTypeError(f"{what}: the number {value} does not fit dtype {dtype}") from None


def to_numpy(x: TensorLike) -> NDArray[Any]:  # Any: the dtype is data
    """The values as a NumPy array, read-only.

    Raises ConcretizationError for a handle whose value is not known, or whose derivative is being
    recorded, which would be lost.
    """
    value = as_handle(x, "to_numpy")._array("tad.to_numpy()").view()  # pyright: ignore[reportPrivateUsage]
    value.flags.writeable = False
    return value


def holds_handle(value: TensorLike) -> bool:
    """Whether it is a handle, or nested lists with one in them."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_handle, cast("list[Any]", value)))  # cast: entries are anything
    return isinstance(value, AnyTensor)


def article(value: Any) -> str:
    """What a value is, for messages: "None", "a list", "an object"."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"
