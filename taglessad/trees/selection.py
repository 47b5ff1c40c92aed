"""Parts of a tree by path: look at them, put others in their place."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from taglessad.errors import ArgumentError
from taglessad.trees.kinds import describe, kinds
from taglessad.trees.path import Path, parse_path, path_string

_MOST_LISTED: Final = 20


class _Level(NamedTuple):
    """One container on the way down, and which of its children is meant."""

    cls: type[Any]
    static: tuple[Any, ...]
    children: Sequence[Any]
    steps: Sequence[Hashable]
    at: int


def select(
    named: Mapping[str, Any], paths: Sequence[str], *, caller: str = "select"
) -> dict[str, Any]:
    """The subtrees that paths such as "x", "model.head.w", "model.heads[1]" name, by path.

    Dots go through attributes and string keys, brackets through positions and integer keys;
    a negative position counts from the end. Static dataclass fields cannot be named.

    Raises ArgumentError, beginning with `caller`, where there are no paths, one is malformed,
    one names nothing (the message lists what exists there), two name the same subtree, or one
    lies inside another.
    """
    if isinstance(paths, str) or not paths:
        raise ArgumentError(f"{caller}: wrt is {paths!r}: give a list of one or more paths")
    root = dict(named)
    found: dict[str, Any] = {}
    names: dict[Path, str] = {}
    for text in paths:
        levels = _descend(root, _parse(text, caller), caller)
        path = tuple([level.steps[level.at] for level in levels])
        if path in names:
            again = "" if names[path] == text else f", the second time as {text!r}"
            raise ArgumentError(f"{caller}: wrt names {names[path]!r} twice{again}")
        names[path] = text
        found[text] = levels[-1].children[levels[-1].at]
    for path, text in names.items():
        for end in range(1, len(path)):
            if path[:end] in names:
                raise ArgumentError(
                    f"{caller}: wrt names {text!r}, which lies inside {names[path[:end]]!r}: "
                    "name one of the two"
                )
    return found


def replace(tree: Any, path: str | Path, new_subtree: Any) -> Any:
    """The tree with another subtree at the path; the given tree stays as it is.

    `path` is a text as in `select` or a `Path`; the containers on the way are rebuilt, the rest
    is shared. Raises ArgumentError where the path is malformed or names nothing.
    """
    steps = _parse(path, "replace") if isinstance(path, str) else path
    for level in reversed(_descend(tree, steps, "replace")):
        children = list(level.children)
        children[level.at] = new_subtree
        new_subtree = kinds[level.cls].make(level.static, children)
    return new_subtree


def _parse(text: str, caller: str) -> Path:
    try:
        return parse_path(text)
    except ArgumentError as error:
        raise ArgumentError(f"{caller}: {error.message}") from None


def _descend(tree: Any, path: Path, caller: str) -> list[_Level]:
    levels: list[_Level] = []
    for step in path:
        token, children = kinds[type(tree)].take(tree)
        here = _text(path[: len(levels)])
        if token is None or not children:
            raise ArgumentError(
                f"{caller}: {_text(path)!r}: {here or 'the tree'} is {describe(token, tree)}, "
                "nothing lies inside it"
            )
        cls, arity, static, _ = token
        steps = kinds[cls].steps(static, arity)
        at = _position(cls, steps, step)
        if at is None:
            there = f"{here} has" if here else "what exists is"
            raise ArgumentError(
                f"{caller}: {_text(path)!r}: no {_text((step,))}; {there}: {_listing(steps)}"
            )
        levels.append(_Level(cls, static, children, steps, at))
        tree = children[at]
    return levels


def _position(cls: type[Any], steps: Sequence[Hashable], step: Hashable) -> int | None:
    if isinstance(step, int) and (isinstance(steps, range) or issubclass(cls, tuple)):
        at = step + len(steps) if step < 0 else step
        return at if 0 <= at < len(steps) else None
    return steps.index(step) if step in steps else None


def _text(path: Path) -> str:
    return path_string(path).removeprefix(".")


def _listing(steps: Sequence[Hashable]) -> str:
    if isinstance(steps, range) and len(steps) > 1:
        return f"[0] to [{len(steps) - 1}]"
    more = ", ..." if len(steps) > _MOST_LISTED else ""
    return ", ".join([_text((step,)) for step in steps[:_MOST_LISTED]]) + more
