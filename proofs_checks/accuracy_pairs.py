"""Functions of two numbers whose accuracy is measured: each with itself in mpmath."""

from typing import Any, Final

import numpy as np

import taglessad.special as special
from taglessad.array_api import numpy_elementwise as more
from taglessad.array_api import transcendental as trans
from taglessad.array_api.arithmetic import divide, multiply, pow
from taglessad.proofs_checks.accuracy import Real, Row, mpmath
from taglessad.proofs_checks.accuracy_points import F64, from_zero, over, relative, two, unit

TINY: Final = float(np.finfo(np.float64).tiny)
INF: Final = float("inf")
mp: Final[Any] = mpmath()  # Any: a module without types

BROAD: Final = over(-INF, INF, (-50, 50), near=(0.0,))
SIZES: Final = over(0.0, INF, (0, 50), near=(0.0,))
SHAPES: Final = over(1e-30, 1e30, (0, 100), near=(0.0,))
GAPS: Final = over(-700, 700, (-700, 700))


def _logaddexp(a: Real, b: Real) -> Real:
    return max(a, b) + mp.log1p(mp.exp(-abs(a - b)))


def _logaddexp2(a: Real, b: Real) -> Real:
    return max(a, b) + mp.log1p(mp.power(2, -abs(a - b))) / mp.log(2)


CHANGING: Final = "the integrands of second derivatives in parameters change sign, and may cancel"
COMPARABLE: Final = "where the quotients are normal numbers: of them the derivatives are made"


def _comparable(a: F64, b: F64) -> Any:  # Any: truth values
    """The operands' quotients are normal numbers."""
    ratio = np.abs(a / b)
    return (ratio > TINY) & (ratio < 1 / TINY)


def _normal_power(a: F64, b: F64) -> Any:  # Any: truth values
    power = np.power(a, b)
    return (power > TINY) & (power < 1 / TINY)


def _with_more_digits(f: Any) -> Any:  # Any: a function of mpmath numbers
    """f with the digits that its cancellation costs."""

    def value(a: Real, b: Real) -> Real:
        lost = int(abs(mp.log10(abs(a))) + abs(mp.log10(abs(b)))) + 10
        with mp.workdps(mp.mp.dps + lost):
            return f(a, b)

    return value


def _betaln(a: Real, b: Real) -> Real:
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


PAIRS: Final = (
    Row("multiply", multiply, lambda a, b: a * b, (relative, relative), two(BROAD, BROAD)),
    Row(
        "divide",
        divide,
        lambda a, b: a / b,
        (relative, relative),
        two(BROAD, BROAD, _comparable),
        COMPARABLE,
    ),
    Row(
        "pow",
        pow,
        mp.power,
        (relative, unit),
        two(SIZES, over(-300, 300, (-20, 20)), _normal_power),
        "where the power is a normal number: of it the derivatives are made",
    ),
    Row(
        "hypot",
        trans.hypot,
        mp.hypot,
        (relative, relative),
        two(BROAD, BROAD, _comparable),
        COMPARABLE,
    ),
    Row(
        "atan2",
        trans.atan2,
        mp.atan2,
        (relative, relative),
        two(BROAD, BROAD, _comparable),
        COMPARABLE,
    ),
    Row("logaddexp", trans.logaddexp, _logaddexp, (unit, unit), two(GAPS, GAPS)),
    Row("logaddexp2", more.logaddexp2, _logaddexp2, (unit, unit), two(GAPS, GAPS)),
    Row(
        "betaln",
        special.betaln,
        _with_more_digits(_betaln),
        (relative, relative),
        two(SHAPES, SHAPES),
    ),
    Row(
        "beta",
        special.beta,
        _with_more_digits(lambda a, b: mp.exp(_betaln(a, b))),
        (lambda a: min(relative(a), 1), lambda b: min(relative(b), 1)),
        two(over(1e-30, 300, (0, 100)), over(1e-30, 300, (0, 100))),
        "f_xy is a difference of products, which cancel where one operand is small or large",
        ("f_xy",),
    ),
    Row(
        "gammainc",
        special.gammainc,
        lambda a, x: mp.gammainc(a, 0, x, regularized=True),
        (unit, unit),
        two(over(1e-3, 60, (0, 30)), over(1e-3, 60, (0, 30))),
        CHANGING,
        ("f_xx",),
    ),
    Row(
        "gammaincc",
        special.gammaincc,
        lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True),
        (unit, unit),
        two(over(1e-3, 60, (0, 30)), over(1e-3, 60, (0, 30))),
        CHANGING,
        ("f_xx",),
    ),
    Row(
        "betainc(a, b, 0.3)",
        lambda a, b: special.betainc(a, b, 0.3),
        lambda a, b: mp.betainc(a, b, 0, mp.mpf(0.3), regularized=True),
        (unit, unit),
        two(over(1e-2, 60, (0, 30)), over(1e-2, 60, (0, 30))),
        f"the exponent of the density is rounded; {CHANGING}",
        ("f_x", "f_y", "f_xx", "f_xy", "f_yy"),
    ),
    Row(
        "zeta(x, q)",
        special.zeta,
        mp.zeta,
        (lambda x: min(x - 1, 1), lambda q: min(q, 1)),
        two(over(1.0, 60, (1, 20), (1.0,)), over(1e-3, 1e3, (0, 20))),
    ),
    Row(
        "xlogy",
        special.xlogy,
        lambda x, y: x * mp.log(y),
        (relative, relative),
        two(SHAPES, SHAPES),
    ),
    Row(
        "xlog1py",
        special.xlog1py,
        lambda x, y: x * mp.log1p(y),
        (relative, relative),
        two(SHAPES, SHAPES),
    ),
    Row(
        "boxcox",
        special.boxcox,
        lambda x, p: mp.expm1(p * mp.log(x)) / p,
        (relative, from_zero),
        two(over(1e-30, 1e30, (0, 20), (1.0,)), over(-20, 20, (-5, 5), (0.0,))),
    ),
    Row(
        "rel_entr",
        special.rel_entr,
        lambda x, y: x * mp.log(x / y),
        (relative, relative),
        two(SHAPES, SHAPES),
    ),
    Row(
        "kl_div",
        special.kl_div,
        lambda x, y: x * mp.log(x / y) - x + y,
        (relative, relative),
        two(SHAPES, SHAPES),
    ),
)
