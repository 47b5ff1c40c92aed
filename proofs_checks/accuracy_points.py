"""Where accuracy is looked at: numbers of every size, and ever nearer to the singularities."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

F64: TypeAlias = NDArray[np.float64]
Points: TypeAlias = Callable[[int], tuple[F64, ...]]
Scale: TypeAlias = Callable[[Any], Any]  # Any: an mpmath number

_INF: Final = float("inf")


# --- points --------------------------------------------------------------------------------------
def over(
    low: float,
    high: float,
    active: tuple[float, float],
    near: Sequence[float] = (),
) -> Callable[[int, np.random.Generator], F64]:
    """Numbers strictly between low and high.

    A third over all magnitudes and both signs, a third within powers of 2 of the points that it is
    delicate `near`, and the rest even over `active`, where the function varies.
    """

    def draw(count: int, rng: np.random.Generator) -> F64:
        def inside(found: F64) -> F64:
            return found[(found > low) & (found < high)]

        ends = np.asarray([5e-324, 2.2250738585072014e-308, 1.7976931348623157e308])
        sizes = np.exp2(rng.uniform(-1074, 1023.99, 2 * count))
        wide = rng.permutation(inside(np.concatenate([ends, sizes, -ends, -sizes])))[: count // 3]
        drawn = 4 * count if near else 0
        places = rng.choice(np.asarray(near or [0.0]), drawn)
        room = np.where(places == 0, 1074.0, 52.0)
        offsets = np.exp2(-rng.uniform(0, 1, drawn) * room) * rng.choice([-1.0, 1.0], drawn)
        close = inside(places + np.where(places == 0, 1.0, np.abs(places)) * offsets)
        close = close[: count // 3]
        evenly = rng.uniform(*active, count - wide.size - close.size)
        return np.concatenate([wide, close, inside(evenly)])

    return draw


def one(
    low: float,
    high: float,
    active: tuple[float, float],
    near: Sequence[float] = (),
    keep: Callable[[F64], Any] | None = None,
) -> Points:
    """Points of a function of one number, as `over`; `keep` says which are looked at.

    Any: an array of truth values.
    """
    draw = over(low, high, active, near)

    def points(count: int) -> tuple[F64, ...]:
        rng = np.random.default_rng(count)
        found = np.unique(draw(2 * count, rng))
        if keep is not None:
            found = found[keep(found)]
        return (np.sort(rng.permutation(found)[:count]),)

    return points


Draw: TypeAlias = Callable[[int, np.random.Generator], F64]


def two(
    first: Draw,
    second: Draw,
    keep: Callable[[F64, F64], Any] | None = None,
    beside: Sequence[float] = (),
) -> Points:
    """Pairs; `keep` says which are looked at. Any: an array of truth values.

    beside: of a third of the pairs the quotient is within a power of 2 of one of these.
    """

    def points(count: int) -> tuple[F64, ...]:
        rng = np.random.default_rng(count)
        drawn = 12 * count
        a, b = rng.permutation(first(drawn, rng)), rng.permutation(second(drawn, rng))
        n = min(a.size, b.size)
        a, b = a[:n], b[:n]
        if beside:
            offsets = np.exp2(-rng.uniform(0, 52, n)) * rng.choice([-1.0, 1.0], n)
            ratio = rng.choice(np.asarray(beside), n) * (1 + offsets)
            with np.errstate(over="ignore"):
                b = np.where(np.arange(n) % 3 == 0, a * ratio, b)
        chosen = np.isfinite(b)
        if keep is not None:
            with np.errstate(all="ignore"):
                chosen &= keep(a, b)
        a, b = a[chosen], b[chosen]
        return a[:count], b[:count]

    return points


def three(first: Draw, second: Draw, third: Draw) -> Points:
    """Triples of numbers drawn independently."""

    def points(count: int) -> tuple[F64, ...]:
        rng = np.random.default_rng(count)
        return tuple(
            rng.permutation(draw(2 * count, rng))[:count] for draw in (first, second, third)
        )

    return points


EVERYWHERE: Final = one(-_INF, _INF, (-50, 50), near=(0.0, 1.0, -1.0))
POSITIVE: Final = one(0.0, _INF, (0, 50), near=(0.0, 1.0, 0.5))
TAILS: Final = one(-_INF, _INF, (-760, 720), near=(0.0,))
GAUSS: Final = one(-_INF, _INF, (-28, 28), near=(0.0,))
INSIDE: Final = one(-1.0, 1.0, (-1, 1), near=(0.0, 1.0, -1.0))
SHARES: Final = one(0.0, 1.0, (0, 1), near=(0.0, 1.0, 0.5))
ANGLES: Final = one(-_INF, _INF, (-20, 20), near=(0.0, 1.5707963267948966, 3.141592653589793))


# --- scales --------------------------------------------------------------------------------------
def relative(x: Any) -> Any:
    """Powers and logarithms of x."""
    return abs(x) if x != 0 else 1


def unit(x: Any) -> Any:
    """Exponentials of x, and powers near 0."""
    return min(abs(x), 1) if x != 0 else 1


def gaussian(x: Any) -> Any:
    """Exponentials of the square of x."""
    return min(abs(x), 1 / abs(x)) if x != 0 else 1


def to_one(x: Any) -> Any:
    """Singular at 1 and -1."""
    return min(abs(x), abs(1 - abs(x))) if x != 0 else 1


def piecewise(x: Any) -> Any:
    """Of functions that are linear between their jumps, far less than the distance to those."""
    return abs(x) * type(x)(10) ** -40


def from_zero(x: Any) -> Any:
    """Smooth at 0; elsewhere as powers of x."""
    return max(abs(x), 1)
