"""A diagram as DOT text, for Graphviz and the tools that read its language."""

from collections.abc import Iterable

from taglessad.view.diagram import Box, Diagram, Edge

_SHAPES = (("input", "ellipse"), ("constant", "note"), ("group", "folder"))
_STYLES = {"cut": "dashed", "stop": "dotted"}


def dot(diagram: Diagram) -> str:
    """The diagram as one `digraph`; every string quoted."""
    lines = [
        "digraph {",
        f"  label={_quoted([diagram.title, diagram.note])}",
        '  node [shape=box, fontname="monospace"]',
        '  edge [fontname="monospace"]',
    ]
    lines += [f"  {_box(box)}" for box in diagram.boxes]
    lines += [f"  {_edge(edge)}" for edge in diagram.edges]
    return "\n".join([*lines, "}"])


def _box(box: Box) -> str:
    roles = box.role.split()
    shape = next((shape for role, shape in _SHAPES if role in roles), "box")
    border = ", peripheries=2" if "output" in roles else ""
    label = _quoted([box.tag, box.heading, *box.lines])
    return f"{_quoted([box.key])} [label={label}, shape={shape}{border}, tooltip={_quoted([box.hint])}]"


def _edge(edge: Edge) -> str:
    wanted = {"label": _quoted(edge.lines)} if edge.lines else {}
    if edge.back:
        wanted["dir"] = "back"
    if edge.role in _STYLES:
        wanted["style"] = _STYLES[edge.role]
    attributes = ", ".join(f"{name}={value}" for name, value in wanted.items())
    arrow = f"{_quoted([edge.source])} -> {_quoted([edge.target])}"
    return f"{arrow} [{attributes}]" if attributes else arrow


def _quoted(lines: Iterable[str]) -> str:
    r"""Lines as one DOT string: `\n` between them; quotes, backslashes and entities escaped."""
    shown = [
        line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", " ")
        for line in lines
        if line
    ]
    return '"' + "\\n".join(shown) + '"'
