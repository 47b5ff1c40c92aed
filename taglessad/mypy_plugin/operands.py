"""Which operand of a call it is of which mypy knows nothing, as the program's text has it."""

from mypy.nodes import Expression, IndexExpr, ListExpr, MemberExpr, NameExpr, TupleExpr
from mypy.plugin import FunctionContext, MethodContext
from mypy.types import AnyType, ProperType, UnionType, get_proper_type


def named_any(ctx: FunctionContext | MethodContext) -> str | None:
    """The first operand whose type is Any, or may be."""
    for expressions, types in zip(ctx.args, ctx.arg_types, strict=True):
        for e, t in zip(expressions, types, strict=True):
            found = _within(ctx, e, get_proper_type(t))
            if found is not None:
                return found
    return None


def _within(ctx: FunctionContext | MethodContext, e: Expression, p: ProperType) -> str | None:
    if isinstance(e, ListExpr | TupleExpr):
        for item in e.items:
            of_item = get_proper_type(ctx.api.get_expression_type(item))
            found = _within(ctx, item, of_item)
            if found is not None:
                return found
        return None
    parts = p.items if isinstance(p, UnionType) else [p]
    return _text(e) if any(isinstance(get_proper_type(part), AnyType) for part in parts) else None


def _text(e: Expression) -> str:
    if isinstance(e, NameExpr):
        return e.name
    if isinstance(e, MemberExpr):
        return f"{_text(e.expr)}.{e.name}"
    if isinstance(e, IndexExpr):
        return f"{_text(e.base)}[...]"
    return "an operand"
