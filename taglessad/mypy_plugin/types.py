"""Questions about mypy's types, and types with the shapes left out."""

from collections.abc import Collection, Sequence
from typing import Final

from mypy.nodes import TypeInfo
from mypy.type_visitor import TypeQuery, TypeTranslator
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    LiteralType,
    TupleType,
    Type,
    TypeAliasType,
    TypeOfAny,
    TypeVarType,
    UnionType,
    UnpackType,
    get_proper_type,
)

from taglessad.mypy_plugin.names import EXPRESSIONS, TENSORS
from taglessad.mypy_plugin.reading import size_from
from taglessad.mypy_plugin.writing import Inexpressible, Writer

ARRAY_LIKES: Final = ("builtins.float", "builtins.list", "builtins.tuple", "numpy.ndarray")
"""What stands for a tensor beside tensors, at run time and to the plugin."""


class _Mentions(TypeQuery[bool]):
    """Whether a type has one of some classes in it."""

    # TypeQuery, not BoolTypeQuery: an interpreted class cannot inherit from a compiled one, but
    # for those that allow it.
    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self._names = names

    def strategy(self, items: list[bool]) -> bool:
        return any(items)

    def visit_instance(self, t: Instance, /) -> bool:
        return t.type.fullname in self._names or super().visit_instance(t)

    def visit_type_var(self, t: TypeVarType, /) -> bool:
        return self.query_types([t.upper_bound, *t.values])


def mentions(t: Type | None, names: Collection[str]) -> bool:
    """Whether a type has one of the named classes in it."""
    if isinstance(t, Instance):  # the visitor's answer, without the visitor
        return t.type.fullname in names or any([mentions(a, names) for a in t.args])
    if t is None or isinstance(t, (LiteralType, AnyType)):
        return False
    return bool(t.accept(_Mentions(names)))


class Canonical(TypeTranslator):
    """A type with the arithmetic of its sizes in canonical form."""

    def __init__(self, writer: Writer) -> None:
        super().__init__()
        self._writer = writer

    def visit_instance(self, t: Instance, /) -> Type:
        if t.type.fullname in EXPRESSIONS:
            return self._writer.size(size_from(t))
        return super().visit_instance(t)

    def visit_type_alias_type(self, t: TypeAliasType, /) -> Type:
        return t if t.is_recursive else get_proper_type(t).accept(self)


def canonical(t: Type, writer: Writer) -> Type:
    """The type with the arithmetic of its sizes in canonical form, if it has any."""
    return t.accept(Canonical(writer)) if mentions(t, EXPRESSIONS) else t


def unknown_arguments(info: TypeInfo, writer: Writer) -> Instance:
    """A tensor of that class of which no shape is known."""
    return Instance(info, [UnpackType(writer.instance("builtins.tuple", [writer.anything()]))])


def without_shapes(t: Type, writer: Writer, admitted: Sequence[Type] = ()) -> Type:
    """The type with every tensor in it of unknown shape.

    `admitted` may stand wherever a tensor may.
    """
    p = get_proper_type(t)
    if isinstance(p, TypeVarType) and mentions(p, TENSORS):
        bounds = p.values or [p.upper_bound]
        return without_shapes(UnionType.make_union(bounds), writer, admitted)
    if isinstance(p, UnionType):
        return UnionType.make_union([without_shapes(i, writer, admitted) for i in p.items])
    if isinstance(p, TupleType):
        return p.copy_modified(items=[without_shapes(i, writer, admitted) for i in p.items])
    if isinstance(p, UnpackType | CallableType) or not isinstance(p, Instance):
        return t
    if p.type.fullname in TENSORS:
        bare = unknown_arguments(p.type, writer)
        return UnionType.make_union([bare, *admitted]) if admitted else bare
    if p.args and mentions(p, TENSORS):
        return p.copy_modified(args=[without_shapes(a, writer, admitted) for a in p.args])
    return t


def array_likes(writer: Writer) -> list[Type]:
    """The types that stand for a tensor beside tensors."""
    out: list[Type] = []
    for name in ARRAY_LIKES:
        arity = {"builtins.float": 0, "numpy.ndarray": 2}.get(name, 1)
        try:
            out.append(writer.instance(name, [AnyType(TypeOfAny.special_form)] * arity))
        except Inexpressible:
            continue
    return out
