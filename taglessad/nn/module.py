"""Module: models as immutable dataclasses, which are trees of their parameters."""

import dataclasses
import sys
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from functools import wraps
from inspect import isclass
from types import MappingProxyType, NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Literal,
    NoReturn,
    Union,
    get_args,
    get_origin,
)

import numpy as np
from typing_extensions import TypeAliasType, dataclass_transform

from taglessad.errors import ArgumentError
from taglessad.nn.hints import ELSEWHERE
from taglessad.printing import holds_array
from taglessad.shapes import show
from taglessad.tensor import AnyTensor
from taglessad.trees import flatten
from taglessad.trees.announced import announce

# Any below: fields, and annotations, of every kind.
_PLAIN: Final = (NoneType, int, float, complex, str, bytes, Enum, range, slice, type, np.dtype)
_HOLDERS: Final = (tuple, list, set, frozenset, dict, Mapping, Collection)


def field(*, static: bool, default: Any = dataclasses.MISSING) -> Any:
    """A field of a `Module`, whose annotation is not to decide whether it is static.

    static: known by value, no part of the tree: never differentiated, compiled into a program.
    """
    return dataclasses.field(default=default, metadata={"static": static})


@dataclass_transform(frozen_default=True, field_specifiers=(field, dataclasses.field))
class Module:
    """A model or a part of one: a class whose annotated fields are its parameters and options.

        class Dense(Module):
            w: Tensor
            b: Tensor
            steps: int = 1

            def __call__(self, x: Tensor) -> Tensor: ...

        Dense(w, b)

    Every subclass is made a frozen dataclass. It is a tree, as a tuple is: transforms act on its
    arrays, and what they return is of its own class. A field is *static*, kept as it is and never
    differentiated, where its annotation speaks of numbers, texts, None, enums, classes and
    containers of those alone (`int`, `tuple[int, ...] | None`, `Literal["same"]`), or where
    `field(static=True)` says so; all others hold arrays, modules, functions, or containers of them.

    Trees are rebuilt without `__init__`. A class may write its own, which gives every field its
    value with `assign(self, w=...)`; one that gives a field none is an ArgumentError. Two modules are equal where class, structure, static fields,
    dtypes and all numbers are; like arrays they are not hashable. They can be copied and pickled.
    Assignment raises dataclasses.FrozenInstanceError.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]  # as Python has it for what defines ==

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _mark(cls)
        own = "__init__" in cls.__dict__
        dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)
        if own or any(not f.init for f in dataclasses.fields(cls)):  # type: ignore[arg-type]  # it is one now
            cls.__init__ = _complete(cls)  # type: ignore[method-assign]  # the same, with a check at its end
        announce(cls)
        cls.__setattr__ = _refuse_assignment  # type: ignore[method-assign,assignment]  # frozen by hand, for the message

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, structure = flatten(self)
        theirs, other_structure = flatten(other)
        return structure == other_structure and all(map(_same, mine, theirs))

    def __repr__(self) -> str:
        return describe(self)

    if not TYPE_CHECKING:  # to type checkers a name that is not there is an error

        def __getattr__(self, name: str) -> NoReturn:
            """Python asks only for what is not there: the error says what stands for it here."""
            missing = f"{type(self).__qualname__!r} object has no attribute {name!r}"
            if name in ELSEWHERE:
                raise AttributeError(f"{missing}; {ELSEWHERE[name]}")
            raise AttributeError(missing, name=name, obj=self)


def _complete(cls: type[Any]) -> Callable[..., None]:
    """The `__init__` of a class, at whose end every field must have a value."""
    made: Callable[..., None] = cls.__dict__["__init__"]
    fields = dataclasses.fields(cls)

    @wraps(made)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        if type(self) is not cls:
            return  # the `__init__` of the class below has yet to end
        missing = [f.name for f in fields if not hasattr(self, f.name)]
        if missing:
            given = ", ".join(f"{name}=..." for name in missing)
            which = "field" if len(missing) == 1 else "fields"
            were = "was" if len(missing) == 1 else "were"
            raise ArgumentError(
                f"{cls.__qualname__}: {which} {', '.join(missing)} {were} given no value; in "
                f"__init__ write nn.assign(self, {given})"
            )

    return init


def _refuse_assignment(self: Module, name: str, value: object) -> NoReturn:
    cls = type(self).__qualname__
    raise dataclasses.FrozenInstanceError(
        f"{cls}.{name}: models are immutable. Make another: dataclasses.replace(model, "
        f"{name}=...); in an __init__ of your own write tad.nn.assign(self, {name}=...)"
    )


def assign(module: Module, **fields: Any) -> None:
    """Give the fields of a module their values, in an `__init__` of its class.

    Fields with a default may be left out. Raises ArgumentError for a name that is no field, and
    for fields without a value.
    """
    cls = type(module)
    known = {f.name: f for f in dataclasses.fields(cls)}  # type: ignore[arg-type]  # a subclass is one
    missing = [
        name
        for name, f in known.items()
        if name not in fields
        and f.default is dataclasses.MISSING
        and f.default_factory is dataclasses.MISSING
    ]
    unknown = [name for name in fields if name not in known]
    if missing or unknown:
        raise ArgumentError(
            f"nn.assign: {cls.__qualname__} has the fields {', '.join(known) or 'none'}; "
            f"missing: {', '.join(missing) or 'none'}; unknown: {', '.join(unknown) or 'none'}"
            + (f"; annotate it in the class: `{unknown[0]}: tad.Tensor`" if unknown else "")
        )
    for name, f in known.items():
        if name in fields:
            value = fields[name]
        elif f.default_factory is not dataclasses.MISSING:
            value = f.default_factory()
        else:
            value = f.default
        object.__setattr__(module, name, value)


def _same(a: Any, b: Any) -> bool:
    a, b = (x if isinstance(x, AnyTensor) else np.asarray(x) for x in (a, b))
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b)


# --- which fields are static ---------------------------------------------------------------------
def _mark(cls: type[Any]) -> None:
    """Mark the static fields among those that a class itself annotates, before it is a dataclass."""
    for name, annotation in _annotations(cls).items():
        if get_origin(annotation) is ClassVar or annotation is ClassVar:
            continue
        if isinstance(annotation, dataclasses.InitVar) or annotation is dataclasses.KW_ONLY:
            continue
        if not _is_plain(annotation):
            continue
        value = cls.__dict__.get(name, dataclasses.MISSING)
        if not isinstance(value, dataclasses.Field):
            value = field(static=True, default=value)
            setattr(cls, name, value)
        elif "static" not in value.metadata:
            value.metadata = MappingProxyType({**value.metadata, "static": True})


def _annotations(cls: type[Any]) -> dict[str, Any]:
    """A class's own annotations, texts evaluated where that is possible.

    A name that is not there yet, or only for type checkers, is no plain type: those always are.
    """
    found: dict[str, Any] = {}
    seen = vars(sys.modules[cls.__module__])
    parameters = {p.__name__: p for p in getattr(cls, "__type_params__", ())}
    for name, annotation in _raw_annotations(cls).items():
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, seen, parameters)  # as inspect.get_annotations does
            except Exception:
                annotation = Any
        found[name] = annotation
    return found


def _raw_annotations(cls: type[Any]) -> dict[str, Any]:
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return dict(cls.__dict__.get("__annotations__", {}))


def _is_plain(annotation: Any) -> bool:
    """Whether it speaks of nothing but values that are known by themselves."""
    if annotation is None or annotation is Ellipsis:
        return True
    if isinstance(annotation, TypeAliasType):
        return _is_plain(annotation.__value__)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is None:
        return isclass(annotation) and issubclass(annotation, _PLAIN)
    if origin is Literal:
        return True
    if origin in (Union, UnionType):
        return all(map(_is_plain, arguments))
    if isinstance(origin, TypeAliasType):
        return _is_plain(origin.__value__)
    if hasattr(annotation, "__metadata__"):  # Annotated
        return _is_plain(arguments[0])
    if isclass(origin) and issubclass(origin, _HOLDERS):
        return all(map(_is_plain, arguments))
    return isclass(origin) and issubclass(origin, _PLAIN)


# --- text ----------------------------------------------------------------------------------------
def describe(value: Any, indent: str = "") -> str:
    """A module as text, arrays by dtype and shape: `Linear(w=float64[2, 8], b=float64[8])`."""
    if isinstance(value, Module):
        fields = dataclasses.fields(value)  # type: ignore[arg-type]  # every instance is of one
        parts = [(f.name, getattr(value, f.name, None)) for f in fields]
        nested = any(_holds_module(v) for _, v in parts)
        inner = f"{indent}  " if nested else indent
        texts = [f"{name}={describe(v, inner)}" for name, v in parts]
        return f"{type(value).__qualname__}({_joined(texts, indent, nested)})"
    if isinstance(value, AnyTensor):
        return f"{value.dtype}{show(value.shape)}" if holds_array(value) else repr(value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{show(value.shape)}"
    if type(value) in (tuple, list):
        nested = _holds_module(value)
        texts = [describe(v, f"{indent}  " if nested else indent) for v in value]
        body = _joined(texts, indent, nested)
        if type(value) is list:
            return f"[{body}]"
        return f"({body},)" if len(texts) == 1 and not nested else f"({body})"
    if callable(value) and hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    return repr(value)


def _joined(texts: list[str], indent: str, nested: bool) -> str:
    if not nested:
        return ", ".join(texts)
    return "".join(f"\n{indent}  {text}," for text in texts) + f"\n{indent}"


def _holds_module(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_holds_module, value))
    return isinstance(value, Module)
