"""Trees that contain themselves, which have no end: found and refused."""

from collections.abc import Hashable
from typing import Any, Final

from taglessad.errors import ArgumentError
from taglessad.trees.kinds import kinds
from taglessad.trees.path import path_string

SUSPECT: Final = 100_000
"""After so many nodes a walk asks, once, whether the tree has an end."""

_DEEPEST: Final = 100_000
# A class that makes new children each time it is asked need not ever meet itself again.


def refuse_cycles(tree: Any) -> None:
    """Raise ArgumentError where a node is its own descendant, or depth has no end in sight."""
    trail: list[tuple[Any, Hashable]] = []  # from the root to the node at hand
    above: set[int] = set()  # ids of its ancestors; the trail keeps them alive
    stack: list[tuple[Any, Hashable, int]] = [(tree, "", 0)]
    while stack:
        node, step, depth = stack.pop()
        above.difference_update([id(left) for left, _ in trail[depth:]])
        trail[depth:] = [(node, step)]
        token, children = kinds[type(node)].take(node)
        if token is None or not children:
            continue
        if id(node) in above or depth > _DEEPEST:
            path = path_string([step for _, step in trail[1:]])
            fault = "contains itself" if id(node) in above else f"is over {_DEEPEST} levels deep"
            shown = path if len(path) <= 80 else f"{path[:80]}..."
            raise ArgumentError(
                f"flatten: the tree {fault}: the {type(node).__qualname__} at {shown}; "
                "a tree is finite, hand over its parts instead"
            )
        above.add(id(node))
        steps = kinds[token[0]].steps(token[2], token[1])
        stack.extend([(c, s, depth + 1) for c, s in zip(children, steps, strict=True)])
