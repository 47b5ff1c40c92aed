"""Every transform over trees: the same structures in and out, None the empty one."""

import collections
import dataclasses
from typing import Any, NamedTuple, TypedDict

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError

X = np.array([0.5, -1.2])


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: Any
    b: Any
    name: str = dataclasses.field(default="f", metadata={"static": True})


@dataclasses.dataclass
class Counting:
    """Rebuilt without __init__ and __post_init__."""

    w: Any
    b: Any

    def __post_init__(self) -> None:
        raise AssertionError("a tree is rebuilt without __post_init__")


def counting(w: Any, b: Any) -> Counting:
    made = object.__new__(Counting)
    made.w, made.b = w, b
    return made


class Point(NamedTuple):
    w: Any
    b: Any


class Typed(TypedDict):
    w: Any
    b: Any


def get(tree: Any, key: str) -> Any:
    """The part of that name of every kind of tree below."""
    if isinstance(tree, dict):
        return tree[key]
    return getattr(tree, key) if hasattr(tree, key) else tree["wb".index(key)]


KINDS: dict[str, Any] = {
    "tuple": lambda w, b: (w, b),
    "list": lambda w, b: [w, b],
    "dict": lambda w, b: {"w": w, "b": b},
    "dict, other order": lambda w, b: {"b": b, "w": w},
    "OrderedDict": lambda w, b: collections.OrderedDict(w=w, b=b),
    "TypedDict": lambda w, b: Typed(w=w, b=b),
    "NamedTuple": Point,
    "frozen dataclass": lambda w, b: Frozen(w, b, "static kept"),
    "dataclass": counting,
}
each_kind = pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))


def energy(tree: Any) -> Any:
    return tad.sum(get(tree, "w") ** 2) * get(tree, "b")


def check_kind(tree: Any, like: Any) -> None:
    assert type(tree) is type(like)
    if isinstance(like, dict):
        assert list(tree) == list(like)  # in its own order
    if isinstance(like, Frozen):
        assert tree.name == like.name


@each_kind
def test_gradients_are_shaped_like_the_argument(make: Any) -> None:
    tree = make(X, 3.0)
    gradient = tad.grad(energy)(tree)
    check_kind(gradient, tree)
    np.testing.assert_allclose(get(gradient, "w"), 6.0 * X, rtol=1e-15)
    assert float(get(gradient, "b")) == pytest.approx(1.69)
    np.testing.assert_array_equal(get(tree, "w"), X)  # the argument is as it was


@each_kind
def test_seeds_and_products_are_that_tree(make: Any) -> None:
    tree, tangent = make(X, 3.0), make(np.array([1.0, 0.0]), 10.0)
    pushed = tad.jvp(energy)(tree, tangent)
    assert float(pushed) == pytest.approx(3.0 + 16.9)
    product = tad.hvp(energy)(tree, tangent)
    check_kind(product, tree)
    np.testing.assert_allclose(get(product, "w"), [6.0 + 10.0, -24.0], rtol=1e-15)
    assert float(get(product, "b")) == 1.0
    y, push = tad.linearize(energy, tree)
    assert float(push(tangent)) == pytest.approx(19.9)
    assert float(tad.derivative(energy)(tree, [tangent])) == pytest.approx(19.9)


@each_kind
def test_results_are_that_tree(make: Any) -> None:
    f = lambda x: make(x * x, 2.0 * x)
    tree = make(X, X)
    for out in (
        tad.jit(f)(X),
        tad.vmap(f)(X[None]),
        tad.jvp(f)(X, X),
        tad.jacfwd(f)(X),
        tad.jacrev(f)(X),
        tad.interpret(f, tad.interpreters.Eager())(X),
    ):
        check_kind(out, tree)
    np.testing.assert_allclose(get(tad.jacrev(f)(X), "w"), np.diag(2.0 * X), rtol=1e-15)
    pulled = tad.vjp(f)(X, make(np.ones(2), np.array([10.0, 100.0])))
    np.testing.assert_allclose(pulled, 2.0 * X + 2.0 * np.array([10.0, 100.0]), rtol=1e-15)


@each_kind
def test_hessians_are_trees_of_trees(make: Any) -> None:
    tree = make(X, 3.0)
    h = tad.hessian(energy)(tree)
    check_kind(h, tree)
    check_kind(get(h, "w"), tree)
    np.testing.assert_allclose(get(get(h, "w"), "w"), 6.0 * np.eye(2), rtol=1e-15)
    np.testing.assert_allclose(get(get(h, "w"), "b"), 2.0 * X, rtol=1e-15)
    np.testing.assert_allclose(get(get(h, "b"), "w"), 2.0 * X, rtol=1e-15)
    assert float(get(get(h, "b"), "b")) == 0.0


@each_kind
def test_trees_through_jit_and_vmap(make: Any) -> None:
    tree = make(X, 3.0)
    gradient = tad.jit(tad.grad(energy))(tree)
    check_kind(gradient, tree)
    np.testing.assert_allclose(get(gradient, "w"), 6.0 * X, rtol=1e-15)
    many = make(np.stack([X, 2.0 * X]), np.array([3.0, 4.0]))
    batched = tad.vmap(tad.grad(energy))(many)
    check_kind(batched, tree)
    np.testing.assert_allclose(get(batched, "w"), [6.0 * X, 16.0 * X], rtol=1e-15)


def test_none_is_the_empty_tree() -> None:
    tree = (X, None, {"n": None, "b": 2.0}, [])
    f = lambda t: tad.sum(t[0]) * t[2]["b"]
    gradient = tad.grad(f)(tree)
    assert gradient[1] is None and gradient[2]["n"] is None and gradient[3] == []
    np.testing.assert_array_equal(gradient[0], [2.0, 2.0])
    assert tad.grad(lambda x, extra: x * x, argnums=(0, 1))(3.0, None)[1] is None
    assert tad.hessian(f)(tree)[0][1] is None
    pushed = tad.jvp(f)(tree, (X, None, {"b": 0.0, "n": None}, []))
    assert float(pushed) == pytest.approx(-1.4)
    with pytest.raises(ArgumentError, match="expected None"):
        tad.jvp(f)(tree, (X, X, {"b": 0.0, "n": None}, []))


def test_a_whole_tree_of_none() -> None:
    assert tad.jit(lambda x: None)(X) is None
    assert tad.vmap(lambda x: None)(X) is None
    assert tad.jacrev(lambda x: {"n": None})(X) == {"n": None}
    assert tad.jacfwd(lambda x: {"n": None})(X) == {"n": None}


def test_static_fields_are_seen_inside_and_kept() -> None:
    f = lambda m: tad.sum(m.w) if m.name == "sum" else tad.prod(m.w)
    np.testing.assert_array_equal(tad.grad(f)(Frozen(X, 0.0, "sum")).w, [1.0, 1.0])
    np.testing.assert_array_equal(tad.grad(f)(Frozen(X, 0.0, "prod")).w, X[::-1])


def test_deep_trees() -> None:
    tree: Any = X
    for _ in range(50):
        tree = {"next": (tree,)}

    def leaf(t: Any) -> Any:
        while isinstance(t, dict):
            (t,) = t["next"]
        return t

    gradient = tad.grad(lambda t: tad.sum(leaf(t) ** 2))(tree)
    np.testing.assert_array_equal(leaf(gradient), 2.0 * X)


def test_leaves_of_several_dtypes_keep_theirs() -> None:
    tree = {"a": X.astype(np.float16), "b": X.astype(np.float32), "c": X, "d": 2}
    gradient = tad.grad(lambda t: tad.sum(t["a"] + t["b"] + t["c"]) * t["d"])(tree)
    assert [g.dtype for g in gradient.values()] == [np.float16, np.float32, np.float64, np.float64]
    assert gradient["d"].weak and not gradient["c"].weak


def test_an_integer_leaf_is_named_by_its_path() -> None:
    tree = Frozen({"ids": [np.array([1, 2])]}, 2.0)
    with pytest.raises(DTypeError, match=r"argument 0 \('t'\) at \.w\.ids\[0\] has dtype int64"):
        tad.grad(lambda t: t.b)(tree)


def test_the_first_difference_of_structure_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"the tangent: at \.w: expected a leaf, got tuple"):
        tad.jvp(energy)({"w": X, "b": 1.0}, {"w": (X,), "b": 1.0})
    with pytest.raises(ArgumentError, match=r"keys \['w', 'b'\].*keys \['w', 'c'\]"):
        tad.jvp(energy)({"w": X, "b": 1.0}, {"w": X, "c": 1.0})


# --- a list is no array: Python's own error gets a note -------------------------------------------
NOTED: dict[str, tuple[Any, str]] = {
    "grad": (lambda: tad.grad(lambda x: tad.sum(x**2))([1.0, 2.0]), "grad: argument 0 is a list"),
    "jacrev": (lambda: tad.jacrev(lambda x: -x)([1.0, 2.0]), "jacrev: argument 0 is a list"),
    "jvp": (
        lambda: tad.jvp(lambda x: x**2, ([1.0, 2.0],), ([1.0, 2.0],)),
        "jvp: argument 0 is a list",
    ),
    "wrt": (
        lambda: tad.grad(lambda x: tad.sum(x**2), wrt="x")([1.0, 2.0]),
        "grad: argument 0 is a list",
    ),
    "second argument": (
        lambda: tad.grad(lambda x, y: x * tad.sum(y**2))(tad.asarray(1.0), (1.0, 2.0)),
        "grad: argument 1 is a tuple",
    ),
    "by keyword": (
        lambda: tad.grad(lambda x, y: x * tad.sum(y**2))(1.0, y=[1.0, 2.0]),
        "grad: argument 'y' is a list",
    ),
    "vmap": (lambda: tad.vmap(lambda x: x**2)([np.ones(3), np.ones(3)]), "vmap: argument 0"),
    "jit": (lambda: tad.jit(lambda x: x**2)([1.0, 2.0]), "jit: argument 0 is a list"),
    "trace": (lambda: tad.trace(lambda x: x**2)([1.0, 2.0]), "trace: argument 0 is a list"),
    "a method": (lambda: tad.grad(lambda x: x.sum())([1.0, 2.0]), "grad: argument 0 is a list"),
    "times a float": (lambda: tad.grad(lambda x: tad.sum(2.5 * x))([1.0, 2.0]), "grad: argument 0"),
}


@pytest.mark.parametrize("name", NOTED)
def test_a_list_where_an_array_is_meant(name: str) -> None:
    call, said = NOTED[name]
    with pytest.raises((TypeError, AttributeError)) as caught:
        call()
    assert not isinstance(caught.value, tad.TaglessError)
    (note,) = caught.value.__notes__
    assert note.startswith(said)
    assert note.endswith(
        "a tree of 2 numbers, not an array; where an array is meant, wrap it in tad.asarray"
    )


def test_nested_lists_are_counted_and_noted_once() -> None:
    twice = tad.grad(lambda x: tad.grad(lambda y: tad.sum(y @ y))(x)[0][0])
    with pytest.raises(TypeError) as caught:
        twice([[1.0, 2.0], [3.0, 4.0]])
    assert [n.partition(",")[2].partition(",")[0] for n in caught.value.__notes__] == [
        " a tree of 4 numbers"
    ]


def test_other_errors_get_no_note() -> None:
    def unrelated(x: Any) -> Any:
        raise TypeError("nothing to do with it")

    def tree(x: Any) -> Any:
        return x**2

    for call in (
        lambda: tad.grad(unrelated)([1.0, 2.0]),
        lambda: tad.grad(tree)({"a": 1.0}),
        lambda: tad.grad(tree)([np.ones(2), 1.0]),  # no list of numbers
    ):
        with pytest.raises(TypeError) as caught:
            call()
        assert not hasattr(caught.value, "__notes__")
