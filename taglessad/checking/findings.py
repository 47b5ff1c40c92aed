"""What `taglessad check` says: findings, in their order, as text and as JSON."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from types import CodeType, TracebackType
from typing import Final, Literal, TypeAlias

from taglessad.errors import TaglessError

Severity: TypeAlias = Literal["error", "note"]
Code: TypeAlias = Literal["shape", "index", "argument", "dtype", "import", "unchecked"]

JSON_VERSION: Final = 1


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One line of the report.

    file: as it was given where that is possible. line, column: from 1. function: the program
    that was tried, or "" for a file. A note does not count as something found.
    """

    file: str
    line: int
    column: int
    severity: Severity
    code: Code
    function: str
    message: str

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.message}  [{self.code}]"
        )


@dataclass(frozen=True, slots=True)
class Report:
    """All findings, and how many programs in how many files were tried."""

    findings: tuple[Finding, ...]
    programs: int
    files: int

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(f.severity == "error" for f in self.findings)

    @property
    def good(self) -> bool:
        """Whether there is no error."""
        return self.errors == 0

    def summary(self) -> str:
        """One line for people."""
        tried = f"{_count(self.programs, 'program')} in {_count(self.files, 'file')}"
        found = "no errors" if self.good else _count(self.errors, "error")
        return f"{found} ({tried} checked)"

    def to_json(self) -> str:
        """One object: version, findings, programs, files."""
        return json.dumps(
            {
                "version": JSON_VERSION,
                "findings": [asdict(f) for f in self.findings],
                "programs": self.programs,
                "files": self.files,
            }
        )


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By file, line and column. One fault reached in two ways is one finding."""
    kept: dict[tuple[str, int, str], Finding] = {}
    for f in sorted(findings, key=lambda f: (not f.function, f)):
        kept.setdefault((f.file, f.line, f.message), f)
    return tuple(sorted(kept.values()))


def shown_path(file: str) -> str:
    """A file relative to the current folder where it is in it."""
    try:
        relative = os.path.relpath(file)
    except ValueError:  # another drive
        return file
    return file if relative.startswith(os.pardir + os.sep) else relative


def site_of(error: BaseException, files: Sequence[str] = ()) -> tuple[str, int, int] | None:
    """The file, line and column that an exception is from: the user's expression.

    files: where given, the innermost frame in one of them, whatever the exception says.
    """
    frames = list(_frames(error.__traceback__))
    if isinstance(error, TaglessError) and error.site is not None and not files:
        for file, line, column in reversed(frames):
            if (file, line) == error.site:
                return file, line, column
        return (*error.site, 1)
    for file, line, column in reversed(frames):
        if not files or os.path.realpath(file) in files:
            return file, line, column
    return None


def module_site(error: BaseException, file: str) -> tuple[str, int, int] | None:
    """The line of a file itself, outside its functions, that an exception came through."""
    for frame, code in _with_code(error.__traceback__):
        if code.co_name == "<module>" and os.path.realpath(code.co_filename) == file:
            return frame
    return None


def _frames(trace: TracebackType | None) -> Iterable[tuple[str, int, int]]:
    """File, line and column of each frame; the column is of the expression, or 1."""
    return (frame for frame, _ in _with_code(trace))


def _with_code(
    trace: TracebackType | None,
) -> Iterable[tuple[tuple[str, int, int], CodeType]]:
    while trace is not None:
        code = trace.tb_frame.f_code
        positions = list(code.co_positions())
        column = None
        if 0 <= trace.tb_lasti // 2 < len(positions):
            line, _, column, _ = positions[trace.tb_lasti // 2]
            if line is not None and line != trace.tb_lineno:
                column = None
        place = (code.co_filename, trace.tb_lineno, 1 if column is None else column + 1)
        yield place, code
        trace = trace.tb_next


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
