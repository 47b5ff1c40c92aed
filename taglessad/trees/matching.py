"""Trees side by side: `match` one with the structure of another, `map` over several."""

from collections.abc import Callable
from typing import Any

from taglessad.errors import ArgumentError
from taglessad.trees.kinds import KEYED, Token, describe, kinds
from taglessad.trees.path import place
from taglessad.trees.treedef import TreeDef, flatten, token_paths, unflatten


def match(reference: TreeDef, tree: Any, *, name: str = "tree") -> list[Any]:
    """The leaves of a tree, in the reference's order.

    More lenient than equality of structures: a dict may have its keys in another order (its
    leaves are reordered by key), and static values may differ, but for the `aux` of a registered
    class.

    Raises ArgumentError with `name`, the first path that differs, and both sides.
    """
    leaves, treedef = flatten(tree)
    if treedef == reference:
        return leaves
    ordered: list[Any] = []
    stack: list[Any] = [tree]
    for path, want in zip(token_paths(reference.tokens), reference.tokens, strict=True):
        node = stack.pop()
        have, children = kinds[type(node)].take(node)
        if not _alike(want, have):
            raise ArgumentError(
                f"{name}: {place(path)}: expected {describe(want)}, got {describe(have, node)}"
            )
        if want is None:
            ordered.append(node)
        elif want[0] in KEYED:
            stack.extend([node[key] for key in reversed(want[2])])
        else:
            stack.extend(reversed(children))
    return ordered


def map(f: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """The tree of `f(leaf, *the leaves of the rest at the same place)`.

    The rest must match the first tree, as in `match`; static values are the first tree's.

    Raises ArgumentError with the first path that differs and both sides.
    """
    first, treedef = flatten(tree)
    others = [match(treedef, t, name=f"map: tree {i}") for i, t in enumerate(rest, start=2)]
    return unflatten(treedef, [f(*each) for each in zip(first, *others, strict=True)])


def _alike(want: Token, have: Token) -> bool:
    if want is None or have is None:
        return want is have
    if want[:2] != have[:2]:
        return False
    if want[0] in KEYED:
        return set(want[2]) == set(have[2])
    return want[2:] == have[2:] or not kinds[want[0]].binding
