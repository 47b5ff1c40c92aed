"""docs/typing.md: each mistake's message is what mypy says."""

import re
from pathlib import Path

from tests.mypy_plugin.checked import ROOT, run_mypy

PAGE = ROOT / "docs" / "typing.md"
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    """Language and text of every block, without indentation."""
    found = []
    for indent, language, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        lines = [line.removeprefix(indent) for line in text.splitlines()]
        found.append((language, "\n".join(lines)))
    return found


def test_messages(tmp_path: Path) -> None:
    found = blocks()
    source = next(text for language, text in found if language == "python") + "\n"
    wanted: dict[int, str] = {}
    for (language, text), (_, message) in zip(found, found[1:], strict=False):
        if language == "py":
            source += f"{text}\n"
            wanted[source.count("\n")] = message
    said = {
        m.line: f"error: {m.text}  [{m.code}]"
        for m in run_mypy(source, tmp_path)
        if m.kind == "error"
    }
    assert said == wanted
    assert len(wanted) == 10
