"""mypy with the plugin, run on one file from a test."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CONFIG = """
[mypy]
plugins = {plugin}
allow_redefinition = true
{more}
"""


class Message(NamedTuple):
    """A line of mypy's answer."""

    line: int
    kind: str
    text: str
    code: str


def run_mypy(
    source: str,
    folder: Path,
    *,
    plugin: bool = True,
    more: str = "",
    options: tuple[str, ...] = (),
    name: str = "program.py",
    python: Path | None = None,
    release: Path | None = None,
) -> list[Message]:
    """What mypy says of a program: this one, or that of another Python, or a release in a folder.

    Raises AssertionError where it crashes.
    """
    file, config = folder / name, folder / "mypy.ini"
    file.write_text(source)
    config.write_text(CONFIG.format(plugin="taglessad.mypy_plugin" if plugin else "", more=more))
    ours = python is None and release is None
    cache = ROOT / ".mypy_cache" / "plugin" if ours else folder / "cache"
    command = [
        *(str(python or sys.executable), "-m", "mypy"),
        *("--config-file", str(config), "--cache-dir", str(cache)),
        *("--show-error-codes", "--no-error-summary", "--hide-error-context", "--no-pretty"),
        *options,
        str(file),
    ]
    path = str(ROOT) if release is None else f"{release}:{ROOT}"
    environment = {**os.environ, "MYPYPATH": str(ROOT), "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [m for m in map(_message, done.stdout.splitlines()) if m is not None]


def _message(text: str) -> Message | None:
    parts = text.split(":", 3)
    if len(parts) < 4 or not parts[1].isdigit():
        return None
    said = parts[3].strip()
    body, bracket, code = said.rpartition("  [")
    if not bracket or not code.endswith("]"):
        body, code = said, ""
    return Message(int(parts[1]), parts[2].strip(), body, code.rstrip("]"))
