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
FEW = 5.0  # NumPy's exp in float32 alone may be off by half of that
DTYPES = [np.float64, np.float32, np.float16]
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: t.__name__)


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
        rounded = mp.sign(exact) * (
            mp.inf if abs(exact) > most * (1 + mp.mpf(2) ** -info.nmant) else most
        )
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


def gaussian_centre(dtype: Any) -> Values:
    xs = gaussian_tails(dtype)
    return xs[np.exp(-(xs.astype(np.float64) ** 2)) > 2 * float(np.finfo(dtype).tiny)]


def moderate(dtype: Any) -> Values:
    xs = magnitudes(dtype)
    return xs[np.abs(np.log(xs.astype(np.float64))) < 20][:24]


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
    return both(xs[xs.astype(np.float64) < 1e15])


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
    # Where exp(-x*x) is subnormal its own digits are gone, and its derivative is made of it.
    "exp_neg_square": Row(lambda x: mp.exp(-x * x), gaussian, gaussian_centre),
}
WITH_PARAMETERS = {
    f"integer_pow {n}": ("integer_pow", (n,), Row(lambda x, n=n: x**n, relative, everywhere))
    for n in (-3, -2, -1, 1, 2, 3, 7)
} | {
    f"polygamma {n}": (
        "polygamma",
        (n,),
        Row(lambda x, n=n: mp.re(mp.psi(n, x)), relative, moderate),
    )
    for n in (0, 1, 2)
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


def check(name: str, row: Row, dtype: Any, params: tuple[Any, ...] = ()) -> None:
    xs = np.unique(row.points(dtype))
    found = derivative(name, [xs], 0, params)
    errors = []
    for x, g in zip(xs, found, strict=True):
        exact = slope(row.value, mp.mpf(float(x)), row.scale(mp.mpf(float(x))))
        errors.append((ulps(g, exact, dtype), f"{name}{params} at {x!r}: {exact}, not {g!r}"))
    error, where = max(errors)
    assert error <= FEW, f"{error:.3g} ulp: {where}"


@each_dtype
@pytest.mark.parametrize("name", TABLE)
def test_functions_of_one_number(name: str, dtype: Any) -> None:
    check(name, TABLE[name], dtype)


@each_dtype
@pytest.mark.parametrize("name", WITH_PARAMETERS)
def test_functions_with_parameters(name: str, dtype: Any) -> None:
    primitive, params, row = WITH_PARAMETERS[name]
    check(primitive, row, dtype, params)


def test_inverse_error_function() -> None:
    """By the slope of erf, where the inverse ends.

    exp(y*y), which the derivative is made of, magnifies the rounding of y by 2*y*y.
    """
    xs = np.concatenate([[1e-300, 1e-5], 1 - np.exp2(-np.linspace(0.5, 52, 12))])
    found = derivative("erfinv", [xs], 0)
    for x, g in zip(xs, found, strict=True):
        with mp.workdps(40):
            y = mp.erfinv(mp.mpf(float(x)))
        exact = 1 / slope(mp.erf, y, gaussian(y))
        assert ulps(g, exact, np.float64) <= FEW * (1 + 2 * y * y), x


# --- two operands --------------------------------------------------------------------------------
Pairs = tuple[Values, Values]


def of_all_sizes(dtype: Any) -> Pairs:
    """Pairs near each other, far from each other, and at both ends of the range."""
    rng = np.random.default_rng(3)
    a = magnitudes(dtype).astype(np.float64)
    info = np.finfo(dtype)
    least, most = float(info.smallest_subnormal), float(info.max)
    near = a * np.exp2(rng.uniform(-20, 20, a.size))
    first = np.concatenate([a, a, [most, 0.75 * most, least, 2 * least, most, least]])
    second = np.concatenate([near, rng.permutation(a), [most, most, least, 3 * least, 1, most]])
    with np.errstate(over="ignore"):
        pair = first.astype(dtype), second.astype(dtype)
    usable = np.isfinite(pair[1]) & (pair[1] != 0)
    signs = rng.choice([-1, 1], (2, a.size * 2 + 6)).astype(dtype)
    return (pair[0] * signs[0])[usable], (pair[1] * signs[1])[usable]


def with_normal_quotient(dtype: Any) -> Pairs:
    a, b = of_all_sizes(dtype)
    quotient = np.abs(a.astype(np.longdouble) / b)
    info = np.finfo(dtype)
    usable = (quotient > float(info.tiny)) & (quotient < float(info.max))
    return a[usable], b[usable]


def with_normal_power(dtype: Any) -> Pairs:
    rng = np.random.default_rng(4)
    a = magnitudes(dtype)
    reach = np.log(float(np.finfo(dtype).max)) * 0.9
    exponents = (
        rng.uniform(-1, 1, a.size) * reach / np.maximum(np.abs(np.log(a.astype(np.float64))), 1e-2)
    )
    tiny = np.exp2(rng.uniform(-np.finfo(dtype).nmant, 0, a.size))
    return np.concatenate([a, a]), np.concatenate([exponents, tiny]).astype(dtype)


def with_moderate_gap(dtype: Any) -> Pairs:
    rng = np.random.default_rng(5)
    edge = -np.log(float(np.finfo(dtype).tiny))
    a = np.concatenate([rng.uniform(-edge, edge, 20), rng.uniform(-1, 1, 20)])
    b = a + rng.uniform(-edge, edge, 40)
    return a.astype(dtype), b.astype(dtype)


class PairRow(NamedTuple):
    """A function of two numbers, in mpmath; its scale in each; and where it is looked at."""

    value: Callable[[Real, Real], Real]
    scales: tuple[Callable[[Real], Real], Callable[[Real], Real]]
    points: Callable[[Any], Pairs]


PAIRS = {
    "mul": PairRow(lambda a, b: a * b, (relative, relative), of_all_sizes),
    "div": PairRow(lambda a, b: a / b, (relative, relative), with_normal_quotient),
    "hypot": PairRow(lambda a, b: mp.hypot(a, b), (relative, relative), of_all_sizes),
    "atan2": PairRow(lambda a, b: mp.atan2(a, b), (relative, relative), of_all_sizes),
    "pow": PairRow(mp.power, (relative, unit), with_normal_power),
    "logaddexp": PairRow(
        lambda a, b: mp.log(mp.exp(a) + mp.exp(b)), (unit, unit), with_moderate_gap
    ),
}


def partial_of(row: PairRow, position: int, a: Real, b: Real) -> Real:
    if position == 0:
        return slope(lambda x: row.value(x, b), a, row.scales[0](a))
    return slope(lambda x: row.value(a, x), b, row.scales[1](b))


def condition(row: PairRow, position: int, a: Real, b: Real, exact: Real) -> float:
    """How many ulp of the derivative one ulp of either operand is worth."""
    step = mp.mpf(2) ** -60
    with mp.workdps(50):
        beside = (a * (1 + step), b), (a, b * (1 + step))
    moved = [partial_of(row, position, *pair) for pair in beside]
    with mp.workdps(50):
        return float(sum(abs(m - exact) / abs(exact) / step for m in moved))


@each_dtype
@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_numbers(name: str, position: int, dtype: Any) -> None:
    row = PAIRS[name]
    operands = row.points(dtype)
    found = derivative(name, operands, position)
    errors = []
    for a, b, g in zip(*operands, found, strict=True):
        x, y = mp.mpf(float(a)), mp.mpf(float(b))
        exact = partial_of(row, position, x, y)
        error = ulps(g, exact, dtype)
        if FEW < error < np.inf:
            error /= 1 + condition(row, position, x, y, exact)
        errors.append((error, f"{name} at {a!r}, {b!r}: {exact}, not {g!r}"))
    error, where = max(errors)
    assert error <= FEW, f"{error:.3g} ulp: {where}"


# --- limits --------------------------------------------------------------------------------------
INF = np.inf
LIMITS = [
    *[(name, (INF,), 0.0) for name in ("sqrt", "rsqrt", "log", "log1p", "log2", "log10")],
    *[(name, (x,), 0.0) for name in ("atan", "asinh", "tanh", "erf", "erfc") for x in (INF, -INF)],
    *[(name, (x,), 0.0) for name in ("sigmoid", "sech_squared") for x in (INF, -INF)],
    *[(name, (x,), 0.0) for name in ("exp_neg_square", "reciprocal") for x in (INF, -INF)],
    *[(name, (-INF,), 0.0) for name in ("exp", "expm1", "softplus")],
    *[(name, (INF,), INF) for name in ("exp", "expm1", "sinh", "cosh", "gammaln")],
    ("softplus", (INF,), 1.0),
    ("acosh", (INF,), 0.0),
    *[(name, (x,), INF) for name in ("asin", "atanh") for x in (1.0, -1.0)],
    *[(name, (0.0,), INF) for name in ("sqrt", "log", "log2", "log10")],
    ("rsqrt", (0.0,), -INF),
    ("log1p", (-1.0,), INF),
    ("acosh", (1.0,), INF),
]
PAIR_LIMITS = [
    ("hypot", (INF, 1.0), (1.0, 0.0)),
    ("hypot", (-INF, 1.0), (-1.0, 0.0)),
    ("hypot", (2.0, -INF), (0.0, -1.0)),
    ("logaddexp", (INF, 1.0), (1.0, 0.0)),
    ("logaddexp", (-INF, 1.0), (0.0, 1.0)),
    ("atan2", (INF, 1.0), (0.0, 0.0)),
    ("atan2", (1.0, INF), (0.0, 0.0)),
    ("div", (1.0, INF), (0.0, 0.0)),
    ("pow", (INF, 0.5), (0.0, INF)),
    ("pow", (INF, 0.25), (0.0, INF)),
    ("pow", (0.0, 0.25), (INF, 0.0)),
]


@each_dtype
@pytest.mark.parametrize(("name", "at", "limit"), LIMITS)
def test_limits(name: str, at: tuple[float], limit: float, dtype: Any) -> None:
    (found,) = derivative(name, [np.array(at, dtype)], 0)
    assert found == limit


@each_dtype
@pytest.mark.parametrize(("name", "at", "limits"), PAIR_LIMITS)
def test_limits_of_two_numbers(
    name: str, at: tuple[float, float], limits: tuple[float, float], dtype: Any
) -> None:
    operands = [np.array([x], dtype) for x in at]
    for position, limit in enumerate(limits):
        (found,) = derivative(name, operands, position)
        assert found == limit
