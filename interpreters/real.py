"""Real: programs mean real numbers, each enclosed by an interval that is proved to hold it.

The precision is raised until the answer is known; kernels/balls.py has the arithmetic. A comparison
is certain or open, and a selection by an open one encloses both sides.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import DType, Irrational, Number, float64
from taglessad.errors import ArgumentError, DomainError, NotDifferentiable
from taglessad.kernels import ball_matrices, balls
from taglessad.kernels.ball_kernels import BALLS
from taglessad.kernels.balls import hull
from taglessad.kernels.enclosure import Enclosure, lower, upper
from taglessad.kernels.events import Event, Fences, Nature, Undecided, user_site
from taglessad.kernels.fields import Balls
from taglessad.kernels.flint import arb, arb_mat, ctx
from taglessad.kernels.payloads import (
    Numbers,
    Objects,
    Payload,
    Truth,
    boxed,
    dtype_of,
    each,
    shape_of,
)
from taglessad.kernels.tables import evaluate
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.trees import flatten

T = TypeVar("T")

WITHOUT_HULL: Final = frozenset({"sort", "cumulative_max"})
"""Operations with kinks whose derivative there is the one of the order taken, and no hull."""

ENOUGH: Final = 73
"""Bits of an entry that count as known: float64's, and 20 more."""

NEGLIGIBLE: Final = -1127
"""Numbers below two to this power round to 0 in float64, whatever their digits."""

KEPT: Final = 100
"""Events that are kept; of later ones only those at jumps."""

COMPARISONS: Final = frozenset({"less", "less_equal", "equal", "not_equal"})
"""Operations whose open answers no hull of derivatives stands for."""


class Real(Balls, Ops[Payload]):
    """Arrays in, enclosures out, float literals and arguments meaning exactly what they are.

    prec: bits to begin with; doubled up to `max_prec` until every entry of the answer is known to
    more digits than float64 has, or wider precision does not help. kink: at a tie of relu, abs,
    maximum, max, clip ... "hull" encloses every derivative between the one-sided ones; "error"
    raises NotDifferentiable with operation, line and element. At a tie of `sort` and
    `cumulative_max` the derivative is that of the order taken. Raises DomainError where an answer
    stays unknown, naming the operation; MissingExtra without python-flint.
    """

    precedence = 3
    ball = staticmethod(balls.of)
    matrix = arb_mat

    def __init__(
        self,
        prec: int = 128,
        kink: Literal["hull", "error"] = "hull",
        *,
        max_prec: int = 4096,
    ) -> None:
        balls.require("Real")
        if kink not in ("hull", "error"):
            raise ArgumentError(f"Real: kink is {kink!r}; it is 'hull' or 'error'")
        if not 2 <= prec <= max_prec:
            raise ArgumentError(f"Real: prec is {prec}; it is from 2 to max_prec = {max_prec} bits")
        self.prec = prec
        self.max_prec = max_prec
        self.mode = kink
        self.zero, self.one = balls.of(0), balls.of(1)
        self.events: list[Event] = []
        self.used = prec
        self.fences: Fences | None = None
        self._met: dict[int, Any] = {}  # balls at kinks by identity, held so that it stays theirs
        self._running = False

    # --- administration ---------------------------------------------------------------------
    def apply(self, prim: Prim, operands: tuple[Payload, ...], params: Params, /) -> Payload:
        found = evaluate(self, BALLS, prim.name, operands, params, prim.variadic)
        if found is None:
            raise DomainError(f"{prim.name}: Real has no enclosures of it yet")
        return found

    def apply_n(
        self, prim: PrimN, operands: tuple[Payload, ...], params: Params, /
    ) -> tuple[Payload, ...]:
        kernel = ball_matrices.SEVERAL.get(prim.name)
        if kernel is not None:
            return kernel(self, *operands, *params)
        if prim.evaluate is None:
            raise DomainError(f"{prim.name}: Real has no enclosures of it yet")
        return super().apply_n(prim, operands, params)

    def scalar(self, value: Number, like: Payload, /) -> Payload:
        if not isinstance(like, Numbers):
            return self.const(np.asarray(value).astype(dtype_of(like)))
        if isinstance(value, Irrational):
            if value.name not in balls.CONSTANTS:
                raise DomainError(f"Real does not know the constant {value.name} exactly")
            return Numbers(boxed(balls.CONSTANTS[value.name]()), like.dtype)
        return Numbers(boxed(balls.of(value)), like.dtype)

    def aval(self, x: Payload, /) -> Aval:
        return Aval(shape_of(x), dtype_of(x))

    def answer(self, x: Payload, /) -> Enclosure:
        """A result as intervals."""
        assert isinstance(x, Numbers)
        return Enclosure(x.values, x.dtype)

    def argument(self, value: Any, /) -> Payload | None:  # Any: whatever was passed
        """An Enclosure, which stands for every number in it; a Fraction."""
        if isinstance(value, Fraction):
            return Numbers(boxed(balls.of(value)), float64)
        if isinstance(value, Enclosure):  # its entries are numbers of their own, shared or not
            return Numbers(each(arb, value.balls), value.dtype)
        return None

    def entered(self, x: Payload, /) -> Payload:
        """Real numbers, as what derivatives may be taken in."""
        return Numbers(x.values, x.dtype, active=True) if isinstance(x, Numbers) else x

    # --- the field --------------------------------------------------------------------------
    def unsettled(self, a: Any, b: Any) -> Any:
        return hull(a, b)

    def whole(self, x: Objects, dtype: DType) -> Objects:
        found: list[int] = []
        for v in x.ravel().tolist():
            n = balls.trunc(v).unique_fmpz() if v.is_finite() else None
            if n is None:
                raise self.undecided("cast: the integer that a number is cut off to")
            found.append(int(n))
        return np.asarray(found, dtype).reshape(x.shape)

    def nonzero(self, x: Numbers) -> Truth:
        return self.compare("not_equal", x, Numbers(boxed(self.zero), x.dtype))

    def fenced(self, x: Numbers) -> Numbers:
        if self.fences is not None:
            x = self.fences.passed(x)
        # Balls of their own: that these were at a kink matters to no derivative behind here.
        met = self._met
        values = each(lambda v: arb(v) if id(v) in met else v, x.values) if met else x.values
        return Numbers(values, x.dtype)

    def rooted(self, x: Any) -> Any:
        return x.sqrt()

    def turn(self, k: int, n: int) -> tuple[Any, Any]:
        return balls.turn(k, n)

    def roughly(self, x: Any) -> float:
        return float(x.mid()) if x.is_zero() or x.rel_accuracy_bits() > 1 else float("nan")

    def logged(self, x: Any) -> Any:
        return x.log()

    def shown(self, x: Any) -> Any:
        return x.real

    def missing(self, op: str, why: str) -> Any:
        nothing = balls.of(float("nan"))
        self.outside(f"{op}: {why}", (), nothing)
        return nothing

    def undecided(self, what: str) -> Exception:
        return Undecided(f"{what} is not decided at {ctx.prec} bits")

    def compare(self, relation: str, a: Numbers, b: Numbers) -> Truth:
        """A comparison; open where digits are missing, and for exact ties of balls at kinks."""
        x, y = a.values, b.values
        same = _same(x, y)
        if relation in ("equal", "not_equal"):
            certain = np.asarray(np.equal(x, y), bool)
            possible = ~np.asarray(np.less(x, y) | np.greater(x, y), bool)
        elif relation == "less":
            certain = np.asarray(np.less(x, y), bool)
            possible = ~np.asarray(np.greater_equal(x, y), bool)
        else:
            certain = np.asarray(np.less_equal(x, y), bool)
            possible = ~np.asarray(np.greater(x, y), bool)
        if relation == "less":
            possible = possible & ~same
        else:
            certain = certain | same
        active = a.active or b.active
        if active or self._met:
            certain, possible = self._at_ties(relation, certain, possible, x, y, active)
        if relation == "not_equal":
            certain, possible = ~possible, ~certain
        return Truth(certain, None if np.array_equal(certain, possible) else possible)

    def _at_ties(
        self,
        relation: str,
        certain: NDArray[Any],
        possible: NDArray[Any],
        a: Objects,
        b: Objects,
        active: bool,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Note ties and open questions; answers about balls that were at a kink are opened."""
        tied = np.asarray(np.equal(a, b), bool)
        asked = tied | (certain != possible)
        if not asked.any():
            return certain, possible
        x, y, where = np.broadcast_arrays(a, b, asked)
        certain, possible = np.array(certain), np.array(possible)
        for index in map(tuple, np.argwhere(where)):
            u, v = x[index], y[index]
            if id(u) in self._met or id(v) in self._met:
                if tied[index]:
                    certain[index], possible[index] = False, True
            elif active and u is not v:
                nature: Nature = "jump" if tied[index] else "undecided"
                self._note(nature, relation, tuple(map(int, index)), u)
        return certain, possible

    # --- what happens on the way ------------------------------------------------------------
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
        """Keep a note of balls at a kink; where kinks are errors, raise."""
        if not active:
            return
        nature: Nature = "undecided"
        if tie:
            nature = "jump" if jump else "tie"
        event = self._note(nature, op, place, met[0])
        if self.mode == "error" and (not jump or op in WITHOUT_HULL):
            if tie:
                raise NotDifferentiable(f"{event}. Real(kink='hull') encloses what it may be")
            raise self.undecided(str(event))
        if tie and not jump:
            self._met.update((id(ball), ball) for ball in met)

    def outside(self, op: str, place: tuple[int, ...], x: Any) -> None:
        """Keep a note of a ball that may lie outside the domain of an operation."""
        self._note("outside", op, place, x)

    def _note(
        self,
        nature: Nature,
        op: str,
        place: tuple[int, ...],
        x: Any,
    ) -> Event:
        few = len(self.events) < KEPT
        event = Event(nature, op, user_site() if few else None, place, lower(x), upper(x))
        if few or nature == "jump" or op in COMPARISONS:  # which may be why nothing is certain
            self.events.append(event)
        return event

    # --- a whole run ------------------------------------------------------------------------
    def start(self, prec: int) -> None:
        """Forget what happened in another run."""
        self.used, self.events, self._met = prec, [], {}

    def complete(self, attempt: Callable[[], T], /, *, judge: bool = True) -> T:
        """The program at rising precision, until its results are known.

        judge: raise DomainError for a result of which nothing is known.
        """
        with balls.LOCK:  # one thread at a time, and one program of this interpreter
            if self._running:
                return attempt()
            self._running = True
            try:
                result = self._known(attempt)
            finally:
                self._running = False
                self._met = {}
        return self._judged(result) if judge else result

    def _known(self, attempt: Callable[[], T]) -> T:
        before: list[float] | None = None
        prec = self.prec
        while True:
            self.start(prec)
            last = prec * 2 > self.max_prec
            try:
                with balls.precision(prec):
                    result = attempt()
                    left = unresolved(result)
            except Undecided as error:
                if last:
                    why = f"{error.message}, which is the limit (max_prec)"
                    raise DomainError(why, error.site) from None
                before, prec = None, prec * 2
                continue
            if not left or last or self._stuck(left, before):
                return result
            before, prec = left, prec * 2

    def _stuck(self, left: list[float], before: list[float] | None) -> bool:
        """Whether more digits cannot help: nothing is missing, and intervals do not shrink."""
        if any(e.nature in ("undecided", "outside") and e.lo < e.hi for e in self.events):
            return False
        if before is None or len(before) != len(left):
            return False
        return all(not new <= old / 2 for new, old in zip(left, before, strict=True))

    def _judged(self, result: T) -> T:
        """The result, if something is known of every number in it."""
        for x in flatten(result)[0]:
            if isinstance(x, Enclosure) and not all(b.is_finite() for b in x.balls.ravel()):
                raise self.failure()
        return result

    def failure(self) -> DomainError:
        """Why nothing is known of a result."""
        why = next((e for e in self.events if e.nature == "outside"), None)
        if why is None:
            return DomainError(f"Real: the result is not a finite number at {self.used} bits")
        return DomainError(f"Real: the result is not known at {self.used} bits: {why}", why.site)


def unresolved(result: Any) -> list[float]:
    """The radii of the entries that are not known to enough bits; under `precision`."""
    return [
        upper(b.rad()) if b.is_finite() else np.inf
        for x in flatten(result)[0]
        if isinstance(x, Enclosure)
        for b in x.balls.ravel().tolist()
        if not known(b)
    ]


def known(x: Any) -> bool:
    """Whether a ball is known to more digits than float64 has."""
    if not x.is_finite():
        return False
    if x.is_exact() or x.rel_accuracy_bits() >= ENOUGH:
        return True
    return bool(abs(x).upper() < balls.of(2) ** NEGLIGIBLE)


def _same(x: Objects, y: Objects) -> NDArray[Any]:
    """Where two entries are one ball, which is one number: `max` gives the largest entry itself."""
    return np.asarray(np.frompyfunc(lambda a, b: a is b and not a.is_nan(), 2, 1)(x, y), bool)
