"""Covariances and polynomial fits, under NumPy's names."""

from typing import SupportsIndex

from taglessad.array_api.joining import concat
from taglessad.array_api.linear_algebra import matmul, matrix_transpose
from taglessad.array_api.manipulation import expand_dims, reshape
from taglessad.array_api.operands import reals
from taglessad.array_api.polynomials import vander
from taglessad.array_api.statistical import mean
from taglessad.array_api.transcendental import sqrt
from taglessad.errors import ArgumentError, ShapeError
from taglessad.linalg.products import diagonal
from taglessad.linalg.solving import lstsq
from taglessad.shapes import show
from taglessad.shapes.axes import integer
from taglessad.tensor import Tensor, TensorLike, known_size


def cov(
    m: TensorLike,
    y: TensorLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
) -> Tensor:
    """The covariance matrix of variables in the rows of m (and of y), observations in the columns.

    rowvar=False: the other way round. The sums of products are divided by N - ddof: by N - 1 by
    default, by N with `bias`. One variable gives one number.
    """
    given = (m,) if y is None else (m, y)
    parts = [_rows("cov", t, rowvar) for t in reals("cov", given, ("m", "y"))]
    table = parts[0] if len(parts) == 1 else concat(parts, axis=0)
    n = known_size(table.shape[1], "cov")
    over = n - (ddof if ddof is not None else 0 if bias else 1)
    centred = table - mean(table, 1, keepdims=True)
    products = matmul(centred, matrix_transpose(centred))
    found = products / float(over) if over > 0 else products * float("nan")
    return reshape(found, ()) if found.shape == (1, 1) else found


def corrcoef(x: TensorLike, y: TensorLike | None = None, rowvar: bool = True) -> Tensor:
    """The correlation coefficients of variables: covariances over both standard deviations."""
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    deviation = sqrt(diagonal(c))
    return c / expand_dims(deviation, axis=1) / expand_dims(deviation, axis=0)


def _rows(what: str, t: Tensor, rowvar: bool) -> Tensor:
    if t.ndim > 2:
        raise ShapeError(f"{what}: shape {show(t.shape)} has more than two axes")
    if t.ndim < 2:
        return reshape(t, (1, -1))
    return t if rowvar or t.shape[0] == 1 else matrix_transpose(t)


def polyfit(x: TensorLike, y: TensorLike, deg: SupportsIndex, /) -> Tensor:
    """The coefficients, highest power first, of the polynomial of degree deg nearest to the points.

    Least squares; y is a vector or a matrix of one column for each fit. Differentiable in x and y.
    """
    degree = integer(deg, "polyfit", "deg")
    if degree < 0:
        raise ArgumentError(f"polyfit: deg is {degree}, below 0")
    points, values = reals("polyfit", (x, y), ("x", "y"))
    if points.ndim != 1 or values.ndim not in (1, 2) or points.shape != values.shape[:1]:
        raise ShapeError(
            f"polyfit: x {show(points.shape)} must be a vector as long as y {show(values.shape)}"
        )
    return lstsq(vander(points, degree + 1), values)[0]
