"""A misuse and the error it must get: its class, what the message says, and the user's line."""

import linecache
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import CodeType
from typing import Any

import pytest

from taglessad import errors

# Each class is the library's, and the standard one that a user would catch.
STANDARD: dict[type[errors.TaglessError], type[Exception]] = {
    errors.ArgumentError: TypeError,
    errors.ConcretizationError: TypeError,
    errors.DomainError: ValueError,
    errors.DTypeError: TypeError,
    errors.EscapeError: RuntimeError,
    errors.IndexOutOfRange: IndexError,
    errors.ShapeError: ValueError,
    errors.ShapeAttributeError: AttributeError,
}


@dataclass(frozen=True)
class Misuse:
    """`run` must raise exactly `error`, whose message has the texts of `says`, in that order.

    `user` is the function on whose lines the mistake is.
    """

    run: Callable[[], Any]
    error: type[errors.TaglessError]
    says: tuple[str, ...]
    user: Callable[..., Any]


def misuse(run: Callable[[], Any], error: type[errors.TaglessError], *says: str) -> Misuse:
    return Misuse(run, error, says, run)


def misuse_with(
    call: Callable[[Any], Any], value: Any, error: type[errors.TaglessError], *says: str
) -> Misuse:
    """A row for a call with one argument."""
    return Misuse(partial(call, value), error, says, call)


def each(table: dict[str, Misuse]) -> pytest.MarkDecorator:
    """One test for every row of a table; a row's name says what the mistake is."""
    return pytest.mark.parametrize("row", [pytest.param(m, id=n) for n, m in table.items()])


def check(row: Misuse) -> None:
    """The class, its standard class, the message, and the user's file, line and source."""
    with pytest.raises(row.error) as caught:
        row.run()
    error = caught.value
    assert type(error) is row.error
    assert isinstance(error, STANDARD[row.error])
    assert row.says
    _says(error.message, row.says)
    assert error.site is not None
    file, line = error.site
    assert file == row.user.__code__.co_filename
    assert line in set(_lines(row.user.__code__))
    assert str(error).endswith(f"at {file}:{line}: {linecache.getline(file, line).strip()}")


def _says(message: str, parts: Sequence[str]) -> None:
    rest = message
    for part in parts:
        assert part in rest, f"{part!r} is not (in its place) in {message!r}"
        rest = rest[rest.index(part) + len(part) :]


def _lines(code: CodeType) -> Iterator[int]:
    """The lines of a function, those of functions inside it too."""
    yield from (line for _, _, line in code.co_lines() if line is not None)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines(constant)
