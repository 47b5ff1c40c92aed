"""Trees side by side where one may lack leaves: frozen parts of a gradient are None.

Any in this package: parameters, gradients and states are trees of whatever the user's are.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from taglessad.array_api.dtype_functions import astype
from taglessad.convert import as_handle
from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError, DTypeError, ShapeError
from taglessad.shapes import show
from taglessad.tensor import AnyTensor, Tensor
from taglessad.trees import Path, flatten_with_paths, path_string, unflatten

P = TypeVar("P")
Rate: TypeAlias = float | Tensor
"""A number, or a handle of rank 0 through which derivatives pass."""


def each(what: str, f: Callable[..., Any], updates: P, **others: Any) -> P:
    """The tree of f(leaf of updates, leaves of the others at its path), in the structure of updates.

    Raises ArgumentError where another has no leaf there, ShapeError where it has another shape,
    DTypeError for a leaf that is not real.
    """
    found, treedef = flatten_with_paths(updates)
    columns = [_at(what, name, tree, [path for path, _ in found]) for name, tree in others.items()]
    results: list[Any] = []
    for i, (path, leaf) in enumerate(found):
        x = _real(what, "updates", path, leaf)
        row = [_real(what, name, path, c[i]) for name, c in zip(others, columns, strict=True)]
        for name, other in zip(others, row, strict=True):
            if other.shape != x.shape:
                raise ShapeError(
                    f"{what}: at {place(path)} updates have shape {show(x.shape)} and {name} "
                    f"{show(other.shape)}; they must be the same"
                )
        results.append(f(x, *row))
    updated: P = unflatten(treedef, results)
    return updated


def renewed(whole: P, part: Any) -> P:
    """`whole` with the leaves of `part`, which may lack some, in place of its own."""
    new = dict(flatten_with_paths(part)[0])
    found, treedef = flatten_with_paths(whole)
    result: P = unflatten(treedef, [new.get(path, leaf) for path, leaf in found])
    return result


def in_dtype_of(x: Tensor, value: Rate) -> Rate:
    """A number or a handle in the dtype of x: a float64 rate does not widen float32 parameters."""
    if not isinstance(value, AnyTensor):
        return value
    cast: Any = astype(value, x.dtype)  # Any: a Tensor, as x is
    return cast  # type: ignore[no-any-return]


def place(path: Path) -> str:
    """A path as messages name it."""
    return path_string(path).removeprefix(".") or "the top"


def _at(what: str, name: str, tree: Any, paths: list[Path]) -> list[Any]:
    found, _ = flatten_with_paths(tree)
    if [path for path, _ in found] == paths:
        return [leaf for _, leaf in found]
    leaves = dict(found)
    for path in paths:
        if path not in leaves:
            known = ", ".join(place(p) for p in list(leaves)[:10]) or "none"
            raise ArgumentError(
                f"{what}: updates have a leaf at {place(path)}, where {name} have none; those of "
                f"{name} are at: {known}"
            )
    return [leaves[path] for path in paths]


def _real(what: str, name: str, path: Path, leaf: Any) -> Tensor:
    x = as_handle(leaf, what, f"{name} at {place(path)}")
    if not is_real(x.dtype):
        raise DTypeError(
            f"{what}: {name} at {place(path)} has dtype {x.dtype}; what is optimised is real: put "
            "None in its place in the gradient, or differentiate with wrt=..."
        )
    return x  # type: ignore[return-value]  # real, so a Tensor
