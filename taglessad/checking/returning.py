"""Where a function returned: the line that a fault in its result is reported on."""

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any, Final

_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

Place = tuple[str, int, int]
"""A file, a line, a column; the first column is 1."""


class Returns:
    """While entered, notes the line from which a function's frames return.

    Nothing is noted while another profiler is at work: it is left alone.
    """

    def __init__(self, f: Callable[..., Any]) -> None:  # Any: the user's function
        self._code = code_of(f)
        self._line: int | None = None
        self._active = False

    def __enter__(self) -> "Returns":
        self._active = self._code is not None and sys.getprofile() is None
        if self._active:
            sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._active:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code is self._code:
            self._line = frame.f_lineno

    @property
    def place(self) -> Place | None:
        """The return that came last; the only one there is, if nothing was noted."""
        if self._code is None:
            return None
        return return_place(self._code, self._line)


def return_place(code: CodeType, line: int | None = None) -> Place | None:
    """Where a function returns on a line, or where it does at all; else where it begins."""
    file = code.co_filename
    found = _returns(code)
    if line is None:
        if len(found) != 1:
            return file, code.co_firstlineno, 1
        line = found[0].lineno
    for node in found:
        if node.value is not None and node.lineno <= line <= (node.end_lineno or node.lineno):
            return file, node.value.lineno, node.value.col_offset + 1
    return file, line, 1


def _returns(code: CodeType) -> list[ast.Return]:
    """The return statements of a function, as they stand in its file."""
    try:
        lines, first = inspect.getsourcelines(code)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        return []
    found = list(_own_returns(*tree.body[:1]))
    indent = len(lines[0]) - len(lines[0].lstrip())
    for node in found:
        ast.increment_lineno(node, first - 1)
        if node.value is not None:
            node.value.col_offset += indent
    return found


def _own_returns(*nodes: ast.AST) -> Iterator[ast.Return]:
    """The return statements in a function's body, those of functions in it left out."""
    for node in nodes:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Return):
                yield child
            elif not isinstance(child, _SCOPES):
                yield from _own_returns(child)


def code_of(f: Callable[..., Any]) -> CodeType | None:  # Any: the user's function
    """The code of a function, through what wraps it; None where it has none."""
    code = getattr(inspect.unwrap(f), "__code__", None)
    return code if isinstance(code, CodeType) else None
