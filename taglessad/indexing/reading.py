"""x[index]: the entries of an array that an index chooses, as NumPy's."""

from typing import Any

from taglessad.dispatch import interpreter_of, lifted
from taglessad.indexing.plan import plan
from taglessad.tensor import AnyTensor, handle


def getitem(x: AnyTensor, index: object) -> AnyTensor:
    """x[index]: integers, slices, None, an ellipsis, arrays of integers, masks, and any mixture.

    Arrays broadcast; their axes stand where the first of them stood, or in front where a slice,
    None or an ellipsis stands between them. Negative positions count from the back. An index
    whose value is known is checked: IndexOutOfRange names index, axis and shape. One that is not
    is checked when the program runs on numbers, by interpreters that can raise then; JAX reads
    NaN there. The value of a mask must be known (ConcretizationError: use tad.where). Raises
    DTypeError for indices that are no integers, ShapeError for a mask of another shape.
    """
    ops, payload = x.ops, x.payload
    if index.__class__ is int:
        y = _first_axis(ops, payload, index)
        if y is not None:
            return handle(ops, y, x.dtype, x.weak)  # type: ignore[no-any-return]
    found = plan(index, ops.shape(payload))
    if not found.arrays:
        return handle(ops, found.region.read(ops, payload), x.dtype, x.weak)  # type: ignore[no-any-return]
    ops = interpreter_of([x, *found.handles()])
    y = found.region.read(ops, lifted(ops, x))
    gather = found.gather(ops)
    if gather is not None:
        y = gather.read(ops, y)
    return handle(ops, y, x.dtype, x.weak)  # type: ignore[no-any-return]


def _first_axis(ops: Any, x: Any, i: Any) -> Any:
    """The quick path of x[3]: one slice of the first axis, None where this is another case.

    Any: an interpreter and its payload; i is an int.
    """
    shape = ops.shape(x)
    if not shape:
        return None
    n = shape[0]
    if n.__class__ is not int or not -n <= i < n:
        return None
    if i < 0:
        i += n
    rest = shape[1:]
    zeros = (0,) * len(rest)
    row = ops.slice(x, (i, *zeros), (i + 1, *rest), (1,) * len(shape))
    return ops.reshape(row, rest)
