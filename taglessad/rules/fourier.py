"""The discrete Fourier transform of real numbers, and its transpose. Legend in primitive.py.

Complex numbers are pairs of arrays, real and imaginary parts. Both primitives are linear, and each
is the other's derivative rule, so they are closed under differentiation.
"""

from typing import TYPE_CHECKING, Final, TypeVar

from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, declare_several
from taglessad.rules.infer import common
from taglessad.rules.structural import Mapped, leading
from taglessad.shapes import Extent, Shape

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")


def _resized(shape: Shape, axis: int, n: Extent) -> Shape:
    return (*shape[:axis], n, *shape[axis + 1 :])


def _or_zeros(ops: "Ops[R]", x: R | None, like: R) -> R:
    return ops.zeros(ops.aval(like)) if x is None else x


# --- rfft ----------------------------------------------------------------------------------------
def _infer(x: Aval, axis: int) -> tuple[Aval, Aval]:
    half = Aval(_resized(x.shape, axis, x.shape[axis] // 2 + 1), x.dtype)
    return half, half


def _push(
    ops: "Ops[R]", ds: list[R | None], ys: tuple[R, ...], xs: tuple[R, ...], params: tuple[int]
) -> list[R | None]:
    (d,) = ds
    assert d is not None
    return list(ops.rfft(d, *params))


def _pull(
    ops: "Ops[R]",
    gs: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: tuple[int],
    wanted: tuple[bool, ...],
) -> list[R | None]:
    (axis,) = params
    re, im = (_or_zeros(ops, g, y) for g, y in zip(gs, ys, strict=True))
    return list(ops.rfft_transpose(re, im, ops.shape(xs[0])[axis], axis))


def _batch(
    ops: "Ops[R]", size: int, mapped: Mapped, xs: tuple[R, ...], params: tuple[int]
) -> tuple[R, ...]:
    return ops.rfft(xs[0], params[0] + 1)


RFFT: Final = declare_several("rfft", _infer, _push, _pull, _batch)


# --- its transpose -------------------------------------------------------------------------------
def _infer_transpose(re: Aval, im: Aval, n: Extent, axis: int) -> tuple[Aval]:
    half = common(re, im)
    return (Aval(_resized(half.shape, axis, n), half.dtype),)


def _push_transpose(
    ops: "Ops[R]",
    ds: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: tuple[Extent, int],
) -> list[R | None]:
    re, im = (_or_zeros(ops, d, x) for d, x in zip(ds, xs, strict=True))
    return list(ops.rfft_transpose(re, im, *params))


def _pull_transpose(
    ops: "Ops[R]",
    gs: list[R | None],
    ys: tuple[R, ...],
    xs: tuple[R, ...],
    params: tuple[Extent, int],
    wanted: tuple[bool, ...],
) -> list[R | None]:
    (g,) = gs
    assert g is not None
    return list(ops.rfft(g, params[1]))


def _batch_transpose(
    ops: "Ops[R]", size: int, mapped: Mapped, xs: tuple[R, ...], params: tuple[Extent, int]
) -> tuple[R, ...]:
    re, im = (leading(ops, size, m, x) for m, x in zip(mapped, xs, strict=True))
    return ops.rfft_transpose(re, im, params[0], params[1] + 1)


RFFT_TRANSPOSE: Final = declare_several(
    "rfft_transpose", _infer_transpose, _push_transpose, _pull_transpose, _batch_transpose
)


class Fourier(Interpreter[R]):
    """The methods of this family."""

    def rfft(self, x: R, axis: int, /) -> tuple[R, ...]:
        """Real and imaginary parts of sum_j x_j exp(-2 pi i j k / n), for k = 0 to n // 2."""
        return self.apply_n(RFFT, (x,), (axis,))

    def rfft_transpose(self, re: R, im: R, n: Extent, axis: int, /) -> tuple[R, ...]:
        """One result: sum_k re_k cos(2 pi j k / n) - im_k sin(2 pi j k / n), for j = 0 to n - 1.

        k runs from 0 to n // 2, each term once.
        """
        return self.apply_n(RFFT_TRANSPOSE, (re, im), (n, axis))
