"""Steps inside smooth functions of handles (rules/inner.py): they are no kinks of the function."""

from typing import Any

from taglessad.dispatch import as_real, meet
from taglessad.primitive import inner
from taglessad.tensor import BoolTensor, Tensor, TensorLike, handle


def below(a: TensorLike, b: TensorLike) -> BoolTensor:
    """a < b."""
    return _step("less", a, b)  # type: ignore[no-any-return]  # truth values


def not_above(a: TensorLike, b: TensorLike) -> BoolTensor:
    """a <= b."""
    return _step("less_equal", a, b)  # type: ignore[no-any-return]  # truth values


def step(name: str, *operands: TensorLike) -> Tensor:
    """An elementwise primitive of reals that gives reals, held constant: it is looked at, no more."""
    return _step(name, *operands)  # type: ignore[no-any-return]  # reals, as said


def _step(name: str, *operands: TensorLike) -> Any:  # Any: a handle of what the primitive gives
    met = as_real(meet(name, operands))
    looked_at = tuple([met.ops.detach(x) for x in met.payloads])
    y = met.ops.run(inner(name), looked_at, ())
    return handle(met.ops, y, met.ops.dtype(y), met.weak)
