"""Self-contained HTML pages: pictures, tables, source lines; no scripts, nothing from elsewhere."""

import linecache
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from taglessad.graph import Graph, Ref
from taglessad.view.markup import escaped
from taglessad.view.picture import graph_diagram
from taglessad.view.style import page_style
from taglessad.view.svg import svg
from taglessad.view.text import graph_text, inlined, kind, operation, register
from taglessad.view.values import value_text

Column = tuple[str, Callable[[Ref], str]]
"""A further column of the node table: its name, and its text for a register."""

ROWS: Final = 1000
"""Rows that a table of registers has at most."""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page; `parts` are HTML."""
    head = [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escaped(title)}</title>",
        f"<style>{page_style()}</style>",
    ]
    body = [f"<h1>{escaped(title)}</h1>", *parts]
    return "\n".join(
        ["<!DOCTYPE html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", *body]
        + ["</body>", "</html>", ""]
    )


def section(heading: str, text: str, *parts: str) -> str:
    """A part of a page: its heading and what is to be seen there as text, then HTML."""
    lead = f"<p>{escaped(text)}</p>" if text else ""
    return "\n".join(["<section>", f"<h2>{escaped(heading)}</h2>", lead, *parts, "</section>"])


def figure(picture: str) -> str:
    """A picture's SVG in a page."""
    return f"<figure>{picture}</figure>"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of text under named columns."""
    lines = ["<table>", _row("th", columns)]
    return "\n".join([*lines, *(_row("td", row) for row in rows), "</table>"])


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escaped(cell)}</{tag}>' for cell in cells)}</tr>"


def graph_page(graph: Graph, title: str = "graph") -> str:
    """The page of a graph: its picture, its nodes, the program's lines."""
    return page(
        title,
        [
            figure(svg(graph_diagram(graph))),
            section("Nodes", "", node_table(graph)),
            section("Source lines", "", source_table(graph)),
            section("Text form", "", f"<pre>{escaped(graph_text(graph))}</pre>"),
        ],
    )


def graph_fragment(graph: Graph) -> str:
    """The picture and, folded away, the text form: for display inside another page."""
    text = f"<pre>{escaped(graph_text(graph))}</pre>"
    picture = figure(svg(graph_diagram(graph)))
    return f"{picture}\n<details><summary>text form</summary>{text}</details>"


def node_table(
    graph: Graph, extra: Sequence[Column] = (), names: Mapping[Ref, str] | None = None
) -> str:
    """Every input (by name if known), constant and node, with further columns."""
    known = names or {}
    written = inlined(graph)
    rows = [(ref, f"input {known.get(ref, '')}".rstrip(), "") for ref in graph.inputs]
    body = [
        (ref, f"constant {value_text(value)}", "")
        for ref, value in graph.constants.items()
        if ref not in written
    ]
    for node in graph.nodes:
        site = "" if node.site is None else f"{os.path.basename(node.site[0])}:{node.site[1]}"
        body.append((node.result, operation(node, written), site))
    rows += sorted(body)
    note = ""
    if len(rows) > ROWS:
        half = ROWS // 2
        first, last = register(rows[half][0]), register(rows[-half - 1][0])
        note = f"<p>{len(rows) - 2 * half} registers are left out, from {first} to {last}.</p>"
        rows = rows[:half] + rows[-half:]
    outputs = set(graph.outputs)
    columns = ["register", "type", "operation", *(name for name, _ in extra), "line"]
    cells = [
        [
            register(ref) + (" output" if ref in outputs else ""),
            kind(graph.avals[ref]),
            text,
            *(column(ref) for _, column in extra),
            site,
        ]
        for ref, text, site in rows
    ]
    return note + table(columns, cells)


def source_table(graph: Graph) -> str:
    """The program's lines that operations came from, each with its registers."""
    made: dict[tuple[str, int], list[Ref]] = {}
    for node in graph.nodes:
        if node.site is not None:
            made.setdefault(node.site, []).append(node.result)
    rows = [
        [f"{file}:{line}", linecache.getline(file, line).strip(), _several(refs)]
        for (file, line), refs in sorted(made.items())
    ]
    return table(["line", "source", "registers"], rows)


def _several(refs: Sequence[Ref], most: int = 12) -> str:
    shown = " ".join(register(ref) for ref in refs[:most])
    return shown if len(refs) <= most else f"{shown} and {len(refs) - most} more"
