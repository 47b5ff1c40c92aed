"""Annotations as they are at run time, read into forms.

What is not understood is `Opaque`, of which nothing is checked. Any throughout: an annotation is
any object.
"""

import dataclasses
import types
import typing
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

import typing_extensions

from taglessad.checking.forms import (
    ArrayForm,
    EachForm,
    FieldsForm,
    Form,
    ItemsForm,
    KeysForm,
    Opaque,
    SizeForm,
    UnionForm,
)
from taglessad.dims import ANY_RANK, UNKNOWN, Extent, ShapeLike, Star, Symbol, symbol
from taglessad.shapes.dim_types import Add, Dim, Div, Mul, Size, Sub
from taglessad.tensor import AnyTensor

Meaning: TypeAlias = tuple[Any, "Environment"]
Environment: TypeAlias = Mapping[Any, Meaning]
"""What type variables of an alias or of a class stand for, each in an environment of its own."""

_EMPTY: Final[Environment] = {}
_UNKNOWN: Final[Meaning] = (Any, _EMPTY)


class _Reading:
    """One annotation being read: the forms of classes met so far, and how many more may be."""

    __slots__ = ("forms", "left")

    def __init__(self) -> None:
        self.forms: dict[type[Any], Form] = {}
        self.left = 1000  # classes that hold each other in ever new ways have no end


# `typing` and `typing_extensions` may each have a class of their own for the same thing.
def _both(name: str) -> tuple[Any, ...]:
    found = (getattr(module, name, None) for module in (typing, typing_extensions))
    return tuple([x for x in found if x is not None])


_ALIASES: Final = _both("TypeAliasType")
_RUNS: Final = _both("TypeVarTuple")
_UNPACKS: Final = _both("Unpack")
_REQUIRED: Final = (*_both("Required"), *_both("NotRequired"), *_both("ReadOnly"))
_OPERATIONS: Final[tuple[tuple[Any, Callable[[Extent, Extent], Extent]], ...]] = (
    (Add, lambda a, b: a + b),
    (Sub, lambda a, b: a - b),
    (Mul, lambda a, b: a * b),
    (Div, lambda a, b: UNKNOWN if b == 0 else a // b),
)


def read(annotation: Any) -> Form:
    """The form that an annotation describes.

    Raises what evaluating `type X = ...` raises: NameError for a name that comes later.
    """
    return _read(annotation, _EMPTY, _Reading())


def read_class(cls: type[Any]) -> Form:
    """The form of a class's instances, its own type variables free."""
    return _class(cls, _EMPTY, _Reading())


def dim_key(variable: Any) -> str:
    """The identity of a type variable or of a named dimension: two of one name are two."""
    named = "Dim" if isinstance(variable, type) else ""
    return f"{named}@{variable.__name__}@{id(variable)}"


def is_named(key: str) -> bool:
    """Whether it is the key of a named dimension."""
    return key.startswith("Dim@")


class _Annotated(Container[str]):
    """The keys that annotations have; symbols in the shapes that come are of other kinds."""

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and "@" in key


ANNOTATED: Final = _Annotated()


def invented_key(key: str) -> str:
    """The key of the symbol that stands for an annotation's when a program is tried out."""
    return key.replace("@", "#")


def _read(t: Any, env: Environment, reading: _Reading) -> Form:
    if _is_variable(t) and t in env:
        return _read(*env[t], reading)
    origin, args = get_origin(t), get_args(t)
    if origin is Annotated or origin in _REQUIRED:
        return _read(args[0], env, reading)
    if origin is Size:
        return SizeForm(_size(args[0], env))
    if origin in _ALIASES or isinstance(t, _ALIASES):
        return _alias(t, (), env, reading)
    if isinstance(origin, _ALIASES):
        return _alias(origin, args, env, reading)
    if origin in (Union, types.UnionType):
        return UnionForm(tuple([_read(a, env, reading) for a in args]))
    cls = origin if isinstance(origin, type) else t
    if not isinstance(cls, type):
        return Opaque(t)
    if issubclass(cls, AnyTensor):
        shape = (ANY_RANK,) if origin is None else _shape(args, env)
        return Opaque(t) if shape is None else ArrayForm(cls, shape)
    if cls is tuple:
        return _tuple(args, env, reading)
    if cls in (list, Sequence, Iterable) and args:
        return EachForm(list, _read(args[0], env, reading))
    if cls in (dict, OrderedDict, Mapping) and len(args) == 2:
        return EachForm(dict, _read(args[1], env, reading))
    return _class(cls, _parameters(cls, args, env), reading)


def _is_variable(t: Any) -> bool:
    return isinstance(t, TypeVar) or isinstance(t, _RUNS)


def _alias(alias: Any, args: Sequence[Any], env: Environment, reading: _Reading) -> Form:
    return _read(alias.__value__, _assigned(alias.__type_params__, args, env), reading)


def _tuple(args: Sequence[Any], env: Environment, reading: _Reading) -> Form:
    if len(args) == 2 and args[1] is Ellipsis:
        return EachForm(tuple, _read(args[0], env, reading))
    items: list[Form] = []
    for a in args:
        inner = _unpacked(a)
        if inner is None:
            items.append(_read(a, env, reading))
        elif isinstance(inner, _RUNS) and env.get(inner, _UNKNOWN) is not _UNKNOWN:
            given, own = env[inner]
            items += [_read(x, own, reading) for x in given]
        else:
            return Opaque(tuple)
    return ItemsForm(tuple(items))


# --- classes whose fields are annotated ---------------------------------------------------------
def _class(cls: Any, env: Environment, reading: _Reading) -> Form:
    known = reading.forms.get(cls)
    if known is not None:
        return known
    if not reading.left:
        return Opaque(cls)
    reading.left -= 1
    reading.forms[cls] = Opaque(cls)  # within itself
    form = _fields_form(cls, env, reading)
    if env:
        del reading.forms[cls]  # another time it may have other arguments
    else:
        reading.forms[cls] = form
    return form


def _fields_form(cls: Any, env: Environment, reading: _Reading) -> Form:
    named: bool = tuple in cls.__mro__ and hasattr(cls, "_fields")
    typed: bool = typing_extensions.is_typeddict(cls)
    if not (named or typed or "__dataclass_fields__" in dir(cls)):
        return Opaque(cls)
    hints = _fields(cls, env)
    if hints is None:
        return Opaque(cls)
    read_fields = [(name, _read(t, own, reading)) for name, (t, own) in hints.items()]
    if typed:
        return KeysForm(cls.__name__, tuple(read_fields), frozenset(cls.__required_keys__))
    known: set[str] = set(cls._fields if named else (f.name for f in dataclasses.fields(cls)))
    return FieldsForm(cls, tuple([(name, form) for name, form in read_fields if name in known]))


def _fields(cls: type[Any], env: Environment) -> dict[str, Meaning] | None:
    """The annotations of a class and its bases, each with what its class's variables mean."""
    found: dict[str, Meaning] = {}
    environments = _environments(cls, env)
    try:
        for base in reversed(cls.__mro__):
            names = {**vars(base), **type_parameters(base)}
            own = typing.get_type_hints(base, localns=names, include_extras=True)
            written = base.__dict__.get("__annotations__", own)
            meant = environments.get(base, _EMPTY)
            found.update({name: (own[name], meant) for name in written if name in own})
        names = {**vars(cls), **type_parameters(cls)}
        whole = typing.get_type_hints(cls, localns=names, include_extras=True)
    except Exception:  # a forward reference: evaluating an annotation raises what it likes
        return None
    return {name: found.get(name, (t, env)) for name, t in whole.items()}


def type_parameters(owner: type[Any] | None) -> dict[str, Any]:
    """The type parameters that a class's methods know by name, where annotations are texts."""
    bases = owner.__mro__ if owner is not None else ()
    return {t.__name__: t for base in reversed(bases) for t in getattr(base, "__type_params__", ())}


def _environments(cls: type[Any], env: Environment) -> dict[type[Any], Environment]:
    """What the type variables of a class and of its generic bases stand for."""
    found: dict[type[Any], Environment] = {cls: env}
    for base in getattr(cls, "__orig_bases__", ()):
        origin = get_origin(base)
        if isinstance(origin, type) and origin is not typing.Generic:
            found |= _environments(origin, _parameters(origin, get_args(base), env))
    return found


def _parameters(cls: type[Any], args: Sequence[Any], env: Environment) -> Environment:
    """The variables of a generic class as its arguments give them; unknown without arguments."""
    return _assigned(getattr(cls, "__parameters__", ()), args, env)


def _assigned(names: Sequence[Any], args: Sequence[Any], env: Environment) -> Environment:
    """Type variables with what is given for them; a run of axes takes all that is left."""
    k = next((i for i, p in enumerate(names) if isinstance(p, _RUNS)), len(names))
    behind = max(0, len(names) - k - 1)
    run = len(args) - k - behind
    if run < 0 or (k == len(names) and run) or (names and not args):
        return dict.fromkeys(names, _UNKNOWN)
    meant: list[Meaning] = [(a, env) for a in args]
    if k < len(names):
        meant[k : k + run] = [(tuple(args[k : k + run]), env)]
    return dict(zip(names, meant, strict=True))


# --- shapes and sizes ---------------------------------------------------------------------------
def _shape(args: Sequence[Any], env: Environment) -> ShapeLike | None:
    out: list[Extent | Star] = []
    for a in args:
        inner = _unpacked(a)
        if inner is None:
            out.append(_size(a, env))
        elif isinstance(inner, _RUNS):
            known = env.get(inner)
            if known is None:
                out.append(Star(dim_key(inner), inner.__name__))
            else:
                given = None if known is _UNKNOWN else _shape(*known)
                out.extend((ANY_RANK,) if given is None else given)
        elif get_origin(inner) is tuple:
            entries = get_args(inner)
            if len(entries) == 2 and entries[1] is Ellipsis:
                out.append(ANY_RANK)
            else:
                out.extend(_shape(entries, env) or ())
        else:
            return None
    return None if sum(isinstance(n, Star) for n in out) > 1 else tuple(out)


def _unpacked(t: Any) -> Any:
    """What is unpacked in `*Ts`, `*tuple[...]`, `Unpack[...]`; None for anything else."""
    if get_origin(t) in _UNPACKS:
        return get_args(t)[0]
    if getattr(t, "__unpacked__", False):
        return tuple[get_args(t)]  # type: ignore[misc]  # a type made at run time
    return None


def _size(t: Any, env: Environment) -> Extent:
    if isinstance(t, TypeVar):
        return _size(*env[t]) if t in env else symbol(Symbol(dim_key(t), t.__name__))
    origin: Any = get_origin(t)
    args: tuple[Any, ...] = get_args(t)
    if origin is Literal:
        return args[0] if type(args[0]) is int and not args[1:] else UNKNOWN
    for operation, combine in _OPERATIONS:
        if origin is operation:
            return combine(_size(args[0], env), _size(args[1], env))
    if origin is Size or origin is Annotated:
        return _size(args[0], env)
    if isinstance(t, _ALIASES) or isinstance(origin, _ALIASES):
        alias: Any = t if isinstance(t, _ALIASES) else origin
        return _size(alias.__value__, _assigned(alias.__type_params__, args, env))
    if isinstance(t, type) and issubclass(t, Dim):
        return symbol(Symbol(dim_key(t), t.__name__)) if t.size is None else t.size
    if isinstance(t, typing.NewType):
        return symbol(Symbol(dim_key(t), t.__name__))
    return t if type(t) is int and t >= 0 else UNKNOWN
