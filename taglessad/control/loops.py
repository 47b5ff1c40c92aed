"""while_loop and fori_loop."""

from collections.abc import Callable
from typing import Any

from taglessad.control import bodies
from taglessad.control.loop import WHILE
from taglessad.control.scans import scanned
from taglessad.convert import as_handle
from taglessad.dtypes import is_bool, is_integer
from taglessad.errors import ArgumentError, DTypeError, ShapeError
from taglessad.primitive import Aval
from taglessad.shapes import show
from taglessad.transforms.recording import Recorded
from taglessad.trees import flatten

# Any: the carry is a tree of whatever the body takes and gives.


def while_loop(cond: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """The carry after body(carry), repeated while cond(carry) is true.

    init: a tree; the body gives the same structure, shapes and dtypes. Differentiable in both modes
    and to every order, with respect to init and to all that cond and body close over, without a
    bound on the number of trips: in reverse, iterates are stored while they fit in 256 MB, and
    beyond it a fixed number of them is, the others computed again (Griewank and Walther 2000).
    A loop that makes no trip gives init. Raises ShapeError, DTypeError or ArgumentError naming the
    leaf of the carry that changes, or a condition that is no truth value.
    """
    return _while("while_loop", cond, body, init)


def _while(
    what: str, cond: Callable[[Any], Any], body: Callable[[Any], Any], init: Any, within: int = 0
) -> Any:
    given = bodies.operands(what, init, "init")
    base = bodies.base_of(given.leaves)
    one = flatten((init,))[1]

    def step(specs: list[tuple[Aval, bool]]) -> tuple[Recorded, int]:
        recorded = bodies.body(what, body, one, specs, base)
        if recorded.treedef != given.treedef:
            raise ArgumentError(
                f"{what}: body gives {recorded.treedef}, but init is {given.treedef}; the "
                "carry keeps its structure"
            )
        return recorded, len(specs)

    start, after = bodies.carried(what, given, step, within)
    test = bodies.body(what, cond, one, start.specs, base)
    if len(test.graph.outputs) != 1:
        raise ArgumentError(f"{what}: cond gives {test.treedef}; it gives one truth value")
    aval = test.graph.avals[test.graph.outputs[0]]
    if aval.shape != ():
        raise ShapeError(
            f"{what}: cond gives shape {show(aval.shape)}; one truth value, shape [], decides: "
            "reduce it with tad.any or tad.all"
        )
    if not is_bool(aval.dtype):
        raise DTypeError(
            f"{what}: cond gives dtype {aval.dtype}; a truth value decides, as that of a "
            "comparison: write c != 0 for a number c"
        )
    (condition, step_graph), captures = bodies.closed([test, after])
    values = [*captures, *bodies.payloads(base, start.leaves)]
    found = base.run_n(WHILE, tuple(values), (condition, step_graph, len(captures)))
    return bodies.result(base, found[:-1], after)


def fori_loop(lo: Any, hi: Any, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """The carry after carry = body(i, carry) for i in lo, ..., hi - 1.

    lo, hi: integers. Known ones make a loop of known length, whose reverse mode remembers what the
    body computed; others a `while_loop`. Errors as `while_loop`'s.
    """
    bodies.check("fori_loop", body)
    bounds = [as_handle(lo, "fori_loop", "lo"), as_handle(hi, "fori_loop", "hi")]
    for name, b in zip(("lo", "hi"), bounds, strict=True):
        if not is_integer(b.dtype):
            raise DTypeError(f"fori_loop: {name} has dtype {b.dtype}; it is an integer")
        if b.shape != ():
            raise ShapeError(f"fori_loop: {name} has shape {show(b.shape)}; it is one integer, []")
    structure = flatten(init)[1]

    def next_(carry: Any) -> Any:
        i, own = carry
        after = body(i, own)
        if flatten(after)[1] != structure:
            raise ArgumentError(
                f"fori_loop: body gives {flatten(after)[1]}, but init is {structure}; the carry "
                "keeps its structure"
            )
        return i + 1, after

    if isinstance(lo, int) and isinstance(hi, int):
        step = lambda c, _: (next_(c), None)  # noqa: E731
        start, trips = (bounds[0], init), max(hi - lo, 0)
        return scanned("fori_loop", step, start, None, trips, False, within=1)[0][1]
    low, high = bounds
    dtype = low.dtype if not low.weak else high.dtype
    first, last = low.astype(dtype), high.astype(dtype)
    return _while("fori_loop", lambda c: c[0] < last, next_, (first, init), within=1)[1]
