"""Every kind of mistake is found where it is, when a program is defined and by `check` alike."""

import re
from pathlib import Path
from typing import Any

import pytest

import taglessad as tad
from taglessad.checking.check import check_source
from taglessad.checking.sources import Source, load
from tests.checking.kinds import PRELUDE
from tests.checking.kinds_bad import BAD
from tests.checking.kinds_good import GOOD


def write(folder: Path, code: str) -> Source:
    file = folder / "case.py"
    file.write_text(PRELUDE + code)
    return Source(file, "case")


def marked_line(source: Source) -> int:
    lines = source.file.read_text().splitlines()
    (line,) = [i for i, text in enumerate(lines, 1) if text.endswith("#!")]
    return line


def named(cases: list[tuple[str, str]]) -> list[Any]:
    return [pytest.param(code, id=f"{i} {kind}") for i, (kind, code) in enumerate(cases)]


@pytest.mark.parametrize("code", named(BAD))
def test_a_mistake_is_an_error_on_its_line(tmp_path: Path, code: str) -> None:
    source = write(tmp_path, code)
    with pytest.raises(tad.TaglessError) as caught:
        load(source)
    assert isinstance(
        caught.value, (tad.ShapeError, tad.IndexOutOfRange, tad.ArgumentError, tad.DTypeError)
    )
    assert caught.value.site == (str(source.file), marked_line(source))

    found, programs = check_source(source, [])
    (error,) = [f for f in found if f.severity == "error"]
    assert error.line == marked_line(source)
    assert error.message == caught.value.message
    assert programs == len(re.findall("@tad.program", PRELUDE + code))


@pytest.mark.parametrize("code", named(GOOD))
def test_a_good_program_is_accepted(tmp_path: Path, code: str) -> None:
    source = write(tmp_path, code)
    assert load(source).f is not None
    found, _ = check_source(source, [])
    assert [f for f in found if f.severity == "error"] == []
