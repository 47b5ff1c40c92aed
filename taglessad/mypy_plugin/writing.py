"""Shapes and specs as mypy's types."""

from collections.abc import Callable, Sequence
from typing import Final

from mypy.nodes import ARG_POS, SymbolTableNode, TypeInfo
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    LiteralType,
    NoneType,
    TupleType,
    Type,
    TypedDictType,
    TypeOfAny,
    TypeVarTupleType,
    UnpackType,
    get_proper_type,
)

from taglessad.dims import ANY_RANK, Atom, Extent, ShapeLike, Star, Symbol, Unknown
from taglessad.mypy_plugin.names import (
    ADD,
    ANY_TENSOR,
    BOOL_TENSOR,
    DIV,
    INT_TENSOR,
    MUL,
    SIZE,
    TENSOR,
)
from taglessad.mypy_plugin.reading import SYMBOLS, spec_from
from taglessad.mypy_plugin.specs import (
    Array,
    Arrow,
    Keyed,
    Kind,
    Known,
    Record,
    Several,
    SizeOf,
    Spec,
)

CLASS_OF: Final[dict[Kind, str]] = {
    "real": TENSOR,
    "int": INT_TENSOR,
    "bool": BOOL_TENSOR,
    "key": INT_TENSOR,
    "any": ANY_TENSOR,
}


class Inexpressible(Exception):
    """A value that has no type here."""


class Writer:
    """Builds types. `lookup` finds a symbol by its full name in the modules of the build.

    The checker's own way to a class walks a package's attributes, and asserts on submodules.
    """

    def __init__(self, lookup: Callable[[str], SymbolTableNode | None]) -> None:
        self._lookup = lookup
        self._classes: dict[str, TypeInfo] = {}
        self._literals: dict[int, Type] = {}

    def forget(self) -> None:
        """Forget the classes found: another build has others."""
        self._classes.clear()
        self._literals.clear()

    def instance(self, fullname: str, args: Sequence[Type] = ()) -> Instance:
        """The class of that name, with arguments. Raises Inexpressible where it is not known."""
        info = self._classes.get(fullname)
        if info is None:
            found = self._lookup(fullname)
            if found is None or not isinstance(found.node, TypeInfo):
                raise Inexpressible(fullname)
            info = self._classes[fullname] = found.node
        return Instance(info, list(args))

    def anything(self) -> AnyType:
        """Any, said on purpose."""
        return AnyType(TypeOfAny.special_form)

    def literal(self, n: int) -> Type:
        """Literal[n]."""
        found = self._literals.get(n)
        if found is None:
            found = self._literals[n] = LiteralType(n, self.instance("builtins.int"))
        return found

    def literal_of(self, value: bool | int | str) -> Type:
        """Literal[value]."""
        return LiteralType(value, self.instance(f"builtins.{type(value).__name__}"))

    def size(self, n: Extent) -> Type:
        """A size as it stands in a shape, in canonical form."""
        if isinstance(n, int):
            return self.literal(n)
        if isinstance(n, Unknown):
            return self.anything()
        try:
            if len(n.terms) == 1:
                return self._term(*n.terms[0])
            return self._folded(ADD, [self._term(m, c) for m, c in n.terms])
        except Inexpressible:
            return self.anything()

    def _term(self, monomial: tuple[Atom, ...], c: int) -> Type:
        if c == 1 and len(monomial) == 1:
            return self._atom(monomial[0])
        factors = [self._atom(a) for a in monomial]
        if c != 1 or not factors:
            factors.insert(0, self.literal(c))
        return self._folded(MUL, factors)

    def _atom(self, atom: Atom) -> Type:
        if isinstance(atom, Symbol):
            found = SYMBOLS.get(atom.key)
            if found is None or isinstance(found, TypeVarTupleType):
                raise Inexpressible(atom.name)
            return found
        return self.instance(DIV, [self.size(atom.numerator), self.size(atom.denominator)])

    def _folded(self, cls: str, parts: Sequence[Type]) -> Type:
        out = parts[0]
        for part in parts[1:]:
            out = self.instance(cls, [out, part])
        return out

    def sizes(self, shape: ShapeLike) -> list[Type]:
        """The arguments of a tensor type."""
        out: list[Type] = []
        for n in shape:
            if not isinstance(n, Star):
                out.append(self.size(n))
            elif n == ANY_RANK:
                out.append(UnpackType(self.instance("builtins.tuple", [self.anything()])))
            else:
                found = SYMBOLS.get(n.key)
                if found is None:
                    raise Inexpressible(n.name)
                out.append(UnpackType(found))
        return out

    def tensor(self, spec: Array) -> Instance:
        """A tensor type."""
        return self.instance(CLASS_OF[spec.kind], self.sizes(spec.shape))

    def sized_int(self, n: Extent) -> Type:
        """An int that is this size."""
        return self.instance(SIZE, [self.size(n)])

    def tuple_of(self, items: Sequence[Type]) -> TupleType:
        """A tuple of these."""
        return TupleType(list(items), self.instance("builtins.tuple", [self.anything()]))

    def type_of(self, spec: Spec, declared: Type | None = None) -> Type:
        """The type of a value; what a spec does not say is taken from the declared type.

        Raises Inexpressible where neither says it.
        """
        p = get_proper_type(declared)
        if isinstance(spec, Array):
            kind = spec.kind
            if kind == "any" and isinstance(p, Instance) and p.type.fullname in CLASS_OF.values():
                return self.instance(p.type.fullname, self.sizes(spec.shape))
            return self.tensor(spec)
        if isinstance(spec, Known):
            return self._known(spec, declared)
        if isinstance(spec, SizeOf):
            return self.sized_int(spec.size)
        if isinstance(spec, Several):
            return self._several(spec, declared)
        if isinstance(spec, Keyed):
            items = {k: self.type_of(i) for k, i in zip(spec.keys, spec.items, strict=True)}
            fallback = self.instance("typing._TypedDict")
            return TypedDictType(items, set(spec.keys), set(), fallback)
        if isinstance(spec, Record):
            return self._record(spec)
        if isinstance(spec, Arrow):
            *arguments, result = [self.type_of(i) for i in spec.items]
            return CallableType(
                arguments,
                [ARG_POS] * len(arguments),
                [None] * len(arguments),
                result,
                self.instance("builtins.function"),
                name=spec.name,
            )
        if declared is not None:
            return declared
        raise Inexpressible(type(spec).__name__)

    def _known(self, spec: Known, declared: Type | None) -> Type:
        if spec.value is None:
            return NoneType()
        if declared is not None:
            return declared
        name = spec.tag if spec.tag in ("bool", "int", "float", "str") else "object"
        return self.instance(f"builtins.{name}")

    def _several(self, spec: Several, declared: Type | None) -> Type:
        p = get_proper_type(declared)
        if spec.cls == "list":
            items = [self.type_of(i) for i in spec.items]
            if items and all(i == items[0] for i in items):
                return self.instance("builtins.list", [items[0]])
            if declared is not None:
                return declared
            return self.instance("builtins.list", [self.anything()])
        if isinstance(p, TupleType) and len(p.items) == len(spec.items):
            items = [self.type_of(i, d) for i, d in zip(spec.items, p.items, strict=True)]
            return p.copy_modified(items=items)
        return self.tuple_of([self.type_of(i) for i in spec.items])

    def _record(self, spec: Record) -> Type:
        mold = spec.mold
        if isinstance(mold, TupleType):
            items = [self.type_of(i, d) for i, d in zip(spec.items, mold.items, strict=True)]
            return mold.copy_modified(items=items)
        if not isinstance(mold, Instance) or spec_from(mold) != spec:
            raise Inexpressible(str(mold))  # its fields have other shapes than the class says
        return mold
