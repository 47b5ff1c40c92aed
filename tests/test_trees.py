"""Trees: what comes apart comes together again, and nothing is guessed about what cannot."""

import copy
import enum
import functools
import math
import operator
import pickle
import threading
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field, make_dataclass
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypedDict, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taglessad import trees
from taglessad.errors import ArgumentError
from taglessad.trees.kinds import kinds, leaf_classes

T = TypeVar("T")


class Point(NamedTuple):
    x: Any
    y: Any


class NarrowPoint(Point):
    """Asks for another argument than its fields."""

    def __new__(cls, both: Any) -> Self:
        return super().__new__(cls, both, both)


class Params(TypedDict):
    w: Any
    b: Any


class Colour(enum.Enum):
    RED = 1


class Name(enum.StrEnum):
    A = "a"


@dataclass
class Plain:
    w: Any
    b: Any = None


@dataclass(frozen=True)
class Frozen:
    w: Any
    b: Any
    size: Any = field(default=3, metadata={"static": True})


@dataclass(frozen=True, slots=True)
class Slotted:
    w: Any
    b: Any
    name: Any = field(default="s", metadata={"static": True})


@dataclass(frozen=True)
class Wider(Frozen):
    extra: Any = None


@dataclass
class Counted:
    """Counts the calls of __init__ and __post_init__."""

    w: Any
    seed: InitVar[int] = 0
    doubled: Any = field(init=False)
    calls: ClassVar[int] = 0

    def __post_init__(self, seed: int) -> None:
        type(self).calls += 1
        self.doubled = self.w * 2


@dataclass(frozen=True)
class Boxed(Generic[T]):
    value: T


@dataclass
class CallableModel:
    w: Any

    def __call__(self, x: Any) -> Any:
        return self.w * x


class Ring:
    """Registered below: items are the children, the label is static."""

    def __init__(self, label: Any, *items: Any) -> None:
        self.label, self.items = label, items


trees.register(
    Ring, lambda ring: (ring.items, ring.label), lambda label, items: Ring(label, *items)
)


class Opaque:
    """Neither a container nor callable."""


def a_function() -> None: ...


def same(a: Any, b: Any) -> bool:
    """Equal in structure, class by class, with identical leaves."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a.values(), b.values()))
    if isinstance(a, Ring):
        return a.label == b.label and same(a.items, b.items)
    if isinstance(a, (Plain, Frozen)):
        return all(map(same, vars(a).values(), vars(b).values()))
    if isinstance(a, Slotted):
        return same((a.w, a.b, a.name), (b.w, b.b, b.name))
    return a is b or (isinstance(a, (str, bytes)) and a == b)


keys = st.one_of(st.text(max_size=4), st.integers(-2, 5))
statics = st.sampled_from(["relu", b"raw", ..., Colour.RED, Name.A, int, len, np.dtype("f4")])


def containers(inside: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    pairs = st.tuples(inside, inside)
    return st.one_of(
        st.lists(inside, max_size=3),
        st.lists(inside, max_size=3).map(tuple),
        st.dictionaries(keys, inside, max_size=3),
        st.dictionaries(keys, inside, max_size=3).map(OrderedDict),
        pairs.map(lambda p: Point(*p)),
        pairs.map(lambda p: Plain(*p)),
        st.tuples(inside, inside, st.integers(0, 2)).map(lambda p: Frozen(*p)),
        pairs.map(lambda p: Slotted(*p)),
        pairs.map(lambda p: Wider(p[0], p[1], "static", p)),
        pairs.map(lambda p: Ring("label", *p)),
    )


any_tree = st.recursive(st.one_of(st.none(), statics, st.builds(Opaque)), containers, max_leaves=12)


# Round trips


@given(any_tree)
def test_round_trip(tree: Any) -> None:
    leaves, treedef = trees.flatten(tree)
    assert all(isinstance(leaf, Opaque) for leaf in leaves)
    assert treedef.num_leaves == len(leaves)
    assert same(trees.unflatten(treedef, leaves), tree)
    assert trees.leaves(tree) == leaves
    assert trees.structure(tree) == treedef


@given(any_tree)
def test_the_structure_does_not_depend_on_the_leaves(tree: Any) -> None:
    leaves, treedef = trees.flatten(tree)
    numbers = list(range(len(leaves)))
    other = trees.unflatten(treedef, iter(numbers))
    assert trees.flatten(other) == (numbers, treedef)
    assert hash(trees.structure(other)) == hash(treedef)


@given(any_tree)
def test_treedef_pickles_and_copies(tree: Any) -> None:
    treedef = trees.structure(tree)
    again = pickle.loads(pickle.dumps(treedef))
    assert again == treedef and hash(again) == hash(treedef)
    assert again.num_leaves == treedef.num_leaves and repr(again) == repr(treedef)
    assert copy.copy(treedef) is treedef and copy.deepcopy([treedef]) == [treedef]


@given(any_tree)
def test_every_path_leads_to_its_leaf(tree: Any) -> None:
    found, treedef = trees.flatten_with_paths(tree)
    assert ([leaf for _, leaf in found], treedef) == trees.flatten(tree)
    new = Opaque()
    for i, (path, leaf) in enumerate(found):
        replaced = trees.replace(tree, path, new)
        expected = [new if j == i else other for j, (_, other) in enumerate(found)]
        assert trees.flatten(replaced) == (expected, treedef)
        assert trees.leaves(trees.replace(replaced, path, leaf)) == trees.leaves(tree)
    assert trees.leaves(tree) == [leaf for _, leaf in found]


# No text is read back where a name has quotes of both kinds.
steps = st.one_of(keys, st.text("ab.[]'1 \n"), st.text('ab.[]"1-'))


@given(st.text("abc_ 1'", min_size=1), st.lists(steps))
def test_path_text_reads_back(first: str, rest: list[str | int]) -> None:
    text = trees.path_string((first, *rest)).removeprefix(".")
    assert trees.parse_path(text) == (first, *rest)


# Containers


@pytest.mark.parametrize(
    ("tree", "leaves", "shown"),
    [
        (1.0, [1.0], "*"),
        (None, [], "None"),
        ((), [], "()"),
        ((1,), [1], "(*,)"),
        ((1, (2, 3)), [1, 2, 3], "(*, (*, *))"),
        ([1, [], 2], [1, 2], "[*, [], *]"),
        ({"w": 1, "b": 2}, [1, 2], "{'w': *, 'b': *}"),
        ({2: 1, (0, 1): 3}, [1, 3], "{2: *, (0, 1): *}"),
        ((5, {"w": 1, "b": 2}), [5, 1, 2], "(*, {'w': *, 'b': *})"),
        (OrderedDict(b=1, a=2), [1, 2], "OrderedDict({'b': *, 'a': *})"),
        (Params(w=1, b=2), [1, 2], "{'w': *, 'b': *}"),
        (Point(1, None), [1], "Point(x=*, y=None)"),
        (NarrowPoint(1), [1, 1], "NarrowPoint(x=*, y=*)"),
        (Plain(1, [2]), [1, 2], "Plain(w=*, b=[*])"),
        (Frozen(1, 2), [1, 2], "Frozen(w=*, b=*)"),
        (Slotted(1, 2), [1, 2], "Slotted(w=*, b=*)"),
        (Wider(1, 2, 3, 4), [1, 2, 4], "Wider(w=*, b=*, extra=*)"),
        (Boxed[int](1), [1], "Boxed(value=*)"),
        (CallableModel(1), [1], "CallableModel(w=*)"),
        (Ring("label", 1, 2), [1, 2], "Ring(*, *)"),
        (("relu", 1), [1], "('relu', *)"),
        ((a_function, 1), [1], "(a_function, *)"),
    ],
)
def test_containers(tree: Any, leaves: list[Any], shown: str) -> None:
    found, treedef = trees.flatten(tree)
    assert found == leaves
    assert repr(treedef) == shown
    again = trees.unflatten(treedef, leaves)
    assert type(again) is type(tree)
    assert trees.flatten(again) == (leaves, treedef)


@pytest.mark.parametrize(
    "value",
    [
        "text",
        b"bytes",
        ...,
        Colour.RED,
        Name.A,
        int,
        Colour,
        a_function,
        len,
        [].append,
        np.add,
        functools.partial(a_function),
        operator.attrgetter("x"),
        np.dtype("f4"),
        np.dtype([("a", "i4")]),
        np.str_("text"),
        list[int],
    ],
)
def test_static_values(value: Any) -> None:
    leaves, treedef = trees.flatten((value, 1.0))
    assert leaves == [1.0]
    assert trees.unflatten(treedef, [2.0])[0] is value


@pytest.mark.parametrize(
    "value",
    [True, 1, 1.5, 2j, np.float32(1), np.zeros(2), {1}, bytearray(b"x"), Opaque(), range(2)],
)
def test_leaves(value: Any) -> None:
    leaves, treedef = trees.flatten([value])
    assert leaves[0] is value and treedef.num_leaves == 1


def test_dataclasses_are_rebuilt_without_init() -> None:
    before = Counted(3, 5)
    calls = Counted.calls
    leaves, treedef = trees.flatten(before)
    assert leaves == [3, 6]
    after = trees.unflatten(treedef, [10, 11])
    assert (type(after), after.w, after.doubled) == (Counted, 10, 11)
    assert Counted.calls == calls


def test_vars_keep_the_order_of_the_fields() -> None:
    leaves, treedef = trees.flatten(Wider(1, 2, "s", 4))
    again = trees.unflatten(treedef, leaves)
    assert vars(again) == {"w": 1, "b": 2, "size": "s", "extra": 4}
    assert list(vars(again)) == ["w", "b", "size", "extra"]


def test_static_fields_are_kept_by_value() -> None:
    model = Frozen(1, 2, size=(7, "x"))
    leaves, treedef = trees.flatten(model)
    assert leaves == [1, 2]
    assert trees.unflatten(treedef, [3, 4]) == Frozen(3, 4, size=(7, "x"))
    assert treedef != trees.structure(Frozen(1, 2, size=(7, "y")))


def test_a_field_without_a_value_is_an_error() -> None:
    model = Counted(3)
    del model.doubled
    with pytest.raises(
        ArgumentError, match=r"flatten: at \.m: a field of Counted has no value.*doubled"
    ):
        trees.flatten({"m": model})


class MyList(list[Any]): ...


class MyTuple(tuple[Any, ...]): ...


@dataclass
class MyDict(dict[str, Any]):
    w: Any


@pytest.mark.parametrize(
    "node", [defaultdict(int, a=1), Counter("ab"), MyList([1]), MyTuple((1,)), MyDict(1)]
)
def test_other_subclasses_of_containers_are_refused(node: Any) -> None:
    name = type(node).__name__
    with pytest.raises(
        ArgumentError, match=rf"at \[1\]\.k: .*{name} is a subclass.*register\({name}"
    ):
        trees.flatten((0, {"k": node}))


def test_a_dataclass_that_object_cannot_make_is_refused() -> None:
    @dataclass
    class Failure(Exception):
        code: Any

    leaves, treedef = trees.flatten(Failure(3))
    with pytest.raises(ArgumentError, match=r"unflatten: .*Failure.*register\("):
        trees.unflatten(treedef, leaves)


@pytest.mark.parametrize("given_leaves", [[1], [1, 2, 3]])
def test_unflatten_counts_the_leaves(given_leaves: list[int]) -> None:
    treedef = trees.structure((0, {"w": 0}))
    with pytest.raises(
        ArgumentError, match=rf"expected 2 leaves, for \(\*, .*got {len(given_leaves)}"
    ):
        trees.unflatten(treedef, given_leaves)


# register


def test_register_once() -> None:
    with pytest.raises(ArgumentError, match="register: Ring is a container already"):
        trees.register(Ring, lambda ring: (ring.items, None), lambda _, items: Ring("", *items))


@pytest.mark.parametrize("cls", [tuple, list, dict, OrderedDict, type(None)])
def test_built_in_containers_are_not_registered_again(cls: Any) -> None:
    with pytest.raises(ArgumentError, match="is a container already"):
        trees.register(cls, lambda node: ((), None), lambda _, items: cls())


def test_register_changes_the_kind_from_then_on() -> None:
    class Late:
        def __init__(self, *items: Any) -> None:
            self.items = items

    assert len(trees.leaves(Late(1, 2))) == 1
    trees.register(Late, lambda late: (iter(late.items), None), lambda _, items: Late(*items))
    assert trees.leaves(Late(1, 2)) == [1, 2]


def test_registration_wins_over_what_a_class_is() -> None:
    class Stack(list[Any]): ...

    @dataclass(frozen=True)
    class Config:
        rate: float

    trees.register(Stack, lambda stack: (list(stack), None), lambda _, items: Stack(items))
    trees.register(Config, lambda config: ((), config), lambda config, _: config)
    config = Config(0.5)
    leaves, treedef = trees.flatten((Stack([1, 2]), config))
    assert leaves == [1, 2]
    again = trees.unflatten(treedef, [3, 4])
    assert type(again[0]) is Stack and again == ([3, 4], config) and again[1] is config


def test_a_structure_of_an_unregistered_class_is_not_rebuilt() -> None:
    elsewhere = trees.TreeDef(((Opaque, 0, (None,), (type(None),)),), 0)
    with pytest.raises(ArgumentError, match="unflatten: .*not registered here"):
        trees.unflatten(elsewhere, [])


# Equality of structures


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((1, 2), [1, 2]),
        ((1, 2), (1, (2,))),
        ((1, 2), (1, 2, 3)),
        (None, ()),
        ((), []),
        ({}, OrderedDict()),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, {"b": 1}),
        ({1: 0}, {True: 0}),
        (Plain(1, 2), Frozen(1, 2)),
        (Point(1, 2), (1, 2)),
        ("a", "b"),
        ("a", b"a"),
        ("a", Name.A),
        ({"a": 1}, {Name.A: 1}),
        ("float64", np.dtype("f8")),
        (float, np.dtype("f8")),
        ("a", 1.0),
        (Frozen(1, 2, -1), Frozen(1, 2, -2)),  # of one hash
        (Frozen(1, 2, 1), Frozen(1, 2, 1.0)),
        (Frozen(1, 2, 1), Frozen(1, 2, True)),
        (Frozen(1, 2, 0.0), Frozen(1, 2, -0.0)),
        (Frozen(1, 2, (1, (2,))), Frozen(1, 2, (1, (2.0,)))),
        (Ring("a", 1), Ring("b", 1)),
        (Ring(0, 1), Ring(False, 1)),
    ],
)
def test_different_structures(a: Any, b: Any) -> None:
    assert trees.structure(a) != trees.structure(b)


def test_equal_structures_are_one_key() -> None:
    table = {trees.structure((1, {"w": Frozen(2, 3, ("a", 0.5))}, "relu")): "found"}
    assert table[trees.structure((5, {"w": Frozen(6, 7, ("a", 0.5))}, "relu"))] == "found"
    assert trees.structure(()) != () and trees.structure(1) != "*"


def test_flat_tuples_have_the_structure_of_other_trees() -> None:
    for n in range(40):  # beyond the structures kept ready
        pair = trees.structure((tuple(range(n)), 0)).tokens
        assert trees.structure(tuple(range(n))).tokens == pair[1:-1]


@pytest.mark.parametrize("tree", [Frozen(1, 2, [3]), Ring([3], 1), Frozen(1, 2, np.zeros(2))])
def test_static_values_must_be_hashable(tree: Any) -> None:
    treedef = trees.structure((0, tree))
    with pytest.raises(ArgumentError, match=r"at \[1\]: a static value must be hashable, but a "):
        hash(treedef)
    with pytest.raises(ArgumentError, match="hashable"):
        assert treedef == trees.structure((0, tree))


def test_treedef_does_not_change() -> None:
    treedef = trees.structure((1, 2))
    with pytest.raises(AttributeError):
        treedef.num_leaves = 3  # type: ignore[misc]  # that it is read-only is the point
    with pytest.raises(AttributeError):
        treedef.anything = 3  # type: ignore[attr-defined]  # the same


# map and match


def test_map_takes_static_parts_and_key_order_from_the_first() -> None:
    a = {"m": Frozen(1, 2, "first"), "act": "relu", "n": None}
    b = {"n": None, "act": "gelu", "m": Frozen(10, 20, "second")}
    assert trees.map(operator.add, a, b) == {"m": Frozen(11, 22, "first"), "act": "relu", "n": None}
    assert list(trees.map(operator.add, a, b)) == ["m", "act", "n"]


@given(any_tree)
def test_map_over_several_trees(tree: Any) -> None:
    leaves, treedef = trees.flatten(tree)
    first = trees.unflatten(treedef, range(len(leaves)))
    second = trees.map(lambda i: 10 * i, first)
    summed = trees.map(lambda i, j, k: i + j + k, first, second, first)
    assert trees.flatten(summed) == ([12 * i for i in range(len(leaves))], treedef)


@given(st.permutations(["a", "b", 3, "d"]), st.permutations(["x", "y", "z"]))
def test_match_reorders_dicts_by_key(outer: list[Any], inner: list[str]) -> None:
    tree = {k: OrderedDict((i, (k, ord(i))) for i in inner) for k in outer}
    reference = {k: OrderedDict((i, (k, 0)) for i in "xyz") for k in ["a", "b", 3, "d"]}
    expected = [leaf for k in reference for i in "xyz" for leaf in trees.leaves((k, ord(i)))]
    assert trees.match(trees.structure(reference), tree) == expected


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ((1, 2), (1, (2,)), r"map: tree 2: at \[1\]: expected a leaf, got tuple of 1"),
        ((1, (2,)), (1, 2.5), r"at \[1\]: expected tuple of 1, got a leaf \(float\)"),
        ((1, 2), [1, 2], "at the top: expected tuple of 2, got list of 2"),
        ({"h": (1, 2)}, {"h": (1,)}, r"at \.h: expected tuple of 2, got tuple of 1"),
        (
            {"h": {"w": 1, "b": 2}},
            {"h": {"w": 1, "c": 2}},
            r"at \.h: expected dict with the keys \['w', 'b'\], got dict .*\['w', 'c'\]",
        ),
        (Plain(1, None), Plain(1, 2), r"at \.b: expected None, got a leaf \(int\)"),
        (Plain(1, 2), Frozen(1, 2), "expected Plain of 2, got Frozen of 2"),
        (("relu", 1), (3, 1), r"at \[0\]: expected the static value 'relu', got a leaf \(int\)"),
        (Ring("a", 1), Ring("b", 1), "expected Ring of 1 with aux 'a', got Ring of 1 with aux 'b'"),
        (Point(1, (2,)), Point(1, [2]), r"at \.y: expected tuple of 1, got list of 1"),
        ({"a.b": {0: 1}}, {"a.b": {0: "s"}}, r"at \['a.b'\]\[0\]: expected a leaf, got the static"),
    ],
)
def test_map_names_the_first_difference(first: Any, second: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        trees.map(operator.add, first, second)


def test_match_names_what_it_was_given() -> None:
    with pytest.raises(
        ArgumentError, match="vjp: cotangent: at the top: expected a leaf, got None"
    ):
        trees.match(trees.structure(1.0), None, name="vjp: cotangent")


# Paths


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("head", "w"), ".head.w"),
        ((1,), "[1]"),
        (("model", "heads", 1), ".model.heads[1]"),
        (("layer.0", ""), "['layer.0']['']"),
        (("it's [0]",), '["it\'s [0]"]'),
        ((-3, (0, 1)), "[-3][(0, 1)]"),
    ],
)
def test_path_string(path: trees.Path, text: str) -> None:
    assert trees.path_string(path) == text


def test_flatten_with_paths() -> None:
    tree = {"model": Frozen((1, 2), Point(3, 4)), "x": [5, "static"], 7: Ring("r", 6)}
    found, _ = trees.flatten_with_paths(tree)
    assert [(trees.path_string(path).removeprefix("."), leaf) for path, leaf in found] == [
        ("model.w[0]", 1),
        ("model.w[1]", 2),
        ("model.b.x", 3),
        ("model.b.y", 4),
        ("x[0]", 5),
        ("[7][0]", 6),
    ]


MALFORMED = ["", ".x", "[0]", "x.", "x..w", "x[", "x[]", "x]", "x[1", "x[a]", "x[1.0]", "x['a]"]


@pytest.mark.parametrize("text", [*MALFORMED, "x[0]w"])
def test_malformed_paths(text: str) -> None:
    with pytest.raises(ArgumentError, match="is not a path: write a name"):
        trees.parse_path(text)
    with pytest.raises(ArgumentError, match="grad: .*is not a path"):
        trees.select({"x": [1]}, [text], caller="grad")
    with pytest.raises(ArgumentError, match="replace: .*is not a path"):
        trees.replace({"x": [1]}, text, 2)


# select and replace

HEADS = [Frozen(1, 2), Frozen(3, 4)]
NAMED = {
    "model": {"head": Frozen(5, 6), "heads": HEADS, "at.om": 7, 3: 8, "p": Point(9, 10)},
    "x": 11,
    "nothing": None,
    "name": "text",
}


@pytest.mark.parametrize(
    ("text", "subtree"),
    [
        ("x", 11),
        ("model.head", Frozen(5, 6)),
        ("model.head.w", 5),
        ("model.heads", HEADS),
        ("model.heads[1]", HEADS[1]),
        ("model.heads[-1].b", 4),
        ("model['at.om']", 7),
        ('model["head"].b', 6),
        ("model[3]", 8),
        ("model.p.y", 10),
        ("model.p[1]", 10),
        ("nothing", None),
    ],
)
def test_select_and_replace(text: str, subtree: Any) -> None:
    before = copy.deepcopy(NAMED)
    assert trees.select(NAMED, [text]) == {text: subtree}
    new = object()
    after = trees.replace(NAMED, text, new)
    assert trees.select(after, [text])[text] is new
    assert before == NAMED
    assert trees.replace(after, text, subtree) == NAMED


def test_select_keeps_the_order_of_the_paths() -> None:
    paths = ["x", "model.heads[1].w", "model.heads[0]", "model.head.w"]
    assert list(trees.select(NAMED, paths).items()) == [
        ("x", 11),
        ("model.heads[1].w", 3),
        ("model.heads[0]", HEADS[0]),
        ("model.head.w", 5),
    ]


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([], r"wrt is \[\]: give a list of one or more"),
        ("x", "wrt is 'x': give a list"),
        (["weights"], "'weights': no weights; what exists is: model, x, nothing, name"),
        (["model.hed.w"], r"'model.hed.w': no hed; model has: head, heads, \['at.om'\], \[3\], p"),
        (["model.head.v"], "no v; model.head has: w, b"),
        (["model.head.size"], "no size; model.head has: w, b"),
        (["model.heads[2]"], r"no \[2\]; model.heads has: \[0\] to \[1\]"),
        (["model.heads[-3]"], r"no \[-3\]; model.heads has"),
        (["model.heads.w"], "no w; model.heads has"),
        (["model.head[0]"], r"no \[0\]; model.head has: w, b"),
        (["model.p[2]"], r"no \[2\]; model.p has: x, y"),
        (["x[0]"], r"'x\[0\]': x is a leaf \(int\), nothing lies inside it"),
        (["nothing.w"], "nothing is None, nothing lies inside it"),
        (["name.upper"], "name is the static value 'text'"),
        (["x", "x"], "wrt names 'x' twice$"),
        (["model.p.y", "model.p[-1]"], r"'model.p.y' twice, the second time as 'model.p\[-1\]'"),
        (
            ["model.head.w", "model.head"],
            "'model.head.w', which lies inside 'model.head': name one",
        ),
        (["model.head.w", "model"], "'model.head.w', which lies inside 'model': name one"),
        (
            ["x", "model.heads", "model.heads[0].w"],
            r"heads\[0\].w', which lies inside 'model.heads'",
        ),
    ],
)
def test_select_errors(paths: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"(?m)^grad: .*{message}"):
        trees.select(NAMED, paths, caller="grad")


def test_long_listings_are_cut() -> None:
    with pytest.raises(ArgumentError, match=r"(?m)k18, k19, \.\.\.$"):
        trees.select({f"k{i}": i for i in range(50)}, ["q"])


def test_replace_keeps_static_fields_and_does_not_call_init() -> None:
    tree = (Counted(1), Frozen(1, 2, "kept"))
    calls = Counted.calls
    after = trees.replace(trees.replace(tree, (0, "w"), 5), (1, "b"), 6)
    assert (after[0].w, after[0].doubled, after[1]) == (5, 2, Frozen(1, 6, "kept"))
    assert Counted.calls == calls and tree[0].w == 1
    assert trees.replace(tree, (), "whole") == "whole"
    with pytest.raises(ArgumentError, match="replace: .*nothing lies inside"):
        trees.replace(tree, (0, "w", "v"), 1)


# Depth, cycles, threads


@pytest.mark.parametrize(
    "wrap",
    [lambda t: (t,), lambda t: [t], lambda t: {"k": t}, Plain, lambda t: Ring("r", t)],
    ids=["tuple", "list", "dict", "dataclass", "registered"],
)
@pytest.mark.parametrize("depth", [1_000, 20_000])
def test_deep_trees(wrap: Callable[[Any], Any], depth: int) -> None:
    tree: Any = 1.5
    for _ in range(depth):
        tree = wrap(tree)
    leaves, treedef = trees.flatten(tree)
    assert leaves == [1.5]
    again = trees.structure(trees.unflatten(treedef, [2.5]))
    assert again == treedef and hash(again) == hash(treedef)
    assert pickle.loads(pickle.dumps(treedef)) == treedef
    assert repr(trees.structure(trees.map(abs, tree))).count("*") == 1


def test_trees_that_contain_themselves() -> None:
    ring: list[Any] = [1, 2]
    ring.append({"self": (ring,)})
    with pytest.raises(
        ArgumentError, match=r"flatten: the tree contains itself: the list at \.a\[2\]\.self\[0\]"
    ):
        trees.flatten({"a": ring})
    node = Plain(1)
    node.b = node
    with pytest.raises(ArgumentError, match=r"contains itself: the Plain at \.b"):
        trees.flatten(node)


def test_a_registered_class_without_end() -> None:
    class Endless: ...

    trees.register(Endless, lambda _: ([Endless()], None), lambda _, children: Endless())
    with pytest.raises(ArgumentError, match="over 100000 levels deep"):
        trees.flatten(Endless())


def test_a_large_tree_with_shared_parts_is_no_cycle() -> None:
    tree: Any = (1, ())
    for _ in range(16):
        tree = (tree, [tree])
    leaves, treedef = trees.flatten(tree)
    assert len(leaves) == 2**16 and len(treedef.tokens) > 100_000
    assert treedef.num_leaves == len(leaves)


def test_classes_made_in_a_loop_do_not_pile_up() -> None:
    before = trees.structure(Frozen(1, 2))
    for _ in range(5_000):
        trees.flatten(type("Passing", (), {})())
    assert len(kinds) < 4_200 and leaf_classes <= set(kinds)
    assert trees.structure(Frozen(3, 4)) == before
    assert trees.leaves((1, [2])) == [1, 2]


def test_threads_meet_new_classes_together() -> None:
    classes = [make_dataclass(f"C{i}", ["w", "b"]) for i in range(50)]
    start = threading.Barrier(4)
    results: list[list[Any]] = []

    def work() -> None:
        start.wait()
        results.append([trees.flatten(cls(i, (i,))) for i, cls in enumerate(classes)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and all(result == results[0] for result in results)
    assert [leaves for leaves, _ in results[0]] == [[i, i] for i in range(50)]


def test_nan_is_one_static_value_where_it_is_one_object() -> None:
    assert trees.structure(Frozen(1, 2, math.nan)) == trees.structure(Frozen(3, 4, math.nan))
