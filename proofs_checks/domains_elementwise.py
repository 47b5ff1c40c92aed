"""Safe points of the elementwise primitives: where each is smooth, and for whom it is no number."""

from typing import Any, Final

from taglessad.dtypes import REAL, SIGNED, UNSIGNED, bool_, float32, float64, int32, int64, uint8
from taglessad.primitive import Params
from taglessad.proofs_checks.cases import (
    Apart,
    Domain,
    Index,
    Plan,
    Planner,
    Reals,
    Source,
    Truth,
    Values,
    Whole,
    a_choice,
    broadcasting,
)

REALS: Final = tuple(reversed(REAL))
NUMBERS: Final = (*REALS, int64, int32, uint8)
ANY: Final = (*NUMBERS, bool_)
INTEGERS: Final = (*SIGNED, *UNSIGNED)
BITS: Final = (*INTEGERS, bool_)

ALL: Final = Reals(((-3.0, 3.0),))
POSITIVE: Final = Reals(((0.2, 4.0),))
AWAY: Final = Reals(((-3.0, -0.4), (0.4, 3.0)))  # from 0
STEPS: Final = Reals(((-1.9, -1.6), (-1.4, -1.1), (0.1, 0.4), (0.6, 0.9)))  # off the halves
# a / b is no integer for a from DIVIDENDS and b from DIVISORS.
DIVIDENDS: Final = Reals(((-3.6, -2.4), (0.4, 1.6), (2.4, 3.6)))
SHAPES: Final = Reals(((0.6, 3.0),))  # of a beta distribution, and its shares
SHARES: Final = Reals(((0.2, 0.8),))
ORDERS: Final = ((0, 0), (1, 0), (0, 1))
DIVISORS: Final = Reals(((-2.1, -1.9), (1.9, 2.1)))


def elementwise(*values: Values, params: tuple[Params, ...] = ((),)) -> Planner:
    """Operands that broadcast together, one source of values each; one of the parameters."""

    def plan(source: Source) -> Plan:
        shapes = broadcasting(source, len(values))
        chosen: Params = a_choice(source, *params)
        return Plan(tuple(zip(shapes, values, strict=True)), chosen)

    return plan


def _reals(*values: Values, **params: Any) -> tuple[Domain, ...]:  # Any: passed on
    return (Domain(elementwise(*values, **params), REALS),)


def _costly(*values: Values, **params: Any) -> tuple[Domain, ...]:  # Any: passed on
    """As `_reals`, in one dtype: the kernel is a quadrature in float64."""
    return (Domain(elementwise(*values, **params), (float64,)),)


def _numbers(*values: Values) -> tuple[Domain, ...]:
    return (Domain(elementwise(*values), NUMBERS),)


def _predicate(*values: Values) -> tuple[Domain, ...]:
    return (Domain(elementwise(*values), ANY),)


def _bits(*values: Values, shift: bool = False) -> tuple[Domain, ...]:
    return (Domain(elementwise(*values), INTEGERS if shift else BITS),)


def _truths(count: int) -> tuple[Domain, ...]:
    return (Domain(elementwise(*[Whole(0, 1)] * count), (bool_,)),)


ELEMENTWISE: Final[dict[str, tuple[Domain, ...]]] = {
    # arithmetic
    "add": _numbers(ALL, ALL),
    "sub": _numbers(ALL, ALL),
    "neg": _numbers(ALL),
    "mul": _numbers(ALL, ALL),
    "div": _reals(ALL, AWAY),
    "square": _numbers(ALL),
    "reciprocal": _reals(AWAY),
    "pow": (
        Domain(elementwise(Reals(((0.3, 3.0),)), Reals(((-2.0, 3.0),))), REALS),
        Domain(elementwise(Whole(-3, 3), Whole(0, 4)), NUMBERS, smooth=False),
    ),
    "integer_pow": (
        Domain(elementwise(AWAY, params=tuple((n,) for n in range(-3, 5))), REALS),
        Domain(elementwise(Whole(-3, 3), params=((0,), (1,), (2,), (3,))), NUMBERS, smooth=False),
    ),
    "pow_int": (
        Domain(elementwise(AWAY, Index(5, -3)), REALS),
        Domain(elementwise(Whole(-3, 3), Index(4)), NUMBERS, smooth=False),
    ),
    "sqrt": _reals(POSITIVE),
    "rsqrt": _reals(POSITIVE),
    "abs": _numbers(AWAY),
    "sign": _numbers(AWAY),
    "hypot": _reals(ALL, AWAY),
    # exponentials
    "exp": _reals(ALL),
    "expm1": _reals(ALL),
    "exp_neg_square": _reals(ALL),
    "log": _reals(POSITIVE),
    "log1p": _reals(Reals(((-0.7, 3.0),))),
    "log2": _reals(POSITIVE),
    "log10": _reals(POSITIVE),
    "logaddexp": _reals(ALL, ALL),
    "sigmoid": _reals(ALL),
    "softplus": _reals(ALL),
    # trigonometry
    "sin": _reals(ALL),
    "cos": _reals(ALL),
    "tan": _reals(Reals(((-1.2, 1.2),))),
    "asin": _reals(Reals(((-0.8, 0.8),))),
    "acos": _reals(Reals(((-0.8, 0.8),))),
    "atan": _reals(ALL),
    "atan2": _reals(AWAY, AWAY),
    "sinh": _reals(ALL),
    "cosh": _reals(ALL),
    "tanh": _reals(ALL),
    "sech_squared": _reals(ALL),
    "asinh": _reals(ALL),
    "acosh": _reals(Reals(((1.3, 4.0),))),
    "atanh": _reals(Reals(((-0.8, 0.8),))),
    # rounding
    "floor": _reals(STEPS),
    "ceil": _reals(STEPS),
    "trunc": _reals(STEPS),
    "round": _reals(STEPS),
    "floor_divide": _numbers(DIVIDENDS, DIVISORS),
    "remainder": _numbers(DIVIDENDS, DIVISORS),
    "fmod": _numbers(DIVIDENDS, DIVISORS),
    # comparison and logic
    "equal": _predicate(Whole(0, 2), Whole(0, 2)),
    "not_equal": _predicate(Whole(0, 2), Whole(0, 2)),
    "less": _predicate(Whole(0, 2), Whole(0, 2)),
    "less_equal": _predicate(Whole(0, 2), Whole(0, 2)),
    "logical_and": _truths(2),
    "logical_or": _truths(2),
    "logical_xor": _truths(2),
    "logical_not": _truths(1),
    "bitwise_and": _bits(Whole(0, 7), Whole(0, 7)),
    "bitwise_or": _bits(Whole(0, 7), Whole(0, 7)),
    "bitwise_xor": _bits(Whole(0, 7), Whole(0, 7)),
    "bitwise_invert": _bits(Whole(0, 7)),
    "left_shift": _bits(Whole(0, 7), Whole(0, 3), shift=True),
    "right_shift": _bits(Whole(0, 7), Whole(0, 3), shift=True),
    "isfinite": _reals(ALL),
    "isinf": _reals(ALL),
    "isnan": _reals(ALL),
    "signbit": _reals(ALL),
    # selection
    "where": (Domain(elementwise(Truth(), ALL, ALL), ANY),),
    "maximum": _numbers(Apart(0, 2), Apart(1, 2)),
    "minimum": _numbers(Apart(0, 2), Apart(1, 2)),
    "clip": _numbers(Apart(0, 3), Apart(1, 3), Apart(2, 3)),
    "relu": _numbers(AWAY),
    "copysign": _reals(AWAY, AWAY),
    "nextafter": _reals(ALL, ALL),
    "cast": (
        Domain(elementwise(ALL, params=((float64,),)), (float64,)),
        Domain(elementwise(ALL, params=((float32,), (int64,), (bool_,))), ANY, smooth=False),
    ),
    "detach": (Domain(elementwise(ALL), ANY),),
    # special functions
    "erf": _reals(ALL),
    "erfc": _reals(ALL),
    "erfinv": _reals(Reals(((-0.9, 0.9),))),
    "erfcinv": _reals(Reals(((0.2, 1.8),))),
    "erfcx": _reals(ALL, params=((0,), (1,), (2,))),
    "ndtr": _reals(ALL),
    "log_ndtr": _reals(ALL),
    "gamma": _reals(Reals(((0.4, 4.0), (-1.7, -1.3)))),
    "gammaln": _reals(Reals(((0.4, 4.0), (-1.7, -1.3)))),
    "polygamma": _reals(Reals(((0.6, 4.0), (-1.7, -1.3))), params=((0,), (1,), (2,), (3,))),
    "beta": _reals(POSITIVE, POSITIVE, params=(*ORDERS, (1, 1))),
    "betaln": _reals(POSITIVE, POSITIVE),
    "binom": _reals(Reals(((3.0, 5.0),)), Reals(((0.6, 2.4),)), params=(*ORDERS, (1, 1))),
    "poch": _reals(POSITIVE, POSITIVE),
    "polygamma_difference": _reals(POSITIVE, POSITIVE, params=((0,), (1,), (2,))),
    "zeta": _reals(Reals(((1.6, 5.0),)), Reals(((0.6, 4.0),)), params=((0,), (1,), (2,))),
    "gammainc": _costly(Reals(((0.5, 4.0),)), POSITIVE, params=((0,), (1,), (2,))),
    "gammaincc": _costly(Reals(((0.5, 4.0),)), POSITIVE),
    "gamma_density": _reals(Reals(((0.5, 4.0),)), POSITIVE, params=((0,), (1,), (2,))),
    "betainc": _costly(SHAPES, SHAPES, SHARES, params=ORDERS),
    "beta_density": _costly(SHAPES, SHAPES, SHARES, params=ORDERS),
    "bessel_i": _reals(ALL, params=((0,), (1,), (2,))),
    "bessel_i_scaled": _reals(POSITIVE, params=((0, 0), (1, 0), (1, 1))),
    "bessel_j": _reals(ALL, params=((0,), (1,), (2,))),
    "bessel_y": _reals(POSITIVE, params=((0,), (1,), (2,))),
    "lambertw": (
        *_reals(Reals(((-0.3, -0.1), (0.1, 4.0))), params=((0, 0), (0, 1))),
        *_reals(Reals(((-0.3, -0.05),)), params=((-1, 0), (-1, 1))),
    ),
    "expn": _reals(POSITIVE, params=((0,), (1,), (2,))),
    "expi": _reals(AWAY),
    "exprel": _reals(ALL, params=((0,), (1,), (2,))),
    "spence": _reals(POSITIVE),
    "cosm1": _reals(ALL),
    "sinc": _reals(ALL, params=((0,), (1,), (2,))),
    "boxcox": _reals(POSITIVE, ALL),
    "inv_boxcox": _reals(POSITIVE, POSITIVE, params=((0,), (1,), (2,))),
    "entr": _reals(POSITIVE),
    "rel_entr": _reals(POSITIVE, POSITIVE),
    "kl_div": _reals(POSITIVE, POSITIVE),
    "cbrt": _reals(AWAY),
    "logaddexp2": _reals(ALL, ALL),
}
