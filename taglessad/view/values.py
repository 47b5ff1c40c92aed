"""Arrays as a reader wants them: small ones in full, to six digits; larger ones as shape and norm."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.shapes import show

Array = NDArray[Any]  # Any: the dtype is data

FULL: Final = 8
"""Entries up to which an array is shown in full."""


def number(value: Any) -> str:
    """One entry to six significant digits. Any: a NumPy scalar of whichever kind."""
    return str(value) if value.dtype.kind in "biu" else f"{float(value):.6g}"


def norm(array: Array) -> float:
    """The 2-norm of all entries, without overflow on the way."""
    wide = np.abs(array.astype(np.float64))
    largest = float(wide.max(initial=0.0))
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    return largest * float(np.sqrt(np.sum(np.square(wide / largest))))


def value_lines(array: Array, widest: int | None = None) -> tuple[str, ...]:
    """An array as lines of text, a matrix one line a row.

    A larger array, or one with a line of more than `widest` characters, has one line in all; so has
    the register of several results, a tuple.
    """
    if isinstance(array, tuple):
        return (f"{len(array)} results",)
    if 0 < array.size <= FULL and array.ndim <= 2:
        lines = _full(array)
        if widest is None or all(len(line) <= widest for line in lines):
            return tuple(lines)
    return (f"{show(array.shape)} {_summary(array)}",)


def value_text(array: Array) -> str:
    """As `value_lines`, in one line."""
    return " ".join(line.strip() for line in value_lines(array))


def literal(array: Array) -> str:
    """A small constant so that it reads back as the same numbers: `2.0`, `[1, 2]`."""
    if array.ndim == 0:
        return str(array[()])
    return f"[{', '.join(literal(part) for part in array)}]"


def _full(array: Array) -> list[str]:
    if array.ndim == 0:
        return [number(array[()])]
    if array.ndim == 1:
        return [f"[{', '.join(number(v) for v in array)}]"]
    rows = [_full(row)[0] for row in array]
    last = len(rows) - 1
    return [
        f"{'[' if i == 0 else ' '}{row}{']' if i == last else ','}" for i, row in enumerate(rows)
    ]


def _summary(array: Array) -> str:
    if array.size == 0:
        return "empty"
    if array.dtype.kind == "b":
        return f"{int(array.sum())} of {array.size} true"
    if array.dtype.kind in "iu":
        return f"{array.min()} to {array.max()}"
    return f"norm {norm(array):.6g}"
