"""What each primitive means on rational numbers. Primitives without an entry have no such meaning."""

import functools
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from taglessad.errors import DomainError
from taglessad.kernels import rationals
from taglessad.kernels.objects import Field, places_taken, updated
from taglessad.kernels.payloads import Numbers, Objects, Truth, boxed, each, gathered, rows
from taglessad.kernels.rationals import Rationals, Undefined, compare

# Any throughout: entries are fmpq, Fraction or Undefined; parameters as each primitive declares.


class Ties(Field, Protocol):
    """A field that is told where equal numbers were chosen between."""

    def tie(self, op: str, where: Objects, value: Objects) -> None:
        """At the entries `where`, `value` met its equal."""
        ...


Kernel = Callable[..., Any]


def entrywise(f: Callable[..., Any]) -> Kernel:
    """A function of numbers as a kernel."""

    def kernel(field: Ties, *xs: Numbers) -> Numbers:
        return Numbers(each(f, *(x.values for x in xs)), xs[0].dtype, any(x.active for x in xs))

    return kernel


def ufunc(f: np.ufunc) -> Kernel:
    """A NumPy function that objects answer by their operators."""

    def kernel(field: Ties, *xs: Numbers) -> Numbers:
        values = boxed(f(*(x.values for x in xs)))
        return Numbers(values, xs[0].dtype, any(x.active for x in xs))

    return kernel


def comparison(relation: np.ufunc) -> Kernel:
    """A comparison as a kernel."""

    def kernel(field: Ties, a: Numbers, b: Numbers) -> Truth:
        return compare(relation, a.values, b.values)

    return kernel


def constant(value: bool) -> Kernel:
    """A property that every rational number has, or none; open for what is undefined."""

    def kernel(field: Ties, x: Numbers) -> Truth:
        undefined = each(lambda v: isinstance(v, Undefined), x.values).astype(bool)
        known = np.full(x.values.shape, value)
        return Truth(known & ~undefined, known | undefined)

    return kernel


def integer_pow(field: Ties, x: Numbers, n: int) -> Numbers:
    return Numbers(each(lambda v: rationals.power(v, n), x.values), x.dtype, x.active)


def pow_int(field: Ties, x: Numbers, n: Objects) -> Numbers:
    return Numbers(each(rationals.power, x.values, n.astype(object)), x.dtype, x.active)


# --- at kinks ------------------------------------------------------------------------------------
def _equal(field: Ties, op: str, a: Numbers, b: Numbers) -> None:
    field.tie(op, compare(np.equal, a.values, b.values).certain, a.values)


def _at_zero(field: Ties, op: str, x: Numbers) -> None:
    field.tie(op, compare(np.equal, x.values, boxed(field.zero)).certain, x.values)


def _extremum(op: str, pick: Callable[[Any, Any], Any]) -> Kernel:
    def kernel(field: Ties, a: Numbers, b: Numbers) -> Numbers:
        _equal(field, op, a, b)
        return Numbers(each(pick, a.values, b.values), a.dtype, a.active or b.active)

    return kernel


def abs_(field: Ties, x: Numbers) -> Numbers:
    _at_zero(field, "abs", x)
    return Numbers(each(rationals.absolute, x.values), x.dtype, x.active)


def relu(field: Ties, x: Numbers) -> Numbers:
    _at_zero(field, "relu", x)
    zero = field.zero
    return Numbers(each(lambda v: rationals.larger(v, zero), x.values), x.dtype, x.active)


def clip(field: Ties, x: Numbers, low: Numbers, high: Numbers) -> Numbers:
    _equal(field, "clip", x, low)
    _equal(field, "clip", x, high)

    def clipped(v: Any, a: Any, b: Any) -> Any:
        return rationals.smaller(rationals.larger(v, a), b)

    values = each(clipped, x.values, low.values, high.values)
    return Numbers(values, x.dtype, x.active or low.active or high.active)


def _reduction(op: str, pick: Callable[[Any, Any], Any]) -> Kernel:
    def kernel(field: Ties, x: Numbers, axes: tuple[int, ...]) -> Numbers:
        lists, shape = rows(x.values, axes)
        found: list[Any] = []
        tied: list[bool] = []
        for row in lists:
            if not row:
                raise DomainError(f"{op}: of no numbers there is none")
            best = functools.reduce(pick, row)
            found.append(best)
            tied.append(not isinstance(best, Undefined) and row.count(best) > 1)
        values = gathered(found, shape)
        field.tie(op, np.asarray(tied, bool).reshape(shape), values)
        return Numbers(values, x.dtype, x.active)

    return kernel


def cumulative_max(field: Ties, x: Numbers, axis: int) -> Numbers:
    ordered = np.moveaxis(x.values, axis, 0)
    y = ordered.copy()
    for i in range(1, len(y)):
        y[i, ...] = each(rationals.larger, boxed(y[i - 1]), boxed(ordered[i]))
    return Numbers(np.moveaxis(y, 0, axis), x.dtype, x.active)


def _at(op: str, pick: Callable[[Any, Any], Any]) -> Kernel:
    def kernel(field: Ties, x: Numbers, index: Objects, updates: Numbers, axis: int) -> Numbers:
        return updated(x, places_taken(x, index, axis), updates, pick)

    return kernel


# --- order ---------------------------------------------------------------------------------------
def _settled(x: Numbers) -> Objects:
    """The entries, none of which may be undefined. Raises the DomainError of one that is."""
    for v in x.values.ravel().tolist():
        if isinstance(v, Undefined):
            raise v.error
    return x.values


def _extreme_place(op: str, better: Callable[[Any, Any], Any]) -> Kernel:
    def kernel(field: Ties, x: Numbers, axis: int) -> Objects:
        lists, shape = rows(_settled(x), (axis,))
        places: list[int] = []
        for row in lists:
            best = 0
            for i, v in enumerate(row):
                best = i if better(v, row[best]) else best
            places.append(best)
        return np.asarray(places, np.int64).reshape(shape)

    return kernel


def argsort(field: Ties, x: Numbers, axis: int, descending: bool) -> Objects:
    return _order(field, x, axis, descending, x.values.shape[axis])


def argtop(field: Ties, x: Numbers, axis: int, count: int) -> Objects:
    return _order(field, x, axis, True, count)


def _order(field: Ties, x: Numbers, axis: int, descending: bool, count: int) -> Objects:
    """The first `count` places of the order; a tie is one of those with the next."""
    ordered = np.moveaxis(_settled(x), axis, -1)
    lists, shape = rows(ordered, (ordered.ndim - 1,))
    order: list[list[int]] = []
    tied: list[bool] = []
    for row in lists:
        places = sorted(range(len(row)), key=row.__getitem__, reverse=descending)
        order.append(places[:count])
        met = zip(places[:count], places[1:], strict=False)
        tied.append(any(row[i] == row[j] for i, j in met))
    field.tie("sort", np.asarray(tied, bool).reshape(shape), np.empty(shape, object))
    found = np.asarray(order, np.int64).reshape(*ordered.shape[:-1], count)
    return np.moveaxis(found, -1, axis)


def searchsorted(field: Ties, ordered: Numbers, values: Numbers, side: Any) -> Objects:
    found = np.searchsorted(_settled(ordered), _settled(values), side)
    return np.asarray(found, np.int64)


RATIONAL: dict[str, Kernel] = {
    "abs": abs_,
    "add": ufunc(np.add),
    "argmax": _extreme_place("argmax", lambda a, b: a > b),
    "argmin": _extreme_place("argmin", lambda a, b: a < b),
    "argsort": argsort,
    "argtop": argtop,
    "ceil": entrywise(rationals.ceil),
    "clip": clip,
    "copysign": entrywise(rationals.copysign),
    "cumulative_max": cumulative_max,
    "div": entrywise(rationals.divide),
    "equal": comparison(np.equal),
    "floor": entrywise(rationals.floor),
    "floor_divide": entrywise(rationals.floor_divide),
    "fmod": entrywise(rationals.fmod),
    "hypot": entrywise(rationals.length),
    "integer_pow": integer_pow,
    "isfinite": constant(True),
    "isinf": constant(False),
    "isnan": constant(False),
    "less": comparison(np.less),
    "less_equal": comparison(np.less_equal),
    "max": _reduction("max", rationals.larger),
    "max_at": _at("max_at", rationals.larger),
    "maximum": _extremum("maximum", rationals.larger),
    "min": _reduction("min", rationals.smaller),
    "min_at": _at("min_at", rationals.smaller),
    "minimum": _extremum("minimum", rationals.smaller),
    "mul": ufunc(np.multiply),
    "neg": ufunc(np.negative),
    "not_equal": comparison(np.not_equal),
    "pow": entrywise(rationals.general_power),
    "pow_int": pow_int,
    "reciprocal": entrywise(lambda x: rationals.divide(Rationals.one, x)),
    "relu": relu,
    "remainder": entrywise(rationals.remainder),
    "round": entrywise(rationals.nearest),
    "rsqrt": entrywise(rationals.inverse_square_root),
    "searchsorted": searchsorted,
    "sign": entrywise(rationals.sign),
    "signbit": lambda field, x: compare(np.less, x.values, boxed(field.zero)),
    "sqrt": entrywise(rationals.square_root),
    "square": lambda field, x: Numbers(boxed(np.multiply(x.values, x.values)), x.dtype, x.active),
    "sub": ufunc(np.subtract),
    "trunc": entrywise(rationals.trunc),
}
