"""`taglessad check`: every annotated program of some files, tried under `Shape`."""

import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Final

from taglessad.checking.annotations import type_parameters
from taglessad.checking.discovery import Candidate, candidates
from taglessad.checking.findings import (
    Code,
    Finding,
    Report,
    module_site,
    ordered,
    shown_path,
    site_of,
)
from taglessad.checking.program import COLLECTED, Program
from taglessad.checking.running import MISTAKES, Outcome, try_out
from taglessad.checking.signature import signature
from taglessad.checking.sources import Source, load, sources
from taglessad.errors import (
    ArgumentError,
    DTypeError,
    IndexOutOfRange,
    ShapeError,
    TaglessError,
)

_CODES: Final[tuple[tuple[type[TaglessError], Code], ...]] = (
    (ShapeError, "shape"),
    (IndexOutOfRange, "index"),
    (DTypeError, "dtype"),
    (ArgumentError, "argument"),
)


def check(names: Sequence[str]) -> Report:
    """Import files, folders and modules, and try their annotated programs.

    What those print goes to standard error. Raises ArgumentError for a name that is nothing; what
    a file itself raises is a finding.
    """
    found: list[Finding] = []
    programs = 0
    given = sources(names)
    marked: list[Program] = []
    with redirect_stdout(sys.stderr):
        for source in given:
            own, count = check_source(source, marked)
            found += own
            programs += count
    return Report(ordered(found), programs, len(given))


def check_source(source: Source, marked: list[Program]) -> tuple[list[Finding], int]:
    """The findings of one file, and how many programs were tried.

    marked: the programs that importing has marked so far; a file may import another that is to
    be checked as well.
    """
    file = os.path.realpath(source.file)
    found: list[Finding] = []
    token = COLLECTED.set(marked)
    module = None
    failure: BaseException | None = None
    try:
        module = load(source)
    except (Exception, SystemExit) as error:  # whatever importing the user's file raises
        failure = error
    finally:
        COLLECTED.reset(token)
    programs = 0
    for candidate in candidates(module, file, marked):
        finding, tried = _check(candidate)
        programs += tried
        if finding is not None:
            found.append(finding)
    if failure is not None:
        found += _import_failure(failure, file, found, programs)
    return found, programs


def _check(candidate: Candidate) -> tuple[Finding | None, bool]:
    """The finding about one function, if any, and whether it is a program."""
    try:
        known = signature(candidate.f, type_parameters(candidate.owner))
    except Exception as error:  # evaluating an annotation raises what it likes
        if not _mentions_tensors(candidate):
            return None, False
        return _note(candidate, f"an annotation cannot be read: {_one_line(error)}"), False
    if not known.annotated:
        return None, False
    outcome = try_out(candidate.f, known, candidate.owner)
    return _finding(candidate, outcome), True


def _finding(candidate: Candidate, outcome: Outcome) -> Finding | None:
    mistake = outcome.mistake
    if mistake is not None:
        file, line, column = site_of(mistake) or _start(candidate)
        if outcome.column is not None:
            column = outcome.column
        code = _code(mistake)
        return Finding(
            shown_path(file), line, column, "error", code, candidate.name, mistake.message
        )
    if outcome.obstacle is not None:
        site = None if outcome.at_fault is None else site_of(outcome.at_fault)
        return _note(candidate, f"not checked to the end: {outcome.obstacle}", site)
    if outcome.instance is not None:
        return _note(candidate, f"checked with {outcome.instance} alone: it asks for sizes")
    return None


def _note(candidate: Candidate, message: str, site: tuple[str, int, int] | None = None) -> Finding:
    file, line, column = site or _start(candidate)
    return Finding(
        shown_path(file),
        line,
        column,
        "note",
        "unchecked",
        candidate.name,
        f"{candidate.name}: {message}",
    )


def _start(candidate: Candidate) -> tuple[str, int, int]:
    return candidate.code.co_filename, candidate.code.co_firstlineno, 1


def _mentions_tensors(candidate: Candidate) -> bool:
    written = getattr(candidate.f, "__annotations__", {}).values()
    return any("Tensor" in str(annotation) for annotation in written)


def _import_failure(
    error: BaseException, file: str, known: Sequence[Finding], programs: int
) -> list[Finding]:
    """What importing a file raised, on the file's own line, and what was not checked for it.

    known: what its programs were found to have; a fault of theirs is not said again.
    """
    code: Code = "import"
    if isinstance(error, SyntaxError) and error.filename is not None:
        inner = where = (error.filename, error.lineno or 1, error.offset or 1)
        message = f"SyntaxError: {error.msg}"
    elif isinstance(error, MISTAKES):
        code, message = _code(error), error.message
        inner = site_of(error) or (file, 1, 1)
        where = module_site(error, file) or inner
    else:
        message = _one_line(error)
        inner = site_of(error, (file,)) or (file, 1, 1)
        where = module_site(error, file) or inner
    name = shown_path(file)
    checked = "nothing else in it was"
    if programs:
        marked = "program" if programs == 1 else "programs"
        checked = f"only {programs} marked {marked} in it {'was' if programs == 1 else 'were'}"
    left = f"{name} could not be imported to the end: {checked} checked"
    shown = shown_path(where[0])
    note = Finding(shown, where[1], where[2], "note", "unchecked", "", left)
    place = (shown_path(inner[0]), inner[1], message)
    if place in [(f.file, f.line, f.message) for f in known]:
        return [note]
    if inner[:2] != where[:2]:
        message = f"{message}, in {shown_path(inner[0])}:{inner[1]}:{inner[2]}"
    return [Finding(shown, where[1], where[2], "error", code, "", message), note]


def _code(error: TaglessError) -> Code:
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    return "import"


def _one_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    name = type(error).__name__
    return f"{name}: {text[0]}" if text else name
