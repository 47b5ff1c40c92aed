"""Calls of transforms: the transform itself is run, on what stands for the user's function.

A curried transform is applied at once to arguments that are as the function's annotations say,
so that what is wrong with the function is said where it is transformed. A decorator is a call.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from mypy.nodes import (
    ARG_NAMED,
    ARG_NAMED_OPT,
    ARG_OPT,
    ARG_POS,
    ARG_STAR,
    ARG_STAR2,
    CallExpr,
    Decorator,
    Expression,
    NameExpr,
)
from mypy.plugin import FunctionContext
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    ProperType,
    Type,
    TypeOfAny,
    get_proper_type,
)

from taglessad.mypy_plugin.calls import (
    Argument,
    arguments,
    concluded,
    has_any_rank,
    library_function,
    unknown,
)
from taglessad.mypy_plugin.curried import CURRIED, Curried, Transform, seed_for
from taglessad.mypy_plugin.mapping import Formals, Mapped, entries, in_axes, mapped_formals
from taglessad.mypy_plugin.models import Layer, call_signature, layer_class
from taglessad.mypy_plugin.names import SHAPE, TENSORS
from taglessad.mypy_plugin.programs import Program, function_name
from taglessad.mypy_plugin.reading import spec_from
from taglessad.mypy_plugin.running import Outcome, evaluate, spec_of
from taglessad.mypy_plugin.specs import (
    Answers,
    Arrow,
    Function,
    Opaque,
    Several,
    Spec,
    Unreadable,
    realize,
)
from taglessad.mypy_plugin.types import mentions
from taglessad.mypy_plugin.values import Values
from taglessad.mypy_plugin.writing import Inexpressible, Writer
from taglessad.transforms import batching, products, reaching, recording, series, where_nan

_UNMARKED: Final = "?"
"""Stands for an argument that holds no numbers."""


_CUSTOM: Final = "taglessad.custom.functions."
_IDENTITIES: Final = frozenset(
    {
        "taglessad.compiled.jit.jit",
        "taglessad.control.checkpoint.checkpoint",
        f"{_CUSTOM}custom_jvp",
        f"{_CUSTOM}custom_vjp",
        "taglessad.transforms.fences.no_grad",
        "taglessad.transforms.kinks.with_kinks",
    }
)
_MODULES: Final = (
    *("taglessad.transforms.", "taglessad.control.", "taglessad.compiled."),
    _CUSTOM,
)
TRANSFORMED: Final = "taglessad.transforms.results.Transformed"
# What they give holds no tensor of the program's.
_REPORTS: Final = (reaching.reach, recording.trace, where_nan.where_nan)


def transform_of(fullname: str) -> Transform | None:
    """The transform or control function of that name."""
    if not fullname.startswith(_MODULES):
        return None
    return library_function(fullname, pure=False)


def transform_hook(ctx: FunctionContext, name: str, transform: Transform, writer: Writer) -> Type:
    """The type of what a transform gives, called or as a decorator."""
    call = _call(ctx)
    if call is None:
        return ctx.default_return_type
    types: dict[Expression, Type] = {}
    for expressions, found in zip(ctx.args, ctx.arg_types, strict=True):
        types.update(zip(expressions, found, strict=True))
    values = Values(ctx.api, types, lambda f: Function(Program(f)))
    given_first = get_proper_type(values.type(call.args[0]))
    if isinstance(given_first, AnyType) and given_first.type_of_any == TypeOfAny.from_error:
        return ctx.default_return_type  # which has been said
    first = _program_type(given_first)
    if name in _IDENTITIES:
        return _unchanged(ctx, name, given_first, first, writer)
    given = arguments(call, values, transform)
    if given is None:
        return _unknown(ctx, transform)
    curried = CURRIED.get(transform)
    if curried is not None and not _immediate(transform, given):
        if first is None:
            return _unknown(ctx, transform)
        given[0] = given[0]._replace(spec=Function(Program(first)))
        if isinstance(given_first, Instance) and layer_class(given_first.type.fullname):
            unknown(ctx, ctx.context)  # a layer of the library's says no shapes by its annotations
        return _curried(ctx, transform, curried, first, given, writer)
    if isinstance(given_first, Instance) and first is not None:
        given[0] = given[0]._replace(spec=Function(Layer(given_first)))
    if not any(isinstance(a.spec, Function) for a in given):
        return _unknown(ctx, transform)
    outcome = run_immediate(name, transform, given)
    result = concluded(ctx, outcome, given, writer)
    if isinstance(get_proper_type(ctx.default_return_type), CallableType):
        return _unknown(ctx, transform)
    return result


def _call(ctx: FunctionContext) -> CallExpr | None:
    """The call; for a decorator, the one that it stands for."""
    if isinstance(ctx.context, CallExpr):
        first = ctx.context.arg_names[:1]
        return ctx.context if first in ([None], ["f"]) else None
    given = [e for expressions in ctx.args for e in expressions]
    if not isinstance(ctx.context, Decorator) or len(given) != 1:
        return None
    return CallExpr(NameExpr(ctx.context.name), given, [ARG_POS], [None])


def _program_type(p: ProperType) -> CallableType | None:
    """The type of what is transformed as a function: a function's own, or that of a model's call."""
    if isinstance(p, CallableType):
        return None if p.is_type_obj() else p
    return call_signature(p) if isinstance(p, Instance) else None


def _unchanged(
    ctx: FunctionContext, name: str, given: ProperType, f: CallableType | None, writer: Writer
) -> Type:
    """The type of what takes and gives what a function does.

    It has the attributes that it is declared to have, `lower` and `defvjp` among them.
    """
    declared = get_proper_type(ctx.default_return_type)
    if name.startswith(_CUSTOM):
        declared = writer.instance(f"{_CUSTOM}CustomRule")
    if isinstance(given, Instance) and layer_class(given.type.fullname) is not None:
        return given  # whose calls are checked by running it
    if f is None or _says_nothing(f):
        unknown(ctx, ctx.context)
    if f is None:
        return ctx.default_return_type
    return f.copy_modified(fallback=declared) if isinstance(declared, Instance) else f


def _says_nothing(f: CallableType) -> bool:
    """Whether a function gives anything, or is a lambda, whose result is as its arguments are."""
    given = [isinstance(get_proper_type(t), AnyType) for t in f.arg_types]
    lost = bool(given) and all(given) and has_any_rank(spec_from(f.ret_type))
    return lost or isinstance(get_proper_type(f.ret_type), AnyType)


def _unknown(ctx: FunctionContext, transform: Transform) -> Type:
    """The declared type; said where it speaks of no class of result."""
    result = get_proper_type(ctx.default_return_type)
    if isinstance(result, CallableType):
        result = get_proper_type(result.ret_type)
    elif isinstance(result, Instance) and result.type.fullname == TRANSFORMED:
        result = get_proper_type(result.args[0])
    if isinstance(result, AnyType) or mentions(result, TENSORS):
        if transform not in _REPORTS:
            unknown(ctx, ctx.context)
    return ctx.default_return_type


def _immediate(transform: Transform, given: Sequence[Argument]) -> bool:
    """Whether it is JAX's form, which has the point as well."""
    if transform is products.vjp:
        return sum(a.name is None for a in given) > 1
    return transform is products.jvp and any(
        a.name in ("primals", "tangents") or (a.name is None and i) for i, a in enumerate(given)
    )


def run_immediate(name: str, transform: Transform, given: Sequence[Argument]) -> Outcome:
    """The outcome of a transform that is given everything: vjp(f, x), linearize, scan, cond."""
    short = name.rpartition(".")[2]

    def call(answers: Answers) -> Any:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for a in given:
            value = realize(a.spec, answers, number=True)
            if a.name is None:
                positional.append(value)
            else:
                named[a.name] = value
        result = transform(*positional, **named)
        primals = positional[1:]
        return _Applied(short, result, primals)

    specs = [a.spec for a in given]
    return evaluate(call, specs, _read_applied)


class _Applied(NamedTuple):
    """What a transform has given, and the point it was given at."""

    name: str
    result: Any
    primals: Sequence[Any]


def _read_applied(applied: _Applied) -> Spec:
    result = applied.result
    if isinstance(result, tuple) and len(result) >= 2 and callable(result[1]):
        value, function = result[0], result[1]
        seeds = [value] if applied.name == "vjp" else list(applied.primals)
        name = "pullback" if applied.name == "vjp" else "pushforward"
        arrow = Arrow((*map(spec_of, seeds), spec_of(function(*seeds))), name)
        return Several("tuple", (spec_of(value), arrow, *map(spec_of, result[2:])))
    return spec_of(result)


# --- curried forms -------------------------------------------------------------------------------
def _formals(f: CallableType, program: Program, most: int | None = None) -> Formals:
    """`most`: how many a caller gives, if it is known."""
    specs: list[Spec] = []
    places: list[int] = []
    for i, (spec, kind) in enumerate(zip(program.arguments, f.arg_kinds, strict=True)):
        if kind == ARG_OPT and most is not None and len(specs) >= most:
            continue
        if kind in (ARG_POS, ARG_OPT):
            specs.append(spec)
            places.append(i)
        elif kind in (ARG_STAR, ARG_STAR2) or kind == ARG_NAMED:
            raise Unreadable("parameters")
    return Formals(specs, places)


def _curried(
    ctx: FunctionContext,
    transform: Transform,
    curried: Curried,
    f: CallableType,
    given: Sequence[Argument],
    writer: Writer,
) -> Type:
    function = given[0].spec
    assert isinstance(function, Function)
    program = function.make
    assert isinstance(program, Program)
    try:
        axes = in_axes(given) if transform is batching.vmap else None
        formals = _formals(f, program, entries(axes))
        mapped = None if axes is None else mapped_formals(formals, axes, writer)
    except Unreadable:
        return _unknown(ctx, transform)
    own = formals if mapped is None else mapped.formals
    if all(isinstance(s, Opaque) for s in own.specs) or isinstance(program.result, Opaque):
        return _unknown(ctx, transform)
    if transform is series.taylor and len(own.specs) != 1:
        return _unknown(ctx, transform)

    def call(answers: Answers) -> Any:
        options: dict[str, Any] = {}
        positional: list[Any] = []
        for a in given:
            value = realize(a.spec, answers)
            if a.name is None:
                positional.append(value)
            else:
                options[a.name] = value
        args = [_argument(s, answers) for s in own.specs]
        if curried.seed is None:
            return curried.apply(transform, positional, options, args)
        seed = seed_for(transform, positional, options, args)
        return curried.apply(transform, positional, options, [*args, seed]), seed

    specs = [*own.specs, *[a.spec for a in given[1:]], program.result]
    outcome = evaluate(call, specs, spec_of)
    short = transform.__name__
    if outcome.error is not None:
        ctx.api.fail(outcome.error, ctx.context, code=SHAPE)
        return AnyType(TypeOfAny.from_error)
    result, seed_spec = outcome.result, None
    if curried.seed is not None:
        if not isinstance(result, Several) or len(result.items) != 2:
            return _unknown(ctx, transform)
        result, seed_spec = result.items
    if isinstance(result, Opaque):
        return _unknown(ctx, transform)
    if has_any_rank(result) and not any(map(has_any_rank, own.specs)):
        unknown(ctx, ctx.context)
    seed = _seed_type(seed_spec, curried, writer)
    return _function(
        f, own, result, seed, curried.rest, mapped, f"{short}({function_name(f)})", writer
    )


def _argument(spec: Spec, answers: Answers) -> Any:
    if isinstance(spec, Opaque | Function):
        answers.guessed = True
        return _UNMARKED
    return realize(spec, answers, number=True)


def _seed_type(seed: Spec | None, curried: Curried, writer: Writer) -> Type | None:
    if seed is None:
        return None
    try:
        one = writer.type_of(seed)
    except Inexpressible:
        one = writer.anything()
    return writer.instance("typing.Sequence", [one]) if curried.seeds else one


def _function(
    f: CallableType,
    formals: Formals,
    result: Spec,
    seed: Type | None,
    rest: bool,
    mapped: Mapped | None,
    name: str,
    writer: Writer,
) -> Type:
    """The type of the function that a curried transform gives."""
    try:
        returned = writer.type_of(result)
    except Inexpressible:
        returned = writer.anything()
    types: list[Type] = []
    for i, t in enumerate(f.arg_types):
        if mapped is not None and i in formals.places:
            try:
                types.append(writer.type_of(formals.specs[formals.places.index(i)], t))
            except Inexpressible:
                types.append(writer.anything())
        else:
            types.append(t)
    kinds, names = list(f.arg_kinds), list(f.arg_names)
    if seed is not None:
        # f's optional arguments go by keyword: the seed is the last positional one.
        kinds = [ARG_NAMED_OPT if k == ARG_OPT else k for k in kinds]
        last = len([k for k in kinds if k == ARG_POS])
        types.insert(last, seed)
        kinds.insert(last, ARG_POS)
        names.insert(last, None)
        if rest:
            types.insert(last + 1, seed)
            kinds.insert(last + 1, ARG_STAR)
            names.insert(last + 1, None)
    variables = list(f.variables) + ([mapped.variable] if mapped is not None else [])
    return f.copy_modified(
        arg_types=types,
        arg_kinds=kinds,
        arg_names=names,
        ret_type=returned,
        name=name,
        variables=variables,
        definition=None,
        implicit=False,
        special_sig=None,
    )
