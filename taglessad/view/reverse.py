"""reverse_view: a function's tape at a point, the gradients on it, and the reverse pass, to look at."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError, ShapeError
from taglessad.graph import Ref
from taglessad.interpreters.eager import EAGER
from taglessad.shapes import show
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import Argnums, choose, parameter_names, wrapped
from taglessad.transforms.engine import run_under, seeds
from taglessad.trees import TreeDef, flatten_with_paths, path_string
from taglessad.view.backward import backward
from taglessad.view.journal import Journal
from taglessad.view.passes import Pass
from taglessad.view.reverse_page import reverse_page
from taglessad.view.reverse_picture import Which, reverse_diagram
from taglessad.view.reverse_text import reverse_text
from taglessad.view.svg import svg
from taglessad.view.values import Array

_WHAT: Final = "reverse_view"

Seeding = Callable[[TreeDef, list[AnyTensor]], list[Array | None]]
"""From a result's structure and leaves to the cotangents that the reverse pass starts with."""


class ReverseView:
    """One reverse pass in three views: `str(view)`, `to_svg(which)`, `to_html()`.

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
        run = self.run
        return {run.names[ref]: run.gradient(ref) for ref in run.wanted}

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
    held = [wrapped(a, _WHAT) for a in args]
    chosen = choose(_WHAT, f, held, {}, argnums, None)
    labels = _labels(f, len(held))
    journal = Journal()
    names: dict[Ref, str] = {}
    wanted: list[Ref] = []
    remaining = iter(chosen.leaves)
    picked = [argnums] if isinstance(argnums, int) else list(argnums)
    for i in [n % len(held) for n in picked]:
        for path, _ in flatten_with_paths(held[i])[0]:
            wanted.append(journal.input(_array(next(remaining))))
            names[wanted[-1]] = labels[i] + path_string(path)
    for i, value in enumerate(held):
        for path, leaf in flatten_with_paths(value)[0]:
            if isinstance(leaf, AnyTensor) and leaf in ...:
                pass
    result = run_under(_WHAT, journal, chosen, wanted, False)
    ...
