"""Annotations read at run time: every spelling of a shape, and what is not understood."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import (
    Annotated,
    Any,
    Generic,
    NewType,
    NotRequired,
    TypeVar,
    TypeVarTuple,
    Union,
    Unpack,
)
from typing import Literal as L

import pytest
from typing_extensions import TypeAliasType, TypedDict

from taglessad import Add, AnyTensor, Dim, Div, Dyn, IntTensor, Mul, Size, Sub, Tensor
from taglessad.checking.annotations import read, read_class
from taglessad.checking.forms import (
    ArrayForm,
    EachForm,
    FieldsForm,
    ItemsForm,
    KeysForm,
    Opaque,
    SizeForm,
    UnionForm,
    variables,
    within,
)
from taglessad.shapes import show

N = TypeVar("N")
M = TypeVar("M")
T = TypeVar("T")
B = TypeVarTuple("B")


class Batch(Dim): ...


class Hidden(Dim, size=8): ...


Old = Tensor[N, M]
Rows = TypeAliasType("Rows", Tensor[N, Any], type_params=(N,))
Under = TypeAliasType("Under", Tensor[*B, N], type_params=(B, N))
Twice = TypeAliasType("Twice", Add[N, N], type_params=(N,))
Length = NewType("Length", int)


def shown(annotation: Any) -> str:
    form = read(annotation)
    assert isinstance(form, ArrayForm), form
    return show(form.shape)


@pytest.mark.parametrize(
    ("annotation", "shape"),
    [
        (Tensor, "[*?]"),
        (Tensor[()], "[]"),
        (Tensor[L[4], L[2]], "[4, 2]"),
        (Tensor[N, M, N], "[N, M, N]"),
        (Tensor[*B, N], "[*B, N]"),
        (Tensor[Unpack[B], N], "[*B, N]"),  # noqa: UP044  # the other spelling
        (Tensor[N, *tuple[Any, ...]], "[N, *?]"),
        (Tensor[N, *tuple[L[2], M]], "[N, 2, M]"),
        (Tensor[Dyn, N], "[?, N]"),
        (Tensor[int, N], "[?, N]"),
        (Tensor[Batch, Hidden], "[Batch, 8]"),
        (Tensor[Add[N, M]], "[M + N]"),
        (Tensor[Sub[N, L[1]]], "[N - 1]"),
        (Tensor[Mul[L[2], Add[N, L[3]]]], "[2*N + 6]"),
        (Tensor[Div[Mul[L[4], N], L[2]]], "[2*N]"),
        (Tensor[Div[N, L[2]]], "[N//2]"),
        (Tensor[Div[N, L[0]]], "[?]"),
        (Tensor[Add[N, Dyn]], "[?]"),
        (Tensor[Size[N]], "[N]"),
        (Tensor[Length], "[Length]"),
        (Tensor[L[1, 2]], "[?]"),
        (Old[L[3], N], "[3, N]"),
        (Rows[Hidden], "[8, ?]"),
        (Rows, "[?, ?]"),
        (Under[L[2], L[3], M], "[2, 3, M]"),
        (Under[*B, M], "[*B, M]"),
        (Under[M], "[M]"),
        (Tensor[Twice[M]], "[2*M]"),
        (Annotated[Tensor[N], "a note"], "[N]"),
        ("IntTensor[N]", "[N]"),
        (AnyTensor[N], "[N]"),
    ],
)
def test_shapes(annotation: Any, shape: str) -> None:
    if isinstance(annotation, str):
        annotation = eval(annotation)
    assert shown(annotation).replace("N + M", "M + N") == shape


def test_two_variables_of_one_name_are_two() -> None:
    other: Any = TypeVar("N")  # type: ignore[misc]  # on purpose
    symbols, _ = variables(read(Tensor[N, other]))
    assert [s.name for s in symbols.values()] == ["N", "N"]


@dataclass
class Layer(Generic[N, M]):
    w: Tensor[N, M]
    next: "Layer[M, N] | None" = None


@dataclass
class Square(Layer[N, N]):
    b: Tensor[N] | None = None


@dataclass
class Holder(Generic[T]):
    x: T


class Keys(TypedDict):
    x: Tensor[N]
    y: NotRequired[IntTensor[N]]


def fields(form: Any) -> dict[str, Any]:
    assert isinstance(form, FieldsForm)
    return dict(form.fields)


def test_classes() -> None:
    assert show(fields(read(Layer[L[2], L[3]]))["w"].shape) == "[2, 3]"
    assert show(fields(read(Layer))["w"].shape) == "[?, ?]"
    assert show(fields(read_class(Layer))["w"].shape) == "[N, M]"
    assert show(fields(read(Square[L[2]]))["w"].shape) == "[2, 2]"
    assert show(fields(read(Holder[Tensor[L[2]]]))["x"].shape) == "[2]"
    inner = fields(read(Layer[L[2], L[3]]))["next"]
    assert isinstance(inner, UnionForm) and isinstance(inner.choices[0], Opaque)


def test_containers() -> None:
    assert isinstance(read(tuple[Tensor[N], int]), ItemsForm)
    assert isinstance(read(tuple[Tensor[N], ...]), EachForm)
    for each in (list[Tensor[N]], Sequence[Tensor[N]], dict[str, Tensor[N]]):
        assert isinstance(read(each), EachForm)
    assert isinstance(read(Mapping[str, Tensor[N]]), EachForm)
    keys = read(Keys)
    assert isinstance(keys, KeysForm) and keys.required == {"x"}
    assert isinstance(read(Size[N]), SizeForm)
    assert isinstance(read(Union[Tensor[N], None]), UnionForm)  # noqa: UP007  # the old spelling


@pytest.mark.parametrize("annotation", [int, "text", T, Any, None, tuple[*B], object(), type])
def test_what_is_not_understood_is_opaque(annotation: Any) -> None:
    assert isinstance(read(annotation), Opaque)


def test_classes_that_hold_each_other_are_read_once_each() -> None:
    names = [f"Node{i}" for i in range(14)]
    fields = ", ".join(f"f{i}: '{name} | None' = None" for i, name in enumerate(names))
    code = "from dataclasses import dataclass\n" + "".join(
        f"@dataclass\nclass {name}:\n    {'; '.join(fields.split(', '))}\n" for name in names
    )
    module: Any = ModuleType("nodes_of_a_test")
    sys.modules[module.__name__] = module
    try:
        exec(code, vars(module))
        form = read(module.Node0)
    finally:
        del sys.modules[module.__name__]
    owners = [part.cls for part in within(form) if isinstance(part, FieldsForm)]
    assert len(owners) == len(set(owners)) == len(names)
