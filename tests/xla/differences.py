"""Where NumPy and XLA differ: the table of docs/jax.md, which the tests here allow and no more."""

import re
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "jax.md"
ROW: Final = re.compile(r"^\| `(?P<name>[\w-]+)` \| (?P<by>\S+) \| (?P<why>.+) \|$", re.MULTILINE)


def _table() -> dict[str, str]:
    rows = {m["name"]: m["by"] for m in ROW.finditer(PAGE.read_text(encoding="utf-8"))}
    assert rows, f"{PAGE} has no table of differences"
    return rows


DIFFERENCES: Final = _table()
"""By primitive, or by published case: the relative error, or "wrong" where there is another value."""


def tolerance(name: str, otherwise: float) -> float:
    """The relative error that is allowed."""
    return max(float(DIFFERENCES.get(name, "0")), otherwise)
