"""The report: one self-contained HTML page."""

from collections.abc import Sequence

from taglessad.demo.classifier import Classifier, loss
from taglessad.demo.curve import loss_curve
from taglessad.demo.gradient_check import HEADINGS, Row
from taglessad.demo.lines import Section
from taglessad.demo.text import LEGEND, count_text, section_text, training_text
from taglessad.demo.training import BATCH, EPOCHS, Trained
from taglessad.dtypes import int64
from taglessad.graph import Graph
from taglessad.transforms.recording import Spec, trace
from taglessad.view.html import figure, page, section, table
from taglessad.view.markup import escaped

_CHECK = (
    "Each row is a random direction d in one block of parameters. <J d, c> and <d, J' c> are one "
    "number by forward and by reverse mode; <grad, d> is the loss's slope along d, beside the "
    "quotient (L(m + h d) - L(m - h d)) / 2h. Gaps are relative."
)


def report(sections: Sequence[Section], trained: Trained, rows: Sequence[Row]) -> str:
    """The page: training, the graph, the gradient check, the documents' numbers."""
    graph = loss_graph(trained.model)
    done, *facts = training_text(trained).split("\n")
    verdicts = ["ok" if row.good else "WRONG" for row in rows]
    checked = [[*row.cells, verdict] for row, verdict in zip(rows, verdicts, strict=True)]
    return page(
        "taglessad demo",
        [
            section(
                done.strip("- "),
                "",
                f"<p>{'<br>'.join(escaped(fact) for fact in facts)}</p>",
                figure(loss_curve(trained.losses, len(trained.losses) // EPOCHS)),
                '<p class="faint">Loss of every batch, and the mean of every epoch.</p>',
            ),
            section(
                "The loss as a graph",
                f"Recorded from shapes alone: {len(graph)} operations on a batch of {BATCH}.",
                figure(graph.to_svg()),
                f"<details><summary>text form</summary><pre>{escaped(str(graph))}</pre></details>",
            ),
            section("The gradient, checked", _CHECK, table([*HEADINGS, ""], checked)),
            section(
                "The documents' numbers", count_text(sections), f"<pre>{escaped(LEGEND)}</pre>"
            ),
            *(_document(part) for part in sections),
        ],
    )


def loss_graph(model: Classifier) -> Graph:
    """The loss of one batch, recorded."""
    return trace(loss)(model, Spec((BATCH, 64)), Spec((BATCH,), int64))


def _document(part: Section) -> str:
    stated = escaped("\n".join(part.stated))
    return "\n".join(
        [
            f"<pre>{escaped(section_text(part))}</pre>",
            f"<details><summary>the document's own text</summary><pre>{stated}</pre></details>",
        ]
    )
