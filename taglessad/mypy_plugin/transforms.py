"""Calls of transforms: the transform itself is run, on what stands for the user's function.

A curried transform is applied at once to arguments that are as the function's annotations say,
so that what is wrong with the function is said where it is transformed. Two kinds are not run,
since they count directions, and a size may be a symbol: the Jacobians and the Hessian.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from mypy.nodes import (
    ARG_NAMED,
    ARG_NAMED_OPT,
    ARG_OPT,
    ARG_POS,
    ARG_STAR,
    ARG_STAR2,
    CallExpr,
    Expression,
)
from mypy.plugin import FunctionContext
from mypy.types import (
    AnyType,
    CallableType,
    Type,
    TypeOfAny,
    get_proper_type,
)

from taglessad.mypy_plugin.calls import (
    Argument,
    arguments,
    concluded,
    library_function,
    unknown,
)
from taglessad.mypy_plugin.mapping import Formals, Mapped, entries, in_axes, mapped_formals
from taglessad.mypy_plugin.names import SHAPE
from taglessad.mypy_plugin.programs import Program, function_name
from taglessad.mypy_plugin.running import Outcome, evaluate, spec_of
from taglessad.mypy_plugin.specs import (
    Answers,
    Arrow,
    Function,
    Opaque,
    Several,
    Spec,
    Unreadable,
    array,
    kind_of,
    realize,
)
from taglessad.mypy_plugin.values import Values
from taglessad.mypy_plugin.writing import Inexpressible, Writer
from taglessad.transforms import batching, gradient, jacobian, products
from taglessad.transforms.arguments import choose
from taglessad.transforms.gradient import gradient_and_value
from taglessad.trees import flatten, unflatten

Transform = Callable[..., Any]  # Any: functions of functions

_UNMARKED: Final = "?"
"""Stands for an argument that holds no numbers."""


class Curried(NamedTuple):
    """What comes back is a function of the same arguments, and of a seed where there is one."""

    apply: Callable[[Transform, Sequence[Any], dict[str, Any], Sequence[Any]], Any]
    seed: str | None = None


# --- how each transform is applied to symbolic arguments ------------------------------------------
def _plainly(
    transform: Transform, f: Sequence[Any], options: dict[str, Any], args: Sequence[Any]
) -> Any:
    return transform(*f, **options)(*args)


def _jacobian(what: str) -> Callable[..., Any]:
    def apply(
        _transform: Transform, f: Sequence[Any], options: dict[str, Any], args: Sequence[Any]
    ) -> Any:
        given = _options(("argnums",), f[1:], options)
        program, argnums = f[0], given.get("argnums", 0)
        chosen = choose(what, program, args, {}, argnums, None)
        if what == "hessian":
            output: Any = gradient_and_value(what, program, argnums)(*args)[0]
            aux: tuple[Any, ...] = ()
        else:
            result = chosen.call(chosen.leaves)
            if given.get("has_aux"):
                output, aux = result[0], (result[1],)
            else:
                output, aux = result, ()
        outputs, treedef = flatten(output)
        blocks = [
            chosen.restore([array((*y.shape, *x.shape), kind_of(x)) for x in chosen.leaves])
            for y in outputs
        ]
        whole = unflatten(treedef, blocks)
        return (whole, *aux) if aux else whole

    return apply


def _options(
    names: Sequence[str], positional: Sequence[Any], named: dict[str, Any]
) -> dict[str, Any]:
    """Options by name, however they were given."""
    return {**dict(zip(names, positional, strict=False)), **named}


_CURRIED: Final = {
    gradient.grad: Curried(_plainly),
    gradient.value_and_grad: Curried(_plainly),
    products.vjp: Curried(_plainly, "cotangent"),
    products.jvp: Curried(_plainly, "tangent"),
    products.hvp: Curried(_plainly, "tangent"),
    jacobian.jacfwd: Curried(_jacobian("jacfwd")),
    jacobian.jacrev: Curried(_jacobian("jacrev")),
    jacobian.hessian: Curried(_jacobian("hessian")),
    batching.vmap: Curried(_plainly),
}
_IDENTITIES: Final = (
    "taglessad.compiled.jit.jit",
    "taglessad.transforms.fences.no_grad",
    "taglessad.transforms.checkpointing.checkpoint",
    "taglessad.custom.checkpoint.checkpoint",
)
_MODULES: Final = ("taglessad.transforms.", "taglessad.control.", "taglessad.compiled.")


def transform_of(fullname: str) -> Transform | None:
    """The transform or control function of that name."""
    if not fullname.startswith(_MODULES):
        return None
    return library_function(fullname, pure=False)


def transform_hook(ctx: FunctionContext, name: str, transform: Transform, writer: Writer) -> Type:
    """The type of what a transform gives."""
    call = ctx.context
    if not isinstance(call, CallExpr) or not call.args:
        return ctx.default_return_type
    types: dict[Expression, Type] = {}
    for expressions, found in zip(ctx.args, ctx.arg_types, strict=True):
        types.update(zip(expressions, found, strict=True))
    values = Values(ctx.api, types, lambda f: Function(Program(f)))
    first = get_proper_type(values.type(call.args[0]))
    if name in _IDENTITIES:
        if isinstance(first, CallableType) and not first.is_type_obj():
            return first
        return ctx.default_return_type
    given = arguments(call, values, transform)
    if given is None:
        return ctx.default_return_type
    curried = _CURRIED.get(transform)
    if curried is not None and not _immediate(transform, given):
        if not isinstance(first, CallableType) or not isinstance(given[0].spec, Function):
            return ctx.default_return_type
        return _curried(ctx, transform, curried, first, given, writer)
    if not any(isinstance(a.spec, Function) for a in given):
        return ctx.default_return_type
    outcome = run_immediate(name, transform, given)
    return concluded(ctx, outcome, given, writer)


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
    declared = ctx.default_return_type
    try:
        axes = in_axes(given) if transform is batching.vmap else None
        formals = _formals(f, program, entries(axes))
        mapped = None if axes is None else mapped_formals(formals, axes, writer)
    except Unreadable:
        return declared
    own = formals if mapped is None else mapped.formals
    if all(isinstance(s, Opaque) for s in own.specs) or isinstance(program.result, Opaque):
        unknown(ctx, ctx.context)
        return declared

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
        seed = _seed(transform, positional, options, args)
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
            return declared
        result, seed_spec = result.items
    return _function(f, own, result, seed_spec, mapped, f"{short}({function_name(f)})", writer)


def _argument(spec: Spec, answers: Answers) -> Any:
    if isinstance(spec, Opaque | Function):
        answers.guessed = True
        return _UNMARKED
    return realize(spec, answers, number=True)


def _seed(
    transform: Transform, f: Sequence[Any], options: dict[str, Any], args: Sequence[Any]
) -> Any:
    """The seed of a product: of the result's structure, or of the arguments' that are chosen."""
    given = _options((), (), options)
    if transform is products.vjp:
        y = f[0](*args)
        return y[0] if given.get("has_aux") else y
    chosen = choose(transform.__name__, f[0], args, {}, given.get("argnums", 0), None)
    return chosen.restore([array(x.shape, kind_of(x)) for x in chosen.leaves])


def _function(
    f: CallableType,
    formals: Formals,
    result: Spec,
    seed: Spec | None,
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
        try:
            types.insert(last, writer.type_of(seed))
        except Inexpressible:
            types.insert(last, writer.anything())
        kinds.insert(last, ARG_POS)
        names.insert(last, None)
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
