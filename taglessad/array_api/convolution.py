"""Products of sequences and tables: 1-D convolution, Kronecker and inner products."""

from typing import Any, Literal, TypeAlias, get_args

from taglessad.array_api.linear_algebra import tensordot
from taglessad.array_api.manipulation import reshape
from taglessad.array_api.operands import numbers
from taglessad.dispatch import Operands, as_number, meet
from taglessad.errors import ArgumentError, ShapeError
from taglessad.shapes import show
from taglessad.shapes.convolution import Pair, Window
from taglessad.tensor import Tensor, TensorLike, handle, known_size

Mode: TypeAlias = Literal["full", "same", "valid"]


def convolve(a: TensorLike, v: TensorLike, /, mode: Mode = "full") -> Tensor:
    """The discrete convolution of two vectors: the sum over j of a[j] v[k - j].

    mode: every overlap ("full"), the length of the longer ("same"), full overlaps alone ("valid").
    Raises ShapeError for what is no vector or is empty.
    """
    met, n, m = _vectors("convolve", a, v, mode)
    first, second = met.payloads
    if m > n:
        first, second, n, m = second, first, m, n
    return _moved(met, first, met.ops.flip(second, (0,)), _ends(mode, m, m // 2))


def correlate(a: TensorLike, v: TensorLike, /, mode: Mode = "valid") -> Tensor:
    """The cross-correlation of two vectors: the sum over j of a[j + k] v[j]; modes as `convolve`."""
    met, n, m = _vectors("correlate", a, v, mode)
    first, second = met.payloads
    if m > n:
        first, second = met.ops.flip(second, (0,)), met.ops.flip(first, (0,))
        return _moved(met, first, second, _ends(mode, n, (n - 1) // 2))
    return _moved(met, first, second, _ends(mode, m, m // 2))


def _vectors(what: str, a: TensorLike, v: TensorLike, mode: Mode) -> tuple[Operands, int, int]:
    """The operands and their lengths."""
    if mode not in get_args(Mode):
        raise ArgumentError(f"{what}: mode {mode!r} is none of {get_args(Mode)}")
    met = as_number(meet(what, (a, v), ("a", "v")))
    first, second = (met.ops.shape(p) for p in met.payloads)
    if len(first) != 1 or len(second) != 1 or 0 in (*first, *second):
        raise ShapeError(
            f"{what}: a {show(first)} and v {show(second)} must be vectors of at least one entry"
        )
    return met, known_size(first[0], what), known_size(second[0], what)


def _ends(mode: Mode, m: int, before: int) -> Pair:
    """The zeros before and behind what m entries move over; `before` for the mode "same"."""
    if mode == "same":
        return before, m - 1 - before
    return (m - 1, m - 1) if mode == "full" else (0, 0)


def _moved(met: Operands, x: Any, kernel: Any, ends: Pair) -> Tensor:
    """One vector moved over another, as the convolution of one member with one channel."""
    # Any: payloads of whichever interpreter runs.
    ops = met.ops
    wide, moving = (ops.reshape(p, (1, 1, *ops.shape(p))) for p in (x, kernel))
    y = ops.convolution(wide, moving, Window((1,), (ends,), (1,), (1,)))
    made: Tensor = handle(ops, ops.reshape(y, ops.shape(y)[2:]), met.dtype, met.weak)
    return made


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
