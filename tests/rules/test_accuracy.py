"""First derivatives to a few ulp over the whole range: subnormals, tails, near singularities.

The oracle knows no rule: the slope of the value function in mpmath, by a difference quotient of
step 1e-30 times the scale on which the function varies, at as many digits as it takes.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
import pytest

from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks.cases import Case
from taglessad.proofs_checks.runs import pulled, pushed

Real = Any  # an mpmath number
Values = np.ndarray[Any, Any]
FEW = 4.0
DTYPES = [np.float64, np.float32, np.float16]


# --- the oracle ----------------------------------------------------------------------------------
def slope(f: Callable[[Real], Real], x: Real, scale: Real) -> Real:
    """f'(x) to 25 digits; `scale` is how far from x f is close to a parabola."""
    last: Real = None
    for digits in (100, 200, 400, 800, 1600):
        with mp.workdps(digits):
            h = scale * mp.mpf(10) ** -30
            found = (f(x + h) - f(x - h)) / (2 * h)
        if last is not None and found != 0 and abs(found - last) <= 1e-25 * abs(found):
            return found
        last = found
    return last


def ulps(found: float, exact: Real, dtype: Any) -> float:
    """The error in units of the last place of the exact value; inf for a wrong inf or a NaN."""
    info = np.finfo(dtype)
    least, most = mp.mpf(float(info.smallest_subnormal)), mp.mpf(float(info.max))
    if abs(exact) > most:
        rounded = mp.sign(exact) * (mp.inf if abs(exact) > most * (1 + mp.mpf(2) ** -info.nmant) else most)
        return 0.0 if found == float(rounded) or abs(found) == np.inf else np.inf
    if not np.isfinite(found):
        return np.inf
    unit = least
    if exact != 0:
        unit = max(least, mp.mpf(2) ** (mp.floor(mp.log(abs(exact), 2)) - info.nmant))
    return float(abs(mp.mpf(float(found)) - exact) / unit)


# --- points --------------------------------------------------------------------------------------
def magnitudes(dtype: Any) -> Values:
    """Positive numbers of every size, the extremes among them."""
    info = np.finfo(dtype)
    rng = np.random.default_rng(info.bits)
    low, high = np.log2(float(info.smallest_subnormal)), np.log2(float(info.max))
    spread = np.exp2(rng.uniform(low, high - 1e-3, info.bits))
    middle = np.concatenate([rng.uniform(0.1, 3, 12), rng.uniform(3, 50, 12)])
    extremes = [info.smallest_subnormal, 3 * float(info.smallest_subnormal), info.tiny, info.max]
    return np.concatenate([spread, middle, extremes]).astype(dtype)


def both(xs: Values) -> Values:
    return np.concatenate([xs, -xs])


def everywhere(dtype: Any) -> Values:
    return both(magnitudes(dtype))


def tails(dtype: Any) -> Values:
    """Where exponentials are between underflow and overflow, and a little beyond."""
    edge = -np.log(float(np.finfo(dtype).smallest_subnormal))
    xs = np.random.default_rng(1).uniform(0, edge * 1.02, 24)
    return both(np.concatenate([xs.astype(dtype), magnitudes(dtype)[::3]]))


def gaussian_tails(dtype: Any) -> Values:
    edge = np.sqrt(-np.log(float(np.finfo(dtype).smallest_subnormal)))
    xs = np.random.default_rng(1).uniform(0, edge * 1.02, 24)
    small = magnitudes(dtype)
    return both(np.concatenate([xs.astype(dtype), small[small < 1][::3]]))


def below_one(dtype: Any) -> Values:
    """Up to 1, also as near to it as can be."""
    small = magnitudes(dtype)
    digits = np.finfo(dtype).nmant
    near = 1 - np.exp2(-np.random.default_rng(2).uniform(1, digits, 16))
    last = [np.nextafter(dtype(1), dtype(0))]
    return np.concatenate([small[small < 1], near.astype(dtype), last]).astype(dtype)


def inside(dtype: Any) -> Values:
    return both(below_one(dtype))


def above_one(dtype: Any) -> Values:
    large = magnitudes(dtype)
    near = 1 + np.exp2(-np.random.default_rng(2).uniform(1, np.finfo(dtype).nmant, 16))
    return np.concatenate([large[large > 1], near.astype(dtype)])


def above_minus_one(dtype: Any) -> Values:
    return np.concatenate([magnitudes(dtype), -below_one(dtype)])


def angles(dtype: Any) -> Values:
    xs = magnitudes(dtype)
    return both(xs[xs < 1e15])


# --- the scale on which a function varies --------------------------------------------------------
def relative(x: Real) -> Real:
    return abs(x)


def unit(x: Real) -> Real:
    return min(abs(x), mp.mpf(1))


def gaussian(x: Real) -> Real:
    return min(abs(x), 1 / abs(x))


def to_one(x: Real) -> Real:
    return min(abs(x), abs(1 - abs(x)))


class Row(NamedTuple):
    """A function, in mpmath; its scale; and where it is looked at."""

    value: Callable[[Real], Real]
    scale: Callable[[Real], Real]
    points: Callable[[Any], Values]
    params: tuple[Any, ...] = ()


TABLE = {
    "square": Row(lambda x: x * x, relative, everywhere),
    "reciprocal": Row(lambda x: 1 / x, relative, everywhere),
    "sqrt": Row(mp.sqrt, relative, magnitudes),
    "rsqrt": Row(lambda x: 1 / mp.sqrt(x), relative, magnitudes),
    "exp": Row(mp.exp, unit, tails),
    "expm1": Row(lambda x: mp.exp(x) - 1, unit, tails),
    "log": Row(mp.log, relative, magnitudes),
    "log1p": Row(lambda x: mp.log(1 + x), lambda x: min(abs(x), 1 + x), above_minus_one),
    "log2": Row(lambda x: mp.log(x) / mp.log(2), relative, magnitudes),
    "log10": Row(lambda x: mp.log(x) / mp.log(10), relative, magnitudes),
    "sigmoid": Row(lambda x: 1 / (1 + mp.exp(-x)), unit, tails),
    "softplus": Row(lambda x: mp.log(1 + mp.exp(x)), unit, tails),
    "sin": Row(mp.sin, unit, angles),
    "cos": Row(mp.cos, unit, angles),
    "tan": Row(mp.tan, lambda x: min(unit(x), abs(mp.cos(x))), angles),
    "asin": Row(mp.asin, to_one, inside),
    "acos": Row(mp.acos, to_one, inside),
    "atan": Row(mp.atan, relative, everywhere),
    "sinh": Row(mp.sinh, unit, tails),
    "cosh": Row(mp.cosh, unit, tails),
    "tanh": Row(mp.tanh, unit, tails),
    "sech_squared": Row(lambda x: mp.sech(x) ** 2, unit, tails),
    "asinh": Row(mp.asinh, relative, everywhere),
    "acosh": Row(mp.acosh, lambda x: x - 1, above_one),
    "atanh": Row(mp.atanh, to_one, inside),
    "erf": Row(mp.erf, gaussian, gaussian_tails),
    "erfc": Row(mp.erfc, gaussian, gaussian_tails),
    "gammaln": Row(mp.loggamma, relative, magnitudes),
}


def derivative(name: str, operands: Sequence[Values], position: int, params: Any = ()) -> Values:
    """A partial derivative entry by entry: what both modes give, which must be the same."""
    case = Case(tuple(operands), params, 0)
    ones = np.ones_like(operands[position])
    tangents = [ones if i == position else None for i in range(len(operands))]
    forward = pushed(PRIMITIVES[name], case, tangents)
    (backward,) = pulled(PRIMITIVES[name], case, [position], ones)
    assert forward.dtype == backward.dtype == ones.dtype
    np.testing.assert_array_equal(forward, backward)
    return forward


def worst(rows: list[tuple[float, str]]) -> tuple[float, str]:
    assert rows
    return max(rows)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", TABLE)
def test_first_derivative(name: str, dtype: Any) -> None:
    row = TABLE[name]
    xs = np.unique(row.points(dtype))
    found = derivative(name, [xs], 0, row.params)
    errors = []
    for x, g in zip(xs, found, strict=True):
        exact = slope(row.value, mp.mpf(float(x)), row.scale(mp.mpf(float(x))))
        errors.append((ulps(g, exact, dtype), f"{name}'({x!r}) = {exact}, not {g!r}"))
    error, where = worst(errors)
    assert error <= FEW, f"{error:.3g} ulp: {where}"
