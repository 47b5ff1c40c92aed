"""Random programs of rational operations, which Exact computes without any error."""

from fractions import Fraction
from functools import cache, partial

import hypothesis
import numpy as np

import taglessad as tad
from taglessad.errors import DomainError
from taglessad.interpreters import Kinks
from taglessad.interpreters.exact import Exact
from tests.fuzz.agreement import agree, dot, leaves
from tests.fuzz.backends import OursRational
from tests.fuzz.generator import INPUTS, Program, Step, point, reading
from tests.fuzz.registry import OPS

LONGEST = 4096
"""Bits of a value's fraction."""

REFUSALS = ("are not rational numbers", "is not a rational number")


@cache
def rational() -> tuple[str, ...]:
    """The operations that stay among the rational numbers, as Exact finds them to be."""
    return tuple(name for name in OPS if all(_defined(name, k) for k in range(5)))


def _defined(name: str, k: int) -> bool:
    op = OPS[name]
    bodies = tuple(reading(*types) for types in op.bodies)
    step = Step(name, tuple(INPUTS.index(t) for t in op.takes), k, bodies)
    f = partial(Program((step,), INPUTS + op.gives).loss, OursRational())
    try:
        tad.interpret(tad.value_and_grad(f), Exact())(point(0))
    except DomainError as error:
        if not refused(error):
            raise
        return False
    return True


def refused(error: DomainError) -> bool:
    """Whether it says that the program left the rational numbers, which some do at some points."""
    return any(text in str(error) for text in REFUSALS)


def exactly(program: Program, seed: int) -> None:
    """Eager is right to rounding; without rounding, forward and reverse mode are one, twice.

    A point where rounding may decide a comparison otherwise is another point's turn: numbers of few
    digits meet more often than others. So is a program whose value has a fraction of thousands of
    digits, which each derivative multiplies: a loop of products takes hours then.
    """
    f = partial(program.loss, OursRational())
    x, v = (tad.trees.map(_short, point(s)) for s in (seed, seed + 1))
    hypothesis.assume(not tad.interpret(f, Kinks(1e-9))(x))
    run = partial(tad.interpret, interpreter=Exact())
    hypothesis.assume(_bits(run(f)(x)) < LONGEST)
    value, gradient = run(tad.value_and_grad(f))(x)
    slope = run(lambda x: tad.jvp(f, (x,), (v,))[1])(x)
    product = run(lambda x: tad.grad(lambda x: dot(tad.grad(f)(x), v))(x))(x)
    assert run(lambda g: dot(g, v))(gradient) == slope
    assert _same(run(tad.hvp(f))(x, v), product), "forward over reverse, reverse over reverse"
    got = (*tad.value_and_grad(f)(x), tad.hvp(f)(x, v))
    want = (value, gradient, product)
    for what, a, b in zip(("value", "gradient", "product"), got, want, strict=True):
        agree(f"Exact, {what}", leaves(a), [_floats(y) for y in tad.trees.leaves(b)])


def _short(x: np.ndarray) -> np.ndarray:
    """Numbers of few digits, whose fractions take longer to grow."""
    return np.round(x * 256.0) / 256.0


def _bits(x: object) -> int:
    fraction = Fraction(np.asarray(x, object).item())
    return max(fraction.numerator.bit_length(), fraction.denominator.bit_length())


def _floats(x: object) -> np.ndarray:
    return np.asarray(x, object).astype(np.float64)


def _same(a: object, b: object) -> bool:
    pairs = zip(tad.trees.leaves(a), tad.trees.leaves(b), strict=True)
    return all(np.array_equal(np.asarray(x, object), np.asarray(y, object)) for x, y in pairs)
