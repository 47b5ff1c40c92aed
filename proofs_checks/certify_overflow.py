"""Where a float computation leaves the range of its numbers: errors that rounding cannot explain."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from taglessad.proofs_checks.certify_floats import FloatReport
from taglessad.transforms.where_nan import where_nan


def overflowed(f: Callable[..., Any], args: Sequence[Any]) -> str:  # Any: a program's own
    """The first operation that makes an infinity or a NaN of numbers, as a clause; "" for none.

    Where value and gradient are enclosed in numbers, it is the floats' range that was left.
    """
    found = where_nan(f)(*args)
    if found is None:
        return ""
    whole = not np.isnan(found.result).any() and all(np.all(x) for x in found.operands)
    what = "overflows" if whole else "is not finite"
    return f"an intermediate {what} in {found.result.dtype}: {found}"


def because(report: FloatReport, overflow: str) -> FloatReport:
    """The report with what explains it where rounding does not."""
    return report if report.explained else replace(report, overflow=overflow)
