"""Models of the user's made of layers: the sizes in the types of the layers, bound as a call's are.

Run time has no part in this: a layer's sizes are those of its arrays, and fit when it is called.
"""

from mypy.maptype import map_instance_to_supertype
from mypy.types import (
    AnyType,
    Instance,
    LiteralType,
    TupleType,
    Type,
    TypeVarTupleType,
    TypeVarType,
    UnionType,
    UnpackType,
    get_proper_type,
)

from taglessad.dims import ShapeLike, Star
from taglessad.errors import ShapeError
from taglessad.mypy_plugin.names import DIM, EXPRESSIONS, SIZE, TENSORS
from taglessad.mypy_plugin.reading import record_fields, run_from, size_from
from taglessad.shapes import show
from taglessad.shapes.binding import Binder


def holds_models(t: Type) -> bool:
    """Whether a type is, or has in it, a generic class of numbers: a layer, a dataclass."""
    p = get_proper_type(t)
    if isinstance(p, UnionType | TupleType):
        return any(map(holds_models, p.items))
    if not isinstance(p, Instance) or not p.args or p.type.fullname in TENSORS:
        return False
    return record_fields(p.type) is not None or any(map(holds_models, p.args))


def bind_models(binder: Binder, want: Type, have: Type, place: str) -> bool:
    """Bind the sizes in an annotated type to those of what comes; whether there are any.

    Raises ShapeError where they do not fit.
    """
    formal, given = get_proper_type(want), get_proper_type(have)
    if isinstance(formal, UnionType):
        return any([bind_models(binder, item, given, place) for item in formal.items])
    if isinstance(formal, TupleType) and isinstance(given, TupleType):
        if len(formal.items) != len(given.items):
            return False
        pairs = zip(formal.items, given.items, strict=True)
        return any([bind_models(binder, w, h, f"{place}[{i}]") for i, (w, h) in enumerate(pairs)])
    if not isinstance(formal, Instance) or not isinstance(given, Instance):
        return False
    if formal.type.fullname in TENSORS or not given.type.has_base(formal.type.fullname):
        return False
    given = map_instance_to_supertype(given, formal.type)
    if record_fields(formal.type) is None:
        pairs = zip(formal.args, given.args, strict=False)
        return any([bind_models(binder, w, h, place) for w, h in pairs])
    wanted, came = _sizes(formal), _sizes(given)
    if not wanted or came is None:
        return False
    _bind(binder, formal.type.name, wanted, came, place)
    return True


def _bind(binder: Binder, cls: str, want: ShapeLike, have: ShapeLike, place: str) -> None:
    try:
        binder.bind(want, have, place)
    except ShapeError as error:
        said = f"shape {show(have)} where {show(want)} is"
        named = f"{cls}{show(have)} where {cls}{show(want)} is"
        raise ShapeError(error.message.replace(said, named)) from None


def _sizes(p: Instance) -> ShapeLike | None:
    """The type arguments as sizes; None where some are other types."""
    out: list[object] = []
    for arg in p.args:
        a = get_proper_type(arg)
        if isinstance(a, UnpackType):
            inner = get_proper_type(a.type)
            if not isinstance(inner, TypeVarTupleType):
                return None
            out.append(run_from(inner))
        elif _is_size(a):
            out.append(size_from(a))
        else:
            return None
    if sum(isinstance(n, Star) for n in out) > 1:
        return None
    return tuple(out)  # type: ignore[arg-type]  # sizes and at most one run


def _is_size(p: Type) -> bool:
    if isinstance(p, LiteralType | TypeVarType | AnyType):
        return True
    if not isinstance(p, Instance):
        return False
    return (
        p.type.fullname in EXPRESSIONS
        or p.type.fullname in (SIZE, "builtins.int")
        or any(base.fullname == DIM for base in p.type.mro)
    )
