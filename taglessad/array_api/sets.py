"""The distinct entries of an array, in ascending order; every NaN is distinct.

How many there are depends on the values, which must be known: ConcretizationError where they are
not. With `tape=True` derivatives pass to the first entry of each value.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.array_api.kinds import Kind, as_before
from taglessad.convert import as_handle, from_array
from taglessad.errors import ConcretizationError
from taglessad.tensor import AnyTensor, IntTensor


class UniqueAll(NamedTuple):
    """values: the distinct entries. indices: the first position of each in the flattened array.
    inverse_indices: for each entry of the array, in its shape, which value it is. counts: how
    often each occurs."""

    values: AnyTensor
    indices: IntTensor
    inverse_indices: IntTensor
    counts: IntTensor


class UniqueCounts(NamedTuple):
    """The distinct entries, and how often each occurs."""

    values: AnyTensor
    counts: IntTensor


class UniqueInverse(NamedTuple):
    """The distinct entries, and for each entry of the array which of them it is."""

    values: AnyTensor
    inverse_indices: IntTensor


def unique_all(x: AnyTensor, /) -> UniqueAll:
    """The distinct entries, where they are first, which is where, and how often each occurs."""
    return _unique("unique_all", x)


def unique_counts(x: AnyTensor, /) -> UniqueCounts:
    """The distinct entries, and how often each occurs."""
    found = _unique("unique_counts", x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: AnyTensor, /) -> UniqueInverse:
    """The distinct entries, and for each entry of x, in its shape, which of them it is."""
    found = _unique("unique_inverse", x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Kind, /) -> Kind:
    """The distinct entries."""
    values: Any = _unique("unique_values", x).values  # Any: of the kind of x
    return values  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def _unique(what: str, x: AnyTensor) -> UniqueAll:
    t = as_handle(x, what, "x")
    value = t.ops.peek(t.payload)
    if value is None:
        raise ConcretizationError(
            f"{what}: x is a handle under {t.ops!r}, whose value is not known, so neither is the "
            "number of distinct entries; call it outside the transform, or use tad.sort"
        )
    _, first, inverse, counts = np.unique(
        value, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    # Taken from x, so that a derivative that may look at values passes.
    flat = t.ops.reshape(t.payload, (value.size,))
    values = t.ops.take(flat, t.ops.const(_int64(first)), 0)
    where = from_array(_int64(inverse).reshape(value.shape))
    return UniqueAll(
        as_before(t, values), from_array(_int64(first)), where, from_array(_int64(counts))
    )


def _int64(value: NDArray[Any]) -> NDArray[np.int64]:  # Any: NumPy's own integer dtype
    return np.asarray(value, np.int64)
