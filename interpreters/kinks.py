"""Kinks: programs mean the kinks that a point sits on, or near, each with the user's line."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import DType, Number
from taglessad.errors import describe_line, user_frame
from taglessad.kernels.quiet import Quiet
from taglessad.levels import default_root
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.shapes import Shape

Array = NDArray[Any]  # Any: the dtype is data
T = TypeVar("T")


class Kink(NamedTuple):
    """Entries of an operation's operands that are at a kink, or as near as was asked for.

    op: the primitive. places: index of each entry, in the operation's broadcast shape. distances:
    how far each is from the kink, in the operand's own unit. site: the user's file and line.
    """

    op: str
    places: list[tuple[int, ...]]
    distances: list[float]
    site: tuple[str, int] | None

    def __str__(self) -> str:
        line = "" if self.site is None else f" at {describe_line(*self.site)}"
        nearest = min(self.distances)
        return f"{self.op}: {len(self.places)} entries within {nearest:g} of a kink{line}"


def _to_integer(x: Array) -> Array:
    far: Array = np.abs(x - np.rint(x))
    return far


def _to_half(x: Array) -> Array:
    return np.abs(x - np.floor(x) - 0.5)


def _gap(a: Array, b: Array) -> Array:
    return np.where(a == b, 0.0, np.abs(a - b))


def _clip_gap(x: Array, low: Array, high: Array) -> Array:
    return np.minimum(_gap(x, low), _gap(x, high))


def _runner_up(x: Array, axes: tuple[int, ...], sign: float) -> Array:
    """How far the second largest entry is from the largest."""
    rest = [i for i in range(x.ndim) if i not in axes]
    rows = sign * np.moveaxis(x, rest, range(len(rest))).reshape(*[x.shape[i] for i in rest], -1)
    if rows.shape[-1] < 2:
        return np.full(rows.shape[:-1], np.inf)
    top = np.partition(rows, -2, axis=-1)
    return _gap(top[..., -1], top[..., -2])


def _neighbours(x: Array, axis: int, *_: Any) -> Array:
    """How far entries in order are from each other."""
    ordered = np.sort(x, axis)
    return _gap(*(np.delete(ordered, i, axis) for i in (0, -1)))


def _top_neighbours(x: Array, axis: int, count: int) -> Array:
    """How far each of the largest entries is from the next."""
    ordered = np.flip(np.sort(x, axis), axis)
    met = min(count, max(x.shape[axis] - 1, 0))
    return _gap(*(np.take(ordered, np.arange(met) + i, axis) for i in (0, 1)))


def _contenders(x: Array, index: Array, updates: Array, axis: int, sign: float) -> Array:
    """How far, in each place of x, the second largest of x and of its updates is from the largest.

    Where the largest is the least there is (-inf of `max_at`), no entry contends: so start segments.
    """
    front = tuple(range(axis, axis + index.ndim))
    own = np.moveaxis(x, axis, 0)
    new = np.moveaxis(updates, front, range(index.ndim))
    place = np.concatenate((np.arange(len(own)), index.ravel()))
    values = sign * np.concatenate((own, new.reshape(index.size, *own.shape[1:])))
    # In each column by place, and within a place by value.
    places = np.broadcast_to(place.reshape(-1, *(1,) * (own.ndim - 1)), values.shape)
    values = np.take_along_axis(values, np.lexsort((values, places), axis=0), 0)
    count = np.bincount(place)
    last = np.cumsum(count) - 1
    gaps = _gap(values[last], values[last - 1])
    gaps[count == 1] = np.inf
    gaps[values[last] == -np.inf] = np.inf
    return np.moveaxis(gaps, 0, axis)


def _of_those_before(x: Array, axis: int) -> Array:
    """How far, among the first 1, 2, ... entries, the second largest is from the largest."""
    gaps = np.full(x.shape, np.inf)
    rows, far = np.moveaxis(x, axis, 0), np.moveaxis(gaps, axis, 0)
    largest = np.maximum.accumulate(rows)
    second = np.maximum.accumulate(np.minimum(rows[1:], largest[:-1]))
    far[1:] = _gap(largest[1:], second)
    return gaps


def _from_entries(ordered: Array, values: Array, side: str) -> Array:
    """How far each value is from the nearest entry of a sorted array."""
    if not len(ordered):
        return np.full(values.shape, np.inf)
    behind = np.searchsorted(ordered, values)
    before = ordered[np.maximum(behind - 1, 0)]
    return np.minimum(
        _gap(before, values), _gap(ordered[np.minimum(behind, len(ordered) - 1)], values)
    )


def _from_cut(a: Array, b: Array) -> Array:
    """How far the point (b, a) is from the negative half of the first axis."""
    return np.where(b <= 0, np.abs(a), np.hypot(a, b))


def _from_end(x: Array) -> Array:
    return np.abs(1.0 - np.abs(x))


def _from_root(a: Array, b: Array) -> Array:
    """How far a is from 0, where the slope of a**b is infinite while the power is not."""
    return np.where((b > 0) & (b < 1), np.abs(a), np.inf)


DISTANCES: Final[dict[str, Callable[..., Array]]] = {
    "abs": np.abs,
    "sign": np.abs,
    "sqrt": np.abs,
    "cbrt": np.abs,
    "pow": _from_root,
    "asin": _from_end,
    "acos": _from_end,
    "acosh": lambda x: np.abs(x - 1.0),
    "atan2": _from_cut,
    "relu": np.abs,
    "hypot": np.hypot,
    "maximum": _gap,
    "minimum": _gap,
    "clip": _clip_gap,
    "less": _gap,
    "less_equal": _gap,
    "floor": _to_integer,
    "ceil": _to_integer,
    "trunc": _to_integer,
    "round": _to_half,
    "remainder": lambda a, b: np.abs(b) * _to_integer(a / b),
    "fmod": lambda a, b: np.abs(b) * _to_integer(a / b),
    "max": lambda x, axes: _runner_up(x, axes, 1.0),
    "min": lambda x, axes: _runner_up(x, axes, -1.0),
    "max_at": lambda x, index, updates, axis: _contenders(x, index, updates, axis, 1.0),
    "min_at": lambda x, index, updates, axis: _contenders(x, index, updates, axis, -1.0),
    "cumulative_max": _of_those_before,
    "argmax": lambda x, axis: _runner_up(x, (axis,), 1.0),
    "argmin": lambda x, axis: _runner_up(x, (axis,), -1.0),
    "argsort": _neighbours,
    "argtop": _top_neighbours,
    "searchsorted": _from_entries,
    "copysign": lambda a, b: np.minimum(np.abs(a), np.abs(b)),
}
"""Primitive -> how far each entry is from where its derivative is not defined, or jumps."""


JUMPS: Final = frozenset(
    {
        "sign",
        "less",
        "less_equal",
        "floor",
        "ceil",
        "trunc",
        "round",
        "remainder",
        "fmod",
        "copysign",
        "atan2",
        "argmax",
        "argmin",
        "searchsorted",
    }
)
"""Those whose value jumps there: a kink also where no derivative is taken."""


class Kinks(Ops[Array]):
    """Arrays in, a list of `Kink`s out: those that an entry is on, or within `distance` of.

    Conditions count: an entry at which a comparison would turn is a kink of what it decides. What is
    made of literals alone, and of where there is NaN, does not move, and has no kinks. What is made
    of `detach` too has no derivative that could differ: it counts only where its value jumps. Steps
    inside a smooth function (`primitive.inner`) are no kinks.
    """

    precedence = 4

    def __init__(self, distance: float = 0.0) -> None:
        self.distance = distance
        self.found: list[Kink] = []
        self._fixed: dict[int, Array] = {}  # by identity, which holding them keeps
        self._still: set[int] = set()  # those of them that are made of literals alone
        self._root = default_root().trusted()

    def complete(self, attempt: Callable[[], T], /) -> T:
        self.found, self._fixed, self._still = [], {}, set()
        with Quiet():
            attempt()
        self._fixed, self._still = {}, set()
        found: Any = self.found  # Any: the kinks stand for whatever the program gave
        return found  # type: ignore[no-any-return]  # as said

    def const(self, value: Array, /) -> Array:
        return self._kept(value.view(), still=True)

    def scalar(self, value: Number, like: Array, /) -> Array:
        number = value if isinstance(value, int) else float(value)
        return self._kept(np.asarray(number).astype(like.dtype), still=True)

    def entered(self, x: Array, /) -> Array:
        """An argument: a point that moves, whatever it was made of."""
        return x.copy()

    def _kept(self, x: Array, *, still: bool) -> Array:
        self._fixed[id(x)] = x
        if still:
            self._still.add(id(x))
        return x

    def aval(self, x: Array, /) -> Aval:
        return Aval(x.shape, x.dtype)

    def shape(self, x: Array, /) -> Shape:
        return x.shape

    def dtype(self, x: Array, /) -> DType:
        return x.dtype

    def literal(self, x: Array, /) -> Array | None:
        return x if id(x) in self._fixed else None  # a body takes what moves for an input

    def peek(self, x: Array, /) -> Array:
        return x

    def decide(self, x: Array, /) -> int:
        return int(x)

    def run(self, prim: Prim, operands: tuple[Array, ...], params: Params, /) -> Array:
        return self.apply(prim, operands, params)  # no method of its own stands for a primitive

    def apply(self, prim: Prim, operands: tuple[Array, ...], params: Params, /) -> Array:
        fixed = bool(operands) and all(id(x) in self._fixed for x in operands)
        # A NaN neither comes nor goes as a point moves, nor does the count of numbers change.
        still = prim.name == "isnan" or (fixed and all(id(x) in self._still for x in operands))
        distance = DISTANCES.get(prim.name)
        if distance is not None and operands[0].dtype.kind == "f" and not prim.inner:
            if not still and (not fixed or prim.name in JUMPS):
                self._note(prim.name, distance(*operands, *params))
        y = np.asarray(self._root.run(prim, operands, params))
        return self._kept(y.view(), still=still) if still or fixed or prim.name == "detach" else y

    def apply_n(
        self, prim: PrimN, operands: tuple[Array, ...], params: Params, /
    ) -> tuple[Array, ...]:
        if prim.evaluate is not None:  # a branch or a loop: what runs inside counts
            ys = prim.evaluate(self, operands, params)
        else:
            ys = self._root.run_n(prim, operands, params)
        return tuple([np.asarray(y) for y in ys])

    def _note(self, op: str, far: Array) -> None:
        near = np.argwhere(far <= self.distance)
        if not near.size and not (far.ndim == 0 and far <= self.distance):
            return
        frame = user_frame()
        site = None if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        places = [tuple(int(i) for i in p) for p in near]
        self.found.append(Kink(op, places, [float(far[p]) for p in places], site))
