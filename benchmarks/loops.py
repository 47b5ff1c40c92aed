"""Loops of unknown length: their reverse against the loop itself."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import taglessad as tad
from benchmarks.harness import Row, interleaved, ratio
from taglessad.control import loop_graphs, reversal

TRIPS = 1000


def _scalar(x: Any) -> Any:
    body = lambda s: (s[0] + 1, tad.sin(s[1]) * x + 0.5 * s[1])
    return tad.while_loop(lambda s: s[0] < TRIPS, body, (0, x))[1]


def _float_gradient(x: float) -> float:
    """The gradient of the scalar loop as one writes it on Python floats, with a tape."""
    sin, cos = math.sin, math.cos
    kept: list[float] = []
    c, i = x, 0
    while i < TRIPS:
        kept.append(c)
        c = sin(c) * x + 0.5 * c
        i += 1
    d, of_x = 1.0, 0.0
    while kept:
        c = kept.pop()
        of_x += d * sin(c)
        d = d * (x * cos(c) + 0.5)
    return of_x + d


def _vector(x: Any) -> Any:
    body = lambda s: (s[0] + 1, tad.tanh(s[1]) * x + 0.5 * s[1])
    return tad.sum(tad.while_loop(lambda s: s[0] < TRIPS, body, (0, x))[1])


def _kepler(m: Any) -> Any:
    """Eccentric anomalies by iteration until nothing changes: the trips depend on the input."""

    def step(s: Any) -> Any:
        after = m + 0.9 * tad.sin(s[0])
        return after, tad.max(tad.abs(after - s[0]))

    return tad.sum(tad.while_loop(lambda s: s[1] > 1e-12, step, (m, 1.0))[0])


def _growth(x: Any) -> Any:
    """A state that grows until its norm is large: 64 numbers, about 1000 trips."""
    step = lambda s: s * 1.002 + tad.sin(s) * 1e-3
    return tad.sum(tad.while_loop(lambda s: tad.sum(s * s) < 1e4, step, x))


def _array_gradient(x: Any) -> Any:
    """Value and gradient of the vector loop as one writes them on NumPy, with a tape in one array
    and a slope that is accurate where tanh is nearly 1."""
    tape = np.empty((TRIPS, 2, *x.shape))
    c, halved = x, np.empty_like(x)
    for y, slope in tape:
        np.tanh(c, y)
        np.cosh(c, slope)
        np.divide(1.0, slope, slope)
        np.multiply(slope, slope, slope)
        np.multiply(0.5, c, halved)
        c = y * x
        np.add(c, halved, c)
    d, of_x, through = np.ones_like(x), np.zeros_like(x), np.empty_like(x)
    for y, slope in tape[::-1]:
        np.multiply(d, y, through)
        np.add(of_x, through, of_x)
        np.multiply(d, x, through)
        np.multiply(through, slope, through)
        np.multiply(0.5, d, d)
        np.add(d, through, d)
    return np.sum(c), of_x + d


def _in_slots(x: Any) -> Any:
    """Value and gradient of the vector loop as if the log of no more than one block of trips fitted
    in memory: 32 slots."""
    block = reversal.BLOCK * 2 * x.nbytes

    def run() -> Any:
        budget, reversal.BUDGET, loop_graphs.BUDGET = reversal.BUDGET, block, block
        try:
            return compiled(x)
        finally:
            reversal.BUDGET = loop_graphs.BUDGET = budget

    compiled = tad.jit(tad.value_and_grad(lambda x: _vector(x)))
    run()
    return run


def reverse() -> Iterator[Row]:
    """Value and gradient of loops against the loop, and against the same written by hand."""
    x, small = np.linspace(0.1, 0.8, 4000), np.linspace(0.1, 0.8, 64)
    growth, of_growth = tad.jit(_growth), tad.jit(tad.value_and_grad(_growth))
    primal, gradient = tad.jit(_vector), tad.jit(tad.value_and_grad(_vector))
    kepler, of_kepler = tad.jit(_kepler), tad.jit(tad.value_and_grad(_kepler))
    anomalies = np.linspace(0.1, 3.0, 1000)
    in_slots = _in_slots(x)
    scalar = tad.jit(tad.grad(_scalar))
    s = np.float64(0.7)
    times = interleaved(
        {
            "primal": lambda: primal(x),
            "gradient": lambda: gradient(x),
            "by hand": lambda: _array_gradient(x),
            "slots": in_slots,
            "growth": lambda: growth(small),
            "growth gradient": lambda: of_growth(small),
            "small": lambda: primal(small),
            "small gradient": lambda: gradient(small),
            "kepler": lambda: kepler(anomalies),
            "kepler gradient": lambda: of_kepler(anomalies),
            "scalar": lambda: scalar(s),
            "floats": lambda: _float_gradient(0.7),
        },
        rounds=7,
        target=5e-3,
    )
    stored = "while in reverse, stored"
    yield Row(f"{stored}: Kepler, 1000", "the loop", ratio(times, "kepler gradient", "kepler"), 3.0)
    yield Row(f"{stored}: sin, 64", "the loop", ratio(times, "growth gradient", "growth"), 3.0)
    yield Row(f"{stored}: tanh, 64", "the loop", ratio(times, "small gradient", "small"), 3.0)
    yield Row(f"{stored}: tanh, 4000", "the loop", ratio(times, "gradient", "primal"), 3.0)
    yield Row(f"{stored}: tanh, 4000", "the same by hand", ratio(times, "gradient", "by hand"), 1.1)
    yield Row("while in reverse, 32 slots", "the loop", ratio(times, "slots", "primal"), 5.0)
    yield Row(
        "1000-trip scalar while in reverse, jit",
        "hand-written Python floats",
        ratio(times, "scalar", "floats"),
        3.0,
    )
