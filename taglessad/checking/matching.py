"""A value held to the form that its annotation describes.

Array-likes are made handles on the way, so `match` gives the value that the program is to see.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from taglessad.checking.annotations import read_class
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
)
from taglessad.convert import article, as_handle
from taglessad.dims import Polynomial
from taglessad.errors import ArgumentError, DTypeError, TaglessError
from taglessad.shapes.binding import Binder
from taglessad.tensor import AnyTensor, BoolTensor, IntTensor, Tensor

# Any throughout: arguments and results are whatever the program takes and gives.


def match(form: Form, value: Any, binder: Binder, place: str) -> Any:
    """The value, array-likes in it made handles; its sizes bound.

    Raises ShapeError where a shape is another, DTypeError where a kind of number is, ArgumentError
    where the structure is.
    """
    cls = form.__class__
    if cls is ArrayForm:
        return _array(form, value, binder, place)  # type: ignore[arg-type]  # its class was asked
    match form:
        case SizeForm(size):
            if isinstance(value, int | Polynomial) and not isinstance(value, bool):
                binder.bind_size(size, value, place)
        case ItemsForm(items):
            return _items(items, value, binder, place)
        case EachForm(kind, each):
            return _each(kind, each, value, binder, place)
        case KeysForm():
            return _keys(form, value, binder, place)
        case FieldsForm(owner, _):
            if not isinstance(value, owner):
                raise _other_structure(binder, place, value, _named(owner))
            _fields(form, value, binder, place)
        case SelfForm():
            own = _class_form(type(value))
            if isinstance(own, FieldsForm):
                _fields(own, value, binder, place)
        case UnionForm(choices):
            return _union(choices, value, binder, place)
        case _:
            pass
    return value


def _array(form: ArrayForm, value: Any, binder: Binder, place: str) -> Any:
    if isinstance(value, AnyTensor):
        if value.__class__ is not form.cls and not isinstance(value, form.cls):
            raise DTypeError(
                f"{binder.what}: {place}: {_named(type(value))} of dtype {value.dtype} where "
                f"{_named(form.cls)} is expected; convert it with astype"
            )
        binder.bind(form.shape, value.shape, place)
        return value
    x: AnyTensor = as_handle(value, binder.what, place)
    # Numbers that are no handles yet: integers serve as reals, reals never as integers.
    if form.cls in (IntTensor, BoolTensor) and not isinstance(x, form.cls):
        raise DTypeError(
            f"{binder.what}: {place}: {article(value)} of dtype {x.dtype} where "
            f"{_named(form.cls)} is expected"
        )
    if form.cls is Tensor and isinstance(x, BoolTensor):
        raise DTypeError(
            f"{binder.what}: {place}: {article(value)} of truth values where a Tensor is expected"
        )
    binder.bind(form.shape, x.shape, place)
    return x


def _items(items: Sequence[Form], value: Any, binder: Binder, place: str) -> Any:
    if not isinstance(value, tuple | list):
        raise _other_structure(binder, place, value, f"a tuple of {len(items)}")
    if len(value) != len(items):
        raise ArgumentError(
            f"{binder.what}: {place}: {article(value)} of {len(value)} where a tuple of "
            f"{len(items)} is expected"
        )
    new = [
        match(form, x, binder, f"{place}[{i}]")
        for i, (form, x) in enumerate(zip(items, value, strict=True))
    ]
    return value if _same(new, value) else type(value)(new)


def _each(kind: type[Any], each: Form, value: Any, binder: Binder, place: str) -> Any:
    if kind is dict:
        if not isinstance(value, Mapping):
            raise _other_structure(binder, place, value, "a dict")
        new = {k: match(each, x, binder, f"{place}[{k!r}]") for k, x in value.items()}
        return value if _same(new.values(), value.values()) else new
    if not isinstance(value, tuple | list):
        if isinstance(each, Opaque):
            return value
        raise _other_structure(binder, place, value, _named(kind))
    entries = [match(each, x, binder, f"{place}[{i}]") for i, x in enumerate(value)]
    return value if _same(entries, value) else type(value)(entries)


def _keys(form: KeysForm, value: Any, binder: Binder, place: str) -> Any:
    if not isinstance(value, Mapping):
        raise _other_structure(binder, place, value, f"a dict as {form.name}")
    missing = form.required - set(value)
    if missing:
        raise ArgumentError(
            f"{binder.what}: {place}: the keys {sorted(missing)} of {form.name} are missing"
        )
    known = dict(form.keys)
    new = {
        k: match(known[k], x, binder, f"{place}[{k!r}]") if k in known else x
        for k, x in value.items()
    }
    return value if _same(new.values(), value.values()) else new


def _fields(form: FieldsForm, value: Any, binder: Binder, place: str) -> None:
    for name, part in form.fields:
        entry = getattr(value, name, None)
        # None, the empty tree, is what an option leaves out: a layer without a bias.
        if entry is not None and not isinstance(part, Opaque):
            match(part, entry, binder, f"{place}.{name}")


def _union(choices: Sequence[Form], value: Any, binder: Binder, place: str) -> Any:
    """The first choice that the value fits; the fault of the last that it nearly did."""
    likely = [form for form in choices if _may_be(form, value)]
    failure: TaglessError | None = None
    for form in likely:
        trial = binder.trial()
        try:
            new = match(form, value, trial, place)
        except TaglessError as error:
            failure = error
            continue
        binder.take(trial)
        return new
    if failure is None:
        expected = " or ".join(dict.fromkeys(_expected(form) for form in choices))
        raise _other_structure(binder, place, value, expected)
    raise failure


def _may_be(form: Form, value: Any) -> bool:
    match form:
        case ArrayForm(cls):
            if isinstance(value, AnyTensor):
                return isinstance(value, cls)
            return value is not None and not isinstance(value, str | Mapping)
        case ItemsForm():
            return isinstance(value, tuple | list)
        case EachForm(cls):
            return isinstance(value, Mapping if cls is dict else tuple | list)
        case KeysForm():
            return isinstance(value, Mapping)
        case FieldsForm(cls):
            return isinstance(value, cls)
        case Opaque(annotation):
            if isinstance(annotation, type) and annotation is not object:
                numeric = annotation is float and isinstance(value, int)
                return isinstance(value, annotation) or numeric
            return True
        case _:
            return True


def _expected(form: Form) -> str:
    match form:
        case ArrayForm(cls) | FieldsForm(cls):
            return _named(cls)
        case ItemsForm(items):
            return f"a tuple of {len(items)}"
        case EachForm(cls):
            return _named(cls)
        case KeysForm(name):
            return f"a dict as {name}"
        case SizeForm():
            return "a size"
        case Opaque(annotation) if annotation is type(None):
            return "None"
        case Opaque(annotation):
            return _named(annotation) if isinstance(annotation, type) else str(annotation)
        case _:
            return "another value"


def _other_structure(binder: Binder, place: str, value: Any, expected: str) -> ArgumentError:
    return ArgumentError(f"{binder.what}: {place}: {article(value)} where {expected} is expected")


_CLASSES: Final[WeakKeyDictionary[type[Any], Form]] = WeakKeyDictionary()


def _class_form(cls: type[Any]) -> Form:
    form = _CLASSES.get(cls)
    if form is None:
        form = _CLASSES[cls] = read_class(cls)
    return form


def _named(cls: type[Any]) -> str:
    name = cls.__name__
    return f"an {name}" if name[0] in "AEIOUaeiou" else f"a {name}"


def _same(new: Any, old: Any) -> bool:
    return all(a is b for a, b in zip(new, old, strict=True))
