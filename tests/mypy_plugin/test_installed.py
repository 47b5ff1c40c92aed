"""The library installed as an editable checkout: type checkers must find it, which run no hooks."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.mypy_plugin.checked import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
(SETTINGS,) = re.findall(r"^AS_PATH := (.*)$", MAKEFILE, re.MULTILINE)
PAGE = (ROOT / "docs" / "typing.md").read_text(encoding="utf-8")


def test_one_spelling() -> None:
    assert "$(AS_PATH) --editable" in MAKEFILE
    assert f"pip install {SETTINGS} --editable ." in PAGE


@pytest.fixture(scope="module")
def editable(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A copy of the checkout, since a build leaves files in it, and what is installed of it."""
    source = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("taglessad", "interpreters", "proofs_checks"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=ignored)
    built = tmp_path_factory.mktemp("built")
    name, value = SETTINGS.split()[1].split("=")
    build = (
        "from setuptools.build_meta import build_editable\n"
        f"build_editable({str(built)!r}, {{{name!r}: {value!r}}})\n"
    )
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    (wheel,) = built.glob("*.whl")
    site = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(site)
    return source, site


def test_it_is_a_line_of_a_pth_file(editable: tuple[Path, Path]) -> None:
    source, site = editable
    (file,) = site.glob("*.pth")
    assert Path(file.read_text(encoding="utf-8").strip()) == source
    assert not list(site.glob("*.py"))


@pytest.mark.slow
def test_mypy_finds_it(editable: tuple[Path, Path], tmp_path: Path) -> None:
    _, site = editable
    python = tmp_path / "venv" / "bin" / "python"
    command = [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")]
    subprocess.run(command, check=True, capture_output=True)
    (packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (file,) = site.glob("*.pth")
    shutil.copy(file, packages)
    (packages / "others.pth").write_text(str(Path(sys.prefix, *packages.parts[-3:])))
    program = tmp_path / "program.py"
    program.write_text("import taglessad as tad\nx = tad.ones((4, 2))\nx @ x\n")
    config = tmp_path / "mypy.ini"
    # What one may ask of one's own files is not asked of the library's.
    config.write_text(
        "[mypy]\nplugins = taglessad.mypy_plugin\nstrict = true\n"
        "enable_error_code = shape-unknown,explicit-override\ndisallow_any_expr = true\n"
    )
    options = ["--config-file", str(config), "--cache-dir", str(tmp_path / "cache")]
    command = [str(python), "-m", "mypy", *options, str(program)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert [line.split(": ", 1)[0] for line in done.stdout.splitlines()[:-1]] == [
        f"{program.name}:3"
    ], done.stdout + done.stderr
    assert "matmul: inner dimensions differ" in done.stdout
