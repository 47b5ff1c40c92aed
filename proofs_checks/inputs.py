"""A user's function as a function of the real numbers in its arguments and of nothing else."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from taglessad.convert import as_handle
from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError
from taglessad.proofs_checks.cases import Array
from taglessad.tensor import AnyTensor
from taglessad.trees import flatten, unflatten

# Any: handles of whichever interpreter is under way.
Handles: TypeAlias = tuple[Any, ...]


class Reals(NamedTuple):
    """f taken apart: f(*points) is the tuple of the real numbers in its result."""

    f: Callable[..., Handles]
    points: list[Array]


def reals(what: str, f: Callable[..., Any], args: Sequence[Any]) -> Reals:
    """The real leaves of the arguments, copied, and f as a function of them alone.

    Everything else, integers, bools and static values, stays as it is. Raises ArgumentError where
    the arguments or the result hold no real number.
    """
    leaves, treedef = flatten(tuple(args))
    arrays = [_real(what, x, i) for i, x in enumerate(leaves)]
    places = [i for i, a in enumerate(arrays) if a is not None]
    points = [a for a in arrays if a is not None]
    if not points:
        raise ArgumentError(
            f"{what}: no argument holds a real number, so there is no derivative to check; Python "
            "ints count as constants, write 2.0 for 2"
        )

    def of_reals(*xs: Any) -> Handles:
        new = list(leaves)
        for i, x in zip(places, xs, strict=True):
            new[i] = as_handle(x, what)
        results = [
            as_handle(r, what, "the result of f") for r in flatten(f(*unflatten(treedef, new)))[0]
        ]
        real = tuple(r for r in results if is_real(r.dtype))
        if not real:
            raise ArgumentError(f"{what}: the result of f holds no real number")
        return real

    return Reals(of_reals, points)


def _real(what: str, leaf: Any, i: int) -> Array | None:
    """A leaf as an array, if it is a real number or an array of them."""
    if not isinstance(leaf, float) and not hasattr(leaf, "__array__"):
        return None
    x: AnyTensor = as_handle(leaf, what, f"argument leaf {i}")
    return np.array(x) if is_real(x.dtype) else None
