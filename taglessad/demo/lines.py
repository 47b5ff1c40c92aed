"""What a document prints, beside what comes out here."""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?|\b(?:true|false|None)\b")


class Mark(Enum):
    """How a line stands to the document's line in the same place; the value is shown behind it."""

    SAME = ""
    """Recomputed; every number must be the document's, digit for digit."""
    UNKNOWN = "*"
    """Rests on what the document does not state; the note says which relation was checked."""
    DIFFERENT = "~"
    """Another answer by design; the note says why."""


class Line(NamedTuple):
    """One line, or several with line breaks between. holds: whether the note's relation does."""

    text: str
    mark: Mark = Mark.SAME
    note: str = ""
    holds: bool = True


class Section(NamedTuple):
    """A block of a document: what it prints, and the lines computed here, one for each of its own.

    notes: remarks on the whole.
    """

    title: str
    stated: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()

    def agrees(self, i: int) -> bool:
        """Whether line i is as its mark promises."""
        line = self.lines[i]
        if line.mark is Mark.SAME:
            return line.holds and numbers(line.text) == numbers(self.stated[i])
        return line.holds

    @property
    def good(self) -> bool:
        """Whether every line is as its mark promises."""
        return all(self.agrees(i) for i in range(len(self.lines)))


def section(title: str, stated: str, lines: Sequence[Line], notes: Sequence[str] = ()) -> Section:
    """A section from the document's text; a line computed with breaks in it stands for as many."""
    of_document = tuple(stated.strip("\n").split("\n"))
    computed = [
        line._replace(text=text, note=line.note if first else "")
        for line in lines
        for first, text in _parts(line.text)
    ]
    if len(of_document) != len(computed):
        raise AssertionError(f"{title}: {len(computed)} lines for the {len(of_document)} stated")
    return Section(title, of_document, tuple(computed), tuple(notes))


def _parts(text: str) -> list[tuple[bool, str]]:
    """The lines of a text, the last marked: notes stand under it."""
    parts = text.split("\n")
    return [(i == len(parts) - 1, part) for i, part in enumerate(parts)]


def numbers(text: str) -> list[str]:
    """The numbers of a line, as printed, with `true`, `false` and `None`."""
    return _NUMBER.findall(text)
