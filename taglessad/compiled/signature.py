"""What a call of a jitted function is known by: its structure, shapes and dtypes, in one walk."""

# pyright: reportPrivateUsage=false
# `_dtype` is a handle's dtype without the property's check: every call passes here.

import sys
from collections.abc import Hashable, Iterator
from typing import Any, Final

import numpy as np

from taglessad.convert import number
from taglessad.dtypes import of_number
from taglessad.errors import ArgumentError
from taglessad.ops import Ops
from taglessad.tensor import BoolTensor, IntTensor, Tensor
from taglessad.trees import flatten
from taglessad.trees.cycles import SUSPECT
from taglessad.trees.kinds import kinds

# Any: arguments are whatever the program takes, payloads whatever NumPy takes.
HANDLES: Final = frozenset({Tensor, IntTensor, BoolTensor})


def signature(
    root: Ops[Any], fixed: Hashable, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], list[Any]] | None:
    """The key of a call, and its numbers in order, as the generated function takes them.

    None where an argument is no plain value under `root`.
    fixed: what else the call is known by. The key is the tree in preorder: a container stands as its
    token, which tells how many children follow; a handle as dtype, shape and weakness.
    """
    key: list[Any] = [fixed, len(args), *kwargs]
    values: list[Any] = []
    above: list[Iterator[Any]] = []
    rest = iter((*args, *kwargs.values()) if kwargs else args)
    limit = SUSPECT
    while True:
        for x in rest:
            cls = x.__class__
            if cls in HANDLES:
                if x.ops is not root:
                    return None
                value = x.payload
                key += (x._dtype, value.shape, x.weak)
                values.append(value)
            elif cls is float:
                key.append(cls)
                values.append(x)
            elif cls is int or cls is bool:
                key.append(cls)
                values.append(number(x, of_number(x), "jit"))
            elif cls is np.ndarray or isinstance(x, np.generic):
                if x.dtype.kind not in "fiub" or not x.dtype.isnative:
                    return None
                key += (x.dtype, x.shape, False)
                values.append(x)
            else:
                try:
                    token, children = kinds[cls].take(x)
                except ArgumentError:
                    return None  # whoever takes the tree apart then says where
                if token is None:
                    return None
                key.append(token)
                if children:
                    above.append(rest)
                    rest = iter(children)
                    break
        else:
            if not above:
                return tuple(key), values
            rest = above.pop()
            continue
        if len(key) > limit:
            flatten((args, kwargs) if kwargs else args)  # refuses a tree without end
            limit = sys.maxsize


def refuse_unhashable(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise ArgumentError for a static value in a tree that has no hash, naming its place."""
    hash(flatten((args, kwargs) if kwargs else args)[1])
