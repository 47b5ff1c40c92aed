"""Functions of the user's program, by their types: what a transform is given to run.

What stands for a function checks its arguments against the annotations, by the binder that
`tad.program` uses, and returns what the annotation of its result says.
"""

import inspect
from collections.abc import Sequence
from typing import Any, Final

from mypy.nodes import ARG_NAMED, ARG_NAMED_OPT, ARG_OPT, ARG_POS, ARG_STAR, ARG_STAR2
from mypy.types import AnyType, CallableType, Type, TypeVarTupleType, TypeVarType, get_proper_type

from taglessad.dims import Star
from taglessad.errors import ArgumentError
from taglessad.mypy_plugin.reading import spec_from, variable_key
from taglessad.mypy_plugin.specs import (
    Answers,
    Array,
    Keyed,
    Opaque,
    Record,
    Several,
    SizeOf,
    Spec,
    Unreadable,
    realize,
)
from taglessad.shapes.binding import Binder
from taglessad.tensor import AnyTensor

_PARAMETER: Final = inspect.Parameter
_PARAMETER_KINDS: Final = {
    ARG_POS: _PARAMETER.POSITIONAL_OR_KEYWORD,
    ARG_OPT: _PARAMETER.POSITIONAL_OR_KEYWORD,
    ARG_STAR: _PARAMETER.VAR_POSITIONAL,
    ARG_NAMED: _PARAMETER.KEYWORD_ONLY,
    ARG_NAMED_OPT: _PARAMETER.KEYWORD_ONLY,
    ARG_STAR2: _PARAMETER.VAR_KEYWORD,
}


def function_name(f: CallableType) -> str:
    """What messages call a function."""
    return (f.name or "the function").split(" of ")[0]


def own_variables(f: CallableType) -> dict[str, TypeVarType | TypeVarTupleType]:
    """The type variables that a call of f binds, by key."""
    return {
        variable_key(v): v for v in f.variables if isinstance(v, TypeVarType | TypeVarTupleType)
    }


def signature_of(f: CallableType) -> inspect.Signature:
    """The signature as run time would have it: names, kinds, which have defaults."""
    parameters: list[inspect.Parameter] = []
    taken: set[str] = set()
    for i, (kind, name) in enumerate(zip(f.arg_kinds, f.arg_names, strict=True)):
        how: Any = _PARAMETER_KINDS[kind]  # Any: the enum is private to inspect
        if name is None and how is _PARAMETER.POSITIONAL_OR_KEYWORD:
            how = _PARAMETER.POSITIONAL_ONLY
        unique = name if name is not None and name not in taken else f"_{i}"
        taken.add(unique)
        default = None if kind in (ARG_OPT, ARG_NAMED_OPT) else _PARAMETER.empty
        parameters.append(_PARAMETER(unique, how, default=default))
    try:
        return inspect.Signature(parameters)
    except ValueError:
        raise Unreadable("signature") from None


class Program:
    """Makes what stands for a function; `specs` are what its annotations say.

    With `bound` the function is seen from its own body: its variables are sizes of their own.
    """

    def __init__(self, f: CallableType) -> None:
        self.type = f
        self.arguments: tuple[Spec, ...] = tuple(_annotated(t) for t in f.arg_types)
        self.result = _annotated(f.ret_type)
        self.specs = () if f.variables else (*self.arguments, self.result)

    def __call__(self, answers: Answers) -> Any:
        """A function of handles. Any: its arguments and result are trees of them."""
        program = self
        own = own_variables(self.type)
        name = function_name(self.type)
        signature = signature_of(self.type)

        def stand_in(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise ArgumentError(f"{name}: {error}") from None
            binder = Binder(name, own)
            for (key, value), spec in _given(bound, signature, program.arguments):
                match(binder, spec, value, f"argument {key!r}", answers)
            binder.finish()
            return realize(filled(program.result, binder), answers, number=True)

        stand_in.__signature__ = signature  # type: ignore[attr-defined]  # inspect reads it
        stand_in.__name__ = stand_in.__qualname__ = name
        return stand_in


def _annotated(t: Type) -> Spec:
    if isinstance(get_proper_type(t), AnyType):
        return Opaque("Any")
    return spec_from(t)


def _given(
    bound: inspect.BoundArguments, signature: inspect.Signature, specs: Sequence[Spec]
) -> list[tuple[tuple[str, Any], Spec]]:
    """Each argument with its name and what is annotated for it."""
    out: list[tuple[tuple[str, Any], Spec]] = []
    for (name, parameter), spec in zip(signature.parameters.items(), specs, strict=True):
        if name not in bound.arguments:
            continue
        value = bound.arguments[name]
        if parameter.kind is _PARAMETER.VAR_POSITIONAL:
            out += [((f"{name}[{i}]", v), spec) for i, v in enumerate(value)]
        elif parameter.kind is not _PARAMETER.VAR_KEYWORD:
            out.append(((name, value), spec))
    return out


def match(binder: Binder, spec: Spec, value: Any, place: str, answers: Answers) -> None:
    """Bind what is annotated to a value. Any: a tree of handles."""
    if isinstance(spec, Array) and isinstance(value, AnyTensor):
        binder.bind(_spelled_rigid(spec.shape, binder, answers), value.shape, place)
    elif isinstance(spec, Several | Record) and isinstance(value, tuple):
        if len(value) == len(spec.items):
            for i, (inner, v) in enumerate(zip(spec.items, value, strict=True)):
                match(binder, inner, v, f"{place}{_step(value, i)}", answers)
    elif isinstance(spec, Record) and hasattr(value, "__dataclass_fields__"):
        for inner, n in zip(spec.items, value.__dataclass_fields__, strict=False):
            match(binder, inner, getattr(value, n), f"{place}.{n}", answers)
    elif isinstance(spec, Keyed) and isinstance(value, dict):
        for key, inner in zip(spec.keys, spec.items, strict=True):
            if key in value:
                match(binder, inner, value[key], f"{place}[{key!r}]", answers)


def _step(value: tuple[Any, ...], i: int) -> str:
    names: Sequence[str] | None = getattr(value, "_fields", None)
    return f"[{i}]" if names is None else f".{names[i]}"


def _spelled_rigid(shape: Any, binder: Binder, answers: Answers) -> Any:
    """The shape with the runs of the surrounding function written out, the call's own kept."""
    if not answers.runs:
        return shape
    out: list[Any] = []
    for n in shape:
        if isinstance(n, Star) and n.key in answers.runs:
            out.extend(answers.runs[n.key])
        else:
            out.append(n)
    return tuple(out)


def filled(spec: Spec, binder: Binder) -> Spec:
    """What is annotated, with what a call has bound put in."""
    if isinstance(spec, Array):
        return Array(binder.shape(spec.shape), spec.kind)
    if isinstance(spec, SizeOf):
        return SizeOf(binder.extent(spec.size))
    if isinstance(spec, Several):
        return spec._replace(items=tuple(filled(s, binder) for s in spec.items))
    if isinstance(spec, Keyed):
        return spec._replace(items=tuple(filled(s, binder) for s in spec.items))
    if isinstance(spec, Record):
        return Record(spec.cls, tuple(filled(s, binder) for s in spec.items), spec.mold)
    return spec
