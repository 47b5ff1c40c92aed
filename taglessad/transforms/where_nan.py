"""where_nan: the first operation, forward or backward, that makes a NaN or an infinity."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.convert import as_handle, to_numpy
from taglessad.dtypes import is_real
from taglessad.errors import describe_line
from taglessad.graph import Graph, Ref, Site, applied
from taglessad.kernels.quiet import Quiet
from taglessad.levels import default_root
from taglessad.masks import fit, settle, through, total
from taglessad.primitive import PART, Params, PrimN
from taglessad.transforms.arguments import Function
from taglessad.transforms.naming import check_function, named_after
from taglessad.transforms.recording import trace
from taglessad.trees import flatten

Array = NDArray[Any]  # Any: the dtype is data


class NotFinite(NamedTuple):
    """Where a NaN or an infinity came from.

    op: the primitive. direction: "forward" if its value is not finite, "backward" if the cotangent
    that it passes on is not. operands: the values it was given (backward: the cotangent first).
    result: what it made. site: the user's file and line.
    """

    op: str
    direction: Literal["forward", "backward"]
    operands: list[Array]
    result: Array
    site: Site | None

    def __str__(self) -> str:
        line = "" if self.site is None else f" at {describe_line(*self.site)}"
        kind = "NaN" if np.isnan(self.result).any() else "an infinity"
        given = ", ".join(np.array2string(x, threshold=8) for x in self.operands)
        what = self.op if self.direction == "forward" else f"the derivative of {self.op}"
        return f"{what} made {kind} of {given}{line}"


def where_nan(f: Function) -> Function:
    """(*args) -> the first operation of f, or of its reverse pass, that made a NaN or an infinity
    of finite numbers, as a `NotFinite`; None if there is none.

    f is recorded and run operation by operation; then ones are pulled back from its results. What a
    selection did not take is not looked at on the way back, as everywhere. Forward, the body of a loop
    or a branch is looked into; backward, it is one operation. Arguments as f's; results any trees.
    """
    check_function("where_nan", f)

    def search(*args: Any, **kwargs: Any) -> NotFinite | None:
        graph = trace(f)(*args, **kwargs)
        leaves = [to_numpy(as_handle(x, "where_nan")) for x in flatten((args, kwargs))[0]]
        with Quiet():
            registers: list[Any] = [None] * len(graph.avals)
            found = _forward(graph, leaves, registers)
            return found or _backward(graph, registers)

    return named_after(search, "where_nan", f)


def _finite(x: Any) -> bool:
    if isinstance(x, tuple):
        return all(map(_finite, x))
    array = np.asarray(x)
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())


def _forward(graph: Graph, leaves: Sequence[Array], registers: list[Any]) -> NotFinite | None:
    ops = default_root().trusted()
    for ref, value in zip(graph.inputs, leaves, strict=True):
        registers[ref] = value.astype(graph.avals[ref].dtype)
    for ref, value in graph.constants.items():
        registers[ref] = value
    for node in graph.nodes:
        xs = tuple(registers[x] for x in node.operands)
        y = registers[node.result] = applied(ops, node.prim, xs, node.params)
        if node.prim is not PART and not _finite(y) and all(map(_finite, xs)):
            parts = y if isinstance(y, tuple) else (y,)
            inner = _inside(node.prim.name, xs, node.params, parts)
            if inner is not None:
                return inner
            bad = next(p for p in parts if not _finite(p))
            given = [np.asarray(x) for x in xs]
            return NotFinite(node.prim.name, "forward", given, np.asarray(bad), node.site)
    return None


def _inside(
    name: str, xs: Sequence[Array], params: Params, ys: Sequence[Array]
) -> NotFinite | None:
    """What a branch or a loop found in the body that ran, trip by trip; None for what is neither."""

    def run(body: Graph, values: Sequence[Array]) -> tuple[NotFinite | None, list[Array]]:
        registers: list[Any] = [None] * len(body.avals)
        found = _forward(body, [np.asarray(x) for x in values], registers)
        return found, [] if found else [registers[x] for x in body.outputs]

    if name == "branch":
        (graphs,) = params
        return run(graphs[min(max(int(xs[0]), 0), len(graphs) - 1)], xs[1:])[0]
    if name == "while_loop":
        _, body, k = params
        carry = list(xs[k:])
        for _ in range(int(ys[-1])):
            found, carry = run(body, [*xs[:k], *carry])
            if found is not None:
                return found
    if name == "scan":
        body, k, n, length, reverse = params
        carry = list(xs[k : k + n])
        for i in reversed(range(length)) if reverse else range(length):
            found, results = run(body, [*xs[:k], *carry, *(x[i] for x in xs[k + n :])])
            if found is not None:
                return found
            carry = results[:n]
    return None


def _backward(graph: Graph, registers: Sequence[Any]) -> NotFinite | None:
    ops = default_root().trusted()
    cotangents: dict[Ref, Any] = {}  # Any: arrays, some masked; lists for several results

    def arrive(ref: Ref, d: Any) -> None:
        before = cotangents.get(ref)
        cotangents[ref] = d if before is None else total(ops, before, d)

    for ref in set(graph.outputs):
        if is_real(graph.avals[ref].dtype):
            arrive(ref, np.ones_like(registers[ref]))
    for node in reversed(list(graph.nodes)):
        g = cotangents.pop(node.result, None)
        if g is None:
            continue
        xs = tuple(registers[x] for x in node.operands)
        if node.prim is PART:
            several = cotangents.setdefault(node.operands[0], [None] * len(xs[0]))
            several[node.params[0]] = settle(ops, g)
            continue
        real = [is_real(graph.avals[x].dtype) for x in node.operands]
        y = registers[node.result]
        pulled: list[Any] = [None] * len(xs)
        if isinstance(node.prim, PrimN):
            pulled = list(node.prim.pull(ops, g, y, xs, node.params, tuple(real)))
            arrived = [np.asarray(c) for c in g if c is not None]
        else:
            arrived = [np.asarray(settle(ops, g))]
            for k in range(len(xs)):
                if real[k] and node.prim.slots[k] is not None:
                    d = through(ops, node.prim, k, False, g, y, xs, node.params)
                    pulled[k] = fit(ops, d, np.shape(xs[k]))
        for x, d in zip(node.operands, pulled, strict=True):
            if d is None:
                continue
            settled = settle(ops, d)
            if not _finite(settled) and all(map(_finite, arrived)):
                given = [*arrived, *(np.asarray(x) for x in xs)]
                return NotFinite(node.prim.name, "backward", given, np.asarray(settled), node.site)
            arrive(x, d)
    return None
