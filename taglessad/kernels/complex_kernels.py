"""What each primitive means on complex balls: values only, for bounds of analytic functions."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from taglessad.errors import DomainError
from taglessad.kernels import ball_matrices, special_complex
from taglessad.kernels import complex_balls as balls
from taglessad.kernels import objects as shared
from taglessad.kernels.balls import power
from taglessad.kernels.payloads import Numbers, Objects, Truth, each, gathered, rows

# Any throughout: entries are complex balls; parameters as each primitive declares them.
Kernel = Callable[..., Any]


def entrywise(f: Callable[..., Any]) -> Kernel:
    """A function of numbers as a kernel."""

    def kernel(field: shared.Field, *xs: Numbers) -> Numbers:
        return Numbers(each(f, *(x.values for x in xs)), xs[0].dtype)

    return kernel


def integer_pow(field: shared.Field, x: Numbers, n: int) -> Numbers:
    return Numbers(each(lambda v: power(v, n), x.values), x.dtype)


def pow_int(field: shared.Field, x: Numbers, n: Objects) -> Numbers:
    return Numbers(each(power, x.values, n.astype(object)), x.dtype)


def with_parameters(f: Callable[..., Any], count: int) -> Kernel:
    """A function of `count` numbers and of static parameters."""

    def kernel(field: shared.Field, *xs: Any) -> Numbers:
        numbers, params = xs[:count], xs[count:]
        values = each(lambda *vs: f(*vs, *params), *(x.values for x in numbers))
        return Numbers(values, numbers[0].dtype)

    return kernel


def clip(field: shared.Field, x: Numbers, low: Numbers, high: Numbers) -> Numbers:
    def clipped(v: Any, a: Any, b: Any) -> Any:
        return balls.smaller(balls.larger(v, a), b)

    return Numbers(each(clipped, x.values, low.values, high.values), x.dtype)


def reduction(pick: Callable[[Any, Any], Any]) -> Kernel:
    """The largest or the smallest along axes."""

    def kernel(field: shared.Field, x: Numbers, axes: tuple[int, ...]) -> Numbers:
        lists, shape = rows(x.values, axes)
        found = (functools.reduce(pick, row) for row in lists)
        return Numbers(gathered(found, shape), x.dtype)

    return kernel


def at(pick: Callable[[Any, Any], Any]) -> Kernel:
    """The extremum of entries and of the updates of their places."""

    def kernel(
        field: shared.Field, x: Numbers, index: Objects, updates: Numbers, axis: int
    ) -> Numbers:
        return shared.updated(x, shared.places_taken(x, index, axis), updates, pick)

    return kernel


def logsumexp(field: shared.Field, x: Numbers, axes: tuple[int, ...]) -> Numbers:
    lists, shape = rows(x.values, axes)
    return Numbers(gathered(map(balls.logsumexp, lists), shape), x.dtype)


def cumulative_max(field: shared.Field, x: Numbers, axis: int) -> Numbers:
    ordered = np.moveaxis(x.values, axis, 0)
    y = ordered.copy()
    for i in range(1, len(y)):
        y[i : i + 1] = each(balls.larger, y[i - 1 : i], ordered[i : i + 1])
    return Numbers(np.moveaxis(y, 0, axis), x.dtype)


# --- comparisons ---------------------------------------------------------------------------------
def _equal(a: Any, b: Any) -> bool | None:
    if a.real < b.real or a.real > b.real:
        return False
    return bool(a.real == b.real) if balls.constant(a) and balls.constant(b) else None


def comparison(f: Callable[[Any, Any], bool | None], holds: bool = True) -> Kernel:
    """A relation of the real parts, open where it is not the same on the whole ball."""

    def kernel(field: shared.Field, a: Numbers, b: Numbers) -> Truth:
        found = each(f, a.values, b.values)
        known = each(lambda v: v is not None, found).astype(bool)
        held = each(lambda v: v is holds, found).astype(bool)
        return Truth(held, held | ~known)

    return kernel


def _finite(held: bool) -> Kernel:
    def kernel(field: shared.Field, x: Numbers) -> Truth:
        known = each(lambda v: v.is_finite(), x.values).astype(bool)
        return Truth(known & held, (known & held) | ~known)

    return kernel


def signbit(field: shared.Field, x: Numbers) -> Truth:
    zero = Numbers(np.asarray(field.zero, object).reshape(()), x.dtype)
    found: Truth = comparison(balls.below)(field, x, zero)
    return found


# --- order ---------------------------------------------------------------------------------------
def _decided(a: Any, b: Any) -> bool:
    """a < b, which must be decided."""
    found = balls.below(a, b)
    if found is None:
        raise DomainError("sort: the order of two entries changes nearby")
    return found


def argsort(field: shared.Field, x: Numbers, axis: int, descending: bool) -> Objects:
    def order(a: int, b: int, row: list[Any]) -> int:
        if _decided(row[a], row[b]):
            return 1 if descending else -1
        return (-1 if descending else 1) if _decided(row[b], row[a]) else a - b

    ordered = np.moveaxis(x.values, axis, -1)
    lists, _ = rows(ordered, (ordered.ndim - 1,))
    found = [
        sorted(
            range(len(row)),
            key=functools.cmp_to_key(functools.partial(order, row=row)),
        )
        for row in lists
    ]
    return np.moveaxis(np.asarray(found, np.int64).reshape(ordered.shape), -1, axis)


def argtop(field: shared.Field, x: Numbers, axis: int, count: int) -> Objects:
    order = argsort(field, x, axis, True)
    return order[(slice(None),) * axis + (slice(count),)]


def extreme_place(largest: bool) -> Kernel:
    """Where the largest or the smallest entry stands."""

    def kernel(field: shared.Field, x: Numbers, axis: int) -> Objects:
        lists, shape = rows(x.values, (axis,))
        places: list[int] = []
        for row in lists:
            best = 0
            for i, v in enumerate(row[1:], start=1):
                best = i if _decided(*((row[best], v) if largest else (v, row[best]))) else best
            places.append(best)
        return np.asarray(places, np.int64).reshape(shape)

    return kernel


def searchsorted(field: shared.Field, ordered: Numbers, values: Numbers, side: Any) -> Objects:
    column = ordered.values.tolist()

    def rank(v: Any) -> int:
        if side == "left":
            return sum(_decided(u, v) for u in column)
        return sum(not _decided(v, u) for u in column)

    return each(rank, values.values).astype(np.int64)


COMPLEX: dict[str, Kernel] = {
    **{name: entrywise(f) for name, f in balls.UNARY.items()},
    **{name: entrywise(f) for name, f in balls.BINARY.items()},
    **{name: entrywise(f) for name, f in special_complex.UNARY.items()},
    **{name: entrywise(f) for name, f in special_complex.BINARY.items()},
    **{name: with_parameters(f, n) for name, (f, n) in special_complex.PARAMETRIC.items()},
    "argmax": extreme_place(True),
    "argmin": extreme_place(False),
    "argsort": argsort,
    "argtop": argtop,
    "clip": clip,
    "cumulative_max": cumulative_max,
    "equal": comparison(_equal),
    "expm": ball_matrices.expm,
    "integer_pow": integer_pow,
    "isfinite": _finite(True),
    "isinf": _finite(False),
    "isnan": _finite(False),
    "less": comparison(balls.below),
    "less_equal": comparison(lambda a, b: balls.below(b, a), holds=False),
    "logsumexp": logsumexp,
    "max": reduction(balls.larger),
    "max_at": at(balls.larger),
    "min": reduction(balls.smaller),
    "min_at": at(balls.smaller),
    "not_equal": comparison(_equal, holds=False),
    "pow_int": pow_int,
    "searchsorted": searchsorted,
    "signbit": signbit,
}
