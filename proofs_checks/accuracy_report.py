"""The table of docs/accuracy.md: `python -m taglessad.proofs_checks.accuracy_report [NAME ...]`.

For every function the largest error over 2,000 points (`--points N`) of the value and of each first
and second derivative. Exit status 1 if one is above the few units allowed once its conditioning is
taken into account and is not exempt by name.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from taglessad.proofs_checks.accuracy import FEW, Row, Worst, worst
from taglessad.proofs_checks.accuracy_pairs import PAIRS
from taglessad.proofs_checks.accuracy_table import ELEMENTARY, NEURAL, SPECIAL

ROWS: Final = (*ELEMENTARY, *SPECIAL, *NEURAL, *PAIRS)
POINTS: Final = 2000


def beyond(row: Row, found: Sequence[Worst]) -> list[Worst]:
    """The quantities whose error is larger than allowed, but for those that the row exempts."""
    return [w for w in found if not w.conditioned <= FEW and w.quantity not in row.exempt]


def line(row: Row, found: Sequence[Worst]) -> str:
    """A row of the table; errors above the few allowed are shown with their conditioning."""
    cells = [row.name, *(cell(w) for w in found), row.remark]
    return "| " + " | ".join(cells) + " |"


def cell(w: Worst) -> str:
    """An error in units of the last place; beyond the few allowed also over 1 + the condition."""
    if w.ulp <= FEW:
        return f"{w.ulp:.1f}"
    return f"{w.ulp:.2g} ({w.conditioned:.2g})"


def heading(arity: int) -> str:
    """The head of a table for functions of so many numbers."""
    first = ["f'", "f''"] if arity == 1 else ["f_x", "f_y", "f_xx", "f_xy", "f_yy"]
    names = ["function", "f", *first, "remark"]
    return "\n".join(["| " + " | ".join(names) + " |", "|" + "---|" * len(names)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the functions named, or all, and print the tables."""
    parser = argparse.ArgumentParser(prog="accuracy", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="functions (all by default)")
    parser.add_argument("--points", type=int, default=POINTS)
    chosen = parser.parse_args(arguments)
    status, arity = 0, 0
    for row in ROWS:
        if chosen.names and row.name not in chosen.names:
            continue
        if len(row.scales) != arity:
            arity = len(row.scales)
            print(("\n" if status or arity > 1 else "") + heading(arity))
        found = worst(row, chosen.points)
        print(line(row, found), flush=True)
        for w in beyond(row, found):
            status = 1
            print(f"{row.name}: {w}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
