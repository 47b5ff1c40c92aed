"""Rational numbers: entries of python-flint's fmpq where it is installed, else of Fraction.

What no rational is (1 / 0, the root of 2) is an `Undefined`, which goes on through arithmetic and is
raised only if a result depends on it: what a selection did not take does no harm.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from taglessad.errors import DomainError
from taglessad.kernels.flint import fmpq, fmpq_mat
from taglessad.kernels.object_matrices import eliminated
from taglessad.kernels.payloads import (
    Bools,
    DType,
    Numbers,
    Objects,
    Truth,
    boxed,
    each,
    filled,
    gathered,
)

# Any throughout: an entry is an fmpq, a Fraction, or an Undefined.


class _Met(Exception):
    """A comparison met an Undefined."""


class Undefined:
    """What is no rational number, and why."""

    __slots__ = ("error",)

    def __init__(self, why: str) -> None:
        self.error = DomainError(why)

    def _same(self, *_others: object) -> "Undefined":
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _same
    __truediv__ = __rtruediv__ = __pow__ = __neg__ = __abs__ = _same

    def _compared(self, _other: object) -> NoReturn:
        raise _Met

    __lt__ = __le__ = __gt__ = __ge__ = _compared

    def __eq__(self, other: object) -> bool:
        raise _Met

    def __ne__(self, other: object) -> bool:
        raise _Met

    __hash__ = None  # type: ignore[assignment]  # an entry is no key


def make(numerator: int, denominator: int = 1) -> Any:
    """A rational number."""
    return Fraction(numerator, denominator) if fmpq is None else fmpq(numerator, denominator)


def exact(value: Any, what: str) -> Any:
    """A number of Python's or NumPy's as the rational that it is.

    Raises DomainError for NaN and infinities.
    """
    if fmpq is not None and isinstance(value, fmpq):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return Undefined(f"{what}: {value} is not a rational number")
    return make(*value.as_integer_ratio())


def fraction(x: Any) -> Fraction:
    """An entry as a Fraction. Raises the DomainError of one that is undefined."""
    if isinstance(x, Undefined):
        raise x.error
    return x if isinstance(x, Fraction) else Fraction(int(x.p), int(x.q))


def of_array(value: Objects) -> Objects:
    """A NumPy array of reals as the rationals that they are."""
    wide = value.astype(np.float64) if value.dtype.itemsize < 8 else value
    return of_objects(wide)


def of_objects(value: Objects) -> Objects:
    """An array of Fractions, ints and floats as the rationals that they are."""
    return gathered((exact(v, "a literal") for v in value.ravel().tolist()), value.shape)


class Rationals:
    """The field of rational numbers, as kernels/objects.py asks for one."""

    zero: Any = make(0)
    one: Any = make(1)

    def unsettled(self, a: Any, b: Any) -> Any:
        if not isinstance(a, Undefined) and not isinstance(b, Undefined) and a == b:
            return a
        return Undefined("where: the condition depends on what is no rational number")

    def number(self, value: int) -> Any:
        return make(value)

    def whole(self, x: Objects, dtype: DType) -> Objects:
        return np.asarray([math.trunc(fraction(v)) for v in x.ravel().tolist()], dtype).reshape(
            x.shape
        )

    def nonzero(self, x: Numbers) -> Truth:
        return compare(np.not_equal, x.values, boxed(self.zero))

    def fenced(self, x: Numbers) -> Numbers:
        return x

    def undecided(self, what: str) -> Exception:
        return DomainError(f"{what} depends on what is no rational number")

    def matmul(self, a: Objects, b: Objects) -> Objects:
        entries = [*a.ravel().tolist(), *b.ravel().tolist()]
        if fmpq_mat is None or any(isinstance(v, Undefined) for v in entries):
            return np.asarray(np.matmul(a, b), object)
        left = fmpq_mat(a.shape[0], a.shape[1], a.ravel().tolist())
        right = fmpq_mat(b.shape[0], b.shape[1], b.ravel().tolist())
        return gathered((left * right).entries(), (a.shape[0], b.shape[1]))

    def solved(self, a: Objects, b: Objects) -> Objects | None:
        for v in (*a.ravel(), *b.ravel()):
            if isinstance(v, Undefined):
                return filled(b.shape, v)
        if fmpq_mat is None:
            return eliminated(
                a, b, lambda column: next((i for i, v in enumerate(column) if v), None)
            )
        n, m = b.shape
        try:
            x = fmpq_mat(n, n, a.ravel().tolist()).solve(fmpq_mat(n, m, b.ravel().tolist()))
        except ZeroDivisionError:
            return None
        return gathered(x.entries(), b.shape)

    def determinant(self, a: Objects) -> Any:
        for v in a.ravel():
            if isinstance(v, Undefined):
                return v
        n = len(a)
        return _bareiss(a) if fmpq_mat is None else fmpq_mat(n, n, a.ravel().tolist()).det()

    def divided(self, a: Any, b: Any) -> Any:
        return divide(a, b)

    def rooted(self, x: Any) -> Any:
        return square_root(x)

    def turn(self, k: int, n: int) -> tuple[Any, Any]:
        if 4 * k % n:
            nothing = Undefined(f"rfft: the cosine of 1/{n} of a turn is not a rational number")
            return nothing, nothing
        cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[4 * k // n]
        return make(cosine), make(sine)

    def roughly(self, x: Any) -> float:
        return math.nan if isinstance(x, Undefined) else float(fraction(x))

    def logged(self, x: Any) -> Any:
        return Undefined("log: its values are not rational numbers")

    def shown(self, x: Any) -> Any:
        return x

    def missing(self, op: str, why: str) -> Any:
        return Undefined(f"{op}: {why}")


def _bareiss(a: Objects) -> Any:
    """The determinant by elimination (Bareiss 1968)."""
    rows, sign, before = [list(row) for row in a], 1, make(1)
    n = len(rows)
    for k in range(n - 1):
        at = next((i for i in range(k, n) if rows[i][k]), None)
        if at is None:
            return make(0)
        if at != k:
            rows[k], rows[at], sign = rows[at], rows[k], -sign
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                cross = rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]
                rows[i][j] = cross / before
        before = rows[k][k]
    return sign * rows[n - 1][n - 1]


def compare(relation: np.ufunc, a: Objects, b: Objects) -> Truth:
    """A comparison, open where it meets what is undefined."""
    try:
        return Truth(np.asarray(relation(a, b), bool))
    except _Met:
        pass
    open_ = each(lambda x, y: isinstance(x, Undefined) or isinstance(y, Undefined), a, b)
    unknown: Bools = open_.astype(bool)
    whole = np.broadcast_arrays(a, b)
    zero = Rationals.zero
    x, y = (np.where(unknown, boxed(zero), v) for v in whole)
    held = np.asarray(relation(x, y), bool)
    return Truth(held & ~unknown, held | unknown)


def divide(a: Any, b: Any) -> Any:
    """a / b."""
    if not isinstance(b, Undefined) and b == 0:
        return a if isinstance(a, Undefined) else Undefined("divide: division by zero")
    return a / b


def power(x: Any, n: int) -> Any:
    """x**n for an integer n."""
    if n < 0:
        return divide(Rationals.one, power(x, -n))
    return x**n


def root(x: Any, n: int, what: str) -> Any:
    """The n-th root of what is an n-th power of a rational number."""
    if isinstance(x, Undefined):
        return x
    value = fraction(x)
    top, bottom = _integer_root(abs(value.numerator), n), _integer_root(value.denominator, n)
    if value < 0 or top is None or bottom is None:
        return Undefined(f"{what}: the value at {value} is not a rational number")
    return make(top, bottom)


def _integer_root(value: int, n: int) -> int | None:
    low, high = 0, 1 << (value.bit_length() // n + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**n < value else (low, middle)
    return low if low**n == value else None


def general_power(a: Any, b: Any) -> Any:
    """a**b where that is a rational number: b an integer, or a a power of the right degree."""
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return a if isinstance(a, Undefined) else b
    exponent = fraction(b)
    if exponent.numerator.bit_length() > 20 or exponent.denominator.bit_length() > 20:
        return Undefined(f"pow: the exponent {exponent} is too large to be computed exactly")
    base = a if exponent.denominator == 1 else root(a, exponent.denominator, "pow")
    return power(base, exponent.numerator)


def square_root(x: Any) -> Any:
    """The root of the square of a rational number."""
    return root(x, 2, "sqrt")


def inverse_square_root(x: Any) -> Any:
    """One over the root of the square of a rational number."""
    return divide(Rationals.one, root(x, 2, "rsqrt"))


def length(a: Any, b: Any) -> Any:
    """sqrt(a*a + b*b) where that is a rational number."""
    return root(a * a + b * b, 2, "hypot")


def _defined(f: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*xs: Any) -> Any:
        for x in xs:
            if isinstance(x, Undefined):
                return x
        return f(*xs)

    return checked


def _toward(rounded: Callable[[Fraction], int]) -> Callable[[Any], Any]:
    return _defined(lambda x: make(rounded(fraction(x))))


floor = _toward(math.floor)
ceil = _toward(math.ceil)
trunc = _toward(math.trunc)
nearest = _toward(round)


def floor_divide(a: Any, b: Any) -> Any:
    """floor(a / b)."""
    return floor(divide(a, b))


def remainder(a: Any, b: Any) -> Any:
    """a - b * floor(a / b)."""
    return a - b * floor(divide(a, b))


def fmod(a: Any, b: Any) -> Any:
    """a - b * trunc(a / b)."""
    return a - b * trunc(divide(a, b))


@_defined
def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    return make((x > 0) - (x < 0))


@_defined
def absolute(x: Any) -> Any:
    """|x|."""
    return -x if x < 0 else x


@_defined
def copysign(a: Any, b: Any) -> Any:
    """|a| with the sign of b; zero has the sign of positive numbers."""
    return -absolute(a) if b < 0 else absolute(a)


@_defined
def larger(a: Any, b: Any) -> Any:
    """The larger of two."""
    return b if a < b else a


@_defined
def smaller(a: Any, b: Any) -> Any:
    """The smaller of two."""
    return b if b < a else a
