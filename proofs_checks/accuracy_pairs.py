"""Functions of two numbers whose accuracy is measured: each with itself in mpmath."""

from typing import Any, Final

import numpy as np

from taglessad.array_api import arithmetic as arith
from taglessad.array_api import comparison as compare
from taglessad.array_api import numpy_elementwise as more
from taglessad.array_api import rounding
from taglessad.array_api import transcendental as trans
from taglessad.proofs_checks.accuracy import ZERO, Real, Row, mpmath
from taglessad.proofs_checks.accuracy_points import F64, over, piecewise, relative, two, unit

TINY: Final = float(np.finfo(np.float64).tiny)
INF: Final = float("inf")
mp: Final[Any] = mpmath()  # Any: a module without types

BROAD: Final = over(-INF, INF, (-50, 50), near=(0.0,))
SIZES: Final = over(0.0, INF, (0, 50), near=(0.0, 1.0))
GAPS: Final = over(-INF, INF, (-700, 700), near=(0.0,))
COMPARABLE: Final = "where the quotients are normal numbers: of them the derivatives are made"


def _logaddexp(a: Real, b: Real) -> Real:
    return max(a, b) + mp.log1p(mp.exp(-abs(a - b)))


def _logaddexp2(a: Real, b: Real) -> Real:
    return max(a, b) + mp.log1p(mp.power(2, -abs(a - b))) / mp.log(2)


def _comparable(a: F64, b: F64) -> Any:  # Any: truth values
    """The operands' quotients are normal numbers."""
    ratio = np.abs(a / b)
    return (ratio > TINY) & (ratio < 1 / TINY)


def _square_in_range(a: F64, b: F64) -> Any:  # Any: truth values
    """Where the second derivatives, but for their difference, are in range."""
    ratio = np.abs(a / b)
    return _comparable(a, b) & (
        (np.maximum(np.abs(a), np.abs(b)) > 1e-150) | (np.abs(np.log2(ratio)) > 1)
    )


def _normal_power(a: F64, b: F64) -> Any:  # Any: truth values
    power = np.power(a, b)
    return (power > TINY) & (power < 1 / TINY)


def _apart(a: F64, b: F64) -> Any:  # Any: truth values
    return a != b


def _off_multiples(a: F64, b: F64) -> Any:  # Any: truth values
    """Where the quotient has no jump within its last places, and is not too large to have any."""
    ratio = a / b
    return (np.abs(ratio) < 2.0**45) & (np.abs(ratio) > 2.0**-45) & (np.fmod(a, b) != 0)


def _remainder(a: Real, b: Real) -> Real:
    return a - b * mp.floor(a / b)


def _fmod(a: Real, b: Real) -> Real:
    ratio = a / b
    return a - b * mp.sign(ratio) * mp.floor(abs(ratio))


WHOLE: Final = "where the quotient is less than 2**45, and no whole number"
PAIRS: Final = (
    Row("add", arith.add, lambda a, b: a + b, (relative, relative), two(BROAD, BROAD)),
    Row("subtract", arith.subtract, lambda a, b: a - b, (relative, relative), two(BROAD, BROAD)),
    Row("multiply", arith.multiply, lambda a, b: a * b, (relative, relative), two(BROAD, BROAD)),
    Row(
        "divide",
        arith.divide,
        lambda a, b: a / b,
        (relative, relative),
        two(BROAD, BROAD, _comparable),
        COMPARABLE,
    ),
    *(
        Row(name, f, exact, (piecewise, piecewise), two(BROAD, BROAD, _off_multiples), WHOLE)
        for name, f, exact in (
            ("floor_divide", rounding.floor_divide, lambda a, b: mp.floor(a / b)),
            ("remainder", rounding.remainder, _remainder),
            ("fmod", rounding.fmod, _fmod),
        )
    ),
    *(
        Row(name, f, exact, (piecewise, piecewise), two(BROAD, BROAD, _apart, (1.0,)))
        for name, f, exact in (
            ("maximum", compare.maximum, max),
            ("minimum", compare.minimum, min),
            ("copysign", arith.copysign, lambda a, b: abs(a) * mp.sign(b)),
        )
    ),
    Row(
        "pow",
        arith.pow,
        mp.power,
        (relative, lambda b: mp.mpf(10) ** -3 * unit(b)),
        two(SIZES, over(-INF, INF, (-20, 20), (0.0, 1.0)), _normal_power),
        "where the power is a normal number: of it the derivatives are made",
        {"f_xy": ZERO},
    ),
    Row(
        "hypot",
        trans.hypot,
        mp.hypot,
        (relative, relative),
        two(BROAD, BROAD, _comparable, (1.0, -1.0)),
        COMPARABLE,
    ),
    Row(
        "atan2",
        trans.atan2,
        mp.atan2,
        (relative, relative),
        two(BROAD, BROAD, _square_in_range, (1.0, -1.0)),
        f"{COMPARABLE}; within a factor of 2 of each other more than 1e-150",
        {"f_xy": ZERO},
    ),
    Row(
        "logaddexp",
        trans.logaddexp,
        _logaddexp,
        (unit, unit),
        two(GAPS, GAPS, None, (1.0,)),
        "",
        {"f": ZERO},
    ),
    Row(
        "logaddexp2",
        more.logaddexp2,
        _logaddexp2,
        (unit, unit),
        two(GAPS, GAPS, None, (1.0,)),
        "",
        {"f": ZERO},
    ),
)
