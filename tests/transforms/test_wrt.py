"""wrt: what is differentiated, by name and by path; all else is constant."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError

X = np.array([0.5, -1.2])


@dataclasses.dataclass(frozen=True)
class Linear:
    w: Any
    b: Any
    name: str = dataclasses.field(default="linear", metadata={"static": True})


@dataclasses.dataclass(frozen=True)
class Model:
    heads: list[Linear]
    body: dict[str, Any]
    depth: int = dataclasses.field(default=3, metadata={"static": True})


class Point(NamedTuple):
    x: Any
    y: Any


def model() -> Model:
    heads = [Linear(np.array([1.0, 2.0]), 3.0), Linear(np.array([4.0, 5.0]), 6.0, "second")]
    return Model(heads, {"w": np.array([7.0, 8.0]), "layer.0": np.array([9.0, 10.0])})


def loss(model: Model, s: Any) -> Any:
    total = tad.sum(model.body["w"] * s * model.depth) + tad.sum(model.body["layer.0"])
    for head in model.heads:
        total = total + tad.sum(head.w * head.w) * head.b
    return total


# path -> its gradient at s = 2
EXPECTED: dict[str, Any] = {
    "s": 3.0 * 15.0,
    "model.heads[0].w": [6.0, 12.0],
    "model.heads[1].w": [48.0, 60.0],
    "model.heads[-1].w": [48.0, 60.0],
    "model.heads[0].b": 5.0,
    "model.heads[1].b": 41.0,
    "model.body.w": [6.0, 6.0],
    "model.body['layer.0']": [1.0, 1.0],
}


@pytest.mark.parametrize("path", EXPECTED)
def test_one_path_gives_its_bare_gradient(path: str) -> None:
    for gradient in (
        tad.grad(loss, wrt=path)(model(), 2.0),
        tad.grad(loss, wrt=path)(s=2.0, model=model()),
        tad.value_and_grad(loss, wrt=path)(model(), s=2.0)[1],
    ):
        np.testing.assert_array_equal(gradient, EXPECTED[path])


def test_a_list_gives_a_dict_keyed_by_the_names() -> None:
    paths = ["model.heads[1].w", "s", "model.body.w"]
    gradient = tad.grad(loss, wrt=paths)(model(), 2.0)
    assert list(gradient) == paths
    for path in paths:
        np.testing.assert_array_equal(gradient[path], EXPECTED[path])
    assert set(tad.grad(loss, wrt=("s",))(model(), 2.0)) == {"s"}


def test_a_path_may_end_at_a_container() -> None:
    head = tad.grad(loss, wrt="model.heads[1]")(model(), 2.0)
    assert isinstance(head, Linear) and head.name == "second"
    np.testing.assert_array_equal(head.w, [48.0, 60.0])
    heads = tad.grad(loss, wrt="model.heads")(model(), 2.0)
    assert isinstance(heads, list) and [h.name for h in heads] == ["linear", "second"]
    whole = tad.grad(loss, wrt="model")(model(), 2.0)
    assert isinstance(whole, Model) and whole.depth == 3
    assert list(whole.body) == ["w", "layer.0"]


def test_paths_through_named_tuples_and_integer_keys() -> None:
    f = lambda p, table: p.x * p.y * table[3][0]
    point, table = Point(2.0, 3.0), {3: (5.0, 7.0)}
    assert float(tad.grad(f, wrt="p.y")(point, table)) == 10.0
    assert float(tad.grad(f, wrt="p[0]")(point, table)) == 15.0
    assert float(tad.grad(f, wrt="table[3][0]")(point, table)) == 6.0
    assert float(tad.grad(f, wrt="table[3][1]")(point, table)) == 0.0


def test_parameters_of_every_kind_have_names() -> None:
    assert float(tad.grad(lambda a, /, b: a * b, wrt="a")(2.0, 3.0)) == 3.0
    assert float(tad.grad(lambda a, *, b: a * b, wrt="b")(2.0, b=3.0)) == 2.0
    assert float(tad.grad(lambda *xs: xs[0] * xs[1], wrt="xs[1]")(2.0, 3.0)) == 2.0
    assert (
        float(tad.grad(lambda a, *xs, **kw: a * xs[0] * kw["c"], wrt="c")(2.0, 3.0, c=4.0)) == 6.0
    )
    # One left at its default is a parameter too.
    assert float(tad.grad(lambda a, b=3.0: a * b, wrt="b")(2.0)) == 2.0
    assert float(tad.grad(lambda a, *, b=3.0: a * b * b, wrt=["a", "b"])(2.0)["b"]) == 12.0


def test_a_method_and_its_receiver() -> None:
    @dataclasses.dataclass(frozen=True)
    class Objective:
        strength: Any

        def loss(self, w: Any) -> Any:
            return self.strength * tad.sum(w * w)

    np.testing.assert_array_equal(tad.grad(Objective(2.0).loss)(X), 4.0 * X)
    gradient = tad.grad(Objective.loss, wrt="self.strength")(Objective(2.0), X)
    assert float(gradient) == pytest.approx(1.69)


def test_the_names_are_fs_own_through_transforms() -> None:
    assert float(tad.grad(tad.jit(loss), wrt="s")(model(), 2.0)) == 45.0
    assert float(tad.jit(tad.grad(loss, wrt="s"))(model(), 2.0)) == 45.0
    cube = lambda x, y: x**3 * y
    assert float(tad.grad(tad.grad(cube, wrt="x"), wrt="x")(2.0, 5.0)) == 60.0
    assert float(tad.grad(tad.no_grad(cube), wrt="y")(2.0, 5.0)) == 0.0
    # Arguments reach f as they were given: jit tells names from positions.
    power = tad.jit(lambda x, n: x**n, static_argnames="n")
    assert float(tad.grad(power, wrt="x")(x=2.0, n=3)) == 12.0


def test_what_is_not_named_is_constant_and_may_be_anything() -> None:
    f = lambda x, table, mode: x * x * table["k"][0] if mode == "square" else x
    assert float(tad.grad(f, wrt="x")(3.0, {"k": np.array([5])}, "square")) == 30.0


def test_a_path_used_twice_adds() -> None:
    shared = Linear(np.array([1.0, 2.0]), 3.0)
    two = Model([shared, shared], {})
    f = lambda m: sum(tad.sum(h.w) * h.b for h in m.heads)
    # The two places are two variables, though one object stands in both.
    np.testing.assert_array_equal(tad.grad(f, wrt="m.heads[0].w")(two), [3.0, 3.0])
    g = lambda m: tad.sum(m.heads[0].w) + tad.sum(m.heads[0].w * m.heads[0].w)
    np.testing.assert_array_equal(tad.grad(g, wrt="m.heads[0].w")(two), [3.0, 5.0])


@pytest.mark.parametrize(
    ("wrt", "message"),
    [
        ("weights", r"'weights': no weights; what exists is: model, s"),
        ("model.head", r"'model.head': no head; model has: heads, body"),
        ("model.heads[2].w", r"no \[2\]; model.heads has: \[0\] to \[1\]"),
        ("model.heads[-3].w", r"model.heads has: \[0\] to \[1\]"),
        ("model.heads[0].name", r"no name; model.heads\[0\] has: w, b"),
        ("model.body.v", r"no v; model.body has: w, \['layer.0'\]"),
        ("s.w", "nothing lies inside it"),
        ("model.heads[", "is not a path"),
        ("", "is not a path"),
        ([], "give a list of one or more paths"),
        (["s", "s"], "'s' twice"),
        (["model.heads[1]", "model.heads[-1]"], "twice"),
        (["model", "model.body"], "lies inside 'model'"),
        (3, "wrt must be a path or a list of paths"),
        (["s", 3], "wrt must be a path or a list of paths"),
    ],
)
def test_a_wrong_path_lists_what_exists(wrt: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        tad.grad(loss, wrt=wrt)(model(), 2.0)


def test_argnums_and_wrt_together() -> None:
    with pytest.raises(ArgumentError, match="argnums or wrt, not both"):
        tad.grad(loss, argnums=0, wrt="s")(model(), 2.0)
    with pytest.raises(ArgumentError, match="argnums or wrt, not both"):
        tad.value_and_grad(loss, 0, wrt="s")(model(), 2.0)


def test_only_real_numbers_can_be_named() -> None:
    f = lambda table, x: table["ids"][0] * x
    with pytest.raises(DTypeError, match=r"table.ids has dtype int64; only real numbers"):
        tad.grad(f, wrt="table.ids")({"ids": np.array([1, 2])}, 2.0)
    with pytest.raises(ArgumentError, match="holds no numbers"):
        tad.grad(lambda x, y: x, wrt="y")(2.0, None)
