"""Pytrees: trees of leaves, taken apart and put together again.

Containers: None (the empty tree), tuple, list, dict and OrderedDict (keys in their own order),
NamedTuples, TypedDicts, dataclasses, and the classes given to `register`. Other subclasses of
tuple, list and dict are refused.

Static values, known by value and never leaves: str, bytes, Ellipsis, enum members, classes,
functions and other callables, dtypes, and dataclass fields declared with
`field(metadata={"static": True})`.

Everything else is a leaf; which leaves are legal is for the caller to say.

A dataclass is rebuilt without `__init__` and `__post_init__`: fields with init=False travel as
they are; what is no field (an InitVar, a cached attribute) does not travel.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from taglessad.other_names import not_there as _not_there
from taglessad.trees.kinds import register as register
from taglessad.trees.matching import map as map
from taglessad.trees.matching import match as match
from taglessad.trees.path import Path as Path
from taglessad.trees.path import parse_path as parse_path
from taglessad.trees.path import path_string as path_string
from taglessad.trees.raveling import ravel as ravel
from taglessad.trees.selection import replace as replace
from taglessad.trees.selection import select as select
from taglessad.trees.treedef import TreeDef as TreeDef
from taglessad.trees.treedef import flatten as flatten
from taglessad.trees.treedef import flatten_with_paths as flatten_with_paths
from taglessad.trees.treedef import leaves as leaves
from taglessad.trees.treedef import structure as structure
from taglessad.trees.treedef import unflatten as unflatten

if not _TYPE_CHECKING:  # to type checkers a name that is not there is an error

    def __getattr__(name: str) -> object:
        raise _not_there(__name__, name)
