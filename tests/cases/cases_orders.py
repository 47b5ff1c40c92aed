"""Second and higher derivatives, and derivatives inside derivatives."""

from math import pi
from typing import Any

import taglessad as tad
from tests.cases.case import ANY, JACOBIAN, Case, Mode, Program, first, second

TWICE = (ANY, ANY)
HESSIAN = (JACOBIAN, ANY)


def mixed_second(d: Mode, e: Mode) -> Program:
    f = lambda x, y: x**y
    return lambda x, y: (d(e(f, 0), 1)(x, y), d(e(f, 1), 0)(x, y))


def gradient_and_second(f: Program) -> Program:
    return lambda d, e: lambda x: (e(f)(x), d(e(f))(x))


def fourth_mixed(*modes: Mode) -> Program:
    g: Program = lambda a, b, c, d: tad.prod(tad.stack([a, b, c, d]) ** tad.asarray([1, 1, 1, 1]))
    for i, mode in enumerate(reversed(modes)):
        g = mode(g, i)
    return g


def fourth_and_fifth(*modes: Mode) -> Program:
    g: Program = lambda x: x**4
    for mode in reversed(modes[1:]):
        g = mode(g)
    fourth, fifth = g, modes[0](g)
    return lambda x: (fourth(x), fifth(x))


def beta_difference(v: Any) -> Any:
    # betaln(a, b) - betaln(a + 1, b) = log(1 + b / a)
    a, b = tad.exp(v[0]), tad.exp(v[1])
    return tad.special.betaln(a, b) - tad.special.betaln(a + 1.0, b)


ORDERS = [
    Case(
        "pow-mixed-second-derivative",
        "jax-ml/jax#12033",
        mixed_second,
        (8.0, 0.0),
        (0.125, 0.125),
        TWICE,
    ),
    Case(
        "prod-inner-zero-second",
        "tensorflow/tensorflow#44556",
        gradient_and_second(lambda x: tad.prod(tad.asarray([3.0, 0.0]) * x * x)),
        (0.0,),
        (0.0, 0.0),
        TWICE,
    ),
    Case(
        "hypot-second-derivative-at-axis",
        "tensorflow/tensorflow#127697",
        second(lambda x: tad.hypot(x, 4.0)),
        (0.0,),
        0.25,
        TWICE,
    ),
    Case(
        "norm-hessian-integer-entries",
        "FluxML/Zygote.jl#549",
        second(tad.linalg.vector_norm),
        ([2.0, 2.0],),
        [[2**-2.5, -(2**-2.5)], [-(2**-2.5), 2**-2.5]],
        HESSIAN,
    ),
    # Only d2/dx2dx3 = x0 x1 survives the two zeros.
    Case(
        "prod-two-zeros-hessian",
        "pytorch/pytorch#106789",
        second(tad.prod),
        ([2.0, 5.0, 0.0, 0.0],),
        [[0.0] * 4, [0.0] * 4, [0.0, 0.0, 0.0, 10.0], [0.0, 0.0, 10.0, 0.0]],
        HESSIAN,
    ),
    Case(
        "pow-int-exponents-fourth-mixed",
        "pytorch/pytorch#89757",
        fourth_mixed,
        (0.0, 0.0, 0.0, 0.0),
        1.0,
        (JACOBIAN, JACOBIAN, (tad.jacfwd,), (tad.grad,)),
    ),
    Case(
        "sinc-second-derivative",
        "pytorch/pytorch#89459",
        second(tad.sinc),
        (0.0,),
        -pi * pi / 3.0,
        TWICE,
        rtol=1e-12,
    ),
    Case(
        "sinx-over-x-near-zero",
        "evalf/nutils#800",
        second(lambda x: tad.sin(x) / x),
        (1e-8,),
        -1.0 / 3.0,
        TWICE,
        fails="float64 cancels here; only exact or enclosing arithmetic finds -1/3",
    ),
    Case(
        "betaln-hessian",
        "jax-ml/jax#34353",
        second(beta_difference),
        ([0.0, 0.0],),
        [[0.25, -0.25], [-0.25, 0.25]],
        HESSIAN,
        rtol=1e-9,
    ),
    Case(
        "pow-fifth-derivative-at-zero",
        "tensorflow/tensorflow#35011",
        fourth_and_fifth,
        (0.0,),
        (24.0, 0.0),
        (JACOBIAN, JACOBIAN, (tad.jacfwd,), (tad.grad,), (tad.grad,)),
    ),
]


class Layered:
    """One class whose instances are differentiated at two levels."""

    def __init__(self, outer: Mode | None, inner: Mode, x: Any) -> None:
        self.outer, self.inner, self.x = outer, inner, x

    def __call__(self, z: Any) -> Any:
        if self.outer is None:
            return self.x + z
        return z * self.inner(Layered(None, self.inner, z))(1.0)


def nested_same_point(d: Mode, e: Mode) -> Program:
    g = lambda x: e(lambda y: y * (2.0 * x - y))(x)
    return lambda x: (g(x), d(g)(x))


NESTING = [
    Case(
        "pc-gradient-of-nested-forward",
        "tsotchke/eshkol#138",
        lambda d, e, f: d(lambda p: e(f(lambda x: p[0] * x**3))(2.0)),
        ([3.0],),
        [12.0],
        (ANY, ANY, ANY),
    ),
    Case(
        "pc-same-function-reused",
        "JuliaDiff/ForwardDiff.jl#313",
        lambda d, e: d(Layered(d, e, 0.0)),
        (1.0,),
        1.0,
        TWICE,
    ),
    Case(
        "pc-inner-product",
        "JuliaDiff/ReverseDiff.jl#45",
        lambda d, e: d(lambda x: x * e(lambda y: x * y)(1.0)),
        (4.0,),
        8.0,
        TWICE,
    ),
    Case(
        "pc-inner-sum",
        "JuliaDiff/ForwardDiff.jl#83",
        lambda d, e: d(lambda x: x * e(lambda y: x + 3.0 * y)(1.0)),
        (1.0,),
        3.0,
        TWICE,
    ),
    Case(
        "pc-nested-grad-same-point",
        "pytorch/pytorch#32576",
        nested_same_point,
        (3.0,),
        (0.0, 0.0),
        TWICE,
    ),
]


def doubled(x: Any) -> Any:
    for _ in range(60):
        x = x + x
    return x


def shared_in_vmap(z: Any) -> Any:
    rows = tad.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    return tad.sum(tad.vmap(lambda r: tad.logaddexp(z, tad.sum(r) + z))(rows))


CASES = [
    *ORDERS,
    *NESTING,
    Case("shared-subexpression-doubling", "karpathy/micrograd#21", first(doubled), (1.0,), 2.0**60),
    Case("closure-scalar-in-vmap-shape", "jax-ml/jax#6452", first(shared_in_vmap), (0.5,), 3.0),
]
