"""How far values and derivatives lie from the exact ones, in units of the last place.

The oracle knows no derivative rule: it is the value function in mpmath, and for its derivatives
difference quotients over 1e-20 of the scale on which the function varies, with as many digits as
they take. What a user would get is what is measured: `vjp` for the first derivative, `jvp` of it
for the second.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from taglessad.array_api.creation import tensor
from taglessad.array_api.statistical import sum as total
from taglessad.convert import to_numpy
from taglessad.errors import MissingExtra
from taglessad.tensor import Tensor
from taglessad.transforms.gradient import grad
from taglessad.transforms.products import jvp

# Any: mpmath is without types; its numbers, and arrays of float64 that are given to it one by one.
Real: TypeAlias = Any
Values: TypeAlias = Any

FEW: Final = 8.0
"""The error allowed, in units of the last place."""

_STEP: Final = 20  # a difference quotient errs by the square of 1e-20
_DIGITS: Final = (70, 140, 280, 560, 1100, 2200)
_MOST: Final = float(np.finfo(np.float64).max)
_LEAST: Final = 2.0**-1074
_PARTS: Final = 8


def mpmath() -> Any:  # Any: the module, which has no types
    """The module mpmath. Raises MissingExtra where it is not installed."""
    try:
        return import_module("mpmath")
    except ImportError:
        raise MissingExtra("accuracy: needs mpmath; pip install mpmath") from None


class Beyond(NamedTuple):
    """Why a quantity errs by more than a few units, and by how many over its conditioning."""

    reason: str
    most: float = FEW


ZERO: Final = Beyond("next to zeros of it")
FADING: Final = Beyond("subnormal: a factor has lost its digits")


class Row(NamedTuple):
    """A function of one, two or three numbers.

    function: in this library. exact: the same in mpmath, itself accurate to its working precision.
    scales: operand by operand, how far from a point the function is close to a parabola.
    points: how many -> operands. remark: where they are, if not everywhere, and why. exceptions:
    the quantities whose error may exceed the few units allowed.
    """

    name: str
    function: Callable[..., Tensor]
    exact: Callable[..., Real]
    scales: tuple[Callable[[Real], Real], ...]
    points: Callable[[int], tuple[Values, ...]]
    remark: str = ""
    exceptions: Mapping[str, Beyond] = MappingProxyType({})


class Worst(NamedTuple):
    """The largest error of one quantity: in ulp; over 1 + its condition number; and where."""

    quantity: str
    ulp: float
    conditioned: float
    at: tuple[float, ...]
    exact: str
    found: float


# --- the library's side --------------------------------------------------------------------------
def quantities(arity: int) -> tuple[tuple[int, ...], ...]:
    """The value (), the first derivatives (i,), the second (i, j): operands differentiated in."""
    first = [(i,) for i in range(arity)]
    second = [(i, j) for i in range(arity) for j in range(i, arity)]
    return ((), *first, *second)


def measured(row: Row, operands: Sequence[Values], orders: tuple[int, ...]) -> Values:
    """The value or a derivative, entry by entry."""

    def value(*xs: Tensor) -> Tensor:
        return total(row.function(*xs))

    xs = [tensor(x) for x in operands]
    if not orders:
        return to_numpy(row.function(*xs))
    first = grad(value, argnums=orders[0])
    if len(orders) == 1:
        return to_numpy(first(*xs))
    ones = tensor(np.ones_like(operands[0]))
    return to_numpy(jvp(first, argnums=orders[1])(*xs, ones))


# --- the oracle ----------------------------------------------------------------------------------
class Oracle:
    """The exact value and derivatives of a row at one point; what is computed twice is kept."""

    def __init__(self, row: Row, xs: Sequence[Real]) -> None:
        self.row, self.xs, self.mp = row, xs, mpmath()
        self.units = [scale(x) for scale, x in zip(row.scales, xs, strict=True)]
        # A step is to be seen in the number that it is added to.
        sizes = [abs(x) / unit for x, unit in zip(xs, self.units, strict=True)]
        self._hidden = int(self.mp.log10(max(1, *sizes)))
        self._known: dict[tuple[int, tuple[int, ...]], Real] = {}

    def __call__(self, orders: tuple[int, ...]) -> Real:
        """A value or derivative to 20 digits, or to far below the smallest number."""
        mp = self.mp
        found: Real = None
        for digits in _DIGITS:
            with mp.workdps(digits + self._hidden):
                found, size = self._quotient(orders, digits)
                uncertain = size * mp.mpf(10) ** (8 - digits)
                if uncertain <= max(abs(found) * mp.mpf(10) ** -20, mp.mpf(10) ** -345):
                    break
        return found

    def _quotient(self, orders: tuple[int, ...], digits: int) -> tuple[Real, Real]:
        """The difference quotient, and the size of the values that it is made of over the steps."""
        rank = len(self.xs)
        steps = [unit * self.mp.mpf(10) ** -_STEP for unit in self.units]

        def at(*moves: int) -> Real:
            key = digits, moves
            if key not in self._known:
                moved = [x + m * h for x, m, h in zip(self.xs, moves, steps, strict=True)]
                self._known[key] = self.mp.re(self.row.exact(*moved))
            return self._known[key]

        middle = at(*(0,) * rank)
        if not orders:
            return middle, abs(middle)
        i, j = orders[0], orders[-1]
        up, down = ([sign * int(k == i) for k in range(rank)] for sign in (1, -1))
        ahead, behind = at(*up), at(*down)
        size = max(abs(ahead), abs(middle), abs(behind))  # middle may be next to a zero
        if len(orders) == 1:
            return (ahead - behind) / (2 * steps[i]), size / steps[i]
        if i == j:
            square = steps[i] ** 2
            return (ahead - 2 * middle + behind) / square, 4 * size / square
        both = 4 * steps[i] * steps[j]

        def corner(up: int, across: int) -> Real:
            return at(*(up * int(k == i) + across * int(k == j) for k in range(rank)))

        mixed = corner(1, 1) + corner(-1, -1) - corner(1, -1) - corner(-1, 1)
        return mixed / both, 4 * size / both


def ulps(found: float, exact: Real) -> float:
    """The error of a float64 in units of the last place; inf for a wrong inf or a NaN.

    What is beyond the largest number may be anything but a number; within a factor of 8 of it a part
    of the result may overflow.
    """
    mp = mpmath()
    if abs(exact) > _MOST:
        beyond = abs(exact) > _MOST * (1 + mp.mpf(2) ** -48)
        return 0.0 if not math.isfinite(found) or not beyond else math.inf
    if not math.isfinite(found):
        return 0.0 if abs(exact) > _MOST / _PARTS else math.inf
    unit = mp.mpf(_LEAST)
    if abs(exact) > unit:
        unit = max(unit, mp.mpf(2) ** (mp.floor(mp.log(abs(exact), 2)) - 52))
    return float(abs(mp.mpf(float(found)) - exact) / unit)


def condition(row: Row, xs: Sequence[Real], orders: tuple[int, ...], exact: Real) -> float:
    """How many units of the result one unit of the operands is worth."""
    mp = mpmath()
    if exact == 0:
        return 0.0
    step = mp.mpf(2) ** -60
    worth = mp.mpf(0)
    for i, x in enumerate(xs):
        with mp.workdps(60):
            moved = [v * (1 + step) if k == i else v for k, v in enumerate(xs)]
        if x != 0:
            worth += abs(Oracle(row, moved)(orders) - exact) / abs(exact) / step
    return float(worth)


def worst(row: Row, count: int) -> list[Worst]:
    """The largest error of the value and of each first and second derivative over the points."""
    mp = mpmath()
    operands = [np.asarray(x, np.float64) for x in row.points(count)]
    wanted = quantities(len(operands))
    found = [measured(row, operands, orders) for orders in wanted]
    errors = [Worst(quantity_name(orders), 0.0, 0.0, (), "", 0.0) for orders in wanted]
    for n, at in enumerate(zip(*operands, strict=True)):
        point = tuple(float(v) for v in at)
        xs = [mp.mpf(v) for v in point]
        oracle = Oracle(row, xs)
        for k, orders in enumerate(wanted):
            exact, got = oracle(orders), float(found[k][n])
            error = over = ulps(got, exact)
            if FEW < error < math.inf:
                over = error / (1 + condition(row, xs, orders, exact))
            before = errors[k]
            conditioned = max(before.conditioned, over)
            if error > before.ulp:
                before = Worst(before.quantity, error, 0.0, point, mp.nstr(exact, 8), got)
            errors[k] = before._replace(conditioned=conditioned)
    return errors


def quantity_name(orders: tuple[int, ...]) -> str:
    """f, f_x, f_xy, ...: a derivative by the operands that it is taken in."""
    return "f" + ("_" if orders else "") + "".join("xyz"[i] for i in orders)
