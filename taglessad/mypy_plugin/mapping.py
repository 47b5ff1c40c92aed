"""The parameters of a function under vmap: a mapped axis more, of a size of its own."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from mypy.types import AnyType, TypeOfAny, TypeVarId, TypeVarType

from taglessad.dims import ShapeLike, Star
from taglessad.errors import ArgumentError
from taglessad.mypy_plugin.calls import Argument
from taglessad.mypy_plugin.reading import size_from
from taglessad.mypy_plugin.specs import (
    Array,
    Keyed,
    Known,
    Number,
    Record,
    Several,
    Spec,
    Unreadable,
)
from taglessad.mypy_plugin.writing import Writer


class Formals(NamedTuple):
    """The positional parameters of a function: what stands for each, and its place."""

    specs: list[Spec]
    places: list[int]


class Mapped(NamedTuple):
    """The formals with the mapped axis, and the variable that is its size."""

    formals: Formals
    variable: TypeVarType


def in_axes(given: Sequence[Argument]) -> Spec:
    """The in_axes of a call of vmap."""
    for i, a in enumerate(given[1:]):
        if a.name == "in_axes" or (a.name is None and i == 0):
            return a.spec
    return Known(0, "int")


def entries(axes: Spec | None) -> int | None:
    """How many arguments a mapped function is given, its optional ones left out where possible."""
    if axes is None:
        return None
    return len(axes.items) if isinstance(axes, Several) else 0


def mapped_formals(formals: Formals, axes: Spec, writer: Writer) -> Mapped:
    """The parameters of a function with the mapped axis, which has a size of its own."""
    anything = writer.instance("builtins.object")
    variable = TypeVarType(
        "Mapped",
        "taglessad.transforms.batching.Mapped",
        TypeVarId.new(meta_level=0),
        [],
        anything,
        AnyType(TypeOfAny.from_omitted_generics),
    )
    size = size_from(variable)
    parts: list[Spec]
    if isinstance(axes, Several):
        parts = list(axes.items)
        if len(parts) != len(formals.specs):
            # Said by the transform itself, at the call.
            parts += [Known(None, "NoneType")] * (len(formals.specs) - len(parts))
    else:
        parts = [axes] * len(formals.specs)
    specs = [_with_axis(s, e, size) for s, e in zip(formals.specs, parts, strict=False)]
    return Mapped(Formals(specs, formals.places), variable)


def _with_axis(spec: Spec, axis: Spec, size: Any) -> Spec:
    """A formal with the mapped axis put in."""
    if isinstance(axis, Known) and axis.value is None:
        return spec
    if isinstance(spec, Array):
        if not isinstance(axis, Known) or not isinstance(axis.value, int):
            raise Unreadable("in_axes")
        return Array(_inserted(spec.shape, axis.value, size), spec.kind)
    if isinstance(spec, Number):
        return Array((size,), "real" if spec.kind == "float" else "int")
    if isinstance(spec, Several | Record | Keyed):
        inner = axis.items if isinstance(axis, Several) else (axis,) * len(spec.items)
        if len(inner) != len(spec.items):
            raise Unreadable("in_axes")
        items = tuple(_with_axis(s, a, size) for s, a in zip(spec.items, inner, strict=True))
        if isinstance(spec, Record):
            raise Unreadable("a class of other shapes")
        return spec._replace(items=items)
    raise Unreadable("in_axes")


def _inserted(shape: ShapeLike, axis: int, size: Any) -> ShapeLike:
    place = axis if axis >= 0 else len(shape) + 1 + axis
    stars = [i for i, n in enumerate(shape) if isinstance(n, Star)]
    if stars and ((axis >= 0 and axis > stars[0]) or (axis < 0 and place <= stars[0])):
        raise Unreadable("axis")
    if not 0 <= place <= len(shape):
        raise ArgumentError(f"vmap: in_axes {axis} is out of range")
    return (*shape[:place], size, *shape[place:])
