"""Expressions of the user's program as specs: their text where it says more than their type."""

import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from mypy.nodes import (
    DictExpr,
    EllipsisExpr,
    Expression,
    FloatExpr,
    IntExpr,
    ListExpr,
    MemberExpr,
    NameExpr,
    SliceExpr,
    StarExpr,
    StrExpr,
    TupleExpr,
    TypeInfo,
    UnaryExpr,
    Var,
)
from mypy.plugin import CheckerPluginInterface
from mypy.types import AnyType, CallableType, Type, get_proper_type

from taglessad.dims import ANY_RANK
from taglessad.mypy_plugin.reading import kind_from, spec_from, tensor_instance
from taglessad.mypy_plugin.specs import Array, Keyed, Known, Opaque, Part, Several, Spec

_BUILTIN_DTYPES: Final = {"builtins.float": float, "builtins.int": int, "builtins.bool": bool}
_DTYPE_OF: Final = {"real": "float64", "int": "int64", "bool": "bool"}
_LONGEST_LIST: Final = 256


class Values:
    """The expressions of one call. `types`: those of the arguments, as the checker found them."""

    def __init__(
        self,
        api: CheckerPluginInterface,
        types: dict[Expression, Type],
        program: Callable[[CallableType], Spec] | None = None,
    ) -> None:
        self._api = api
        self._types = types
        self._program = program  # what a function is read as, where functions are asked for

    def type(self, e: Expression) -> Type:
        """The type of an expression."""
        found = self._types.get(e)
        return self._api.get_expression_type(e) if found is None else found

    def spec(self, e: Expression, *, tensor: bool = False) -> Spec:
        """What is known of an expression. `tensor`: where it stands a tensor may stand."""
        read = _READERS.get(e.__class__)
        found = None if read is None else read(self, e, tensor)
        return self._typed(self.type(e), tensor) if found is None else found

    def _typed(self, t: Type, tensor: bool) -> Spec:
        p = get_proper_type(t)
        if isinstance(p, AnyType):
            return Array((ANY_RANK,), "any") if tensor else Opaque("Any")
        if self._program is not None and isinstance(p, CallableType) and not p.is_type_obj():
            return self._program(p)
        return spec_from(p)


# --- what the text of each kind of expression says; None where its type says it all ---------------
def _negated(values: Values, e: UnaryExpr, tensor: bool) -> Spec | None:
    if e.op == "-":
        inner = values.spec(e.expr)
        if isinstance(inner, Known) and isinstance(inner.value, (int, float)):
            return Known(-inner.value, inner.tag)
    return None


def _several(values: Values, e: ListExpr | TupleExpr, tensor: bool) -> Spec | None:
    if StarExpr in map(type, e.items):
        return None
    if len(e.items) > _LONGEST_LIST and all(isinstance(i, FloatExpr) for i in e.items):
        return Several("list", (Known(0.0, "float"),) * len(e.items))
    items = tuple([values.spec(item, tensor=tensor) for item in e.items])
    return Several("list" if isinstance(e, ListExpr) else "tuple", items)


def _part(values: Values, e: SliceExpr, tensor: bool) -> Spec:
    begin, end, step = (
        Known(None, "NoneType") if part is None else values.spec(part)
        for part in (e.begin_index, e.end_index, e.stride)
    )
    return Part((begin, end, step))


def _dict(values: Values, e: DictExpr, tensor: bool) -> Spec:
    keys: list[str] = []
    for key, _ in e.items:
        if not isinstance(key, StrExpr):
            return Opaque("keys")
        keys.append(key.value)
    return Keyed(tuple(keys), tuple(values.spec(v, tensor=tensor) for _, v in e.items))


def _name(values: Values, e: NameExpr | MemberExpr, tensor: bool) -> Spec | None:
    """A dtype or another constant of the library or of NumPy, by its name."""
    node = e.node
    if isinstance(node, Var):
        if node.fullname.startswith("taglessad."):
            module, _, name = node.fullname.rpartition(".")
            value: Any = getattr(sys.modules.get(module), name, None)
            if isinstance(value, (np.dtype, float, int, str)) or name == "newaxis":
                return Known(value, type(value).__name__)
    elif isinstance(node, TypeInfo):
        if node.fullname in _BUILTIN_DTYPES:
            return Known(_BUILTIN_DTYPES[node.fullname], "type")
        if node.fullname.startswith("numpy."):
            scalar = getattr(np, node.name, None)
            return None if scalar is None else Known(scalar, "type")
    return None


def _member(values: Values, e: MemberExpr, tensor: bool) -> Spec | None:
    if e.name == "dtype":
        owner = tensor_instance(values.type(e.expr))
        if owner is not None:
            dtype = _DTYPE_OF.get(kind_from(owner))
            return None if dtype is None else Known(np.dtype(dtype), "dtype")
    return _name(values, e, tensor)


# Any: each reads expressions of its own class.
_READERS: Final[dict[type[Expression], Callable[[Values, Any, bool], Spec | None]]] = {
    IntExpr: lambda values, e, tensor: Known(e.value, "int"),
    StrExpr: lambda values, e, tensor: Known(e.value, "str"),
    FloatExpr: lambda values, e, tensor: Known(e.value, "float"),
    EllipsisExpr: lambda values, e, tensor: Known(Ellipsis, "ellipsis"),
    UnaryExpr: _negated,
    ListExpr: _several,
    TupleExpr: _several,
    SliceExpr: _part,
    DictExpr: _dict,
    NameExpr: _name,
    MemberExpr: _member,
}
