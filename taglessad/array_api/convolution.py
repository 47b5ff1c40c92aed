"""Products of sequences and tables: 1-D convolution, Kronecker and inner products."""

from typing import Literal, TypeAlias, get_args

import numpy as np

from taglessad.array_api.creation import asarray
from taglessad.array_api.indexing import take
from taglessad.array_api.joining import pad
from taglessad.array_api.linear_algebra import matmul, tensordot
from taglessad.array_api.manipulation import flip, reshape
from taglessad.array_api.operands import numbers, part
from taglessad.errors import ArgumentError, ShapeError
from taglessad.shapes import show
from taglessad.tensor import Tensor, TensorLike, known_size

Mode: TypeAlias = Literal["full", "same", "valid"]


def convolve(a: TensorLike, v: TensorLike, /, mode: Mode = "full") -> Tensor:
    """The discrete convolution of two vectors: the sum over j of a[j] v[k - j].

    mode: every overlap ("full"), the length of the longer ("same"), full overlaps alone ("valid").
    Raises ShapeError for what is no vector or is empty.
    """
    first, second = _vectors("convolve", a, v, mode)
    n, m = known_size(first.shape[0], "convolve"), known_size(second.shape[0], "convolve")
    if m > n:
        first, second, n, m = second, first, m, n
    return _cut(_full(first, second, n, m), n, m, mode, late=False)


def correlate(a: TensorLike, v: TensorLike, /, mode: Mode = "valid") -> Tensor:
    """The cross-correlation of two vectors: the sum over j of a[j + k] v[j]; modes as `convolve`."""
    first, second = _vectors("correlate", a, v, mode)
    n, m = known_size(first.shape[0], "correlate"), known_size(second.shape[0], "correlate")
    second = flip(second)
    if m > n:
        return _cut(_full(second, first, m, n), m, n, mode, late=True)
    return _cut(_full(first, second, n, m), n, m, mode, late=False)


def _vectors(what: str, a: TensorLike, v: TensorLike, mode: Mode) -> tuple[Tensor, Tensor]:
    if mode not in get_args(Mode):
        raise ArgumentError(f"{what}: mode {mode!r} is none of {get_args(Mode)}")
    first, second = numbers(what, (a, v), ("a", "v"))
    if first.ndim != 1 or second.ndim != 1 or 0 in (*first.shape, *second.shape):
        raise ShapeError(
            f"{what}: a {show(first.shape)} and v {show(second.shape)} must be vectors of at least "
            "one entry"
        )
    return first, second


def _full(a: Tensor, v: Tensor, n: int, m: int) -> Tensor:
    """All overlaps of a with the shorter v: windows of a, padded by zeros, times v turned round."""
    wide = pad(a, (m - 1, m - 1))
    windows = np.arange(n + m - 1)[:, None] + np.arange(m)[None, :]
    return matmul(take(wide, asarray(windows)), flip(v))


def _cut(whole: Tensor, n: int, m: int, mode: Mode, late: bool) -> Tensor:
    if mode == "full":
        return whole
    if mode == "valid":
        return part(whole, m - 1, n, 0)
    start = m // 2 if late else (m - 1) // 2
    return part(whole, start, start + n, 0)


def inner(a: TensorLike, b: TensorLike, /) -> Tensor:
    """The sums of products over the last axes of both; a plain product where one is a number."""
    x, y = numbers("inner", (a, b), ("a", "b"))
    return x * y if 0 in (x.ndim, y.ndim) else tensordot(x, y, axes=((-1,), (-1,)))


def kron(a: TensorLike, b: TensorLike, /) -> Tensor:
    """The Kronecker product: each entry of a times all of b, as blocks."""
    x, y = numbers("kron", (a, b), ("a", "b"))
    rank = max(x.ndim, y.ndim)
    first = reshape(x, (*(1,) * (rank - x.ndim), *x.shape))
    second = reshape(y, (*(1,) * (rank - y.ndim), *y.shape))
    rows = tuple(n for size in first.shape for n in (size, 1))
    blocks = tuple(n for size in second.shape for n in (1, size))
    product = reshape(first, rows) * reshape(second, blocks)
    sizes = tuple(p * q for p, q in zip(first.shape, second.shape, strict=True))
    return reshape(product, sizes)
