"""Balls: real numbers as midpoint and radius (python-flint's arb), and functions of them.

Every function returns a ball that holds the function of every point of its operands; where one may
lie outside the domain the ball is NaN, which means "any number or none". Formulas of derived
functions are exact identities. FLINT's working precision is global to the process: `precision` is
the only place that sets it, under one lock.
"""

import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, Final

from taglessad.errors import MissingExtra
from taglessad.kernels.flint import acb, arb, ctx, fmpq

# Any: an arb; python-flint is optional, and its stubs with it.
Ball = Any

LOCK: Final = threading.RLock()


def require(what: str) -> None:
    """Raise MissingExtra where python-flint is not installed."""
    if arb is None:
        raise MissingExtra(f"{what} needs python-flint: pip install 'taglessad[real]'")


@contextmanager
def precision(bits: int) -> Generator[None]:
    """Compute with so many bits; one thread at a time."""
    with LOCK:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


# --- numbers as balls ----------------------------------------------------------------------------
def of(value: int | float | Fraction) -> Ball:
    """The ball of a number: exact for ints and floats."""
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return arb(value)


CONSTANTS: Final[dict[str, Callable[[], Ball]]] = {
    "pi": lambda: arb.pi(),
    "ln2": lambda: arb.const_log2(),
    "ln10": lambda: arb.const_log10(),
    "2/sqrt(pi)": lambda: 2 / arb.const_sqrt_pi(),
    "sqrt(pi)/2": lambda: arb.const_sqrt_pi() / 2,
}
"""The constants that rules name."""


def hull(a: Ball, b: Ball) -> Ball:
    """A ball that holds both; exact at its ends where they have few bits."""
    if a is b:
        return a
    if not (a.is_finite() and b.is_finite()):
        return a.union(b)
    low, high = a.lower(), b.lower()
    low = low if low <= high else high
    top, other = a.upper(), b.upper()
    top = top if top >= other else other
    middle, width = low + top, top - low
    if middle.is_exact() and width.is_exact():
        man, exp = width.man_exp()
        if int(man).bit_length() < 30:  # as a pair of integers a short radius stays exact
            m, e = middle.man_exp()
            return arb((int(m), int(e) - 1), (int(man), int(exp) - 1))
    return arb(middle / 2, width / 2)


def above_zero(x: Ball) -> Ball:
    """max(x, 0) for a ball around zero: the lower end is exactly 0."""
    if not x.is_finite():
        return x.max(arb(0))
    man, exp = x.upper().man_exp()
    shift = max(0, int(man).bit_length() - 29)
    half = (-(-int(man) >> shift), int(exp) + shift - 1)
    return arb(half, half)


# --- functions -----------------------------------------------------------------------------------
def total(xs: Iterable[Ball]) -> Ball:
    """The sum."""
    return reduce(add, xs, arb(0))


def power(x: Ball, n: int) -> Ball:
    """x**n by squaring: arb's own power is NaN on balls around zero. Also for acb."""
    if n < 0:
        return 1 / power(x, -n)
    result, square = None, x
    while n:
        if n & 1:
            result = square if result is None else result * square
        n >>= 1
        if n:
            square = square * square
    return x * 0 + 1 if result is None else result


def general_power(a: Ball, b: Ball) -> Ball:
    """a**b: an integer power where b is an integer, else by logarithm; 0**b is 0 for b > 0."""
    if b.is_exact() and b.is_integer():
        n = b.unique_fmpz()
        if n is not None and abs(int(n)) < 1 << 20:
            return power(a, int(n))
    if a.is_exact() and a == 0 and b > 0:
        return arb(0)
    return a**b if a > 0 else arb.nan()


def absolute(x: Ball) -> Ball:
    """|x|."""
    if x >= 0:
        return x
    return -x if x <= 0 else above_zero(x.max(-x))


def positive_part(x: Ball) -> Ball:
    """max(x, 0)."""
    if x >= 0:
        return x
    return arb(0) if x <= 0 else above_zero(x)


def larger(a: Ball, b: Ball) -> Ball:
    """The larger, itself where it is known which."""
    if a >= b:
        return a
    return b if b >= a else a.max(b)


def smaller(a: Ball, b: Ball) -> Ball:
    """The smaller, itself where it is known which."""
    if a <= b:
        return a
    return b if b <= a else a.min(b)


def sign(x: Ball) -> Ball:
    """-1, 0 or 1, or all between that are possible."""
    if x > 0:
        return arb(1)
    if x < 0:
        return arb(-1)
    if x == 0:
        return arb(0)
    if x.is_nan():
        return x
    return arb((1, -1), (1, -1)) if x >= 0 else arb((0, 0), (1, 0))


def copysign(a: Ball, b: Ball) -> Ball:
    """|a| with the sign of b; zero has the sign of positive numbers."""
    size = absolute(a)
    if b >= 0:
        return size
    return -size if b < 0 else hull(size, -size)


def trunc(x: Ball) -> Ball:
    """Towards zero."""
    if x >= 0:
        return x.floor()
    return x.ceil() if x <= 0 else hull(x.ceil(), x.floor())


def nearest(x: Ball) -> Ball:
    """To the nearest integer, halves to even."""
    if x.is_exact() and (2 * x).is_integer():
        return arb(round(Fraction(int((2 * x).unique_fmpz()), 2)))
    return (x + arb(1) / 2).floor()


def sigmoid(x: Ball) -> Ball:
    """1 / (1 + exp(-x))."""
    return 1 / (1 + (-x).exp())


def softplus(x: Ball) -> Ball:
    """log(1 + exp(x))."""
    return x + (-x).exp().log1p() if x > 0 else x.exp().log1p()


def logaddexp(a: Ball, b: Ball) -> Ball:
    """log(exp(a) + exp(b))."""
    return a + softplus(b - a) if a >= b else b + softplus(a - b)


def logsumexp(xs: list[Ball]) -> Ball:
    """log of the sum of exp, a number near the largest taken out first."""
    if not xs:
        return arb.neg_inf()
    tops = [x.mid() for x in xs if x.is_finite()]
    if not tops:
        return total(x.exp() for x in xs).log()
    top = max(tops, key=float)
    return total((x - top).exp() for x in xs).log() + top


def length(a: Ball, b: Ball) -> Ball:
    """sqrt(a*a + b*b)."""
    return (a * a + b * b).nonnegative_part().sqrt()


def turn(k: int, n: int) -> tuple[Ball, Ball]:
    """Cosine and sine of k / n of a turn."""
    half_turns = fmpq(2 * k, n)
    return arb.cos_pi_fmpq(half_turns), arb.sin_pi_fmpq(half_turns)


def angle(y: Ball, x: Ball) -> Ball:
    """The angle of the point (x, y)."""
    return arb.atan2(y, x)


def sech_squared(x: Ball) -> Ball:
    """1 / cosh(x)**2."""
    slope = x.sech()
    return slope * slope


def gammaln(x: Ball) -> Ball:
    """log|Gamma(x)|."""
    return x.lgamma() if x > 0 else absolute(x.gamma()).log()


def polygamma(x: Ball, n: int) -> Ball:
    """The n-th derivative of digamma."""
    return x.digamma() if n == 0 else acb(x).polygamma(acb(n)).real


def polygamma_difference(a: Ball, b: Ball, n: int) -> Ball:
    """polygamma(a, n) - polygamma(a + b, n)."""
    return polygamma(a, n) - polygamma(a + b, n)


def logaddexp2(a: Ball, b: Ball) -> Ball:
    """log2(2**a + 2**b)."""
    ln2 = arb.const_log2()
    return logaddexp(a * ln2, b * ln2) / ln2


def floor_divide(a: Ball, b: Ball) -> Ball:
    """floor(a / b)."""
    return (a / b).floor()


def remainder(a: Ball, b: Ball) -> Ball:
    """a - b * floor(a / b)."""
    return a - b * (a / b).floor()


def fmod(a: Ball, b: Ball) -> Ball:
    """a - b * trunc(a / b)."""
    return a - b * trunc(a / b)


UNARY: Final[dict[str, Callable[[Ball], Ball]]] = {
    "acos": lambda x: x.acos(),
    "acosh": lambda x: x.acosh(),
    "asin": lambda x: x.asin(),
    "asinh": lambda x: x.asinh(),
    "atan": lambda x: x.atan(),
    "atanh": lambda x: x.atanh(),
    "cos": lambda x: x.cos(),
    "cosh": lambda x: x.cosh(),
    "erf": lambda x: x.erf(),
    "erfc": lambda x: x.erfc(),
    "erfinv": lambda x: x.erfinv(),
    "exp": lambda x: x.exp(),
    "exp_neg_square": lambda x: (-(x * x)).exp(),
    "expm1": lambda x: x.expm1(),
    "gammaln": gammaln,
    "log": lambda x: x.log(),
    "log10": lambda x: x.log() / arb.const_log10(),
    "log1p": lambda x: x.log1p(),
    "log2": lambda x: x.log() / arb.const_log2(),
    "reciprocal": lambda x: 1 / x,
    "rsqrt": lambda x: x.rsqrt(),
    "sech_squared": sech_squared,
    "sigmoid": sigmoid,
    "sin": lambda x: x.sin(),
    "sinh": lambda x: x.sinh(),
    "softplus": softplus,
    "sqrt": lambda x: x.sqrt(),
    "tan": lambda x: x.tan(),
    "tanh": lambda x: x.tanh(),
}
"""Functions of one ball by the primitive's name; NaN outside the domain."""

BINARY: Final[dict[str, Callable[[Ball, Ball], Ball]]] = {
    "div": lambda a, b: a / b,
    "logaddexp": logaddexp,
    "logaddexp2": logaddexp2,
    "pow": general_power,
}
"""Functions of two."""
