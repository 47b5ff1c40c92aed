"""The plugin beside mypy's own options: error codes, failures in hooks, caches, the daemon."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from mypy.options import Options

from taglessad.mypy_plugin.hooks import ShapePlugin
from tests.mypy_plugin.checked import CONFIG, ROOT, run_mypy

PROGRAM = """
from typing import Any
import taglessad as tad
def double(x: tad.Tensor) -> tad.Tensor:
    return x * 2.0
x = tad.ones((4, 2))
x @ x
mask = x > 0.5
n: Any = 3
y = tad.sum(x, axis=n)
z = double(x) + x
"""


def test_a_code_of_its_own(tmp_path: Path) -> None:
    (message,) = [m for m in run_mypy(PROGRAM, tmp_path) if m.kind == "error"]
    assert (message.line, message.code) == (7, "shape")
    silenced = PROGRAM.replace("x @ x\n", "x @ x  # type: ignore[shape]\n")
    assert not run_mypy(silenced, tmp_path)


def test_names_that_are_not_there(tmp_path: Path) -> None:
    """Though at run time the module and handles say what there is instead."""
    program = """
import taglessad as tad
x = tad.ones(3)
tad.dot(x, x)
x.clip(0.0)
tad.checks.check_adjoint(tad.sin, x)
tad.to_jax(x)
"""
    said = [(m.line, m.code) for m in run_mypy(program, tmp_path) if m.kind == "error"]
    assert said == [(4, "attr-defined"), (5, "attr-defined")]


def test_lost_ranks_where_they_are_asked_for(tmp_path: Path) -> None:
    said = run_mypy(PROGRAM, tmp_path, options=("--enable-error-code", "shape-unknown"))
    assert [(m.line, m.code) for m in said] == [(7, "shape"), (10, "shape-unknown")]


OPERANDS = """
from typing import Any
import taglessad as tad
x = tad.ones((4, 2))
n: Any = 3
w = (2.0 - n) ** 0.5
class Settings:
    rate: Any = 0.5
settings = Settings()
rates: dict[str, Any] = {}
tad.sum(x, axis=n)
tad.add(x, w)
tad.where(x > 0.0, settings.rate, x)
tad.concat([x, n])
tad.multiply(rates["a"], x)
tad.add(x, n + 1)
tad.asarray(n)  # nothing was known of it before
"""


def test_the_operand_that_is_not_known_is_named(tmp_path: Path) -> None:
    said = run_mypy(OPERANDS, tmp_path, options=("--enable-error-code", "shape-unknown"))
    assert {m.code for m in said} == {"shape-unknown"}
    named = [re.findall(r"\((.*) is Any\)", m.text) for m in said]
    assert named == [["n"], ["w"], ["settings.rate"], ["n"], ["rates[...]"], ["an operand"]]


def test_a_failing_hook_keeps_what_mypy_had() -> None:
    said: list[str] = []

    def fail(ctx: object, writer: object) -> str:
        raise RuntimeError("on purpose")

    api = SimpleNamespace(path="program.py", msg=SimpleNamespace(note=lambda m, _: said.append(m)))
    hook = ShapePlugin(Options())._guarded(fail, lambda ctx: "default")
    assert hook(SimpleNamespace(api=api, context=None)) == "default"
    assert said == [
        "taglessad: the shapes here are not checked: RuntimeError: on purpose",
    ]


@pytest.mark.slow
def test_a_failing_hook_is_a_note(tmp_path: Path) -> None:
    broken = tmp_path / "broken_plugin.py"
    broken.write_text(
        "from taglessad.mypy_plugin import calls, plugin as plugin\n"
        "def fail(*args: object, **kwargs: object) -> object:\n"
        "    raise RuntimeError('on purpose')\n"
        "calls.run = fail\n"
    )
    config = tmp_path / "mypy.ini"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    config.write_text(CONFIG.format(plugin=broken, more=""))
    done = _mypy(["--config-file", str(config), "--cache-dir", str(tmp_path / "c")], program)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "program.py:7: note: taglessad: the shapes here are not checked" in done.stdout
    assert "INTERNAL ERROR" not in done.stdout + done.stderr


def _mypy(options: list[str], *files: Path) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "MYPYPATH": str(ROOT), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mypy", *options, *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


# --- several files, edited ------------------------------------------------------------------------
LIBRARY = """
from typing import Literal as L
import taglessad as tad
def f(x: tad.Tensor[L[4]]) -> tad.Tensor[L[{n}]]:
    return tad.ones({n})
"""
USER = "import taglessad as tad\nfrom shapes_of_mine import f\ny = f(tad.ones(4)) + tad.ones({m})\n"
WAYS = {
    "incremental": [],
    "no cache": ["--no-incremental"],
    "sqlite": ["--sqlite-cache"],
    "plain cache": ["--no-fixed-format-cache"],
}


def _project(folder: Path) -> Path:
    config = folder / "mypy.ini"
    config.write_text(CONFIG.format(plugin="taglessad.mypy_plugin", more=""))
    return config


def _edit(folder: Path, turn: int, n: int, m: int) -> None:
    _write(folder, turn, LIBRARY.format(n=n), USER.format(m=m))


def _write(folder: Path, turn: int, library: str, user: str) -> None:
    """Write both files, a minute after the turn before: mypy sees no edits of the same second."""
    for name, text in (("shapes_of_mine.py", library), ("user.py", user)):
        (folder / name).write_text(text)
        os.utime(folder / name, (1e9 + 60 * turn,) * 2)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_edits(way: str, tmp_path: Path) -> None:
    config = _project(tmp_path)
    environment = {**os.environ, "MYPYPATH": f"{ROOT}:{tmp_path}", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), *WAYS[way]]
    command += ["--cache-dir", str(tmp_path / "cache"), str(tmp_path / "user.py")]
    edits = ((4, 4, True), (5, 4, False), (5, 4, False), (5, 5, True), (4, 5, False))
    for turn, (n, m, good) in enumerate(edits):
        _edit(tmp_path, turn, n, m)
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert (done.returncode == 0) == good, done.stdout + done.stderr
        if not good:
            assert f"add: shapes [{n}] and [{m}] do not broadcast ({n} != {m})" in done.stdout


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """A check of `user.py` by a daemon, which is stopped at the end."""
    config = _project(tmp_path)
    environment = {**os.environ, "MYPYPATH": f"{ROOT}:{tmp_path}", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mypy.dmypy", "--status-file", str(tmp_path / "daemon.json")]
    run = [*command, "run", "--", "--config-file", str(config)]
    run += ["--cache-dir", str(tmp_path / "cache"), str(tmp_path / "user.py")]

    def check() -> str:
        done = subprocess.run(run, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return done.stdout

    try:
        yield check
    finally:
        subprocess.run([*command, "stop"], capture_output=True, env=environment, check=False)


@pytest.mark.slow
def test_daemon(tmp_path: Path, daemon: Callable[[], str]) -> None:
    edits = ((4, 4, True), (5, 4, False), (5, 5, True), (4, 5, False), (4, 4, True))
    for turn, (n, m, good) in enumerate(edits):
        _edit(tmp_path, turn, n, m)
        said = daemon()
        assert ("Success" in said) == good, said
        if not good:
            assert f"add: shapes [{n}] and [{m}] do not broadcast" in said


DIMENSIONS = "from taglessad import Dim\nclass {0}(Dim): ...\n"
NAMED = """
from taglessad import Tensor
from shapes_of_mine import {0}
def f(x: Tensor[{0}]) -> Tensor[{0}]:
    return x * 2.0 + x
"""


@pytest.mark.slow
def test_daemon_where_a_dimension_goes_and_comes_back(
    tmp_path: Path, daemon: Callable[[], str]
) -> None:
    edits = (("Time", "Time"), ("Space", "Space"), ("Space", "Time"), ("Time", "Time"))
    for turn, (defined, used) in enumerate(edits):
        _write(tmp_path, turn, DIMENSIONS.format(defined), NAMED.format(used))
        said = daemon()
        assert ("Success" in said) == (defined == used), said
        assert defined == used or 'no attribute "Time"' in said
