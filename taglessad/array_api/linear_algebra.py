"""Products that sum over axes, and matrices rearranged. `taglessad.linalg` has these and more.

Operands come to their common dtype; bools count as integers. Each product is one contraction, so
its derivative is again one. Raises ShapeError where sizes do not fit.
"""

from string import ascii_letters
from typing import Any, Final, SupportsIndex

from taglessad import shapes
from taglessad.array_api.einsum import Operand, contracted
from taglessad.array_api.kinds import Kind, as_before
from taglessad.convert import as_handle
from taglessad.dispatch import Operands, as_number, meet
from taglessad.errors import ShapeError
from taglessad.interpreter import BODIES
from taglessad.shapes.axes import integer
from taglessad.shapes.contraction import Axes
from taglessad.tensor import Tensor, TensorLike, handle

_SMALL: Final = {(1, 1): "k,k->", (1, 2): "k,kj->j", (2, 1): "ik,k->i", (2, 2): "ik,kj->ij"}


def _met(what: str, x1: TensorLike, x2: TensorLike) -> Operands:
    if x1.__class__ is Tensor and x2.__class__ is Tensor and not BODIES:
        if x1.ops is x2.ops and x1.dtype is x2.dtype:
            return Operands(x1.ops, (x1.payload, x2.payload), x1.dtype, x1.weak and x2.weak)
    return as_number(meet(what, (x1, x2), ("x1", "x2")))


def _result(met: Operands, payload: Any) -> Any:  # Any: a Tensor, or an IntTensor of integers
    return handle(met.ops, payload, met.dtype, met.weak)


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The matrix product over the last two axes; those before broadcast.

    A vector is a row on the left, a column on the right, and leaves no axis of its own. Raises
    ShapeError for a scalar.
    """
    met = _met("matmul", x1, x2)
    ops, (a, b) = met.ops, met.payloads
    left, right = ops.shape(a), ops.shape(b)
    spec = _SMALL.get((len(left), len(right)))
    if spec is not None:
        try:
            return _result(met, ops.contract(a, b, spec))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
        except ValueError:
            shapes.matmul(left, right)
            raise
    shapes.matmul(left, right)
    batch = max(len(left), len(right)) - 2
    letters = ascii_letters[3 : 3 + batch]
    rows = "ik" if len(left) > 1 else "k"
    columns = "kj" if len(right) > 1 else "k"
    x = Operand(a, letters[batch - len(left[:-2]) :] + rows)
    y = Operand(b, letters[batch - len(right[:-2]) :] + columns)
    output = letters + rows[:-1] + columns[1:]
    return _result(met, contracted(ops, x, y, output).payload)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: SupportsIndex = -1) -> Tensor:
    """The inner products along an axis; the other axes broadcast."""
    met = _met("vecdot", x1, x2)
    ops, (a, b) = met.ops, met.payloads
    left, right = ops.shape(a), ops.shape(b)
    rest = ascii_letters[1 : 1 + len(shapes.vecdot(left, right, axis))]
    i, j = (shapes.normalize_axis(axis, s, "vecdot") for s in (left, right))
    x = Operand(a, _with_letter(rest[len(rest) - len(left) + 1 :], i))
    y = Operand(b, _with_letter(rest[len(rest) - len(right) + 1 :], j))
    return _result(met, contracted(ops, x, y, rest).payload)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _with_letter(letters: str, place: int) -> str:
    return letters[:place] + "a" + letters[place:]


def tensordot(x1: Tensor, x2: Tensor, /, axes: int | tuple[Axes, Axes] = 2) -> Tensor:
    """The product summed over paired axes: the axes left of x1, then those left of x2.

    axes: how many of the last axes of x1 meet the first of x2, or the axes of x1 and those of x2
    that meet, in order.
    """
    met = _met("tensordot", x1, x2)
    ops, (a, b) = met.ops, met.payloads
    left, right = ops.shape(a), ops.shape(b)
    shapes.tensordot(left, right, axes)
    ours, theirs = shapes.paired_axes(left, right, axes)
    letters = ascii_letters[: len(left) + len(right)]
    first, second = letters[: len(left)], list(letters[len(left) :])
    for i, j in zip(ours, theirs, strict=True):
        second[j] = first[i]
    rest = "".join(c for i, c in enumerate(first) if i not in ours)
    rest += "".join(c for j, c in enumerate(second) if j not in theirs)
    return _result(met, ops.contract(a, b, f"{first},{''.join(second)}->{rest}"))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def matrix_transpose(x: Kind, /) -> Kind:
    """The last two axes exchanged. Raises ShapeError below rank 2."""
    t = as_handle(x, "matrix_transpose", "x")
    if t.ndim < 2:
        raise ShapeError(f"matrix_transpose: shape {shapes.show(t.shape)} has no two axes")
    return as_before(t, t.ops.permute(t.payload, _last_exchanged(t.ndim)))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _last_exchanged(rank: int) -> tuple[int, ...]:
    return (*range(rank - 2), rank - 1, rank - 2)


def diag(x: Kind, /, k: SupportsIndex = 0) -> Kind:
    """A vector on a diagonal of a matrix of zeros; of a matrix, that diagonal.

    k: 0 is the main diagonal, positive ones are above it. Raises ShapeError for other ranks.
    """
    t = as_handle(x, "diag", "x")
    offset = integer(k, "diag", "k")
    if t.ndim == 2:
        return as_before(t, t.ops.diagonal(t.payload, offset))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    if t.ndim != 1:
        raise ShapeError(f"diag: shape {shapes.show(t.shape)} is neither a vector nor a matrix")
    n = t.shape[0] + abs(offset)
    return as_before(t, t.ops.place_diagonal(t.payload, offset, n, n))  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
