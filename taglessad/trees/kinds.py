"""How the instances of each class come apart, and how they are put together again.

A class is of one *kind*: a container (its instances have children, and values known statically),
static (its instances are known by value and never leaves), or a leaf. Which, is asked once per
class, in the order of `_classify`.
"""

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum
from math import copysign
from operator import attrgetter
from types import EllipsisType, NoneType
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np

from taglessad.errors import ArgumentError

# `Any` in this package: leaves and static values are opaque, and a container is whatever its
# class says; nothing is done with them but to hand them on.
T = TypeVar("T")

Token: TypeAlias = tuple[type[Any], int, tuple[Any, ...], tuple[object, ...]] | None
"""One node of a tree, in a TreeDef: None is a leaf; otherwise the class, the number of children,
the static values, and the tags of the static values (see `tags`)."""


class Static:
    """Stands for the class of every static value in a token."""


class _NegativeZero:
    """Stands for float in the tag of -0.0."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """What is done with the instances of one class.

    `take(node)` gives its token and its children; `make(static, children)` is the inverse;
    `steps(static, arity)` names the children, in order: a str is an attribute or a string key,
    an int a position or an integer key. `binding`: whether two nodes whose static values differ
    have different structures for `match` as well.
    """

    take: Callable[[Any], tuple[Token, Sequence[Any]]]
    make: Callable[[tuple[Any, ...], Sequence[Any]], Any]
    steps: Callable[[tuple[Any, ...], int], Sequence[Hashable]]
    binding: bool = False


def _positions(_static: tuple[Any, ...], arity: int) -> Sequence[Hashable]:
    return range(arity)


def _keys(static: tuple[Any, ...], _arity: int) -> Sequence[Hashable]:
    return static


KEYED: Final = (dict, OrderedDict)
"""Classes whose static values are their keys."""

_COMPOUND: Final = frozenset((float, tuple))


def _tag(value: Any, cls: type[Any]) -> object:
    if cls is tuple:
        return (cls, *tags(value))
    negative_zero = cls is float and value == 0.0 and copysign(1.0, value) < 0.0
    return _NegativeZero if negative_zero else cls


def tags(values: tuple[Any, ...]) -> tuple[object, ...]:
    """What `==` overlooks in static values: 1, 1.0 and True are equal, 0.0 and -0.0 too."""
    classes = tuple(map(type, values))
    return classes if _COMPOUND.isdisjoint(classes) else tuple(map(_tag, values, classes))


def _never_made(_static: tuple[Any, ...], _children: Sequence[Any]) -> Any:
    raise ArgumentError("unflatten: the structure has a class that is not registered here")


LEAF: Final = Kind(lambda _: (None, ()), _never_made, _positions)
_STATIC: Final = Kind(
    lambda value: ((Static, 0, (value,), tags((value,))), ()),
    lambda static, _: static[0],
    _positions,
)
_NONE: Final = Kind(
    lambda _: ((NoneType, 0, (), ()), ()), lambda _static, _children: None, _positions
)
TUPLE: Final = Kind(
    lambda node: ((tuple, len(node), (), ()), node),
    lambda _, children: tuple(children),
    _positions,
)
_LIST: Final = Kind(
    lambda node: ((list, len(node), (), ()), node),
    lambda _, children: list(children),
    _positions,
)


def _dict_kind(cls: type[Any]) -> Kind:
    def take(node: Any) -> tuple[Token, Sequence[Any]]:
        keys = tuple(node)
        return (cls, len(keys), keys, tags(keys)), tuple(node.values())

    return Kind(take, lambda keys, children: cls(zip(keys, children, strict=True)), _keys, True)


def _namedtuple_kind(cls: type[Any]) -> Kind:
    names: tuple[str, ...] = cls._fields
    token: Token = (cls, len(names), (), ())
    return Kind(
        lambda node: (token, node),
        lambda _, children: cls._make(children),
        lambda _static, _arity: names,
    )


def _attributes(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """The values of the named attributes, as a tuple, in C where attrgetter can."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple([getattr(node, name) for name in names])


# Bound once: these run for every field of every dataclass rebuilt.
_new: Final = object.__new__
_assign: Final = object.__setattr__


def _dataclass_kind(cls: type[Any]) -> Kind:
    fields = dataclasses.fields(cls)
    fixed = tuple(f.name for f in fields if f.metadata.get("static", False))
    names = tuple(f.name for f in fields if f.name not in fixed)
    get_children, get_static = _attributes(names), _attributes(fixed)
    bare: Token = (cls, len(names), (), ())

    def take(node: Any) -> tuple[Token, Sequence[Any]]:
        try:
            children = get_children(node)
            if not fixed:
                return bare, children
            static = get_static(node)
        except AttributeError as error:
            raise ArgumentError(f"a field of {cls.__qualname__} has no value: {error}") from None
        return (cls, len(names), static, tags(static)), children

    # In the order of the fields, so that vars() reads as before: name, and where its value stands.
    order = tuple([(f.name, (*names, *fixed).index(f.name)) for f in fields])

    def make(static: tuple[Any, ...], children: Sequence[Any]) -> Any:
        try:
            node = _new(cls)
        except TypeError as error:
            raise ArgumentError(f"unflatten: {cls.__qualname__}: {error}; {_advice(cls)}") from None
        values = (*children, *static) if fixed else children
        for name, i in order:
            _assign(node, name, values[i])
        return node

    return Kind(take, make, lambda _static, _arity: names)


def _advice(cls: type[Any]) -> str:
    return f"say how it comes apart with register({cls.__qualname__}, flatten, unflatten)"


def _refused(cls: type[Any], base: str) -> Kind:
    def take(_: Any) -> tuple[Token, Sequence[Any]]:
        raise ArgumentError(
            f"{cls.__module__}.{cls.__qualname__} is a subclass of {base}, and what it "
            f"has beyond its items would be lost; {_advice(cls)}"
        )

    return Kind(take, _never_made, _positions)


def _classify(cls: type[Any]) -> Kind:
    if issubclass(cls, (str, bytes, EllipsisType, Enum, type, np.dtype)):
        return _STATIC
    base = next((b for b in (tuple, list, dict) if b in cls.__mro__), None)
    if base is not None:
        named = base is tuple and hasattr(cls, "_fields") and hasattr(cls, "_make")
        return _namedtuple_kind(cls) if named else _refused(cls, base.__name__)
    if dataclasses.is_dataclass(cls):
        return _dataclass_kind(cls)
    # Functions, methods, partials, ufuncs, and objects with a __call__ of their own.
    return _STATIC if any("__call__" in vars(b) for b in cls.__mro__) else LEAF


# The registry: which classes are containers by name. It is filled at import time, by `register`
# (built-in containers stand in it from the start), under the lock.
_registry: Final[dict[type[Any], Kind]] = {
    NoneType: _NONE,
    tuple: TUPLE,
    list: _LIST,
    dict: _dict_kind(dict),
    OrderedDict: _dict_kind(OrderedDict),
    Static: _STATIC,
}
_lock: Final = threading.RLock()  # reentrant: a metaclass may flatten while it is asked


class _Kinds(dict[type[Any], Kind]):
    """The kinds asked for so far: the registry, and what `_classify` found.

    Bounded, so that classes made in a loop do not stay alive for ever. Read without the lock,
    changed under it.
    """

    def __missing__(self, cls: type[Any]) -> Kind:
        with _lock:
            kind = _registry.get(cls) or _classify(cls)
            if len(self) >= _MOST_KNOWN:
                self.clear()
                leaf_classes.clear()
            self[cls] = kind
            if kind is LEAF:
                leaf_classes.add(cls)
        return kind


_MOST_KNOWN: Final = 4096
kinds: Final = _Kinds(_registry)
leaf_classes: Final[set[type[Any]]] = set()
"""The classes among the keys of `kinds` whose kind is LEAF: one question answers for most nodes."""


def describe(token: Token, node: Any = None) -> str:
    """What a node is, for messages; `node` tells the class of a leaf."""
    if token is None:
        return "a leaf" if node is None else f"a leaf ({type(node).__qualname__})"
    cls, arity, static, _ = token
    if cls is NoneType:
        return "None"
    if cls is Static:
        return f"the static value {static[0]!r}"
    if cls in KEYED:
        return f"{cls.__name__} with the keys {list(static)}"
    aux = f" with aux {static[0]!r}" if kinds[cls].binding else ""
    return f"{cls.__qualname__} of {arity}{aux}"


def register(
    cls: type[T],
    flatten: Callable[[T], tuple[Iterable[Any], Hashable]],
    unflatten: Callable[[Any, Sequence[Any]], T],
) -> None:
    """Make instances of exactly `cls` containers: `unflatten(aux, children)` undoes `flatten`.

    `flatten(node)` gives the children and a hashable `aux`, which is known by value: two trees
    have the same structure only where it is equal. No children and all in `aux` makes a static
    value. The registry belongs to the process: call it once per class, at import, where the
    class is defined.

    Raises ArgumentError where `cls` is registered or a built-in container.
    """

    def take(node: Any) -> tuple[Token, Sequence[Any]]:
        found, aux = flatten(node)
        children, static = tuple(found), (aux,)
        return (cls, len(children), static, tags(static)), children

    with _lock:
        if cls in _registry:
            raise ArgumentError(
                f"register: {cls.__qualname__} is a container already; a class is registered once"
            )
        kind = Kind(take, lambda static, children: unflatten(static[0], children), _positions, True)
        _registry[cls] = kinds[cls] = kind
        leaf_classes.discard(cls)
