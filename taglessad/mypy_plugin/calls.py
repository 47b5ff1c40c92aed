"""Calls of the library's functions and methods: run under `Shape`, with what the text says."""

import inspect
import sys
import typing
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any, Final, NamedTuple, TypeAlias

from mypy.nodes import (
    ARG_STAR,
    ARG_STAR2,
    CallExpr,
    Context,
    Expression,
)
from mypy.plugin import FunctionContext, FunctionSigContext, MethodContext, MethodSigContext
from mypy.types import (
    AnyType,
    CallableType,
    FunctionLike,
    Instance,
    Type,
    UnionType,
    get_proper_type,
)

from taglessad.dims import ANY_RANK, Star
from taglessad.mypy_plugin.data_dependent import with_unknown_sizes
from taglessad.mypy_plugin.names import SHAPE, SIZE, TENSORS, UNKNOWN_SHAPE
from taglessad.mypy_plugin.operands import named_any
from taglessad.mypy_plugin.reading import spec_from
from taglessad.mypy_plugin.running import Outcome, evaluate, spec_of
from taglessad.mypy_plugin.specs import (
    NESTED,
    Answers,
    Array,
    Arrow,
    Opaque,
    Record,
    Several,
    Spec,
    array,
    ask,
    realize,
)
from taglessad.mypy_plugin.types import array_likes, mentions, without_shapes
from taglessad.mypy_plugin.values import Values
from taglessad.mypy_plugin.writing import Inexpressible, Writer
from taglessad.tensor import AnyTensor

Call: TypeAlias = FunctionContext | MethodContext

# Modules whose functions compute arrays and do nothing else: these may be run while checking.
_PURE: Final = (
    "taglessad.array_api.",
    "taglessad.fft.",
    "taglessad.linalg.",
    "taglessad.nn.",
    "taglessad.random.",
    "taglessad.special.",
    "taglessad.transforms.fences.detach",
)
_KNOWN_CALLS: Final[dict[Any, Outcome]] = {}
_MOST_KNOWN: Final = 8192


@cache
def library_function(fullname: str, *, pure: bool = True) -> Callable[..., Any] | None:
    """The function of that name, if it is one of the library's. Any: as it is.

    `pure`: only one that computes arrays and does nothing else. Nothing is imported for it.
    """
    if not fullname.startswith(_PURE if pure else "taglessad."):
        return None
    module, _, name = fullname.rpartition(".")
    function: object = getattr(sys.modules.get(module), name, None)
    return with_unknown_sizes(function) if inspect.isfunction(function) else None


class Argument(NamedTuple):
    """An argument of a call: its name, if it is given by name; whether a tensor may stand there."""

    spec: Spec
    name: str | None
    tensor: bool


@lru_cache(maxsize=1024)
def tensor_parameters(function: Callable[..., Any]) -> dict[str, str]:
    """The parameters of a function that take tensors, each with the class that it asks for."""
    try:
        hints = typing.get_type_hints(function)
    except Exception:
        return {}
    found: dict[str, str] = {}
    # What is annotated Any is an operand where it cannot be left out; else it is an option.
    options = {p.name for p in _parameters(function) if p.default is not p.empty}
    for name, hint in hints.items():
        text = (
            repr(hint)
            + repr(getattr(hint, "__bound__", ""))
            + repr(getattr(hint, "__constraints__", ""))
        )
        if "Tensor" in text or (hint is Any and name not in options):
            only = [c for c in ("IntTensor", "BoolTensor", "AnyTensor") if c in text]
            found[name] = only[0] if len(only) == 1 else "Tensor" if not only else "AnyTensor"
    return found


@lru_cache(maxsize=1024)
def _parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(function).parameters.values())


class Parameters(NamedTuple):
    """The names of parameters: given by position, the one for all others; which take tensors."""

    names: tuple[str, ...]
    rest: str | None
    tensors: frozenset[str | None]

    def at(self, position: int, name: str | None) -> str | None:
        """The parameter that an argument is for."""
        if name is not None:
            return name
        return self.names[position] if position < len(self.names) else self.rest


@lru_cache(maxsize=1024)
def _placed(function: Callable[..., Any]) -> Parameters:
    names: list[str] = []
    tensors = frozenset(tensor_parameters(function))
    for p in _parameters(function):
        if p.kind is p.VAR_POSITIONAL:
            return Parameters(tuple(names), p.name, tensors)
        names.append(p.name)
    return Parameters(tuple(names), None, tensors)


def values_of(ctx: Call) -> Values:
    """The arguments' expressions, with the types that the checker has found."""
    types: dict[Expression, Type] = {}
    for expressions, found in zip(ctx.args, ctx.arg_types, strict=True):
        types.update(zip(expressions, found, strict=True))
    return Values(ctx.api, types)


def arguments(
    call: CallExpr, values: Values, function: Callable[..., Any], *, bound: bool = False
) -> list[Argument] | None:
    """The arguments of a call as they are written; None where it cannot be told what they are.

    `bound`: the function is a method, whose first parameter is not among them.
    """
    out: list[Argument] = []
    skip = 1 if bound else 0
    parameters = _placed(function)
    for e, kind, name in zip(call.args, call.arg_kinds, call.arg_names, strict=True):
        if kind == ARG_STAR2:
            return None
        if kind == ARG_STAR:
            spec = values.spec(e, tensor=True)
            if not isinstance(spec, (Several, Record)):
                return None
            for item in spec.items:
                out.append(_argument(item, name, parameters.at(len(out) + skip, name), parameters))
        else:
            parameter = parameters.at(len(out) + skip, name)
            spec = values.spec(e, tensor=parameter in parameters.tensors)
            out.append(_argument(spec, name, parameter, parameters))
    return out


def _argument(
    spec: Spec, name: str | None, parameter: str | None, parameters: Parameters
) -> Argument:
    if parameter == "key" and isinstance(spec, Array):
        spec = spec._replace(kind="key")
    return Argument(spec, name, parameter in parameters.tensors)


def run(name: str, function: Callable[..., Any], given: Sequence[Argument]) -> Outcome:
    """The outcome of a call of one of the library's functions."""

    def call(answers: Answers) -> Any:  # Any: whatever the function gives
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for a in given:
            value = realize(a.spec, answers, number=a.tensor)
            if a.name is None:
                positional.append(value)
            else:
                named[a.name] = value
        return function(*positional, **named)

    key = (name, tuple(given))
    try:
        known = _KNOWN_CALLS.get(key)
        hashable = True
    except TypeError:  # a literal
        known, hashable = None, False
    if known is not None:
        return known
    specs = [a.spec for a in given]
    open_questions = ask(specs)
    found = evaluate(call, specs, spec_of, open_questions)
    if hashable and not open_questions.of_program:
        if len(_KNOWN_CALLS) >= _MOST_KNOWN:
            _KNOWN_CALLS.clear()
        _KNOWN_CALLS[key] = found
    return found


# --- hooks ---------------------------------------------------------------------------------------
def function_hook(
    ctx: FunctionContext, name: str, function: Callable[..., Any], writer: Writer
) -> Type:
    """The result of a call of one of the library's functions."""
    call = ctx.context
    if not isinstance(call, CallExpr):
        return ctx.default_return_type
    given = arguments(call, values_of(ctx), function)
    if given is None:
        return ctx.default_return_type
    outcome = run(name, function, given)
    said = outcome.dtype_error and _other_kind(function, given)
    return concluded(ctx, outcome, given, writer, said)


def _other_kind(function: Callable[..., Any], given: Sequence[Argument]) -> bool:
    """Whether some argument is not of the kind its parameter asks for: mypy has said so."""
    wanted = tensor_parameters(function)
    parameters = _parameters(function)
    classes = {"real": "Tensor", "int": "IntTensor", "bool": "BoolTensor"}
    for i, a in enumerate(given):
        name = a.name or (parameters[i].name if i < len(parameters) else None)
        want = wanted.get(name or "")
        if isinstance(a.spec, Array) and want not in (None, "AnyTensor"):
            if classes.get(a.spec.kind, want) != want:
                return True
    return False


def concluded(
    ctx: Call, outcome: Outcome, given: Sequence[Argument], writer: Writer, said: bool = False
) -> Type:
    """The type of an outcome; its error reported."""
    declared = ctx.default_return_type
    if outcome.error is not None:
        if not (outcome.dtype_error and said):
            ctx.api.fail(outcome.error, ctx.context, code=SHAPE)
        return bare(declared, writer)
    if isinstance(outcome.result, Opaque):
        lost(ctx, ctx.context, given, declared)
        return bare(declared, writer)
    try:
        found = writer.type_of(outcome.result, declared)
    except Inexpressible:
        lost(ctx, ctx.context, given, declared)
        return bare(declared, writer)
    if has_any_rank(outcome.result):
        lost(ctx, ctx.context, given, declared)
    return found


def bare(declared: Type, writer: Writer) -> Type:
    """The declared type with nothing said of shapes."""
    return without_shapes(declared, writer)


def lost(ctx: Call, where: Context, given: Sequence[Argument], declared: Type) -> None:
    """Say that a rank is not known from here on, if it was until here."""
    if UNKNOWN_SHAPE not in ctx.api.options.enabled_error_codes:
        return
    p = get_proper_type(declared)
    if not isinstance(p, AnyType) and not mentions(p, TENSORS):
        return
    because = named_any(ctx)
    if any(has_any_rank(a.spec) for a in given):
        if because is None or not any(_has_known_rank(a.spec) for a in given):
            return
    unknown(ctx, where, because)


def _has_known_rank(spec: Spec) -> bool:
    if isinstance(spec, Several):
        return any(map(_has_known_rank, spec.items))
    return isinstance(spec, Array) and not has_any_rank(spec)


def unknown(ctx: Call, where: Context, because: str | None = None) -> None:
    """Say, to those who ask for it, that a shape is not known."""
    # What nobody sees would still make an overload not fit.
    if UNKNOWN_SHAPE not in ctx.api.options.enabled_error_codes:
        return
    reason = "" if because is None else f" ({because} is Any)"
    ctx.api.fail(
        f"the rank of this result is not known before the program runs{reason}: what follows from "
        "it is not checked",
        where,
        code=UNKNOWN_SHAPE,
    )


def has_any_rank(spec: Spec) -> bool:
    """Whether it is a tensor of unknown rank, or holds one."""
    if isinstance(spec, Array):
        return Star in map(type, spec.shape) and ANY_RANK in spec.shape
    if isinstance(spec, (*NESTED, Arrow)):
        return any(map(has_any_rank, spec.items))
    return False


def signature_hook(ctx: FunctionSigContext | MethodSigContext, writer: Writer) -> FunctionLike:
    """The signature with array-likes admitted for tensors, and no shape asked for."""
    signature = ctx.default_signature
    known = _LOOSENED.get(id(signature))
    if known is None or known[0] is not signature:
        if len(_LOOSENED) >= _MOST_KNOWN:
            _LOOSENED.clear()
        known = _LOOSENED[id(signature)] = (signature, loosened(signature, writer))
    return known[1]


def construction_signature(
    ctx: FunctionSigContext | MethodSigContext, writer: Writer
) -> FunctionLike:
    """The signature of a layer's constructor, with an int admitted for each `Size`."""
    signature = ctx.default_signature
    whole = writer.instance("builtins.int")
    formals = [_int_for_size(t, whole) for t in signature.arg_types]
    return signature.copy_modified(arg_types=formals)


def _int_for_size(t: Type, whole: Type) -> Type:
    p = get_proper_type(t)
    if isinstance(p, UnionType):
        return UnionType.make_union([_int_for_size(i, whole) for i in p.items])
    return whole if isinstance(p, Instance) and p.type.fullname == SIZE else t


def loosened(signature: CallableType, writer: Writer) -> CallableType:
    """A signature of the library's that leaves shapes to the function itself."""
    admitted = array_likes(writer)
    formals = [
        without_shapes(t, writer, admitted) if mentions(t, TENSORS) else t
        for t in signature.arg_types
    ]
    result = without_shapes(signature.ret_type, writer)
    # Variables that stood for shapes stand nowhere now.
    return signature.copy_modified(arg_types=formals, ret_type=result, variables=[])


_LOOSENED: Final[dict[int, tuple[CallableType, CallableType]]] = {}
"""By the identity of a signature: the signature, which is kept so that no other has it; loosened."""


# --- methods -------------------------------------------------------------------------------------
def method_hook(ctx: MethodContext, name: str, writer: Writer) -> Type:
    """The result of a method of a tensor."""
    call = ctx.context
    values = values_of(ctx)
    given = [Argument(spec_from(ctx.type), None, True)]
    if isinstance(call, CallExpr):
        rest = arguments(call, values, getattr(AnyTensor, name), bound=True)
        if rest is None:
            return ctx.default_return_type
        given += rest
    else:
        given += [Argument(values.spec(e, tensor=True), None, True) for es in ctx.args for e in es]
    return concluded(ctx, run(f".{name}", _method(name), given), given, writer)


@cache
def _method(name: str) -> Callable[..., Any]:
    def method(x: Any, *args: Any, **kwargs: Any) -> Any:  # Any: a handle and what it takes
        return getattr(x, name)(*args, **kwargs)

    return method


def iteration_hook(ctx: MethodContext, writer: Writer) -> Type:
    """An iterator over the entries along the first axis."""
    declared = get_proper_type(ctx.default_return_type)
    given = [Argument(spec_from(ctx.type), None, True)]

    def first(x: Any) -> Any:  # Any: a handle in, a handle out
        return x[array((), "int")] if x.shape else iter(x)

    outcome = run("iter", first, given)
    if outcome.error is not None:
        ctx.api.fail(outcome.error, ctx.context, code=SHAPE)
        return ctx.default_return_type
    try:
        item = writer.type_of(outcome.result)
    except Inexpressible:
        return ctx.default_return_type
    return declared.copy_modified(args=[item]) if isinstance(declared, Instance) else declared


_BINARY: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"),
    *("lshift", "rshift"),
)
_COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge")
_NAMED: Final = (
    *("all", "any", "argmax", "argmin", "astype", "max", "mean", "min", "prod", "reshape"),
    *("squeeze", "std", "sum", "var", "__divmod__"),
)
METHODS: Final[dict[str, Callable[..., Type]]] = {
    name: partial(method_hook, name=name)
    for name in (
        *_NAMED,
        *(f"__{name}__" for name in (*_BINARY, *_COMPARISONS)),
        *(f"__r{name}__" for name in _BINARY),
    )
}
METHODS["__iter__"] = iteration_hook
