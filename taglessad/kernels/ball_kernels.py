"""What each primitive means on balls. Primitives without an entry have no such meaning yet.

At a kink, an operand that equals the other exactly or cannot be told from it, the value is what it
is; that the derivative may be anything in the hull of the one-sided ones comes about by leaving
later comparisons of these very entries open (`Field.kink`).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from taglessad.kernels import ball_matrices, balls, special_balls
from taglessad.kernels import objects as shared
from taglessad.kernels.payloads import (
    Numbers,
    Objects,
    Truth,
    boxed,
    each,
    gathered,
    rows,
)

# Any throughout: entries are balls; parameters as each primitive declares them.
Kernel = Callable[..., Any]


class Field(shared.Field, Protocol):
    """A field that is told what happened on the way."""

    def kink(
        self,
        op: str,
        place: tuple[int, ...],
        met: Sequence[Any],
        *,
        tie: bool,
        active: bool,
        jump: bool = False,
    ) -> None:
        """At a result entry the balls `met` are at a kink or jump (a tie), or may be."""
        ...

    def outside(self, op: str, place: tuple[int, ...], x: Any) -> None:
        """The ball x may lie outside the domain of an operation."""
        ...

    def compare(self, relation: str, a: Numbers, b: Numbers) -> Truth:
        """A comparison, open where it cannot be decided or must not be."""
        ...


# --- elementwise ---------------------------------------------------------------------------------
def _checked(field: Field, op: str, values: Objects, *operands: Objects) -> None:
    """Tell of results that are no finite ball although the operands are."""
    for i, y in enumerate(values.ravel().tolist()):
        if not y.is_finite():
            place = tuple(map(int, np.unravel_index(i, values.shape)))
            xs = [np.broadcast_to(x, values.shape)[place] for x in operands]
            if all(x.is_finite() for x in xs):
                field.outside(op, place, xs[-1] if op == "div" else xs[0])


def unary(op: str, f: Callable[[Any], Any]) -> Kernel:
    """A function of one number as a kernel."""

    def kernel(field: Field, x: Numbers) -> Numbers:
        values = each(f, x.values)
        _checked(field, op, values, x.values)
        return Numbers(values, x.dtype, x.active)

    return kernel


def binary(op: str, f: Callable[[Any, Any], Any]) -> Kernel:
    """A function of two numbers as a kernel."""

    def kernel(field: Field, a: Numbers, b: Numbers) -> Numbers:
        values = each(f, a.values, b.values)
        _checked(field, op, values, a.values, b.values)
        return Numbers(values, a.dtype, a.active or b.active)

    return kernel


def ufunc(f: np.ufunc) -> Kernel:
    """A NumPy function that balls answer by their operators."""

    def kernel(field: Field, *xs: Numbers) -> Numbers:
        values = boxed(f(*(x.values for x in xs)))
        return Numbers(values, xs[0].dtype, any(x.active for x in xs))

    return kernel


def square(field: Field, x: Numbers) -> Numbers:
    return Numbers(boxed(np.multiply(x.values, x.values)), x.dtype, x.active)


def integer_pow(field: Field, x: Numbers, n: int) -> Numbers:
    values = each(lambda v: balls.power(v, n), x.values)
    _checked(field, "integer_pow", values, x.values)
    return Numbers(values, x.dtype, x.active)


def pow_int(field: Field, x: Numbers, n: Objects) -> Numbers:
    values = each(balls.power, x.values, n.astype(object))
    _checked(field, "pow_int", values, x.values)
    return Numbers(values, x.dtype, x.active)


def with_parameters(op: str, f: Callable[..., Any], count: int) -> Kernel:
    """A function of `count` numbers and of static parameters."""

    def kernel(field: Field, *xs: Any) -> Numbers:
        numbers, params = xs[:count], xs[count:]
        arrays = [x.values for x in numbers]
        values = each(lambda *vs: f(*vs, *params), *arrays)
        _checked(field, op, values, *arrays)
        return Numbers(values, numbers[0].dtype, any(x.active for x in numbers))

    return kernel


def step(op: str, f: Callable[..., Any], halves: bool = False) -> Kernel:
    """A function that jumps where its operand, or the quotient of two, is an integer (a half)."""

    def kernel(field: Field, *xs: Numbers) -> Numbers:
        arrays = [x.values for x in xs]
        active = any(x.active for x in xs)
        asked = arrays[0] if len(xs) == 1 else boxed(np.true_divide(*arrays))
        shifted = each(lambda v: v + balls.of(Fraction(1, 2)), asked) if halves else asked
        near = each(lambda v: v.contains_integer(), shifted).astype(bool)
        exact = each(lambda v: v.is_exact(), shifted).astype(bool)
        for place in map(tuple, np.argwhere(near)):
            x = boxed(asked[place])[()]
            at_it = bool(exact[place])
            field.kink(op, tuple(map(int, place)), (x,), tie=at_it, active=active, jump=True)
        return Numbers(each(f, *arrays), xs[0].dtype, active)

    return kernel


# --- comparisons ---------------------------------------------------------------------------------
def comparison(relation: str) -> Kernel:
    """A comparison as a kernel."""

    def kernel(field: Field, a: Numbers, b: Numbers) -> Truth:
        return field.compare(relation, a, b)

    return kernel


def classified(finite: bool, infinite: bool) -> Kernel:
    """What holds of finite and of infinite numbers; open where a ball is neither for certain."""

    def kernel(field: Field, x: Numbers) -> Truth:
        is_finite = each(lambda v: v.is_finite(), x.values).astype(bool)
        is_infinite = each(lambda v: v.is_exact() and not v.is_nan(), x.values).astype(bool)
        is_infinite &= ~is_finite
        held = (is_finite & finite) | (is_infinite & infinite)
        return Truth(held, held | ~(is_finite | is_infinite))

    return kernel


def signbit(field: Field, x: Numbers) -> Truth:
    return field.compare("less", x, Numbers(boxed(field.zero), x.dtype))


# --- kinks ---------------------------------------------------------------------------------------
def _meetings(
    field: Field, op: str, a: Numbers, b: Numbers, *, alone: bool = False, jump: bool = False
) -> None:
    """Tell of entries of two operands that are equal, or may be; `alone`: only a is asked about."""
    apart = np.less(a.values, b.values) | np.greater(a.values, b.values)
    if np.all(apart):
        return
    active = a.active or b.active
    x, y, far = np.broadcast_arrays(a.values, b.values, apart)
    for index in map(tuple, np.argwhere(~far)):
        u, v = x[index], y[index]
        met = (u,) if alone else (u, v)
        place = tuple(map(int, index))
        field.kink(op, place, met, tie=bool(u == v), active=active, jump=jump)


def _at_zero(field: Field, op: str, x: Numbers, *, jump: bool = False) -> None:
    _meetings(field, op, x, Numbers(boxed(field.zero), x.dtype), alone=True, jump=jump)


def one_sided(op: str, f: Callable[[Any], Any]) -> Kernel:
    """A function of one number with a kink at 0."""

    def kernel(field: Field, x: Numbers) -> Numbers:
        _at_zero(field, op, x)
        return Numbers(each(f, x.values), x.dtype, x.active)

    return kernel


def sign(field: Field, x: Numbers) -> Numbers:
    """The sign; of an entry that was at a kink anything between -1 and 1."""
    known, zero = Numbers(x.values, x.dtype), Numbers(boxed(field.zero), x.dtype)
    below, above = field.compare("less", known, zero), field.compare("less", zero, known)
    least = np.where(below.possible, -1, np.where(above.certain, 1, 0))
    most = np.where(above.possible, 1, np.where(below.certain, -1, 0))
    _at_zero(field, "sign", x, jump=True)
    signs = {-1: balls.of(-1), 0: field.zero, 1: field.one}
    values = each(lambda a, b: balls.hull(signs[a], signs[b]), least, most)
    nowhere = each(lambda v: v.is_nan(), x.values).astype(bool)
    return Numbers(np.where(nowhere, x.values, values), x.dtype, x.active)


def hypot(field: Field, a: Numbers, b: Numbers) -> Numbers:
    near = each(lambda u, v: not (u < 0 or u > 0 or v < 0 or v > 0), a.values, b.values)
    _jumps(field, "hypot", a, b, near)
    made: Numbers = binary("hypot", balls.length)(field, a, b)
    return made


def atan2(field: Field, a: Numbers, b: Numbers) -> Numbers:
    """Jumps across the negative half of the axis."""
    near = each(lambda u, v: not (u < 0 or u > 0 or v > 0), a.values, b.values)
    _jumps(field, "atan2", a, b, near)
    made: Numbers = binary("atan2", balls.angle)(field, a, b)
    return made


def _jumps(field: Field, op: str, a: Numbers, b: Numbers, near: Objects) -> None:
    """Tell of entries near which no hull encloses the derivatives."""
    if a.active or b.active:
        met = np.broadcast_to(a.values, near.shape)
        for index in map(tuple, np.argwhere(near.astype(bool))):
            place = tuple(map(int, index))
            field.kink(op, place, (met[index],), tie=True, active=True, jump=True)


def copysign(field: Field, a: Numbers, b: Numbers) -> Numbers:
    _at_zero(field, "copysign", a)
    _at_zero(field, "copysign", b, jump=True)
    values = each(balls.copysign, a.values, b.values)
    return Numbers(values, a.dtype, a.active or b.active)


def cast(field: Field, x: Numbers, dtype: Any) -> Any:
    """To an integer it jumps, as rounding does."""
    if dtype.kind in "iu":
        step("cast", balls.trunc)(field, x)
    return shared.cast(field, x, dtype)


def extremum(op: str, pick: Callable[[Any, Any], Any]) -> Kernel:
    """The larger or the smaller of two."""

    def kernel(field: Field, a: Numbers, b: Numbers) -> Numbers:
        _meetings(field, op, a, b)
        return Numbers(each(pick, a.values, b.values), a.dtype, a.active or b.active)

    return kernel


def clip(field: Field, x: Numbers, low: Numbers, high: Numbers) -> Numbers:
    _meetings(field, "clip", x, low)
    _meetings(field, "clip", x, high)
    values = each(
        lambda v, a, b: balls.smaller(balls.larger(v, a), b), x.values, low.values, high.values
    )
    return Numbers(values, x.dtype, x.active or low.active or high.active)


def reduction(op: str, pick: Callable[[Any, Any], Any], sign_: int) -> Kernel:
    """The largest or the smallest along axes."""

    def kernel(field: Field, x: Numbers, axes: tuple[int, ...]) -> Numbers:
        lists, shape = rows(x.values, axes)
        found: list[Any] = []
        for i, row in enumerate(lists):
            best = row[0]
            for v in row[1:]:
                best = pick(best, v)
            found.append(best)
            near = [v for v in row if not (v < best if sign_ > 0 else v > best)]
            if len(near) > 1:
                place = tuple(map(int, np.unravel_index(i, shape))) if shape else ()
                tie = all(bool(v == near[0]) for v in near)
                field.kink(op, place, near, tie=tie, active=x.active)
        return Numbers(gathered(found, shape), x.dtype, x.active)

    return kernel


def at(op: str, pick: Callable[[Any, Any], Any]) -> Kernel:
    """The extremum of entries and of the updates of their places."""

    def kernel(field: Field, x: Numbers, index: Objects, updates: Numbers, axis: int) -> Numbers:
        active = x.active or updates.active

        def met(a: Any, b: Any) -> Any:
            if not (a < b or a > b):
                field.kink(op, (), (a, b), tie=bool(a == b), active=active)
            return pick(a, b)

        return shared.updated(x, shared.places_taken(x, index, axis), updates, met)

    return kernel


# --- order ---------------------------------------------------------------------------------------
def _before(field: Field, op: str, a: Any, b: Any) -> bool:
    """a < b, which must be decided; equal numbers keep their order."""
    if a < b:
        return True
    if a >= b:
        return False
    raise field.undecided(f"{op}: which of two entries is the smaller")


def _steady(field: Field, op: str, row: list[Any], active: bool, place: tuple[int, ...]) -> None:
    """Tell of equal neighbours of a sorted row: an order among them has no hull."""
    for a, b in zip(row, row[1:], strict=False):
        if a == b and active:
            field.kink(op, place, (a,), tie=True, active=True, jump=True)


def argsort(field: Field, x: Numbers, axis: int, descending: bool) -> Objects:
    return _order(field, x, axis, descending, x.values.shape[axis])


def argtop(field: Field, x: Numbers, axis: int, count: int) -> Objects:
    return _order(field, x, axis, True, count)


def _order(field: Field, x: Numbers, axis: int, descending: bool, count: int) -> Objects:
    """The first `count` places of the order."""
    ordered = np.moveaxis(x.values, axis, -1)
    lists, shape = rows(ordered, (ordered.ndim - 1,))
    order: list[list[int]] = []
    for i, row in enumerate(lists):
        places = _merge_sorted(field, row, list(range(len(row))), descending)
        order.append(places[:count])
        place = tuple(map(int, np.unravel_index(i, shape))) if shape else ()
        met = places[: count + 1] if count else []
        _steady(field, "sort", [row[j] for j in met], x.active, place)
    found = np.asarray(order, np.int64).reshape(*ordered.shape[:-1], count)
    return np.moveaxis(found, -1, axis)


def _merge_sorted(field: Field, row: list[Any], places: list[int], descending: bool) -> list[int]:
    if len(places) < 2:
        return places
    half = len(places) // 2
    left = _merge_sorted(field, row, places[:half], descending)
    right = _merge_sorted(field, row, places[half:], descending)
    merged: list[int] = []
    i = j = 0
    while i < len(left) and j < len(right):
        a, b = row[left[i]], row[right[j]]
        take_right = _before(field, "sort", *((a, b) if descending else (b, a)))
        if take_right:
            merged.append(right[j])
            j += 1
        else:
            merged.append(left[i])
            i += 1
    return [*merged, *left[i:], *right[j:]]


def extreme_place(op: str, largest: bool) -> Kernel:
    """Where the largest or the smallest entry stands, the first of equal ones."""

    def kernel(field: Field, x: Numbers, axis: int) -> Objects:
        lists, shape = rows(x.values, (axis,))
        places: list[int] = []
        for row in lists:
            best = 0
            for i, v in enumerate(row[1:], start=1):
                pair = (row[best], v) if largest else (v, row[best])
                best = i if _before(field, op, *pair) else best
            places.append(best)
            if x.active and sum(bool(v == row[best]) for v in row) > 1:
                field.kink(op, (), (row[best],), tie=True, active=True, jump=True)
        return np.asarray(places, np.int64).reshape(shape)

    return kernel


def searchsorted(field: Field, ordered: Numbers, values: Numbers, side: Any) -> Objects:
    column = ordered.values.tolist()
    active = ordered.active or values.active

    def rank(v: Any) -> int:
        if active and any(bool(u == v) for u in column):
            field.kink("searchsorted", (), (v,), tie=True, active=True, jump=True)
        if side == "left":
            return sum(_before(field, "searchsorted", u, v) for u in column)
        return sum(not _before(field, "searchsorted", v, u) for u in column)

    return each(rank, values.values).astype(np.int64)


def cumulative_max(field: Field, x: Numbers, axis: int) -> Numbers:
    ordered = np.moveaxis(x.values, axis, 0)
    y = ordered.copy()
    for i in range(1, len(y)):
        y[i, ...] = each(balls.larger, boxed(y[i - 1]), boxed(ordered[i]))
        equal = np.asarray(np.equal(boxed(y[i - 1]), boxed(ordered[i])), bool)
        for index in map(tuple, np.argwhere(equal)):
            place, met = tuple(map(int, index)), (boxed(ordered[i])[index],)
            field.kink("cumulative_max", place, met, tie=True, active=x.active, jump=True)
    return Numbers(np.moveaxis(y, 0, axis), x.dtype, x.active)


def logsumexp(field: Field, x: Numbers, axes: tuple[int, ...]) -> Numbers:
    lists, shape = rows(x.values, axes)
    return Numbers(gathered(map(balls.logsumexp, lists), shape), x.dtype, x.active)


PARAMETRIC: dict[str, tuple[Callable[..., Any], int]] = {
    "bessel_i": (special_balls.bessel_i, 1),
    "bessel_i_scaled": (special_balls.bessel_i_scaled, 1),
    "bessel_j": (special_balls.bessel_j, 1),
    "bessel_y": (special_balls.bessel_y, 1),
    "lambertw": (special_balls.lambertw, 1),
    "beta": (special_balls.beta, 2),
    "beta_density": (special_balls.beta_density, 3),
    "betainc": (special_balls.betainc, 3),
    "binom": (special_balls.binom, 2),
    "erfcx": (special_balls.erfcx, 1),
    "expn": (special_balls.expn, 1),
    "exprel": (special_balls.exprel, 1),
    "gamma_density": (special_balls.gamma_density, 2),
    "gammainc": (special_balls.gammainc, 2),
    "inv_boxcox": (special_balls.inv_boxcox, 2),
    "polygamma": (balls.polygamma, 1),
    "polygamma_difference": (balls.polygamma_difference, 2),
    "sinc": (special_balls.sinc, 1),
    "zeta": (special_balls.zeta, 2),
}

BALLS: dict[str, Kernel] = {
    **{name: unary(name, f) for name, f in balls.UNARY.items()},
    **{name: binary(name, f) for name, f in balls.BINARY.items()},
    **{name: unary(name, f) for name, f in special_balls.UNARY.items()},
    **{name: binary(name, f) for name, f in special_balls.BINARY.items()},
    **{name: with_parameters(name, f, n) for name, (f, n) in PARAMETRIC.items()},
    "abs": one_sided("abs", balls.absolute),
    "add": ufunc(np.add),
    "argmax": extreme_place("argmax", True),
    "argmin": extreme_place("argmin", False),
    "argsort": argsort,
    "argtop": argtop,
    "ceil": step("ceil", lambda x: x.ceil()),
    "clip": clip,
    "atan2": atan2,
    "cast": cast,
    "copysign": copysign,
    "cumulative_max": cumulative_max,
    "equal": comparison("equal"),
    "expm": ball_matrices.expm,
    "floor": step("floor", lambda x: x.floor()),
    "hypot": hypot,
    "floor_divide": step("floor_divide", balls.floor_divide),
    "fmod": step("fmod", balls.fmod),
    "integer_pow": integer_pow,
    "isfinite": classified(True, False),
    "isinf": classified(False, True),
    "isnan": classified(False, False),
    "less": comparison("less"),
    "less_equal": comparison("less_equal"),
    "logsumexp": logsumexp,
    "max": reduction("max", balls.larger, 1),
    "max_at": at("max_at", balls.larger),
    "maximum": extremum("maximum", balls.larger),
    "min": reduction("min", balls.smaller, -1),
    "min_at": at("min_at", balls.smaller),
    "minimum": extremum("minimum", balls.smaller),
    "mul": ufunc(np.multiply),
    "neg": ufunc(np.negative),
    "not_equal": comparison("not_equal"),
    "pow_int": pow_int,
    "relu": one_sided("relu", balls.positive_part),
    "remainder": step("remainder", balls.remainder),
    "round": step("round", balls.nearest, halves=True),
    "searchsorted": searchsorted,
    "sign": sign,
    "signbit": signbit,
    "square": square,
    "sub": ufunc(np.subtract),
    "trunc": step("trunc", balls.trunc),
}
