"""The special functions of one number whose accuracy is measured: each with itself in mpmath."""

from typing import Any, Final

import numpy as np

import taglessad.special as special
from taglessad.proofs_checks.accuracy import ZERO, Beyond, Real, Row, mpmath
from taglessad.proofs_checks.accuracy_points import (
    ANGLES,
    F64,
    GAUSS,
    INSIDE,
    SHARES,
    TAILS,
    from_zero,
    gaussian,
    one,
    relative,
    to_one,
    unit,
)

INF: Final = float("inf")
mp: Final[Any] = mpmath()  # Any: a module without types


# --- scales and points -----------------------------------------------------------------------------
def _to_pole(x: Real) -> Real:
    return min(abs(x), abs(x - mp.nint(x))) if x < 0.5 else relative(x)


def _to_ends(x: Real) -> Real:
    return min(x, 1 - x)


def _off_poles(x: F64) -> Any:  # Any: truth values
    return (x > 0) | (x != np.rint(x))


POLES: Final = (0.0, -1.0, -2.0, -3.0, -10.0, -150.0)
AROUND: Final = one(-INF, INF, (-30, 50), near=(*POLES, 1.0, 2.0), keep=_off_poles)


# --- values in mpmath --------------------------------------------------------------------------------
def erfcx(x: Real) -> Real:
    if x < 1e5:
        with mp.workdps(mp.mp.dps + 20):
            return mp.exp(x * x) * mp.erfc(x)
    total, term, k = mp.mpf(0), mp.mpf(1), 0
    while abs(term) > mp.mpf(10) ** (-mp.mp.dps - 5):
        total += term
        k += 1
        term *= -(2 * k - 1) / (2 * x * x)
    return total / (x * mp.sqrt(mp.pi))


def _erfc(x: Real) -> Real:
    return erfcx(x) * mp.exp(-x * x) if x > 1 else mp.erfc(x)


def _log_ndtr(x: Real) -> Real:
    if x < -1:
        return mp.log(erfcx(-x / mp.sqrt(2)) / 2) - x * x / 2
    return mp.log1p(-_erfc(x / mp.sqrt(2)) / 2)


def _erfcinv(p: Real) -> Real:
    if p > 1:
        return -_erfcinv(2 - p)
    if p > 0.1:
        return mp.erfinv(1 - p)
    y = mp.sqrt(-mp.log(p))
    for _ in range(60):
        step = (mp.log(erfcx(y)) - y * y - mp.log(p)) * erfcx(y) * mp.sqrt(mp.pi) / 2
        y += step
        if abs(step) < abs(y) * mp.mpf(10) ** (3 - mp.mp.dps):
            break
    return y


def _ndtri(p: Real) -> Real:
    return -mp.sqrt(2) * _erfcinv(2 * p)


def _erfinv(x: Real) -> Real:
    return mp.sign(x) * _erfcinv(1 - abs(x)) if abs(x) > 0.9 else mp.erfinv(x)


def _scaled(n: int) -> Any:  # Any: a function of an mpmath number
    def value(x: Real) -> Real:
        size = abs(x)
        if size > 10 * mp.mp.dps:  # Hankel's expansion, DLMF 10.40.1
            total, term, k = mp.mpf(0), mp.mpf(1), 0
            while abs(term) > mp.mpf(10) ** (-mp.mp.dps - 5):
                total += term
                k += 1
                term *= -(4 * n * n - (2 * k - 1) ** 2) / (k * 8 * size)
            return mp.sign(x) ** n * total / mp.sqrt(2 * mp.pi * size)
        return mp.besseli(n, x) * mp.exp(-size)

    return value


def _exprel(x: Real) -> Real:
    return mp.expm1(x) / x


def _gammaln(x: Real) -> Real:
    return mp.re(mp.loggamma(x))


def _expn(n: int) -> Any:  # Any: a function of an mpmath number
    def value(x: Real) -> Real:
        with mp.workdps(mp.mp.dps + 20 + 10 * n):  # recurrence, DLMF 8.19.12, cancels x**n times
            found = mp.exp(-x) / x if n == 0 else mp.e1(x)
            for k in range(1, n):
                found = (mp.exp(-x) - x * found) / k
            return found

    return value


def _dilogarithm(z: Real) -> Real:
    total, power, k = mp.mpf(0), mp.mpf(1), 0
    while abs(power) > mp.mpf(10) ** (-mp.mp.dps - 5) * abs(z):
        k += 1
        power *= z
        total += power / k**2
    return total


def _spence(x: Real) -> Real:  # DLMF 25.12.4, 25.12.6, 25.12.3
    if x > 2:
        return -(mp.log(x) ** 2) / 2 - _spence(1 / x)
    if x < 0.5:
        return mp.pi**2 / 6 - mp.log(x) * mp.log1p(-x) - _dilogarithm(x)
    if x > 1.5:
        return -_dilogarithm((x - 1) / x) - mp.log(x) ** 2 / 2
    return _dilogarithm(1 - x)


def _betainc(a: Real, b: Real) -> Any:  # Any: a function of an mpmath number
    return lambda x: mp.betainc(a, b, 0, x, regularized=True)


def _multigammaln(x: Real) -> Real:
    return mp.log(mp.pi) / 2 + mp.loggamma(x) + mp.loggamma(x - mp.mpf(1) / 2)


def _psi(n: int) -> Any:  # Any: a function of an mpmath number
    # The derivatives of cot(z) as polynomials in it, for the reflection formula, DLMF 5.15.6.
    cotangent = [0, 1]
    for _ in range(n):
        slope = [k * c for k, c in enumerate(cotangent)][1:]
        cotangent = [-a - b for a, b in zip([*slope, 0, 0], [0, 0, *slope], strict=True)]

    def value(x: Real) -> Real:
        if x > 0:
            return mp.psi(n, x)
        turns = mp.polyval(cotangent[::-1], mp.cospi(x) / mp.sinpi(x))
        return (-1) ** n * mp.psi(n, 1 - x) - mp.pi ** (n + 1) * turns

    return value


def _polygamma(n: int) -> Row:
    name = ("digamma", "trigamma")[n] if n < 2 else f"polygamma({n}, x)"
    return Row(name, lambda x: special.polygamma(n, x), _psi(n), (_to_pole,), AROUND)


def _betainc_row(a: float, b: float) -> Row:
    low, high = 1e-290 ** (1 / a), 1 - 1e-290 ** (1 / b)
    return Row(
        f"betainc({a}, {b}, x)",
        lambda x: special.betainc(a, b, x),
        _betainc(a, b),
        (_to_ends,),
        one(low, high, (0, 1), near=(0.0, 1.0, 0.5)),
        "where the density, of which derivatives are made, is a normal number",
    )


def _wave(name: str, f: Any, exact: Any, n: int, low: float) -> Row:  # Any: functions
    points = one(low, 1e12, (max(low, -40), 40), near=(0.0,))
    zeros: dict[str, Beyond] = dict.fromkeys(("f", "f_x", "f_xx"), ZERO)
    return Row(name, f, lambda x: exact(n, x), (_upto_one,), points, "up to 1e12", zeros)


def _upto_one(x: Real) -> Real:
    return min(abs(x), 1) or 1


_END: Final = -0.36787944117144233


def _lambertw(k: int) -> Any:  # Any: a function of an mpmath number
    return lambda x: mp.re(mp.lambertw(x, k))


OVER: Final = "beyond, the result overflows"
SPECIAL: Final = (
    Row("erf", special.erf, mp.erf, (gaussian,), GAUSS),
    Row("erfc", special.erfc, _erfc, (gaussian,), GAUSS),
    Row("erfcx", special.erfcx, erfcx, (gaussian,), one(-27.0, INF, (-27, 30), near=(0.0,)), OVER),
    Row("erfinv", special.erfinv, _erfinv, (to_one,), INSIDE),
    Row(
        "erfcinv",
        special.erfcinv,
        _erfcinv,
        (lambda x: min(x, 2 - x, abs(x - 1) if x != 1 else x),),
        one(0.0, 2.0, (0, 2), near=(0.0, 1.0, 2.0)),
    ),
    Row(
        "ndtr",
        special.ndtr,
        lambda x: _erfc(-x / mp.sqrt(2)) / 2,
        (gaussian,),
        one(-INF, INF, (-39, 39), near=(0.0,)),
    ),
    Row("ndtri", special.ndtri, _ndtri, (_to_ends,), SHARES),
    Row(
        "log_ndtr",
        special.log_ndtr,
        _log_ndtr,
        (gaussian,),
        one(-1e150, INF, (-50, 39), (0.0,)),
        "x > -1e150: below, squares leave the range",
    ),
    Row(
        "gamma",
        special.gamma,
        mp.gamma,
        (_to_pole,),
        one(-170.0, INF, (-20, 172), near=(*POLES, 1.0, 2.0), keep=_off_poles),
        "x > -170: below, it is subnormal, and of it the derivatives are made",
    ),
    Row("gammaln", special.gammaln, _gammaln, (_to_pole,), AROUND),
    Row(
        "multigammaln(x, 2)",
        lambda x: special.multigammaln(x, 2),
        _multigammaln,
        (lambda x: x - mp.mpf(1) / 2,),
        one(0.5, INF, (0.5, 50), near=(0.5, 1.0, 2.0)),
        "",
        {"f_x": ZERO},
    ),
    *(_polygamma(n) for n in (0, 1, 2, 3, 10)),
    *(_betainc_row(a, b) for a, b in ((2.5, 0.5), (0.25, 3.0), (20.0, 30.0))),
    Row(
        "zeta",
        special.zeta,
        mp.zeta,
        (lambda x: min(x - 1, 1),),
        one(1.0, INF, (1, 40), near=(1.0,)),
        "x > 1",
    ),
    Row(
        "i0",
        special.i0,
        lambda x: mp.besseli(0, x),
        (unit,),
        one(-720, 720, (-20, 20), (0.0,)),
        OVER,
    ),
    Row(
        "i1",
        special.i1,
        lambda x: mp.besseli(1, x),
        (unit,),
        one(-720, 720, (-20, 20), (0.0,)),
        OVER,
    ),
    Row("i0e", special.i0e, _scaled(0), (relative,), one(-INF, INF, (-40, 40), (0.0,))),
    Row("i1e", special.i1e, _scaled(1), (relative,), one(-INF, INF, (-40, 40), (0.0,))),
    *(_wave(f"j{n}", getattr(special, f"j{n}"), mp.besselj, n, -1e12) for n in (0, 1)),
    *(_wave(f"y{n}", getattr(special, f"y{n}"), mp.bessely, n, 0.0) for n in (0, 1)),
    Row(
        "lambertw",
        special.lambertw,
        _lambertw(0),
        (lambda x: x + mp.exp(-1),),
        one(_END, INF, (-0.36, 20), near=(0.0, _END), keep=lambda x: x > _END),
    ),
    Row(
        "lambertw(x, -1)",
        lambda x: special.lambertw(x, -1),
        _lambertw(-1),
        (lambda x: min(x + mp.exp(-1), -x),),
        one(_END, 0.0, (_END, 0), near=(0.0, _END), keep=lambda x: x > _END),
        "",
        {"f_xx": ZERO},
    ),
    *(
        Row(
            "exp1" if n == 1 else f"expn({n}, x)",
            lambda x, n=n: special.expn(n, x),
            _expn(n),
            (unit,),
            one(0.0, 800.0, (0, 10), (0.0,)),
            "beyond, 0",
        )
        for n in (0, 1, 2, 3, 12)
    ),
    Row(
        "expi",
        special.expi,
        mp.ei,
        (unit,),
        one(-800.0, 720.0, (-5, 60), (0.0, 0.37250741078136663)),
        "beyond, 0 or overflow",
    ),
    Row("exprel", special.exprel, _exprel, (from_zero,), one(-INF, INF, (-50, 50), (0.0,))),
    Row(
        "spence", special.spence, _spence, (lambda x: min(x, 1),), one(0.0, INF, (0, 4), (0.0, 1.0))
    ),
    Row("cosm1", special.cosm1, lambda x: -2 * mp.sin(x / 2) ** 2, (unit,), ANGLES),
    Row("expit", special.expit, lambda x: 1 / (1 + mp.exp(-x)), (unit,), TAILS),
    Row("log_expit", special.log_expit, lambda x: -mp.log1p(mp.exp(-x)), (unit,), TAILS),
    Row("logit", special.logit, lambda x: mp.log(x) - mp.log1p(-x), (_to_ends,), SHARES),
    Row(
        "entr",
        special.entr,
        lambda x: -x * mp.log(x),
        (relative,),
        one(0.0, INF, (0, 3), near=(0.0, 1.0, 0.36787944117144233)),
    ),
)
