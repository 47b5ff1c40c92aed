"""scan, map and reduce: loops over the rows of arrays."""

from collections.abc import Callable
from typing import Any

from taglessad.control import bodies
from taglessad.control.scan import SCAN, row
from taglessad.errors import ArgumentError, ShapeError
from taglessad.primitive import Aval
from taglessad.shapes import Extent, differ, show
from taglessad.tensor import AnyTensor
from taglessad.transforms.recording import Recorded
from taglessad.trees import flatten

# Any: carry, rows and results are trees of whatever the body takes and gives.


def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> Any:
    """(final carry, stacked results) of carry, y = f(carry, x) over the rows x of xs in turn.

    xs: a tree of arrays with one leading size, or None with `length`. reverse: from the last row
    on; results stay at their rows' places. The carry keeps its structure, shapes and dtypes.
    Differentiable in both modes and to every order, in init, xs and all that f closes over.
    Raises ShapeError, DTypeError or ArgumentError naming the leaf that changes or disagrees.
    """
    bodies.check("scan", f)
    return scanned("scan", f, init, xs, length, reverse)


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """f of each row of xs, one after the other, stacked. xs: an array, or a tree of them.

    Where the rows may be computed at once, `vmap` does it faster.
    """
    bodies.check("map", f)
    return scanned("map", lambda carry, x: (carry, f(x)), None, xs, None, False)[1]


def reduce(f: Callable[[Any, Any], Any], init: Any, xs: Any) -> Any:
    """The fold f(... f(f(init, x0), x1) ..., xn) over the rows of xs; init where there are none."""
    bodies.check("reduce", f)
    return scanned("reduce", lambda carry, x: (f(carry, x), None), init, xs, None, False)[0]


def scanned(
    what: str,
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any,
    length: int | None,
    reverse: bool,
    within: int = 0,
) -> Any:
    """`scan` under another name; the user's carry is so deep in init."""
    start = bodies.operands(what, init, "init")
    rows = bodies.operands(what, xs, "xs")
    n = _length(what, rows.leaves, length)
    base = bodies.base_of([*start.leaves, *rows.leaves])
    treedef = flatten((init, xs))[1]
    row_specs = [(row(Aval(x.shape, x.dtype)), x.weak) for x in rows.leaves]

    def step(specs: list[tuple[Aval, bool]]) -> tuple[Recorded, int]:
        def parts(carry: Any, x: Any) -> Any:
            pair = f(carry, x)
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ArgumentError(f"{what}: f gives a pair (carry, result), not {pair!r}")
            after = flatten(pair[0])[1]
            if after != start.treedef:
                raise ArgumentError(
                    f"{what}: f gives a carry {after}, but init is {start.treedef}; the carry keeps "
                    "its structure"
                )
            return pair

        return bodies.body(what, parts, treedef, [*specs, *row_specs], base), len(specs)

    start, recorded = bodies.carried(what, start, step, within)
    (body,), captures = bodies.closed([recorded])
    k = len(start.leaves)
    values = [*captures, *bodies.payloads(base, [*start.leaves, *rows.leaves])]
    found = base.run_n(SCAN, tuple(values), (body, len(captures), k, n, reverse))
    pair: Any = bodies.result(base, found, recorded)
    return pair


def _length(what: str, rows: list[AnyTensor], length: int | None) -> Extent:
    """The number of rows; a symbol where programs are tried on shapes alone."""
    if length is not None and (
        not isinstance(length, int)  # pyright: ignore[reportUnnecessaryIsInstance]  # users' values
        or length < 0
    ):
        raise ArgumentError(f"{what}: length is a number of rows, not {length!r}")
    found: Extent | None = length
    for x in rows:
        if not x.shape:
            raise ShapeError(f"{what}: xs holds an array of rank 0, which has no rows")
        size: Extent = x.shape[0]
        if found is None:
            found = size
        elif differ(size, found):
            raise ShapeError(
                f"{what}: xs holds an array of shape {show(x.shape)}, which has {size} rows where "
                f"{found} were expected"
            )
    if found is None:
        raise ArgumentError(f"{what}: give xs, or length")
    return found
