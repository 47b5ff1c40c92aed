"""Where a program's derivatives go wrong: the operation, and the element."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from taglessad.convert import from_array
from taglessad.dtypes import is_real
from taglessad.errors import TaglessError
from taglessad.graph import Graph, Node, applied
from taglessad.interpreters.dual import Dual, DualNumber
from taglessad.interpreters.eager import EAGER
from taglessad.interpreters.tape import Tape, Var
from taglessad.kernels.quiet import Quiet
from taglessad.levels import Under
from taglessad.primitive import PART, PrimN
from taglessad.proofs_checks.cases import Array
from taglessad.proofs_checks.inputs import reals
from taglessad.transforms.products import jvp, vjp
from taglessad.transforms.recording import trace

# Any throughout: programs of any signature; payloads of the interpreters at work here.

TOLERANCE = 1e-6


def located(f: Callable[..., Any], args: Sequence[Any]) -> str:
    """One sentence naming the operation whose rules disagree, and the element of an argument."""
    found: list[str] = []
    try:
        program, points = reals("check_laws", f, args)
        with Under(EAGER):
            op = _operation(trace(program)(*points), points)
            element = _element(program, points)
    except TaglessError as error:
        return f"it could not be traced: {error.message}"
    if op is not None:
        found.append(op)
    if element is not None:
        found.append(element)
    return "; ".join(found) or "each operation alone is adjoint at this point"


# --- the operation -------------------------------------------------------------------------------
def _operation(graph: Graph, points: Sequence[Array]) -> str | None:
    registers: list[Any] = [None] * len(graph.avals)
    for ref, value in zip(graph.inputs, points, strict=True):
        registers[ref] = value
    for ref, constant in graph.constants.items():
        registers[ref] = constant
    for node in graph.nodes:
        xs = tuple(registers[r] for r in node.operands)
        with Quiet():
            registers[node.result] = applied(EAGER, node.prim, xs, node.params)
        if node.prim is not PART:
            products = _products(node, xs)
            if products is not None:
                site = "" if node.site is None else f" at {node.site[0]}:{node.site[1]}"
                return f"the operation is {_name(node)}{site}: {products}"
    return None


def _name(node: Node) -> str:
    rule = node.params[0] if node.prim.name == "custom_rule" else node.prim
    return str(rule.name)


def _products(node: Node, xs: tuple[Any, ...]) -> str | None:
    """The inner products of one operation alone, if they differ."""
    rng = np.random.default_rng(0)
    real = [i for i, x in enumerate(xs) if is_real(np.asarray(x).dtype)]
    if isinstance(node.prim, PrimN):
        active = real
    else:
        active = [i for i in real if node.prim.slots[i] is not None]
    if not active:
        return None
    ds = {i: rng.uniform(-1, 1, np.shape(xs[i])) for i in active}
    with Quiet():
        dual: Dual[Any] = Dual(EAGER)
        pushed = _each(dual, node, [DualNumber(x, ds.get(i)) for i, x in enumerate(xs)])
        tangents = [np.asarray(dual.tangent(y), np.float64) for y in pushed]
        gs = [rng.uniform(-1, 1, t.shape) for t in tangents]
        tape: Tape[Any] = Tape(EAGER)
        inputs = {i: tape.input(xs[i]) for i in active}
        ys = _each(tape, node, [inputs.get(i, Var(x, -1)) for i, x in enumerate(xs)])
        seeds = [(y.place, g) for y, g in zip(ys, gs, strict=True) if y.place >= 0]
        pulls = tape.finish().pull(EAGER, seeds)[: len(active)]
    here = float(sum(np.sum(t * g) for t, g in zip(tangents, gs, strict=True)))
    there, size = 0.0, sum(np.sum(np.abs(t * g)) for t, g in zip(tangents, gs, strict=True))
    for i, c in zip(active, pulls, strict=True):
        if c is not None:
            there += float(np.sum(ds[i] * c))
            size += np.sum(np.abs(ds[i] * c))
    if not abs(here - there) <= TOLERANCE * size:
        return f"<push(d), g> = {here:.9g}, <d, pull(g)> = {there:.9g}"
    quotients = _quotients(node, xs, ds)
    slope = float(sum(np.sum(q * g) for q, g in zip(quotients, gs, strict=True)))
    if not abs(here - slope) <= 1e-4 * (size + abs(slope)):
        return f"<push(d), g> = {here:.9g}, and with a difference of values for push {slope:.9g}"
    return None


def _quotients(node: Node, xs: tuple[Any, ...], ds: dict[int, Array]) -> list[Array]:
    """Central differences of the results along the directions."""
    step = 2.0**-18
    ends: list[list[Array]] = []
    for h in (step, -step):
        moved = tuple(np.asarray(x + h * ds[i]) if i in ds else x for i, x in enumerate(xs))
        with Quiet():
            found = applied(EAGER, node.prim, moved, node.params)
        results = found if isinstance(found, tuple) else (found,)
        ends.append([np.asarray(r, np.float64) for r in results])
    return [(a - b) / (2 * step) for a, b in zip(*ends, strict=True)]


def _each(ops: Any, node: Node, xs: list[Any]) -> Sequence[Any]:
    if isinstance(node.prim, PrimN):
        return tuple(ops.apply_n(node.prim, tuple(xs), node.params))
    return (ops.apply(node.prim, tuple(xs), node.params),)


# --- the element ---------------------------------------------------------------------------------
def _element(program: Callable[..., Any], points: Sequence[Array]) -> str | None:
    """The entry of an argument at which <push(e), g> and pull(g) differ most."""
    rng = np.random.default_rng(0)
    y, pullback = vjp(program, *points)
    gs = [rng.uniform(-1, 1, r.shape).astype(r.dtype) for r in y]
    pulls = [np.asarray(c, np.float64) for c in pullback(tuple(map(from_array, gs)))]
    worst: tuple[float, str] | None = None
    for leaf, x in enumerate(points):
        for place in np.ndindex(*x.shape):
            units = [np.zeros_like(p) for p in points]
            units[leaf][place] = 1
            tangents = jvp(program, tuple(points), tuple(map(from_array, units)))[1]
            here = float(sum(np.sum(np.asarray(t) * g) for t, g in zip(tangents, gs, strict=True)))
            there = float(pulls[leaf][place])
            gap = abs(here - there)
            if gap > TOLERANCE * (1 + abs(here)) and (worst is None or gap > worst[0]):
                text = (
                    f"the element is {list(place)} of argument leaf {leaf}: forward {here:.9g}, "
                    f"reverse {there:.9g}"
                )
                worst = gap, text
    return None if worst is None else worst[1]
