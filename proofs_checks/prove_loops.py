"""Loops, branches and custom rules: both laws exactly, over programs that go through them.

Their rules are made from what they hold, so there is no one function to be checked: each program
here is run with truncated polynomials, as on any root, and its forward and reverse derivatives with
generic numbers.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from taglessad.control.branches import cond, switch
from taglessad.control.loops import fori_loop, while_loop
from taglessad.control.scans import scan
from taglessad.convert import as_handle
from taglessad.custom.functions import custom_jvp, custom_vjp
from taglessad.dtypes import float64
from taglessad.kernels.payloads import Numbers, Objects, each
from taglessad.levels import Under
from taglessad.ops import Ops
from taglessad.primitive import PrimN
from taglessad.proofs_checks.generic import Generic, Jets
from taglessad.proofs_checks.generic_numbers import Jet, jet, near, plain
from taglessad.proofs_checks.prove_exact import direction, odds
from taglessad.proofs_checks.prove_report import Verdict
from taglessad.proofs_checks.rooted import inner
from taglessad.tensor import handle
from taglessad.transforms.gradient import grad
from taglessad.transforms.products import jvp, vjp

# Any throughout: handles of whichever interpreter.
Program = Callable[..., Any]


class Sample(NamedTuple):
    """A program of arrays with one result, at a point."""

    program: Program
    point: tuple[Any, ...]


def _powers(x: Any, y: Any) -> Any:
    """The number of trips depends on the values."""
    return while_loop(lambda c: c < 100.0, lambda c: c * c * x + y, x)


def _continued_fraction(x: Any) -> Any:
    """A carry of three, one of them a counter."""

    def step(s: Any) -> Any:
        i, p, q = s
        return i + 1, q, p + x * q

    _, p, q = while_loop(lambda s: s[0] < 4, step, (0, x, x * x + 1.0))
    return p / q


def _no_trip(x: Any) -> Any:
    return while_loop(lambda c: c < 0.0, lambda c: c * x, x * x)


def _counted(x: Any) -> Any:
    return fori_loop(0, 3, lambda i, c: c * x + 1.0, x)


def _recurrence(a: Any, xs: Any) -> Any:
    carry, rows = scan(lambda c, x: (c * x + a, c * c), a, xs)
    return rows * carry


def _nested(a: Any, xs: Any) -> Any:
    def row(c: Any, x: Any) -> Any:
        return while_loop(lambda s: s < 3.0, lambda s: s * s + x, c * c + 1.0), c

    carry, rows = scan(row, a, xs)
    return rows + carry * a


def _either(x: Any, y: Any) -> Any:
    return cond(x < y, lambda a, b: a * a / b, lambda a, b: a * b, x, y) * x


def _one_of_three(x: Any, y: Any) -> Any:
    branches = [lambda a, b: a + b, lambda a, b: a * b * b, lambda a, b: a / b]
    return switch(1, branches, x, y) * switch(2, branches, y, x)


def _cube_forward() -> Program:
    @custom_jvp
    def cube(x: Any) -> Any:
        return x * x * x

    cube.defjvp(lambda primals, tangents: (cube(*primals), 3.0 * primals[0] ** 2 * tangents[0]))
    return lambda x, y: cube(x * y) / y


def _product_reverse() -> Program:
    @custom_vjp
    def product(x: Any, y: Any) -> Any:
        return x * y * y

    product.defvjp(
        lambda x, y: (x * y * y, (x, y)),
        lambda kept, g: (g * kept[1] ** 2, g * 2.0 * kept[0] * kept[1]),
    )
    return lambda x, y: product(x * x, y + x)


def _gradient(f: Program, count: int) -> Program:
    """The gradient in the first argument, as the program whose derivative is to be checked."""
    return grad(f) if count else f


ROW: Final = np.asarray([0.5, -0.75, 1.25])

SAMPLES: Final[dict[str, list[Sample]]] = {
    "while_loop": [
        Sample(_powers, (1.5, 0.25)),
        Sample(_continued_fraction, (1.25,)),
        Sample(_no_trip, (1.5,)),
        Sample(_counted, (0.75,)),
    ],
    # The pull of a loop is an operation of its own, met where a gradient is differentiated.
    "while_pull": [
        Sample(_gradient(_powers, 1), (1.5, 0.25)),
        Sample(_gradient(_continued_fraction, 1), (1.25,)),
        Sample(_gradient(_gradient(_counted, 1), 1), (0.75,)),
    ],
    "scan": [Sample(_recurrence, (1.5, ROW)), Sample(_nested, (0.5, ROW))],
    "branch": [
        Sample(_either, (0.5, 1.5)),
        Sample(_either, (1.5, 0.5)),
        Sample(_one_of_three, (0.5, 1.5)),
    ],
    "custom_rule": [
        Sample(_cube_forward(), (0.5, 1.5)),
        Sample(_product_reverse(), (0.5, 1.5)),
    ],
}


def _handles(ops: Ops[Any], entries: list[Objects]) -> list[Any]:
    return [handle(ops, Numbers(v, float64, active=True), float64) for v in entries]


def _numbers(ops: Ops[Any], x: Any) -> Objects:
    h = as_handle(x, "prove")
    payload = ops.lift(h.ops, h.payload)
    assert isinstance(payload, Numbers)
    return payload.values


def laws(prim: PrimN) -> tuple[Verdict, Verdict]:
    """Both laws, over the programs that go through the primitive."""
    worst = [0.0, 0.0]
    samples = SAMPLES[prim.name]
    detail = f"{len(samples)} programs"
    for k, sample in enumerate(samples):
        gaps = _gaps(sample, np.random.default_rng(k))
        for which, (law, method) in enumerate(
            (("adjointness", "generic points"), ("derivative", "exact jets"))
        ):
            for gap in gaps[which]:
                if plain(gap) != 0:
                    why = f"program {k}: the two sides differ by {float(plain(gap)):.3g}"
                    failed = Verdict(prim.name, law, "FAILED", method, why)
                    return (failed, failed)
                worst[which] = max(worst[which], odds(gap))
    return (
        Verdict(prim.name, "adjointness", "PROVED", "generic points", detail, worst[0] or None),
        Verdict(prim.name, "derivative", "PROVED", "exact jets", detail, worst[1] or None),
    )


def _gaps(sample: Sample, rng: np.random.Generator) -> tuple[list[Any], list[Any]]:
    """What is to be 0: <push(d), g> - <d, pull(g)>, and the entries of push(d) minus the slope."""
    points = [np.asarray(p, np.float64) for p in sample.point]
    at = [each(lambda v: near(v, rng), p) for p in points]
    ds = [direction(p.shape, rng) for p in points]
    moving, root = Jets(), Generic(rng)
    with Under(moving):
        entries = [each(Jet, x, d) for x, d in zip(at, ds, strict=True)]
        slope = each(
            lambda v: jet(v).slope, _numbers(moving, sample.program(*_handles(moving, entries)))
        )
    with Under(root):
        xs, tangents = _handles(root, at), _handles(root, ds)
        push = _numbers(root, jvp(sample.program, tuple(xs), tuple(tangents))[1])
        y, pullback = vjp(sample.program, *xs)
        g = direction(_numbers(root, y).shape, rng)
        pulls = [_numbers(root, c) for c in pullback(_handles(root, [g])[0])]
    here = inner(push, g, root.zero)
    there = sum((inner(d, c, root.zero) for d, c in zip(ds, pulls, strict=True)), root.zero)
    differences = each(lambda a, b: a - b, push, slope)
    return [here - there], differences.ravel().tolist()
