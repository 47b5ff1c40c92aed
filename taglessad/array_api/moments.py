"""Weighted means and ranges, under NumPy's names."""

from typing import SupportsIndex

from taglessad.array_api.arithmetic import multiply
from taglessad.array_api.manipulation import reshape
from taglessad.array_api.operands import axis_of, reals
from taglessad.array_api.statistical import Axis, max, mean, min, sum
from taglessad.errors import ShapeError
from taglessad.shapes import show
from taglessad.tensor import AnyTensor, Tensor, TensorLike


def average(
    x: TensorLike,
    /,
    axis: Axis = None,
    weights: TensorLike | None = None,
    *,
    keepdims: bool = False,
) -> Tensor:
    """The mean over axes, each entry counted by its weight.

    weights: of the shape of x, or a vector along the one axis. Raises ShapeError where they do not
    fit.
    """
    if weights is None:
        (t,) = reals("average", (x,), ("x",))
        return mean(t, axis, keepdims=keepdims)
    t, w = reals("average", (x, weights), ("x", "weights"))
    if w.shape != t.shape:
        if not isinstance(axis, SupportsIndex) or w.ndim != 1:
            raise ShapeError(
                f"average: weights {show(w.shape)} must have the shape of x {show(t.shape)}, or be "
                "a vector along the one axis given"
            )
        along, n = axis_of(t, axis, "average")
        if w.shape != (n,):
            raise ShapeError(
                f"average: {show(w.shape)} weights do not fit axis {along} of {show(t.shape)}"
            )
        w = reshape(w, tuple(n if i == along else 1 for i in range(t.ndim))) + t * 0.0
    return sum(multiply(t, w), axis, keepdims=keepdims) / sum(w, axis, keepdims=keepdims)


def ptp(x: AnyTensor, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """The largest entry over axes less the smallest."""
    return max(x, axis, keepdims=keepdims) - min(x, axis, keepdims=keepdims)
