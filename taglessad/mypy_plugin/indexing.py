"""x[index] and x.at[index]: the index as it is written, its masks as arrays of unknown length."""

from typing import Any, Final

from mypy.nodes import CallExpr, Expression, IndexExpr, MemberExpr, TupleExpr
from mypy.plugin import MethodContext
from mypy.types import Type

from taglessad.dims import UNKNOWN
from taglessad.indexing.plan import check_count, check_mask
from taglessad.mypy_plugin.calls import Argument, concluded, run, values_of
from taglessad.mypy_plugin.reading import spec_from
from taglessad.mypy_plugin.specs import (
    Array,
    Choice,
    Number,
    Several,
    SizeOf,
    Spec,
    Unreadable,
    array,
)
from taglessad.mypy_plugin.values import Values
from taglessad.mypy_plugin.writing import Writer
from taglessad.tensor import AnyTensor, BoolTensor

_POSITION: Final = Array((), "int")  # an int whose value is not known


def getitem_hook(ctx: MethodContext, writer: Writer) -> Type:
    """The type of x[index]."""
    given = [
        Argument(spec_from(ctx.type), None, True),
        Argument(index_spec(ctx.args[0][0], values_of(ctx)), None, False),
    ]
    own = ctx._replace(default_return_type=ctx.type)  # of what is unknown at least the kind is not
    return concluded(own, run("index", _getitem, given), given, writer)


def _getitem(x: AnyTensor, index: Any) -> Any:  # Any: as NumPy's; one of three kinds of handle
    return x[positions(x, index)]


def update_hook(ctx: MethodContext, name: str, writer: Writer) -> Type:
    """The type of x.at[index].set(values) and its kin."""
    call = ctx.context
    if not isinstance(call, CallExpr) or not isinstance(call.callee, MemberExpr):
        return ctx.default_return_type
    indexed = call.callee.expr
    if not isinstance(indexed, IndexExpr) or not isinstance(indexed.base, MemberExpr):
        return ctx.default_return_type
    values = values_of(ctx)
    given = [
        Argument(spec_from(values.type(indexed.base.expr)), None, True),
        Argument(index_spec(indexed.index, values), None, False),
    ]
    for e, keyword in zip(call.args, call.arg_names, strict=True):
        tensor = keyword in (None, "fill_value")
        given.append(Argument(values.spec(e, tensor=tensor), keyword, tensor))

    def update(x: AnyTensor, index: Any, *args: Any, **kwargs: Any) -> Any:
        whole = _lone_mask(index) and name != "get"
        return getattr(x.at[index if whole else positions(x, index)], name)(*args, **kwargs)

    return concluded(ctx, run(f"at.{name}", update, given), given, writer)


def _lone_mask(index: Any) -> bool:  # Any: a part of an index
    return isinstance(index, BoolTensor)


def index_spec(e: Expression, values: Values) -> Spec:
    """What is known of an index; an int of unknown value is a position."""
    if isinstance(e, TupleExpr):
        return Several("tuple", tuple(index_spec(item, values) for item in e.items))
    spec = values.spec(e)
    if isinstance(spec, Several) and spec.cls == "tuple":
        return spec._replace(items=tuple(map(_position, spec.items)))
    return _position(spec)


def _position(spec: Spec) -> Spec:
    if isinstance(spec, Number) and spec.kind == "int":
        return _POSITION
    if isinstance(spec, SizeOf) and spec.size is UNKNOWN:
        return _POSITION
    if isinstance(spec, Choice) and not spec.every:  # a bool
        return Array((), "bool")
    return spec


def positions(x: AnyTensor, index: Any) -> Any:  # Any: as NumPy's
    """The index with every mask as what it means: an array of positions for each of its axes."""
    parts = index if isinstance(index, tuple) else (index,)
    if not any(map(_lone_mask, parts)):
        return index
    if any(_lone_mask(part) and part.ndim == 0 for part in parts):
        raise Unreadable("a mask of one truth value")
    free = x.ndim - sum(map(_axes_of, parts))
    check_count(free, x.shape)
    out: list[Any] = []
    axis = 0
    for part in parts:
        if _lone_mask(part):
            check_mask(part.shape, axis, x.shape)
            out += [array((UNKNOWN,), "int")] * part.ndim
        else:
            out.append(part)
        axis += free if part is Ellipsis else _axes_of(part)
    return tuple(out)


def _axes_of(part: Any) -> int:
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if _lone_mask(part) else 1
