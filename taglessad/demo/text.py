"""The demonstration as text."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from taglessad.demo.gradient_check import Check, table
from taglessad.demo.lines import Mark, Section
from taglessad.demo.training import WANTED, Trained

LEGEND = """\
Every number is computed here and compared with the document's, digit for digit.
* rests on what the document does not state: the relation that must hold is checked instead
~ another answer, by design
! not the document's number, or a relation that does not hold"""

_WIDTH = 96


def section_text(section: Section) -> str:
    """A document's block, recomputed, with the notes under the lines that they belong to."""
    lines = [f"--- {section.title} ---", *_body(section)]
    for note in section.notes:
        lines += _note(note)
    return "\n".join(lines)


def _body(section: Section) -> Iterator[str]:
    for i, line in enumerate(section.lines):
        good = section.agrees(i)
        sign = line.mark.value if good else "!"
        yield f"{line.text}  {sign}" if sign else line.text
        if not good and line.mark is Mark.SAME:
            yield f"      the document: {section.stated[i]}"
        if line.note:
            yield from _note(line.note)


def _note(text: str) -> list[str]:
    return wrap(f"({text})", _WIDTH, initial_indent="      ", subsequent_indent="       ")


def count_text(sections: Sequence[Section]) -> str:
    """How many lines with numbers came out as promised."""
    counted = {mark: 0 for mark in Mark}
    wrong = 0
    for section in sections:
        for i, line in enumerate(section.lines):
            if not section.agrees(i):
                wrong += 1
            elif line.text and not line.text.startswith("=="):
                counted[line.mark] += 1
    return (
        f"{counted[Mark.SAME]} lines with the document's digits, {counted[Mark.UNKNOWN]} resting "
        f"on unstated values (*), {counted[Mark.DIFFERENT]} different by design (~), {wrong} wrong"
    )


def training_text(trained: Trained) -> str:
    """What training gave."""
    verdict = "reached" if trained.good else "NOT reached"
    return "\n".join(
        [
            "--- A classifier of handwritten digits, Eager, jit of value_and_grad ---",
            f"seed {trained.seed}, {len(trained.losses)} steps in {trained.seconds:.1f} s, "
            f"loss {trained.losses[0]:.4f} -> {trained.losses[-1]:.4f}",
            f"accuracy on the training images {100 * trained.train_accuracy:.2f} %",
            f"accuracy on {trained.test_size} held-out images {100 * trained.test_accuracy:.2f} % "
            f"({100 * WANTED:.0f} % {verdict})",
        ]
    )


def check_text(check: Check) -> str:
    """The table of the gradient check, and the verdicts."""
    return "\n".join(
        [
            "--- Its gradient, checked: forward against reverse mode, and by differences ---",
            *table(check.rows),
            *(verdict.text for verdict in check.verdicts),
        ]
    )
