"""A diagram as standalone SVG: no scripts, no links, no fonts or files from elsewhere."""

import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

from taglessad.view.diagram import Box, Diagram, Edge
from taglessad.view.layout import Point, Size, layered
from taglessad.view.markup import escaped
from taglessad.view.style import SIZE, picture_style

_CHARACTER: Final = 0.61 * SIZE
_LINE: Final = 1.35 * SIZE
_PAD: Final = 8.0
_MARGIN: Final = 16.0
_ARROW: Final = 7.0


class _Item(NamedTuple):
    """What the layout places: a box, or the label of an edge."""

    rows: tuple[tuple[str, str], ...]  # (class, text)
    role: str
    hint: str


def svg(diagram: Diagram) -> str:
    """The diagram as one `<svg>` element. Colours follow the reader's light or dark setting."""
    items = [_item(box) for box in diagram.boxes]
    position = {box.key: i for i, box in enumerate(diagram.boxes)}
    pairs: list[tuple[int, int]] = []
    pieces: list[tuple[str, bool, bool, str]] = []  # role, arrow at the start, at the end, hint
    for edge in diagram.edges:
        a, b = position[edge.source], position[edge.target]
        if not edge.lines:
            pairs.append((a, b))
            pieces.append((edge.role, edge.back, not edge.back, edge.hint))
            continue
        # A label is laid out like a box, so that nothing runs over it.
        items.append(_label(edge))
        middle = len(items) - 1
        pairs += [(a, middle), (middle, b)]
        pieces += [
            (edge.role, edge.back, False, edge.hint),
            (edge.role, False, not edge.back, edge.hint),
        ]
    placed = layered([_size(item) for item in items], pairs)
    heading = [("heading", diagram.title)] if diagram.title else []
    below = [("faint", diagram.note)] if diagram.note else []
    top = _MARGIN + _LINE * 1.5 * len(heading)
    width = max([placed.width, *(_width(text) for _, text in (*heading, *below))]) + 2 * _MARGIN
    height = top + placed.height + _MARGIN + _LINE * 1.5 * len(below)
    shift = (width - placed.width) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tad" role="img" width="{_n(width)}" '
        f'height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}">',
        f"<title>{escaped(diagram.title or 'graph')}</title>",
        f"<style>{picture_style()}</style>",
        f'<rect class="paper" width="{_n(width)}" height="{_n(height)}"/>',
    ]
    parts += [_text(_MARGIN, _MARGIN + SIZE, c, text) for c, text in heading]
    parts.append(f'<g transform="translate({_n(shift)} {_n(top)})">')
    for piece, route in zip(pieces, placed.routes, strict=True):
        parts.append(_edge(route, *piece))
    keys = [box.key for box in diagram.boxes] + [""] * (len(items) - len(diagram.boxes))
    for key, item, centre in zip(keys, items, placed.centres, strict=True):
        parts.append(_drawn(key, item, centre))
    parts.append("</g>")
    parts += [_text(_MARGIN, height - _MARGIN, c, text) for c, text in below]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _item(box: Box) -> _Item:
    tag = (("faint", box.tag),) if box.tag else ()
    rows = (*tag, ("heading", box.heading), *(("", line) for line in box.lines))
    return _Item(rows, f"box {box.role}", box.hint)


def _label(edge: Edge) -> _Item:
    return _Item(tuple(("", line) for line in edge.lines), f"label {edge.role}", edge.hint)


def _width(text: str) -> float:
    """Of text in a font whose characters are all equally wide, East Asian ones twice."""
    cells = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return cells * _CHARACTER


def _size(item: _Item) -> Size:
    inner = max(_width(text) for _, text in item.rows)
    pad = _PAD if item.role.startswith("box") else 3.0
    return inner + 2 * pad, _LINE * len(item.rows) + 2 * pad


def _drawn(key: str, item: _Item, centre: Point) -> str:
    width, height = _size(item)
    left, top = centre[0] - width / 2, centre[1] - height / 2
    pad = _PAD if key else 3.0
    identity = f' data-key="{escaped(key)}"' if key else ""
    parts = [f'<g class="{escaped(item.role)}"{identity}>']
    if item.hint:
        parts.append(f"<title>{escaped(item.hint)}</title>")
    parts.append(
        f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(width)}" height="{_n(height)}" rx="5"/>'
    )
    for i, (name, text) in enumerate(item.rows):
        parts.append(_text(left + pad, top + pad + i * _LINE + SIZE, name, text))
    return "".join([*parts, "</g>"])


def _text(x: float, y: float, name: str, text: str) -> str:
    kind = f' class="{name}"' if name else ""
    return f'<text x="{_n(x)}" y="{_n(y)}"{kind}>{escaped(text)}</text>'


def _edge(route: Sequence[Point], role: str, at_start: bool, at_end: bool, hint: str) -> str:
    points = list(route)
    heads: list[str] = []
    if at_start:
        heads.append(_head(points[0], -1))
        points[0] = (points[0][0], points[0][1] + _ARROW)
    if at_end:
        heads.append(_head(points[-1], 1))
        points[-1] = (points[-1][0], points[-1][1] - _ARROW)
    (x, y), path = points[0], [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    for k, (u, v) in enumerate(points[1:]):
        if k % 2 == 0:  # between two layers
            bend = (y + v) / 2
            path.append(f"C{_n(x)} {_n(bend)} {_n(u)} {_n(bend)} {_n(u)} {_n(v)}")
        else:  # through a layer
            path.append(f"L{_n(u)} {_n(v)}")
        x, y = u, v
    title = f"<title>{escaped(hint)}</title>" if hint else ""
    return f'<g class="edge {escaped(role)}">{title}<path d="{"".join(path)}"/>{"".join(heads)}</g>'


def _head(tip: Point, down: int) -> str:
    x, y = tip
    back = y - down * _ARROW
    half = _ARROW / 2
    return (
        f'<polygon points="{_n(x)},{_n(y)} {_n(x - half)},{_n(back)} {_n(x + half)},{_n(back)}"/>'
    )


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
