"""The annotated programs of a module: marked ones, and functions and methods with tensors."""

import inspect
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

from taglessad.checking.program import LATER, Program
from taglessad.checking.returning import code_of
from taglessad.compiled.jit import Compiled

# Any throughout: a module holds anything.


@dataclass(frozen=True, slots=True)
class Candidate:
    """A function to try; `owner` is the class that it is a method of."""

    name: str
    f: Callable[..., Any]
    code: CodeType
    owner: type[Any] | None


def candidates(module: ModuleType | None, file: str, marked: list[Program]) -> list[Candidate]:
    """The functions that a file defines, in the order in which they stand there, each once.

    module: None where the import failed; then there is what it had marked by then.
    """
    found: dict[CodeType, Candidate] = {}
    if module is not None:
        for value in list(vars(module).values()):
            for candidate in _within(value, module, ()):
                found.setdefault(candidate.code, candidate)
    for made in marked:
        code = code_of(made.f)
        if code is not None and code not in found:
            found[code] = Candidate(code.co_qualname, made.f, code, None)
    here = [c for c in found.values() if os.path.realpath(c.code.co_filename) == file]
    return sorted(here, key=lambda c: (c.code.co_firstlineno, c.name))


def _within(value: Any, module: ModuleType, owners: tuple[type[Any], ...]) -> Iterator[Candidate]:
    if isinstance(value, staticmethod):
        value = value.__func__
        owner = None
    else:
        owner = owners[-1] if owners else None
    if isinstance(value, type):
        if value.__module__ == module.__name__ and value not in owners:
            for entry in list(vars(value).values()):
                yield from _within(entry, module, (*owners, value))
        return
    f = _function(value)
    code = None if f is None else code_of(f)
    if f is not None and code is not None and not code.co_flags & LATER:
        yield Candidate(code.co_qualname, f, code, owner)


def _function(value: Any) -> Callable[..., Any] | None:
    """The function as it was written, from what stands for it in the module."""
    made = getattr(value, "__program__", None)
    if isinstance(made, Program):
        return made.f
    if isinstance(value, Compiled):
        return _function(inspect.unwrap(value))
    return value if isinstance(value, FunctionType) else None
