"""x[index]: the entries of an array that an index chooses, as NumPy's."""

from typing import Any

import numpy as np

from taglessad.convert import within
from taglessad.dispatch import interpreter_of, lifted
from taglessad.indexing.entries import WHAT, entries
from taglessad.indexing.plan import plan
from taglessad.indexing.positions import Places, check_range, places
from taglessad.interpreter import BODIES
from taglessad.ops import Ops
from taglessad.shapes import Extent
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
    x = within(x) if BODIES else x
    ops, payload = x.ops, x.payload
    y = _quick(ops, payload, index)
    if y is not None:
        return handle(ops, y, x.dtype, x.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    if isinstance(index, (list, np.ndarray, AnyTensor)) and ops.shape(payload):
        (part,) = entries(index)
        if isinstance(part, AnyTensor):
            return _rows(x, part)
        if isinstance(part, np.ndarray) and part.dtype != np.bool_:
            return _rows(x, part)
    found = plan(index, ops.shape(payload))
    if not found.arrays:
        return handle(ops, found.region.read(ops, payload), x.dtype, x.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    ops = interpreter_of([x, *found.handles()])
    y = found.region.read(ops, lifted(ops, x))
    gather = found.gather(ops)
    if gather is not None:
        y = gather.read(ops, y)
    return handle(ops, y, x.dtype, x.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _rows(x: AnyTensor, index: Places) -> AnyTensor:
    """The quick path of x[[2, 0]]: slices of the first axis."""
    shape = x.shape
    if isinstance(index, np.ndarray):
        check_range(index, 0, shape, WHAT)
        ops = x.ops
    else:
        ops = interpreter_of([x, index])
    y = ops.take(lifted(ops, x), places(ops, [index], shape[:1]), 0)
    return handle(ops, y, x.dtype, x.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _quick(ops: Ops[Any], x: Any, index: Any) -> Any:
    """Positions and forward slices of axes of known size, in one pass: None for other cases.

    Any: a payload of `ops`; an index of any kind.
    """
    shape = ops.shape(x)
    parts = index if index.__class__ is tuple else (index,)
    if len(parts) > len(shape):
        return None
    starts: list[int] = []
    stops: list[int] = []
    steps: list[int] = []
    box: list[Extent] = []
    for part, n in zip(parts, shape, strict=False):
        if not isinstance(n, int):
            return None
        if part.__class__ is int:
            if not -n <= part < n:
                return None
            start = part + n if part < 0 else part
            stop, step = start + 1, 1
        elif part.__class__ is slice:
            try:
                start, stop, step = part.indices(n)
            except (TypeError, ValueError):
                return None
            if step < 0:
                return None
            stop = max(start, stop)
            box.append((stop - start + step - 1) // step)
        else:
            return None
        starts.append(start)
        stops.append(stop)
        steps.append(step)
    rest = shape[len(parts) :]
    y = ops.slice(
        x,
        (*starts, *(0,) * len(rest)),
        (*stops, *rest),
        (*steps, *(1,) * len(rest)),
    )
    return y if len(box) == len(parts) else ops.reshape(y, (*box, *rest))
