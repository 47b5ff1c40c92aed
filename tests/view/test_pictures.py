"""SVG, DOT and HTML of graphs: whole, escaped, every node once, honest about what is left out."""

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from html.parser import HTMLParser

import numpy as np
import pytest

import taglessad as tad
import taglessad.view  # registers how graphs show themselves
from taglessad.graph import Graph
from taglessad.primitive import Aval, Prim
from taglessad.transforms.recording import Spec, trace
from taglessad.view.diagram import Box, Diagram, Edge
from taglessad.view.dot import dot
from taglessad.view.grouping import LIMIT, segments
from taglessad.view.svg import svg

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "</title><script>alert(1)</script>&\"'<![CDATA[\x00\x0b\ud800"


def loss(w: tad.Tensor, x: tad.Tensor) -> tad.Tensor:
    d = tad.sum(w * x, axis=1) - tad.asarray(np.linspace(0.0, 1.0, 9))
    return tad.sum(d * d) / 3.0


@pytest.fixture
def graph() -> Graph:
    return trace(loss)(Spec((9, 2)), Spec((2,)))


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def keys(root: ElementTree.Element) -> list[str]:
    return [g.attrib["data-key"] for g in root.iter(f"{SVG}g") if "data-key" in g.attrib]


def texts(element: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in element.iter(f"{SVG}text")]


def rectangles(root: ElementTree.Element) -> dict[str, tuple[float, float, float, float]]:
    found: dict[str, tuple[float, float, float, float]] = {}
    for g in root.iter(f"{SVG}g"):
        rect = g.find(f"{SVG}rect")
        if "data-key" in g.attrib and rect is not None:
            x, y, w, h = (float(rect.attrib[k]) for k in ("x", "y", "width", "height"))
            found[g.attrib["data-key"]] = (x, y, x + w, y + h)
    return found


def own_registers(graph: Graph) -> list[str]:
    """Keys of all that has a box: inputs, constants too large to fold, nodes."""
    large = [ref for ref, value in graph.constants.items() if value.size > 4]
    return [f"n{r}" for r in (*graph.inputs, *large, *(node.result for node in graph.nodes))]


def test_every_node_is_in_the_picture_once(graph: Graph) -> None:
    assert Counter(keys(parsed(graph.to_svg()))) == Counter(own_registers(graph))


def test_small_constants_are_folded_into_the_nodes_that_use_them(graph: Graph) -> None:
    root = parsed(graph.to_svg())
    (division,) = [line for line in texts(root) if line.startswith("div")]
    assert division.endswith(" 3.0")


def test_operands_stand_above_their_results_and_nothing_overlaps(graph: Graph) -> None:
    boxes = rectangles(parsed(graph.to_svg()))
    for node in graph.nodes:
        for x in node.operands:
            if f"n{x}" in boxes:
                assert boxes[f"n{x}"][3] < boxes[f"n{node.result}"][1]
    for a, (left, top, right, bottom) in boxes.items():
        for b, (other_left, other_top, other_right, other_bottom) in boxes.items():
            apart = right <= other_left or other_right <= left
            assert a == b or apart or bottom <= other_top or other_bottom <= top, (a, b)


def test_boxes_lie_within_the_picture(graph: Graph) -> None:
    root = parsed(graph.to_svg())
    width, height = (float(root.attrib[k]) for k in ("width", "height"))
    for left, top, right, bottom in rectangles(root).values():
        assert 0 <= left < right <= width and 0 <= top < bottom <= height


def test_the_tooltip_has_the_users_line(graph: Graph) -> None:
    hints = [title.text or "" for title in parsed(graph.to_svg()).iter(f"{SVG}title")]
    (division,) = [hint for hint in hints if hint.startswith("div")]
    assert "test_pictures.py" in division and "return tad.sum(d * d) / 3.0" in division


def test_the_picture_uses_nothing_from_elsewhere(graph: Graph) -> None:
    for text in (graph.to_svg(), graph.to_html()):
        assert not re.search(r"(?:href|src)\s*=|url\(|@import|<script", text)
        rest = text.replace("http://www.w3.org/2000/svg", "")
        assert "http" not in rest


def test_the_picture_has_a_light_and_a_dark_set_of_colours(graph: Graph) -> None:
    style = parsed(graph.to_svg()).find(f"{SVG}style")
    assert style is not None and style.text is not None
    assert style.text.count("prefers-color-scheme: dark") == 1


def evil_graph() -> Graph:
    graph = Graph()
    x = graph.add_input(Aval((), np.dtype(np.float64)))
    prim = Prim(EVIL, lambda x, *_: x, (None,), "general")
    site = ("</title><script>&\"'.py", 3)
    y = graph.add_node((prim, (x,), (EVIL,)), graph.avals[x], site)
    graph.finish([y], [])
    return graph


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def test_strings_are_escaped_in_pictures_and_pages() -> None:
    graph = evil_graph()
    root = parsed(graph.to_svg())  # well-formed, whatever the strings are
    assert {element.tag for element in root.iter()} <= {
        SVG + name for name in ("svg", "title", "style", "rect", "g", "text", "path", "polygon")
    }
    assert any("<script>" in line for line in texts(root))
    for page in (graph.to_html(), graph._repr_html_()):
        reader = Tags()
        reader.feed(page)
        assert "script" not in reader.tags
        page.encode("utf-8")


def test_dot_quotes_strings() -> None:
    text = evil_graph().to_dot()
    assert r"alert(1)</script>&amp;\"'" in text
    # Outside quoted strings only the language's own words and signs are left.
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    assert re.fullmatch(r"[\sa-z0-9{}\[\]=,>-]*", bare)


def test_dot_has_every_node_and_edge_once(graph: Graph) -> None:
    text = graph.to_dot()
    boxes = re.findall(r'^  "(n\d+)" \[label', text, re.MULTILINE)
    assert Counter(boxes) == Counter(own_registers(graph))
    arrows = re.findall(r'"(n\d+)" -> "(n\d+)"', text)
    expected = {
        (f"n{x}", f"n{node.result}")
        for node in graph.nodes
        for x in node.operands
        if f"n{x}" in boxes
    }
    assert Counter(arrows) == Counter(expected)


def test_dot_marks_direction_and_cuts() -> None:
    boxes = [Box("a", "a"), Box("b", "b")]
    edges = [Edge("a", "b", "cut", ("cut",)), Edge("a", "b", "pull", (), back=True)]
    text = dot(Diagram("", boxes, edges))
    assert '"a" -> "b" [label="cut", style=dashed]' in text
    assert '"a" -> "b" [dir=back]' in text


def test_the_page_has_picture_nodes_and_source(graph: Graph) -> None:
    page = graph.to_html()
    reader = Tags()
    reader.feed(page)
    counts = Counter(reader.tags)
    assert counts["html"] == counts["svg"] == 1
    lines = {node.site for node in graph.nodes}
    # Inputs, constants and nodes; the program's lines; one heading for each table.
    assert counts["tr"] == len(own_registers(graph)) + len(lines) + 2
    assert "d = tad.sum(w * x, axis=1)" in page


def test_notebooks_get_a_fragment(graph: Graph) -> None:
    fragment = graph._repr_html_()
    assert fragment.startswith("<figure><svg") and "<html" not in fragment
    assert graph._repr_svg_() == graph.to_svg()


# --- long graphs ---------------------------------------------------------------------------------
def chain(x: tad.Tensor) -> tad.Tensor:
    for _ in range(300):
        x = tad.sin(x) * 0.5
        x = x + tad.cos(x)
    return tad.sum(x)


def by_lines(x: tad.Tensor) -> tad.Tensor:
    total = tad.sin(x)
    for make in (tad.exp, tad.tanh, tad.cos, tad.sin, tad.square, tad.exp, tad.tanh):
        for _ in range(10):
            x = make(x) * 0.25
        total = total + x
        total = total * 0.5
    return total


def stacked(*xs: tad.Tensor) -> tad.Tensor:
    total = xs[0]
    for x in xs[1:]:
        total = total * x + 1.0
    return total


@pytest.mark.parametrize(
    ("program", "arguments"),
    [(chain, [Spec((4,))]), (by_lines, [Spec((4,))]), (stacked, [Spec(())] * 200)],
)
def test_a_long_graph_says_what_it_leaves_out(program: object, arguments: list[Spec]) -> None:
    graph = trace(program)(*arguments)  # type: ignore[arg-type]
    assert len(graph) > LIMIT
    root = parsed(graph.to_svg())
    groups = [g for g in root.iter(f"{SVG}g") if "group" in g.attrib.get("class", "").split()]
    counted = [int(re.findall(r"(\d+) operations", " ".join(texts(g)))[0]) for g in groups]
    single = [g for g in root.iter(f"{SVG}g") if g.attrib.get("class", "").startswith("box oper")]
    assert counted and sum(counted) + len(single) == len(graph)
    assert len(groups) + len(single) <= LIMIT
    note = texts(root)[-1]
    assert f"of {len(graph)} operations {sum(counted)} are left out" in note


def test_inputs_that_only_a_group_reads_are_counted() -> None:
    root = parsed(trace(stacked)(*[Spec(())] * 200).to_svg())
    inputs = [g for g in root.iter(f"{SVG}g") if g.attrib.get("class", "").startswith("box input")]
    (hidden,) = [int(m) for t in texts(root) for m in re.findall(r"^and (\d+) inputs", t)]
    assert len(inputs) + hidden == 200


def test_a_crowd_of_inputs_shares_a_box() -> None:
    root = parsed(trace(lambda *xs: tad.sum(xs[0]))(*[Spec((2,))] * 200).to_svg())
    assert len(keys(root)) < 100
    (more,) = [int(m) for t in texts(root) for m in re.findall(r"^(\d+) more inputs", t)]
    drawn = [g for g in root.iter(f"{SVG}g") if g.attrib.get("class", "").startswith("box input")]
    assert len(drawn) + more == 200


def test_segments_are_contiguous_and_complete() -> None:
    for graph in (trace(chain)(Spec((4,))), trace(by_lines)(Spec((4,)))):
        assert [i for stretch in segments(graph) for i in stretch] == list(range(len(graph)))


def test_a_long_table_says_what_it_leaves_out() -> None:
    def longer(x: tad.Tensor) -> tad.Tensor:
        for _ in range(1200):
            x = tad.sin(x)
        return x

    page = trace(longer)(Spec(())).to_html()
    assert "201 registers are left out" in page  # 1200 nodes and an input, 1000 rows


def test_an_empty_picture() -> None:
    root = parsed(svg(Diagram("nothing", [], [])))
    assert keys(root) == [] and texts(root) == ["nothing"]
