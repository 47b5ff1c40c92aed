"""write_views: all views of a function as files in a folder. What `taglessad view` calls.

The arguments to look at come from one of three places:

- the call: `write_views(f, (x, y), folder)`, or shapes on the command line, which `sample` fills;
- the function's own attribute: `f.example = lambda: (x, y)`;
- a dict in the function's module: `EXAMPLES = {"f": (x, y)}`; a value may also be a function of no
  arguments that makes them.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from taglessad.dtypes import is_real, resolve
from taglessad.errors import ArgumentError
from taglessad.tensor import AnyTensor
from taglessad.transforms.arguments import wrapped
from taglessad.transforms.recording import trace
from taglessad.trees import leaves
from taglessad.view.dot import dot
from taglessad.view.html import graph_page
from taglessad.view.picture import graph_diagram
from taglessad.view.reverse import ReverseView, all_ones, reverse_pass
from taglessad.view.reverse_picture import Which
from taglessad.view.svg import svg
from taglessad.view.text import graph_text
from taglessad.view.values import Array

_PICTURES: Final[tuple[Which, ...]] = ("tape", "gradients", "trace")
_GOLDEN: Final = (5**0.5 - 1) / 2

# Any throughout: a program's arguments are arrays or trees of them.


def write_views(
    function: Callable[..., Any], arguments: Sequence[Any] | None, folder: str | Path
) -> list[Path]:
    """Write every view of function(*arguments) into a folder, made if need be; gives the files.

    graph.txt, .dot, .svg, .html: the recorded program. Where an argument and a result are real,
    also reverse.txt and reverse.html, and the three views one by one: reverse-tape.svg,
    reverse-gradients.svg, reverse-trace.svg. Differentiated are all arguments that consist of real
    arrays; a result that is no scalar starts the reverse pass with ones, which is the derivative
    of its sum.

    arguments: None looks for an example (see the module). Raises ArgumentError where there is none.
    """
    given = example(function) if arguments is None else tuple(arguments)
    name = getattr(function, "__name__", type(function).__name__)
    graph = trace(function)(*given)
    texts = {
        "graph.txt": graph_text(graph) + "\n",
        "graph.dot": dot(graph_diagram(graph)) + "\n",
        "graph.svg": svg(graph_diagram(graph)),
        "graph.html": graph_page(graph, f"graph of {name}"),
    }
    wanted = tuple(i for i, argument in enumerate(given) if _is_real(argument))
    if wanted and any(is_real(graph.avals[ref].dtype) for ref in graph.outputs):
        view = ReverseView(reverse_pass(function, given, wanted, all_ones))
        texts["reverse.txt"] = f"{view}\n"
        texts |= {f"reverse-{which}.svg": view.to_svg(which) for which in _PICTURES}
        texts["reverse.html"] = view.to_html()
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    files = [target / file for file in texts]
    for file, text in zip(files, texts.values(), strict=True):
        file.write_text(text, encoding="utf-8")
    return files


def example(function: Callable[..., Any]) -> tuple[Any, ...]:
    """The arguments that a function or its module offers to be looked at with."""
    name = getattr(function, "__name__", type(function).__name__)
    made = getattr(function, "example", None)
    if made is None:
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        made = getattr(module, "EXAMPLES", {}).get(name)
    if made is None:
        raise ArgumentError(
            f"view: {name} has no example arguments: give shapes (--arg 3,2), or write "
            f"{name}.example = lambda: (...), or EXAMPLES = {{{name!r}: (...)}} in its module"
        )
    arguments: Any = made() if callable(made) else made
    return tuple(arguments) if isinstance(arguments, tuple) else (arguments,)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # a tuple of anything


def sample(spec: str) -> Array:
    """The array that a shape on the command line stands for: `3,2`, `()`, `5:int64`, `4:float32`.

    Always the same numbers: reals differ from each other and lie in (-1, 1), three decimals each;
    integers are 0, 1, 0, 1, ...; bools alternate. Raises ArgumentError where it is no shape.
    """
    sizes, _, kind = spec.partition(":")
    parts = [part for part in sizes.strip("()[] ").split(",") if part.strip()]
    if not all(part.strip().isdecimal() for part in parts) or not sizes.strip():
        raise ArgumentError(
            f"view: {spec!r} is no shape; write sizes, as 3,2, or () for a scalar, and a dtype "
            "after a colon if it is not float64"
        )
    shape = tuple(int(part) for part in parts)
    dtype = resolve(kind.strip() or "float64", "view")
    count = np.arange(1, int(np.prod(shape)) + 1)
    if is_real(dtype):  # multiples of the golden ratio, modulo 1: spread out, none twice
        pattern = np.round(2 * ((count * _GOLDEN) % 1) - 1, 3)
    else:
        pattern = (count + 1) % 2
    return pattern.reshape(shape).astype(dtype)


def _is_real(argument: Any) -> bool:
    """Whether an argument is an array, or a tree of arrays, of real numbers only."""
    found = leaves(wrapped(argument, "view"))
    return bool(found) and all(
        is_real(x.dtype) if isinstance(x, AnyTensor) else type(x) is float for x in found
    )
