"""Attributes of tensors, and arithmetic of sizes."""

from collections.abc import Callable
from typing import Any, Final

from mypy.plugin import AnalyzeTypeContext, AttributeContext, MethodContext
from mypy.types import (
    AnyType,
    Instance,
    LiteralType,
    TupleType,
    Type,
    TypeOfAny,
    UnpackType,
    get_proper_type,
)

from taglessad.dims import ANY_RANK, UNKNOWN, Extent, Star
from taglessad.mypy_plugin.calls import Argument, run
from taglessad.mypy_plugin.names import SHAPE
from taglessad.mypy_plugin.reading import combined, named_fields, shape_from, size_from, spec_from
from taglessad.mypy_plugin.specs import Known, SizeOf, Spec
from taglessad.mypy_plugin.types import canonical
from taglessad.mypy_plugin.values import Values
from taglessad.mypy_plugin.writing import Inexpressible, Writer
from taglessad.shapes import known_rank, size


def attribute_type(ctx: AttributeContext, name: str, writer: Writer) -> Type:
    """The type of an attribute of a tensor."""
    shape = shape_from(ctx.type)
    if shape is None or shape == (ANY_RANK,):
        return ctx.default_attr_type
    if name == "shape":
        items: list[Type] = []
        for n in shape:
            if isinstance(n, Star):
                ints = writer.instance("builtins.tuple", [writer.instance("builtins.int")])
                items.append(UnpackType(ints))
            else:
                items.append(writer.sized_int(n))
        whole = writer.instance("builtins.tuple", [writer.instance("builtins.int")])
        return TupleType(items, whole)
    known = known_rank(shape)
    if name == "size" and known is not None:
        return writer.sized_int(size(known))
    if name == "ndim" and known is not None:
        return LiteralType(len(known), writer.instance("builtins.int"))
    return ctx.default_attr_type


def transpose_type(ctx: AttributeContext, name: str, writer: Writer) -> Type:
    """The type of `x.T` and `x.mT`."""

    def transposed(x: Any) -> Any:  # Any: a handle in, a handle out
        return getattr(x, name)

    outcome = run(f".{name}", transposed, [Argument(spec_from(ctx.type), None, True)])
    if outcome.error is not None:
        ctx.api.fail(outcome.error, ctx.context, code=SHAPE)
        return ctx.default_attr_type
    try:
        return writer.type_of(outcome.result, ctx.default_attr_type)
    except Inexpressible:
        return ctx.default_attr_type


def field_type(ctx: AttributeContext, name: str, writer: Writer) -> Type:
    """The type of a field of a named tuple that a function of the library gives."""
    p = get_proper_type(ctx.type)
    if isinstance(p, TupleType):
        names = named_fields(p.partial_fallback.type)
        if name in names and names.index(name) < len(p.items):
            return p.items[names.index(name)]
    return ctx.default_attr_type


def canonical_attribute(ctx: AttributeContext, writer: Writer) -> Type:
    """The type of a user's attribute with its sizes worked out."""
    return canonical(ctx.default_attr_type, writer)


# --- sizes ---------------------------------------------------------------------------------------
_OPERATIONS: Final[dict[str, Callable[[Extent, Extent], Extent]]] = {
    "__add__": lambda a, b: a + b,
    "__sub__": lambda a, b: a - b,
    "__mul__": lambda a, b: a * b,
    "__floordiv__": lambda a, b: UNKNOWN if b == 0 else a // b,
    "__radd__": lambda a, b: b + a,
    "__rsub__": lambda a, b: b - a,
    "__rmul__": lambda a, b: b * a,
    "__rfloordiv__": lambda a, b: UNKNOWN if a == 0 else b // a,
}
SIZE_METHODS: Final = frozenset(_OPERATIONS)


def size_method(ctx: MethodContext, name: str, writer: Writer) -> Type:
    """The type of arithmetic of a size with another int."""
    p = get_proper_type(ctx.type)
    if not isinstance(p, Instance) or not ctx.args or not ctx.args[0]:
        return ctx.default_return_type
    values = Values(ctx.api, {ctx.args[0][0]: ctx.arg_types[0][0]})
    other = extent_of(values.spec(ctx.args[0][0]))
    if other is None:
        return ctx.default_return_type
    return writer.sized_int(_OPERATIONS[name](size_from(p.args[0]), other))


def extent_of(spec: Spec) -> Extent | None:
    """The size that an int is, if it is known."""
    if isinstance(spec, SizeOf):
        return spec.size
    if isinstance(spec, Known) and type(spec.value) is int:
        return spec.value
    return None


# --- annotations ---------------------------------------------------------------------------------
def analyze_size(ctx: AnalyzeTypeContext, writer: Writer) -> Type:
    """`Size[N]` in an annotation."""
    arguments = [ctx.api.analyze_type(a) for a in ctx.type.args]
    try:
        return writer.sized_int(size_from(arguments[0]) if arguments else UNKNOWN)
    except Inexpressible:
        return ctx.api.named_type("builtins.int", [])


def analyze_arithmetic(ctx: AnalyzeTypeContext, name: str, writer: Writer) -> Type:
    """`Add[N, M]` and its kin in an annotation."""
    arguments = [ctx.api.analyze_type(a) for a in ctx.type.args]
    if len(arguments) != 2:
        ctx.api.fail(f"{name} takes two sizes", ctx.context)
        return AnyType(TypeOfAny.from_error)
    return writer.size(combined(name, size_from(arguments[0]), size_from(arguments[1])))
