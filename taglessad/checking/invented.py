"""Arguments that are nothing but shapes, made from forms: what programs are tried out on."""

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any, Final

from taglessad.checking.annotations import invented_key, read_class
from taglessad.checking.forms import (
    ArrayForm,
    EachForm,
    FieldsForm,
    Form,
    ItemsForm,
    KeysForm,
    Opaque,
    SelfForm,
    SizeForm,
    UnionForm,
    mentions_arrays,
)
from taglessad.checking.signature import Parameter, Signature
from taglessad.dims import ANY_RANK, Extent, Shape, Star, Symbol, symbol
from taglessad.dtypes import DType, bool_, float64, int64
from taglessad.interpreters.shape import Shape as Shapes
from taglessad.primitive import Aval
from taglessad.shapes.binding import substitute
from taglessad.tensor import BoolTensor, IntTensor, handle

# Any throughout: arguments are whatever the program takes.

SIZES: Final = (12, 24, 60, 108, 180, 264, 396)
"""Sizes where a program needs numbers: none is the sum of two, and halves and thirds exist."""

RANKS: Final = (2, 1, 0)
"""The numbers of axes that a run `*B` stands for, one after the other."""

ENTRIES: Final = 2
"""How many entries a list or a tuple of any length gets."""

_DTYPES: Final[Mapping[Any, DType]] = {IntTensor: int64, BoolTensor: bool_}
_NUMBERS: Final[Mapping[Any, tuple[DType, float]]] = {
    float: (float64, 0.5),
    int: (int64, 1),
    bool: (bool_, False),
}


class CannotInvent(Exception):
    """An argument that no annotation describes well enough."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the sizes and runs of a signature stand for in one trial.

    python: numbers are Python's own, else handles whose values are not known.
    """

    sizes: Mapping[str, Extent]
    runs: Mapping[str, Shape]
    python: bool
    names: tuple[str, ...]

    def __str__(self) -> str:
        """What a message says of the trial; nothing, where every size is a symbol."""
        return ", ".join(self.names)


def trials(
    symbols: Mapping[str, Symbol], runs: Mapping[str, Star], *, numeric: bool, python: bool
) -> Iterator[Sizes]:
    """The sizes to try a program on: symbols, or numbers; each run in several lengths."""
    for turn in range(len(RANKS) if runs else 1):
        numbers = iter(SIZES * (1 + (len(symbols) + 2 * len(runs)) // len(SIZES)))
        sizes: dict[str, Extent] = {}
        names: list[str] = []
        for key, name in _distinct(symbols).items():
            sizes[key] = next(numbers) if numeric else symbol(Symbol(invented_key(key), name))
            if numeric:
                names.append(f"{name} = {sizes[key]}")
        lengths: dict[str, Shape] = {}
        for place, (key, run) in enumerate(runs.items()):
            axes = [f"{run.name}{i + 1}" for i in range(RANKS[(turn + place) % len(RANKS)])]
            lengths[key] = tuple(
                [
                    next(numbers) if numeric else symbol(Symbol(f"{invented_key(key)}{i}", axis))
                    for i, axis in enumerate(axes)
                ]
            )
            names.append(f"{run} = [{', '.join(map(str, lengths[key]))}]")
        yield Sizes(sizes, lengths, python, tuple(names))


def _distinct(symbols: Mapping[str, Symbol]) -> dict[str, str]:
    """Names by key; of two variables of one name the second gets a mark, so that they differ."""
    names: dict[str, str] = {}
    for key, atom in symbols.items():
        name = atom.name
        while name in names.values():
            name += "'"
        names[key] = name
    return names


def is_number(form: Form) -> bool:
    """Whether it is one of Python's numbers."""
    return isinstance(form, Opaque) and form.annotation in _NUMBERS


def arguments(
    signature: Signature, sizes: Sizes, ops: Shapes, owner: type[Any] | None
) -> tuple[list[Any], dict[str, Any]]:
    """A call's arguments; what has a default and no array in its annotation is left out.

    owner: the class of a method. Raises CannotInvent.
    """
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for p in signature.parameters:
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            args += [_argument(p, p.form, sizes, ops) for _ in range(ENTRIES)]
            continue
        if p.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        form = p.form
        if isinstance(form, SelfForm):
            if owner is None:
                raise CannotInvent("self is not annotated")
            form = read_class(owner)
        has_default = p.default is not inspect.Parameter.empty
        if has_default and not mentions_arrays(form):
            # A parameter behind one that is left out can only be given by its name.
            if p.kind is not inspect.Parameter.KEYWORD_ONLY:
                args.append(p.default)
            continue
        value = _argument(p, form, sizes, ops)
        if p.kind is inspect.Parameter.KEYWORD_ONLY:
            kwargs[p.name] = value
        else:
            args.append(value)
    return args, kwargs


def _argument(p: Parameter, form: Form, sizes: Sizes, ops: Shapes) -> Any:
    try:
        return _invent(form, sizes, ops)
    except CannotInvent as error:
        raise CannotInvent(f"{p.place} {error}") from None


def _invent(form: Form, sizes: Sizes, ops: Shapes) -> Any:
    match form:
        case ArrayForm(cls, shape):
            dtype = _DTYPES.get(cls, float64)
            return handle(ops, Aval(_shape(shape, sizes), dtype), dtype)
        case SizeForm(size):
            return substitute(size, sizes.sizes)
        case ItemsForm(items):
            return tuple([_invent(item, sizes, ops) for item in items])
        case EachForm(cls, each):
            if cls is dict:
                raise CannotInvent("is a dict whose keys no annotation tells")
            return cls([_invent(each, sizes, ops) for _ in range(ENTRIES)])
        case KeysForm(_, keys, _):
            return {key: _invent(part, sizes, ops) for key, part in keys}
        case FieldsForm(cls, fields):
            return _instance(cls, fields, sizes, ops)
        case UnionForm(choices):
            return _first(choices, sizes, ops)
        case SelfForm():
            raise CannotInvent("is not annotated")
        case Opaque(annotation):
            if annotation in (None, NoneType):
                return None
            if annotation in _NUMBERS:
                dtype, number = _NUMBERS[annotation]
                if sizes.python:
                    return number
                return handle(ops, Aval((), dtype), dtype, weak=True)
            if annotation is inspect.Parameter.empty:
                raise CannotInvent("is not annotated")
            written = getattr(annotation, "__name__", None) or str(annotation)
            raise CannotInvent(f"is annotated as {written}, which no shape stands for")


def _shape(shape: tuple[Extent | Star, ...], sizes: Sizes) -> Shape:
    out: list[Extent] = []
    for n in shape:
        if n == ANY_RANK:
            raise CannotInvent("is a tensor whose number of axes no annotation tells")
        if isinstance(n, Star):
            out.extend(sizes.runs[n.key])
        else:
            out.append(substitute(n, sizes.sizes))
    return tuple(out)


def _first(choices: tuple[Form, ...], sizes: Sizes, ops: Shapes) -> Any:
    failure = CannotInvent("")
    # One with arrays in it is the one that there is something to check in.
    for form in sorted(choices, key=lambda form: not mentions_arrays(form)):
        try:
            return _invent(form, sizes, ops)
        except CannotInvent as error:
            failure = error
    raise failure


def _instance(
    cls: type[Any], fields: tuple[tuple[str, Form], ...], sizes: Sizes, ops: Shapes
) -> Any:
    """An instance of a NamedTuple or a dataclass, made as trees are: without `__init__`."""
    values: dict[str, Any] = {}
    defaults = _defaults(cls)
    for name, form in fields:
        if isinstance(form, Opaque) and name in defaults:
            values[name] = defaults[name]
            continue
        try:
            if is_number(form):
                raise CannotInvent("is a number of which nothing is known; `Size` says more")
            values[name] = _invent(form, sizes, ops)
        except CannotInvent as error:
            if name not in defaults:
                raise CannotInvent(f"has a field {name!r} that {error}") from None
            values[name] = defaults[name]
    if not dataclasses.is_dataclass(cls):
        return cls(**values)
    node = object.__new__(cls)
    for name, value in {**defaults, **values}.items():
        object.__setattr__(node, name, value)
    return node


def _defaults(cls: type[Any]) -> dict[str, Any]:
    if not dataclasses.is_dataclass(cls):
        return dict(cls._field_defaults)
    found: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        if field.default is not dataclasses.MISSING:
            found[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            found[field.name] = field.default_factory()
    return found
