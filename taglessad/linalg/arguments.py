"""What the functions of matrices do with their arguments before they call a primitive."""

from typing import Any

from taglessad import shapes
from taglessad.convert import as_handle
from taglessad.dispatch import Operands, as_real, cast, interpreter_of, lifted, meet
from taglessad.dtypes import eps
from taglessad.errors import ArgumentError, ShapeError
from taglessad.ops import Ops
from taglessad.shapes import linear_algebra
from taglessad.tensor import Tensor, TensorLike


def matrices(x: TensorLike, what: str) -> Operands:
    """Matrices of real numbers; integers become float64. Raises ShapeError below rank 2."""
    met = as_real(meet(what, (x,), ("x",)))
    linear_algebra.matrix(met.ops.shape(met.payloads[0]), what)
    return met


def square_matrices(x: TensorLike, what: str) -> Operands:
    """Square matrices of real numbers. Raises ShapeError for others."""
    met = matrices(x, what)
    linear_algebra.square(met.ops.shape(met.payloads[0]), what)
    return met


def result(met: Operands, payload: Any) -> Tensor:  # Any: a payload of met.ops
    """A handle of the operands' kind."""
    return Tensor(met.ops, payload, met.dtype, met.weak)


def results(met: Operands, payloads: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """One handle for each result."""
    return tuple(result(met, p) for p in payloads)


def batched(ops: Ops[Any], a: Any, b: Any, what: str) -> tuple[Any, Any]:  # Any: payloads of `ops`
    """Matrices a and right sides b with one batch shape, which the axes before the last two make."""
    own, theirs = ops.shape(a), ops.shape(b)
    if shapes.differ(own[-2], theirs[-2]):
        raise ShapeError(
            f"{what}: shapes {shapes.show(own)} and {shapes.show(theirs)}: b must have as many "
            f"rows as a ({shapes.differ(own[-2], theirs[-2])})"
        )
    try:
        lead = shapes.broadcast(own[:-2], theirs[:-2], what=what)
    except ShapeError:
        raise ShapeError(
            f"{what}: shapes {shapes.show(own)} and {shapes.show(theirs)}: the axes before the "
            "last two do not broadcast"
        ) from None
    return _stretched(ops, a, (*lead, *own[-2:])), _stretched(ops, b, (*lead, *theirs[-2:]))


def _stretched(ops: Ops[Any], x: Any, shape: shapes.Shape) -> Any:
    return x if ops.shape(x) == shape else ops.broadcast(x, shape)


def fraction(met: Operands, tolerance: object, what: str) -> tuple[Operands, Any]:
    """The operands, and a relative tolerance for each matrix of the first; it has no derivative.

    tolerance: a number or an array that broadcasts to the batch; None for max(M, N) times the
    dtype's eps. Any: a payload of the interpreter in which they meet. Raises ArgumentError for
    truth values and text, ShapeError where it does not broadcast.
    """
    shape, dtype = met.ops.shape(met.payloads[0]), met.dtype
    if tolerance is None:
        sizes = [n for n in shape[-2:] if isinstance(n, int)]
        tolerance = max(sizes, default=1) * eps(dtype)
    if isinstance(tolerance, bool | str):
        raise ArgumentError(f"{what}: the tolerance is {tolerance!r}; it must be a real number")
    own, given = result(met, met.payloads[0]), as_handle(tolerance, what, "the tolerance")
    ops = interpreter_of([own, given])
    operands = tuple(ops.lift(met.ops, p) for p in met.payloads)
    payload = ops.detach(cast(ops, lifted(ops, given), given.dtype, dtype))
    lead = shapes.broadcast_to(ops.shape(payload), shape[:-2], what)
    return met._replace(ops=ops, payloads=operands), _stretched(ops, payload, lead)
