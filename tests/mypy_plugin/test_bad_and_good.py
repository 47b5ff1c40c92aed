"""The programs of `bad_and_good.py`, by mypy with the plugin and at run time."""

from textwrap import indent
from typing import Any

import pytest

from taglessad.errors import TaglessError
from tests.mypy_plugin.bad_and_good import BAD, GOOD, PRELUDE, STATIC
from tests.mypy_plugin.checked import Message, run_mypy

PROGRAMS = [(kind, code, flag) for kind, code, *flag in (*BAD, *GOOD)]


def source() -> tuple[str, list[tuple[int, int]]]:
    """All programs as one file; first and last line of each."""
    text, spans = PRELUDE, []
    for i, (_, code, _flag) in enumerate(PROGRAMS):
        text += f"def program_{i}() -> None:\n"
        first = text.count("\n") + 1
        text += indent(code, "    ") + "\n"
        spans.append((first, text.count("\n")))
    return text, spans


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[list[Message]]:
    text, spans = source()
    return sorted_out(run_mypy(text, tmp_path_factory.mktemp("programs")), spans)


def sorted_out(said: list[Message], spans: list[tuple[int, int]]) -> list[list[Message]]:
    """The errors of each program; there are no others."""
    errors = [m for m in said if m.kind == "error"]
    inside = [[m for m in errors if first <= m.line <= last] for first, last in spans]
    assert sum(map(len, inside)) == len(errors), errors
    return inside


@pytest.mark.parametrize("i", range(len(PROGRAMS)), ids=lambda i: f"{i}-{PROGRAMS[i][0]}")
def test_mypy(i: int, said: list[list[Message]]) -> None:
    assert {m.line for m in said[i]} == marked(i), said[i]


def marked(i: int) -> set[int]:
    """The lines of a program that are to be reported."""
    first, _ = source()[1][i]
    lines = PROGRAMS[i][1].split("\n")
    return {first + k for k, line in enumerate(lines) if line.endswith("#!")}


@pytest.mark.parametrize("i", range(len(PROGRAMS)), ids=lambda i: f"{i}-{PROGRAMS[i][0]}")
def test_run_time(i: int) -> None:
    _, code, flag = PROGRAMS[i]
    if flag == [STATIC]:
        pytest.skip("no error at run time, or not on this line")
    names: dict[str, Any] = {}
    exec(PRELUDE, names)
    text = f"def program() -> None:\n{indent(code, '    ')}\n"
    exec(text, names)
    if "#!" in code:
        with pytest.raises(TaglessError):
            names["program"]()
    else:
        names["program"]()
