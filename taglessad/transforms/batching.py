"""vmap: a program of one member as a program of a batch."""

from collections.abc import Callable, Sequence
from typing import Any, Final, overload

from taglessad.convert import as_handle
from taglessad.errors import ArgumentError, IndexOutOfRange, ShapeError
from taglessad.interpreters.batch import Batch, Batched
from taglessad.levels import Under, join
from taglessad.ops import Ops
from taglessad.shapes import show
from taglessad.tensor import AnyTensor, BoolTensor, IntTensor, Tensor, handle
from taglessad.transforms.arguments import Function, place_of, wrapped
from taglessad.transforms.lists import called
from taglessad.transforms.naming import named_after
from taglessad.transforms.results import S, Transformed, Untyped
from taglessad.trees import flatten, flatten_with_paths, unflatten
from taglessad.trees.kinds import kinds

_SHARED: Final = (
    "None in in_axes shares an argument; keywords are all mapped: close over one that is shared"
)


@overload
def vmap(f: Callable[..., Untyped], in_axes: Any = 0, out_axes: Any = 0) -> Transformed[Any]: ...
@overload
def vmap(
    f: Callable[..., Tensor[*S]], in_axes: Any = 0, out_axes: Any = 0
) -> Transformed[Tensor]: ...
@overload
def vmap(
    f: Callable[..., IntTensor[*S]], in_axes: Any = 0, out_axes: Any = 0
) -> Transformed[IntTensor]: ...
@overload
def vmap(
    f: Callable[..., BoolTensor[*S]], in_axes: Any = 0, out_axes: Any = 0
) -> Transformed[BoolTensor]: ...
@overload
def vmap(f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Transformed[Any]: ...
def vmap(f: Function, in_axes: Any = 0, out_axes: Any = 0) -> Function:
    """f applied to each member along an axis of its arguments, all at once.

    in_axes: the mapped axis of every argument, or a tuple with one entry an argument; an entry is
    an int, None (the argument is shared), or a tree of those matching the argument's upper part.
    out_axes: where the mapped axis goes in each result, likewise; None for a result that is the
    same for all members, which is given once. Keyword arguments are mapped along axis 0.

    Raises ShapeError where mapped sizes differ, IndexOutOfRange for an axis that is not there,
    ArgumentError where in_axes or out_axes do not fit.
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
            labels.append(place_of(path))
            shared = axis is None
            leaves.append(wrapped(leaf, "vmap") if shared else as_handle(leaf, "vmap", labels[-1]))
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
                results, result_def = flatten(called("vmap", f, own, named))
                handles = [as_handle(r, "vmap", "the result of f") for r in results]
                values = [batch.lift(r.ops, r.payload) for r in handles]
                typed = [(r.dtype, r.weak) for r in handles]
                outputs = unflatten(result_def, list(range(len(values))))
                out = _spread("out_axes", out_axes, outputs)
                moved = [_out(batch, v, a) for v, a in zip(values, out, strict=True)]
        finally:
            batch.close()
        return unflatten(
            result_def,
            [handle(base, v, *t) for v, t in zip(moved, typed, strict=True)],
        )

    return named_after(batched, "vmap", f)


def _spread(name: str, axes: Any, tree: Any) -> list[int | None]:
    """One axis per leaf from an int, None, or a tree of them over the tree's upper part."""
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return [axes] * len(flatten(tree)[0])
    entries, children = _children(axes), _children(tree)
    if entries is not None and children is not None and entries.keys() == children.keys():
        return [a for step, t in children.items() for a in _spread(name, entries[step], t)]
    raise ArgumentError(
        f"vmap: {name} {axes!r} does not match the structure it is for; entries are ints, None, or "
        "trees of those"
    )


def _children(node: Any) -> dict[Any, Any] | None:
    """What a container holds, by attribute, key or position; None for a leaf."""
    token, children = kinds[type(node)].take(node)
    if token is None:
        return None
    cls, arity, static, _ = token
    return dict(zip(kinds[cls].steps(static, arity), children, strict=True))


def _size(leaves: Sequence[Any], axes: Sequence[int | None], labels: Sequence[str]) -> int:
    size: int | None = None
    first = ""
    for x, axis, label in zip(leaves, axes, labels, strict=True):
        if axis is None:
            continue
        shape = x.shape
        if not -len(shape) <= axis < len(shape):
            raise IndexOutOfRange(
                f"vmap: {label} has shape {show(shape)}, which has no axis {axis} to map; {_SHARED}"
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


def _out(batch: Batch[Any], x: Batched[Any], axis: int | None) -> Any:
    ops: Ops[Any] = batch.base
    if axis is None:
        if x.mapped:
            raise ArgumentError(
                "vmap: out_axes is None for a result that differs from member to member; give it "
                "an axis, or reduce over the members outside"
            )
        return x.value
    full = batch.full(x)
    rank = len(ops.shape(full))
    if not -rank <= axis < rank:
        raise IndexOutOfRange(
            f"vmap: out_axes {axis} is out of range for a result of shape {show(ops.shape(full))}"
        )
    return _moved(ops, full, 0, axis)
