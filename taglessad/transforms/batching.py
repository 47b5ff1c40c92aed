"""vmap: a program of one member as a program of a batch."""

from collections.abc import Sequence
from typing import Any

from taglessad.convert import as_handle
from taglessad.errors import ArgumentError, IndexOutOfRange, ShapeError
from taglessad.interpreters.batch import Batch, Batched
from taglessad.levels import Under, join
from taglessad.ops import Ops
from taglessad.shapes import show
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import Function
from taglessad.transforms.naming import named_after
from taglessad.trees import flatten, flatten_with_paths, path_string, unflatten


def vmap(f: Function, in_axes: Any = 0, out_axes: Any = 0) -> Function:
    """f applied to each member along an axis of its arguments, all at once.

    in_axes: the mapped axis of every argument, or a tuple with one entry an argument; an entry is
    an int, None (the argument is shared), or a tree of those matching the argument's upper part.
    out_axes: where the mapped axis goes in each result, likewise. Keyword arguments are mapped
    along axis 0.

    Raises ShapeError where mapped sizes differ, IndexOutOfRange for an axis that is not there.
    """

    def batched(*args: Any, **kwargs: Any) -> Any:
        axes = in_axes if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
        if len(axes) != len(args):
            raise ArgumentError(
                f"vmap: in_axes has {len(axes)} entries, but the call has {len(args)} "
                "positional arguments"
            )
        places = [_spread("in_axes", a, x) for a, x in zip(axes, args, strict=True)]
        places += [_spread("in_axes", 0, x) for x in kwargs.values()]
        flat, treedef = flatten_with_paths((tuple(args), kwargs))
        where = [axis for part in places for axis in part]
        leaves: list[Any] = []
        labels: list[str] = []
        for (path, leaf), axis in zip(flat, where, strict=True):
            labels.append(_label(path))
            mapped = axis is not None or isinstance(leaf, AnyTensor)
            leaves.append(as_handle(leaf, "vmap", _label(path)) if mapped else leaf)
        size = _size(leaves, where, labels)
        base = join(x.ops for x in leaves if isinstance(x, AnyTensor))
        batch: Batch[Any] = Batch(base, size)
        members: list[Any] = []
        for x, axis in zip(leaves, where, strict=True):
            if axis is None:
                members.append(x)
                continue
            value = _moved(base, base.lift(x.ops, x.payload), axis, 0)
            members.append(handle(batch, Batched(value, True), x.dtype, x.weak))
        try:
            with Under(batch):
                own, named = unflatten(treedef, members)
                results, result_def = flatten(f(*own, **named))
                handles = [as_handle(r, "vmap", "the result of f") for r in results]
                full = [batch.full(batch.lift(r.ops, r.payload)) for r in handles]
                kinds = [(r.dtype, r.weak) for r in handles]
                outputs = unflatten(result_def, list(range(len(full))))
                out = _spread("out_axes", out_axes, outputs)
                moved = [
                    _out(base, v, 0 if a is None else a) for v, a in zip(full, out, strict=True)
                ]
        finally:
            batch.close()
        return unflatten(
            result_def,
            [handle(base, v, *kind) for v, kind in zip(moved, kinds, strict=True)],
        )

    return named_after(batched, "vmap", f)


def _spread(name: str, axes: Any, tree: Any) -> list[int | None]:
    """One axis per leaf from an int, None, or a tree of them over the tree's upper part."""
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return [axes] * len(flatten(tree)[0])
    if isinstance(axes, (tuple, list)) and isinstance(tree, (tuple, list)):
        if len(axes) == len(tree):
            return [a for x, t in zip(axes, tree, strict=True) for a in _spread(name, x, t)]
    if isinstance(axes, dict) and isinstance(tree, dict) and axes.keys() == tree.keys():
        return [a for k, t in tree.items() for a in _spread(name, axes[k], t)]
    raise ArgumentError(
        f"vmap: {name} {axes!r} does not match the structure it is for; entries are ints, None, or "
        "trees of those"
    )


def _size(leaves: Sequence[Any], axes: Sequence[int | None], labels: Sequence[str]) -> int:
    size: int | None = None
    first = ""
    for x, axis, label in zip(leaves, axes, labels, strict=True):
        if axis is None:
            continue
        shape = x.shape
        if not -len(shape) <= axis < len(shape):
            raise IndexOutOfRange(
                f"vmap: {label} has shape {show(shape)}, which has no axis {axis} to map"
            )
        n = shape[axis]
        if size is None:
            size, first = n, f"{label} has shape {show(shape)}, {n} along axis {axis}"
        elif n != size:
            raise ShapeError(
                f"vmap: the mapped sizes differ: {first}; {label} has shape {show(shape)}, "
                f"{n} along axis {axis}"
            )
    if size is None:
        raise ArgumentError("vmap: no argument is mapped; give at least one in_axes entry an axis")
    return size


def _moved(ops: Ops[Any], x: Any, source: int, target: int) -> Any:
    rank = len(ops.shape(x))
    order = list(range(rank))
    order.insert(target % rank, order.pop(source % rank))
    return x if order == sorted(order) else ops.permute(x, tuple(order))


def _out(ops: Ops[Any], x: Any, axis: int) -> Any:
    rank = len(ops.shape(x))
    if not -rank <= axis < rank:
        raise IndexOutOfRange(
            f"vmap: out_axes {axis} is out of range for a result of shape {show(ops.shape(x))}"
        )
    return _moved(ops, x, 0, axis)


def _label(path: tuple[Any, ...]) -> str:
    kind, *rest = path
    name = f"argument {rest[0]}" if kind == 0 else f"argument {rest[0]!r}"
    return name + (f" at {path_string(rest[1:])}" if len(rest) > 1 else "")
