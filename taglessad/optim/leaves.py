"""Trees side by side where one may lack leaves: frozen parts of a gradient are None.

Any in this package: parameters, gradients and states are trees of whatever the user's are.
"""

from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias, TypeVar

from taglessad.array_api.dtype_functions import astype
from taglessad.convert import article, as_handle, is_python_number
from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError, DTypeError, ShapeError
from taglessad.shapes import show
from taglessad.tensor import Tensor
from taglessad.trees import (
    Path,
    TreeDef,
    flatten,
    flatten_with_paths,
    path_string,
    unflatten,
)

P = TypeVar("P")
S = TypeVar("S")
Rate: TypeAlias = float | Tensor
"""A number, or a handle of rank 0 through which derivatives pass."""


def each(what: str, f: Callable[..., Any], updates: P, **others: Any) -> P:
    """The tree of f(leaf of updates, leaves of the others at its path), in the structure of updates.

    Raises ArgumentError where another has no leaf there, ShapeError where it has another shape,
    DTypeError for a leaf that is not real.
    """
    found, treedef = flatten(updates)
    columns = [_column(what, name, tree, updates, treedef) for name, tree in others.items()]
    results: list[Any] = []
    for i, leaf in enumerate(found):
        x = _real(what, "updates", leaf, updates, i)
        row = [_real(what, n, c[i], updates, i) for n, c in zip(others, columns, strict=True)]
        for name, other in zip(others, row, strict=True):
            if other.shape != x.shape:
                raise ShapeError(
                    f"{what}: at {_place_of(updates, i)} updates have shape {show(x.shape)} and "
                    f"{name} {show(other.shape)}; they must be the same"
                )
        results.append(f(x, *row))
    updated: P = unflatten(treedef, results)
    return updated


def renewed(whole: P, part: Any) -> P:
    """`whole` with the leaves of `part`, which may lack some, in place of its own."""
    leaves, treedef = flatten(part)
    structure = flatten(whole)[1]
    if structure != treedef:
        new = dict(flatten_with_paths(part)[0])
        leaves = [new.get(path, leaf) for path, leaf in flatten_with_paths(whole)[0]]
    result: P = unflatten(structure, leaves)
    return result


def own(what: str, kind: type[S], state: Any) -> S:
    """A state, which must be of the kind that the transformation makes.

    Raises ArgumentError for any other: of another optimiser, or arguments in another order.
    """
    if not isinstance(state, kind):
        refuse(what, state, kind.__name__)
    return state


def refuse(what: str, state: Any, expected: str) -> NoReturn:
    """Say that a state is none of this transformation."""
    came = f"a tuple of {len(state)}" if type(state) is tuple else article(state)
    raise ArgumentError(
        f"{what}: update(grads, state, params): the second argument is {came}, not a "
        f"state of this optimiser ({expected}), which init(params) and update give"
    )


def in_dtype_of(x: Tensor, value: Rate) -> Rate:
    """A number or a handle in the dtype of x: a float64 rate does not widen float32 parameters."""
    if is_python_number(value):
        return value
    cast: Any = astype(as_handle(value, "optim", "a rate"), x.dtype)  # Any: a Tensor, as x is
    return cast  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def place(path: Path) -> str:
    """A path as messages name it."""
    return path_string(path).removeprefix(".") or "the top"


def _place_of(tree: Any, i: int) -> str:
    """The path of the i-th leaf of a tree."""
    return place(flatten_with_paths(tree)[0][i][0])


def _column(what: str, name: str, tree: Any, updates: Any, treedef: TreeDef) -> list[Any]:
    """The leaves of a tree at the places of the leaves of updates."""
    found, structure = flatten(tree)
    if structure == treedef:
        return found
    leaves = dict(flatten_with_paths(tree)[0])
    paths = [path for path, _ in flatten_with_paths(updates)[0]]
    for path in paths:
        if path not in leaves:
            known = ", ".join(place(p) for p in list(leaves)[:10]) or "none"
            raise ArgumentError(
                f"{what}: updates have a leaf at {place(path)}, where {name} have none; those of "
                f"{name} are at: {known}"
            )
    return [leaves[path] for path in paths]


def _real(what: str, name: str, leaf: Any, updates: Any, i: int) -> Tensor:
    if isinstance(leaf, Tensor):
        return leaf
    where = f"{name} at {_place_of(updates, i)}"
    x = as_handle(leaf, what, where)
    if not is_real(x.dtype):
        raise DTypeError(
            f"{what}: {where} has dtype {x.dtype}; what is optimised is real: put None in its "
            "place in the gradient, or differentiate with wrt=..."
        )
    return x  # type: ignore[return-value]  # real, so a Tensor
