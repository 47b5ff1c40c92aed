"""Special functions of two and three numbers whose accuracy is measured: each as it is in mpmath."""

from typing import Any, Final

import taglessad.special as special
from taglessad.proofs_checks.accuracy import ZERO, Beyond, Real, Row, mpmath
from taglessad.proofs_checks.accuracy_points import from_zero, over, relative, three, two, unit

INF: Final = float("inf")
mp: Final[Any] = mpmath()  # Any: a module without types

SIZES: Final = over(0.0, INF, (0, 50), near=(0.0, 1.0))
WIDE: Final = over(1e-150, 1e150, (0, 50), near=(0.0, 1.0))
SHAPES: Final = over(1e-30, 1e30, (0, 100), near=(0.0,))
PARTS: Final = Beyond("next to zeros of it: the integrand changes sign, and its parts cancel", 16.0)


def _with_more_digits(f: Any) -> Any:  # Any: a function of mpmath numbers
    """f with the digits that its cancellation costs."""

    def value(a: Real, b: Real) -> Real:
        lost = int(abs(mp.log10(abs(a))) + abs(mp.log10(abs(b)))) + 10
        with mp.workdps(mp.mp.dps + lost):
            return f(a, b)

    return value


def _betaln(a: Real, b: Real) -> Real:
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def _binom(n: Real, k: Real) -> Real:
    return mp.exp(mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1))


def _boxcox(x: Real, p: Real) -> Real:
    return mp.expm1(p * mp.log(x)) / p


def _inv_boxcox(y: Real, p: Real) -> Real:
    return mp.exp(mp.log1p(p * y) / p)


def _upto_one(x: Real) -> Real:
    return min(relative(x), 1)


SEVERAL: Final = (
    Row(
        "betaln",
        special.betaln,
        _with_more_digits(_betaln),
        (relative, relative),
        two(SHAPES, SHAPES),
        "1e-30 < x, y < 1e30",
    ),
    Row(
        "beta",
        special.beta,
        _with_more_digits(lambda a, b: mp.exp(_betaln(a, b))),
        (_upto_one, _upto_one),
        two(over(1e-100, 1e100, (0, 100), (0.0, 1.0)), over(1e-100, 1e100, (0, 100), (0.0, 1.0))),
        "1e-100 < x, y < 1e100: beyond, factors of derivatives leave the range",
    ),
    Row(
        "binom",
        special.binom,
        _with_more_digits(_binom),
        (_upto_one, _upto_one),
        two(over(1e-20, 300, (0, 100)), over(1e-20, 300, (0, 100)), lambda n, k: k < n),
        "1e-20 < k < n < 300",
    ),
    Row(
        "poch",
        special.poch,
        _with_more_digits(lambda z, m: mp.exp(mp.loggamma(z + m) - mp.loggamma(z))),
        (_upto_one, _upto_one),
        two(over(1e-20, 1e6, (0, 100)), over(1e-20, 50, (0, 20))),
        "1e-20 < x < 1e6, 1e-20 < y < 50",
        dict.fromkeys(("f_xx", "f_y", "f_xy"), ZERO),
    ),
    Row(
        "gammainc",
        special.gammainc,
        lambda a, x: mp.gammainc(a, 0, x, regularized=True),
        (unit, unit),
        two(over(1e-3, 60, (0, 30)), over(1e-3, 60, (0, 30))),
        "1e-3 < x, y < 60",
        {"f_xx": PARTS},
    ),
    Row(
        "gammaincc",
        special.gammaincc,
        lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True),
        (unit, unit),
        two(over(1e-3, 60, (0, 30)), over(1e-3, 60, (0, 30))),
        "1e-3 < x, y < 60",
        {"f_xx": PARTS},
    ),
    Row(
        "zeta(x, q)",
        special.zeta,
        mp.zeta,
        (lambda x: min(x - 1, 1), lambda q: min(q, 1)),
        two(over(1.0, 60, (1, 20), (1.0,)), over(1e-3, 1e3, (0, 20))),
        "1 < x < 60, 1e-3 < q < 1e3",
        {"f_xy": ZERO},
    ),
    Row(
        "xlogy",
        special.xlogy,
        lambda x, y: x * mp.log(y),
        (relative, relative),
        two(SIZES, SIZES),
    ),
    Row(
        "xlog1py",
        special.xlog1py,
        lambda x, y: x * mp.log1p(y),
        (relative, relative),
        two(SIZES, SIZES),
    ),
    Row(
        "boxcox",
        special.boxcox,
        _boxcox,
        (lambda x: min(x, abs(x - 1) or x), from_zero),
        two(over(1e-30, 1e30, (0, 20), (1.0,)), over(-20, 20, (-5, 5), (0.0,))),
        "1e-30 < x < 1e30, -20 < y < 20",
    ),
    Row(
        "inv_boxcox",
        special.inv_boxcox,
        _inv_boxcox,
        (_upto_one, _upto_one),
        two(over(1e-30, 100, (0, 20), (1.0,)), over(1e-30, 20, (0, 5), (0.0,))),
        "1e-30 < x < 100, 1e-30 < y < 20",
    ),
    Row(
        "rel_entr",
        special.rel_entr,
        lambda x, y: x * mp.log(x / y),
        (relative, relative),
        two(WIDE, WIDE, None, (1.0,)),
        "1e-150 < x, y < 1e150: beyond, products leave the range",
    ),
    Row(
        "kl_div",
        special.kl_div,
        lambda x, y: x * mp.log(x / y) - x + y,
        (relative, relative),
        two(WIDE, WIDE, None, (1.0,)),
        "1e-150 < x, y < 1e150: beyond, products leave the range",
    ),
    Row(
        "betainc",
        special.betainc,
        lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True),
        (unit, unit, lambda x: min(x, 1 - x)),
        three(over(1e-2, 60, (0, 30)), over(1e-2, 60, (0, 30)), over(1e-5, 1.0, (0, 1))),
        "1e-2 < x, y < 60, 1e-5 < z < 1",
        dict.fromkeys(("f_xx", "f_xy", "f_yy"), PARTS),
    ),
)
