"""Cost: programs mean what they cost: operations, bytes read and written, peak memory.

A program is recorded, and its graph counted: every operation once, a multiplication and an addition
as two, each function of one number as one; an operation reads its operands and writes its result;
memory is freed after the last use. Moves that NumPy makes as views (reshape, permute, slice, flip,
broadcast) count no operations, but the bytes they hand on where they are read.
"""

import math
from typing import Any, NamedTuple

from numpy.typing import NDArray

from taglessad.dtypes import DType, Number
from taglessad.errors import ConcretizationError
from taglessad.graph import Graph, Ref
from taglessad.ops import Ops
from taglessad.primitive import PART, Aval, Params, Prim, PrimN
from taglessad.rules.contraction import parse
from taglessad.shapes import Shape, show

_FREE = frozenset(
    {"reshape", "permute", "broadcast", "slice", "flip", "diagonal", "detach", "concat", "pad"}
    | {"take", "take_along", "cast", "tril", "triu", "place_diagonal", "set_at"}
)
"""Moves: they read and write, and compute nothing."""


class Report(NamedTuple):
    """operations: counted as said in this module. read, written, peak: bytes.

    unbounded: whether a loop of unknown length was counted as one trip.
    """

    operations: int
    read: int
    written: int
    peak: int
    unbounded: bool = False

    def __str__(self) -> str:
        more = ", of a loop of unknown length one trip" if self.unbounded else ""
        return (
            f"{self.operations} operations, {self.read} bytes read, {self.written} bytes written, "
            f"{self.peak} bytes at the peak{more}"
        )


class Cost(Ops[Aval]):
    """Shapes in, one `Report` for the whole program out."""

    precedence = 4
    takes_shapes = True

    def of_graph(self, graph: Graph) -> Report:
        """What a recorded program costs."""
        return _counted(graph)

    def argument(self, value: Any, /) -> Aval | None:  # Any: whatever the user hands in
        return value if isinstance(value, Aval) else None

    def const(self, value: NDArray[Any], /) -> Aval:
        return Aval(value.shape, value.dtype)

    def scalar(self, value: Number, like: Aval, /) -> Aval:
        return Aval((), like.dtype)

    def zeros(self, aval: Aval, /) -> Aval:
        return aval

    def aval(self, x: Aval, /) -> Aval:
        return x

    def shape(self, x: Aval, /) -> Shape:
        return x.shape

    def dtype(self, x: Aval, /) -> DType:
        return x.dtype

    def apply(self, prim: Prim, operands: tuple[Aval, ...], params: Params, /) -> Aval:
        return prim.infer(*operands, *params)

    def apply_n(
        self, prim: PrimN, operands: tuple[Aval, ...], params: Params, /
    ) -> tuple[Aval, ...]:
        return prim.avals(operands, params)


def _size(shape: Shape) -> int:
    sizes = [n for n in shape if isinstance(n, int)]
    if len(sizes) != len(shape):
        raise ConcretizationError(f"Cost: shape {show(shape)} has symbols; give numbers for them")
    return math.prod(sizes)


def _bytes(aval: Aval) -> int:
    return 0 if aval.dtype.kind == "O" else _size(aval.shape) * aval.dtype.itemsize


def operations(prim: Prim, operands: list[Aval], params: Params, result: Aval) -> int:
    """How many operations one primitive makes."""
    if prim.name in _FREE:
        return 0
    if prim.name == "contract":
        left, right, _ = parse(params[0])
        sizes: dict[str, int] = {}
        for names, aval in zip((left, right), operands, strict=True):
            sizes.update((c, _size((n,))) for c, n in zip(names, aval.shape, strict=True))
        summed = math.prod(sizes[c] for c in left if c in right) != 0 and any(
            c not in params[0].split("->")[1] for c in left
        )
        total = math.prod(sizes.values())
        # A sum of n products: n multiplications and n - 1 additions.
        return 2 * total - _size(result.shape) if summed else total
    if prim.name == "convolution":
        kernel = operands[1]
        taps = _size(kernel.shape[1:])
        return (2 * taps - 1) * _size(result.shape)
    if prim.kind in ("reduction", "linear"):
        n = _size(operands[0].shape)
        if prim.name in ("sum", "prod", "max", "min", "any", "all"):
            return n - _size(result.shape) if n else 0
        return n
    if prim.kind == "matrix":
        n = _size(operands[0].shape[-1:])
        return n * _size(operands[0].shape)
    if prim.kind == "elementwise":
        return _size(result.shape)
    return sum(_size(a.shape) for a in operands)


def _counted(graph: Graph) -> Report:
    ops = read = written = 0
    unbounded = False
    last: dict[Ref, int] = {}
    steps = list(graph.steps())
    for i, (_, operands, _, _) in enumerate(steps):
        last.update((x, i) for x in operands)
    avals = graph.avals
    live = sum(_bytes(avals[x]) for x in (*graph.inputs, *graph.constants))
    peak = live
    for i, (prim, operands, params, result) in enumerate(steps):
        inner = 0
        if isinstance(prim, PrimN):
            report = _of_several(prim, operands, params, graph)
            ops, read, written = (
                ops + report.operations,
                read + report.read,
                written + report.written,
            )
            unbounded = unbounded or report.unbounded
            inner = report.peak
        elif prim is not PART:
            ops += operations(prim, [avals[x] for x in operands], params, avals[result])
            read += sum(_bytes(avals[x]) for x in operands)
            written += _bytes(avals[result])
        live += _bytes(avals[result])
        peak = max(peak, live + inner)
        for x in set(operands):
            if last[x] == i and x not in graph.outputs and x not in graph.inputs:
                if x not in graph.constants:
                    live -= _bytes(avals[x])
    return Report(ops, read, written, peak, unbounded)


def _of_several(prim: PrimN, operands: tuple[Ref, ...], params: Params, graph: Graph) -> Report:
    avals = [graph.avals[x] for x in operands]
    if prim.name == "branch":
        return _worst([_counted(g) for g in params[0]])
    if prim.name == "scan":
        return _times(_counted(params[0]), params[3])
    if prim.name == "while_loop":
        one = _plus(_counted(params[0]), _counted(params[1]))
        return one._replace(unbounded=True)
    if prim.name == "custom_rule":
        return _counted(params[0].value)
    if prim.name == "while_pull" and prim.lower is not None:
        _, (forward, backward), *_ = prim.lower(*params)
        return _plus(_counted(forward), _counted(backward))._replace(unbounded=True)
    n = _size(avals[0].shape[-1:]) if avals[0].shape else 1
    written = sum(_bytes(a) for a in prim.avals(avals, params))
    return Report(n * _size(avals[0].shape), sum(map(_bytes, avals)), written, 0)


def _plus(a: Report, b: Report) -> Report:
    return Report(
        a.operations + b.operations,
        a.read + b.read,
        a.written + b.written,
        max(a.peak, b.peak),
        a.unbounded or b.unbounded,
    )


def _times(a: Report, n: int) -> Report:
    return Report(a.operations * n, a.read * n, a.written * n, a.peak if n else 0, a.unbounded)


def _worst(reports: list[Report]) -> Report:
    return Report(
        max(r.operations for r in reports),
        max(r.read for r in reports),
        max(r.written for r in reports),
        max(r.peak for r in reports),
        any(r.unbounded for r in reports),
    )
