"""The quick reader of jit's arguments: it takes what the general walk takes alike, nothing else."""

import dataclasses
from collections import OrderedDict, namedtuple
from enum import Enum
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.compiled.reader import reader
from taglessad.compiled.signature import signature
from taglessad.levels import default_root
from taglessad.trees import register

ROOT = default_root()
Pair = namedtuple("Pair", "a b")


class Mode(Enum):
    ONE = 1
    TWO = 2


@dataclasses.dataclass
class Layer:
    w: Any
    b: Any
    act: Any = dataclasses.field(default="tanh", metadata={"static": True})


class Boxed:
    def __init__(self, inside: Any) -> None:
        self.inside = inside


register(Boxed, lambda box: ((box.inside,), None), lambda _, children: Boxed(children[0]))


def t(*shape: int, dtype: Any = np.float64) -> Any:
    return tad.asarray(np.ones(shape, dtype))


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((t(3),), {}),
    ((t(4),), {}),
    ((t(),), {}),
    ((t(3, dtype=np.float32),), {}),
    ((t(3, dtype=np.int64),), {}),
    ((t(3, dtype=bool),), {}),
    ((t(3), t(3)), {}),
    ((), {"x": t(3)}),
    ((), {"y": t(3)}),
    ((t(3),), {"x": t(3)}),
    ((2.0,), {}),
    ((tad.asarray(2.0),), {}),  # weak? its key says so
    ((tad.asarray(np.float64(2.0)),), {}),
    ((np.ones(3),), {}),
    ((np.ones(3, np.float32),), {}),
    ((np.float64(2.0),), {}),
    ((np.float32(2.0),), {}),
    ((None,), {}),
    (("a",), {}),
    (("b",), {}),
    ((b"a",), {}),
    ((np.sin,), {}),
    ((len,), {}),
    ((max,), {}),
    ((Mode.ONE,), {}),
    ((Mode.TWO,), {}),
    ((np.dtype(np.float32),), {}),
    ((...,), {}),
    (((t(3), 1.0),), {}),
    (([t(3), 1.0],), {}),
    (([1.0, t(3)],), {}),
    ((Pair(t(3), 1.0),), {}),
    (({"a": t(3), "b": 1.0},), {}),
    (({"b": t(3), "a": 1.0},), {}),
    (((),), {}),
    (([],), {}),
    (({},), {}),
    ((Layer(t(3), t(2)),), {}),
    ((Layer(t(2), t(3)),), {}),
    ((Layer(t(3), t(2), "relu"),), {}),
    ((Layer(t(3), t(2), 1),), {}),
    ((Layer(t(3), t(2), True),), {}),
    ((Layer(t(3), t(2), None),), {}),
    ((Layer(t(3), t(2), len),), {}),
    ((Layer(Layer(t(3), t(2)), [t(1), (2.0, None)]),), {"k": {"z": t(5)}}),
]
UNREAD: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),  # a Python integer is converted
    ((True,), {}),
    ((Boxed(t(3)),), {}),
    (({1: t(3)},), {}),
    ((OrderedDict(a=t(3)),), {}),
    ((Layer(t(3), t(2), 1.0),), {}),  # 0.0 and -0.0 are equal, but not the same program
    ((Layer(t(3), t(2), (1, 2)),), {}),
]


@pytest.mark.parametrize("i", range(len(CALLS)))
def test_a_reader_takes_the_calls_of_its_own_signature_and_no_other(i: int) -> None:
    args, kwargs = CALLS[i]
    read = reader(ROOT, args, kwargs)
    own = signature(ROOT, (), args, kwargs)
    assert read is not None and own is not None
    got = read(args, kwargs)
    assert got is not None and len(got) == len(own[1])
    assert all(a is b for a, b in zip(got, own[1], strict=True))
    for other_args, other_kwargs in CALLS + UNREAD:
        other = signature(ROOT, (), other_args, other_kwargs)
        assert other is not None
        got = read(other_args, other_kwargs)
        # It may leave a call to the general walk, but never take one of another signature.
        assert got is None or other[0] == own[0]


@pytest.mark.parametrize("i", range(len(UNREAD)))
def test_what_has_no_test_is_left_to_the_general_walk(i: int) -> None:
    args, kwargs = UNREAD[i]
    assert reader(ROOT, args, kwargs) is None
    assert signature(ROOT, (), args, kwargs) is not None


def test_shapes_are_left_to_who_looks_at_them_anyway() -> None:
    read = reader(ROOT, (t(3), [t(2)]), {}, shaped=False)
    assert read is not None
    for x, y in ((t(3), t(2)), (t(4, 1), t())):
        got = read((x, [y]), {})
        assert got is not None and got[0] is x.payload and got[1] is y.payload
    for x in (t(3, dtype=np.float32), t(3, dtype=np.int64), np.ones(3)):
        assert read((x, [t(2)]), {}) is None


def test_values_under_a_transform_are_left_to_the_general_walk() -> None:
    read = reader(ROOT, (t(3),), {})
    assert read is not None
    seen: list[object] = []

    def f(x: Any) -> Any:
        seen.append(read((x,), {}))
        return tad.sum(x)

    tad.grad(f)(np.ones(3))
    assert seen == [None]


def test_calls_in_turn_of_several_signatures_are_recorded_once_each() -> None:
    calls = [0]

    def f(m: Any, x: Any) -> Any:
        calls[0] += 1
        return m.w * x if m.act == "tanh" else m.w + x

    j = tad.jit(f)
    w = tad.asarray(np.full(3, 3.0))
    for _ in range(3):
        for x in (2.0, np.full(3, 2.0), tad.asarray(np.full(3, 2.0))):
            np.testing.assert_array_equal(j(Layer(w, None), x), [6.0, 6.0, 6.0])
            np.testing.assert_array_equal(j(Layer(w, None, "relu"), x), [5.0, 5.0, 5.0])
    assert calls == [4]  # an array and a handle of one shape and dtype are one signature


def test_static_arguments_that_are_equal_but_not_the_same_keep_apart() -> None:
    j = tad.jit(lambda x, n: x * n, static_argnums=1)
    x = tad.asarray(np.arange(2, 4))
    assert j(x, 1).dtype == tad.int64
    assert j(x, 1.0).dtype == tad.float64
    assert j(x, 1).dtype == tad.int64
    assert j(x, 2).tolist() == [4, 6]


def test_a_mutable_argument_changed_between_calls_is_seen() -> None:
    j = tad.jit(lambda m: tad.sum(m.w))
    m = Layer(t(3), None)
    assert float(j(m)) == 3.0
    m.w = t(5)
    assert float(j(m)) == 5.0
    m.w = 4.0
    assert float(j(m)) == 4.0
