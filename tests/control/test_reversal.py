"""Going backwards in bounded memory: which states are held, how often the body is run again."""

from collections.abc import Sequence

import pytest

from taglessad.control.reversal import BLOCK, SLOTS, Kept, reverse_loop


class Loop:
    """x -> x / 2 + 0.1, again and again, and how much of it was computed."""

    def __init__(self, trips: int, block: int) -> None:
        self.steps = 0
        self.block = block
        self.seen: list[float] = []
        self.states = [0.25]
        for _ in range(trips):
            self.states.append(self.states[-1] * 0.5 + 0.1)

    def forward(self, state: Sequence[float], count: int) -> Sequence[float]:
        self.steps += count
        (x,) = state
        for _ in range(count):
            x = x * 0.5 + 0.1
        return [x]

    def backward(self, state: Sequence[float], count: int, gs: Sequence[float]) -> Sequence[float]:
        assert 1 <= count <= self.block
        log = [state[0]]
        for _ in range(count - 1):
            log.append(log[-1] * 0.5 + 0.1)
        self.seen += reversed(log)
        return [gs[0] * 0.5**count]


@pytest.mark.parametrize(
    ("trips", "slots", "most"), [(100, 32, 1.66), (1000, 32, 2.41), (50, 3, 3.6), (7, 1, 3.0)]
)
def test_from_the_start_alone_by_binomial_checkpoints(trips: int, slots: int, most: float) -> None:
    # The bounds are Griewank and Walther's: r n - binomial(s + r, r - 1) steps for n trips.
    loop = Loop(trips, 1)
    start: list[tuple[int, Sequence[float]]] = [(0, [0.25])]
    (g,) = reverse_loop(loop.forward, loop.backward, start, [1.0], trips, slots=slots, block=1)
    assert g == pytest.approx(0.5**trips)
    assert loop.seen == loop.states[-2::-1]
    assert loop.steps <= most * trips


def kept_of(loop: Loop, trips: int) -> Kept:
    """What the loop leaves behind."""
    kept = Kept([loop.states[0]])
    limit = 1
    for i in range(1, trips + 1):
        if i == limit:
            limit = kept.at(i, [loop.states[i]])
            assert limit > i
    return kept


@pytest.mark.parametrize("trips", [*range(1, 70), 100, 127, 128, 1000, 1024, 5000])
def test_states_kept_by_the_loop_stand_evenly(trips: int) -> None:
    loop = Loop(trips, BLOCK)
    stack = kept_of(loop, trips).stack
    assert len(stack) <= SLOTS
    assert len(stack) > min(trips, SLOTS) // 2
    places = [at for at, _ in stack]
    assert places[0] == 0
    assert len({b - a for a, b in zip(places[:-1], places[1:], strict=True)}) <= 1
    assert all(state == [loop.states[at]] for at, state in stack)


@pytest.mark.parametrize(
    ("trips", "most"), [(0, 0.0), (1, 0.0), (33, 0.0), (1000, 0.0), (5000, 0.9)]
)
def test_from_the_states_that_the_loop_kept(trips: int, most: float) -> None:
    loop = Loop(trips, BLOCK)
    (g,) = reverse_loop(loop.forward, loop.backward, kept_of(loop, trips).stack, [1.0], trips)
    assert g == pytest.approx(0.5**trips)
    assert loop.seen == loop.states[-2::-1]
    assert loop.steps <= most * trips
