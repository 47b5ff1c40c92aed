"""The demonstration as data, for machines: what `taglessad demo --json` prints."""

from math import isfinite
from typing import Any

from taglessad.demo.gradient_check import Row
from taglessad.demo.lines import Section
from taglessad.demo.run import Demonstration

Data = dict[str, Any]  # Any: whatever JSON has


def as_data(shown: Demonstration) -> Data:
    """One object of strings, numbers, lists and objects; a number that is not finite is a string."""
    trained = shown.trained
    return {
        "good": shown.good,
        "seed": trained.seed,
        "report": str(shown.file),
        "documents": [_document(section) for section in shown.sections],
        "training": {
            "good": trained.good,
            "steps": len(trained.losses),
            "seconds": trained.seconds,
            "losses": [_number(loss) for loss in trained.losses],
            "train_accuracy": trained.train_accuracy,
            "test_accuracy": trained.test_accuracy,
            "test_images": trained.test_size,
        },
        "gradient_check": {
            "good": shown.check.good,
            "rows": [_row(row) for row in shown.check.rows],
            "verdicts": [verdict._asdict() for verdict in shown.check.verdicts],
        },
    }


def _document(section: Section) -> Data:
    return {
        "title": section.title,
        "good": section.good,
        "lines": [
            {
                "computed": line.text,
                "document": section.stated[i],
                "mark": line.mark.name.lower(),
                "note": line.note,
                "good": section.agrees(i),
            }
            for i, line in enumerate(section.lines)
        ],
        "notes": list(section.notes),
    }


def _row(row: Row) -> Data:
    values: Data = row._asdict()
    return {name: _number(value) for name, value in values.items()} | {"good": row.good}


def _number(value: Any) -> Any:
    """JSON has no NaN and no infinity."""
    return str(value) if isinstance(value, float) and not isfinite(value) else value
