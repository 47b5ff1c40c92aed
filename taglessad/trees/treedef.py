"""TreeDef, the structure of a tree, and what takes a tree apart and puts it together again."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import NoneType
from typing import Any, Final, final

from taglessad.errors import ArgumentError
from taglessad.trees.cycles import SUSPECT, refuse_cycles
from taglessad.trees.kinds import KEYED, TUPLE, Static, Token, kinds, leaf_classes, tags
from taglessad.trees.path import Path, place


@final
class TreeDef:
    """The structure of a tree: everything but its leaves. Immutable and hashable.

    Equal structures have the same classes, the same dict keys in the same order, and the same
    static values, told apart by type as well: 1, 1.0 and True differ, 0.0 and -0.0 too.
    Hashing and comparing raise ArgumentError where a static value is not hashable.
    """

    # The nodes in preorder, not a nest of nodes: hashing, comparing and pickling then run over
    # one flat tuple, in C, at any depth.
    __slots__ = ("_hash", "_num_leaves", "_tokens")

    def __init__(self, tokens: tuple[Token, ...], num_leaves: int) -> None:
        self._tokens = tokens
        self._num_leaves = num_leaves
        self._hash: int | None = None

    @property
    def num_leaves(self) -> int:
        """How many leaves a tree of this structure has."""
        return self._num_leaves

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The nodes in preorder, equal exactly where the structures are."""
        return self._tokens

    def __hash__(self) -> int:
        if self._hash is None:
            try:
                self._hash = hash(self._tokens)
            except TypeError:
                raise ArgumentError(_not_hashable(self._tokens)) from None
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeDef):
            return NotImplemented
        return self is other or (hash(self) == hash(other) and self._tokens == other._tokens)

    def __repr__(self) -> str:
        return str(_fold(self._tokens, ["*"] * self._num_leaves, _show))

    def __reduce__(self) -> tuple[Callable[..., "TreeDef"], tuple[Any, ...]]:
        # Tags are made anew: the class of a function cannot be pickled, the function can.
        return _restore, (tuple([token and token[:3] for token in self._tokens]),)

    def __copy__(self) -> "TreeDef":
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> "TreeDef":
        return self


_FLAT: Final = tuple([TreeDef(((tuple, n, (), ()), *[None] * n), n) for n in range(16)])
"""The structures of flat tuples, by length: ready, and hashed once."""


_LEAF: Final = TreeDef((None,), 1)
"""The structure of a leaf."""


def _restore(tokens: tuple[tuple[type[Any], int, tuple[Any, ...]] | None, ...]) -> TreeDef:
    return TreeDef(tuple([t and (*t, tags(t[2])) for t in tokens]), tokens.count(None))


def _not_hashable(tokens: tuple[Token, ...]) -> str:
    nodes = zip(token_paths(tokens), tokens, strict=True)
    statics = ((path, value) for path, token in nodes if token for value in token[2])
    path, value = next((path, value) for path, value in statics if not _is_hashable(value))
    return (
        f"{place(path)}: a static value must be hashable, but a {type(value).__qualname__} is not: "
        "write a tuple, or let it be a leaf"
    )


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def flatten(tree: Any) -> tuple[list[Any], TreeDef]:
    """The leaves of a tree from left to right, and its structure.

    Raises ArgumentError where a node is of a class that only `register` could explain, where a
    dataclass field has no value, and where the tree contains itself.
    """
    if type(tree) in leaf_classes:
        return [tree], _LEAF
    if kinds[type(tree)] is TUPLE:  # the arguments of most calls: a flat tuple of leaves
        for node in tree:
            if type(node) not in leaf_classes:
                break
        else:
            if len(tree) < len(_FLAT):
                return list(tree), _FLAT[len(tree)]
    leaves: list[Any] = []
    tokens: list[Token] = []
    above: list[Iterator[Any]] = []
    rest = iter((tree,))
    limit = SUSPECT
    while True:
        for node in rest:
            if type(node) in leaf_classes:
                leaves.append(node)
                tokens.append(None)
                continue
            try:
                token, children = kinds[type(node)].take(node)
            except ArgumentError as error:
                *_, path = token_paths(tokens)
                raise ArgumentError(f"flatten: {place(path)}: {error.message}") from None
            tokens.append(token)
            if token is None:
                leaves.append(node)
            elif children:
                above.append(rest)
                rest = iter(children)
                break
        else:
            if not above:
                return leaves, TreeDef(tuple(tokens), len(leaves))
            rest = above.pop()
            continue
        if len(tokens) > limit:
            refuse_cycles(tree)
            limit = sys.maxsize


def unflatten(treedef: TreeDef, leaves: Iterable[Any]) -> Any:
    """The tree of that structure with these leaves; undoes `flatten`.

    A dataclass is rebuilt without `__init__` and `__post_init__`.
    Raises ArgumentError where the number of leaves is not `treedef.num_leaves`.
    """
    pending = list(leaves)
    if len(pending) != treedef.num_leaves:
        shown = repr(treedef)
        shown = shown if len(shown) <= 200 else f"{shown[:200]}..."
        raise ArgumentError(
            f"unflatten: expected {treedef.num_leaves} leaves, for {shown}, got {len(pending)}"
        )
    return pending[0] if treedef is _LEAF else _fold(treedef.tokens, pending, _make)


def leaves(tree: Any) -> list[Any]:
    """The leaves of a tree from left to right; errors as in `flatten`."""
    return flatten(tree)[0]


def structure(tree: Any) -> TreeDef:
    """The structure of a tree; errors as in `flatten`."""
    return flatten(tree)[1]


def flatten_with_paths(tree: Any) -> tuple[list[tuple[Path, Any]], TreeDef]:
    """As `flatten`, each leaf with its path."""
    found, treedef = flatten(tree)
    tokens = treedef.tokens
    places = [p for p, t in zip(token_paths(tokens), tokens, strict=True) if t is None]
    return list(zip(places, found, strict=True)), treedef


def token_paths(tokens: Sequence[Token]) -> Iterator[Path]:
    """The path of each token, and of the node to come next where the tree is not whole."""
    pending: list[Path] = [()]
    for token in tokens:
        path = pending.pop()
        yield path
        if token is not None:
            steps = kinds[token[0]].steps(token[2], token[1])
            pending.extend([(*path, step) for step in reversed(steps)])
    if pending:
        yield pending.pop()


def _fold(tokens: tuple[Token, ...], pending: list[Any], build: Callable[..., Any]) -> Any:
    """Build bottom up, from the last token to the first, using up the pending leaves."""
    stack: list[Any] = []
    for token in reversed(tokens):
        if token is None:
            stack.append(pending.pop())
            continue
        cls, arity, static, _ = token
        children: Sequence[Any] = ()
        if arity:
            children = stack[: -arity - 1 : -1]
            del stack[-arity:]
        stack.append(build(cls, static, children))
    return stack[0]


def _make(cls: type[Any], static: tuple[Any, ...], children: Sequence[Any]) -> Any:
    return kinds[cls].make(static, children)


def _show(cls: type[Any], static: tuple[Any, ...], parts: Sequence[str]) -> str:
    if cls is NoneType:
        return "None"
    if cls is Static:
        return getattr(static[0], "__qualname__", None) or repr(static[0])
    if cls is tuple:
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    if cls is list:
        return f"[{', '.join(parts)}]"
    if cls in KEYED:
        items = ", ".join([f"{k!r}: {part}" for k, part in zip(static, parts, strict=True)])
        return f"{{{items}}}" if cls is dict else f"{cls.__qualname__}({{{items}}})"
    steps = kinds[cls].steps(static, len(parts))
    if not isinstance(steps, range):
        parts = [f"{step}={part}" for step, part in zip(steps, parts, strict=True)]
    return f"{cls.__qualname__}({', '.join(parts)})"
