"""Taylor: programs mean truncated power series. Derivatives of any order along a curve.

A payload is a series of coefficients of t. Linear primitives act on each coefficient, bilinear ones
by the Cauchy product, quotients by its inverse. For every other primitive y = f(x) there is no
table of recurrences: y' = push(x') is a program over series too, which gives the coefficient k of y
from those below k (Griewank and Walther 2008, section 13.2, derive such recurrences by hand).
Series inside that program are computed coefficient by coefficient, as far as they are asked for,
and shared, so sin and cos, or tanh and its slope, define each other.
"""

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from taglessad.closed import end
from taglessad.dtypes import DType, Number, is_real
from taglessad.masks import (
    Mask,
    Masked,
    alive_members,
    settle,
    spread_over,
    stretch,
    through,
    total,
)
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.rules.arithmetic import DIV, MUL
from taglessad.shapes import Shape

R = TypeVar("R")


class Series(Generic[R]):
    """Coefficients of 1, t, t**2, ...; None is a structural zero.

    more: the coefficient k from those before it, for k past the known ones; None where all of them
    are zero. mask: which entries are alive beyond coefficient 0, None for all.
    """

    __slots__ = ("known", "mask", "more")

    def __init__(
        self,
        head: R,
        more: "Callable[[int], R | None] | None" = None,
        mask: Mask | None = None,
    ) -> None:
        self.known: list[R | None] = [head]
        self.more = more
        self.mask = mask

    @property
    def head(self) -> R:
        """The value at t = 0."""
        head = self.known[0]
        assert head is not None
        return head

    def at(self, k: int) -> R | None:
        """Coefficient k."""
        known = self.known
        if self.more is None:
            return known[k] if k < len(known) else None
        while len(known) <= k:
            known.append(self.more(len(known)))
        return known[k]


def power_series(coefficients: Sequence[R]) -> Series[R]:
    """The polynomial with these coefficients."""
    if len(coefficients) == 1:
        return Series(coefficients[0])
    return Series(coefficients[0], lambda k: coefficients[k] if k < len(coefficients) else None)


class Lazy(Ops[Series[R]], Generic[R]):
    """Series computed as far as they are asked for: what rules run under."""

    base: Ops[R]

    def __init__(self, base: Ops[R]) -> None:
        self.base = base
        self.level = base.level + 1
        self.kernels = base.trusted()
        # A primitive of the same operands is the same series. Any: keys with parameters; results.
        self.shared: dict[Any, tuple[tuple[Series[R], ...], Any]] = {}

    def const(self, value: NDArray[Any], /) -> Series[R]:
        return Series(self.base.const(value))

    def scalar(self, value: Number, like: Series[R], /) -> Series[R]:
        return Series(self.kernels.scalar(value, like.head))

    def zeros(self, aval: Aval, /) -> Series[R]:
        return Series(self.base.zeros(aval))

    def embed(self, x: R, /) -> Series[R]:
        return Series(x)

    def aval(self, x: Series[R], /) -> Aval:
        return self.base.aval(x.head)

    def shape(self, x: Series[R], /) -> Shape:
        return self.base.shape(x.head)

    def dtype(self, x: Series[R], /) -> DType:
        return self.base.dtype(x.head)

    def apply(self, prim: Prim, operands: tuple[Series[R], ...], params: Params, /) -> Series[R]:
        if not any(x.more is not None for x in operands):
            return Series(self.kernels.run(prim, tuple([x.head for x in operands]), params))
        key = (prim, tuple([id(x) for x in operands]), params)
        found = self.shared.get(key)
        if found is None:
            y = self._series(prim, operands, params)
            found = self.shared[key] = (operands, y)  # holding the operands keeps their ids
        series: Series[R] = found[1]
        return series

    def apply_n(
        self, prim: PrimN, operands: tuple[Series[R], ...], params: Params, /
    ) -> tuple[Series[R], ...]:
        heads = self.kernels.run_n(prim, tuple([x.head for x in operands]), params)
        ys = tuple([Series(y) for y in heads])
        ds = [None if x.more is None else self.derivative(x) for x in operands]
        if all(d is None for d in ds):
            return ys
        slopes: list[list[Series[R] | None]] = []

        def slope(i: int) -> Callable[[], Series[R] | None]:
            def of_result() -> Series[R] | None:
                if not slopes:
                    slopes.append(list(prim.push(self, ds, ys, operands, params)))
                return slopes[0][i]

            return of_result

        for i, y in enumerate(ys):
            if is_real(self.dtype(y)):
                y.more = self._integral(slope(i))
        return ys

    def derivative(self, x: Series[R]) -> Series[R]:
        """The series of dx/dt."""
        return Series(self._multiple(x, 1), lambda k: self._times(x, k + 1), x.mask)

    def _multiple(self, x: Series[R], k: int) -> R:
        found = self._times(x, k)
        return self.base.zeros(self.base.aval(x.head)) if found is None else found

    def _times(self, x: Series[R], k: int) -> R | None:
        c = x.at(k)
        if c is None or k == 1:
            return c
        return self.kernels.mul(c, self.kernels.scalar(k, c))

    def _integral(self, slope: Callable[[], Series[R] | None]) -> Callable[[int], R | None]:
        """Coefficient k of a series from coefficient k - 1 of its derivative."""

        def more(k: int) -> R | None:
            s = slope()
            c = None if s is None else s.at(k - 1)
            if c is None or k == 1:
                return c
            return self.kernels.div(c, self.kernels.scalar(k, c))

        return more

    def _series(self, prim: Prim, operands: tuple[Series[R], ...], params: Params) -> Series[R]:
        heads = tuple([x.head for x in operands])
        y: Series[R] = Series(self.kernels.run(prim, heads, params))
        slots = prim.slots
        moving = [i for i, x in enumerate(operands) if x.more is not None and slots[i] is not None]
        if not moving or not is_real(self.dtype(y)):
            return y
        if prim is DIV:
            more = self._quotient(operands, y)
        elif prim is MUL or prim.kind == "bilinear":
            more = self._cauchy(prim, operands, params)
        elif prim.kind == "linear" or all(self._tame(prim, i) for i in moving):
            more = self._by_coefficient(prim, moving, operands, params, y)
        else:
            more = self._by_slope(prim, moving, operands, params, y)
        if prim.kind == "elementwise":
            y.mask = self._mask(prim, moving, operands, params, y)
        y.more = more if y.mask is None else self._masked(more, y.mask)
        return y

    def _tame(self, prim: Prim, i: int) -> bool:
        slot = prim.slots[i]
        return slot is not None and slot.tame

    def _mask(
        self,
        prim: Prim,
        moving: Sequence[int],
        operands: tuple[Series[R], ...],
        params: Params,
        y: Series[R],
    ) -> Mask | None:
        """Where an elementwise result is alive: where some operand is that was taken."""
        masks: list[Mask] = []
        for i in moving:
            slot, mask = prim.slots[i], operands[i].mask
            assert slot is not None
            if slot.keep is not None:
                heads = [x.head for x in operands]
                condition, holds = slot.keep(self.kernels, y.head, *heads, *params)
                mask = Mask(condition=condition, holds=holds, within=mask)
            if mask is None:
                return None
            masks.append(mask)
        whole = masks[0]
        for other in masks[1:]:
            whole = self._either(whole, other)
        return whole

    def _either(self, a: Mask, b: Mask) -> Mask:
        if a is b:
            return a
        return Mask(lambda: self.kernels.logical_or(a.get(self.kernels), b.get(self.kernels)))

    def _masked(self, more: Callable[[int], R | None], mask: Mask) -> Callable[[int], R | None]:
        def alive(k: int) -> R | None:
            c = more(k)
            if c is None:
                return None
            selected: R = settle(self.kernels, Masked(c, mask, True))
            return selected

        return alive

    def _cauchy(
        self, prim: Prim, operands: tuple[Series[R], ...], params: Params
    ) -> Callable[[int], R | None]:
        a, b = operands[:2]
        ops = self.kernels

        def more(k: int) -> R | None:
            result: R | None = None
            for j in range(k + 1):
                left, right = a.at(j), b.at(k - j)
                if left is not None and right is not None:
                    term = ops.run(prim, (left, right), params)
                    result = term if result is None else ops.add(result, term)
            return result

        return more

    def _quotient(self, operands: tuple[Series[R], ...], y: Series[R]) -> Callable[[int], R | None]:
        a, b = operands
        ops = self.kernels

        def more(k: int) -> R | None:
            rest = a.at(k)
            for j in range(k):
                left, right = y.at(j), b.at(k - j)
                if left is not None and right is not None:
                    term = ops.mul(left, right)
                    rest = ops.neg(term) if rest is None else ops.sub(rest, term)
            return None if rest is None else ops.div(rest, b.head)

        return more

    def _by_coefficient(
        self,
        prim: Prim,
        moving: Sequence[int],
        operands: tuple[Series[R], ...],
        params: Params,
        y: Series[R],
    ) -> Callable[[int], R | None]:
        """A map that is linear in what moves: itself, coefficient by coefficient."""
        heads = tuple([x.head for x in operands])
        ops = self.kernels

        def more(k: int) -> R | None:
            result: Any = None  # Any: a payload, perhaps masked
            for i in moving:
                c = operands[i].at(k)
                if c is not None:
                    pushed = through(ops, prim, i, True, c, y.head, heads, params)
                    result = pushed if result is None else total(ops, result, pushed)
            if result is None:
                return None
            if prim.kind == "elementwise":
                result = stretch(ops, result, ops.shape(y.head))
            settled: R = settle(ops, result)
            return settled

        return more

    def _by_slope(
        self,
        prim: Prim,
        moving: Sequence[int],
        operands: tuple[Series[R], ...],
        params: Params,
        y: Series[R],
    ) -> Callable[[int], R | None]:
        made: list[Series[R]] = []

        def slope() -> Series[R]:
            if not made:
                result: Any = None  # Any: a payload, perhaps masked
                for i in moving:
                    d = self.derivative(operands[i])
                    pushed = through(self, prim, i, True, d, y, operands, params)
                    result = pushed if result is None else total(self, result, pushed)
                if prim.kind == "elementwise":
                    result = stretch(self, result, self.shape(y))
                made.append(settle(self, result))
            return made[0]

        return self._integral(slope)

    def close(self) -> None:
        self.shared = {}
        end(self)


class Taylor(Lazy[R]):
    """Power series up to a fixed order, each computed in full when its operation is met."""

    def __init__(self, base: Ops[R], order: int) -> None:
        super().__init__(base)
        self.order = order
        self._rules: Lazy[R] = Lazy(base)
        self._rules.shared = self.shared

    def apply(self, prim: Prim, operands: tuple[Series[R], ...], params: Params, /) -> Series[R]:
        # The rules' own series are lazy: how far they go is decided here, so that no chain of
        # operations in the program becomes a chain of calls.
        y = self._rules.apply(prim, operands, params)
        y.at(self.order)
        return y

    def apply_n(
        self, prim: PrimN, operands: tuple[Series[R], ...], params: Params, /
    ) -> tuple[Series[R], ...]:
        moving = [x.more is not None for x in operands]
        if prim.series is None or not any(moving):
            ys = self._rules.apply_n(prim, operands, params)
            for y in ys:
                y.at(self.order)
            return ys
        heads = tuple([x.head for x in operands])
        given = [self.beyond(x) if m else None for x, m in zip(operands, moving, strict=True)]
        # Their masks as those of tangents: all or nothing.
        tangents = [
            x.head if x.mask is None else Masked(x.head, x.mask, False)
            for x in compress(operands, moving)
        ]
        alive = alive_members(self.kernels, prim, tangents, heads)
        results: list[Series[R]] = []
        for y, cs in zip(*prim.series(self.kernels, heads, given, params, self.order), strict=True):
            series = power_series([y, *(cs or ())])
            if alive is not None and series.more is not None:
                series.mask = spread_over(self.kernels, alive, y)
                series.more = self._masked(series.more, series.mask)
            results.append(series)
        return tuple(results)

    def coefficient(self, x: Series[R], k: int, /) -> R:
        """Coefficient k of a series as a payload of the base, zeros where there is none."""
        c = x.at(k)
        return self.base.zeros(self.base.aval(x.head)) if c is None else c

    def beyond(self, x: Series[R], /) -> list[R]:
        """The coefficients past the first, up to the order."""
        return [self.coefficient(x, k) for k in range(1, self.order + 1)]

    def close(self) -> None:
        self._rules.close()
        super().close()
