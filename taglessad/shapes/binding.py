"""One call of an annotated function: its dimensions bound from the shapes that come.

The mypy plugin, `taglessad check` and `tad.program` all bind here, and so say the same sentence.
"""

from collections.abc import Container, Mapping
from typing import Final, NamedTuple, cast

from taglessad.dims import (
    ANY_RANK,
    UNKNOWN,
    Atom,
    Extent,
    Polynomial,
    ShapeLike,
    Star,
    Symbol,
    Unknown,
    differ,
    exact_quotient,
    symbol,
)
from taglessad.errors import ShapeError
from taglessad.shapes.axes import known_rank, show, size, star_at
from taglessad.shapes.broadcasting import unify


class _Pending(NamedTuple):
    """A size that is an expression, such as 2*N, to be compared when all that can be is bound."""

    want: Polynomial
    have: Extent
    place: str
    wanted: ShapeLike
    given: ShapeLike


class Binder:
    """The sizes of one call.

    `what` is the function; `own`: the keys of the symbols and runs that this call may bind. All
    others are as they stand, and equal to themselves alone. What `sizes` and `runs` are given
    beforehand is bound.
    """

    def __init__(self, what: str, own: Container[str]) -> None:
        self.what: Final = what
        self.sizes: Final[dict[str, Extent]] = {}
        self.runs: Final[dict[str, ShapeLike]] = {}
        self._own = own
        self._origins: dict[str, str] = {}
        self._pending: list[_Pending] = []

    def bind(self, want: ShapeLike, have: ShapeLike, place: str) -> None:
        """Match a shape as annotated with the shape that came; `place`: "argument 'x'".

        Raises ShapeError where they do not match. Sizes that are expressions wait for `finish`.
        """
        if ANY_RANK in have or want == (ANY_RANK,):
            return
        if known_rank(want) is None:
            head, tail = self._bind_run(want, have, place)
        elif known_rank(have) is None:
            raise self._mismatch(want, have, place, f"the rank of {show(have)} is not known")
        elif len(want) != len(have):
            raise self._mismatch(want, have, place, f"rank {len(have)}, not {len(want)}")
        else:
            head, tail = len(want), 0
        for i in (*range(head), *range(-tail, 0)):
            self._bind_size(want, have, i, place)

    def bind_size(self, want: Extent, have: Extent, place: str) -> None:
        """Match one size, as an argument `n: Size[N]` has it."""
        self._bind_size((want,), (have,), 0, place)

    def know(self, key: str, size: Extent, origin: str) -> None:
        """Bind a size beforehand; `origin` is where it is from, for messages."""
        self.sizes[key], self._origins[key] = size, origin

    def origin(self, key: str) -> str:
        """Where a size was bound."""
        return self._origins.get(key, "")

    def finish(self) -> None:
        """Solve and compare the sizes that are expressions.

        Raises ShapeError for one that no size of 0 or more makes true, or that is another size.
        What two sizes are free in stays open.
        """
        waiting = self._pending
        while True:
            left = [p for p in waiting if not self._solved(p)]
            if len(left) == len(waiting):
                break
            waiting = left
        self._pending = []
        for p in waiting:
            got = self.extent(p.want)
            if self._free(got):
                continue
            if why := differ(p.have, got):
                same = "" if str(got) == str(p.want) else f"; {p.want} is {got} here"
                raise self._mismatch(p.wanted, p.given, p.place, f"{why}{same}")

    def extent(self, n: Extent) -> Extent:
        """A size with what is bound put in."""
        known = dict(self.sizes)
        for key, run in self.runs.items():
            known[f"prod {key}"] = size(run)
        return substitute(n, known)

    def shape(self, shape: ShapeLike) -> ShapeLike:
        """A shape with what is bound put in."""
        out: list[Extent | Star] = []
        for n in shape:
            if isinstance(n, Star):
                out.extend(self.runs.get(n.key, (n,)))
            else:
                out.append(self.extent(n))
        return tuple(out)

    def trial(self) -> "Binder":
        """A copy, on which a binding can be tried."""
        copy = Binder(self.what, self._own)
        copy.take(self)
        return copy

    def take(self, other: "Binder") -> None:
        """Take over what another has bound."""
        self.sizes.update(other.sizes)
        self.runs.update(other.runs)
        self._origins.update(other._origins)
        self._pending = list(other._pending)

    def _bind_run(self, want: ShapeLike, have: ShapeLike, place: str) -> tuple[int, int]:
        """Match the run; how many entries of `want` stand before and behind it."""
        k = star_at(want)
        tail = len(want) - 1 - k
        end = len(have) - tail
        if known_rank(have) is None:
            hidden = star_at(have)
            if hidden < k or hidden >= end:
                raise self._mismatch(want, have, place, f"the rank of {have[hidden]} is not known")
        elif len(have) < k + tail:
            raise self._mismatch(want, have, place, f"rank {len(have)}, not {k + tail} or more")
        run, came = cast("Star", want[k]), have[k:end]
        if run == ANY_RANK:
            return k, tail
        if run.key not in self._own:
            if came != (run,):
                raise self._mismatch(want, have, place, f"{show(came)} is not {run}")
            return k, tail
        before = self.runs.get(run.key)
        if before is None:
            self.runs[run.key], self._origins[run.key] = came, place
            return k, tail
        try:
            self.runs[run.key] = unify(before, came, what=self.what)
        except ShapeError:
            why = self._twice(str(run), run.key, show(before), show(came))
            raise self._mismatch(want, have, place, why) from None
        return k, tail

    def _bind_size(self, want: ShapeLike, have: ShapeLike, i: int, place: str) -> None:
        w, h = want[i], have[i]
        if isinstance(w, int):
            if w != h and (why := differ(w, h)):
                raise self._mismatch(want, have, place, _turned(why, w, h))
            return
        if not isinstance(w, Polynomial) or isinstance(h, Star):  # a run has no place here
            return
        name = lone(w)
        if name is None or name.key not in self._own:
            self._pending.append(_Pending(w, h, place, want, have))
            return
        before = self.sizes.get(name.key)
        if before is None:
            self.sizes[name.key], self._origins[name.key] = h, place
        elif before != h:
            if why := differ(h, before):
                if name.key in self._origins:
                    why = self._twice(name.name, name.key, str(before), str(h))
                raise self._mismatch(want, have, place, why)
            if before is UNKNOWN:
                self.sizes[name.key], self._origins[name.key] = h, place

    def _twice(self, name: str, key: str, before: str, now: str) -> str:
        origin = self._origins.get(key)
        return (
            f"{now} is not {before}"
            if origin is None
            else (f"{name} is {before} from {origin}, but {now} here")
        )

    def _mismatch(self, want: ShapeLike, have: ShapeLike, place: str, why: str) -> ShapeError:
        return ShapeError(
            f"{self.what}: {place}: shape {show(have)} where {show(want)} is expected ({why})"
        )

    def _free(self, n: Extent) -> dict[str, Symbol]:
        """The symbols in a size that this call may bind and has not."""
        return {
            key: atom
            for key, atom in symbols_of(n).items()
            if key in self._own and key not in self.sizes
        }

    def _solved(self, p: _Pending) -> bool:
        """Bind the one free symbol of an expression that is linear in it; whether there was one."""
        free = self._free(p.want)
        if len(free) != 1 or isinstance(p.have, Unknown):
            return False
        ((key, atom),) = free.items()
        lines = linear_in(p.want, atom)
        if lines is None:
            return False
        slope, rest = self.extent(lines[0]), self.extent(lines[1])
        if slope == 0:
            return False
        found = exact_quotient(p.have - rest, slope)
        if found is None or (isinstance(found, int) and found < 0):
            raise self._mismatch(p.wanted, p.given, p.place, f"no {atom} makes {p.want} = {p.have}")
        self.sizes[key], self._origins[key] = found, p.place
        return True


def _turned(why: str, want: Extent | Star, have: Extent | Star) -> str:
    """What came first, then what was expected, as the shapes stand in the sentence."""
    return f"{have} != {want}" if why == f"{want} != {have}" else why


def lone(n: Polynomial) -> Symbol | None:
    """The symbol that a size is, or None for an expression."""
    if len(n.terms) == 1:
        monomial, c = n.terms[0]
        if c == 1 and len(monomial) == 1 and isinstance(monomial[0], Symbol):
            return monomial[0]
    return None


def symbols_of(n: Extent) -> dict[str, Symbol]:
    """The symbols that a size depends on, by key."""
    found: dict[str, Symbol] = {}
    if isinstance(n, Polynomial):
        for monomial, _ in n.terms:
            for atom in monomial:
                if isinstance(atom, Symbol):
                    found[atom.key] = atom
                else:
                    found |= symbols_of(atom.numerator) | symbols_of(atom.denominator)
    return found


def substitute(n: Extent, sizes: Mapping[str, Extent]) -> Extent:
    """The size with symbols, by key, replaced. All at once: what comes in is not looked at again.

    >>> from taglessad.shapes import symbols
    >>> N, M = symbols("N M")
    >>> substitute(2 * N + M // 3, {"N": M, "M": 7})
    2*M + 2
    """
    if not isinstance(n, Polynomial):
        return n
    total: Extent = 0
    for monomial, c in n.terms:
        term: Extent = c
        for atom in monomial:
            term = term * _replaced(atom, sizes)
        total = total + term
    return total


def _replaced(atom: Atom, sizes: Mapping[str, Extent]) -> Extent:
    if isinstance(atom, Symbol):
        return sizes.get(atom.key, symbol(atom))
    over, under = substitute(atom.numerator, sizes), substitute(atom.denominator, sizes)
    if under == 0:
        return UNKNOWN
    return over // under


def linear_in(n: Polynomial, atom: Symbol) -> tuple[Extent, Extent] | None:
    """(slope, rest) with n = slope * atom + rest, neither with the atom in it; None if not so."""
    slope: Extent = 0
    rest: Extent = 0
    for monomial, c in n.terms:
        others = [a for a in monomial if a != atom]
        term = _product(c, others)
        if atom.key in symbols_of(term) or len(monomial) - len(others) > 1:
            return None
        if len(others) < len(monomial):
            slope = slope + term
        else:
            rest = rest + term
    return slope, rest


def _product(c: int, atoms: list[Atom]) -> Extent:
    total: Extent = c
    for atom in atoms:
        total = total * Polynomial((((atom,), 1),))
    return total
