"""Steps inside a smooth function: choices between its formulas, and sizes that only they look at.

They are primitives, declared to be no kinks of the function (`Prim.inner`), so that `Kinks` tells of
what a user can see. Where the value or a derivative does turn, the plain primitives are right.
What is only looked at is detached: its derivative, which would turn, is never needed.
"""

from typing import TYPE_CHECKING, TypeVar

from taglessad.primitive import inner

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def below(ops: "Ops[R]", a: R, b: R) -> R:
    """a < b."""
    return ops.run(inner("less"), (a, b), ())


def not_above(ops: "Ops[R]", a: R, b: R) -> R:
    """a <= b."""
    return ops.run(inner("less_equal"), (a, b), ())


def magnitude(ops: "Ops[R]", x: R) -> R:
    """|x| to be compared: it has no derivative."""
    return ops.run(inner("abs"), (ops.detach(x),), ())


def side(ops: "Ops[R]", x: R) -> R:
    """The sign of x."""
    return ops.run(inner("sign"), (x,), ())


def at_least(ops: "Ops[R]", x: R, least: R) -> R:
    """The larger of x and a bound."""
    return ops.run(inner("maximum"), (x, least), ())


def level(ops: "Ops[R]", x: R, axes: tuple[int, ...], high: R | None = None) -> R:
    """Whether the entries along axes are all equal.

    high: x with other numbers in the place of entries that do not count, above all that do; x has
    such as are below.
    """
    low = ops.detach(x)
    high = low if high is None else ops.detach(high)
    largest = ops.run(inner("max"), (low,), (axes,))
    return ops.equal(largest, ops.run(inner("min"), (high,), (axes,)))
