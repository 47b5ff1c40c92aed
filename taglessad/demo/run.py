"""The demonstration from beginning to end."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import taglessad as tad
from taglessad.demo import builds, candle, digits, torchlean
from taglessad.demo.classifier import initial
from taglessad.demo.gradient_check import Check, check
from taglessad.demo.lines import Section
from taglessad.demo.progress import progress
from taglessad.demo.report import report
from taglessad.demo.text import LEGEND, check_text, count_text, section_text, training_text
from taglessad.demo.training import BATCH, Trained, steps, train


class Demonstration(NamedTuple):
    """All that came out."""

    sections: list[Section]
    trained: Trained
    check: Check
    file: Path

    @property
    def good(self) -> bool:
        """Whether the documents' numbers, the accuracy and the gradient check are as they must."""
        return self.trained.good and self.check.good and all(s.good for s in self.sections)


def demonstrate(seed: int, folder: Path, say: Callable[[str], None]) -> Demonstration:
    """Compute everything, say it part by part, and write folder/report.html.

    Raises MissingExtra without scikit-learn.
    """
    data = digits.load(seed)
    say(LEGEND)
    sections = [*torchlean.sections(), *candle.sections(), *builds.sections()]
    for section in sections:
        say(f"\n{section_text(section)}")
    say(f"\n{count_text(sections)}\n")
    with progress("training", steps(data)) as advance:
        trained = train(data, seed, advance)
    say(training_text(trained))
    point = (initial(seed), tad.tensor(data.x[:BATCH]), tad.tensor(data.y[:BATCH]))
    checked = check(*point, seed)
    say(f"\n{check_text(checked)}")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "report.html"
    file.write_text(report(sections, trained, checked, point), encoding="utf-8")
    say(f"\nreport: {file}")
    return Demonstration(sections, trained, checked, file)
