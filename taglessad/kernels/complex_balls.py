"""Functions of complex balls, analytic on the whole ball or NaN.

FLINT gives finite balls on branch cuts, where a function is not analytic: so every function with a
cut is guarded here. Piecewise functions are decided by the real part; a ball on which the choice is
not the same everywhere gives NaN. On the real line each is the real function of its name.
"""

from collections.abc import Callable
from typing import Any, Final

from taglessad.kernels.balls import CONSTANTS, power
from taglessad.kernels.flint import acb, arb

Ball = Any  # Any: an acb; python-flint is optional


def nowhere() -> Ball:
    """No number: what is not analytic."""
    return acb(arb.nan(), arb.nan())


def guarded(f: Callable[[Ball], Ball], inside: Callable[[Ball], bool]) -> Callable[[Ball], Ball]:
    """f where `inside` holds, else NaN."""
    return lambda z: f(z) if inside(z) else nowhere()


def _off_axis(z: Ball) -> bool:
    return bool(z.imag > 0 or z.imag < 0)


def off_negative(z: Ball) -> bool:
    """Not on the cut from -infinity to 0."""
    return bool(z.real > 0) or _off_axis(z)


def _off_two_rays(z: Ball) -> bool:
    """Not on the real cuts from 1 on and from -1 back."""
    return _off_axis(z) or bool(z.real > -1 and z.real < 1)


def _off_imaginary_rays(z: Ball) -> bool:
    """Not on the imaginary cuts from i on and from -i back."""
    return bool(z.real > 0 or z.real < 0 or (z.imag > -1 and z.imag < 1))


def _off_below_one(z: Ball) -> bool:
    """Not on the real cut from 1 back."""
    return bool(z.real > 1) or _off_axis(z)


log = guarded(lambda z: z.log(), off_negative)
sqrt = guarded(lambda z: z.sqrt(), off_negative)
rsqrt = guarded(lambda z: z.rsqrt(), off_negative)
log1p = guarded(lambda z: z.log1p(), lambda z: off_negative(z + 1))
atan = guarded(lambda z: z.atan(), _off_imaginary_rays)


def reciprocal(z: Ball) -> Ball:
    """1 / z."""
    return 1 / z


def sigmoid(z: Ball) -> Ball:
    """1 / (1 + exp(-z))."""
    return 1 / (1 + (-z).exp())


def softplus(z: Ball) -> Ball:
    """log(1 + exp(z)), analytic where |Im z| < pi."""
    return z + log1p((-z).exp()) if z.real > 0 else log1p(z.exp())


def logaddexp(a: Ball, b: Ball) -> Ball:
    """log(exp(a) + exp(b))."""
    return a + softplus(b - a) if a.real >= b.real else b + softplus(a - b)


def logsumexp(zs: list[Ball]) -> Ball:
    """log of the sum of exp, a number near the largest taken out first."""
    tops = [z.real.mid() for z in zs if z.is_finite()]
    if not tops:
        return nowhere()
    top = max(tops, key=float)
    return log(sum(((z - top).exp() for z in zs), acb(0))) + top


def length(a: Ball, b: Ball) -> Ball:
    """sqrt(a*a + b*b)."""
    return sqrt(a * a + b * b)


def atan2(y: Ball, x: Ball) -> Ball:
    """The angle of the point (x, y)."""
    if x.real > 0:
        return atan(y / x)
    quarter = acb(arb.pi() / 2)
    if y.real > 0:
        return quarter - atan(x / y)
    return -quarter - atan(x / y) if y.real < 0 else nowhere()


def general_power(a: Ball, b: Ball) -> Ball:
    """a**b."""
    if b.is_exact() and b.imag == 0 and b.real.is_integer():
        n = b.real.unique_fmpz()
        if n is not None and abs(int(n)) < 1 << 20:
            return power(a, int(n))
    return (b * log(a)).exp()


def sech_squared(z: Ball) -> Ball:
    """1 / cosh(z)**2."""
    slope = z.sech()
    return slope * slope


def gammaln(z: Ball) -> Ball:
    """log Gamma(z) for positive, log(+-Gamma(z)) for negative real parts."""
    if z.real > 0:
        return z.lgamma()
    y = z.gamma()
    return log(y) if y.real > 0 else log(-y)


def polygamma(z: Ball, n: int) -> Ball:
    """The n-th derivative of digamma."""
    return z.digamma() if n == 0 else z.polygamma(acb(n))


# --- piecewise: decided by the real part, or constant --------------------------------------------
def constant(z: Ball) -> bool:
    """Whether it is one real number on the whole ball."""
    return bool(z.is_exact() and z.imag == 0)


def below(a: Ball, b: Ball) -> bool | None:
    """Whether Re a < Re b on the whole ball; None where that is not decided."""
    if a.real < b.real:
        return True
    if a.real > b.real or (constant(a) and constant(b)):
        return False
    return None


def _picked(first: bool | None, a: Ball, b: Ball) -> Ball:
    return nowhere() if first is None else (a if first else b)


def larger(a: Ball, b: Ball) -> Ball:
    """The larger of two."""
    return _picked(below(a, b), b, a)


def smaller(a: Ball, b: Ball) -> Ball:
    """The smaller of two."""
    return _picked(below(b, a), b, a)


def positive_part(z: Ball) -> Ball:
    """max(z, 0)."""
    return larger(z, acb(0))


def absolute(z: Ball) -> Ball:
    """|z|."""
    return _picked(below(z, acb(0)), -z, z)


def sign(z: Ball) -> Ball:
    """-1, 0 or 1."""
    if constant(z):
        return acb((z.real > 0) - (z.real < 0))
    return acb(1) if z.real > 0 else (acb(-1) if z.real < 0 else nowhere())


def copysign(a: Ball, b: Ball) -> Ball:
    """|a| with the sign of b."""
    size = absolute(a)
    return _picked(below(b, acb(0)), -size, size)


def _stepped(f: Callable[[Ball], Ball]) -> Callable[[Ball], Ball]:
    """A function that jumps at integers: constant on a ball without one."""

    def steps(z: Ball) -> Ball:
        y = f(z.real)
        free = not z.real.contains_integer() or constant(z)
        return acb(y) if free and y.is_exact() else nowhere()

    return steps


floor = _stepped(lambda x: x.floor())
ceil = _stepped(lambda x: x.ceil())


def trunc(z: Ball) -> Ball:
    """Towards zero."""
    return floor(z) if z.real >= 0 else ceil(z)


def nearest(z: Ball) -> Ball:
    """To the nearest integer; the halves are not decided."""
    return floor(z + acb(arb(1) / 2))


def remainder(a: Ball, b: Ball) -> Ball:
    """a - b * floor(a / b)."""
    return a - b * floor(a / b)


def fmod(a: Ball, b: Ball) -> Ball:
    """a - b * trunc(a / b)."""
    return a - b * trunc(a / b)


UNARY: Final[dict[str, Callable[[Ball], Ball]]] = {
    "abs": absolute,
    "acos": guarded(lambda z: z.acos(), _off_two_rays),
    "acosh": guarded(lambda z: z.acosh(), _off_below_one),
    "asin": guarded(lambda z: z.asin(), _off_two_rays),
    "asinh": guarded(lambda z: z.asinh(), _off_imaginary_rays),
    "atan": atan,
    "atanh": guarded(lambda z: z.atanh(), _off_two_rays),
    "ceil": ceil,
    "cos": lambda z: z.cos(),
    "cosh": lambda z: z.cosh(),
    "erf": lambda z: z.erf(),
    "erfc": lambda z: z.erfc(),
    "exp": lambda z: z.exp(),
    "exp_neg_square": lambda z: (-(z * z)).exp(),
    "expm1": lambda z: z.expm1(),
    "floor": floor,
    "gammaln": gammaln,
    "log": log,
    "log10": lambda z: log(z) / CONSTANTS["ln10"](),
    "log1p": log1p,
    "log2": lambda z: log(z) / CONSTANTS["ln2"](),
    "neg": lambda z: -z,
    "reciprocal": reciprocal,
    "relu": positive_part,
    "round": nearest,
    "rsqrt": rsqrt,
    "sech_squared": sech_squared,
    "sigmoid": sigmoid,
    "sign": sign,
    "sin": lambda z: z.sin(),
    "sinh": lambda z: z.sinh(),
    "softplus": softplus,
    "sqrt": sqrt,
    "square": lambda z: z * z,
    "tan": lambda z: z.tan(),
    "tanh": lambda z: z.tanh(),
    "trunc": trunc,
}
"""Functions of one complex ball by the primitive's name."""

BINARY: Final[dict[str, Callable[[Ball, Ball], Ball]]] = {
    "add": lambda a, b: a + b,
    "atan2": atan2,
    "copysign": copysign,
    "div": lambda a, b: a / b,
    "floor_divide": lambda a, b: floor(a / b),
    "fmod": fmod,
    "hypot": length,
    "logaddexp": logaddexp,
    "maximum": larger,
    "minimum": smaller,
    "mul": lambda a, b: a * b,
    "pow": general_power,
    "remainder": remainder,
    "sub": lambda a, b: a - b,
}
"""Functions of two."""
