"""The report: one page that needs nothing else, whatever text stands in it."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import taglessad as tad
from taglessad.demo.classifier import initial
from taglessad.demo.curve import loss_curve
from taglessad.demo.gradient_check import check
from taglessad.demo.lines import Line, section
from taglessad.demo.report import report
from taglessad.demo.training import Trained

VOID = {"meta", "br"}
SVG = "{http://www.w3.org/2000/svg}"


class Balanced(HTMLParser):
    """Raises where a tag is closed that was not open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(losses: list[float]) -> str:
    rng = np.random.default_rng(0)
    point = (
        initial(0),
        tad.tensor(rng.normal(size=(4, 64))),
        tad.tensor(np.arange(4)),
    )
    trained = Trained(point[0], losses, 5, 1.0, 0.97, 360, 1.5, 0)
    documents = [section("<b>title</b> & co", "1 < 2\n", [Line("1 < 2", note="<i>why</i>")])]
    return report(documents, trained, check(*point, 0), point)


def test_the_page_is_whole_and_stands_alone() -> None:
    html = page([2.0 / (i + 1) for i in range(50)])
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert parser.seen.count("svg") == 3  # loss curve, graph, reverse pass
    assert parser.seen.count("table") == 2
    assert not {"script", "link", "img", "iframe"} & set(parser.seen)
    outside = re.sub(r'xmlns="http://www.w3.org/2000/svg"', "", html)
    assert "http" not in outside and "url(" not in outside
    for block in ("w1", "b1", "w2", "b2"):
        assert f"<td>{block}</td>" in html
    assert "97.00 %" in html


def test_text_is_escaped() -> None:
    html = page([1.0] * 50)
    assert "&lt;b&gt;title&lt;/b&gt; &amp; co" in html
    assert "&lt;i&gt;why" in html
    assert "<b>" not in html and "<i>" not in html


@pytest.mark.parametrize("losses", [[1.0], [0.5, 0.5], [float("nan"), 1.0, float("inf"), 0.1]])
def test_a_curve_of_few_or_strange_losses(losses: list[float]) -> None:
    picture = ElementTree.fromstring(loss_curve(losses, 2))
    (batch,) = [p for p in picture.iter(f"{SVG}path") if p.get("class") == "batch"]
    finite = [v for v in losses if np.isfinite(v)]
    points = re.findall(r"(-?[\d.]+) (-?[\d.]+)", batch.get("d", ""))
    assert len(points) == len(finite)
    assert all(0 <= float(x) <= 720 and 0 <= float(y) <= 300 for x, y in points)


def test_a_smaller_loss_lies_lower() -> None:
    picture = ElementTree.fromstring(loss_curve([1.0, 0.1, 0.01], 1))
    (batch,) = [p for p in picture.iter(f"{SVG}path") if p.get("class") == "batch"]
    heights = [float(y) for _, y in re.findall(r"([\d.]+) ([\d.]+)", batch.get("d", ""))]
    assert heights == sorted(heights)
    assert heights[1] - heights[0] == pytest.approx(heights[2] - heights[1], abs=0.11)


def test_no_loss_no_curve() -> None:
    assert loss_curve([float("nan")], 1) == "<p>no finite loss to draw</p>"
