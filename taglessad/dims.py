"""Sizes of axes: an int, a polynomial in symbols, or unknown; and runs of axes of unknown length.

A computation on ints gives ints; only a symbol makes a `Polynomial`, and one that comes out
constant is an int again. Two sizes are the same when they are the same polynomial: `N*2 + N` is
`3*N`, while `N//2*2` is not taken to be `N`, and two symbols are two sizes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Final, TypeAlias, TypeGuard, TypeVar, final


@final
@dataclass(frozen=True, slots=True)
class Symbol:
    """A size that has a name and no value. `key` is its identity, `name` what messages print."""

    key: str
    name: str = field(compare=False)

    def __str__(self) -> str:
        return self.name


@final
@dataclass(frozen=True, slots=True)
class Quotient:
    """A floor division that does not come out exactly; to the polynomials around it, a symbol."""

    numerator: "int | Polynomial"
    denominator: "int | Polynomial"

    @property
    def key(self) -> str:
        return f"({_keyed(self.numerator)})//({_keyed(self.denominator)})"

    def __str__(self) -> str:
        over = str(self.denominator)
        return f"{_grouped(self.numerator)}//{f'({over})' if not over.isalnum() else over}"


Atom: TypeAlias = Symbol | Quotient
Monomial: TypeAlias = tuple[Atom, ...]
"""A product of atoms, sorted by key, an atom repeated for each power; () is the constant 1."""


@final
@dataclass(frozen=True, slots=True)
class Polynomial:
    """A size that depends on symbols: integer coefficients over products of atoms.

    `terms` is canonical (leading term first, no zero coefficient) and never a constant alone, so
    equality and hashing are structural. `+`, `-`, `*` and `//` take ints and polynomials. `//` is
    floor division, simplified as far as it is certain: `(4*N + 2)//2` is `2*N + 1`.
    """

    terms: tuple[tuple[Monomial, int], ...]

    @property
    def constant(self) -> int:
        """The term without a symbol."""
        monomial, c = self.terms[-1]
        return 0 if monomial else c

    def __add__(self, other: "int | Polynomial") -> "int | Polynomial":
        if not _is_size(other):
            return NotImplemented
        total = dict(self.terms)
        for monomial, c in _terms(other):
            total[monomial] = total.get(monomial, 0) + c
        return _extent(total)

    __radd__ = __add__

    def __mul__(self, other: "int | Polynomial") -> "int | Polynomial":
        if not _is_size(other):
            return NotImplemented
        total: dict[Monomial, int] = {}
        for left, c in self.terms:
            for right, d in _terms(other):
                monomial = tuple(sorted(left + right, key=_key))
                total[monomial] = total.get(monomial, 0) + c * d
        return _extent(total)

    __rmul__ = __mul__

    def __neg__(self) -> "Polynomial":
        return Polynomial(tuple((monomial, -c) for monomial, c in self.terms))

    def __sub__(self, other: "int | Polynomial") -> "int | Polynomial":
        if not _is_size(other):
            return NotImplemented
        return self + -other

    def __rsub__(self, other: int) -> "int | Polynomial":
        return -self + other

    def __floordiv__(self, other: "int | Polynomial") -> "int | Polynomial":
        if not _is_size(other):
            return NotImplemented
        return _floor_divide(self, other)

    def __rfloordiv__(self, other: int) -> "int | Polynomial":
        return _floor_divide(other, self)

    def __str__(self) -> str:
        out = ""
        for monomial, c in self.terms:
            sign = (" - " if c < 0 else " + ") if out else ("-" if c < 0 else "")
            out += sign + _term(monomial, abs(c))
        return out

    def __repr__(self) -> str:
        return str(self)


@final
class Unknown:
    """The size of which nothing is known. `UNKNOWN` is the only one; arithmetic on it gives it."""

    __slots__ = ()

    def __add__(self, other: "Extent") -> "Unknown":
        return self

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = __add__

    def __neg__(self) -> "Unknown":
        return self

    def __repr__(self) -> str:
        return "?"

    def __reduce__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()


@final
@dataclass(frozen=True, slots=True)
class Star:
    """A run of axes of unknown length, at most one in a shape: a TypeVarTuple, or `ANY_RANK`."""

    key: str
    name: str = field(compare=False)

    def __str__(self) -> str:
        return f"*{self.name}"


ANY_RANK: Final = Star("?", "?")
"""The run of which nothing is known. Two of them need not be the same run."""

Extent: TypeAlias = int | Polynomial | Unknown
Shape: TypeAlias = tuple[Extent, ...]
ShapeLike: TypeAlias = tuple[Extent | Star, ...]
D = TypeVar("D", bound=Extent | Star)
"""What the entries of a shape are: a rule gives a shape of ints from shapes of ints, and so on."""


def symbols(names: str) -> tuple[Polynomial, ...]:
    """One size for each name, separated by spaces; the name is the identity.

    >>> N, M = symbols("N M")
    >>> (N * 2 + N + 1, M * N - N * M, (N * M + M) // M)
    (3*N + 1, 0, N + 1)
    """
    return tuple(symbol(Symbol(name, name)) for name in names.split())


def symbol(atom: Symbol) -> Polynomial:
    """The symbol as a size."""
    return Polynomial((((atom,), 1),))


def differ(a: Extent | Star, b: Extent | Star) -> str | None:
    """None where the two can be the same size (or run), else why they cannot: "2 != 3"."""
    if a is UNKNOWN or b is UNKNOWN or a == b:
        return None
    if isinstance(a, Star) or isinstance(b, Star):
        return None if ANY_RANK in (a, b) else f"{a} and {b} need not agree"
    if isinstance(a - b, int):
        return f"{a} != {b}"
    return f"{a} and {b} are different dimensions"


def exact_quotient(a: Extent, b: Extent) -> Extent | None:
    """a / b, or None where b is not known to divide a (0 divides nothing)."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b if b and a % b == 0 else None
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    return _divide(a, b) if b else None


def at_least(a: Extent, b: Extent) -> bool:
    """Whether a >= b for certain, symbols being sizes of 1 or more.

    Sufficient, not necessary: False says that it is not known.
    """
    gap = a - b
    if isinstance(gap, int):
        return gap >= 0
    if isinstance(gap, Unknown):
        return False
    for monomial, c in gap.terms:
        if c < 0 and len(monomial) == 1 and isinstance(monomial[0], Quotient):
            # n//d <= n/d: with the quotient replaced by its bound, d times the gap is smaller.
            over = monomial[0].denominator
            if isinstance(over, int) and over > 0:
                rest = gap - Polynomial(((monomial, c),))
                return at_least(rest * over, monomial[0].numerator * -c)
    low = _lower_bound(gap)
    return low is not None and low >= 0


def _lower_bound(extent: int | Polynomial) -> int | None:
    low = 0
    for monomial, c in _terms(extent):
        if monomial and c < 0:
            return None
        for atom in monomial:
            bound = 1 if isinstance(atom, Symbol) else _quotient_bound(atom)
            if bound is None or bound < 0:
                return None
            c *= bound
        low += c
    return low


def _quotient_bound(atom: Quotient) -> int | None:
    over, under = _lower_bound(atom.numerator), _lower_bound(atom.denominator)
    if over is None or under is None or under < 1:
        return None
    if isinstance(atom.denominator, int):
        return over // atom.denominator
    return 0 if over >= 0 else None


def _is_size(value: object) -> TypeGuard[int | Polynomial]:
    # Anything else may know how to take a size: `N * tensor` is the tensor's to answer.
    return isinstance(value, int | Polynomial)


def _key(atom: Atom) -> str:
    return atom.key


def _keyed(extent: int | Polynomial) -> str:
    """The polynomial's text with identities for names: an order for quotients."""
    return "+".join("*".join((str(c), *map(_key, monomial))) for monomial, c in _terms(extent))


def _grouped(extent: int | Polynomial) -> str:
    several = isinstance(extent, Polynomial) and len(extent.terms) > 1
    return f"({extent})" if several else str(extent)


def _term(monomial: Monomial, c: int) -> str:
    factors = [str(c)] if c != 1 or not monomial else []
    for atom in monomial:
        alone = len(monomial) == 1 and c == 1
        factors.append(str(atom) if alone or isinstance(atom, Symbol) else f"({atom})")
    return "*".join(factors)


def _terms(extent: int | Polynomial) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(extent, Polynomial):
        return extent.terms
    return (((), extent),) if extent else ()


def _leading_first(term: tuple[Monomial, int]) -> tuple[int, list[str]]:
    # Degree, then lexicographic: an order that multiplication keeps, as long division needs.
    return -len(term[0]), [atom.key for atom in term[0]]


def _extent(terms: Mapping[Monomial, int]) -> int | Polynomial:
    """The canonical size with these terms."""
    left = [term for term in terms.items() if term[1]]
    if not left:
        return 0
    if len(left) == 1 and not left[0][0]:
        return left[0][1]
    return Polynomial(tuple(sorted(left, key=_leading_first)))


def _without(monomial: Monomial, factor: Monomial) -> Monomial | None:
    """monomial / factor, or None where it does not divide."""
    rest = list(monomial)
    for atom in factor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _divide(a: int | Polynomial, b: int | Polynomial) -> int | Polynomial | None:
    """The polynomial q with q * b == a, by long division, or None where there is none."""
    lead, c = _terms(b)[0]
    quotient: int | Polynomial = 0
    while a != 0:
        monomial, k = _terms(a)[0]
        rest = _without(monomial, lead)
        if rest is None or k % c:
            return None
        step = _extent({rest: k // c})
        quotient = quotient + step
        a = a - step * b
    return quotient


def _common_factor(terms: Iterable[tuple[Monomial, int]]) -> tuple[Monomial, int]:
    """The largest product of atoms and number that divides every term."""
    (shared, number), *others = terms
    for monomial, c in others:
        number = gcd(number, c)
        kept: Monomial = ()
        left = list(monomial)
        for atom in shared:
            if atom in left:
                left.remove(atom)
                kept += (atom,)
        shared = kept
    return shared, abs(number)


def _floor_divide(a: int | Polynomial, b: int | Polynomial) -> int | Polynomial:
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if b == 0:
        raise ZeroDivisionError(f"floor division of the size {a} by zero")
    if a == 0:
        return 0
    exact = _divide(a, b)
    if exact is not None:
        return exact
    shared, number = _common_factor((*_terms(a), *_terms(b)))
    if shared or number > 1:  # (a*f)//(b*f) is a//b
        factor = _extent({shared: number})
        smaller, under = _divide(a, factor), _divide(b, factor)
        assert smaller is not None and under is not None
        return _floor_divide(smaller, under)
    if isinstance(b, int) and b < 0:
        return _floor_divide(-a, -b)
    if isinstance(b, Polynomial) and len(b.terms) > 1:
        return _quotient(a, b)
    # One term below: (b*q + r)//b is q + r//b, with every coefficient of r in 0 .. |c|-1.
    ((lead, c),) = _terms(b)
    whole: dict[Monomial, int] = {}
    for monomial, k in _terms(a):
        rest = _without(monomial, lead)
        if rest is not None and k // c:
            whole[rest] = k // c
    q = _extent(whole)
    if q != 0:
        return q + _floor_divide(a - b * q, b)
    if isinstance(b, int):
        number = gcd(b, *(k for monomial, k in _terms(a) if monomial))
        if number > 1:  # a constant that is no multiple is lost anyway: (2*N + 1)//4 is N//2
            return _floor_divide(_floor_divide(a, number), b // number)
    return _quotient(a, b)


def _quotient(a: int | Polynomial, b: int | Polynomial) -> int | Polynomial:
    """The division left standing, in its simplest form: (n//c + k)//b is (n + k*c)//(b*c)."""
    (monomial, c), *others = _terms(a)
    if isinstance(b, int) and c == 1 and len(monomial) == 1 and isinstance(monomial[0], Quotient):
        inner, k = monomial[0], _extent(dict(others))
        if isinstance(inner.denominator, int) and isinstance(k, int):
            return _floor_divide(inner.numerator + k * inner.denominator, inner.denominator * b)
    return Polynomial((((Quotient(a, b),), 1),))
