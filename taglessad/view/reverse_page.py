"""The three views of a reverse pass as one page."""

from typing import Final

from taglessad.view.backward import Pass
from taglessad.view.html import Column, figure, node_table, page, section, source_table
from taglessad.view.markup import escaped
from taglessad.view.reverse_picture import Which, reverse_diagram
from taglessad.view.reverse_text import gradient_text, trace_lines
from taglessad.view.svg import svg
from taglessad.view.text import typed
from taglessad.view.values import value_text

_TAPE: Final = "What ran, in the order in which it ran, and the value of each operation."
_GRADIENTS: Final = (
    "The cotangent that arrived at each operation in all. Dashed boxes got none. A red edge is one "
    "that detach cuts: what arrives there goes no further. A dotted edge leads to an operation "
    "without derivative."
)
_TRACE: Final = (
    "The same, one contribution at a time. The reverse pass visits operations from the last to the "
    "first; each gives every operand its contribution, and where several meet they are added."
)


def reverse_page(run: Pass) -> str:
    """Pictures, the trace in words, a table of all registers, the source lines."""
    graph, back = run.graph, run.back
    columns: list[Column] = [
        ("value", lambda ref: value_text(run.values[ref])),
        ("gradient", lambda ref: gradient_text(run, ref)),
    ]
    seeds = ", ".join(f"{typed(graph, r)} with {value_text(s)}" for r, s in back.seeds.items())
    start = f" It starts from {seeds}." if seeds else " Nothing to start from: no result depends."
    trace = f"<pre>{escaped(chr(10).join(trace_lines(run)))}</pre>"
    return page(
        f"reverse mode on {run.function}",
        [
            section("Tape", _TAPE, _picture(run, "tape")),
            section("Gradients", _GRADIENTS, _picture(run, "gradients")),
            section("Reverse pass", _TRACE + start, _picture(run, "trace"), trace),
            section("Registers", "", node_table(graph, columns, run.names)),
            section("Source lines", "", source_table(graph)),
        ],
    )


def _picture(run: Pass, which: Which) -> str:
    return figure(svg(reverse_diagram(run, which)))
