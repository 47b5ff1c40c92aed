"""The differentiable functions of documentation pages, with the arguments they are shown at.

A page's Python blocks are run in order, and every call of a transform of first or second order with
plain numbers is an example of the function that was transformed. Where a page shows a derivative that
is no derivative of floats' values (a rule that is meant to differ, a cancellation), an HTML comment,
`<!-- differential: skip -->`, stands in the line above the block.
"""

import doctest
import re
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

from taglessad.levels import under_way
from taglessad.primitive import PRIMITIVES

# Any throughout: programs of any signature.

SKIP: Final = "<!-- differential: skip -->"
BLOCK: Final = re.compile(
    rf"^(?P<skip> *{SKIP}\n)?(?P<indent> *)```python\n(?P<text>.*?)^ *```", re.DOTALL | re.MULTILINE
)
TRANSFORMS: Final = ("grad", "value_and_grad", "hessian", "jacfwd", "jacrev", "derivative")


class Example(NamedTuple):
    """A function and arguments, and where they are from."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def examples(folder: Path) -> Iterator[Example]:
    """The examples of every Markdown file of a folder, each transformed function once."""
    for page in sorted(folder.rglob("*.md")):
        found: list[Example] = []
        with _observed(page.relative_to(folder).as_posix(), found):
            _run(page, found)
        yield from found


@contextmanager
def _observed(page: str, found: list[Example]) -> Generator[None]:
    """Transforms of the public namespace, put back afterwards, that keep what they are called with."""
    public = import_module("taglessad")
    plain = {name: getattr(public, name) for name in TRANSFORMS}
    primitives = set(PRIMITIVES)
    for name, transform in plain.items():
        setattr(public, name, _keeping(transform, name, page, found))
    try:
        yield
    finally:
        for name, transform in plain.items():
            setattr(public, name, transform)
        for name in PRIMITIVES.keys() - primitives:
            del PRIMITIVES[name]


def _keeping(
    transform: Callable[..., Any], name: str, page: str, found: list[Example]
) -> Callable[..., Any]:
    def made(f: Callable[..., Any], *options: Any, **named: Any) -> Any:
        derivative = transform(f, *options, **named)
        seen: list[bool] = []

        def called(*args: Any, **kwargs: Any) -> Any:
            result = derivative(*args, **kwargs)
            if not seen and under_way() is None and not kwargs and not named.get("has_aux"):
                seen.append(True)
                label = getattr(f, "__name__", type(f).__name__)
                found.append(Example(f"{page} {len(found) + 1} {name}({label})", f, args))
            return result

        called.__wrapped__ = f  # type: ignore[attr-defined]  # where inspect.signature looks on
        called.__name__ = getattr(derivative, "__name__", name)
        return called

    return made


def _run(page: Path, found: list[Example]) -> None:
    """The blocks of a page in one namespace. What a page shows failing may fail."""
    module = ModuleType("documentation_page")
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
            indent, text, known = match["indent"], match["text"], len(found)
            source = "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))
            parts = [e.source for e in doctest.DocTestParser().get_examples(source)] or [source]
            for part in parts:
                try:
                    with redirect_stdout(StringIO()):
                        exec(compile(part, str(page), "exec", dont_inherit=True), vars(module))
                except Exception:  # an error that the page is about; tests run pages as they stand
                    continue
            if match["skip"] is not None:
                del found[known:]
    finally:
        if before is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = before
