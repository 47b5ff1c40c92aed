"""Colours and fonts, once for pictures and pages; each has a light and a dark set.

Colours are written out in every rule, not kept in CSS variables, which few programs other than
browsers understand.
"""

from typing import Final

FONT: Final = 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace'
SIZE: Final = 12

_LIGHT: Final = {
    "paper": "#ffffff",
    "ink": "#1b2430",
    "faint": "#5d6978",
    "line": "#8a95a3",
    "box": "#f5f7fa",
    "input": "#e4eefc",
    "input_line": "#3672c9",
    "constant": "#f4f0e4",
    "constant_line": "#9c8a55",
    "output_line": "#1b7f46",
    "gradient": "#fdf0dd",
    "gradient_line": "#b35c00",
    "cut": "#c1272d",
}
_DARK: Final = {
    "paper": "#14181e",
    "ink": "#e6eaf0",
    "faint": "#9ba7b6",
    "line": "#75818f",
    "box": "#20262e",
    "input": "#1a2c46",
    "input_line": "#6fa5f0",
    "constant": "#2e2a1d",
    "constant_line": "#c2ad6b",
    "output_line": "#4fc07f",
    "gradient": "#3a2a14",
    "gradient_line": "#f0a24a",
    "cut": "#ff7b7b",
}

# Later rules win where a box has several roles.
_PICTURE: Final = """
.tad .paper {{ fill: {paper} }}
.tad text {{ fill: {ink} }}
.tad .faint, .tad .silent text {{ fill: {faint} }}
.tad .box rect {{ fill: {box}; stroke: {line} }}
.tad .input rect {{ fill: {input}; stroke: {input_line} }}
.tad .constant rect {{ fill: {constant}; stroke: {constant_line} }}
.tad .gradient rect {{ fill: {gradient}; stroke: {gradient_line} }}
.tad .output rect {{ stroke: {output_line}; stroke-width: 2.5 }}
.tad .group rect, .tad .silent rect {{ stroke-dasharray: 5 3 }}
.tad .silent rect {{ fill: {paper}; stroke: {line} }}
.tad .cut rect {{ stroke: {cut} }}
.tad .edge path {{ fill: none; stroke: {line}; stroke-width: 1.2 }}
.tad .edge polygon {{ fill: {line} }}
.tad .edge.pull path {{ stroke: {gradient_line}; stroke-width: 1.8 }}
.tad .edge.pull polygon, .tad .pull text {{ fill: {gradient_line} }}
.tad .edge.cut path {{ stroke: {cut}; stroke-width: 1.8; stroke-dasharray: 6 4 }}
.tad .edge.cut polygon, .tad .cut text {{ fill: {cut} }}
.tad .edge.stop path {{ stroke-dasharray: 2 4 }}
.tad .label rect {{ fill: {paper}; stroke: none }}
"""

_PAGE: Final = """
body {{ background: {paper}; color: {ink} }}
th, td {{ border-color: {line} }}
th {{ background: {box} }}
pre {{ background: {box} }}
.faint {{ color: {faint} }}
"""

_PAGE_FORM: Final = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
figure { margin: 1rem 0; overflow-x: auto }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0 }
th, td { border: 1px solid; padding: .25rem .6rem; text-align: left; vertical-align: top }
td, pre, code { font-family: %s; font-size: 13px; white-space: pre-wrap }
pre { padding: .8rem; overflow-x: auto; white-space: pre }
""".replace("%s", FONT)


def _both(rules: str) -> str:
    light, dark = rules.format(**_LIGHT), rules.format(**_DARK)
    return f"{light}@media (prefers-color-scheme: dark) {{{dark}}}\n"


def picture_style() -> str:
    """The style sheet inside a picture; its rules reach nothing outside class `tad`."""
    return (
        f".tad text {{ font: {SIZE}px {FONT}; white-space: pre }}\n"
        ".tad .heading { font-weight: bold }\n" + _both(_PICTURE)
    )


def page_style() -> str:
    """The style sheet of a page."""
    return ":root { color-scheme: light dark }" + _PAGE_FORM + _both(_PAGE)
