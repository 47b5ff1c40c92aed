"""Run time, mypy with the plugin, and `taglessad check` agree on every variant of every line."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from taglessad.checking.running import try_out
from taglessad.checking.signature import signature
from tests.mypy_plugin.checked import Message, run_mypy
from tests.mypy_plugin.unlisted import made_lines, unlisted
from tests.mypy_plugin.variants import PRELUDE, Variant, variants

VARIANTS = variants()
PER_FUNCTION = 4


def _file(results: bool) -> tuple[str, list[int]]:
    """All variants as one file, each result annotated as it comes; the line of each."""
    text, places = PRELUDE, []
    for i, variant in enumerate(VARIANTS):
        text += variant.source(i, variant.result if results else None)
        places.append(text.count("\n"))
    return text, places


KNOWN = [v for v in VARIANTS if v.original and v.error is None and v.result]


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[Message]]:
    """What mypy says of each line of the file; behind it stand results annotated wrongly."""
    text, _ = _file(results=True)
    for i, variant in enumerate(KNOWN, start=len(VARIANTS)):
        text += variant.source(i, f"tuple[{variant.result}, int, str]")
    found: dict[int, list[Message]] = {}
    for message in run_mypy(text, tmp_path_factory.mktemp("variants")):
        if message.kind == "error":
            found.setdefault(message.line, []).append(message)
    return found


@pytest.fixture(scope="module")
def said(errors: dict[int, list[Message]]) -> dict[int, list[Message]]:
    """What mypy says of each variant."""
    return {i: errors.get(place, []) for i, place in enumerate(_file(results=True)[1])}


def _describe(variant: Variant, errors: list[Message]) -> str:
    operands = ", ".join(o.annotation() for o in variant.operands)
    outcome = variant.error or f"gives {variant.result}"
    return f"{variant.expression} of {operands}: {outcome}; mypy: {[e.text for e in errors]}"


def test_mypy_and_run_time_agree(said: dict[int, list[Message]]) -> None:
    wrong = [
        _describe(v, said[i])
        for i, v in enumerate(VARIANTS)
        if bool(said[i]) != (v.error is not None and not v.error.startswith("not of shapes"))
    ]
    assert not wrong, "\n".join(wrong)


def test_they_say_the_same_sentence(said: dict[int, list[Message]]) -> None:
    other = [
        _describe(v, said[i])
        for i, v in enumerate(VARIANTS)
        if v.error is not None
        and said[i]
        and all(e.code == "shape" for e in said[i])
        and v.error not in [e.text for e in said[i]]
    ]
    assert not other, "\n".join(other)
    own = [i for i in range(len(VARIANTS)) if any(e.code == "shape" for e in said[i])]
    refused = [v for v in VARIANTS if v.error is not None]
    # The rest are calls of what a transform gave, whose arguments mypy itself refuses.
    assert len(own) > 0.9 * len(refused)


def test_check_agrees(tmp_path: Path) -> None:
    module = _module(_file(results=False)[0], tmp_path)
    wrong: list[str] = []
    for i, variant in enumerate(VARIANTS):
        f = getattr(module, f"case_{i}")
        outcome = try_out(f, signature(f, vars(module)))
        refused = variant.error is not None and not variant.error.startswith("not of shapes")
        if outcome.obstacle is None and (outcome.mistake is not None) != refused:
            wrong.append(f"{_describe(variant, [])}; check: {outcome}")
        elif refused and outcome.mistake is not None and outcome.mistake.message != variant.error:
            wrong.append(f"{_describe(variant, [])}; check: {outcome.mistake.message}")
    assert not wrong, "\n".join(wrong)


def _module(text: str, folder: Path) -> ModuleType:
    file = folder / "variants_of_lines.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("variants_of_lines", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    del sys.modules[spec.name]
    return module


def test_results_are_known(errors: dict[int, list[Message]]) -> None:
    """A result of which nothing is known would fit any annotation: it must not fit a wrong one."""
    first = _file(results=True)[0].count("\n")
    lost = [v.expression for k, v in enumerate(KNOWN) if first + 2 * (k + 1) not in errors]
    assert not lost
    places = set(_file(results=True)[1])
    assert not [e for line, e in errors.items() if line <= first and line not in places]


def test_there_are_enough() -> None:
    counts = Counter(v.name for v in VARIANTS if not v.original)
    assert not [n for n in counts if counts[n] < PER_FUNCTION]
    assert sum(v.error is not None for v in VARIANTS) > 300


def test_every_function_has_lines() -> None:
    made = {line.name for line in made_lines()}
    assert not set(unlisted()) - made
