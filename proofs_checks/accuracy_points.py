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

    A third over all magnitudes and both signs, a third even over `active`, where the function
    varies, a third within powers of 2 of the points that it is delicate `near`.
    """

    def draw(count: int, rng: np.random.Generator) -> F64:
        ends = np.asarray([5e-324, 2.2250738585072014e-308, 1.7976931348623157e308])
        sizes = np.exp2(rng.uniform(-1074, 1023.99, 2 * count))
        parts = [ends, sizes, -ends, -sizes]
        wide = np.concatenate(parts)
        wide = rng.permutation(wide[(wide > low) & (wide < high)])[: count // 3]
        rest = count - wide.size
        beside = rest // 2 if near else 0
        places = rng.choice(np.asarray(near or [0.0]), beside)
        room = np.where(places == 0, 1074.0, 52.0)
        offsets = np.exp2(-rng.uniform(0, 1, beside) * room) * rng.choice([-1.0, 1.0], beside)
        close = places + np.where(places == 0, 1.0, np.abs(places)) * offsets
        evenly = rng.uniform(*active, rest - beside)
        found = np.concatenate([wide, close, evenly])
        return found[(found > low) & (found < high)]

    return draw


def one(*arguments: Any, **named: Any) -> Points:
    """Points of a function of one number; arguments as in `over`."""
    draw = over(*arguments, **named)

    def points(count: int) -> tuple[F64, ...]:
        return (np.unique(draw(count, np.random.default_rng(count))),)

    return points


def two(
    first: Callable[[int, np.random.Generator], F64],
    second: Callable[[int, np.random.Generator], F64],
    keep: Callable[[F64, F64], Any] | None = None,
) -> Points:
    """Pairs; `keep` says which are looked at. Any: an array of truth values."""

    def points(count: int) -> tuple[F64, ...]:
        rng = np.random.default_rng(count)
        a, b = first(2 * count, rng), second(2 * count, rng)
        n = min(a.size, b.size)
        a, b = rng.permutation(a)[:n], rng.permutation(b)[:n]
        if keep is not None:
            with np.errstate(all="ignore"):
                chosen = keep(a, b)
            a, b = a[chosen], b[chosen]
        return a[:count], b[:count]

    return points


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


def from_zero(x: Any) -> Any:
    """Smooth at 0; elsewhere as powers of x."""
    return max(abs(x), 1)
