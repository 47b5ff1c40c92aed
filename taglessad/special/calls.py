"""One call of a primitive that has static parameters, from a public function's arguments."""

from collections.abc import Sequence
from typing import SupportsIndex

from typing_extensions import TypeVarTuple

from taglessad.dispatch import as_real, meet
from taglessad.errors import ArgumentError
from taglessad.shapes import broadcast
from taglessad.shapes.axes import integer
from taglessad.tensor import Tensor, TensorLike

S = TypeVarTuple("S")


def parametrized(
    method: str,
    what: str,
    values: Sequence[TensorLike],
    names: Sequence[str],
    *params: int,
) -> Tensor:
    """An elementwise primitive on reals that broadcast; integers become float64."""
    met = as_real(meet(what, values, names))
    try:
        y = getattr(met.ops, method)(*met.payloads, *params)
    except ValueError:
        broadcast(*(met.ops.shape(p) for p in met.payloads), what=what)
        raise
    return Tensor(met.ops, y, met.dtype, met.weak)


def of_one(method: str, what: str, x: Tensor[*S], *params: int) -> Tensor[*S]:
    """An elementwise primitive of one real; integers become float64."""
    met = as_real(meet(what, (x,), ("x",)))
    return Tensor(met.ops, getattr(met.ops, method)(*met.payloads, *params), met.dtype, met.weak)


def order(n: SupportsIndex, what: str, name: str = "n", least: int = 0) -> int:
    """A static order: an int that is not less than the least. Raises ArgumentError."""
    found = integer(n, what, name)
    if found < least:
        raise ArgumentError(f"{what}: {name} is {n!r}, where an int >= {least} is expected")
    return found
