"""Certificates as text, JSON and HTML."""

import html
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from taglessad.kernels.enclosure import Enclosure, interval

if TYPE_CHECKING:
    from taglessad.proofs_checks.certificate import Certificate

SHOWN: Final = 6
"""Entries of a gradient, and events, that text and HTML show; JSON has all."""


def _lines(e: Enclosure, name: str) -> list[str]:
    """The entries of an enclosure, one a line."""
    lo, hi = np.ravel(e.lo), np.ravel(e.hi)
    shown = [
        f"{name}{_place(i, e.shape)} in {interval(float(a), float(b))}"
        for i, (a, b) in enumerate(zip(lo[:SHOWN], hi[:SHOWN], strict=True))
    ]
    return shown + ([f"{name}: {e.size - SHOWN} more"] if e.size > SHOWN else [])


def _place(i: int, shape: tuple[int, ...]) -> str:
    return "".join(f"[{int(k)}]" for k in np.unravel_index(i, shape)) if shape else ""


def sections(c: "Certificate") -> list[tuple[str, list[str]]]:
    """What there is to say, as headings and lines."""
    said: list[tuple[str, list[str]]] = [
        (f"{c.status}: {c.name}", [c.reason] if c.reason else []),
        ("value", ["unknown"] if c.value is None else _lines(c.value, "value")),
    ]
    entries = [x for i, e in enumerate(c.leaves) for x in _lines(e, f"gradient {i}")]
    said.append((f"gradient, {sum(e.size for e in c.leaves)} entries, {c.prec} bits", entries))
    said.append(("computed again without derivative rules", [str(c.rule_free)]))
    if c.against is not None:
        said.append(("the float result", [str(c.against)]))
    if c.modulo:
        said.append(("provided that", list(c.modulo)))
    if c.events:
        more = len(c.events) - SHOWN
        lines = [str(e) for e in c.events[:SHOWN]] + ([f"{more} more"] if more > 0 else [])
        said.append(("met on the way", lines))
    return said


def to_text(c: "Certificate") -> str:
    """The certificate as lines of text."""
    text: list[str] = []
    for title, lines in sections(c):
        text += [title, *(f"  {line}" for line in lines)]
    return "\n".join(text)


def _numbers(e: Enclosure) -> dict[str, Any]:
    return {
        "shape": list(e.shape),
        "dtype": str(e.dtype),
        "lo": [_number(float(v)) for v in np.ravel(e.lo)],
        "hi": [_number(float(v)) for v in np.ravel(e.hi)],
    }


def _number(v: float) -> float | str:
    """A float, or its name where JSON has no number for it."""
    return v if np.isfinite(v) else str(v)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return str(value) if isinstance(value, np.dtype) else value


def to_json(c: "Certificate") -> str:
    """The certificate as JSON: every entry, floats to the last digit, infinities as strings."""
    whole = {
        "status": c.status,
        "name": c.name,
        "reason": c.reason,
        "prec": c.prec,
        "value": None if c.value is None else _numbers(c.value),
        "gradient": [_numbers(e) for e in c.leaves],
        "rule_free": _plain(asdict(c.rule_free)),
        "against": None if c.against is None else _plain(asdict(c.against)),
        "modulo": list(c.modulo),
        "events": [_plain(e._asdict()) for e in c.events],
    }
    return json.dumps(whole, allow_nan=False)


_STYLE: Final = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.3rem}h2{font-size:1rem;margin-bottom:0}pre{white-space:pre-wrap;margin:0}"
)


def to_html(c: "Certificate") -> str:
    """The certificate as a page of its own; whatever came from the user is escaped."""
    (title, first), *rest = sections(c)
    body = [f"<h1>{html.escape(title)}</h1>", f"<pre>{html.escape(chr(10).join(first))}</pre>"]
    for heading, lines in rest:
        body += [
            f"<h2>{html.escape(heading)}</h2>",
            f"<pre>{html.escape(chr(10).join(lines))}</pre>",
        ]
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(body)}</body></html>"
    )
