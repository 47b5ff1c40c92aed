"""What `prove` found: one verdict per primitive and law."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

Status: TypeAlias = Literal["PROVED", "CHECKED", "FAILED", "OPEN"]
"""PROVED: exactly, for the shapes tried, up to the stated probability where there is one. CHECKED: at
the stated points, to the stated bound. FAILED: refuted, with a witness. OPEN: nothing is known."""

LAWS = ("adjointness", "derivative")


@dataclass(frozen=True)
class Verdict:
    """One law of one primitive.

    method: by what it was found. detail: how much was tried, or the witness of a failure. bound: of
    the error that is left: a probability where the method is one of random points, else a
    difference; None where nothing is left.
    """

    primitive: str
    law: str
    status: Status
    method: str
    detail: str
    bound: float | None = None

    @property
    def good(self) -> bool:
        """Whether the law was proved or checked."""
        return self.status in ("PROVED", "CHECKED")

    def __str__(self) -> str:
        bound = "" if self.bound is None else f", error <= {self.bound:.1e}"
        return (
            f"{self.status:8} {self.primitive:22} {self.law:12} {self.method}: {self.detail}{bound}"
        )


@dataclass(frozen=True)
class Report:
    """The verdicts of all primitives that were asked for, in order."""

    verdicts: tuple[Verdict, ...]

    @property
    def good(self) -> bool:
        """Whether every law was proved or checked."""
        return all(v.good for v in self.verdicts)

    @property
    def failures(self) -> tuple[Verdict, ...]:
        """The verdicts that are neither."""
        return tuple(v for v in self.verdicts if not v.good)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.verdicts), self.summary()])

    def summary(self) -> str:
        """How many verdicts of each kind there are."""
        count = {s: sum(v.status == s for v in self.verdicts) for s in ("PROVED", "CHECKED")}
        primitives = len({v.primitive for v in self.verdicts})
        return (
            f"{primitives} primitives, {len(self.verdicts)} laws: {count['PROVED']} proved, "
            f"{count['CHECKED']} checked, {len(self.failures)} failed"
        )

    def to_json(self) -> str:
        """One JSON object, for machines."""
        return json.dumps({"good": self.good, "verdicts": [asdict(v) for v in self.verdicts]})

    def table(self) -> str:
        """The verdicts as a Markdown table, one primitive a row. Probabilities and bounds are
        rounded up to powers of ten, so that the same rules give the same table."""
        by: dict[str, dict[str, Verdict]] = {}
        for v in self.verdicts:
            by.setdefault(v.primitive, {})[v.law] = v
        lines = [f"| primitive | {' | '.join(LAWS)} |", "|---|---|---|"]
        for name in sorted(by):
            cells = [_cell(by[name].get(law)) for law in LAWS]
            lines.append(f"| `{name}` | {' | '.join(cells)} |")
        return "\n".join(lines)


def _cell(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return f"{verdict.status.lower()}: {verdict.method}"


def merged(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict of several about one law: the worst of them, with all methods named."""
    for bad in ("FAILED", "OPEN"):
        for v in verdicts:
            if v.status == bad:
                return v
    first = verdicts[0]
    status: Status = "CHECKED" if any(v.status == "CHECKED" for v in verdicts) else "PROVED"
    bounds = [v.bound for v in verdicts if v.bound is not None]
    methods = list(dict.fromkeys(v.method for v in verdicts))
    details = list(dict.fromkeys(v.detail for v in verdicts))
    return Verdict(
        first.primitive,
        first.law,
        status,
        " and ".join(methods),
        "; ".join(details),
        max(bounds, default=None),
    )
