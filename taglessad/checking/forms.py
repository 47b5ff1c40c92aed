"""Forms: what an annotation says of a value, its sizes read.

A form says nothing of how it was spelled; `annotations` reads it, `matching` holds a value to it,
`invented` makes a value of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, final

from taglessad.dims import UNKNOWN, Extent, ShapeLike, Star, Symbol
from taglessad.shapes.binding import symbols_of
from taglessad.tensor import AnyTensor


@final
@dataclass(frozen=True, slots=True)
class ArrayForm:
    """A handle of a class, `AnyTensor` for any of them, and a shape; or an array-like."""

    cls: type[AnyTensor]
    shape: ShapeLike


@final
@dataclass(frozen=True, slots=True)
class SizeForm:
    """An int that is this size."""

    size: Extent


@final
@dataclass(frozen=True, slots=True)
class ItemsForm:
    """A tuple of so many items."""

    items: tuple["Form", ...]


@final
@dataclass(frozen=True, slots=True)
class EachForm:
    """A list, a tuple of any length, or a dict, all of whose values have one form."""

    cls: type[Any]  # Any: list, tuple or dict
    each: "Form"


@final
@dataclass(frozen=True, slots=True)
class KeysForm:
    """A TypedDict: the form of each key's value, and the keys that must be there."""

    name: str
    keys: tuple[tuple[str, "Form"], ...]
    required: frozenset[str]


@final
@dataclass(frozen=True, slots=True)
class FieldsForm:
    """A NamedTuple, a dataclass or a model: the form of each field."""

    cls: type[Any]  # Any: the user's class
    fields: tuple[tuple[str, "Form"], ...]


@final
@dataclass(frozen=True, slots=True)
class SelfForm:
    """An instance of whichever class a method is called on; its fields are read when it comes."""


@final
@dataclass(frozen=True, slots=True)
class UnionForm:
    """One of several forms."""

    choices: tuple["Form", ...]


@final
@dataclass(frozen=True, slots=True)
class Opaque:
    """Nothing is known of the value but, for messages, what its annotation says."""

    annotation: Any  # Any: whatever stood there


Form: TypeAlias = (
    ArrayForm
    | SizeForm
    | ItemsForm
    | EachForm
    | KeysForm
    | FieldsForm
    | SelfForm
    | UnionForm
    | Opaque
)


def parts(form: Form) -> tuple[Form, ...]:
    """The forms directly within a form."""
    match form:
        case ItemsForm(items):
            return items
        case EachForm(_, each):
            return (each,)
        case KeysForm(_, entries, _) | FieldsForm(_, entries):
            return tuple([part for _, part in entries])
        case UnionForm(choices):
            return choices
        case _:
            return ()


def within(form: Form) -> Iterator[Form]:
    """The form and all forms within it, each once: classes may share their parts."""
    seen: set[int] = set()
    stack = [form]
    while stack:
        part = stack.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            stack.extend(reversed(parts(part)))


def mentions_arrays(form: Form) -> bool:
    """Whether there is an array in it."""
    return any(isinstance(part, ArrayForm) for part in within(form))


def variables(form: Form) -> tuple[dict[str, Symbol], dict[str, Star]]:
    """The symbols and the runs of axes in its sizes, by key."""
    symbols: dict[str, Symbol] = {}
    runs: dict[str, Star] = {}
    for part in within(form):
        sizes: ShapeLike = ()
        if isinstance(part, ArrayForm):
            sizes = part.shape
        elif isinstance(part, SizeForm):
            sizes = (part.size,)
        for n in sizes:
            if isinstance(n, Star):
                runs[n.key] = n
            else:
                symbols |= symbols_of(n)
    return symbols, runs


def has_unknown(form: Form) -> bool:
    """Whether there is a size in it of which nothing is known."""
    return any(isinstance(part, ArrayForm) and UNKNOWN in part.shape for part in within(form))
