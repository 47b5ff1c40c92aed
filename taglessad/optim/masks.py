"""Transformations of a part of the parameters only."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from taglessad.errors import ArgumentError
from taglessad.optim.leaves import own, place, renewed
from taglessad.optim.transformation import GradientTransformation, set_to_zero
from taglessad.trees import flatten_with_paths, unflatten
from taglessad.trees.announced import announce

P = TypeVar("P")
Mask: TypeAlias = Any | Callable[[Any], Any]
"""A tree of Python bools at the paths of params, where one bool may stand for a whole subtree and a
dict or a tuple for any container; or a function of params that gives one."""


@announce
@dataclass(frozen=True)
class MaskedState:
    """The state of the transformation inside."""

    inner_state: Any


def masked(inner: GradientTransformation, mask: Mask) -> GradientTransformation:
    """`inner` where the mask is True; updates as they come where it is False.

    Raises ArgumentError where the mask says nothing of a leaf, or is no tree of bools.
    """

    def init(params: Any) -> MaskedState:
        return MaskedState(inner.init(_part(params, _mask(mask, params))))

    def update(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        chosen = _mask(mask, updates if params is None else params)
        inside = own("optim.masked", MaskedState, state).inner_state
        wanted = None if params is None else _part(params, chosen)
        part, new = inner.update(_part(updates, chosen), inside, wanted)
        return renewed(updates, part), MaskedState(new)

    return GradientTransformation(init, update)


def freeze(mask: Mask) -> GradientTransformation:
    """Zeros where the mask is True: put it last in a chain, and those parameters stay."""
    return masked(set_to_zero(), mask)


def _mask(mask: Mask, tree: Any) -> dict[tuple[Hashable, ...], bool]:
    """The bools of a mask by path."""
    found, _ = flatten_with_paths(mask(tree) if callable(mask) else mask)
    for path, flag in found:
        if not isinstance(flag, bool):
            raise ArgumentError(
                f"optim.masked: the mask at {place(path)} is {flag!r}; it is a tree of True and "
                "False"
            )
    return dict(found)


def _part(tree: P, mask: dict[tuple[Hashable, ...], bool]) -> P:
    """The tree with None in place of the leaves at which the mask is False."""
    found, treedef = flatten_with_paths(tree)
    kept = [leaf if _holds(mask, path) else None for path, leaf in found]
    part: P = unflatten(treedef, kept)
    return part


def _holds(mask: dict[tuple[Hashable, ...], bool], path: tuple[Hashable, ...]) -> bool:
    for end in range(len(path) + 1):
        if path[:end] in mask:
            return mask[path[:end]]
    raise ArgumentError(f"optim.masked: the mask says nothing of {place(path)}")
