"""Enclosure: what Real answers. Each entry holds the true number."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.balls import precision
from taglessad.kernels.flint import arb
from taglessad.kernels.payloads import DType, Objects, boxed, gathered

Array = NDArray[Any]  # Any: float64, or Fractions

_READING = 128  # bits with which ends are read off


class Enclosure:
    """An array of intervals. Immutable; an unpickled one may be wider by 2**-29 of its radius."""

    __slots__ = ("balls", "dtype")

    def __init__(self, balls: Objects, dtype: DType) -> None:
        self.balls = balls
        self.dtype = dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self.balls.shape

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.balls.size

    @property
    def lo(self) -> Array:
        """The lower ends, rounded down to float64; -inf where nothing is known."""
        return self._read(lower)

    @property
    def hi(self) -> Array:
        """The upper ends, rounded up to float64; inf where nothing is known."""
        return self._read(upper)

    @property
    def mid(self) -> Array:
        """The midpoints, rounded to float64."""
        return self._read(lambda x: float(x.mid()))

    @property
    def rad(self) -> Array:
        """The radii, rounded up to float64."""
        return self._read(radius)

    def _read(self, f: Any) -> Array:
        with precision(_READING):
            entries = [f(x) for x in self.balls.ravel().tolist()]
        return np.asarray(entries, np.float64).reshape(self.shape)

    @property
    def exact(self) -> tuple[Any, Any]:
        """The ends as Fractions, (lower, upper): numbers at rank 0, else object arrays.

        Raises ValueError where an entry is not bounded.
        """
        ends = [exact_ends(x) for x in self.balls.ravel().tolist()]
        low, high = (gathered((e[i] for e in ends), self.shape) for i in (0, 1))
        return (low[()], high[()]) if self.shape == () else (low, high)

    def contains(self, value: Any) -> bool:
        """Whether every entry holds the number at its place: ints, floats, Fractions."""
        whole = np.broadcast_to(np.asarray(value, object), self.shape)
        for x, v in zip(self.balls.ravel().tolist(), whole.ravel().tolist(), strict=True):
            if x.is_finite():
                low, high = exact_ends(x)
                if not low <= Fraction(v) <= high:
                    return False
        return True

    @property
    def bits(self) -> Array:
        """How many bits of each entry are known; inf where it is exact, 0 where nothing is."""
        found = [accurate_bits(x) for x in self.balls.ravel().tolist()]
        return np.asarray(found, np.float64).reshape(self.shape)

    def __getitem__(self, index: Any) -> "Enclosure":
        """Entries, as of a NumPy array."""
        return Enclosure(boxed(self.balls[index]), self.dtype)

    def __len__(self) -> int:
        return len(self.balls)

    def __copy__(self) -> "Enclosure":
        return self

    def __deepcopy__(self, memo: object) -> "Enclosure":
        return self

    def __reduce__(self) -> tuple[Any, ...]:  # Any: pickle's own protocol
        return _rebuilt, ([_parts(x) for x in self.balls.ravel().tolist()], self.shape, self.dtype)

    def __repr__(self) -> str:
        return f"Enclosure({self}, shape={list(self.shape)}, {self.dtype})"

    def __str__(self) -> str:
        lo, hi = self.lo, self.hi
        if self.shape == ():
            return interval(float(lo), float(hi))
        shown = np.empty(self.shape, object)
        for i in np.ndindex(self.shape):
            shown[i] = interval(float(lo[i]), float(hi[i]))
        text = np.array2string(shown, formatter={"all": str}, separator=", ", threshold=12)
        return text


def interval(lo: float, hi: float) -> str:
    """An interval as text: one number where both ends are the same float."""
    return repr(lo) if lo == hi else f"[{lo!r}, {hi!r}]"


# --- one ball; under `precision` where it says so ------------------------------------------------
def lower(x: Any) -> float:
    """The largest float64 known to be no larger; under `precision`."""
    if x.is_nan():
        return -np.inf
    end = x.lower()
    f = float(end)
    return f if not np.isfinite(f) and f < 0 or arb(f) <= end else float(np.nextafter(f, -np.inf))


def upper(x: Any) -> float:
    """The smallest float64 known to be no smaller; under `precision`."""
    return np.inf if x.is_nan() else -lower(-x)


def radius(x: Any) -> float:
    """The radius, rounded up; under `precision`."""
    return np.inf if x.is_nan() else upper(x.rad())


def exact_ends(x: Any) -> tuple[Fraction, Fraction]:
    """The two ends. Raises ValueError where the ball is not bounded."""
    if not x.is_finite():
        raise ValueError("the enclosure is not bounded: nothing is known of this entry")
    middle, spread = _dyadic(x.mid()), _dyadic(x.rad())
    return middle - spread, middle + spread


def _dyadic(x: Any) -> Fraction:
    man, exp = (int(v) for v in x.man_exp())
    return Fraction(man << exp) if exp >= 0 else Fraction(man, 1 << -exp)


def accurate_bits(x: Any) -> float:
    """The bits of a ball that are known, relative to its size."""
    if x.is_exact() and x.is_finite():
        return np.inf
    return float(max(0, x.rel_accuracy_bits())) if x.is_finite() else 0.0


def _parts(x: Any) -> tuple[tuple[int, int], tuple[int, int]] | None:
    if not x.is_finite():
        return None
    middle, spread = x.mid().man_exp(), x.rad().man_exp()
    return (int(middle[0]), int(middle[1])), (int(spread[0]), int(spread[1]))


def _rebuilt(parts: list[Any], shape: tuple[int, ...], dtype: DType) -> Enclosure:
    with precision(_READING):
        balls = [arb.nan() if p is None else _exactly(*p) for p in parts]
    return Enclosure(gathered(balls, shape), dtype)


def _exactly(middle: tuple[int, int], spread: tuple[int, int]) -> Any:
    return arb(middle, spread) if spread[0] else arb(middle)
