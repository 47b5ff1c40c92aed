"""Numbers as the two documents print them."""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

import taglessad as tad

Numbers: TypeAlias = Any  # Any: a handle, an array or nested lists of numbers

_CANDLE_DTYPES: Final = {"float32": "F32", "float64": "F64"}


def fixed(value: Numbers, *, signed_zero: bool = False) -> str:
    """TorchLean's print of an array: `[[1.000000, 0.000000], [0.000000, -2.400000]]`.

    signed_zero: whether -0 shows its sign.
    """
    array = np.asarray(value)
    if array.ndim:
        return f"[{', '.join(fixed(entry, signed_zero=signed_zero) for entry in array)}]"
    text = f"{float(array):.6f}"
    return text if signed_zero or float(array) != 0.0 else text.removeprefix("-")


def state(*tensors: tad.Tensor) -> str:
    """TorchLean's print of a model's state: `[[1, 2]: [[0.1, 0.2]], [1]: [0.3]]`."""
    return f"[{', '.join(f'{list(t.shape)}: {fixed(t)}' for t in tensors)}]"


def wrapped(text: str) -> str:
    """A state on two lines, as the chapter's second transcript breaks it: after the first row."""
    return text.replace("], [", "],\n  [", 1)


def short(value: Numbers) -> str:
    """Candle's print of a number: six decimals, trailing zeros left out."""
    return f"{float(value):.6f}".rstrip("0").rstrip(".")


def described(t: tad.Tensor) -> str:
    """Candle's print of a tensor, its entries in one row: `shape [3], F32, [32, -100, 216]`."""
    entries = ", ".join(short(entry) for entry in np.asarray(t).ravel())
    return f"shape {list(t.shape)}, {_CANDLE_DTYPES[str(t.dtype)]}, [{entries}]"


def exponent(value: Numbers, digits: int) -> str:
    """Rust's scientific print: `4.957e2`, `8.8911e-2`."""
    mantissa, power = f"{float(value):.{digits}e}".split("e")
    return f"{mantissa}e{int(power)}"


def negative_zeros(value: Numbers) -> bool:
    """Whether some zero of an array carries a minus sign."""
    array = np.asarray(value)
    return bool(np.any((array == 0) & np.signbit(array)))


def truth(holds: bool) -> str:
    """Rust's print of a bool."""
    return "true" if holds else "false"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of a table as lines of equal width: the first column to the left, the rest to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
