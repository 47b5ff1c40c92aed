"""What a program's annotations ask of a call: its parameters and its result, as forms."""

import inspect
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from taglessad.checking.annotations import is_named, read
from taglessad.checking.forms import (
    Form,
    Opaque,
    SelfForm,
    mentions_arrays,
    variables,
)
from taglessad.dims import Star, Symbol

# Any throughout: annotations, defaults and arguments are any objects.
Function: TypeAlias = Callable[..., Any]

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a program; `place` is what messages call it."""

    name: str
    form: Form
    place: str
    kind: Any
    default: Any


@dataclass(frozen=True, slots=True)
class Signature:
    """A program's parameters and result.

    positional: those that may be given by position, in order. symbols, runs: the sizes and runs of
    axes in the annotations, by key. named: the keys of named dimensions among them, which are
    bound once per outermost call.
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: Form
    positional: tuple[Parameter, ...]
    symbols: Mapping[str, Symbol]
    runs: Mapping[str, Star]
    named: tuple[str, ...]

    @property
    def method(self) -> bool:
        """Whether it is called on an instance, whose class has sizes of its own."""
        return bool(self.parameters) and isinstance(self.parameters[0].form, SelfForm)

    @property
    def annotated(self) -> bool:
        """Whether an array is annotated anywhere."""
        forms = (self.result, *(p.form for p in self.parameters))
        return any(mentions_arrays(form) for form in forms)


def signature(f: Function, names: Mapping[str, Any] | None = None) -> Signature:
    """Read the annotations of a function; `names` are known besides its module's and its own.

    Raises what evaluating an annotation raises, such as NameError for a forward reference.
    """
    known = {**(names or {}), **_own_names(f)}
    hints = typing.get_type_hints(f, localns=known, include_extras=True)
    parameters: list[Parameter] = []
    for i, p in enumerate(inspect.signature(f).parameters.values()):
        form: Form = Opaque(p.empty)
        if p.name in hints:
            form = read(hints[p.name])
        elif i == 0 and p.name == "self":
            form = SelfForm()
        parameters.append(Parameter(p.name, form, f"argument {p.name!r}", p.kind, p.default))
    result = read(hints["return"]) if "return" in hints else Opaque(inspect.Signature.empty)
    symbols: dict[str, Symbol] = {}
    runs: dict[str, Star] = {}
    for form in (*(p.form for p in parameters), result):
        more, others = variables(form)
        symbols |= more
        runs |= others
    return Signature(
        name=f.__name__,
        parameters=tuple(parameters),
        result=result,
        positional=tuple([p for p in parameters if p.kind in _POSITIONAL]),
        symbols=symbols,
        runs=runs,
        named=tuple([key for key in symbols if is_named(key)]),
    )


def _own_names(f: Function) -> dict[str, Any]:
    """The names that a function knows besides its module's: of its closure, its type parameters."""
    plain = inspect.unwrap(f)
    found: dict[str, Any] = {}
    for name, cell in zip(
        getattr(getattr(plain, "__code__", None), "co_freevars", ()),
        getattr(plain, "__closure__", None) or (),
        strict=False,
    ):
        with suppress(ValueError):  # not bound yet
            found[name] = cell.cell_contents
    found |= {t.__name__: t for t in getattr(plain, "__type_params__", ())}
    return found
