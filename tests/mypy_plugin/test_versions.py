"""The programs of `bad_and_good.py` under each Python and each mypy that the library names.

    python -m pytest -m slow tests/mypy_plugin/test_versions.py

Each Python that is found by its name, `python3.12`, makes an environment of its own.
"""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.mypy_plugin.checked import ROOT, run_mypy
from tests.mypy_plugin.test_bad_and_good import marked, sorted_out, source

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_EXTRAS = _PROJECT["optional-dependencies"]


def _version(extra: str, pattern: str) -> str:
    (found,) = (m[1] for text in _EXTRAS[extra] if (m := re.match(pattern, text)))
    return str(found)


OLDEST = _version("typing", r"mypy>=([\d.]+)")
NEWEST = _version("test", r"mypy==([\d.]+)")
MYPYS = (OLDEST, "2.0.0", NEWEST)
PYTHONS = [
    text.rpartition(" ")[2]
    for text in _PROJECT["classifiers"]
    if re.search(r"Python :: 3\.\d+$", text)
]

# Type parameters, which Python has from 3.12 on.
PARAMETERS = """
def gram_of[N, K](x: Tensor[N, K]) -> Tensor[K, K]:
    return x.T @ x
def rows_of[*B, N](x: Tensor[*B, N]) -> Tensor[*B]:
    return x.sum(axis=-1)
def mistaken[N, K](x: Tensor[N, K]) -> Tensor[K, K]:
    return x @ x  #!
square: Tensor[L[2], L[2]] = gram_of(tad.ones((4, 2)))
flat: Tensor[L[4]] = rows_of(tad.ones((4, 2)))
wrong: Tensor[L[2]] = rows_of(tad.ones((4, 2)))  #!
"""


@pytest.fixture(scope="module", params=PYTHONS)
def python(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of one Python, with what the library needs."""
    name = f"python{request.param}"
    found = shutil.which(name)
    said = found and subprocess.run([found, "--version"], capture_output=True, check=False)
    if not said or said.returncode:
        pytest.skip(f"no {name} here")
    folder = tmp_path_factory.mktemp(name)
    subprocess.run([str(found), "-m", "venv", str(folder)], capture_output=True, check=True)
    made = folder / "bin" / "python"
    _install(made, *_PROJECT["dependencies"])
    return made


def _install(python: Path, *options: str) -> None:
    command = [str(python), "-m", "pip", "install", "-q", *options]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"pip cannot install here: {' '.join(options)}")


@pytest.mark.slow
@pytest.mark.parametrize("version", MYPYS)
def test_programs(python: Path, version: str, tmp_path: Path) -> None:
    release = tmp_path / "release"
    _install(python, "--target", str(release), f"mypy=={version}")
    text, spans = source()
    wanted = [marked(i) for i in range(len(spans))]
    minor = subprocess.run(
        [str(python), "-c", "import sys; print(sys.version_info.minor)"],
        capture_output=True,
        check=True,
    )
    if int(minor.stdout) >= 12:
        first = text.count("\n") + 1
        text += PARAMETERS
        spans = [*spans, (first, text.count("\n"))]
        lines = text.splitlines()
        wanted.append({n for n in range(first, len(lines) + 1) if lines[n - 1].endswith("#!")})
    said = sorted_out(run_mypy(text, tmp_path, python=python, release=release), spans)
    assert [{m.line for m in errors} for errors in said] == wanted, said
