"""docs/checklist.md answers every rule once, with tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "checklist.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (.*) \| (.*) \| (.*) \|$", PAGE, flags=re.MULTILINE)
REFERENCES = sorted(set(re.findall(r"`(tests/[^`]*)`", PAGE)))


def test_every_rule_has_its_answer_and_its_test() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 89))
    for number, rule, answer, tests in ROWS:
        assert rule and answer, number
        assert "`tests/" in tests, number


@pytest.mark.parametrize("reference", REFERENCES)
def test_the_test_exists(reference: str) -> None:
    path, _, name = reference.partition("::")
    text = (ROOT / path).read_text(encoding="utf-8")
    function, _, row = name.partition("[")
    if function:
        assert re.search(rf"^def {function}\(", text, flags=re.MULTILINE)
    if row:
        assert f'"{row.removesuffix("]")}": ' in text
