"""Agreement: one program under every interpreter that can run it, compared pair by pair.

What is told apart: how far values are from each other, whether all bits are equal, zeros whose signs
differ, and which inputs reach which results.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from taglessad.compiled.jit import jit
from taglessad.convert import from_array
from taglessad.errors import DomainError, MissingExtra, TaglessError
from taglessad.interpreters.eager import EAGER
from taglessad.interpreters.exact import Exact
from taglessad.kernels.enclosure import Enclosure
from taglessad.proofs_checks.cases import Array
from taglessad.transforms.batching import vmap
from taglessad.transforms.interpretation import interpret
from taglessad.transforms.products import jvp
from taglessad.transforms.reaching import reach
from taglessad.transforms.recording import trace
from taglessad.transforms.series import taylor
from taglessad.trees import flatten

# Any throughout: programs of any signature.

Way = Callable[[Callable[..., Any], Sequence[Array]], list[Array]]
MEMBERS = 2


class Pair(NamedTuple):
    """Two interpreters' results of one program.

    gap: the largest distance of two entries; ulps: the same in units in the last place of the largest
    entry of that result; bits: whether all entries have the same bits; zeros: how many zeros differ in sign.
    """

    left: str
    right: str
    gap: float
    ulps: float
    bits: bool
    zeros: int

    def __str__(self) -> str:
        told = "equal bits" if self.bits else f"{self.ulps:.3g} ulp"
        zeros = f", {self.zeros} zeros of other signs" if self.zeros else ""
        return f"{self.left} and {self.right}: {told}{zeros}"


class Agreement(NamedTuple):
    """What was found of one program.

    results: by interpreter, each result as a float64 array. pairs: of all of them. left_out: why an
    interpreter is missing. reached: for each result the inputs that it depends on.
    """

    results: dict[str, list[Array]]
    pairs: list[Pair]
    left_out: dict[str, str]
    reached: list[frozenset[str]]

    @property
    def worst(self) -> float:
        """The largest distance of any pair, in units in the last place."""
        return max((p.ulps for p in self.pairs), default=0.0)


# --- the ways to run a program -------------------------------------------------------------------
def _arrays(results: Any) -> list[Array]:
    return [np.asarray(r, np.float64) for r in flatten(results)[0]]


def _eager(f: Callable[..., Any], xs: Sequence[Array]) -> list[Array]:
    return _arrays(f(*map(from_array, xs)))


def _replay(f: Callable[..., Any], xs: Sequence[Array]) -> list[Array]:
    return _arrays(jit(f)(*xs))


def _graph(f: Callable[..., Any], xs: Sequence[Array]) -> list[Array]:
    return _arrays(trace(f)(*xs).run(EAGER, list(xs)))


def _dual(f: Callable[..., Any], xs: Sequence[Array]) -> list[Array]:
    ones = tuple(from_array(np.ones_like(x)) for x in xs)
    return _arrays(jvp(f, tuple(xs), ones)[0])


def _batch(f: Callable[..., Any], xs: Sequence[Array]) -> list[Array]:
    stacked = [from_array(np.stack([x] * MEMBERS)) for x in xs]
    return [r[-1] for r in _arrays(vmap(f)(*stacked))]


def _taylor(f: Callable[..., Any], xs: Sequence[Array]) -> list[Array]:
    whole = taylor(lambda t: f(*t), 1)(tuple(xs), tuple(np.ones_like(x) for x in xs))
    return _arrays(whole[0])


def _exact(f: Callable[..., Any], xs: Sequence[Array]) -> list[Array]:
    return _arrays(interpret(f, Exact())(*xs))


def _real(f: Callable[..., Any], xs: Sequence[Array]) -> list[Array]:
    from taglessad.interpreters.real import Real

    found = flatten(interpret(f, Real())(*xs))[0]
    return [np.asarray(r.mid if isinstance(r, Enclosure) else r, np.float64) for r in found]


def _jax(f: Callable[..., Any], xs: Sequence[Array]) -> list[Array]:
    from taglessad.interpreters.jax import Jax

    return _arrays(jit(f, Jax())(*xs))


WAYS: dict[str, Way] = {
    "Eager": _eager,
    "replay": _replay,
    "graph": _graph,
    "Dual": _dual,
    "Batch": _batch,
    "Taylor": _taylor,
    "Exact": _exact,
    "Real": _real,
    "Jax": _jax,
}
"""How each runs a program: primal part, last member, coefficient 0, nearest float64."""


def agreement(f: Callable[..., Any], *args: Any, ways: Sequence[str] = tuple(WAYS)) -> Agreement:
    """Run a program of float64 arrays under each interpreter that can, and compare all pairs.

    ways: of `WAYS`. An interpreter that lacks an operation, or is not installed, is left out.
    """
    xs = [np.asarray(x, np.float64) for x in args]
    results: dict[str, list[Array]] = {}
    left_out: dict[str, str] = {}
    for way in ways:
        try:
            results[way] = WAYS[way](f, xs)
        except (DomainError, MissingExtra) as error:
            left_out[way] = error.message
    pairs = [_pair(a, b, results[a], results[b]) for a, b in combinations(results, 2)]
    return Agreement(results, pairs, left_out, _reached(f, xs))


def _reached(f: Callable[..., Any], xs: Sequence[Array]) -> list[frozenset[str]]:
    try:
        return list(flatten(reach(f)(*xs))[0])
    except TaglessError:
        return []


def _pair(left: str, right: str, a: Sequence[Array], b: Sequence[Array]) -> Pair:
    gap, ulps, bits, zeros = 0.0, 0.0, True, 0
    for x, y in zip(a, b, strict=True):
        if x.shape != y.shape:
            return Pair(left, right, np.inf, np.inf, False, 0)
        bits = bits and x.tobytes() == y.tobytes()
        zeros += int(np.sum((x == 0) & (y == 0) & (np.signbit(x) != np.signbit(y))))
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        if not same.all():
            here = float(np.max(np.abs(x - y)[~same]))
            largest = np.max(np.abs(y[np.isfinite(y)]), initial=1e-300)
            gap, ulps = max(gap, here), max(ulps, here / float(np.spacing(largest)))
    return Pair(left, right, gap, ulps, bits, zeros)
