"""Published programs with branches and loops: Neuro's oracle and showcase, in operations.

A range of known length is Python's `for`; what rests on a value is `cond` or `while_loop`. The
numbers are those printed in the source; `None` where it prints a formula only.
"""

from typing import Any

import numpy as np

import taglessad as tad
from tests.conformance.programs import Case


def _branch(x: Any, y: Any) -> Any:
    return tad.cond(x > y, lambda: x**3, lambda: x * y)


def _geometric(x: Any, y: Any) -> Any:
    def body(s: Any) -> Any:
        k, power, total = s
        return k + 1, power * 1.5, total + power * 1.5 * x * y

    return tad.while_loop(lambda s: s[0] <= 4, body, (1, 1.0, 0.0))[2]


def _arms(w: Any) -> Any:
    x, y = w
    v = 2.0 * w
    s, v = tad.cond(x > y, lambda s, v: (s + 3.0 * x**2, v * w), lambda s, v: (s - y, v), x * y, v)
    return s + tad.sum(v)


def _early_return(w: Any) -> Any:
    x, y = w
    c = tad.cond(
        (x > 1.0) & (y > 0.0),
        lambda: 0.0 * x + 2.0,
        lambda: tad.cond(x > 0.0, lambda: x, lambda: -x),
    )
    return tad.cond(y < 0.0, lambda: c * y, lambda: c * x * y)


def _power_loop(w: Any) -> Any:
    return tad.sum(tad.fori_loop(0, 3, lambda _, a: a * w, w))


def _nested_loops(w: Any) -> Any:
    def outer(_: Any, a: Any) -> Any:
        return 0.5 * tad.fori_loop(0, 2, lambda _, a: a * w, a)

    total = tad.fori_loop(0, 2, outer, w)
    return tad.sum(tad.cond(w[0] > 0.0, lambda a: a, lambda a: -a, total))


def _loop_carried(w: Any) -> Any:
    return tad.while_loop(
        lambda s: (s[0] > 0) | (s[1] < 0.0), lambda s: (s[0] - 1, s[1] * w[0]), (2, w[1])
    )[1]


def _kink_branch(w: Any) -> Any:
    x, y = w
    return tad.cond(x > y, lambda: x**2, lambda: x * y)


def _kink_trips(w: Any) -> Any:
    return tad.sum(tad.while_loop(lambda a: a < 4.0, lambda a: a * w[0], w[0]))


def _counted_loops(w: Any) -> Any:
    """Ranges upward, downward (Horner), by steps and from the second entry on."""
    squares = tad.fori_loop(0, 3, lambda i, t: t + w[i] ** 2, 0.0)
    horner = tad.fori_loop(0, 3, lambda i, a: 0.5 * a + w[2 - i], 0.0)
    counted, _ = tad.scan(
        lambda t, ix: (t + ix[0] * ix[1], None), 0.0, (np.arange(1.0, 3.0), w[1:])
    )
    shifted = tad.fori_loop(1, 3, lambda i, t: t + (i + 1.0) * w[i], 0.0)
    stepped = sum(w[i] for i in range(0, 3, 3))
    return squares + horner + counted + shifted + stepped


def _selected_fields(w: Any, h: Any, k: Any) -> Any:
    t = 1.5 * tad.sum(w * k)
    t = tad.cond(t > 0.0, lambda t: t + h[0] * h[1], lambda t: t, t)
    return 2.0 * t - 0.5 * h[0]


def _function_values(w: Any) -> Any:
    """Closures over a traced value, a composition, functions handed on, map, zip and a fold."""
    s = 2.0 * w[1]
    scaled = lambda x: s * x
    half, cube, square = (lambda x: x / 2.0), (lambda x: x**3), (lambda x: x**2)
    compose = lambda f, g: lambda x: g(f(x))
    twice = lambda f, x: f(f(x))
    mapped = tad.map(lambda x: s * x**2, w)
    zipped = tad.map(lambda p: s * p[0] * p[1], (w, w**2))
    folded = tad.reduce(lambda a, x: a * x + x, 1.0, w)
    return (
        scaled(w[0])
        + compose(half, cube)(w[2])
        + square(w[2])
        + twice(scaled, w[0])
        + twice(lambda x: 1.5 * x, w[2])
        + tad.sum(mapped)
        + tad.sum(zipped)
        + folded
    )


def _math_in_control_flow(w: Any) -> Any:
    a = tad.fori_loop(0, 2, lambda _, a: tad.tanh(a * w), w)
    return tad.sum(tad.cond(w[0] > 0.0, tad.exp, lambda a: a, a))


def _clipped_power(rounds: int) -> Any:
    def f(w: Any) -> Any:
        _, p = tad.while_loop(lambda s: s[0] < rounds, lambda s: (s[0] + 1, s[1] * w), (0, w))
        total = tad.sum(p)
        return tad.cond(total > 100.0, lambda t: 0.0 * t + 100.0, lambda t: t, total)

    return f


def _robust_fit(sweeps: int) -> Any:
    x, y = tad.asarray([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0]]), tad.asarray([5.0, 2.0, 2.0])

    def f(w: Any) -> Any:
        step = lambda s: (s[0] + 1, 0.5 * s[1])
        _, prediction = tad.while_loop(lambda s: s[0] < sweeps, step, (0, x @ w))
        error = tad.mean((prediction - y) ** 2)
        return tad.cond(error <= 1.0, lambda e: e, lambda e: 1.0 + (e - 1.0) * 0.1, error)

    return f


def _fenced_rounds(w: Any) -> Any:
    """N12 with its fence in a loop: one round of a fenced square times a square."""
    return tad.sum(tad.fori_loop(0, 1, lambda _, a: a * tad.detach(a), w**2))


def _fenced_maximum(w: Any) -> Any:
    """N13 with its sum in a loop, the fenced factor captured."""
    top = tad.no_grad(tad.max)(w)
    return tad.reduce(lambda t, x: t + top * x**2, 0.0, w)


W3 = [1.25, -0.5, 2.0]

BODIES = [
    Case("N branch taken", _branch, [2.0, 0.5], 8.0, [12.0, 0.0]),
    Case("N branch not taken", _branch, [0.5, 2.0], 1.0, [2.0, 0.5]),
    Case("N sum of powers", _geometric, [1.25, 3.0], 45.703125, [36.5625, 15.234375]),
    Case("N taken arm", _arms, [[2.0, 0.5]], 21.5, [[20.5, 4.0]]),
    Case("N untaken arm", _arms, [[0.5, 2.0]], 4.0, [[4.0, 1.5]]),
    Case("N early return", _early_return, [[1.5, 0.5]], 1.5, [[1.0, 3.0]]),
    Case("N early return, other path", _early_return, [[0.5, -1.5]], -0.75, [[-1.5, 0.5]]),
    Case("N tensor power loop", _power_loop, [[1.1, -0.7]], 1.7042, [[5.324, -1.372]]),
    Case("N nested loops", _nested_loops, [[0.9, 1.2]], 0.769702, [[0.820125, 2.592]], 6),
    Case("N loop-carried loss", _loop_carried, [[1.5, 0.8]], 1.8, [[2.4, 2.25]]),
    Case("N branch at its kink", _kink_branch, [[1.5, 1.5]], 2.25, [[1.5, 1.5]]),
    Case("N trip count at its kink", _kink_trips, [[2.0]], 4.0, [[4.0]]),
    Case("N counted loops", _counted_loops, [W3], None, [[4.5, 2.5, 9.25]]),
    Case(
        "N selected fields",
        _selected_fields,
        [[1.25, -0.5], [2.0, 0.75], [1.5, 0.5]],
        6.875,
        [[4.5, 1.5], [1.0, 4.0], [3.75, -1.5]],
    ),
    Case("N function values", _function_values, [W3], -7.640625, [[-9.1875, 36.03125, -9.0]]),
    Case(
        "N math in control flow",
        _math_in_control_flow,
        [[0.6, 0.9]],
        2.940717,
        [[1.151208, 1.901403]],
        6,
    ),
    Case("N17 clipped power, 2 rounds", _clipped_power(2), [[2.0, 3.0]], 35.0, [[12.0, 27.0]]),
    Case("N17 clipped power, 5 rounds", _clipped_power(5), [[2.0, 3.0]], 100.0, [[0.0, 0.0]]),
    Case("N5 robust fit, 0 sweeps", _robust_fit(0), [[1.0, 2.0]], 0.0, [[0.0, 0.0]]),
    Case("N5 robust fit, 1 sweep", _robust_fit(1), [[1.0, 2.0]], 1.175, [[-0.15, -0.2]]),
    Case("N5 robust fit, 2 sweeps", _robust_fit(2), [[1.0, 2.0]], 1.51875, [[-0.1125, -0.15]]),
    Case("N12 fence in a loop", _fenced_rounds, [[1.0, 2.0]], 17.0, [[2.0, 16.0]]),
    Case("N13 fenced capture of a loop", _fenced_maximum, [[1.0, 3.0]], 30.0, [[6.0, 18.0]]),
]
