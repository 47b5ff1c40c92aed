"""What a picture shows, before it is drawn: boxes of text and edges between them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

WIDEST: Final = 56
"""Characters a line of a box may have; the tooltip has the rest."""


class Box(NamedTuple):
    """A box: a small tag, a heading, further lines.

    role: space-separated words that choose its colours (style.py). hint: the tooltip.
    """

    key: str
    heading: str
    lines: tuple[str, ...] = ()
    tag: str = ""
    role: str = "operation"
    hint: str = ""


class Edge(NamedTuple):
    """An edge between boxes, by key; `lines` is its label, `back` puts the arrow at the source."""

    source: str
    target: str
    role: str = "flow"
    lines: tuple[str, ...] = ()
    back: bool = False
    hint: str = ""


class Diagram(NamedTuple):
    """A picture: title above, note (what was left out) below."""

    title: str
    boxes: Sequence[Box]
    edges: Sequence[Edge]
    note: str = ""


def clipped(line: str) -> str:
    """A line short enough for a box."""
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"
