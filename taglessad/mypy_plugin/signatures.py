"""Calls of the user's own functions: the sizes of one call bound, by the binder of run time.

The checker's own inference would join two sizes that differ to `int`, and say nothing.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from mypy.expandtype import expand_type
from mypy.nodes import (
    CallExpr,
    Context,
    Expression,
    OverloadedFuncDef,
    RefExpr,
    TypeInfo,
)
from mypy.plugin import (
    FunctionContext,
    FunctionSigContext,
    MethodContext,
    MethodSigContext,
)
from mypy.subtypes import is_subtype
from mypy.types import (
    AnyType,
    CallableType,
    FunctionLike,
    Instance,
    TupleType,
    Type,
    TypeOfAny,
    TypeVarId,
    TypeVarTupleType,
    TypeVarType,
    get_proper_type,
)

from taglessad.errors import ShapeError
from taglessad.mypy_plugin.constructing import bind_models, holds_models
from taglessad.mypy_plugin.names import SHAPE, SIZE, TENSORS
from taglessad.mypy_plugin.programs import function_name, own_variables
from taglessad.mypy_plugin.reading import field_names, spec_from
from taglessad.mypy_plugin.specs import Array, Choice, Keyed, Known, Record, Several, SizeOf, Spec
from taglessad.mypy_plugin.types import canonical, mentions, without_shapes
from taglessad.mypy_plugin.values import Values
from taglessad.mypy_plugin.writing import Inexpressible, Writer
from taglessad.shapes.binding import Binder

_OF_INTEREST = TENSORS | {SIZE}


class Given(NamedTuple):
    """An argument beside its formal: the annotated type, the expression, what messages call it."""

    formal: Type
    expression: Expression
    place: str


def of_interest(t: Type) -> bool:
    """Whether a formal says something about sizes."""
    if mentions(t, _OF_INTEREST):
        return True
    return holds_models(t)


def binds_sizes(t: Type) -> bool:
    """Whether a call of what has this type may bind sizes, or gives tensors."""
    if mentions(t, _OF_INTEREST):
        return True
    return isinstance(t, CallableType) and any(map(holds_models, t.arg_types))


_BINDS: Final[dict[int, tuple[CallableType, tuple[bool, ...]]]] = {}
"""By the identity of a signature: the signature, which is kept, and which formals are of interest."""
_MOST_KNOWN: Final = 4096


def _interest(signature: CallableType) -> tuple[bool, ...]:
    known = _BINDS.get(id(signature))
    if known is None or known[0] is not signature:
        if len(_BINDS) >= _MOST_KNOWN:
            _BINDS.clear()
        flags = tuple(map(of_interest, signature.arg_types))
        known = _BINDS[id(signature)] = (signature, flags)
    return known[1]


def _binds(signature: CallableType) -> bool:
    return True in _interest(signature)


def name_of(signature: CallableType) -> str:
    """What messages call a function: a class that is called by its name, else the function's."""
    name = signature.name or "the function"
    if name.startswith("__call__ of "):
        return name[len("__call__ of ") :].strip('"')
    return function_name(signature)


def signature_hook(ctx: FunctionSigContext | MethodSigContext, writer: Writer) -> FunctionLike:
    """The signature of a user's function with its sizes bound by this call's arguments."""
    signature = ctx.default_signature
    if not _binds(signature):
        return signature
    call = ctx.context
    if isinstance(call, CallExpr):
        node = call.callee.node if isinstance(call.callee, RefExpr) else None
        if isinstance(node, OverloadedFuncDef) or any(k.is_star() for k in call.arg_kinds):
            return signature  # the checker's own way: it tries one item after another
    given = _given(signature, ctx.args)
    made = isinstance(call, CallExpr) and _is_class(call.callee)
    try:
        binder = bound(signature, given, Values(ctx.api, {}), ctx.context, made=made)
    except ShapeError as error:
        ctx.api.fail(error.message, ctx.context, code=SHAPE)
        return _accepting(signature, writer)
    return _filled(signature, binder, writer)


def _given(signature: CallableType, args: Sequence[Sequence[Expression]]) -> list[Given]:
    out: list[Given] = []
    flags = _interest(signature)
    for i, (formal, name, expressions) in enumerate(
        zip(signature.arg_types, signature.arg_names, args, strict=True)
    ):
        if flags[i]:
            place = f"argument {name!r}" if name else f"argument {i}"
            out += [Given(formal, e, place) for e in expressions]
    return out


def _is_class(callee: Expression) -> bool:
    return isinstance(callee, RefExpr) and isinstance(callee.node, TypeInfo)


def bound(
    signature: CallableType,
    given: Sequence[Given],
    values: Values,
    context: Context,
    *,
    made: bool = False,
) -> Binder:
    """The sizes of one call; `made`: of a class. Raises ShapeError where they do not fit."""
    name = name_of(signature)
    if signature.name is None and isinstance(context, CallExpr):
        name = getattr(context.callee, "name", name)  # a variable's, or an attribute's
    binder = Binder(name, own_variables(signature))
    for argument in given:
        if made and holds_models(argument.formal):
            have = values.type(argument.expression)
            if bind_models(binder, argument.formal, have, argument.place):
                continue
        want = spec_from(argument.formal)
        if isinstance(want, SizeOf | Array | Several | Keyed | Record | Choice):
            _bind(binder, want, values.spec(argument.expression), argument.place)
    binder.finish()
    return binder


def _bind(binder: Binder, want: Spec, have: Spec, place: str) -> None:
    if isinstance(have, Choice) and have.every:
        for item in have.items:
            _bind(binder, want, item, place)
    elif isinstance(want, Array) and isinstance(have, Array):
        binder.bind(want.shape, have.shape, place)
    elif isinstance(want, SizeOf):
        if isinstance(have, SizeOf):
            binder.bind_size(want.size, have.size, place)
        elif isinstance(have, Known) and type(have.value) is int:
            binder.bind_size(want.size, have.value, place)
    elif isinstance(want, Choice) and not want.every and isinstance(have, Several):
        alike = want.items[0]  # a sequence of any length
        if isinstance(alike, Several):
            for i, item in enumerate(have.items):
                _bind(binder, alike.items[0], item, f"{place}[{i}]")
    elif isinstance(want, Several | Record) and isinstance(have, Several | Record):
        if len(want.items) == len(have.items):
            steps = [f"[{i}]" for i in range(len(want.items))]
            if isinstance(want, Record):
                steps = [f".{name}" for name in field_names(want.cls)]
            for step, w, h in zip(steps, want.items, have.items, strict=True):
                _bind(binder, w, h, f"{place}{step}")
    elif isinstance(want, Keyed) and isinstance(have, Keyed):
        items = dict(zip(have.keys, have.items, strict=True))
        for key, w in zip(want.keys, want.items, strict=True):
            if key in items:
                _bind(binder, w, items[key], f"{place}[{key!r}]")


def _accepting(signature: CallableType, writer: Writer) -> CallableType:
    """After an error: these arguments are accepted, and nothing is said of the result's shape."""
    anything = AnyType(TypeOfAny.from_error)
    formals = [anything if of_interest(t) else t for t in signature.arg_types]
    result = without_shapes(signature.ret_type, writer)
    if isinstance(get_proper_type(result), Instance):  # a model of sizes that are not known
        own = [v for v in signature.variables if isinstance(v, TypeVarType)]
        result = expand_type(result, {v.id: anything for v in own})
    return signature.copy_modified(arg_types=formals, ret_type=result, variables=[])


def _substitution(signature: CallableType, binder: Binder, writer: Writer) -> dict[TypeVarId, Type]:
    out: dict[TypeVarId, Type] = {}
    own = own_variables(signature)
    for key, size in binder.sizes.items():
        out[own[key].id] = writer.size(size)
    for key, run in binder.runs.items():
        variable = own[key]
        assert isinstance(variable, TypeVarTupleType)
        out[variable.id] = TupleType(writer.sizes(run), variable.tuple_fallback)
    return out


def _filled(signature: CallableType, binder: Binder, writer: Writer) -> CallableType:
    """The signature with what is bound put in; an int may stand for a `Size`."""
    if any(_is_size(t) for t in signature.arg_types):
        whole = writer.instance("builtins.int")
        formals: list[Type] = [whole if _is_size(t) else t for t in signature.arg_types]
        signature = signature.copy_modified(arg_types=formals)
    try:
        known = _substitution(signature, binder, writer)
    except Inexpressible:
        return signature
    if not known:
        return signature
    new = expand_type(signature, known)
    new = new.copy_modified(variables=[v for v in signature.variables if v.id not in known])
    found = canonical(new, writer)
    assert isinstance(found, CallableType)
    return found


def _is_size(t: Type) -> bool:
    p = get_proper_type(t)
    return isinstance(p, Instance) and p.type.fullname == SIZE


# --- functions without a name of their own -------------------------------------------------------
def anonymous_hook(ctx: FunctionContext | MethodContext, writer: Writer) -> Type:
    """The result of calling what another call gave, `tad.grad(f)(x)`: no signature hook saw it."""
    call = ctx.context
    result = canonical(ctx.default_return_type, writer)
    if not isinstance(call, CallExpr) or isinstance(call.callee, RefExpr):
        return result
    signature = get_proper_type(ctx.api.get_expression_type(call.callee))
    if not isinstance(signature, CallableType) or not signature.variables:
        return result
    if any(k.is_star() for k in call.arg_kinds):
        return result
    if len(signature.arg_types) != len(ctx.args):
        return result
    if not _accepted(ctx, signature):
        return result  # the checker has said so
    types = {
        e: t
        for expressions, found in zip(ctx.args, ctx.arg_types, strict=True)
        for e, t in zip(expressions, found, strict=True)
    }
    values = Values(ctx.api, types)
    try:
        binder = bound(signature, _given(signature, ctx.args), values, ctx.context)
    except ShapeError as error:
        _take_back(ctx)
        ctx.api.fail(error.message, ctx.context, code=SHAPE)
        return without_shapes(result, writer)
    return _filled(signature, binder, writer).ret_type


def _take_back(ctx: FunctionContext | MethodContext) -> None:
    """Take back that the checker could not infer a variable here: what is said now is why."""
    # Any: mypy's own records of errors; a mypy without them keeps both sentences.
    found: dict[str, list[Any]] = getattr(ctx.api.msg.errors, "error_info_map", {})
    said = found.get(ctx.api.path, [])
    place = (ctx.context.line, ctx.context.column)
    said[:] = [
        e for e in said if (e.line, e.column) != place or not e.message.startswith("Cannot infer ")
    ]


def _accepted(ctx: FunctionContext | MethodContext, signature: CallableType) -> bool:
    """Whether each argument fits its formal, its variables aside."""
    loose: dict[TypeVarId, Type] = {}
    for v in signature.variables:
        if isinstance(v, TypeVarTupleType):
            loose[v.id] = v.tuple_fallback.copy_modified(args=[AnyType(TypeOfAny.special_form)])
        else:
            loose[v.id] = AnyType(TypeOfAny.special_form)
    free = expand_type(signature, loose)
    return all(
        is_subtype(t, formal)
        for formal, found in zip(free.arg_types, ctx.arg_types, strict=True)
        for t in found
    )
