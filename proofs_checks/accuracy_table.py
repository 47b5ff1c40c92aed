"""The elementwise functions whose accuracy is measured: each with itself in mpmath."""

from typing import Any, Final

import numpy as np

from taglessad.array_api import arithmetic as arith
from taglessad.array_api import numpy_elementwise as more
from taglessad.array_api import rounding
from taglessad.array_api import transcendental as trans
from taglessad.array_api.creation import tensor
from taglessad.nn import functional as neural
from taglessad.proofs_checks.accuracy import FADING, ZERO, Beyond, Real, Row, mpmath
from taglessad.proofs_checks.accuracy_points import (
    ANGLES,
    EVERYWHERE,
    F64,
    GAUSS,
    INSIDE,
    POSITIVE,
    TAILS,
    gaussian,
    one,
    relative,
    to_one,
    unit,
)
from taglessad.proofs_checks.accuracy_special import erfcx
from taglessad.tensor import Tensor

INF: Final = float("inf")
mp: Final[Any] = mpmath()  # Any: a module without types


# --- scales and points -----------------------------------------------------------------------------
def _tan(x: Real) -> Real:
    return min(unit(x), abs(mp.cos(x)))


def _from_one(x: Real) -> Real:
    return min(abs(x - 1), x)


def _to_half(x: Real) -> Real:
    """To the next whole number or half of one."""
    return abs(2 * x - mp.nint(2 * x)) / 2


def _off_halves(x: F64) -> Any:  # Any: truth values
    return np.remainder(x, 0.5) != 0


STEPS: Final = one(-INF, INF, (-50, 50), near=(0.0, 0.5, 1.0, -0.5, -1.0, 12.5), keep=_off_halves)
STEEP: Final = "whole and half numbers, where they jump, left out"


# --- values in mpmath --------------------------------------------------------------------------------
def _cbrt(x: Real) -> Real:
    return mp.sign(x) * mp.cbrt(abs(x))


def _trunc(x: Real) -> Real:
    return mp.sign(x) * mp.floor(abs(x))


def _erfc(x: Real) -> Real:
    return erfcx(x) * mp.exp(-x * x) if x > 1 else mp.erfc(x)


def _sinc(x: Real) -> Real:
    return mp.sinpi(x) / (mp.pi * x)


def primitive(name: str) -> Any:  # Any: a function of one handle
    """A primitive that no public function is alone."""

    def function(x: Tensor) -> Tensor:
        return Tensor(x.ops, getattr(x.ops, name)(x.payload), x.dtype, x.weak)

    return function


ELEMENTARY: Final = (
    Row("negative", lambda x: arith.negative(x), lambda x: -x, (relative,), EVERYWHERE),
    Row("abs", lambda x: arith.abs(x), abs, (relative,), EVERYWHERE),
    Row("sign", lambda x: arith.sign(x), mp.sign, (relative,), EVERYWHERE),
    Row("floor", lambda x: rounding.floor(x), mp.floor, (_to_half,), STEPS, STEEP),
    Row("ceil", lambda x: rounding.ceil(x), mp.ceil, (_to_half,), STEPS, STEEP),
    Row("trunc", lambda x: rounding.trunc(x), _trunc, (_to_half,), STEPS, STEEP),
    Row("round", lambda x: rounding.round(x), mp.nint, (_to_half,), STEPS, STEEP),
    Row("square", lambda x: arith.square(x), lambda x: x * x, (relative,), EVERYWHERE),
    Row("reciprocal", arith.reciprocal, lambda x: 1 / x, (relative,), EVERYWHERE),
    Row("sqrt", trans.sqrt, mp.sqrt, (relative,), POSITIVE),
    Row("rsqrt", primitive("rsqrt"), lambda x: 1 / mp.sqrt(x), (relative,), POSITIVE),
    Row("x ** 3", lambda x: x**3, lambda x: x**3, (relative,), EVERYWHERE),
    Row(
        "x ** 7",
        lambda x: x**7,
        lambda x: x**7,
        (relative,),
        EVERYWHERE,
        "",
        {"f_xx": FADING},
    ),
    Row("x ** 3.0", lambda x: arith.pow(x, 3.0), lambda x: x**3, (relative,), EVERYWHERE),
    Row(
        "x ** tensor(-1)",
        lambda x: arith.pow(x, tensor(np.asarray(-1))),
        lambda x: 1 / x,
        (relative,),
        EVERYWHERE,
    ),
    Row("x ** -2", lambda x: x**-2, lambda x: x**-2, (relative,), EVERYWHERE),
    Row(
        "exp(-x*x)",
        primitive("exp_neg_square"),
        lambda x: mp.exp(-x * x),
        (gaussian,),
        GAUSS,
        "the primitive exp_neg_square",
        {"f_xx": ZERO},
    ),
    Row(
        "sech(x) ** 2",
        primitive("sech_squared"),
        lambda x: mp.sech(x) ** 2,
        (unit,),
        TAILS,
        "the primitive sech_squared",
        {"f_xx": ZERO},
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
    Row("sin", trans.sin, mp.sin, (unit,), ANGLES),
    Row("cos", trans.cos, mp.cos, (unit,), ANGLES),
    Row("tan", trans.tan, mp.tan, (_tan,), ANGLES),
    Row("asin", trans.asin, mp.asin, (to_one,), INSIDE),
    Row("acos", trans.acos, mp.acos, (to_one,), INSIDE),
    Row("atan", trans.atan, mp.atan, (relative,), EVERYWHERE),
    Row("sinh", trans.sinh, mp.sinh, (unit,), TAILS),
    Row("cosh", trans.cosh, mp.cosh, (unit,), TAILS),
    Row("tanh", trans.tanh, mp.tanh, (unit,), TAILS),
    Row("asinh", trans.asinh, mp.asinh, (relative,), EVERYWHERE),
    Row("acosh", trans.acosh, mp.acosh, (_from_one,), one(1.0, INF, (1, 5), near=(1.0,))),
    Row("atanh", trans.atanh, mp.atanh, (to_one,), INSIDE),
    Row(
        "sinc",
        trans.sinc,
        _sinc,
        (unit,),
        one(-INF, INF, (-5, 5), near=(0.0, 1.0)),
    ),
)
NEURAL: Final = (
    Row("relu", neural.relu, lambda x: max(x, mp.mpf(0)), (relative,), EVERYWHERE),
    Row("softplus", neural.softplus, lambda x: mp.log1p(mp.exp(x)), (unit,), TAILS),
    Row(
        "silu",
        neural.silu,
        lambda x: x / (1 + mp.exp(-x)),
        (unit,),
        one(-708.0, INF, (-708, 720), near=(0.0,)),
        "x > -708: below, the logistic function, which it is made of, is subnormal",
        {"f_x": ZERO, "f_xx": Beyond("next to zeros of it, and where it is subnormal")},
    ),
    Row(
        "gelu",
        lambda x: neural.gelu(x, approximate=False),
        lambda x: x * _erfc(-x / mp.sqrt(2)) / 2,
        (gaussian,),
        one(-INF, INF, (-39, 39), near=(0.0,)),
        "",
        {"f": FADING, "f_x": ZERO, "f_xx": ZERO},
    ),
    Row(
        "elu",
        neural.elu,
        lambda x: x if x > 0 else mp.expm1(x),
        (unit,),
        TAILS,
    ),
    Row(
        "mish",
        neural.mish,
        lambda x: x * mp.tanh(mp.log1p(mp.exp(x))),
        (unit,),
        one(-350.0, INF, (-350, 360), near=(0.0,)),
        "",
        {"f_xx": FADING},
    ),
)
