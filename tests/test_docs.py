"""Every ```python block of README.md and docs/ runs: a file's blocks in order, in one namespace.

A block with `>>>` is a doctest; any other is executed as it stands, its asserts are the test.
"""

import doctest
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from taglessad.primitive import PRIMITIVES

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<language>\w*)")


@dataclass(frozen=True)
class Block:
    """The text between two fences, and how many lines of the file stand above it."""

    source: str
    above: int


def python_blocks(path: Path) -> list[Block]:
    """The ```python blocks of a Markdown file; those of a list are indented."""
    blocks: list[Block] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    opening: re.Match[str] | None = None
    above = 0
    for number, line in enumerate(lines, start=1):
        if opening is None:
            opening = FENCE.match(line)
            above = number
        elif line.strip() == opening["ticks"]:
            if opening["language"] == "python":
                body = (text.removeprefix(opening["indent"]) for text in lines[above : number - 1])
                blocks.append(Block("\n".join(body) + "\n", above))
            opening = None
    if opening is not None:
        raise ValueError(f"{path}:{above}: a code block is not closed")
    return blocks


def run_blocks(path: Path, module: ModuleType) -> None:
    """Run a file's blocks in the module's namespace; line numbers are the file's own."""
    for block in python_blocks(path):
        if ">>>" in block.source:
            run_doctest(path, block, module)
        else:
            padded = "\n" * block.above + block.source
            exec(compile(padded, str(path), "exec", dont_inherit=True), vars(module))


def run_doctest(path: Path, block: Block, module: ModuleType) -> None:
    """Run one block as a doctest; fail with all its differences."""
    test = doctest.DocTestParser().get_doctest(
        block.source, {}, f"{path.name}:{block.above + 1}", str(path), block.above
    )
    test.globs = vars(module)
    report: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=OPTIONS).run(
        test, out=report.append, clear_globs=False
    )
    if outcome.failed:
        pytest.fail("".join(report), pytrace=False)


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModuleType]:
    """A namespace that classes defined in it can be found in, and an empty working folder.

    Primitives that a page declares end with it: the laws ask for an entry for each that is there.
    """
    made = ModuleType("documentation_page")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    monkeypatch.chdir(tmp_path)
    known = set(PRIMITIVES)
    yield made
    for name in set(PRIMITIVES) - known:
        del PRIMITIVES[name]


def pages() -> list[Path]:
    """The files whose code is run."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_code_of_the_page_runs(page: Path, module: ModuleType) -> None:
    if any("import jax" in block.source for block in python_blocks(page)):
        pytest.importorskip("jax")  # an extra
        pytest.importorskip("flatbuffers")
    run_blocks(page, module)


def test_a_readme_without_code_would_prove_nothing() -> None:
    assert python_blocks(ROOT / "README.md")


def write(folder: Path, *lines: str) -> Path:
    page = folder / "page.md"
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return page


def test_blocks_share_one_namespace(module: ModuleType, tmp_path: Path) -> None:
    page = write(
        tmp_path,
        "- in a list",
        "  ```python",
        "  def twice(x):",
        "      return 2 * x",
        "  ```",
        "```text",
        "not python",
        "```",
        "```python",
        ">>> twice(21)",
        "42",
        ">>> answer = twice(2)",
        "```",
        "```python",
        "seen = answer",
        "```",
    )
    run_blocks(page, module)
    assert vars(module)["seen"] == 4


def test_a_failing_block_names_its_line(module: ModuleType, tmp_path: Path) -> None:
    page = write(tmp_path, "text", "```python", "x = 1", "assert x == 2", "```")
    with pytest.raises(AssertionError) as caught:
        run_blocks(page, module)
    assert Path(caught.traceback[-1].path) == page
    assert caught.traceback[-1].lineno + 1 == 4


def test_a_failing_doctest_names_its_line(module: ModuleType, tmp_path: Path) -> None:
    page = write(tmp_path, "text", "```python", ">>> 1 + 1", "2", ">>> 1 + 1", "3", "```")
    with pytest.raises(pytest.fail.Exception, match=r"page\.md\", line 5"):
        run_blocks(page, module)


def test_a_fence_left_open_is_an_error(tmp_path: Path) -> None:
    page = write(tmp_path, "text", "```python", "x = 1")
    with pytest.raises(ValueError, match=r"page\.md:2: a code block is not closed"):
        python_blocks(page)


def test_a_block_quoted_in_a_longer_fence_is_text(tmp_path: Path) -> None:
    page = write(tmp_path, "````markdown", "```python", "1 / 0", "```", "````")
    assert python_blocks(page) == []
