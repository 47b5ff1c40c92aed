"""Interleaved timing: in every round each contender runs once, and ratios are taken within rounds.

Times are the processor's, of all threads: what other processes take meanwhile does not count.
"""

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Contender = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """One line of the table: what, against what, the ratio found and the figure to hold."""

    what: str
    against: str
    value: float
    at_most: float | None
    unit: str = "x"
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the figure is held, with the slack of a noisy machine; None if there is none."""
        return None if self.at_most is None else self.value <= self.at_most


def _once(contender: Contender, calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        contender()
    return (time.process_time() - start) / calls


def interleaved(
    contenders: Mapping[str, Contender], *, rounds: int = 40, target: float = 2e-3
) -> dict[str, list[float]]:
    """Seconds a call, per contender and round; each round gives every contender about `target`.

    The first call of a turn is not timed: it finds the caches as another contender left them.
    """
    calls: dict[str, int] = {}
    for name, contender in contenders.items():
        contender()
        contender()
        once = min(_once(contender, 1) for _ in range(3))
        calls[name] = max(1, int(target / max(once, 1e-9)))
    times: dict[str, list[float]] = {name: [] for name in contenders}
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, contender in contenders.items():
                contender()
                times[name].append(_once(contender, calls[name]))
    finally:
        if enabled:
            gc.enable()
    return times


def ratio(times: Mapping[str, list[float]], what: str, against: str) -> float:
    """Median over rounds of the ratio within a round."""
    return statistics.median(a / b for a, b in zip(times[what], times[against], strict=True))


def least(times: Mapping[str, list[float]], what: str) -> float:
    """Least seconds a call: for absolute figures, since whatever else runs here only adds to it."""
    return min(times[what])
