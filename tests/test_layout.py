"""The build file, the folders, the links and the wheel agree with each other."""

import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = PYPROJECT["tool"]["setuptools"]["packages"]
# Top-level folder -> the package that it is.
FOLDERS = {
    "taglessad": "taglessad",
    "interpreters": "taglessad.interpreters",
    "proofs_checks": "taglessad.proofs_checks",
}
LONGEST = 500
AIM = 400


def source_files() -> dict[str, Path]:
    """Path inside the installed package -> file, for all that the three folders ship."""
    found: dict[str, Path] = {}
    for folder, package in FOLDERS.items():
        for where, _, names in os.walk(ROOT / folder):  # does not enter links
            for file in (Path(where, name) for name in names):
                if not file.name.startswith(".") and file.suffix not in {".md", ".pyc"}:
                    inside = file.relative_to(ROOT / folder)
                    found["/".join([*package.split("."), *inside.parts])] = file
    return found


def modules() -> list[tuple[str, Path]]:
    return [(inside, file) for inside, file in source_files().items() if file.suffix == ".py"]


def test_the_list_of_packages_is_what_lies_on_disk() -> None:
    on_disk = {".".join(PurePosixPath(inside).parent.parts) for inside, _ in modules()}
    assert sorted(PACKAGES) == sorted(on_disk)


def test_every_package_says_what_it_is() -> None:
    inits = {f"{package.replace('.', '/')}/__init__.py" for package in PACKAGES}
    assert sorted(inits - source_files().keys()) == []


@pytest.mark.parametrize("folder", ["interpreters", "proofs_checks"])
def test_the_link_is_relative_and_resolves(folder: str) -> None:
    link = ROOT / "taglessad" / folder
    assert link.is_symlink()
    assert os.readlink(link) == f"../{folder}"
    assert link.resolve() == ROOT / folder


def test_no_file_is_imported_under_two_names() -> None:
    for package in PACKAGES:
        importlib.import_module(package)
    names: dict[Path, list[str]] = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is not None and name != "__main__":
            names.setdefault(Path(file).resolve(), []).append(name)
    ours = set(source_files().values())
    seen = {file: known for file, known in names.items() if file in ours}
    assert len(seen) >= len(PACKAGES)
    wrong = {
        file: known
        for file, known in seen.items()
        if len(known) != 1 or not known[0].startswith("taglessad")
    }
    assert wrong == {}


def test_files_are_short() -> None:
    lengths = {
        inside: len(file.read_text(encoding="utf-8").splitlines()) for inside, file in modules()
    }
    above_aim = {inside: length for inside, length in sorted(lengths.items()) if length > AIM}
    longest = max(lengths.values())
    assert longest <= LONGEST, f"split these: {above_aim}"


def test_the_core_depends_on_two_packages() -> None:
    required = [re.match(r"[\w-]+", line) for line in PYPROJECT["project"]["dependencies"]]
    assert [match and match.group() for match in required] == ["numpy", "typing-extensions"]


def test_all_names_every_other_extra() -> None:
    extras: dict[str, list[str]] = PYPROJECT["project"]["optional-dependencies"]
    named = re.fullmatch(r"taglessad\[([\w,]+)\]", extras["all"][0])
    assert named is not None
    assert set(named.group(1).split(",")) == extras.keys() - {"all", "test"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built without network from a copy, since a build leaves files beside the source."""
    if int(version("setuptools").split(".")[0]) < 77:
        pytest.skip("building needs setuptools 77")
    source = tmp_path_factory.mktemp("source")
    for name in ["pyproject.toml", "README.md", "LICENSE"]:
        shutil.copy(ROOT / name, source)
    for folder in FOLDERS:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, source / folder, symlinks=True, ignore=ignore)
    built = tmp_path_factory.mktemp("wheel")
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    command = [sys.executable, "-m", "pip", "wheel", "-q", *offline, "-w", str(built), str(source)]
    subprocess.run(command, check=True, timeout=300)
    (file,) = built.glob("*.whl")
    return file


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    packed = {name for name in names if ".dist-info/" not in name}
    assert packed == source_files().keys()
    tops = {PurePosixPath(name).parts[0] for name in names}
    assert tops == {"taglessad", f"taglessad-{PYPROJECT['project']['version']}.dist-info"}


# What a user of the core alone does not have.
ABSENT = [
    *("autograd", "flint", "hypothesis", "jax", "jaxlib", "matplotlib", "mpmath", "mypy"),
    *("pdoc", "pytest", "rich", "safetensors", "scipy", "sklearn", "torch", "tqdm"),
]
IMPORT_ALL = f"""
import importlib, sys
sys.modules.update(dict.fromkeys({ABSENT}))  # None there makes an import fail
for package in {PACKAGES}:
    print(importlib.import_module(package).__file__)
"""


def test_the_wheel_imports_elsewhere_with_the_core_alone(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    answer = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORT_ALL],
        check=False,  # the assertion below shows what it wrote
        cwd=elsewhere,
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr
    expected = [str(site / package.replace(".", "/") / "__init__.py") for package in PACKAGES]
    assert answer.stdout.split() == expected
