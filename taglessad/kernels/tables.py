"""One primitive on payloads of number objects, by the tables of kernels of its kind."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from taglessad.errors import DomainError
from taglessad.kernels.machine_integers import INTEGERS
from taglessad.kernels.object_matrices import MATRICES
from taglessad.kernels.object_products import contract, convolution
from taglessad.kernels.objects import MOVES
from taglessad.kernels.payloads import Numbers, Payload, Truth
from taglessad.kernels.truth import LOGIC

# Any: each kernel takes the field, then what the primitive of its name takes.
_SHARED: dict[str, Callable[..., Any]] = {
    **MOVES,
    **MATRICES,
    "contract": contract,
    "convolution": convolution,
}


def meanings(table: Mapping[str, Callable[..., Any]]) -> set[str]:
    """The primitives that have a meaning on a field's numbers, integers or truth values."""
    return {*_SHARED, *table, *LOGIC, *INTEGERS}


def evaluate(
    field: Any,
    table: Mapping[str, Callable[..., Any]],
    name: str,
    operands: tuple[Payload, ...],
    params: tuple[Any, ...],
    variadic: bool,
) -> Payload | None:
    """The result of the primitive `name`; None where the field's own table lacks it.

    table: what the field's numbers mean where they do more than move about. Raises DomainError for
    what integers and truth values do not mean.
    """
    first = operands[0]
    kernel = table.get(name) if isinstance(first, Numbers) else None
    kernel = kernel or _SHARED.get(name)
    if kernel is None and isinstance(first, Numbers):
        return None
    if kernel is not None:
        xs = (operands,) if variadic else operands
        result: Payload = kernel(field, *xs, *params)
        return result
    others = LOGIC if isinstance(first, Truth) else INTEGERS
    if name not in others:
        kind = "truth values" if isinstance(first, Truth) else "integers"
        raise DomainError(f"{name}: there is no meaning for it on {kind} here")
    made = others[name](*operands, *params)
    if isinstance(made, Truth):
        return made
    array = np.asarray(made)
    return Truth(array) if array.dtype == bool else array
