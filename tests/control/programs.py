"""Programs with branches and loops, each beside the same mathematics written out without them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import taglessad as tad

Function = Callable[[Any], Any]


class Pair(NamedTuple):
    """A program over control flow, what it means, and a point."""

    name: str
    program: Function
    meaning: Function
    point: Any


def power_until(x: Any) -> Any:
    return tad.while_loop(lambda c: c < 100.0, lambda c: c * c * x, x)


def power_thrice(x: Any) -> Any:
    c = x
    for _ in range(3):
        c = c * c * x
    return c


def counted(x: Any) -> Any:
    """The number of trips depends on the value that is differentiated."""
    n, c = tad.while_loop(
        lambda s: s[1] > 0.1, lambda s: (s[0] + 1, s[1] * tad.sin(x) * 0.7), (0, tad.exp(x))
    )
    return c * (1.0 + n)


def counted_out(x: Any) -> Any:
    c, n = tad.exp(x), 0
    while float(np.asarray(tad.to_numpy(_value(c)))) > 0.1:
        c, n = c * tad.sin(x) * 0.7, n + 1
    return c * (1.0 + n)


def _value(c: Any) -> Any:
    """The number behind a handle of any transform: the reference may look, the program may not."""
    while True:
        literal = c.ops.literal(c.payload)
        if literal is not None:
            return literal
        payload = getattr(c.payload, "value", getattr(c.payload, "primal", None))
        base = c.ops.base
        c = tad.Tensor(base, payload, c.dtype)


def newton_root(a: Any) -> Any:
    """The square root by Newton's iteration, early exit by a test on the residual."""
    return tad.while_loop(lambda x: tad.abs(x * x - a) > 1e-14 * a, lambda x: 0.5 * (x + a / x), a)


def nested(x: Any) -> Any:
    def row(i: Any, total: Any) -> Any:
        inner = lambda j, t: t + tad.sin(x * (i + 1.0)) * tad.cos(x * (j + 1.0))
        return tad.fori_loop(0, 2, inner, total)

    return tad.fori_loop(0, 3, row, 0.0)


def nested_out(x: Any) -> Any:
    return sum(tad.sin(x * (i + 1.0)) * tad.cos(x * (j + 1.0)) for i in range(3) for j in range(2))


def scan_in_while(x: Any) -> Any:
    def body(s: Any) -> Any:
        i, c = s
        c, _ = tad.scan(lambda c, k: (c * tad.cos(k * x), None), c, tad.asarray([0.5, 0.7]))
        return i + 1, c

    return tad.while_loop(lambda s: s[0] < 2, body, (0, x * x))[1]


def scan_in_while_out(x: Any) -> Any:
    c = x * x
    for _ in range(2):
        c = c * tad.cos(0.5 * x) * tad.cos(0.7 * x)
    return c


def branch_in_scan(x: Any) -> Any:
    def step(c: Any, k: Any) -> Any:
        new = tad.cond(k > 0.0, lambda c: c * x, lambda c: tad.sin(c) + x * x, c)
        return new, new * k

    c, ys = tad.scan(step, x, tad.asarray([1.0, -1.0, 2.0]))
    return c + tad.sum(ys)


def branch_in_scan_out(x: Any) -> Any:
    a = x * x
    b = tad.sin(a) + x * x
    c = b * x
    return c + a - b + 2.0 * c


def switched(x: Any) -> Any:
    branches = [lambda t: t * t * x, lambda t: tad.exp(t), lambda t: tad.sin(t) * x]
    return sum(tad.switch(i, branches, x) for i in range(3))


def switched_out(x: Any) -> Any:
    return x * x * x + tad.exp(x) + tad.sin(x) * x


def backwards(x: Any) -> Any:
    c, ys = tad.scan(
        lambda c, k: (c * x + k, c * k), 1.0, tad.asarray([1.0, 2.0, 3.0]), reverse=True
    )
    return c + ys[0] * ys[2]


def backwards_out(x: Any) -> Any:
    c0 = 1.0
    c1 = c0 * x + 3.0
    c2 = c1 * x + 2.0
    c3 = c2 * x + 1.0
    return c3 + (c2 * 1.0) * (c0 * 3.0)


def folded(x: Any) -> Any:
    return tad.reduce(lambda c, k: c * tad.tanh(k * x), x, tad.asarray([1.0, 2.0]))


def mapped(x: Any) -> Any:
    return tad.sum(tad.map(lambda k: tad.exp(k * x), tad.asarray([0.1, 0.2, 0.3])))


def checkpointed(x: Any) -> Any:
    return tad.checkpoint(lambda t: tad.sin(t) * tad.exp(t))(x * x)


PAIRS = [
    Pair("while", power_until, power_thrice, 1.5),
    Pair("while-trips-depend", counted, counted_out, 1.1),
    Pair("while-newton", newton_root, tad.sqrt, 3.0),
    Pair("fori-nested", nested, nested_out, 0.7),
    Pair("scan-in-while", scan_in_while, scan_in_while_out, 0.8),
    Pair("branch-in-scan", branch_in_scan, branch_in_scan_out, 0.9),
    Pair("switch", switched, switched_out, 0.6),
    Pair("scan-reverse", backwards, backwards_out, 1.3),
    Pair("reduce", folded, lambda x: x * tad.tanh(x) * tad.tanh(2.0 * x), 0.4),
    Pair(
        "map",
        mapped,
        lambda x: tad.exp(0.1 * x) + tad.exp(0.2 * x) + tad.exp(0.3 * x),
        0.5,
    ),
    Pair("checkpoint", checkpointed, lambda x: tad.sin(x * x) * tad.exp(x * x), 0.5),
    Pair(
        "zero-trips",
        lambda x: 5.0 * tad.while_loop(lambda s: s > 9.0, lambda s: s * s, x),
        lambda x: 5.0 * x,
        2.0,
    ),
]
