"""Sparsity: programs mean which entries of the input each entry depends on. No numbers.

A pattern is a sparse matrix of truth values, an entry of the result each row, an entry of the
inputs each column. Where each entry goes under a linear primitive is read off its own rule, run on
the numbers of the entries; a primitive that says nothing of the kind is taken to be full. What does
not depend on an input is computed where it can be, so that indices have their values.
"""

import math
from collections.abc import Callable, Iterable
from itertools import compress
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import DType, Number, float64, is_real
from taglessad.errors import ConcretizationError, MissingExtra
from taglessad.kernels.quiet import Quiet
from taglessad.levels import default_root
from taglessad.ops import Ops
from taglessad.primitive import Aval, Flow, Params, Prim, PrimN, Slot
from taglessad.rules.contraction import parse
from taglessad.shapes import Shape

try:
    from scipy import sparse  # pyright: ignore[reportMissingTypeStubs]
except ImportError:
    raise MissingExtra(
        "the Sparsity interpreter needs SciPy, which is not installed: "
        "pip install 'taglessad[scipy]'"
    ) from None

_MANY: Final = 20_000_000
"""Products of a contraction's sizes past which its operands count as full."""

# Any: SciPy's sparse arrays have no static types.
Matrix = Any

T = TypeVar("T")


class Pattern:
    """Shape and dtype; the dependence, None for none; the value, None where it is not known."""

    __slots__ = ("aval", "depends", "value")

    def __init__(
        self, aval: Aval, depends: Matrix | None = None, value: NDArray[Any] | None = None
    ) -> None:
        self.aval = aval
        self.depends = depends
        self.value = value


class Sparsity(Ops[Pattern]):
    """Shapes in, patterns out: `scipy.sparse` arrays, rows for entries of the result."""

    precedence = 4
    takes_shapes = True

    def __init__(self) -> None:
        self.columns = 0

    def derives(self, xs: Iterable[Any], /) -> bool:
        return True

    def complete(self, attempt: Callable[[], T], /) -> T:
        self.columns = 0
        return attempt()

    def input(self, aval: Aval) -> Pattern:
        """An argument: each of its entries depends on itself alone."""
        n = _size(aval.shape)
        start = self.columns
        self.columns += n
        if not is_real(aval.dtype):
            return Pattern(aval)
        shape = (n, self.columns)
        places = (np.arange(n), np.arange(start, start + n))
        return Pattern(aval, sparse.csr_array((np.ones(n, bool), places), shape=shape))

    def argument(self, value: Any, /) -> Pattern | None:  # Any: whatever the user hands in
        if isinstance(value, Aval):
            return self.input(value)
        array = np.asarray(value)
        if array.dtype.kind == "f":
            return self.input(Aval(array.shape, array.dtype))
        return Pattern(Aval(array.shape, array.dtype), None, array)

    def const(self, value: NDArray[Any], /) -> Pattern:
        return Pattern(Aval(value.shape, value.dtype), None, value)

    def scalar(self, value: Number, like: Pattern, /) -> Pattern:
        number = value if isinstance(value, int) else float(value)
        return self.const(np.asarray(number).astype(like.aval.dtype))

    def zeros(self, aval: Aval, /) -> Pattern:
        return Pattern(aval, None, np.broadcast_to(np.zeros((), aval.dtype), _ints(aval.shape)))

    def aval(self, x: Pattern, /) -> Aval:
        return x.aval

    def shape(self, x: Pattern, /) -> Shape:
        return x.aval.shape

    def dtype(self, x: Pattern, /) -> DType:
        return x.aval.dtype

    def peek(self, x: Pattern, /) -> NDArray[Any] | None:
        return x.value

    def decide(self, x: Pattern, /) -> int:
        if x.value is None:
            raise ConcretizationError(
                f"a choice under {self!r} rests on a value that is not known: only what does not "
                "depend on the inputs is"
            )
        return int(x.value)

    def answer(self, x: Pattern, /) -> Matrix:
        return self.matrix(x)

    def matrix(self, x: Pattern) -> Matrix:
        """The pattern over all inputs."""
        shape = (_size(x.aval.shape), self.columns)
        if x.depends is None:
            return sparse.csr_array(shape, dtype=bool)
        found = x.depends.copy()
        found.resize(shape)
        return found.astype(bool)

    def apply(self, prim: Prim, operands: tuple[Pattern, ...], params: Params, /) -> Pattern:
        aval = prim.infer(*[x.aval for x in operands], *params)
        if all(x.depends is None for x in operands):
            return Pattern(aval, None, _computed(prim, operands, params))
        found: Matrix | None = None
        for i, x in enumerate(operands):
            slot = prim.slots[i]
            if x.depends is not None and slot is not None:
                part = self._through(prim, slot, i, operands, params, aval)
                found = part if found is None else _either(found, part)
        return Pattern(aval, found)

    def apply_n(
        self, prim: PrimN, operands: tuple[Pattern, ...], params: Params, /
    ) -> tuple[Pattern, ...]:
        lifted = _CONTROL.get(prim.name)
        if lifted is not None:
            return tuple(lifted(self, prim, operands, params))
        avals = prim.avals([x.aval for x in operands], params)
        return tuple([Pattern(a, self._full(a, operands)) for a in avals])

    def _full(self, aval: Aval, operands: tuple[Pattern, ...]) -> Matrix | None:
        """Every entry on whatever any entry of any operand depends on."""
        if not is_real(aval.dtype):
            return None
        used = [x.depends for x in operands if x.depends is not None]
        if not used:
            return None
        columns = np.unique(np.concatenate([m.indices for m in used]))
        n = _size(aval.shape)
        shape = (n, max(m.shape[1] for m in used))
        indptr = np.arange(n + 1, dtype=np.int64) * columns.size
        return sparse.csr_array(
            (np.ones(n * columns.size, bool), np.tile(columns, n), indptr), shape=shape
        )

    def _through(
        self,
        prim: Prim,
        slot: Slot,
        i: int,
        operands: tuple[Pattern, ...],
        params: Params,
        aval: Aval,
    ) -> Matrix:
        x = operands[i]
        depends: Matrix = x.depends
        if prim.kind == "elementwise":
            rows = _elementwise_rows(prim, i, operands, aval)
            return _rows(depends, rows)
        if prim.kind == "bilinear" and prim.name == "contract":
            map_ = _contraction(operands, i, params[0])
        elif prim.kind == "reduction":
            map_ = _from_sources(_reduced(x.aval, params[0]), x.aval)
        elif prim.name.startswith("cumulative"):
            map_ = _running(x.aval, params[0])
        else:
            map_ = self._moves(prim, slot, operands, i, params, aval)
        return self._full(aval, (x,)) if map_ is None else (map_ @ depends).astype(bool)

    def _moves(
        self,
        prim: Prim,
        slot: Slot,
        operands: tuple[Pattern, ...],
        i: int,
        params: Params,
        aval: Aval,
    ) -> Matrix | None:
        """Where a linear rule takes each entry, by running it on their numbers, counted from 1."""
        if prim.kind != "linear" or any(
            x.value is None for k, x in enumerate(operands) if prim.slots[k] is None
        ):
            return None
        ops = default_root().trusted()
        values = [_stand_in(x) for x in operands]
        result = np.zeros(_ints(aval.shape))
        x = operands[i]
        with Quiet():
            if slot.push_flow in (Flow.MOVE, Flow.PAD):
                moved = slot.push(ops, _numbers(x.aval), result, *values, *params)
                return _from_targets(np.broadcast_to(moved, _ints(aval.shape)), x.aval)
            if slot.pull_flow in (Flow.MOVE, Flow.PAD):
                moved = slot.pull(ops, _numbers(aval), result, *values, *params)
                return _from_sources(np.asarray(moved), x.aval, _size(aval.shape))
        return None


def _ints(shape: Shape) -> tuple[int, ...]:
    if not all(isinstance(n, int) for n in shape):
        raise ConcretizationError("a pattern needs known sizes; give numbers for the symbols")
    return tuple(n for n in shape if isinstance(n, int))


def _size(shape: Shape) -> int:
    return math.prod(_ints(shape))


def _computed(prim: Prim, operands: tuple[Pattern, ...], params: Params) -> NDArray[Any] | None:
    values = [x.value for x in operands]
    if any(v is None for v in values):
        return None
    with Quiet():
        return np.asarray(default_root().run(prim, tuple(values), params))


def _numbers(aval: Aval) -> NDArray[np.float64]:
    """The numbers of the entries, from 1: exact in float64, and not 0, which padding is."""
    return np.arange(1.0, _size(aval.shape) + 1).reshape(_ints(aval.shape))


def _stand_in(x: Pattern) -> NDArray[Any]:
    if x.value is not None:
        return x.value if not is_real(x.aval.dtype) else np.asarray(x.value, float64)
    return np.zeros(_ints(x.aval.shape), float64 if is_real(x.aval.dtype) else x.aval.dtype)


def _from_targets(moved: NDArray[np.float64], source: Aval) -> Matrix:
    """A map from what each result entry is: the number of an operand's entry, 0 for none."""
    flat = moved.reshape(-1).astype(np.int64)
    taken = np.flatnonzero(flat)
    shape = (flat.size, _size(source.shape))
    return sparse.csr_array((np.ones(taken.size, np.int32), (taken, flat[taken] - 1)), shape=shape)


def _from_sources(goes: NDArray[np.float64], source: Aval, results: int | None = None) -> Matrix:
    """A map from where each operand entry goes: the number of a result's entry, 0 for none."""
    flat = goes.reshape(-1).astype(np.int64)
    taken = np.flatnonzero(flat)
    n = int(flat.max(initial=0)) if results is None else results
    return sparse.csr_array(
        (np.ones(taken.size, np.int32), (flat[taken] - 1, taken)), shape=(n, flat.size)
    )


def _reduced(aval: Aval, axes: tuple[int, ...]) -> NDArray[np.float64]:
    """For each entry the number of the result entry that it is reduced into."""
    shape = _ints(aval.shape)
    kept = tuple(1 if i in axes else n for i, n in enumerate(shape))
    return np.broadcast_to(np.arange(1.0, math.prod(kept) + 1).reshape(kept), shape)


def _running(aval: Aval, axis: int) -> Matrix:
    """Each entry on those before it along an axis, and on itself."""
    shape = _ints(aval.shape)
    before, n, after = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    triangle = sparse.csr_array(np.tril(np.ones((n, n), np.int32)))
    identity = [sparse.csr_array(sparse.eye_array(k)) for k in (before, after)]
    return sparse.csr_array(sparse.kron(sparse.kron(identity[0], triangle), identity[1]))


def _contraction(operands: tuple[Pattern, ...], i: int, spec: str) -> Matrix | None:
    """The map of one operand; entries that meet a known zero of the other have no part in it."""
    left, right, out = parse(spec)
    letters = (left, right)
    sizes: dict[str, int] = {}
    for names, x in zip(letters, operands, strict=True):
        sizes.update(zip(names, _ints(x.aval.shape), strict=True))
    every = list(sizes)
    if math.prod(sizes.values()) > _MANY:
        return None
    grid = np.indices([sizes[c] for c in every], sparse=False).reshape(len(every), -1)
    at = dict(zip(every, grid, strict=True))

    def place(names: str) -> NDArray[np.int64]:
        index = np.zeros(grid.shape[1], np.int64)
        for c in names:
            index = index * sizes[c] + at[c]
        return index

    rows, columns = place(out), place(letters[i])
    other = operands[1 - i].value
    if other is not None:
        met = np.asarray(other).reshape(-1)[place(letters[1 - i])] != 0
        rows, columns = rows[met], columns[met]
    shape = (math.prod(sizes[c] for c in out), math.prod(sizes[c] for c in letters[i]))
    return sparse.csr_array((np.ones(rows.size, np.int32), (rows, columns)), shape=shape)


def _elementwise_rows(
    prim: Prim, i: int, operands: tuple[Pattern, ...], aval: Aval
) -> NDArray[np.int64]:
    """For each result entry the operand's entry that it is made of; -1 for none."""
    x = operands[i].aval
    shape = _ints(aval.shape)
    numbers = np.arange(_size(x.shape)).reshape(_ints(x.shape))
    rows = np.broadcast_to(numbers, shape).reshape(-1)
    if prim.name == "where" and operands[0].value is not None:
        taken = np.broadcast_to(operands[0].value, shape).reshape(-1)
        rows = np.where(taken if i == 1 else ~taken, rows, -1)
    return rows


def _rows(depends: Matrix, rows: NDArray[np.int64]) -> Matrix:
    if rows.size == depends.shape[0] and np.array_equal(rows, np.arange(rows.size)):
        return depends
    taken = np.flatnonzero(rows >= 0)
    shape = (rows.size, depends.shape[0])
    picks = sparse.csr_array((np.ones(taken.size, np.int32), (taken, rows[taken])), shape=shape)
    return (picks @ depends).astype(bool)


def _either(a: Matrix, b: Matrix) -> Matrix:
    width = max(a.shape[1], b.shape[1])
    for m in (a, b):
        if m.shape[1] != width:
            m.resize((m.shape[0], width))
    return (a + b).astype(bool)


# --- branches and loops ----------------------------------------------------------------------------
def _branch(
    ops: Sparsity, prim: PrimN, operands: tuple[Pattern, ...], params: Params
) -> list[Pattern]:
    """What any branch depends on; the branch that is taken, where that is known."""
    index, xs = operands[0], list(operands[1:])
    graphs = list(params[0])
    if index.value is not None:
        graphs = [graphs[min(max(int(index.value), 0), len(graphs) - 1)]]
    results: list[list[Pattern]] = [graph.run(ops, xs) for graph in graphs]
    merged = results[0]
    for other in results[1:]:
        merged = [_merged(a, b) for a, b in zip(merged, other, strict=True)]
    return merged


def _merged(a: Pattern, b: Pattern) -> Pattern:
    if a.depends is None or b.depends is None:
        depends = b.depends if a.depends is None else a.depends
    else:
        depends = _either(a.depends, b.depends)
    same = a.value is not None and b.value is not None and np.array_equal(a.value, b.value)
    return Pattern(a.aval, depends, a.value if same else None)


def _while(
    ops: Sparsity, prim: PrimN, operands: tuple[Pattern, ...], params: Params
) -> list[Pattern]:
    """The least pattern that a trip does not enlarge."""
    _, body, constants = params
    own = list(operands[:constants])
    carry = [Pattern(x.aval, x.depends) for x in operands[constants:]]
    while True:
        after = [_merged(a, b) for a, b in zip(carry, body.run(ops, [*own, *carry]), strict=True)]
        if all(_same(a, b) for a, b in zip(carry, after, strict=True)):
            return [*carry, Pattern(Aval((), np.dtype(np.int64)))]
        carry = after


def _same(a: Pattern, b: Pattern) -> bool:
    if a.depends is None or b.depends is None:
        return a.depends is b.depends
    return bool(a.depends.nnz == b.depends.nnz)


def _evaluated(
    ops: Sparsity, prim: PrimN, operands: tuple[Pattern, ...], params: Params
) -> list[Pattern]:
    assert prim.evaluate is not None
    return list(prim.evaluate(ops, operands, params))


def _ruled(
    ops: Sparsity, prim: PrimN, operands: tuple[Pattern, ...], params: Params
) -> list[Pattern]:
    """What the function's text depends on, and what its own rule says that its derivative does."""
    (rules,) = params
    found = _evaluated(ops, prim, operands, params)
    given = compress(operands[rules.constants :], rules.real)
    tangents = [Pattern(x.aval, x.depends) for x in given]
    if all(t.depends is None for t in tangents):
        return found
    points = [Pattern(x.aval, None, x.value) for x in operands]
    moved = rules.pushed().run(ops, [*points, *tangents])[len(found) :]
    for i, t in zip(compress(range(len(found)), rules.smooth), moved, strict=True):
        found[i] = _merged(found[i], Pattern(t.aval, t.depends))
    return found


_CONTROL: Final = {
    "branch": _branch,
    "while_loop": _while,
    "scan": _evaluated,
    "custom_rule": _ruled,
}
