"""Shapes of functions of matrices: the last two axes are the matrix, those before are the batch."""

from taglessad.dims import UNKNOWN, Extent, Shape, at_least, differ
from taglessad.errors import ShapeError
from taglessad.shapes.axes import show


def matrix(shape: Shape, what: str) -> tuple[Extent, Extent]:
    """Rows and columns. Raises ShapeError below rank 2."""
    if len(shape) < 2:
        raise ShapeError(f"{what}: shape {show(shape)} is no matrix: at least two axes are needed")
    return shape[-2], shape[-1]


def square(shape: Shape, what: str) -> Extent:
    """The size of square matrices. Raises ShapeError for others, and below rank 2."""
    rows, columns = matrix(shape, what)
    if why := differ(rows, columns):
        raise ShapeError(f"{what}: shape {show(shape)}: the matrices must be square ({why})")
    return columns if rows is UNKNOWN else rows


def shorter(shape: Shape, what: str) -> Extent:
    """The smaller of rows and columns; UNKNOWN where symbols leave that open."""
    rows, columns = matrix(shape, what)
    if at_least(columns, rows):
        return rows
    return columns if at_least(rows, columns) else UNKNOWN


def solve(a: Shape, b: Shape, what: str) -> Shape:
    """The shape of the solution of a x = b for matrices b, batch axes equal in both.

    Raises ShapeError where the sizes do not fit.
    """
    n = square(a, what)
    if len(b) != len(a):
        raise ShapeError(f"{what}: shapes {show(a)} and {show(b)} differ in rank")
    for p, q in zip((*a[:-2], n), b[:-1], strict=True):
        if why := differ(p, q):
            raise ShapeError(f"{what}: shapes {show(a)} and {show(b)} do not fit ({why})")
    return b
