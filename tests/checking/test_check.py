"""`taglessad check`: what it finds in files, folders and modules, and how it says so."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from taglessad.checking.check import check
from taglessad.checking.findings import Finding, Report
from taglessad.cli import FOUND, GOOD, USAGE, main

HEAD = """from dataclasses import dataclass
from typing import Callable, Generic, Literal as L, TypeVar
import taglessad as tad
from taglessad import Dim, IntTensor, Size, Tensor
N = TypeVar("N"); M = TypeVar("M"); K = TypeVar("K")
"""
BAD = """
def f(x: Tensor[N, K], y: Tensor[N, K]) -> Tensor:
    z = 1.0 + x @ y
    return z
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(code: str, name: str = "case.py") -> str:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEAD + code)
    return name


def found(code: str) -> list[Finding]:
    return list(check([write(code)]).findings)


def line_of(text: str, name: str = "case.py") -> int:
    lines = Path(name).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def run(*arguments: str, capsys: Any) -> tuple[int, str, str]:
    status = main(["check", *arguments])
    out = capsys.readouterr()
    return status, out.out, out.err


def test_text(capsys: Any) -> None:
    status, out, err = run(write(BAD), capsys=capsys)
    assert status == FOUND
    assert out == (
        f"case.py:{line_of('x @ y')}:15: error: matmul: inner dimensions differ: "
        "[N, K] @ [N, K] (K and N are different dimensions)  [shape]\n"
    )
    assert err == "taglessad check: 1 error (1 program in 1 file checked)\n"


def test_json(capsys: Any) -> None:
    status, out, _ = run(write(BAD), "--format", "json", capsys=capsys)
    assert status == FOUND
    report = json.loads(out)
    (finding,) = report.pop("findings")
    assert report == {"version": 1, "programs": 1, "files": 1}
    assert finding.pop("message").startswith("matmul: inner dimensions differ")
    assert finding == {
        "file": "case.py",
        "line": line_of("x @ y"),
        "column": 15,
        "severity": "error",
        "code": "shape",
        "function": "f",
    }


def test_a_good_file(capsys: Any) -> None:
    code = "def f(x: Tensor[N, K]) -> Tensor[K, N]:\n    return x.T\n"
    assert run(write(code), capsys=capsys) == (
        GOOD,
        "",
        "taglessad check: no errors (1 program in 1 file checked)\n",
    )


@pytest.mark.parametrize("name", ["nothing.py", "no_such_module", "folder/nothing"])
def test_a_name_that_is_nothing_is_bad_usage(name: str, capsys: Any) -> None:
    status, out, err = run(name, capsys=capsys)
    assert (status, out) == (USAGE, "") and name in err


def test_functions_methods_and_marked_programs_are_found() -> None:
    report = check(
        [
            write("""
class Model:
    def method(self, x: Tensor[N]) -> Tensor[N, N]:
        return x

    @staticmethod
    def static(x: Tensor[N]) -> Tensor[N, N]:
        return x

@dataclass(frozen=True)
class Layer(Generic[N, M]):
    w: Tensor[N, M]
    name: str = "layer"

    def __call__(self, x: Tensor[K, M]) -> Tensor[K, N]:
        return x @ self.w

    def good(self, x: Tensor[K, N]) -> Tensor[K, M]:
        return x @ self.w

def make():
    @tad.program
    def inner(x: Tensor[N]) -> Tensor[M, N]:
        return x
    return inner

made = make()

@tad.jit
def jitted(x: Tensor[N]) -> Tensor[N, N]:
    return x

@tad.grad
def no_annotations(x):
    return x

def ignored(x: int) -> int:
    return x
""")
        ]
    )
    errors = [f.function for f in report.findings if f.severity == "error"]
    assert errors == [
        "Model.static",
        "Layer.__call__",
        "make.<locals>.inner",
        "jitted",
    ]
    (note,) = [f for f in report.findings if f.severity == "note"]
    assert note.function == "Model.method" and "self" in note.message
    assert report.programs == 6


def test_what_raises_at_import_does_not_hide_the_rest() -> None:
    findings = found("""
@tad.program
def first(x: Tensor[N]) -> Tensor[N, N]:
    return x

@tad.program
def second(x: Tensor[N]) -> Tensor[N]:
    return x @ x

first(tad.ones((3,)))
""")
    assert [(f.line, f.code, f.function) for f in findings] == [
        (line_of("return x"), "shape", "first"),
        (line_of("return x @ x"), "shape", "second"),
        (line_of("first(tad"), "unchecked", ""),
    ]
    assert findings[2].message.endswith("only 2 marked programs in it were checked")


def test_a_wrong_call_at_import_is_found_where_it_is() -> None:
    findings = found("""
@tad.program
def rows(x: Tensor[N, K]) -> Tensor[N]:
    return x.sum(axis=1)

y = rows(tad.ones((3,)))
@tad.program
def never(x: Tensor[N]) -> Tensor[N, N]:
    return x
""")
    assert [(f.line, f.column, f.code) for f in findings] == [
        (line_of("y = rows"), 5, "shape"),
        (line_of("y = rows"), 5, "unchecked"),
    ]


def test_a_fault_inside_a_call_at_import_is_on_the_line_of_the_call(capsys: Any) -> None:
    name = write("""
from taglessad import nn
class Model(nn.Module):
    layer: nn.Linear

    def __call__(self, x):
        return self.layer(x)

def never(x: Tensor[N]) -> Tensor[N, N]:
    return x

good = Model(nn.Linear(3, 16))
good(tad.ones((8, 5, 2)))
""")
    _, out, _ = run(name, capsys=capsys)
    line = line_of("good(tad")
    assert out.splitlines() == [
        f"case.py:{line}:1: error: Linear[3, 16] cannot take [8, 5, 2] (2 != 3), "
        f"in case.py:{line_of('return self.layer')}:16  [shape]",
        f"case.py:{line}:1: note: case.py could not be imported to the end: nothing else in it "
        "was checked  [unchecked]",
    ]


def test_a_fault_in_an_imported_file_is_on_the_line_of_the_import() -> None:
    write("y = tad.ones(3) + tad.ones(4)\n", "helper_at_fault.py")
    error, note = found(
        "def ok(x: Tensor[N]) -> Tensor[N]:\n    return x\nimport helper_at_fault\n"
    )
    assert (error.line, error.code) == (line_of("import helper"), "shape")
    inner = line_of("y = tad", "helper_at_fault.py")
    assert error.message.endswith(f", in helper_at_fault.py:{inner}:5")
    assert note.severity == "note"


def test_another_fault_inside_a_call_at_import() -> None:
    error, _ = found("def bad(x):\n    return x + None\ny = bad(1)\n")
    assert (error.line, error.column) == (line_of("y = bad"), 5)
    assert error.message.endswith(f", in case.py:{line_of('x + None')}:12")


@pytest.mark.parametrize(
    ("code", "line", "column", "message"),
    [
        ("x = 1\nimport no_such_thing\n", "import no_such", 1, "ModuleNotFoundError: No module"),
        ("x = 1\ny = x + None\n", "y = x", 5, "TypeError: unsupported operand"),
        ("def f(:\n    pass\n", "def f(", 7, "SyntaxError: invalid syntax"),
        ("raise SystemExit(3)\n", "raise", 1, "SystemExit: 3"),
    ],
)
def test_a_file_that_cannot_be_imported(code: str, line: str, column: int, message: str) -> None:
    finding, note = found(code)
    assert (finding.line, finding.code, finding.severity) == (line_of(line), "import", "error")
    assert (note.line, note.code, note.severity) == (finding.line, "unchecked", "note")
    assert (
        note.message == "case.py could not be imported to the end: nothing else in it was checked"
    )
    assert finding.column == column
    assert finding.message.startswith(message)


def test_a_fault_in_a_module_that_the_file_imports() -> None:
    write("def helper(x):\n    return x @ x\n", "helper.py")
    code = "from helper import helper\ndef f(x: Tensor[N, K]) -> Tensor:\n    return helper(x)\n"
    (finding,) = found(code)
    assert (finding.file, finding.line) == ("helper.py", line_of("x @ x", "helper.py"))
    assert finding.function == "f"


def test_one_fault_reached_by_two_programs_is_one_finding() -> None:
    (finding,) = found("""
def helper(x):
    return x @ x
def f(x: Tensor[N, K]) -> Tensor:
    return helper(x)
def g(x: Tensor[N, K]) -> Tensor:
    return helper(x) + 1
""")
    assert finding.line == line_of("x @ x")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def f(x: Tensor[N]) -> Tensor[N]:\n    return x if x[0] > 0 else -x\n", "bool() of a"),
        ("def f(x: Tensor[N], y) -> Tensor[N]:\n    return x + y\n", "'y' is not annotated"),
        ("def f(x: Tensor) -> Tensor[()]:\n    return x.sum()\n", "number of axes no annotation"),
        (
            "def f(x: Tensor[N], g: Callable[[Tensor[N]], Tensor[N]]) -> Tensor[N]:\n"
            "    return g(x)\n",
            "argument 'g' is annotated as",
        ),
        ("def f(x: 'Nowhere', y: Tensor[N]) -> Tensor[N]:\n    return y\n", "NameError"),
        ("def f(x: Tensor[N]) -> Tensor[N]:\n    raise RuntimeError('why')\n", "RuntimeError: why"),
        (
            "def f(x: Tensor[N]) -> Tensor[N]:\n"
            "    for i in range(x.shape[0]):\n        x = x + x[i]\n    return x\n",
            "checked with N = 12 alone",
        ),
    ],
)
def test_what_cannot_be_run_with_symbols_is_a_note(code: str, message: str) -> None:
    (finding,) = found(code)
    assert (finding.severity, finding.code) == ("note", "unchecked")
    assert message in finding.message
    assert main(["check", "case.py"]) == GOOD


def test_numbers_are_not_known_until_they_must_be() -> None:
    findings = found("""
def fine(x: Tensor[N], rate: float, flag: bool) -> Tensor[N]:
    if not 0.0 <= rate < 1.0:
        raise ValueError(rate)
    return x * rate if flag else x

def wrong(x: Tensor[N], rate: float, n: int) -> Tensor[N]:
    for _ in range(n):
        x = x * tad.nn.functional.softmax(x, axis=1)
    return x * rate

def shape(x: Tensor[N], rate: float) -> Tensor:
    return rate * x @ tad.stack([x, x])
""")
    assert [(f.severity, f.code, f.function) for f in findings] == [
        ("note", "unchecked", "fine"),
        ("note", "unchecked", "wrong"),
        ("error", "shape", "shape"),
    ]
    code = "def f(x: Tensor[N], rate: float) -> Tensor:\n    return rate * x.sum(axis=1)\n"
    (one,) = check([write(code, "other.py")]).findings
    assert (one.severity, one.code) == ("error", "index")


def test_a_program_that_asks_for_sizes_is_tried_on_numbers() -> None:
    (finding,) = found("""
def f(x: Tensor[N, K]) -> Tensor:
    y = x[0]
    for i in range(x.shape[0]):
        y = y + x[:, i]
    return y
""")
    assert finding.severity == "error" and finding.line == line_of("x[:, i]")
    assert finding.message.endswith("(with N = 12, K = 24)")


def test_it_says_on_which_run_of_axes() -> None:
    (finding,) = found("""
from typing import TypeVarTuple
B = TypeVarTuple("B")
def f(x: Tensor[*B, K]) -> Tensor[*B]:
    return x.sum(axis=1)
""")
    assert "with *B = " in finding.message


def test_folders_packages_and_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    write("", "pack/__init__.py")
    write("from pack.other import M\n" + BAD, "pack/model.py")
    write("M = 3\n" + BAD, "pack/other.py")
    write(BAD, ".hidden/no.py")
    places = [("pack/model.py", 9), ("pack/other.py", 9)]
    for names in (
        ["pack"],
        ["."],
        ["pack.model", "pack.other"],
        ["pack/other.py", "pack/model.py"],
    ):
        report = check(names)
        assert [(f.file.replace(os.sep, "/"), f.line) for f in report.findings] == places


def test_files_of_one_name_do_not_meet() -> None:
    write(BAD, "a/random.py")
    write("def f(x: Tensor[N]) -> Tensor[N]:\n    return x\n", "b/random.py")
    report = check(["a/random.py", "b/random.py"])
    assert [f.file for f in report.findings] == [os.path.join("a", "random.py")]
    assert report.programs == 2
    import random

    assert "a" + os.sep not in (random.__file__ or "")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters need Python 3.12")
def test_type_parameters_of_a_class_in_annotations_that_are_texts() -> None:
    write("")
    Path("case.py").write_text("""from __future__ import annotations
import dataclasses
import taglessad as tad
from taglessad import Tensor

@dataclasses.dataclass
class Layer[A, C]:
    w: Tensor[A, C]

    @tad.program
    def good[D](self, x: Tensor[D, A]) -> Tensor[D, C]:
        return x @ self.w

    def bad[D](self, x: Tensor[D, C]) -> Tensor[D, C]:
        return x @ self.w
""")
    (finding,) = check(["case.py"]).findings
    assert finding.function == "Layer.bad" and "matmul" in finding.message


def test_what_a_file_prints_is_not_in_the_report(capsys: Any) -> None:
    code = "print('hello')\ndef f(x: Tensor[N]) -> Tensor[N]:\n    print('inside')\n    return x\n"
    status, out, err = run(write(code), "--format", "json", capsys=capsys)
    assert status == GOOD and json.loads(out)["findings"] == []
    assert "hello" in err and "inside" in err


def test_no_numbers_are_computed() -> None:
    assert (
        found("""
def f(x: Tensor[L[1000000], L[1000000]]) -> Tensor[L[1000000], L[1000000]]:
    return x @ x
""")
        == []
    )


def test_the_command_in_a_process_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "taglessad", "check", write(BAD)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == FOUND and done.stdout.startswith("case.py:")
    assert "Traceback" not in done.stderr


def test_findings_have_one_order() -> None:
    one = Finding("a.py", 2, 1, "error", "shape", "f", "x")
    report = Report((one,), 1, 1)
    assert report.errors == 1 and not report.good
    assert str(one) == "a.py:2:1: error: x  [shape]"
