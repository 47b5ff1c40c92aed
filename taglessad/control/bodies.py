"""Bodies of branches and loops: user functions recorded once, what they capture found by itself."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from taglessad.control import derived
from taglessad.control.known import known
from taglessad.convert import as_handle
from taglessad.dtypes import DType
from taglessad.errors import ArgumentError, DTypeError, ShapeError
from taglessad.graph import Graph, Ref
from taglessad.interpreters.record import Record
from taglessad.levels import join
from taglessad.ops import Ops
from taglessad.primitive import Aval
from taglessad.shapes import show
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.recording import Recorded, record
from taglessad.trees import TreeDef, flatten, flatten_with_paths, path_string, unflatten

# Any: payloads of the interpreter under way, trees of whatever the program takes.


class Operands(NamedTuple):
    """What a branch or a loop is given: a tree taken apart, its leaves as handles."""

    leaves: list[AnyTensor]
    treedef: TreeDef

    @property
    def specs(self) -> list[tuple[Aval, bool]]:
        """Shape, dtype and weakness of each leaf."""
        return [(Aval(x.shape, x.dtype), x.weak) for x in self.leaves]


def operands(what: str, tree: Any, name: str) -> Operands:
    """A tree's leaves as handles. Raises for what is no array."""
    found, treedef = flatten_with_paths(tree)
    return Operands(
        [as_handle(x, what, f"{name}{path_string(path)}") for path, x in found], treedef
    )


def base_of(leaves: Sequence[AnyTensor]) -> Ops[Any]:
    """The interpreter that a branch or a loop runs under: what is under way and its operands."""
    return join(x.ops for x in leaves)


def plain(base: Ops[Any], leaves: Sequence[AnyTensor]) -> bool:
    """Whether nothing is under way that differentiates what is computed of these."""
    return base.base is None and not base.derives(x.payload for x in leaves if x.ops is base)


def payloads(base: Ops[Any], leaves: Sequence[AnyTensor]) -> list[Any]:
    """Leaves as payloads of one interpreter."""
    return [base.lift(x.ops, x.payload) for x in leaves]


def check(what: str, f: object) -> None:
    """Raises ArgumentError for what is no function."""
    if not callable(f):
        raise ArgumentError(f"{what}: a branch or body is a function, not {f!r}")


def body(
    what: str, f: Callable[..., Any], arguments: Any, specs: Sequence[Any], base: Ops[Any]
) -> Recorded:
    """f recorded. arguments: the structure of the tuple of its arguments; specs: their leaves."""
    check(what, f)
    call = flatten((tuple(unflatten(arguments, list(range(arguments.num_leaves)))), {}))[1]
    return record(what, f, call, list(specs), base, body=True)


def closed(recorded: Sequence[Recorded]) -> tuple[list[Graph], list[Any]]:
    """Graphs that take what any of them captures first, then their own arguments; the captures."""
    captures: list[Any] = []
    places: dict[int, int] = {}
    for r in recorded:
        for value in r.captures:
            if id(value) not in places:
                places[id(value)] = len(captures)
                captures.append(value)
    graphs: list[Graph] = []
    n = len(captures)
    avals: list[Aval | None] = [None] * n
    for r in recorded:
        for value, aval in zip(r.captures, derived.inputs(r.graph), strict=False):
            avals[places[id(value)]] = aval
    own_avals = [a for a in avals if a is not None]
    for r in recorded:
        own = derived.inputs(r.graph)[len(r.captures) :]
        order = [places[id(value)] for value in r.captures]
        if order == list(range(n)):
            graphs.append(r.graph)
        else:
            order += range(n, n + len(own))
            graphs.append(derived.with_inputs(known(r.graph), [*own_avals, *own], order))
    return list(map(known, graphs)), captures


def result(base: Ops[Any], values: Sequence[Any], like: Recorded) -> Any:
    """Results as the tree that the body gave."""
    handles = [
        handle(base, v, d, w) for v, d, w in zip(values, like.dtypes, like.weak, strict=True)
    ]
    return unflatten(like.treedef, handles)


def same_structure(what: str, first: str, a: Recorded, second: str, b: Recorded) -> None:
    """Raises ArgumentError unless two bodies give one structure."""
    if a.treedef != b.treedef:
        raise ArgumentError(
            f"{what}: {second} gives {b.treedef}, but {first} gives {a.treedef}; both must have "
            "one structure"
        )


def leaf_names(treedef: TreeDef) -> list[str]:
    """How messages name the leaves of a result."""
    found = flatten_with_paths(unflatten(treedef, list(range(treedef.num_leaves))))[0]
    return [path_string(path) or "the result" for path, _ in found]


def aligned(what: str, recorded: Sequence[Recorded], names: Sequence[str]) -> list[Recorded]:
    """Bodies whose results agree in structure, shape and dtype; weak numbers give way.

    Raises ArgumentError, ShapeError or DTypeError naming the leaf and both bodies.
    """
    first = recorded[0]
    for other, name in zip(recorded[1:], names[1:], strict=True):
        same_structure(what, names[0], first, name, other)
    labels = leaf_names(first.treedef)
    target: list[tuple[DType, bool]] = []
    for k, label in enumerate(labels):
        kinds = [(r.dtypes[k], r.weak[k]) for r in recorded]
        strong = [d for d, weak in kinds if not weak]
        dtype = strong[0] if strong else kinds[0][0]
        for r, name in zip(recorded, names, strict=True):
            shape = r.graph.avals[r.graph.outputs[k]].shape
            wanted = first.graph.avals[first.graph.outputs[k]].shape
            if shape != wanted:
                raise ShapeError(
                    f"{what}: {label} of {name} has shape {show(shape)}, but of {names[0]} "
                    f"{show(wanted)}; every branch gives the same shapes"
                )
            if r.dtypes[k] != dtype and not r.weak[k]:
                raise DTypeError(
                    f"{what}: {label} of {name} has dtype {r.dtypes[k]}, but elsewhere {dtype}; "
                    "every branch gives the same dtypes: convert one with astype"
                )
        target.append((dtype, not strong))
    return [cast(r, [d for d, _ in target], [w for _, w in target]) for r in recorded]


def cast(recorded: Recorded, dtypes: Sequence[DType], weak: Sequence[bool]) -> Recorded:
    """A body whose results are cast."""
    if list(recorded.dtypes) == list(dtypes):
        return recorded._replace(weak=list(weak))
    graph = recorded.graph

    def program(ops: Record, xs: list[Ref]) -> list[Ref]:
        ys = graph.run(ops, xs)
        return [y if ops.dtype(y) == d else ops.cast(y, d) for y, d in zip(ys, dtypes, strict=True)]

    new = derived.build(derived.inputs(graph), program)
    return recorded._replace(graph=new, dtypes=list(dtypes), weak=list(weak))


def carried(
    what: str,
    init: Operands,
    step: Callable[[list[tuple[Aval, bool]]], tuple[Recorded, int]],
    within: int = 0,
) -> tuple[Operands, Recorded]:
    """A body whose carry keeps its kind; a weak initial number takes the dtype that the body gives.

    step: records the body for carry specs, and says how many of its results are the carry (the
    first ones; their structure was compared by the caller). within: how deep the user's carry is in
    the tree, for the names of its leaves.
    Raises ShapeError or DTypeError naming the leaf of the carry that changes.
    """
    specs = init.specs
    names = [
        path_string(path[within:]) or "the carry"
        for path, _ in flatten_with_paths(unflatten(init.treedef, list(range(len(init.leaves)))))[0]
    ]
    for _ in range(4):
        recorded, n = step(specs)
        changed = False
        for k in range(n):
            (shape, dtype), weak = specs[k]
            found = recorded.graph.avals[recorded.graph.outputs[k]]
            if found.shape != shape:
                raise ShapeError(
                    f"{what}: the body gives {names[k]} shape {show(found.shape)}, but it came in "
                    f"with {show(shape)}; a carry keeps its shape"
                )
            if found.dtype != dtype or (weak and not recorded.weak[k]):
                if recorded.weak[k] and not weak:
                    continue  # a weak result gives way to the carry
                if not weak:
                    raise DTypeError(
                        f"{what}: the body gives {names[k]} dtype {found.dtype}, but it came in "
                        f"with {dtype}; a carry keeps its dtype: convert with astype"
                    )
                specs = [*specs[:k], (Aval(shape, found.dtype), recorded.weak[k]), *specs[k + 1 :]]
                changed = True
        if not changed:
            kinds = [s[0].dtype for s in specs]
            flags = [s[1] for s in specs]
            dtypes = [*kinds, *recorded.dtypes[n:]]
            weak_flags = [*flags, *recorded.weak[n:]]
            leaves = [
                _cast_leaf(x, d, w) for x, d, w in zip(init.leaves, kinds, flags, strict=True)
            ]
            return Operands(leaves, init.treedef), cast(recorded, dtypes, weak_flags)
    raise DTypeError(f"{what}: the dtypes of the carry do not settle; convert them with astype")


def _cast_leaf(x: AnyTensor, dtype: DType, weak: bool) -> AnyTensor:
    payload = x.payload if x.dtype == dtype else x.ops.cast(x.payload, dtype)
    made: AnyTensor = handle(x.ops, payload, dtype, weak)
    return made
