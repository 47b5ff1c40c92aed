"""The pytest option: files with programs in them are tests."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAD = "import taglessad as tad\nfrom typing import TypeVar\nfrom taglessad import Tensor\n"
GOOD = HEAD + 'N = TypeVar("N")\ndef f(x: Tensor[N]) -> Tensor[()]:\n    return x @ x\n'
BAD = GOOD + "def g(x: Tensor[N]) -> Tensor[N]:\n    return x @ x\n"


def pytest_in(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("-p", "taglessad.checking.pytest_plugin", *arguments),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def test_collected_files_are_checked(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "test_one.py").write_text("def test_one():\n    assert True\n")
    status, out = pytest_in(tmp_path, "--taglessad-check")
    assert status == 1 and "1 failed, 3 passed" in out
    assert "bad.py:8:12: error: g: the result: shape [] where [N] is expected" in out
    assert "Traceback" not in out
    status, out = pytest_in(tmp_path)
    assert status == 0 and "1 passed" in out


def test_the_setting_says_which_files(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "model.py").write_text(BAD)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_one.py").write_text("def test_one():\n    assert True\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\ntaglessad_check = src\n")
    status, out = pytest_in(tmp_path, "--taglessad-check")
    assert status == 1 and "1 failed, 1 passed" in out and "model.py:8:12: error" in out


def test_it_is_an_entry_point_and_a_pre_commit_hook() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"taglessad": "taglessad.checking.pytest_plugin"}
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "id: taglessad-check" in hook and "entry: taglessad check\n" in hook
