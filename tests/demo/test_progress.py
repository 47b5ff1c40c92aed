"""The progress bar shows itself to people only."""

import io
import sys

import pytest

from taglessad.demo import progress as module
from taglessad.demo.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run() -> None:
    with progress("training", 4) as advance:
        for i in range(4):
            advance(1.0 / (i + 1))


def test_nothing_is_written_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    run()
    assert stream.getvalue() == ""


def test_without_rich_a_line_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    run()
    first, *_, last = stream.getvalue().strip("\r\n").split("\r")
    assert first.startswith("training [#######   ")
    assert "step 4/4  loss 0.2500" in last


def test_with_rich_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="rich is an extra")
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    run()
    assert "step 4/4  loss 0.2500" in stream.getvalue()
