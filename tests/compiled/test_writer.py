"""The quick writer of results: it makes the trees that the general walk makes."""

import dataclasses
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.compiled.reader import LARGEST
from taglessad.compiled.writer import writer
from taglessad.levels import default_root
from taglessad.trees import flatten, unflatten

ROOT = default_root()
Pair = namedtuple("Pair", "a b")


@dataclasses.dataclass
class Layer:
    w: Any
    b: Any
    act: Any = dataclasses.field(default="tanh", metadata={"static": True})


def t(value: Any, dtype: Any = np.float32) -> Any:
    return tad.asarray(np.asarray(value, dtype))


def nested(depth: int) -> Any:
    tree: Any = t(1.0)
    for _ in range(depth):
        tree = (tree,)
    return tree


TREES: dict[str, Any] = {
    "leaf": t([1.0, 2.0]),
    "weak": tad.asarray(2.0),
    "kinds": (t(1.0), t(2, np.int64), t(True, bool), t(1.0, np.float64)),
    "no leaves": (),
    "empty": [(), [], {}, None],
    "one": (t(1.0),),
    "order": [t(1.0), (t(2.0), [t(3.0)]), t(4.0)],
    "dicts": {"b": t(1.0), "a": OrderedDict(z=t(2.0), y="text"), 3: t(4.0), -0.0: None},
    "classes": Layer(Pair(t(1.0), t(2.0)), [t(3.0)], "relu"),
    "deep": nested(300),
    "large": [t(float(i)) for i in range(LARGEST + 1)],
}


@pytest.mark.parametrize("name", TREES)
def test_a_tree_is_written_as_it_was_taken_apart(name: str) -> None:
    leaves, treedef = flatten(TREES[name])
    kinds = [(type(x), x.dtype, x.weak) for x in leaves]
    write = writer(ROOT, treedef, kinds)
    for factor in (1, 2):  # a writer serves many results
        values = [x.payload * factor for x in leaves]
        found, structure = flatten(write(values))
        wanted = flatten(unflatten(treedef, leaves))[0]
        assert structure == treedef
        for x, value, before in zip(found, values, wanted, strict=True):
            assert x.payload is value and x.ops is ROOT
            assert type(x) is type(before) and x.dtype is before.dtype and x.weak is before.weak
