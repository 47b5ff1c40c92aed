"""Layers: the library's own are made and called as they are, under `Shape`.

The arguments of a constructor are kept with the type of what it makes, beside its type arguments
and unseen: a convolution's stride is no type argument. A layer of which only the annotation is
known is made with the sizes of its type arguments, and its options are not known.
"""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from mypy.expandtype import expand_type_by_instance
from mypy.maptype import map_instance_to_supertype
from mypy.nodes import CallExpr, Decorator, FuncDef
from mypy.plugin import FunctionContext, MethodContext
from mypy.typeops import bind_self
from mypy.types import (
    CallableType,
    ExtraAttrs,
    Instance,
    NoneType,
    ProperType,
    Type,
    TypeVarType,
    UnionType,
    get_proper_type,
)

from taglessad.dims import UNKNOWN
from taglessad.mypy_plugin.calls import Argument, arguments, bare, concluded, run, values_of
from taglessad.mypy_plugin.names import SHAPE, SIZE
from taglessad.mypy_plugin.programs import Program
from taglessad.mypy_plugin.reading import size_from, spec_from
from taglessad.mypy_plugin.running import evaluate
from taglessad.mypy_plugin.specs import (
    Answers,
    Function,
    Known,
    Opaque,
    Several,
    SizeOf,
    Spec,
    Unreadable,
    realize,
)
from taglessad.mypy_plugin.writing import Inexpressible, Writer
from taglessad.nn.module import Module
from taglessad.nn.sequential import Sequential

_PACKAGE: Final = "taglessad.nn."
SEQUENTIAL: Final = "taglessad.nn.sequential.Sequential"
# They decide on numbers, which are not computed here.
_NUMBERS_ONLY: Final = frozenset({"rng", "init", "dtype"})


@cache
def layer_class(fullname: str) -> type[Module] | None:
    """The library's layer of that name."""
    if not fullname.startswith(_PACKAGE):
        return None
    module, _, name = fullname.rpartition(".")
    cls: object = getattr(sys.modules.get(module), name, None)
    is_layer = isinstance(cls, type) and issubclass(cls, Module) and cls is not Module
    return cls if is_layer else None  # type: ignore[return-value]  # as is_layer says


_MADE: Final = "="


# --- what is kept of a construction ---------------------------------------------------------------
def _key(position: int, name: str | None) -> str:
    return f"={position if name is None else name}"  # no attribute has such a name


def _recorded(instance: Instance, given: Sequence[Argument], writer: Writer) -> Instance:
    kept: dict[str, Type] = {_MADE: NoneType()}
    for i, a in enumerate(given):
        if a.name in _NUMBERS_ONLY:
            continue
        try:
            kept[_key(i, a.name)] = _as_type(a.spec, writer)
        except Inexpressible:
            kept[_key(i, a.name)] = writer.anything()
    made = instance.copy_modified()
    made.extra_attrs = ExtraAttrs(kept)
    return made


def _as_type(spec: Spec, writer: Writer) -> Type:
    """A literal as a type: the other way of `spec_from`."""
    if isinstance(spec, Known) and isinstance(spec.value, bool | int | str):
        return writer.literal_of(spec.value)
    if isinstance(spec, Known) and spec.value is not None:
        return writer.instance(f"builtins.{spec.tag}")  # a float: that it is one
    if isinstance(spec, Several):
        return writer.tuple_of([_as_type(s, writer) for s in spec.items])
    return writer.type_of(spec)


def _replayed(p: Instance) -> tuple[list[Spec], dict[str, Spec]] | None:
    """The arguments of the construction of a layer, if they are known."""
    if p.extra_attrs is None or _MADE not in p.extra_attrs.attrs:
        return None
    positional: list[Spec] = []
    named: dict[str, Spec] = {}
    for key, t in p.extra_attrs.attrs.items():
        spec = spec_from(t)
        if isinstance(spec, Opaque):
            return None
        if key == _MADE:
            continue
        if key[1:].isdigit():
            positional.append(spec)
        elif key.startswith("="):
            named[key[1:]] = spec
    return positional, named


# --- a layer's type as a layer --------------------------------------------------------------------
class Layer:
    """Makes the layer of a type. `specs`: none, its questions are asked by its own arguments."""

    specs = ()

    def __init__(self, t: ProperType) -> None:
        self._type = t

    def __call__(self, answers: Answers) -> Any:  # Any: a layer, or a function
        p = self._type
        if isinstance(p, CallableType):
            return Program(p)(answers)
        if not isinstance(p, Instance):
            raise Unreadable(str(p))
        cls = layer_class(p.type.fullname)
        if cls is None:
            signature = call_signature(p)
            if signature is None:
                raise Unreadable(str(p))
            return Program(signature)(answers)
        if cls is Sequential:
            return cls(*[Layer(get_proper_type(a))(answers) for a in p.args])
        known = _replayed(p)
        if known is not None:
            positional, named = known
            return cls(
                *[realize(s, answers) for s in positional],
                **{k: realize(s, answers) for k, s in named.items()},
            )
        return cls(*_sizes(p))


def has_options(p: ProperType) -> bool:
    """Whether all options of a layer, and of those in it, are known."""
    if not isinstance(p, Instance):
        return True
    if p.type.fullname == SEQUENTIAL:
        return all(has_options(get_proper_type(a)) for a in p.args)
    cls = layer_class(p.type.fullname)
    if cls is None or not _has_spatial_options(cls):
        return True
    return _replayed(p) is not None


def _has_spatial_options(cls: type[Module]) -> bool:
    fields = getattr(cls, "__dataclass_fields__", {})
    return any(name in fields for name in ("stride", "padding", "kernel_size", "start"))


def _sizes(p: Instance) -> list[Any]:
    """The type arguments of a layer, as the sizes that it is made of."""
    return [size_from(a) for a in p.args]


def call_signature(p: Instance) -> CallableType | None:
    """The type of a user's layer as a function."""
    method = p.type.get_method("__call__")
    if method is None:
        return None
    declared: Type | None = None
    if isinstance(method, Decorator):
        declared = method.var.type
    elif isinstance(method, FuncDef):
        declared = method.type
    found = get_proper_type(declared)
    if not isinstance(found, CallableType):
        return None
    bound = expand_type_by_instance(bind_self(found, p), map_instance_to_supertype(p, method.info))
    named = get_proper_type(bound)
    assert isinstance(named, CallableType)
    return named.copy_modified(name=p.type.name)


# --- hooks ---------------------------------------------------------------------------------------
def construction_hook(ctx: FunctionContext, cls: type[Module], writer: Writer) -> Type:
    """The type of a new layer: its sizes from the arguments, which are kept."""
    call = ctx.context
    made = get_proper_type(ctx.default_return_type)
    if not isinstance(call, CallExpr) or not isinstance(made, Instance):
        return ctx.default_return_type
    if cls is Sequential:
        return _sequential(ctx, call, made, writer)
    given = arguments(call, values_of(ctx), cls.__init__, bound=True)
    if given is None:
        return made
    shown = [a for a in given if a.name not in _NUMBERS_ONLY]
    outcome = run(f"new {cls.__name__}", lambda *args, **named: _checked(cls, args, named), shown)
    if outcome.error is not None:
        ctx.api.fail(outcome.error, ctx.context, code=SHAPE)
        return made
    return _recorded(_with_sizes(made, given, writer), given, writer)


def _checked(cls: type[Module], args: Sequence[Any], named: dict[str, Any]) -> None:
    cls(*args, **named)


def _with_sizes(made: Instance, given: Sequence[Argument], writer: Writer) -> Instance:
    """The instance with the type arguments that its constructor's sizes say."""
    sizes = _constructor_sizes(made)
    args: list[Type] = []
    for variable, old in zip(made.type.defn.type_vars, made.args, strict=True):
        place = sizes.get(variable.name)
        spec = None if place is None else _argument(given, *place)
        if isinstance(spec, SizeOf):
            args.append(writer.size(spec.size))
        elif isinstance(spec, Known) and type(spec.value) is int:
            args.append(writer.size(spec.value))
        else:
            args.append(old if place is None else writer.size(UNKNOWN))
    return made.copy_modified(args=args)


def _argument(given: Sequence[Argument], position: int, name: str) -> Spec | None:
    for i, a in enumerate(given):
        if a.name == name or (a.name is None and i == position):
            return a.spec
    return None


def _constructor_sizes(made: Instance) -> dict[str, tuple[int, str]]:
    """For each type variable the parameter `name: Size[variable]`, with its position."""
    found: dict[str, tuple[int, str]] = {}
    method = made.type.get_method("__init__")
    declared = get_proper_type(method.type) if isinstance(method, FuncDef) else None
    if not isinstance(declared, CallableType):
        return found
    for i, (t, name) in enumerate(zip(declared.arg_types, declared.arg_names, strict=True)):
        p = get_proper_type(t)
        parts = [get_proper_type(x) for x in p.items] if isinstance(p, UnionType) else [p]
        for part in parts:
            if isinstance(part, Instance) and part.type.fullname == SIZE:
                variable = get_proper_type(part.args[0])
                if isinstance(variable, TypeVarType) and name is not None:
                    found[variable.name] = (i - 1, name)
    return found


def _sequential(ctx: FunctionContext, call: CallExpr, made: Instance, writer: Writer) -> Type:
    if any(k.is_star() for k in call.arg_kinds):
        return made
    values = values_of(ctx)
    layers = [get_proper_type(values.type(e)) for e in call.args]
    specs: list[Spec] = [Function(Layer(t)) for t in layers]

    def compose(answers: Answers) -> None:
        if all(map(has_options, layers)):
            Sequential(*[realize(s, answers) for s in specs])

    outcome = evaluate(compose, specs, lambda _: Known(None, "NoneType"))
    if outcome.error is not None:
        ctx.api.fail(outcome.error, ctx.context, code=SHAPE)
        return made.copy_modified(args=[writer.anything()])
    return made.copy_modified(args=list(layers))


def call_hook(ctx: MethodContext, name: str, cls: type[Module], writer: Writer) -> Type:
    """The result of a layer, or of another method of one."""
    call = ctx.context
    p = get_proper_type(ctx.type)
    if not isinstance(call, CallExpr) or not isinstance(p, Instance):
        return ctx.default_return_type
    method: Callable[..., Any] = getattr(cls, name)
    values = values_of(ctx)
    rest = arguments(call, values, method, bound=True)
    if rest is None:
        return ctx.default_return_type
    given = [Argument(Function(Layer(p)), None, False)]
    given += [a._replace(tensor=True) for a in rest]

    def called(layer: Any, *args: Any, **named: Any) -> Any:
        return getattr(layer, name)(*args, **named)

    if not has_options(p):
        return bare(ctx.default_return_type, writer)
    return concluded(ctx, run(f"{cls.__name__}.{name}", called, given), given, writer)
