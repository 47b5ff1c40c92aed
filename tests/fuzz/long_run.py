"""The long run: 10,000 random programs in one process, with a log that it goes on from.

    python -m tests.fuzz.long_run build/fuzz.log             all of it; again after a stop
    python -m tests.fuzz.long_run build/fuzz.log 0 20        batches 0 to 19 of 100
    python -m tests.fuzz.long_run build/fuzz.log 7 8 --again batch 7, held already or not

A batch is 100 programs and 10 rational ones, drawn from its number as seed. The log has a line for
each: the seed, how many distinct programs held, or what disagreed, the smallest such program below
it. Exit status 1 if anything in the range disagreed.
"""

import argparse
import re
import sys
import time
import traceback
from pathlib import Path
from typing import Final

from tests.fuzz.hold import INSTALLED, search, search_rational

BATCHES: Final = 100
PROGRAMS: Final = 100
RATIONAL: Final = 10


def main() -> int:
    parser = argparse.ArgumentParser(description="Random programs, many.")
    parser.add_argument("log", type=Path)
    parser.add_argument("first", type=int, nargs="?", default=0)
    parser.add_argument("end", type=int, nargs="?", default=BATCHES)
    parser.add_argument("--again", action="store_true", help="batches that held already too")
    given = parser.parse_args()
    given.log.parent.mkdir(parents=True, exist_ok=True)
    done = set() if given.again else _held(given.log)
    worst = 0
    for batch in range(given.first, given.end):
        if batch in done:
            continue
        start = time.monotonic()
        outcome, details = _outcome(batch)
        worst = max(worst, int(outcome == "DISAGREED"))
        with given.log.open("a", encoding="utf-8") as log:
            log.write(f"batch {batch}: {outcome}; {time.monotonic() - start:.0f} s\n{details}")
    return worst


def _outcome(batch: int) -> tuple[str, str]:
    try:
        count = len(search(PROGRAMS, INSTALLED, batch))
        exact = len(search_rational(RATIONAL, batch))
    except BaseException as error:  # hypothesis raises groups; a stop by the user is no outcome
        if isinstance(error, KeyboardInterrupt):
            raise
        lines = "".join(traceback.format_exception(error)).splitlines()
        return "DISAGREED", "".join(f"    {line}\n" for line in lines)
    against = ", ".join(INSTALLED) or "no other library"
    return f"held {count} programs, {exact} rational ones; with {against}", ""


def _held(log: Path) -> set[int]:
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    return {int(found) for found in re.findall(r"^batch (\d+): held", text, re.MULTILINE)}


if __name__ == "__main__":
    sys.exit(main())
