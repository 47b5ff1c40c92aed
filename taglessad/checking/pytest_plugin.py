"""`pytest --taglessad-check`: the annotated programs of Python files as tests.

Every .py file that pytest is given, or finds in the folders it is given, becomes one test, which
fails with the findings of `taglessad check`. With the setting `taglessad_check`, a list of files
and folders, those are checked, wherever they are, and no others. The fixture `check_laws` holds
functions to the laws of derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from taglessad.checking.findings import Finding
    from taglessad.checking.program import Program

OPTION = "--taglessad-check"
SETTING = "taglessad_check"
_MARKED = pytest.StashKey[list["Program"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option and the setting."""
    group = parser.getgroup("taglessad")
    group.addoption(
        OPTION,
        action="store_true",
        dest=SETTING,
        help="shape-check the annotated programs of Python files, computing no numbers",
    )
    parser.addini(
        SETTING,
        "files and folders that --taglessad-check checks, instead of what is collected",
        type="paths",
    )


@pytest.fixture(scope="session")
def check_laws() -> Callable[..., None]:
    """`taglessad.proofs_checks.strategies.check_laws`; an argument not given is any small array."""
    # Not sooner: this module is loaded wherever the library is installed.
    from taglessad.proofs_checks import strategies

    def check(f: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        strategies.check_laws(f, *(arguments or (strategies.tensors(),)), **options)

    return check


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CheckedFile | None:
    """A collected Python file is one that is checked, unless the setting says which are."""
    config = parent.config
    if file_path.suffix == ".py" and config.getoption(SETTING) and not config.getini(SETTING):
        return CheckedFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """The files of the setting, behind what was collected."""
    if not config.getoption(SETTING):
        return
    for path in config.getini(SETTING):
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        for file in files:
            items.extend(CheckedFile.from_parent(session, path=file).collect())


class CheckedFile(pytest.File):
    """A Python file with programs in it."""

    def collect(self) -> Iterable[CheckedItem]:
        """The one test of the file."""
        return [CheckedItem.from_parent(self, name="taglessad-check")]


class CheckedItem(pytest.Item):
    """The programs of one file: they are tried when the test runs."""

    def runtest(self) -> None:
        """Check the file. Raises CheckFailure with what was found."""
        # Not sooner: this module is loaded wherever the library is installed.
        from taglessad.checking.check import check_source
        from taglessad.checking.findings import ordered
        from taglessad.checking.sources import Source, module_name

        marked = self.config.stash.setdefault(_MARKED, [])
        found, _ = check_source(Source(self.path, module_name(self.path)), marked)
        errors = [f for f in ordered(found) if f.severity == "error"]
        if errors:
            # With what is said of the file itself: that the rest of it was not checked.
            shown = [f for f in ordered(found) if f.severity == "error" or not f.function]
            raise CheckFailure(shown)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None
    ) -> str:
        """The findings alone: the programs' own frames say nothing more."""
        if isinstance(excinfo.value, CheckFailure):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the test is listed."""
        return self.path, 0, "taglessad-check"


class CheckFailure(Exception):
    """A file with errors in it."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings = findings
