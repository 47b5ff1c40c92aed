"""A tree as one vector, and back: for methods that are written for vectors."""

from collections.abc import Callable
from typing import Any

from taglessad.errors import ArgumentError, ShapeError
from taglessad.namespace import Namespace
from taglessad.shapes import show, size
from taglessad.trees.path import place
from taglessad.trees.treedef import flatten_with_paths, unflatten

# Any: handles and trees of them; their functions stand above this module.


def ravel(tree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The entries of all leaves as one vector `[n]`, and the function from such vectors to trees.

    Leaves are arrays and numbers, in the order of `trees.leaves`, each in C order. The vector is in
    the dtype in which they meet (`tad.result_type`); `unravel` gives each leaf its shape and its own
    dtype again, where integers are truncated. Both are programs.

    Raises ArgumentError for a tree without leaves, and for a leaf that is no array; `unravel` raises
    ShapeError for anything but a vector of that length.
    """
    functions, what = Namespace.functions, "trees.ravel"
    found, treedef = flatten_with_paths(tree)
    if not found:
        raise ArgumentError(f"{what}: the tree has no leaves, so its vector would have no dtype")
    as_handle = functions.convert.as_handle
    leaves = [as_handle(leaf, what, f"the leaf {place(path)}") for path, leaf in found]
    dtype = functions.result_type(*leaves)
    flat = [functions.reshape(functions.astype(x, dtype), (-1,)) for x in leaves]
    places = [(x.shape, x.dtype, x.weak) for x in leaves]
    vector = functions.concat(flat)
    (length,) = vector.shape

    def unravel(vector: Any, /) -> Any:
        """The tree whose entries are those of a vector. Raises ShapeError for another length."""
        v = as_handle(vector, "unravel", "the vector")
        if v.shape != (length,):
            raise ShapeError(
                f"unravel: the vector has shape {show(v.shape)}, where the tree has "
                f"{show((length,))} entries"
            )
        start: Any = 0  # a size, which under Shape may be a symbol
        parts: list[Any] = []
        for shape, own, weak in places:
            stop = start + size(shape)
            part = functions.astype(functions.reshape(v[start:stop], shape), own)
            # A Python number's dtype is weak, and stays so.
            parts.append(type(part)(part.ops, part.payload, own, weak))
            start = stop
        return unflatten(treedef, parts)

    return vector, unravel
