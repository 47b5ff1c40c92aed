"""The discrete Fourier transform of real arrays, as pairs of real and imaginary parts.

Raises DTypeError for complex numbers, IndexOutOfRange for an axis that is not there, ArgumentError
for another norm, DomainError where there is nothing to transform.
"""

from typing import Any, Final, Literal, NamedTuple, SupportsIndex, TypeAlias

import numpy as np

from taglessad import shapes
from taglessad.convert import from_array
from taglessad.dispatch import as_real, meet
from taglessad.errors import ArgumentError, DomainError, ShapeError
from taglessad.ops import Ops
from taglessad.shapes import Extent
from taglessad.shapes.axes import integer
from taglessad.tensor import Tensor

Norm: TypeAlias = Literal["backward", "ortho", "forward"]
_POWERS: Final = {"backward": (0.0, -1.0), "ortho": (-0.5, -0.5), "forward": (-1.0, 0.0)}
"""Each way's factor is this power of n."""


class Spectrum(NamedTuple):
    """Real and imaginary parts."""

    re: Tensor
    im: Tensor


def rfft(
    x: Tensor, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: Norm = "backward"
) -> Spectrum:
    """sum_j x_j exp(-2 pi i j k / n) along an axis, for k = 0 to n // 2: the rest is its mirror.

    n: the length that the axis is cut or filled with zeros to; by default its own. norm: which way
    is divided by n, or both by its root with "ortho".
    """
    what = "fft.rfft"
    there, _ = _powers(what, norm)
    met = as_real(meet(what, (x,), ("x",)))
    ops, (payload,) = met.ops, met.payloads
    along = shapes.normalize_axis(axis, ops.shape(payload), what)
    length = _length(what, ops.shape(payload)[along] if n is None else integer(n, what, "n"))
    payload = _fitted(ops, payload, along, length)
    parts = ops.rfft(_scaled(ops, payload, length, there), along)
    re, im = (Tensor(ops, part, met.dtype) for part in parts)
    return Spectrum(re, im)


def irfft(
    re: Tensor,
    im: Tensor,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Norm = "backward",
) -> Tensor:
    """The real array of length n whose spectrum, as far as n // 2, has these parts.

    n: by default even, twice the axis' length less 1; give the length that went in where it was odd.
    re and im are cut or filled with zeros to n // 2 + 1. The imaginary parts at 0 and, for even n,
    at n // 2 are taken for 0. Raises ShapeError where re and im have two shapes.
    """
    what = "fft.irfft"
    _, back = _powers(what, norm)
    met = as_real(meet(what, (re, im), ("re", "im")))
    ops, parts = met.ops, met.payloads
    shape = ops.shape(parts[0])
    if shape != ops.shape(parts[1]):
        raise ShapeError(
            f"{what}: re has shape {shapes.show(shape)} and im "
            f"{shapes.show(ops.shape(parts[1]))}; they must be the same"
        )
    along = shapes.normalize_axis(axis, shape, what)
    length = _length(what, 2 * (shape[along] - 1) if n is None else integer(n, what, "n"))
    half = [_fitted(ops, part, along, length // 2 + 1) for part in parts]
    real, imaginary = (_twice_inside(ops, part, along, length) for part in half)
    (y,) = ops.rfft_transpose(real, imaginary, length, along)
    return Tensor(ops, _scaled(ops, y, length, back), met.dtype)


def rfftfreq(n: SupportsIndex, d: float = 1.0) -> Tensor:
    """The frequencies k / (n d) of `rfft`, for k = 0 to n // 2; d is the distance of samples."""
    what = "fft.rfftfreq"
    count = _length(what, integer(n, what, "n"))
    assert isinstance(count, int)
    frequencies: Tensor = from_array(np.fft.rfftfreq(count, d))
    return frequencies


def _powers(what: str, norm: str) -> tuple[float, float]:
    if norm not in _POWERS:
        raise ArgumentError(
            f"{what}: norm {norm!r} is not known; it is 'backward', 'ortho' or 'forward'"
        )
    return _POWERS[norm]


def _length(what: str, n: Extent) -> Extent:
    if isinstance(n, int) and n < 1:
        raise DomainError(f"{what}: {n} numbers have no Fourier transform; n is at least 1")
    return n


def _fitted(ops: Ops[Any], x: Any, axis: int, n: Extent) -> Any:  # Any: payloads of ops
    """x cut, or filled with zeros, to a length along an axis."""
    shape = ops.shape(x)
    have = shape[axis]
    if have == n:
        return x
    none = (0,) * len(shape)
    if isinstance(have, int) and isinstance(n, int) and n > have:
        after = tuple(n - have if i == axis else 0 for i in range(len(shape)))
        return ops.pad(x, none, after, none)
    stop = (*shape[:axis], n, *shape[axis + 1 :])
    return ops.slice(x, none, stop, (1,) * len(shape))


def _scaled(ops: Ops[Any], x: Any, n: Extent, power: float) -> Any:
    if power == 0.0:
        return x
    # Of a symbolic length only shapes are computed.
    return ops.mul(x, ops.scalar(float(n) ** power if isinstance(n, int) else 1.0, x))


def _twice_inside(ops: Ops[Any], x: Any, axis: int, n: Extent) -> Any:
    """x with the entries doubled whose mirror is another entry of the whole spectrum."""
    if not isinstance(n, int):
        return x
    weights = np.ones(n // 2 + 1)
    weights[1 : (n + 1) // 2] = 2.0
    rest = (1,) * (len(ops.shape(x)) - axis - 1)
    return ops.mul(x, ops.const(weights.astype(ops.dtype(x)).reshape(-1, *rest)))
