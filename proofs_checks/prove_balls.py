"""Laws of primitives in ball arithmetic, for what is no rational function: rigorous, to a bound.

The derivative law compares push with a difference whose error is bounded by Cauchy's estimate on a
disc of the complex plane, so it uses no rule (proofs_checks/certify_differences.py has the formula).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from taglessad.errors import DomainError
from taglessad.interpreters.real import Real
from taglessad.kernels import balls
from taglessad.kernels.enclosure import upper
from taglessad.kernels.events import Undecided
from taglessad.kernels.flint import acb, arb
from taglessad.kernels.payloads import Numbers, Objects, Payload, each, gathered
from taglessad.primitive import PRIMITIVES, Prim
from taglessad.proofs_checks import rooted
from taglessad.proofs_checks.cases import Case, Domain, Plan, Random
from taglessad.proofs_checks.holomorphic import Holomorphic, disc
from taglessad.proofs_checks.prove_report import Verdict
from taglessad.proofs_checks.rooted import Primitive

Ball = Any  # Any: an arb

PREC: Final = 192
FALL: Final = 64
"""The step of a difference is 2**-FALL of the disc's radius: its error some 2**-128."""

REACHES: Final = (3, 6, 10, 16, 24, 40)
"""Discs of radius 2**-reach are tried in this order."""

BOUND: Final = 1e-20
"""What a law must be checked to, relative to 1 + the size of what is compared.

Rules with a constant of two floats are right to some 1e-33 and no further.
"""

ESTIMATED: Final = 1e-15
"""The same for differences whose remainder is only estimated."""

POINTS: Final = 8
ORDERS_STEP: Final = 36
"""Such differences have steps of 2**-ORDERS_STEP and half that."""


@dataclass
class Gap:
    """The largest difference seen, and the first that is certainly none of rounding's."""

    bound: float = 0.0
    witness: str | None = None
    unsharp: str | None = None
    count: int = 0

    def compare(self, what: str, a: Ball, b: Ball, tolerance: float = BOUND) -> None:
        """Two enclosures of what should be one number."""
        self.count += 1
        if not (a.is_finite() and b.is_finite()):
            self.unsharp = self.unsharp or f"{what}: nothing is known"
            return
        size = 1 + abs(b).upper()
        gap = abs(a - b).upper() / size
        if not a.overlaps(b) and gap > tolerance:
            self.witness = (
                self.witness or f"{what}: {float(a.mid()):.17g} and {float(b.mid()):.17g}"
            )
        elif gap > tolerance:
            self.unsharp = self.unsharp or f"{what}: known to {upper(gap):.1e} only"
        self.bound = max(self.bound, upper(gap))

    def verdict(self, prim: Primitive, law: str, method: str, detail: str) -> Verdict:
        """The law's verdict."""
        if self.witness is not None:
            return Verdict(prim.name, law, "FAILED", method, self.witness)
        if self.unsharp is not None:
            return Verdict(prim.name, law, "OPEN", method, self.unsharp)
        return Verdict(prim.name, law, "CHECKED", method, detail, self.bound)


def wide(name: str, domains: Sequence[Domain]) -> list[Case]:
    """For an elementwise primitive, several points in one array, for each choice of parameters."""
    found: dict[Any, Case] = {}
    for domain in domains:
        if not domain.smooth:
            continue
        for seed in range(16):
            plan = domain.plan(Random(seed))
            if plan.params not in found:
                operands = tuple(((POINTS,), values) for _, values in plan.operands)
                found[plan.params] = Plan(operands, plan.params).case(seed + 100)
    return list(found.values())


# --- points and directions -----------------------------------------------------------------------
def _entries(x: np.ndarray[Any, Any], number: Callable[[Any], Any]) -> Objects:
    return gathered(map(number, x.astype(np.float64).ravel().tolist()), x.shape)


def _real(prec: int) -> Real:
    real = Real(prec, max_prec=prec)
    real.start(prec)
    return real


def _direction(prim: Primitive, case: Case, i: int) -> Objects:
    x = case.operands[i]
    if prim.kind == "elementwise":
        return _entries(np.ones(x.shape), balls.of)
    return _entries(case.rng().integers(-(2**10), 2**10, x.shape) / 2.0**10, balls.of)


def _values(root: Any, prim: Primitive, case: Case, entries: dict[int, Objects]) -> list[Payload]:
    return rooted.values(root, prim, rooted.payloads(root, case, entries), case.params)


def _at(case: Case, i: int, d: Objects, step: Ball) -> dict[int, Objects]:
    """Operand i moved by a step along d."""
    moved = {k: _entries(case.operands[k], balls.of) for k in rooted.reals(case)}
    moved[i] = moved[i] + step * d if d.size else moved[i]
    moved[i] = np.asarray(moved[i], object).reshape(case.operands[i].shape)
    return moved


# --- the derivative law --------------------------------------------------------------------------
def quotients(prim: Primitive, case: Case, i: int, d: Objects) -> list[Objects]:
    """Enclosures of the results' derivatives along d in operand i, without a derivative rule.

    Raises DomainError where no disc is found on which the primitive is known to be analytic.
    """
    bounds, reach = _bounds(prim, case, i, d)
    working = PREC + FALL + reach + 64
    with balls.precision(working):
        radius = arb(2) ** -reach
        step = radius / arb(2) ** FALL
        square = arb(2) ** (-2 * FALL)
        share = square / (1 - square) / radius
        real = _real(working)
        after = _values(real, prim, case, _at(case, i, d, step))
        before = _values(real, prim, case, _at(case, i, d, -step))
        found: list[Objects] = []
        for u, v, bound in zip(after, before, bounds, strict=True):
            a, b = rooted.numbers(u), rooted.numbers(v)
            entries = (
                (p - q) / (2 * step) + arb(0, (m * share).upper())
                for p, q, m in zip(a.ravel(), b.ravel(), bound, strict=True)
            )
            found.append(gathered(entries, a.shape))
        return found


def _bounds(prim: Primitive, case: Case, i: int, d: Objects) -> tuple[list[list[Ball]], int]:
    """How far each result moves on a disc, and -log2 of the disc's radius."""
    why: Exception | None = None
    with balls.precision(PREC):
        for reach in REACHES:
            radius = arb(2) ** -reach
            on_disc = {k: _entries(case.operands[k], acb) for k in rooted.reals(case)}
            x = case.operands[i].astype(np.float64)
            on_disc[i] = gathered(
                (
                    disc(balls.of(a), b, radius)
                    for a, b in zip(x.ravel().tolist(), d.ravel(), strict=True)
                ),
                x.shape,
            )
            try:
                ys = _values(Holomorphic(), prim, case, on_disc)
            except (DomainError, Undecided) as error:
                why = error
                if "no values on complex balls" in str(error):
                    break
                continue
            entries = [rooted.numbers(y).ravel().tolist() for y in ys]
            if all(v.is_finite() for vs in entries for v in vs):
                return [[abs(v - v.mid()).upper() for v in vs] for vs in entries], reach
    raise DomainError(f"{prim.name}: on no disc known to be analytic ({why})")


def derivative(prim: Primitive, points: Sequence[Case]) -> Verdict:
    """push(d) is the difference quotient, to the bound of its error."""
    gap = Gap()
    methods: list[str] = []
    for case in points:
        for i in rooted.active(prim, case):
            if case.operands[i].size == 0:
                continue
            d = _direction(prim, case, i)
            tolerance = BOUND
            try:
                expected, method = quotients(prim, case, i, d), "rigorous difference"
            except DomainError as error:
                if prim.name in INVERSES:
                    expected, method = _inverse(prim, case), "inverse function"
                elif isinstance(prim, Prim) and case.params:
                    method, tolerance = "extrapolated difference", ESTIMATED
                    expected = _extrapolated(prim, case, i, d)
                else:
                    return Verdict(
                        prim.name, "derivative", "OPEN", "rigorous difference", str(error)
                    )
            methods.append(method)
            for k, (a, b) in enumerate(zip(_push(prim, case, i, d), expected, strict=True)):
                if a.shape != b.shape:
                    gap.witness = f"operand {i}: push has shape {a.shape}, the value {b.shape}"
                    continue
                pairs = list(zip(a.ravel(), b.ravel(), strict=True))
                if tolerance == ESTIMATED:  # where the order is moved, not every point is known
                    known = [(u, v) for u, v in pairs if u.is_finite() and v.is_finite()]
                    pairs = known if 2 * len(known) >= len(pairs) else pairs
                with balls.precision(2 * PREC):
                    for u, v in pairs:
                        what = f"result {k}, operand {i}: push and difference"
                        gap.compare(what, u, v, tolerance)
    named = " and ".join(sorted(set(methods))) or "rigorous difference"
    return gap.verdict(prim, "derivative", named, f"{gap.count} numbers")


def _push(prim: Primitive, case: Case, i: int, d: Objects) -> list[Objects]:
    with balls.precision(PREC):
        real = _real(PREC)
        xs = rooted.payloads(real, case, _at(case, i, d, balls.of(0)))
        tangents: list[Payload | None] = [None] * len(xs)
        tangents[i] = Numbers(d, case.operands[i].dtype, active=True)
        return rooted.pushed(real, prim, xs, tangents, case.params)


INVERSES: Final = {"erfinv": "erf", "erfcinv": "erfc"}
"""Functions without values on complex balls, and what they are the inverses of."""


def _inverse(prim: Primitive, case: Case) -> list[Objects]:
    """The derivative of an inverse function: one over that of the function, at the value.

    That the value is right is seen from the function's own value there.
    """
    function = PRIMITIVES[INVERSES[prim.name]]
    with balls.precision(2 * PREC):
        (y,) = _values(
            _real(2 * PREC), prim, case, _at(case, 0, _direction(prim, case, 0), balls.of(0))
        )
        point, dtype = rooted.numbers(y), case.operands[0].dtype
        (x,) = rooted.values(_real(2 * PREC), function, [Numbers(point, dtype)], ())
        given = _entries(case.operands[0], balls.of)
        if not all(u.overlaps(v) for u, v in zip(rooted.numbers(x), given, strict=True)):
            raise DomainError(f"{prim.name} is not the inverse of {function.name}")
        radius = arb(2) ** -3
        step = radius / arb(2) ** FALL
        square = arb(2) ** (-2 * FALL)
        disc_values = rooted.values(
            Holomorphic(),
            function,
            [Numbers(each(lambda v: disc(v, 1, radius), point), dtype)],
            (),
        )
        on = rooted.numbers(disc_values[0])
        ends = [
            rooted.numbers(
                rooted.values(_real(2 * PREC), function, [Numbers(point + s, dtype)], ())[0]
            )
            for s in (step, -step)
        ]
        slopes = (
            (a - b) / (2 * step) + arb(0, (abs(m - m.mid()).upper() * square / radius * 2).upper())
            for a, b, m in zip(*ends, on, strict=True)
        )
        return [gathered((1 / s for s in slopes), point.shape)]


def _extrapolated(prim: Prim, case: Case, i: int, d: Objects) -> list[Objects]:
    """Differences of enclosures at two steps, extrapolated; their distance stands for the error.

    For derivatives in parameters such as the order of a function, which have no values on complex
    balls: the one method here whose remainder is estimated, and not bounded.
    """
    with balls.precision(2 * PREC):
        real = _real(2 * PREC)
        slopes: list[Objects] = []
        for k in (ORDERS_STEP, ORDERS_STEP + 1):
            step = arb(2) ** -k
            (a,) = _values(real, prim, case, _at(case, i, d, step))
            (b,) = _values(real, prim, case, _at(case, i, d, -step))
            slopes.append((rooted.numbers(a) - rooted.numbers(b)) / (2 * step))
        best = (4 * slopes[1] - slopes[0]) / 3
        moved = each(lambda u, v: u + arb(0, (abs(u - v).upper() * 2)), best, slopes[1])
        return [moved]


# --- adjointness ---------------------------------------------------------------------------------
def adjointness(prim: Primitive, points: Sequence[Case]) -> Verdict:
    """The sum over results of <push(d), g> is <d, pull(g)>, to the width of the enclosures."""
    gap = Gap()
    for case in points:
        active = rooted.active(prim, case)
        if not active:
            continue
        with balls.precision(PREC):
            real = _real(PREC)
            xs = rooted.payloads(real, case, _at(case, active[0], np.empty(0, object), balls.of(0)))
            rng = case.rng()
            ys = rooted.values(real, prim, xs, case.params)
            gs = [
                Numbers(
                    _entries(rng.uniform(-1, 1, rooted.numbers(y).shape), balls.of), real.dtype(y)
                )
                for y in ys
            ]
            ds = {i: _entries(rng.uniform(-1, 1, case.operands[i].shape), balls.of) for i in active}
            tangents = [
                Numbers(ds[i], x.dtype) if i in ds else None for i, x in enumerate(case.operands)
            ]
            push = rooted.pushed(real, prim, xs, tangents, case.params)
            pull = rooted.pulled(real, prim, xs, gs, case.params, active)
            zero = balls.of(0)
            here = sum(
                (rooted.inner(p, g.values, zero) for p, g in zip(push, gs, strict=True)), zero
            )
            there = sum(
                (
                    rooted.inner(ds[i], c, zero)
                    for i, c in zip(active, pull, strict=True)
                    if c is not None
                ),
                zero,
            )
            gap.compare("<push(d), g> and <d, pull(g)>", here, there)
    return gap.verdict(prim, "adjointness", "enclosures", f"{gap.count} points")
