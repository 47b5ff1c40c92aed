"""A float result held against an enclosure: how far off, and whether rounding explains it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import DType
from taglessad.errors import ShapeError
from taglessad.kernels import balls
from taglessad.kernels.enclosure import Enclosure, lower, upper
from taglessad.shapes import show

Array = NDArray[Any]  # Any: the dtype is data

EXPLAINED: Final = 4.0
"""Errors up to so many times what rounding can do are explained by it."""

_PRECISION: Final = 256  # bits in which errors are measured


@dataclass(frozen=True)
class FloatReport:
    """How a float gradient compares with the true one, over all its entries.

    ulp: the largest error in units in the last place of the true entry; `index` (argument, entry)
    is where, with `got` and `true` (its enclosure's ends) there; an entry that is 0, or cannot be
    told from 0, is measured in units of the largest entry, or of 1 where all are 0. median_ulp: of all entries.
    normwise: the largest error over the largest true entry, in machine epsilons. over_radius: the
    largest error over what rounding every operation to this dtype may do, None where nothing
    bounds that; `explained` says whether it is within 4. effective_bits: the precision that would
    explain the error. nonfinite: entries that are NaN or infinite where the truth is a number.
    flushed: zeros where the truth is a number that is not zero. signed_zeros: entries -0.0. ties:
    entries that chose one of several derivatives where the enclosure is a hull. overflow: which
    operation of the program, and where, made an infinity or a NaN of numbers; "" where none did, and
    where rounding explains the errors.
    """

    dtype: DType
    entries: int
    ulp: float
    index: tuple[int, tuple[int, ...]] | None
    got: float
    true: tuple[float, float]
    median_ulp: float
    normwise: float
    over_radius: float | None
    effective_bits: float | None
    nonfinite: int
    flushed: int
    signed_zeros: int
    ties: int
    overflow: str = ""

    @property
    def explained(self) -> bool:
        """Whether rounding alone explains the errors."""
        if self.nonfinite or self.over_radius is None:
            return False
        return self.over_radius <= EXPLAINED

    @property
    def verdict(self) -> str:
        """Whether rounding explains the errors, or what else does."""
        if self.explained:
            return "explained by rounding"
        return f"not explained by rounding{f', but {self.overflow}' if self.overflow else ''}"

    def __str__(self) -> str:
        if self.index is None:
            worst = "no entries"
        else:
            where = f"argument {self.index[0]}, entry {list(self.index[1])}"
            worst = f"max {self.ulp:.3g} ulp at {where}: {self.got!r}, true {self.true[0]!r}"
        radius = "unbounded" if self.over_radius is None else f"{self.over_radius:.2g}"
        bits = "none" if self.effective_bits is None else f"{self.effective_bits:.0f}"
        return (
            f"{self.dtype}: {worst}; median {self.median_ulp:.2g} ulp; normwise "
            f"{self.normwise:.2g} eps; error/propagated radius {radius} "
            f"({self.verdict}); effective bits "
            f"{bits}; nonfinite {self.nonfinite}, flushed {self.flushed}, -0 {self.signed_zeros}, "
            f"ties {self.ties}"
        )


def precision_of(dtype: DType) -> int:
    """The bits of a float dtype's significand."""
    return int(np.finfo(dtype).nmant) + 1


def unit(true: float, dtype: DType) -> float:
    """The unit in the last place of a number in a dtype."""
    info = np.finfo(dtype)
    size = min(abs(true), float(info.max))
    return float(np.spacing(np.asarray(size).astype(dtype)))


def as_floats(got: Sequence[Any], true: Sequence[Enclosure]) -> list[Array]:
    """Results of NumPy, JAX, PyTorch ... as float64 arrays of the shapes of the enclosures."""
    arrays: list[Array] = []
    if len(got) != len(true):
        raise ShapeError(
            f"compare: {len(got)} results for a gradient of {len(true)} parts; give one for each"
        )
    for i, (g, e) in enumerate(zip(got, true, strict=True)):
        array = as_array(g)
        if array.shape != e.shape:
            raise ShapeError(
                f"compare: part {i} of the result has shape {show(array.shape)}, but the gradient "
                f"has {show(e.shape)}"
            )
        arrays.append(array)
    return arrays


def as_array(x: Any) -> Array:
    """What another library computed, as a NumPy array."""
    if hasattr(x, "detach") and hasattr(x, "numpy"):  # a PyTorch tensor, perhaps of bfloat16
        x = x.detach().cpu()
        if str(x.dtype) == "torch.bfloat16":
            x = x.float()
        return np.asarray(x.numpy())
    return np.asarray(x)


def compared(
    got: Sequence[Array],
    true: Sequence[Enclosure],
    radii: Sequence[Array] | None,
    dtype: DType,
) -> FloatReport:
    """The report; got: floats shaped as `true`; radii: what rounding to the dtype may do."""
    ulps: list[float] = []
    worst, index, at, enclosed = -1.0, None, math.nan, (math.nan, math.nan)
    largest_error = 0.0
    bounded = radii is not None and all(np.all(np.isfinite(r)) for r in radii)
    ratio: float | None = 0.0 if bounded else None
    nonfinite = flushed = zeros = ties = 0
    with balls.precision(_PRECISION):
        every = [b for e in true for b in e.balls.ravel().tolist()]
        largest_true = max((max(abs(lower(b)), abs(upper(b))) for b in every), default=0.0)
        for part, (values, e) in enumerate(zip(got, true, strict=True)):
            spread = None if radii is None else radii[part].ravel()
            flat = values.astype(np.float64).ravel().tolist()
            for i, (v, ball) in enumerate(zip(flat, e.balls.ravel().tolist(), strict=True)):
                ends = lower(ball), upper(ball)
                zeros += v == 0 and math.copysign(1.0, v) < 0
                place = (part, tuple(map(int, np.unravel_index(i, e.shape))) if e.shape else ())
                if not math.isfinite(v):
                    nonfinite += 1
                    ulps.append(math.inf)
                    if worst < math.inf:
                        worst, index, at, enclosed = math.inf, place, v, ends
                    continue
                wide = ends[1] - ends[0] > 8 * unit(ends[0], dtype)
                ties += wide and ends[0] <= v <= ends[1]
                error = _distance(v, ball, wide)
                flushed += v == 0 and (ends[0] > 0 or ends[1] < 0)
                largest_error = max(largest_error, error)
                size = max(abs(ends[0]), abs(ends[1]))
                if not wide and ends[0] <= 0 <= ends[1]:  # 0 has no last place of its own
                    size = largest_true if largest_true > 0 and math.isfinite(size) else 1.0
                ulps.append(error / unit(size, dtype))
                if ulps[-1] > worst:
                    worst, index, at, enclosed = ulps[-1], place, v, ends
                if spread is not None and ratio is not None:
                    ratio = max(ratio, _ratio(error, float(spread[i])))
    eps = float(np.finfo(dtype).eps)
    if nonfinite:
        largest_error, ratio = math.inf, None
    bits = precision_of(dtype)
    effective = None
    if ratio is not None:
        effective = float(bits) if ratio <= 1 else max(0.0, bits - math.log2(ratio))
    return FloatReport(
        dtype,
        len(ulps),
        max(worst, 0.0),
        index,
        at,
        enclosed,
        float(np.median(ulps)) if ulps else 0.0,
        largest_error / largest_true / eps if largest_true else largest_error,
        ratio if ratio is None or math.isfinite(ratio) else None,
        effective,
        nonfinite,
        flushed,
        zeros,
        ties,
    )


def _distance(v: float, ball: Any, wide: bool) -> float:
    """How far a float may be from the truth; from a hull, how far outside it is; in `precision`."""
    gap = balls.of(v) - ball
    if wide:
        return max(0.0, lower(abs(gap))) if not ball.contains(balls.of(v)) else 0.0
    return upper(abs(gap))


def _ratio(error: float, radius: float) -> float:
    if error == 0:
        return 0.0
    return error / radius if radius > 0 else math.inf
