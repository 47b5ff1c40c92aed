"""What functions that move entries about take and give: any kind of handle, and the same kind."""

from typing import Any, TypeVar

from taglessad.tensor import AnyTensor, BoolTensor, IntTensor, Tensor, handle

# Constrained, not bound: the result is of the operand's kind, its shape another.
Kind = TypeVar("Kind", Tensor, IntTensor, BoolTensor, AnyTensor)


def as_before(x: AnyTensor, payload: Any) -> Any:
    """A payload of the interpreter of x as a handle of its dtype. Any: its kind is that of x."""
    return handle(x.ops, payload, x.dtype, x.weak)
