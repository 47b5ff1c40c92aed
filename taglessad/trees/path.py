"""Paths: the place of a node in a tree, as a value and as text.

Text: dots go through attributes and string keys, brackets through positions and integer keys:
`model.heads[1].w`. A string key that is empty or has a dot or a bracket in it is quoted:
`params['layer.0']`, between double quotes where it has a single quote in it.
"""

import re
from collections.abc import Hashable, Iterable
from typing import Final, TypeAlias

from taglessad.errors import ArgumentError

Path: TypeAlias = tuple[Hashable, ...]
"""The steps from the root: a str is an attribute or a string key, an int a position or an integer
key, anything else a dict key of that value. The empty path is the root."""

_NAME: Final = r"[^.\[\]]+"
_PLAIN: Final = re.compile(_NAME)
_STEP: Final = re.compile(
    rf"\.(?P<name>{_NAME})"
    r"|\[(?P<index>-?[0-9]{1,18})\]"
    r"|\[(?P<quote>['\"])(?P<key>.*?)(?P=quote)\]",
    re.DOTALL,
)


def path_string(path: Iterable[Hashable]) -> str:
    """A path as text: `.head.w`, `[1]`; empty for the root."""
    return "".join([_step_string(step) for step in path])


def _step_string(step: Hashable) -> str:
    if not isinstance(step, str):
        return f"[{step!r}]"
    if _PLAIN.fullmatch(step):
        return f".{step}"
    quote = '"' if "'" in step else "'"
    return f"[{quote}{step}{quote}]"


def place(path: Path) -> str:
    """The path as messages say it."""
    return f"at {path_string(path)}" if path else "at the top"


def parse_path(text: str) -> Path:
    """The path that a text such as "model.heads[1]" names; its first step is a name.

    Raises ArgumentError where the text is malformed.
    """
    if not text.startswith((".", "[")):
        dotted, at, steps = f".{text}", 0, list[Hashable]()
        while found := _STEP.match(dotted, at):
            name, index, key = found["name"], found["index"], found["key"]
            steps.append(int(index) if index is not None else key if name is None else name)
            at = found.end()
        if at == len(dotted):
            return tuple(steps)
    raise ArgumentError(
        f"{text!r} is not a path: write a name, then .attribute, .key, [position] or ['key'], "
        'as in "model.heads[1].w"'
    )
