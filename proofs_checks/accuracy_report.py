"""The tables of docs/accuracy.md: `python -m taglessad.proofs_checks.accuracy_report [NAME ...]`.

For every function the largest error over 2,000 points (`--points N`) of the value and of each first
and second derivative; then the exceptions, the errors above the few units allowed, each with its
reason. Exit status 1 if one has none, or is larger than the reason allows.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from taglessad.proofs_checks.accuracy import FEW, Row, Worst, quantities, quantity_name, worst
from taglessad.proofs_checks.accuracy_pairs import PAIRS
from taglessad.proofs_checks.accuracy_special import SPECIAL
from taglessad.proofs_checks.accuracy_special_pairs import SEVERAL
from taglessad.proofs_checks.accuracy_table import ELEMENTARY, NEURAL

ROWS: Final = (*ELEMENTARY, *SPECIAL, *NEURAL, *PAIRS, *SEVERAL)
POINTS: Final = 2000


def beyond(row: Row, found: Sequence[Worst]) -> list[Worst]:
    """The quantities with a larger error than allowed: without a reason, or than it allows."""
    reasons = row.exceptions
    return [
        w
        for w in found
        if not w.ulp <= FEW
        and not (w.quantity in reasons and w.conditioned <= reasons[w.quantity].most)
    ]


def line(row: Row, found: Sequence[Worst]) -> str:
    """A row of the table."""
    cells = [row.name, *(f"{w.ulp:.1f}" if w.ulp <= FEW else f"**{w.ulp:.2g}**" for w in found)]
    return "| " + " | ".join([*cells, row.remark]) + " |"


def exception(row: Row, w: Worst) -> str:
    """A row of the table of exceptions."""
    at = ", ".join(f"{x:.6g}" for x in w.at)
    reason = row.exceptions[w.quantity].reason if w.quantity in row.exceptions else "none"
    cells = [row.name, w.quantity, f"{w.ulp:.2g}", f"{w.conditioned:.2g}", at, w.exact, reason]
    return "| " + " | ".join(cells) + " |"


def heading(arity: int) -> str:
    """The head of a table for functions of so many numbers."""
    return table_head(["function", *map(quantity_name, quantities(arity)), "remark"])


def table_head(names: Sequence[str]) -> str:
    """Names of columns, and the line beneath."""
    return "\n".join(["| " + " | ".join(names) + " |", "|" + "---|" * len(names)])


EXCEPTIONS: Final = ("function", "quantity", "ulp", "conditioned", "at", "exact", "reason")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the functions named, or all, and print the tables."""
    parser = argparse.ArgumentParser(prog="accuracy", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="functions (all by default)")
    parser.add_argument("--points", type=int, default=POINTS)
    chosen = parser.parse_args(arguments)
    status, arity = 0, 0
    exceptions: list[str] = []
    for row in sorted(ROWS, key=lambda row: len(row.scales)):
        if chosen.names and row.name not in chosen.names:
            continue
        if len(row.scales) != arity:
            print(("\n" if arity else "") + heading(len(row.scales)))
            arity = len(row.scales)
        found = worst(row, chosen.points)
        print(line(row, found), flush=True)
        exceptions += [exception(row, w) for w in found if not w.ulp <= FEW]
        for w in beyond(row, found):
            status = 1
            print(f"{row.name}: {w}", file=sys.stderr)
    if exceptions:
        print("\n" + "\n".join([table_head(EXCEPTIONS), *exceptions]))
    return status


if __name__ == "__main__":
    sys.exit(main())
