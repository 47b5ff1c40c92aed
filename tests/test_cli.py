"""The command line: what it prints where, and its exit status."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from taglessad.cli import main
from taglessad.demo import training

PROGRAM = """\
import taglessad as tad

NUMBER = 3


def bend(x, w):
    return tad.sum(tad.tanh(x * w["a"])) + tad.sum(tad.detach(x) * x)


def wrong(x):
    return x @ tad.ones((3, 2))


class Holder:
    square = staticmethod(lambda x: tad.sum(x * x))


EXAMPLES = {"bend": lambda: (tad.tensor([0.5, -1.2]), {"a": tad.tensor([1.0, 2.0])})}
"""


@pytest.fixture(name="program", autouse=True)
def program_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's file in the current folder, under a name of its own for every test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    file = tmp_path / f"program_{tmp_path.name}.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


def status(*arguments: str) -> int:
    try:
        return main(arguments)
    except SystemExit as stop:
        assert isinstance(stop.code, int)
        return stop.code


# --- usage ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "COMMAND"),
        (["dance"], "invalid choice: 'dance'"),
        (["demo", "--seed", "-1"], "no seed"),
        (["demo", "extra"], "unrecognized arguments: extra"),
        (["view"], "MODULE:FUNCTION"),
        (["view", "module"], "'module' is not of the form MODULE:FUNCTION"),
        (["view", ":f"], "not of the form MODULE:FUNCTION"),
        (["view", "no_such_module:f"], "there is no module no_such_module"),
        (["view", "no_such_file.py:f"], "there is no file no_such_file.py"),
        (["view", "math:nothing"], "math has no nothing"),
        (["view", "math:pi"], "math:pi is a float, not a function"),
        (["view", "math:exp", "--arg", "a,b"], "'a,b' is no shape"),
        (["view", "math:exp", "--at", "[1"], "'[1' is no JSON"),
        (["view", "math:exp"], "no example arguments"),
    ],
)
def test_bad_usage(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert "Traceback" not in err


def test_help_is_good(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("--help") == 0
    text = capsys.readouterr().out
    assert "demo" in text and "view" in text


def test_the_module_is_a_command(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parent.parent
    answer = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(root)!r});"
            "sys.argv = ['taglessad', 'view', 'nothing'];"
            "import runpy; runpy.run_module('taglessad', run_name='__main__')",
        ],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.returncode == 2
    assert answer.stderr.startswith("taglessad: view: 'nothing' is not of the form")


# --- view -----------------------------------------------------------------------------------
FILES = {
    *("graph.txt", "graph.dot", "graph.svg", "graph.html", "reverse.txt", "reverse.html"),
    *("reverse-tape.svg", "reverse-gradients.svg", "reverse-trace.svg"),
}


@pytest.mark.parametrize("by_file", [False, True])
def test_view_draws_the_example(
    program: Path, by_file: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    name = str(program) if by_file else program.stem
    assert status("view", f"{name}:bend", "--out", "pictures") == 0
    out, err = capsys.readouterr()
    assert {Path(line).name for line in out.splitlines()} == FILES
    assert all(Path(line).is_file() for line in out.splitlines())
    assert err == ""
    assert "cut by detach" in Path("pictures/reverse-trace.svg").read_text(encoding="utf-8")


def test_view_at_a_point(program: Path) -> None:
    arguments = ["--at", "[0.5, -1.2]", "--at", '{"a": [0.0, 0.0]}']
    assert status("view", f"{program.stem}:bend", *arguments) == 0
    text = Path("view/reverse.txt").read_text(encoding="utf-8")
    # tanh' is 1 at 0: through w comes x; x itself has the detached x, and w, which is 0.
    assert "gradient of x (%0): [0.5, -1.2]" in text
    assert "gradient of w.a (%1): [0.5, -1.2]" in text


def test_view_takes_shapes_and_attributes(program: Path) -> None:
    assert status("view", f"{program.stem}:Holder.square", "--arg", "2,3") == 0
    assert "float64[2, 3] = input" in Path("view/graph.txt").read_text(encoding="utf-8")


def test_an_error_in_the_program_is_found(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("view", f"{program}:wrong", "--arg", "4,2") == 1
    err = capsys.readouterr().err
    assert "ShapeError: matmul: inner dimensions differ: [4, 2] @ [3, 2]" in err
    assert f"{program}:" in err


def test_a_module_that_fails_to_import_shows_its_own_error(program: Path) -> None:
    program.write_text("import no_such_thing\n", encoding="utf-8")
    with pytest.raises(ModuleNotFoundError, match="no_such_thing"):
        status("view", f"{program.stem}:f")


# --- demo -----------------------------------------------------------------------------------
@pytest.fixture(name="sklearn")
def sklearn_fixture() -> Any:
    return pytest.importorskip("sklearn.datasets", reason="the digits come with scikit-learn")


@pytest.mark.usefixtures("sklearn")
def test_demo_prints_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("demo") == 0
    out, err = capsys.readouterr()
    assert err == ""
    for line in (
        "mean(x^2) = 4.666667",
        "loss     = 0.769887  *",
        "third input derivative along [1, 0]: [-2.000000, 0.000000] (expected [-2, 0])",
        "a -0.096816, b 2.603830, c 17.481431",
        "seed 0, 550 steps",
        "accuracy on 360 held-out images",
        "w1     [64, 32]",
        f"report: {Path('demo/report.html')}",
    ):
        assert line in out
    assert ", 0 wrong\n" in out and "WRONG" not in out
    assert "</html>" in Path("demo/report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("sklearn")
def test_demo_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("demo", "--json", "--seed", "5", "--out", "elsewhere/deep") == 0
    out, err = capsys.readouterr()
    assert err == ""
    data = json.loads(out)
    assert data["good"] is True
    assert data["seed"] == 5
    assert Path(data["report"]).is_file()
    assert data["training"]["test_accuracy"] >= 0.95
    assert len(data["training"]["losses"]) == data["training"]["steps"] == 550
    assert [row["block"] for row in data["gradient_check"]["rows"]] == [
        "w1",
        "b1",
        "w2",
        "b2",
        "all",
    ]
    lines = [line for document in data["documents"] for line in document["lines"]]
    assert all(line["good"] for line in lines)
    assert {"same", "unknown", "different"} == {line["mark"] for line in lines}
    (loss,) = [line for line in lines if line["document"] == "loss     = 0.769887"]
    assert (loss["computed"], loss["mark"]) == ("loss     = 0.769887", "unknown")


@pytest.mark.usefixtures("sklearn")
def test_demo_short_of_its_accuracy_has_found_something(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(training, "EPOCHS", 1)
    monkeypatch.setattr(training, "RATE", 0.0)
    assert status("demo", "--json") == 1
    data = json.loads(capsys.readouterr().out)
    assert data["good"] is False
    assert data["training"]["good"] is False
    assert all(document["good"] for document in data["documents"])


def test_demo_without_its_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    assert status("demo") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "pip install 'taglessad[demo]'" in err


def test_bench_runs_in_a_checkout(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bench"]) == 2
    assert "checkout" in capsys.readouterr().err
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "__main__.py").write_text("import sys; sys.exit(len(sys.argv))")
    assert main(["bench", "mlp", "--json"]) == 3
