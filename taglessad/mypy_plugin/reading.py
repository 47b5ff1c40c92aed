"""mypy's types as shapes and specs."""

import collections
import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from mypy.expandtype import expand_type_by_instance
from mypy.maptype import map_instance_to_supertype
from mypy.nodes import TypeInfo, Var
from mypy.types import (
    CallableType,
    Instance,
    LiteralType,
    NoneType,
    TupleType,
    Type,
    TypedDictType,
    TypeType,
    TypeVarTupleType,
    TypeVarType,
    UnionType,
    UnpackType,
    get_proper_type,
)

from taglessad.dims import ANY_RANK, UNKNOWN, Extent, ShapeLike, Star, Symbol, symbol
from taglessad.mypy_plugin.names import (
    BOOL_TENSOR,
    EXPRESSIONS,
    INT_TENSOR,
    SIZE,
    TENSOR,
    TENSORS,
)
from taglessad.mypy_plugin.specs import (
    NESTED,
    Array,
    Choice,
    Function,
    Keyed,
    Kind,
    Known,
    Number,
    Opaque,
    Record,
    Several,
    SizeOf,
    Spec,
)

SYMBOLS: Final[dict[str, Type]] = {}
"""mypy's type for each symbol and run met, by its key; the newest counts (the daemon remakes
types)."""

_READ: Final[dict[int, tuple[Type, Array]]] = {}
"""By the identity of a tensor type: the type, which is kept so that no other has it; what it says."""
_MOST_READ: Final = 4096

_KINDS: Final[Mapping[str, Kind]] = {TENSOR: "real", INT_TENSOR: "int", BOOL_TENSOR: "bool"}
_DEEPEST: Final = 8
_SEQUENCES: Final = (
    "builtins.list",
    "builtins.tuple",
    "typing.Sequence",
    "collections.abc.Sequence",
)


# --- sizes ---------------------------------------------------------------------------------------
def variable_key(t: TypeVarType | TypeVarTupleType) -> str:
    """The identity of a type variable: two with one name are two."""
    return f"{t.fullname}#{t.id.raw_id}#{t.id.namespace}"


def _named(key: str, name: str, t: Type) -> Extent:
    SYMBOLS[key] = t
    return symbol(Symbol(key, name))


def size_from(t: Type) -> Extent:
    """The size that a type in a shape stands for."""
    t = get_proper_type(t)
    if isinstance(t, LiteralType):
        whole = isinstance(t.value, int) and not isinstance(t.value, bool)
        return t.value if whole else UNKNOWN  # type: ignore[return-value]  # the value of a literal int
    if isinstance(t, TypeVarType):
        return _named(variable_key(t), t.name, t)
    if isinstance(t, Instance):
        name = t.type.fullname
        if name in EXPRESSIONS:
            return combined(name, size_from(t.args[0]), size_from(t.args[1]))
        if t.last_known_value is not None:
            return size_from(t.last_known_value)
        # A join of two sizes is `int` or `object`: nothing is known of it.
        if name in ("builtins.int", "builtins.object"):
            return UNKNOWN
        if name == SIZE:
            return size_from(t.args[0])
        return _named(name, t.type.name, t)
    return UNKNOWN


def combined(name: str, a: Extent, b: Extent) -> Extent:
    """Two sizes put together; `name` is one of Add, Sub, Mul, Div, with or without its module."""
    operation = name.rpartition(".")[2]
    if operation == "Add":
        return a + b
    if operation == "Sub":
        return a - b
    if operation == "Mul":
        return a * b
    return UNKNOWN if b == 0 else a // b


def run_from(t: TypeVarTupleType) -> Star:
    """A variadic variable as a run of axes."""
    key = variable_key(t)
    SYMBOLS[key] = t
    return Star(key, t.name)


# --- tensors -------------------------------------------------------------------------------------
def tensor_instance(t: Type | None) -> Instance | None:
    """The tensor type that a type is, or None; subclasses and bounded variables count."""
    p = get_proper_type(t)
    if isinstance(p, TypeVarType):
        p = get_proper_type(p.upper_bound)
    if not isinstance(p, Instance):
        return None
    if p.type.fullname in TENSORS:
        return p
    for base in p.type.mro:
        if base.fullname in TENSORS:
            return map_instance_to_supertype(p, base)
    return None


def shape_from(t: Type | None) -> ShapeLike | None:
    """The shape in a tensor's type, or None for what is no tensor."""
    instance = tensor_instance(t)
    return None if instance is None else _shape(instance)


def _shape(instance: Instance) -> ShapeLike:
    out: list[Extent | Star] = []
    runs = 0
    for arg in instance.args:
        p = get_proper_type(arg)
        if not isinstance(p, UnpackType):
            out.append(size_from(p))
            continue
        inner = get_proper_type(p.type)
        if isinstance(inner, TupleType):
            out.extend(map(size_from, inner.items))
        else:
            out.append(run_from(inner) if isinstance(inner, TypeVarTupleType) else ANY_RANK)
            runs += 1
    return tuple(out) if runs < 2 else (ANY_RANK,)


def kind_from(instance: Instance) -> Kind:
    """The kind of number of a tensor type."""
    return _KINDS.get(instance.type.fullname, "any")


# --- any value -----------------------------------------------------------------------------------
def spec_from(t: Type | None, depth: int = 0) -> Spec:
    """What a type says of a value."""
    p = get_proper_type(t)
    if p is None or depth > _DEEPEST:
        return Opaque("deep")
    known = _READ.get(id(p))
    if known is not None and known[0] is p:
        return known[1]
    instance = tensor_instance(p)
    if instance is not None:
        found = Array(_shape(instance), kind_from(instance))
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        _READ[id(p)] = (p, found)
        return found
    if isinstance(p, NoneType):
        return Known(None, "NoneType")
    if isinstance(p, LiteralType):
        if isinstance(p.value, bool | int | str) and not p.is_enum_literal():
            return Known(p.value, type(p.value).__name__)
        return Opaque("literal")
    if isinstance(p, TupleType):
        return _tuple_spec(p, depth)
    if isinstance(p, TypedDictType):
        keys = tuple(p.items)
        items = tuple(spec_from(item, depth + 1) for item in p.items.values())
        return _as_record(p, p.fallback.type, keys, items, "dict")
    if isinstance(p, UnionType):
        return _union_spec(p, depth)
    if isinstance(p, CallableType):
        return _size_class(p) or Opaque("callable")
    if isinstance(p, TypeType):
        item = get_proper_type(p.item)
        return SizeOf(size_from(item)) if isinstance(item, Instance) else Opaque("type")
    if isinstance(p, Instance):
        return _instance_spec(p, depth)
    return Opaque(type(p).__name__)


def _size_class(p: CallableType) -> Spec | None:
    """A named dimension given as a size."""
    if p.is_type_obj():
        made = get_proper_type(p.ret_type)
        if isinstance(made, Instance) and any(b.name == "Dim" for b in made.type.mro):
            return SizeOf(size_from(made))
    return None


def _instance_spec(p: Instance, depth: int) -> Spec:
    name = p.type.fullname
    if p.last_known_value is not None and not p.last_known_value.is_enum_literal():
        value = p.last_known_value.value
        return Known(value, type(value).__name__)
    if name == SIZE:
        return SizeOf(size_from(p.args[0]))
    if name == "builtins.bool":
        return Choice((Known(False, "bool"), Known(True, "bool")), False)
    if name == "builtins.int":
        return Number("int")
    if name == "builtins.float":
        return Number("float")
    if name == "numpy.ndarray":
        return _ndarray_spec(p)
    if name in _SEQUENCES and p.args and tensor_instance(p.args[0]) is not None:
        item = spec_from(p.args[0], depth + 1)
        # Of any length: what one, two and three have in common.
        return (
            Opaque(name)
            if _is_open(item)
            else Choice(tuple(Several("list", (item,) * n) for n in (2, 1, 3)), False)
        )
    fields = record_fields(p.type)
    if fields is not None:
        items = tuple(spec_from(_field_type(p, f), depth + 1) for f in fields)
        return _as_record(p, p.type, fields, items, "dataclass")
    return Opaque(name)


def _ndarray_spec(p: Instance) -> Spec:
    shape = get_proper_type(p.args[0]) if p.args else None
    rank: ShapeLike = (ANY_RANK,)
    if isinstance(shape, TupleType):
        rank = tuple(UNKNOWN for _ in shape.items)
    dtype = get_proper_type(p.args[1]) if len(p.args) > 1 else None
    kind: Kind = "any"
    if isinstance(dtype, Instance) and dtype.args:
        scalar = get_proper_type(dtype.args[0])
        if isinstance(scalar, Instance):
            names = {b.name for b in scalar.type.mro}
            if "floating" in names:
                kind = "real"
            elif "integer" in names:
                kind = "int"
            elif "bool" in names or "bool_" in names:
                kind = "bool"
    return Array(rank, kind)


def _union_spec(p: UnionType, depth: int) -> Spec:
    items = tuple(spec_from(item, depth + 1) for item in p.items)
    if len(items) > 4 or any(_is_open(item) for item in items):
        return Opaque("union")
    return Choice(items, True)


def _is_open(spec: Spec) -> bool:
    """Whether it has questions of its own, which a member of a choice may not have."""
    if isinstance(spec, Array):
        return any(isinstance(n, Star) for n in spec.shape)
    if isinstance(spec, NESTED):
        return any(map(_is_open, spec.items))
    return isinstance(spec, (Choice, Function, Opaque))


def _tuple_spec(p: TupleType, depth: int) -> Spec:
    if any(isinstance(get_proper_type(item), UnpackType) for item in p.items):
        return Opaque("variadic tuple")
    items = tuple(spec_from(item, depth + 1) for item in p.items)
    info = p.partial_fallback.type
    if info.is_named_tuple:
        names = named_fields(info)
        return _as_record(p, info, names[: len(items)], items, "namedtuple")
    return Several("tuple", items)


def named_fields(info: TypeInfo) -> tuple[str, ...]:
    """The fields of a NamedTuple, in order."""
    return tuple(
        n
        for n, s in info.names.items()
        if isinstance(s.node, Var) and s.node.is_property and not n.startswith("_")
    )


def record_fields(info: TypeInfo) -> tuple[str, ...] | None:
    """The fields of a dataclass, in order, or None for another class."""
    for base in info.mro:
        meta = base.metadata.get("dataclass")
        if meta:
            return tuple(a["name"] for a in meta["attributes"] if not a.get("is_init_var"))
    names: list[str] = []
    found = False
    for base in reversed(info.mro):
        # `dataclass_transform` on a base class: a model.
        if base.dataclass_transform_spec is not None:
            found = True
        if found:
            names += [n for n, s in base.names.items() if _is_field(n, s.node) and n not in names]
    return tuple(names) if found else None


def _is_field(name: str, node: object) -> bool:
    return isinstance(node, Var) and not node.is_classvar and not name.startswith("__")


def _field_type(p: Instance, name: str) -> Type | None:
    for base in p.type.mro:
        found = base.names.get(name)
        if found is not None and found.type is not None:
            return expand_type_by_instance(found.type, map_instance_to_supertype(p, base))
    return None


def _as_record(
    mold: Type, info: TypeInfo, names: tuple[str, ...], items: tuple[Spec, ...], how: str
) -> Spec:
    if len(names) != len(items) or not names:
        return Opaque(info.name)
    if how == "dict":
        return Keyed(names, items)
    # Fields that hold no numbers are static: they go along, and are no leaves.
    static = tuple(n for n, i in zip(names, items, strict=True) if not _is_numeric(i))
    kept = tuple(
        Known(None, "static") if n in static else i for n, i in zip(names, items, strict=True)
    )
    return Record(stand_in(info.fullname, names, static, how, str(mold), mold), kept, mold)


def _is_numeric(spec: Spec) -> bool:
    if isinstance(spec, NESTED):
        return any(map(_is_numeric, spec.items)) or not spec.items
    if isinstance(spec, Choice):
        return any(map(_is_numeric, spec.items))
    return isinstance(spec, Array)


_CLASSES: Final[dict[tuple[Any, ...], type[Any]]] = {}


def stand_in(
    fullname: str, names: tuple[str, ...], static: tuple[str, ...], how: str, text: str, mold: Type
) -> type[Any]:
    """A class with the fields of a user's, which its values at check time are instances of."""
    key = (fullname, names, static, how, text)
    made = _CLASSES.get(key)
    if made is None:
        made = _CLASSES[key] = _new_class(fullname.rpartition(".")[2], names, static, how)
    made.mold = mold  # where `spec_of` looks for it
    return made


def field_names(cls: type[Any]) -> tuple[str, ...]:
    """The names of the fields of such a class."""
    named: tuple[str, ...] | None = getattr(cls, "_fields", None)
    return tuple(cls.__dataclass_fields__) if named is None else named


def _new_class(name: str, names: tuple[str, ...], static: tuple[str, ...], how: str) -> type[Any]:
    if how == "namedtuple":  # of names that are data
        base = collections.namedtuple(name, names)  # type: ignore[misc]  # pyright: ignore[reportUntypedNamedTuple]
        return type(name, (base,), {"__slots__": ()})
    fields = [(n, object, dataclasses.field(metadata={"static": n in static})) for n in names]
    return dataclasses.make_dataclass(name, fields, frozen=True)
