"""Kernels that move, choose and add up entries of any kind: what Exact and Real have in common.

Each takes first the field, which says what the entries are, then what the primitive of its name
takes. Moves are the same NumPy calls as for machine numbers.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from taglessad.kernels import indexing
from taglessad.kernels.payloads import (
    DType,
    Numbers,
    Objects,
    Payload,
    Truth,
    boxed,
    filled,
    gathered,
    moved,
    rows,
    shape_of,
    together,
)

# Any: an entry is whatever the field calculates with; an array is of one of the kinds of payload.
Kernel = Callable[..., Any]


class Field(Protocol):
    """What the entries of `Numbers` are."""

    zero: Any
    one: Any

    def unsettled(self, a: Any, b: Any) -> Any:
        """One of two numbers, not known which."""
        ...

    def number(self, value: int) -> Any:
        """An integer as a number."""
        ...

    def whole(self, x: Objects, dtype: DType) -> Objects:
        """Numbers cut off to integers of a dtype."""
        ...

    def nonzero(self, x: Numbers) -> Truth:
        """Whether they differ from zero."""
        ...

    def fenced(self, x: Numbers) -> Numbers:
        """Numbers that no derivative passes."""
        ...

    def undecided(self, what: str) -> Exception:
        """The error of a question whose answer is open."""
        ...

    def matmul(self, a: Objects, b: Objects) -> Objects:
        """The product of two matrices, no side of which is empty."""
        ...


# --- structure -----------------------------------------------------------------------------------
def reshape(field: Field, x: Payload, shape: tuple[int, ...]) -> Payload:
    return moved(lambda v: v.reshape(shape), x)


def permute(field: Field, x: Payload, axes: tuple[int, ...]) -> Payload:
    return moved(lambda v: v.transpose(axes), x)


def broadcast(field: Field, x: Payload, shape: tuple[int, ...]) -> Payload:
    return moved(lambda v: np.broadcast_to(v, shape), x)


def slice_(
    field: Field,
    x: Payload,
    start: tuple[int, ...],
    stop: tuple[int, ...],
    step: tuple[int, ...],
) -> Payload:
    region = tuple(map(slice, start, stop, step))
    return moved(lambda v: boxed(v[region]), x)


def flip(field: Field, x: Payload, axes: tuple[int, ...]) -> Payload:
    return moved(lambda v: np.flip(v, axes), x)


def diagonal(field: Field, x: Payload, offset: int) -> Payload:
    return moved(lambda v: np.diagonal(v, offset, -2, -1), x)


def concat(field: Field, xs: tuple[Payload, ...], axis: int) -> Payload:
    return together(lambda *vs: np.concatenate(vs, axis), *xs)


def _blank(field: Field, shape: tuple[int, ...], like: Objects) -> Objects:
    """Zeros of the kind of an array."""
    return filled(shape, field.zero) if like.dtype == object else np.zeros(shape, like.dtype)


def pad(
    field: Field,
    x: Payload,
    before: tuple[int, ...],
    after: tuple[int, ...],
    gaps: tuple[int, ...],
) -> Payload:
    def padded(v: Objects) -> Objects:
        spread = [n + (n - 1) * g if n else 0 for n, g in zip(v.shape, gaps, strict=True)]
        sizes = tuple(a + n + b for a, n, b in zip(before, spread, after, strict=True))
        y = _blank(field, sizes, v)
        places = zip(before, spread, gaps, strict=True)
        y[tuple(slice(a, a + n, g + 1) for a, n, g in places)] = v
        return y

    return moved(padded, x)


def _triangle(field: Field, x: Payload, keep: Any) -> Payload:
    def masked(v: Objects) -> Objects:
        y = _blank(field, v.shape, v)
        mask = np.broadcast_to(keep(np.ones(v.shape[-2:], bool)), v.shape)
        y[mask] = v[mask]
        return y

    return moved(masked, x)


def tril(field: Field, x: Payload, offset: int) -> Payload:
    return _triangle(field, x, lambda ones: np.tril(ones, offset))


def triu(field: Field, x: Payload, offset: int) -> Payload:
    return _triangle(field, x, lambda ones: np.triu(ones, offset))


def place_diagonal(field: Field, x: Payload, offset: int, n: int, m: int) -> Payload:
    def placed(v: Objects) -> Objects:
        y = _blank(field, (*v.shape[:-1], n, m), v)
        i = np.arange(v.shape[-1], dtype=np.intp)
        y[..., i + max(-offset, 0), i + max(offset, 0)] = v
        return y

    return moved(placed, x)


# --- indexing ------------------------------------------------------------------------------------
def take(field: Field, x: Payload, index: Objects, axis: int) -> Payload:
    return moved(lambda v: boxed(indexing.take(v, index, axis)), x)


def take_along(field: Field, x: Payload, index: Objects, axis: int) -> Payload:
    return moved(lambda v: indexing.take_along(v, index, axis), x)


def set_at(field: Field, x: Payload, index: Objects, updates: Payload, axis: int) -> Payload:
    return together(lambda v, u: indexing.set_at(v, index, u, axis), x, updates)


def updated(x: Numbers, places: Objects, updates: Payload, f: Callable[[Any, Any], Any]) -> Numbers:
    """x with the entries at flat places combined with updates, one after the other."""
    assert isinstance(updates, Numbers)
    entries = x.values.ravel().tolist()
    for place, update in zip(places.ravel().tolist(), updates.values.ravel().tolist(), strict=True):
        entries[place] = f(entries[place], update)
    active = x.active or updates.active
    return Numbers(gathered(entries, x.values.shape), x.dtype, active)


def places_taken(x: Payload, index: Objects, axis: int) -> Objects:
    """The flat places of the entries that `take` reads."""
    shape = shape_of(x)
    flat = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    return np.asarray(indexing.take(flat, index, axis))


def _plus(a: Any, b: Any) -> Any:
    return a + b


def _times(a: Any, b: Any) -> Any:
    return a * b


def add_at(field: Field, x: Payload, index: Objects, updates: Payload, axis: int) -> Payload:
    if not isinstance(x, Numbers):
        return together(lambda v, u: indexing.add_at(v, index, u, axis), x, updates)
    return updated(x, places_taken(x, index, axis), updates, _plus)


def multiply_at(field: Field, x: Payload, index: Objects, updates: Payload, axis: int) -> Payload:
    if not isinstance(x, Numbers):
        return together(lambda v, u: indexing.multiply_at(v, index, u, axis), x, updates)
    return updated(x, places_taken(x, index, axis), updates, _times)


def add_along(field: Field, x: Payload, index: Objects, updates: Payload, axis: int) -> Payload:
    if not isinstance(x, Numbers):
        return together(lambda v, u: indexing.add_along(v, index, u, axis), x, updates)
    shape = x.values.shape
    flat = np.arange(x.values.size).reshape(shape)
    return updated(x, indexing.take_along(flat, index, axis), updates, _plus)


# --- selection -----------------------------------------------------------------------------------
def where(field: Field, condition: Truth, a: Payload, b: Payload) -> Payload:
    """a or b; where the condition is open, what is known of both."""
    c, p = condition.certain, condition.possible
    if isinstance(a, Truth) and isinstance(b, Truth):
        certain = np.where(c, a.certain, np.where(p, a.certain & b.certain, b.certain))
        possible = np.where(c, a.possible, np.where(p, a.possible | b.possible, b.possible))
        return Truth(certain, possible)
    if isinstance(a, Numbers) and isinstance(b, Numbers):
        values = np.asarray(np.where(c, a.values, b.values))
        if not condition.decided:
            left = np.broadcast_to(a.values, values.shape)
            right = np.broadcast_to(b.values, values.shape)
            for place in np.argwhere(np.broadcast_to(c != p, values.shape)):
                i = tuple(place)
                values[i] = field.unsettled(left[i], right[i])
        return Numbers(values, a.dtype, a.active or b.active)
    assert isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    if not condition.decided and np.any((a != b) & (c != p)):
        raise field.undecided("where: the condition that chooses between integers")
    return np.asarray(np.where(c, a, b))


def detach(field: Field, x: Payload) -> Payload:
    return field.fenced(x) if isinstance(x, Numbers) else x


def cast(field: Field, x: Payload, dtype: DType) -> Payload:
    """Between reals only the dtype changes: nothing is rounded."""
    if isinstance(x, Numbers):
        if dtype.kind == "f":
            return Numbers(x.values, dtype, x.active)
        return field.nonzero(x) if dtype.kind == "b" else field.whole(x.values, dtype)
    if isinstance(x, Truth):
        return _cast_truth(field, x, dtype)
    if dtype.kind == "b":
        return Truth(np.asarray(x != 0))
    if dtype.kind == "f":
        return Numbers(gathered(map(field.number, x.ravel().tolist()), x.shape), dtype)
    return x.astype(dtype)


def _cast_truth(field: Field, x: Truth, dtype: DType) -> Payload:
    if dtype.kind == "b":
        return x
    if dtype.kind == "f":
        # Objects of their own: Real keeps notes about numbers that are compared.
        zero, one = field.number(0), field.number(1)
        values = np.asarray(np.where(x.certain, boxed(one), boxed(zero)))
        if not x.decided:
            values[x.certain != x.possible] = field.unsettled(zero, one)
        return Numbers(values, dtype)
    if not x.decided:
        raise field.undecided("cast: a truth value that becomes an integer")
    return x.certain.astype(dtype)


# --- reductions ----------------------------------------------------------------------------------
def any_(field: Field, x: Truth, axes: tuple[int, ...]) -> Payload:
    return moved(lambda v: np.asarray(np.any(v, axis=axes)), x)


def all_(field: Field, x: Truth, axes: tuple[int, ...]) -> Payload:
    return moved(lambda v: np.asarray(np.all(v, axis=axes)), x)


def _reduced(x: Payload, axes: tuple[int, ...], function: np.ufunc, empty: Any) -> Payload:
    if not isinstance(x, Numbers):
        assert not isinstance(x, Truth)
        return np.asarray(function.reduce(x, axis=axes, dtype=x.dtype))
    if x.values.size == 0:
        values = filled(rows(x.values, axes)[1], empty)
    else:
        values = boxed(function.reduce(x.values, axis=axes))
    return Numbers(values, x.dtype, x.active)


def sum_(field: Field, x: Payload, axes: tuple[int, ...]) -> Payload:
    return _reduced(x, axes, np.add, field.zero)


def prod(field: Field, x: Payload, axes: tuple[int, ...]) -> Payload:
    return _reduced(x, axes, np.multiply, field.one)


def cumulative_sum(field: Field, x: Payload, axis: int) -> Payload:
    return moved(lambda v: np.add.accumulate(v, axis, dtype=v.dtype), x)


def cumulative_prod(field: Field, x: Payload, axis: int) -> Payload:
    return moved(lambda v: np.multiply.accumulate(v, axis, dtype=v.dtype), x)


# --- the table -----------------------------------------------------------------------------------
MOVES: dict[str, Kernel] = {
    "add_along": add_along,
    "add_at": add_at,
    "all": all_,
    "any": any_,
    "broadcast": broadcast,
    "cast": cast,
    "concat": concat,
    "cumulative_prod": cumulative_prod,
    "cumulative_sum": cumulative_sum,
    "detach": detach,
    "diagonal": diagonal,
    "flip": flip,
    "multiply_at": multiply_at,
    "pad": pad,
    "permute": permute,
    "place_diagonal": place_diagonal,
    "prod": prod,
    "reshape": reshape,
    "set_at": set_at,
    "slice": slice_,
    "sum": sum_,
    "take": take,
    "take_along": take_along,
    "tril": tril,
    "triu": triu,
    "where": where,
}
