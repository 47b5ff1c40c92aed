"""The elementwise functions whose accuracy is measured: each with itself in mpmath."""

from typing import Any, Final

import taglessad.special as special
from taglessad.array_api import arithmetic as arith
from taglessad.array_api import numpy_elementwise as more
from taglessad.array_api import transcendental as trans
from taglessad.nn import functional as neural
from taglessad.proofs_checks.accuracy import Real, Row, mpmath
from taglessad.proofs_checks.accuracy_points import (
    from_zero,
    gaussian,
    one,
    relative,
    to_one,
    unit,
)
from taglessad.tensor import Tensor

INF: Final = float("inf")
mp: Final[Any] = mpmath()  # Any: a module without types


# --- scales and points -----------------------------------------------------------------------------
def _tan(x: Real) -> Real:
    return min(unit(x), abs(mp.cos(x)))


def _to_pole(x: Real) -> Real:
    return min(abs(x), abs(x - mp.nint(x))) if x < 0.5 else relative(x)


def _to_ends(x: Real) -> Real:
    return min(x, 1 - x)


def _from_one(x: Real) -> Real:
    return min(abs(x - 1), x)


EVERYWHERE: Final = one(-INF, INF, (-50, 50), near=(0.0, 1.0, -1.0))
POSITIVE: Final = one(0.0, INF, (0, 50), near=(0.0, 1.0, 0.5))
TAILS: Final = one(-INF, INF, (-760, 720), near=(0.0,))
GAUSS: Final = one(-INF, INF, (-28, 28), near=(0.0,))
INSIDE: Final = one(-1.0, 1.0, (-1, 1), near=(0.0, 1.0, -1.0))
ANGLES: Final = one(-1e15, 1e15, (-20, 20), near=(0.0, 1.5707963267948966, 3.141592653589793))
FAR: Final = "from -1e15 to 1e15"
RIGHT: Final = "x > 0; for x < 0 the errors are those of two terms, which cancel near the zeros"
SHARES: Final = one(0.0, 1.0, (0, 1), near=(0.0, 1.0, 0.5))


# --- values in mpmath --------------------------------------------------------------------------------
def _erfcx(x: Real) -> Real:
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
    return _erfcx(x) * mp.exp(-x * x) if x > 1 else mp.erfc(x)


def _log_ndtr(x: Real) -> Real:
    if x < -1:
        return mp.log(_erfcx(-x / mp.sqrt(2)) / 2) - x * x / 2
    return mp.log1p(-_erfc(x / mp.sqrt(2)) / 2)


def _erfcinv(p: Real) -> Real:
    if p > 1:
        return -_erfcinv(2 - p)
    if p > 0.1:
        return mp.erfinv(1 - p)
    y = mp.sqrt(-mp.log(p))
    for _ in range(60):
        step = (mp.log(_erfcx(y)) - y * y - mp.log(p)) * _erfcx(y) * mp.sqrt(mp.pi) / 2
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


def _expint_3(x: Real) -> Real:
    with mp.workdps(mp.mp.dps + 20):  # the recurrence, DLMF 8.19.12, cancels x*x times
        return (mp.exp(-x) * (1 - x) + x * x * mp.e1(x)) / 2


def _cbrt(x: Real) -> Real:
    return mp.sign(x) * mp.cbrt(abs(x))


def _gammaln(x: Real) -> Real:
    return mp.re(mp.loggamma(x))


def primitive(name: str) -> Any:  # Any: a function of one handle
    """A primitive that no public function is alone."""

    def function(x: Tensor) -> Tensor:
        return Tensor(x.ops, getattr(x.ops, name)(x.payload), x.dtype, x.weak)

    return function


ELEMENTARY: Final = (
    Row("square", lambda x: arith.square(x), lambda x: x * x, (relative,), EVERYWHERE),
    Row("reciprocal", arith.reciprocal, lambda x: 1 / x, (relative,), EVERYWHERE),
    Row("sqrt", trans.sqrt, mp.sqrt, (relative,), POSITIVE),
    Row("rsqrt", primitive("rsqrt"), lambda x: 1 / mp.sqrt(x), (relative,), POSITIVE),
    Row("x ** 3", lambda x: x**3, lambda x: x**3, (relative,), EVERYWHERE),
    Row("x ** -2", lambda x: x**-2, lambda x: x**-2, (relative,), EVERYWHERE),
    Row(
        "exp(-x*x)",
        primitive("exp_neg_square"),
        lambda x: mp.exp(-x * x),
        (gaussian,),
        GAUSS,
        "the primitive exp_neg_square",
    ),
    Row(
        "sech(x) ** 2",
        primitive("sech_squared"),
        lambda x: mp.sech(x) ** 2,
        (unit,),
        TAILS,
        "the primitive sech_squared",
    ),
    Row("cbrt", more.cbrt, _cbrt, (relative,), EVERYWHERE),
    Row("exp", trans.exp, mp.exp, (unit,), TAILS),
    Row(
        "exp2",
        more.exp2,
        lambda x: mp.power(2, x),
        (unit,),
        one(-INF, INF, (-1080, 1030), near=(0.0,)),
    ),
    Row("expm1", trans.expm1, mp.expm1, (unit,), TAILS),
    Row("log", trans.log, mp.log, (relative,), POSITIVE),
    Row(
        "log1p",
        trans.log1p,
        mp.log1p,
        (lambda x: min(abs(x), 1 + x),),
        one(-1.0, INF, (-1, 3), near=(0.0, -1.0)),
    ),
    Row("log2", trans.log2, lambda x: mp.log(x) / mp.log(2), (relative,), POSITIVE),
    Row("log10", trans.log10, lambda x: mp.log(x) / mp.log(10), (relative,), POSITIVE),
    Row("sin", trans.sin, mp.sin, (unit,), ANGLES, FAR),
    Row("cos", trans.cos, mp.cos, (unit,), ANGLES, FAR),
    Row("tan", trans.tan, mp.tan, (_tan,), ANGLES, FAR),
    Row("asin", trans.asin, mp.asin, (to_one,), INSIDE),
    Row("acos", trans.acos, mp.acos, (to_one,), INSIDE),
    Row("atan", trans.atan, mp.atan, (relative,), EVERYWHERE),
    Row("sinh", trans.sinh, mp.sinh, (unit,), TAILS),
    Row("cosh", trans.cosh, mp.cosh, (unit,), TAILS),
    Row("tanh", trans.tanh, mp.tanh, (unit,), TAILS),
    Row("asinh", trans.asinh, mp.asinh, (relative,), EVERYWHERE),
    Row("acosh", trans.acosh, mp.acosh, (_from_one,), one(1.0, INF, (1, 5), near=(1.0,))),
    Row("atanh", trans.atanh, mp.atanh, (to_one,), INSIDE),
    Row("sinc", trans.sinc, mp.sincpi, (unit,), one(-1e15, 1e15, (-5, 5), near=(0.0,))),
)
SPECIAL: Final = (
    Row("erf", special.erf, mp.erf, (gaussian,), GAUSS),
    Row("erfc", special.erfc, _erfc, (gaussian,), GAUSS),
    Row("erfcx", special.erfcx, _erfcx, (gaussian,), one(-27.0, INF, (-27, 30), near=(0.0,))),
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
    Row("log_ndtr", special.log_ndtr, _log_ndtr, (gaussian,), one(-1e150, INF, (-50, 39))),
    Row("gamma", special.gamma, mp.gamma, (_to_pole,), one(0.0, INF, (0, 172), near=(0.0, 1.0))),
    Row("gammaln", special.gammaln, _gammaln, (_to_pole,), POSITIVE, RIGHT),
    Row("digamma", special.digamma, lambda x: mp.psi(0, x), (_to_pole,), POSITIVE, RIGHT),
    Row(
        "trigamma",
        lambda x: special.polygamma(1, x),
        lambda x: mp.psi(1, x),
        (_to_pole,),
        one(0.0, INF, (0, 30), near=(0.0,)),
    ),
    Row(
        "polygamma(2, x)",
        lambda x: special.polygamma(2, x),
        lambda x: mp.psi(2, x),
        (_to_pole,),
        one(1e-70, 1e70, (0, 30), near=(0.0,)),
    ),
    Row(
        "betainc(2.5, 0.5, x)",
        lambda x: special.betainc(2.5, 0.5, x),
        lambda x: mp.betainc(2.5, 0.5, 0, x, regularized=True),
        (_to_ends,),
        one(1e-100, 1.0, (0, 1), near=(1.0, 0.5)),
        "x > 1e-100: of the density, which then underflows, the second derivative is made",
    ),
    Row(
        "zeta",
        special.zeta,
        mp.zeta,
        (lambda x: x - 1,),
        one(1.0, 1000.0, (1, 40), near=(1.0,)),
    ),
    Row("i0", special.i0, lambda x: mp.besseli(0, x), (unit,), one(-720, 720, (-20, 20), (0.0,))),
    Row("i1", special.i1, lambda x: mp.besseli(1, x), (unit,), one(-720, 720, (-20, 20), (0.0,))),
    Row("i0e", special.i0e, _scaled(0), (relative,), one(-INF, INF, (-40, 40), (0.0,))),
    Row(
        "i1e",
        special.i1e,
        _scaled(1),
        (relative,),
        one(-INF, INF, (-40, 40), (0.0,)),
        "f'' is a sum of two terms, which cancel near its zeros",
        ("f_xx",),
    ),
    Row("exp1", special.exp1, mp.e1, (unit,), one(0.0, 745.0, (0, 10), (0.0,))),
    Row(
        "expn(3, x)",
        lambda x: special.expn(3, x),
        _expint_3,
        (unit,),
        one(0.0, 745.0, (0, 10), (0.0,)),
    ),
    Row(
        "expi",
        special.expi,
        mp.ei,
        (unit,),
        one(-745.0, 720.0, (-5, 60), (0.0, 0.37250741078136663)),
    ),
    Row("exprel", special.exprel, _exprel, (from_zero,), one(-INF, INF, (-50, 50), (0.0,))),
    Row(
        "spence",
        special.spence,
        lambda x: mp.re(mp.polylog(2, 1 - x)),
        (lambda x: min(x, 1),),
        one(0.0, 1e6, (0, 4), (0.0, 1.0)),
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
NEURAL: Final = (
    Row("softplus", neural.softplus, lambda x: mp.log1p(mp.exp(x)), (unit,), TAILS),
    Row(
        "silu",
        neural.silu,
        lambda x: x / (1 + mp.exp(-x)),
        (unit,),
        one(-708.0, INF, (-708, 720), near=(0.0,)),
        "x > -708: below, the logistic function, which it is made of, is subnormal",
    ),
    Row(
        "gelu",
        lambda x: neural.gelu(x, approximate=False),
        lambda x: x * _erfc(-x / mp.sqrt(2)) / 2,
        (gaussian,),
        one(-INF, INF, (-39, 39), near=(0.0,)),
    ),
)
