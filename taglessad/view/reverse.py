"""reverse_view: a function's tape at a point, the gradients on it, and the reverse pass, to look at."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError, DTypeError, ShapeError
from taglessad.graph import Ref
from taglessad.interpreters.eager import EAGER
from taglessad.shapes import show
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import Argnums, choose, parameter_names, wrapped
from taglessad.transforms.engine import run_under, seeds
from taglessad.trees import TreeDef, flatten, flatten_with_paths, path_string, unflatten
from taglessad.view.backward import Pass, backward
from taglessad.view.journal import Journal
from taglessad.view.reverse_page import reverse_page
from taglessad.view.reverse_picture import Which, reverse_diagram
from taglessad.view.reverse_text import reverse_text
from taglessad.view.svg import svg
from taglessad.view.values import Array

_WHAT: Final = "reverse_view"

Seeding = Callable[[TreeDef, list[AnyTensor]], list[Array | None]]
"""From a result's structure and leaves to the cotangents that the reverse pass starts with."""


class ReverseView:
    """One reverse pass in three views: `str(view)`, `view.to_svg(which)`, `view.to_html()`.

    tape: the operations that ran, with their values. gradients: the cotangent that arrived at each
    of them in all, and where none did. trace: the reverse pass step by step, each contribution by
    itself, their sum where several meet, and the edges that `detach` cuts.

    Small arrays are shown to six significant digits, larger ones as shape and norm.
    """

    def __init__(self, run: Pass) -> None:
        self.run = run

    @property
    def gradients(self) -> dict[str, Array]:
        """The gradient of each differentiated array, by the name of its argument."""
        return {self.run.names[ref]: self.run.gradient(ref) for ref in self.run.wanted}

    def __str__(self) -> str:
        return reverse_text(self.run)

    def to_svg(self, which: Which = "trace") -> str:
        """One of the three views, "tape", "gradients" or "trace", as standalone SVG."""
        return svg(reverse_diagram(self.run, which))

    def to_html(self) -> str:
        """All three views, a table of all registers and the source lines as one page."""
        return reverse_page(self.run)

    def _repr_svg_(self) -> str:
        return self.to_svg()


def reverse_view(
    f: Callable[..., Any], *args: Any, argnums: Argnums = 0, cotangent: Any = None
) -> ReverseView:
    """What reverse mode does to f at a point.

    args: f's arguments, arrays or trees of them. argnums: which are differentiated, as in `grad`.
    cotangent: what the reverse pass starts from, shaped like f's result; a real scalar has 1.
    Program text may look at values (`if x > 0`): shown is the path that ran.

    Raises ShapeError for a result that is no scalar where no cotangent is given, ArgumentError for
    several results without cotangents, DTypeError for a differentiated argument that is not real.
    """

    def given(treedef: TreeDef, outputs: list[AnyTensor]) -> list[Array | None]:
        if cotangent is None:
            return [_one(outputs)]
        return [_array(c) for c in seeds(_WHAT, "cotangent", treedef, cotangent, outputs, "result")]

    return ReverseView(reverse_pass(f, args, argnums, given))


def all_ones(_: TreeDef, outputs: list[AnyTensor]) -> list[Array | None]:
    """Cotangents 1 throughout: the derivative of the sum of all real results."""
    return [np.ones(_array(y).shape, y.dtype) if is_real(y.dtype) else None for y in outputs]


def reverse_pass(
    f: Callable[..., Any], args: Sequence[Any], argnums: Argnums, seeding: Seeding
) -> Pass:
    """Run f once and pull cotangents back through it, keeping everything."""
    held = [_held(a) for a in args]
    chosen = choose(_WHAT, f, held, {}, argnums, None)
    picked = [n % len(held) for n in ((argnums,) if isinstance(argnums, int) else argnums)]
    journal = Journal()
    names: dict[Ref, str] = {}
    leaves = iter(chosen.leaves)
    values = {i: [next(leaves) for _ in flatten(held[i])[0]] for i in picked}
    wanted: dict[int, list[Ref]] = {}
    for i, label in enumerate(_labels(f, len(held))):
        paths, _ = flatten_with_paths(held[i])
        if i in values:
            wanted[i] = [journal.input(x.payload) for x in values[i]]
            names.update(
                (r, label + path_string(p)) for r, (p, _) in zip(wanted[i], paths, strict=True)
            )
            continue
        for path, leaf in paths:
            if isinstance(leaf, AnyTensor):
                names.setdefault(journal.given(leaf.payload), label + path_string(path))
    inputs = [ref for i in picked for ref in wanted[i]]
    try:
        result = run_under(_WHAT, journal, chosen, inputs, False)
    except BaseException:
        journal.close()
        raise
    results: list[Ref] = result.payloads
    registers = journal.values
    graph = journal.finish(results)
    outputs = [
        handle(EAGER, registers[ref], EAGER.dtype(registers[ref]), weak)
        for ref, weak in zip(results, result.weak, strict=True)
    ]
    given = zip(results, seeding(result.treedef, outputs), strict=True)
    started = [(ref, seed) for ref, seed in given if seed is not None]
    name = getattr(f, "__name__", type(f).__name__)
    return Pass(name, graph, registers, names, inputs, backward(graph, registers, inputs, started))


def _held(argument: Any) -> Any:
    """An argument with its arrays as handles of plain numbers; all else stays as it is."""
    leaves, treedef = flatten(wrapped(argument, _WHAT))
    return unflatten(treedef, [_plain(x) for x in leaves])


def _plain(leaf: Any) -> Any:
    if not isinstance(leaf, AnyTensor):
        return leaf
    return handle(EAGER, EAGER.lift(leaf.ops, leaf.payload), leaf.dtype, leaf.weak)


def _array(x: AnyTensor) -> Array:
    return np.asarray(EAGER.lift(x.ops, x.payload))


def _labels(f: Callable[..., Any], n: int) -> list[str]:
    known = parameter_names(f)[:n]
    return known + [f"argument {i}" for i in range(len(known), n)]


def _one(outputs: Sequence[AnyTensor]) -> Array:
    """The cotangent 1 of a real scalar."""
    if len(outputs) != 1:
        raise ArgumentError(
            f"{_WHAT}: f returned {len(outputs)} arrays; give their cotangents, a tree of the same "
            "structure: cotangent=(...)"
        )
    (y,) = outputs
    if not is_real(y.dtype):
        raise DTypeError(f"{_WHAT}: f returned dtype {y.dtype}; only a real number has a gradient")
    if y.shape != ():
        raise ShapeError(
            f"{_WHAT}: f returned shape {show(y.shape)}; give a cotangent of that shape "
            "(cotangent=...), or sum the result"
        )
    return np.ones((), y.dtype)
