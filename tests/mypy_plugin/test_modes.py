"""The plugin beside mypy's own options: error codes, failures in hooks, caches, the daemon."""

import os
import subprocess
import sys
import time
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


def test_lost_ranks_where_they_are_asked_for(tmp_path: Path) -> None:
    said = run_mypy(PROGRAM, tmp_path, options=("--enable-error-code", "shape-unknown"))
    assert [(m.line, m.code) for m in said] == [(7, "shape"), (10, "shape-unknown")]


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


def _edit(folder: Path, n: int, m: int) -> None:
    (folder / "shapes_of_mine.py").write_text(LIBRARY.format(n=n))
    (folder / "user.py").write_text(USER.format(m=m))


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_edits(way: str, tmp_path: Path) -> None:
    config = _project(tmp_path)
    environment = {**os.environ, "MYPYPATH": f"{ROOT}:{tmp_path}", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), *WAYS[way]]
    command += ["--cache-dir", str(tmp_path / "cache"), str(tmp_path / "user.py")]
    for n, m, good in ((4, 4, True), (5, 4, False), (5, 4, False), (5, 5, True), (4, 5, False)):
        _edit(tmp_path, n, m)
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert (done.returncode == 0) == good, done.stdout + done.stderr
        if not good:
            assert f"add: shapes [{n}] and [{m}] do not broadcast ({n} != {m})" in done.stdout


@pytest.mark.slow
def test_daemon(tmp_path: Path) -> None:
    config = _project(tmp_path)
    environment = {**os.environ, "MYPYPATH": f"{ROOT}:{tmp_path}", "PYTHONPATH": str(ROOT)}
    status = ["--status-file", str(tmp_path / "daemon.json")]
    daemon = [sys.executable, "-m", "mypy.dmypy", *status]
    run = [*daemon, "run", "--", "--config-file", str(config)]
    run += ["--cache-dir", str(tmp_path / "cache"), str(tmp_path / "user.py")]
    try:
        for n, m, good in ((4, 4, True), (5, 4, False), (5, 5, True), (4, 5, False), (4, 4, True)):
            _edit(tmp_path, n, m)
            done = subprocess.run(run, capture_output=True, text=True, env=environment, check=False)
            assert (done.returncode == 0) == good, done.stdout + done.stderr
            if not good:
                assert f"add: shapes [{n}] and [{m}] do not broadcast" in done.stdout
            time.sleep(1.1)  # the daemon's watcher does not see two edits within one second
    finally:
        subprocess.run([*daemon, "stop"], capture_output=True, env=environment, check=False)
