"""The report: one self-contained HTML page."""

from collections.abc import Sequence
from typing import TypeAlias

import taglessad as tad
from taglessad.demo.classifier import Classifier, Images, Targets, loss
from taglessad.demo.curve import loss_curve
from taglessad.demo.gradient_check import HEADINGS, Check
from taglessad.demo.lines import Section
from taglessad.demo.text import LEGEND, count_text, section_text, training_text
from taglessad.demo.training import BATCH, Trained
from taglessad.view.html import figure, page, section, table
from taglessad.view.markup import escaped
from taglessad.view.reverse import reverse_view

Point: TypeAlias = tuple[Classifier, Images, Targets]

_CHECK = (
    "Each row is a random direction d in one block of parameters. <J d, c> and <d, J' c> are one "
    "number by forward and by reverse mode; <grad, d> is the loss's slope along d, beside the "
    "quotient (L(m + h d) - L(m - h d)) / 2h. Gaps are relative."
)


def report(sections: Sequence[Section], trained: Trained, check: Check, point: Point) -> str:
    """The page: training, the graph, the gradient check, the documents' numbers.

    point: the arguments of the loss at which its gradient was checked.
    """
    graph = tad.trace(loss)(*point)
    done, *facts = training_text(trained).split("\n")
    return page(
        "taglessad demo",
        [
            section(
                done.strip("- "),
                "",
                f"<p>{'<br>'.join(escaped(fact) for fact in facts)}</p>",
                figure(loss_curve(trained.losses, len(trained.losses) // trained.epochs)),
                '<p class="faint">Loss of every batch, and the mean of every epoch.</p>',
            ),
            section(
                "The loss as a graph",
                f"Recorded from shapes alone: {len(graph)} operations, on a batch of {BATCH} images.",
                figure(graph.to_svg()),
                f"<details><summary>text form</summary><pre>{escaped(str(graph))}</pre></details>",
            ),
            section(
                "Its reverse pass",
                "The cotangents that arrive, at the model before training.",
                figure(reverse_view(loss, *point).to_svg("gradients")),
            ),
            section(
                "The gradient, checked",
                _CHECK,
                table([*HEADINGS, ""], [row.cells for row in check.rows]),
                table(
                    ["the library's checks", ""],
                    [[v.check, v.finding or "holds"] for v in check.verdicts],
                ),
            ),
            section(
                "The documents' numbers", count_text(sections), f"<pre>{escaped(LEGEND)}</pre>"
            ),
            *(_document(part) for part in sections),
        ],
    )


def _document(part: Section) -> str:
    stated = escaped("\n".join(part.stated))
    return "\n".join(
        [
            f"<pre>{escaped(section_text(part))}</pre>",
            f"<details><summary>the document's own text</summary><pre>{stated}</pre></details>",
        ]
    )
