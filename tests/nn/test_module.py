"""Modules: which fields are parameters, trees, copies, equality, text, immutability."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar, Generic, Literal, TypeVar

import numpy as np
import pytest

import taglessad as tad
from taglessad import nn

N = TypeVar("N")


class Mode(Enum):
    FAST = 1


class Options(nn.Module):
    """A field of every kind."""

    w: tad.Tensor
    later: "tad.Tensor | None"
    parts: tuple[tad.Tensor, ...]
    function: Callable[[tad.Tensor], tad.Tensor]
    count: int
    ratio: float | None
    size: "tad.Size[Any]"
    sizes: tuple[int, ...] | list[int]
    mode: Literal["same"] | Mode
    dtype: "np.dtype[Any]"
    table: dict[str, int]
    unknown: Any
    chosen: int = nn.field(static=False, default=3)
    hidden: tad.Tensor | None = nn.field(static=True, default=None)
    shared: ClassVar[int] = 3


def test_static_fields_are_those_of_plain_annotations() -> None:
    static = {f.name for f in dataclasses.fields(Options) if f.metadata.get("static")}  # type: ignore[arg-type]
    assert static == {
        *("count", "ratio", "size", "sizes", "mode", "dtype", "table", "hidden"),
    }
    assert "shared" not in {f.name for f in dataclasses.fields(Options)}  # type: ignore[arg-type]


class Dense(nn.Module, Generic[N]):
    """A layer as a user writes it."""

    w: tad.Tensor[Any, N]
    b: tad.Tensor[N]
    power: int = 1

    def __call__(self, x: tad.Tensor) -> tad.Tensor:
        return tad.tanh(x @ self.w + self.b) ** self.power


class Pair(nn.Module):
    """Layers in fields and in a list."""

    head: Dense[Any]
    rest: list[Dense[Any]]
    name: str = "pair"

    def __call__(self, x: tad.Tensor) -> tad.Tensor:
        y = self.head(x)
        for layer in self.rest:
            y = layer(y)
        return y


def dense(
    inputs: int, outputs: int, seed: int, power: int = 1, dtype: Any = np.float64
) -> Dense[Any]:
    rng = np.random.default_rng(seed)
    w = rng.standard_normal((inputs, outputs)).astype(dtype)
    return Dense(tad.tensor(w), tad.tensor(np.full(outputs, 0.1, dtype)), power)


def pair() -> Pair:
    return Pair(dense(3, 4, 0), [dense(4, 4, 1, 2), dense(4, 2, 2)])


X = np.random.default_rng(5).standard_normal((5, 3))


def loss(model: Pair, x: Any) -> tad.Tensor:
    return tad.sum(model(x) ** 2)


def test_a_gradient_is_of_the_models_own_class() -> None:
    model = pair()
    g = tad.grad(loss)(model, X)
    assert type(g) is Pair and type(g.head) is Dense and type(g.rest) is list
    assert g.name == "pair" and g.rest[0].power == 2
    assert g.head.w.shape == (3, 4) and g.rest[1].b.shape == (2,)
    step = 2.0**-17
    moved = dataclasses.replace(model, head=dataclasses.replace(model.head, b=model.head.b + step))
    behind = dataclasses.replace(model, head=dataclasses.replace(model.head, b=model.head.b - step))
    slope = (float(loss(moved, X)) - float(loss(behind, X))) / (2 * step)
    assert float(tad.sum(g.head.b)) == pytest.approx(slope, rel=1e-7)


def test_parts_by_path() -> None:
    model = pair()
    whole = tad.grad(loss)(model, X)
    np.testing.assert_array_equal(
        np.asarray(tad.grad(loss, wrt="model.head.w")(model, X)), np.asarray(whole.head.w)
    )
    assert tad.grad(loss, wrt="model.rest[1]")(model, X) == whole.rest[1]
    assert tad.grad(loss, wrt="model.rest[-1]")(model, X) == whole.rest[1]
    found = tad.grad(loss, wrt=["model.head", "model.rest[0].b"])(model, X)
    assert list(found) == ["model.head", "model.rest[0].b"]
    assert found["model.head"] == whole.head
    value, g = tad.value_and_grad(loss, wrt="model")(model, X)
    assert g == whole and float(value) == float(loss(model, X))
    with pytest.raises(tad.ArgumentError, match="no body; model has: head, rest"):
        tad.grad(loss, wrt="model.body")(model, X)
    with pytest.raises(tad.ArgumentError, match=r"\[0\] to \[1\]"):
        tad.grad(loss, wrt="model.rest[2].w")(model, X)


def test_a_buffer_of_integers_is_left_out_by_path() -> None:
    class Masked(nn.Module):
        w: tad.Tensor
        mask: tad.BoolTensor

        def __call__(self, x: Any) -> tad.Tensor:
            return tad.sum(tad.where(self.mask, self.w, 0.0) * x)

    def program(model: Masked, x: Any) -> tad.Tensor:
        return model(x)

    model = Masked(tad.tensor([1.0, 2.0]), tad.asarray([True, False]))
    with pytest.raises(tad.DTypeError, match="mask"):
        tad.grad(program)(model, np.asarray([3.0, 4.0]))
    g = tad.grad(program, wrt="model.w")(model, np.asarray([3.0, 4.0]))
    np.testing.assert_array_equal(np.asarray(g), [3.0, 0.0])


def test_rebuilding_calls_no_init() -> None:
    class Counted(nn.Module):
        w: tad.Tensor

        def __init__(self, n: int) -> None:
            made.append(n)
            nn.assign(self, w=tad.ones(n))

    made: list[int] = []
    model = Counted(3)
    tad.grad(lambda m: tad.sum(m.w**2))(model)
    tad.jit(lambda m: m.w * 2.0)(model)
    copy.deepcopy(model)
    assert made == [3]


def test_under_jit_and_vmap() -> None:
    model = pair()
    compiled = tad.jit(tad.grad(loss))(model, X)
    wanted = tad.grad(loss)(model, X)
    assert type(compiled) is Pair
    for a, b in zip(leaves(compiled), leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    each = tad.vmap(tad.grad(loss), in_axes=(None, 0))(model, X)
    assert each.head.w.shape == (5, 3, 4)
    np.testing.assert_allclose(
        np.asarray(tad.sum(each.head.w, axis=0)), np.asarray(wanted.head.w), rtol=1e-12
    )
    ensemble = tad.vmap(lambda k: dense(2, 2, 0).w * k)(np.arange(3.0))
    assert tad.vmap(lambda w: Dense(w, tad.zeros(2))(np.ones(2)))(ensemble).shape == (3, 2)


def leaves(model: Pair) -> list[np.ndarray]:
    return [np.asarray(t) for part in (model.head, *model.rest) for t in (part.w, part.b)]


def test_a_model_is_a_function_like_any_other() -> None:
    model = pair()
    wanted = np.asarray(model(tad.tensor(X)))
    np.testing.assert_allclose(np.asarray(tad.jit(model)(X)), wanted, rtol=1e-13)
    np.testing.assert_allclose(np.asarray(tad.vmap(model)(X)), wanted, rtol=1e-13)
    assert tad.grad(lambda x: tad.sum(model(x)))(X).shape == X.shape
    assert tad.jacrev(model)(X[0]).shape == (2, 3)
    assert tad.trace(model)(X).outputs


def test_copies_and_pickles_are_equal_and_share_nothing_that_changes() -> None:
    model = pair()
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other == model and other is not model
        assert other.rest[0].power == 2


def test_equality() -> None:
    a = dense(2, 2, 0)
    assert a == dense(2, 2, 0)
    assert a != dense(2, 2, 1)
    assert a != dense(2, 2, 0, power=2)
    assert a != dense(2, 2, 0, dtype=np.float32)
    assert a != dense(2, 3, 0)
    assert a != "dense"
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)


def test_models_cannot_be_changed() -> None:
    model = dense(2, 2, 0)
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"Dense.w: .*dataclasses.replace"):
        model.w = tad.zeros((2, 2))  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.other = 3  # type: ignore[attr-defined]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del model.w  # type: ignore[misc]


def test_assign_wants_every_field_and_no_other() -> None:
    class Wrong(nn.Module):
        w: tad.Tensor
        b: tad.Tensor
        n: int = 2

        def __init__(self, **fields: Any) -> None:
            nn.assign(self, **fields)

    assert Wrong(w=tad.zeros(1), b=tad.zeros(1)).n == 2
    with pytest.raises(
        tad.ArgumentError, match="Wrong has the fields w, b, n; missing: b; unkn.*c"
    ):
        Wrong(w=tad.zeros(1), c=tad.zeros(1))


def test_assign_says_that_a_field_is_annotated() -> None:
    class Bare(nn.Module):
        def __init__(self) -> None:
            nn.assign(self, w=tad.ones(2))

    with pytest.raises(tad.ArgumentError, match=r"unknown: w; annotate it .*: `w: tad.Tensor`"):
        Bare()


def test_an_init_gives_every_field_its_value() -> None:
    class Forgetful(nn.Module):
        w: tad.Tensor
        b: tad.Tensor

        def __init__(self, *names: str) -> None:
            for name in names:
                object.__setattr__(self, name, tad.ones(2))

    class Below(Forgetful):
        extra: tad.Tensor
        n: int = 2  # a default that nobody has to give

        def __init__(self, *names: str) -> None:
            super().__init__("w")  # not complete yet, as this is not
            for name in names:
                object.__setattr__(self, name, tad.ones(3))

    class LeftOut(nn.Module):
        w: tad.Tensor
        twice: tad.Tensor = dataclasses.field(init=False)
        names: list[str] = dataclasses.field(init=False, default_factory=list)

        def __post_init__(self) -> None:
            if self.w.shape != (1,):
                object.__setattr__(self, "twice", 2.0 * self.w)

    assert Forgetful("w", "b").b.shape == (2,)
    assert Below("b", "extra").w.shape == (2,) and Below("b", "extra").n == 2
    assert LeftOut(tad.ones(2)).twice.tolist() == [2.0, 2.0]
    given = r"given no value; in __init__ write nn.assign\(self, "
    for make, said in (
        (lambda: Forgetful("b"), rf"Forgetful: field w was {given}w=...\)"),
        (lambda: Forgetful(), rf"Forgetful: fields w, b were {given}w=..., b=...\)"),
        (lambda: Below("b"), rf"Below: field extra was {given}extra=...\)"),
        (lambda: LeftOut(tad.ones(1)), rf"LeftOut: field twice was {given}twice=...\)"),
    ):
        with pytest.raises(tad.ArgumentError, match=said):
            make()


def test_an_init_keeps_its_signature() -> None:
    class Sized(nn.Module):
        w: tad.Tensor

        def __init__(self, n: int, scale: float = 2.0) -> None:
            """n entries."""
            nn.assign(self, w=scale * tad.ones(n))

    assert list(inspect.signature(Sized).parameters) == ["n", "scale"]
    assert Sized.__init__.__doc__ == "n entries."
    assert tad.grad(lambda m: tad.sum(m.w**2))(Sized(2)).w.tolist() == [4.0, 4.0]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("parameters", r"tad.trees.leaves\(model\)"),
        ("state_dict", r"tad.save\(path, model\)"),
        ("to", r"tad.trees.map\(.*interpreter"),
        ("backward", r"tad.grad\(loss\)\(model"),
        ("eval", "train=True"),
        ("forward", r"model\(x\)"),
    ],
)
def test_names_of_other_libraries_say_what_stands_for_them(name: str, said: str) -> None:
    model = dense(2, 2, 0)
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=f"'Dense' object has no attribute '{name}'; .*{said}"):
        getattr(model, name)


def test_other_missing_names_give_pythons_error() -> None:
    model = dense(2, 2, 0)
    with pytest.raises(AttributeError) as caught:
        getattr(model, "ww")  # noqa: B009  # a name that type checkers know not to be there
    assert str(caught.value) == "'Dense' object has no attribute 'ww'"
    assert (caught.value.name, caught.value.obj) == ("ww", model)


def test_a_field_may_have_one_of_those_names() -> None:
    class Freed(nn.Module):
        to: tad.Tensor

        def parameters(self) -> int:
            return 3

    assert Freed(tad.ones(1)).to.shape == (1,) and Freed(tad.ones(1)).parameters() == 3


def test_fields_are_inherited() -> None:
    class Wide(Dense[Any]):
        scale: float = 2.0

        def __call__(self, x: tad.Tensor) -> tad.Tensor:
            return x @ self.w * self.scale

    model = Wide(tad.ones((2, 2)), tad.zeros(2), 1, 3.0)
    g = tad.grad(lambda m: tad.sum(m(np.ones((1, 2)))))(model)
    assert type(g) is Wide and g.scale == 3.0
    np.testing.assert_array_equal(np.asarray(g.w), np.full((2, 2), 3.0))


def test_text_shows_dtypes_and_shapes_and_static_values() -> None:
    assert repr(dense(2, 3, 0)) == "Dense(w=float64[2, 3], b=float64[3], power=1)"
    assert repr(pair()) == (
        "Pair(\n"
        "  head=Dense(w=float64[3, 4], b=float64[4], power=1),\n"
        "  rest=[\n"
        "    Dense(w=float64[4, 4], b=float64[4], power=2),\n"
        "    Dense(w=float64[4, 2], b=float64[2], power=1),\n"
        "  ],\n"
        "  name='pair',\n"
        ")"
    )
    assert repr(nn.Linear(2, 3, bias=False)) == "Linear(w=float64[2, 3], b=None)"
    assert repr(nn.Sequential(tad.tanh)) == "Sequential(layers=(tanh,))"


def test_type_arguments_are_no_more_than_that() -> None:
    made = Dense[Literal[2]](tad.zeros((3, 2)), tad.zeros(2))
    assert type(made) is Dense


def test_one_layer_in_two_places_is_two_parameters_of_the_tree() -> None:
    layer = dense(3, 3, 0)
    model = Pair(layer, [layer])
    g = tad.grad(loss)(model, X)

    def tied(part: Dense[Any]) -> tad.Tensor:
        return loss(Pair(part, [part]), X)

    np.testing.assert_allclose(
        np.asarray(tad.grad(tied)(layer).w), np.asarray(g.head.w + g.rest[0].w), rtol=1e-12
    )
