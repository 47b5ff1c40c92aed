"""Polynomials by their coefficients, the highest power first, under NumPy's names."""

from typing import SupportsIndex

from taglessad.array_api.creation import arange, asarray
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.joining import concat, stack
from taglessad.array_api.manipulation import flip
from taglessad.array_api.operands import numbers, part, real
from taglessad.errors import ArgumentError, ShapeError
from taglessad.shapes import show
from taglessad.shapes.axes import integer
from taglessad.tensor import Tensor, TensorLike, known_size


def polyval(p: TensorLike, x: TensorLike, /) -> Tensor:
    """The polynomial with coefficients p at x, by Horner's rule; differentiable in both."""
    coefficients, t = numbers("polyval", (p, x), ("p", "x"))
    n = _length("polyval", coefficients)
    total = t * 0
    for i in range(n):
        total = total * t + _entry(coefficients, i)
    return total


def polyder(p: TensorLike, /, m: SupportsIndex = 1) -> Tensor:
    """The coefficients of the m-th derivative."""
    (c,) = numbers("polyder", (p,), ("p",))
    n = _length("polyder", c)
    for _ in range(_times("polyder", m)):
        if n < 2:
            return part(c, 0, 0, 0)
        powers = astype(arange(n - 1, 0, -1), c.dtype)
        n -= 1
        c = part(c, 0, n, 0) * powers
    return c


def polyint(p: TensorLike, /, m: SupportsIndex = 1, k: TensorLike = 0.0) -> Tensor:
    """The coefficients of an m-th antiderivative, whose constants of integration are all k."""
    c, constant = real(p, "polyint", "p"), real(k, "polyint", "k")
    if constant.ndim:
        raise ArgumentError(f"polyint: k has shape {show(constant.shape)}; one number is expected")
    n = _length("polyint", c)
    for _ in range(_times("polyint", m)):
        powers = astype(arange(n, 0, -1), c.dtype)
        c = concat(
            [c / powers, asarray(constant + c[:1] * 0.0) if n else asarray([0.0]) + constant]
        )
        n += 1
    return c


def vander(x: TensorLike, /, N: SupportsIndex | None = None, *, increasing: bool = False) -> Tensor:
    """The powers of each entry of a vector, N of them (as many as entries), one a column."""
    (t,) = numbers("vander", (x,), ("x",))
    n = _length("vander", t, "x")
    count = n if N is None else integer(N, "vander", "N")
    if count < 0:
        raise ArgumentError(f"vander: N is {count}, below 0")
    if count == 0:
        return stack([t], axis=1)[:, :0]
    columns = [t**k for k in range(count)]
    table = stack(columns, axis=1)
    return table if increasing else flip(table, axis=1)


def _entry(c: Tensor, i: int) -> Tensor:
    return c[i]


def _length(what: str, p: Tensor, name: str = "p") -> int:
    if p.ndim != 1:
        raise ShapeError(f"{what}: {name} has shape {show(p.shape)}; a vector is expected")
    return known_size(p.shape[0], what)


def _times(what: str, m: SupportsIndex) -> int:
    times = integer(m, what, "m")
    if times < 0:
        raise ArgumentError(f"{what}: m is {times}, below 0")
    return times
