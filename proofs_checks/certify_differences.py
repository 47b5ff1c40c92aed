"""Directional derivatives without a derivative rule: central differences with a proved error.

Where g(t) = f(x + t v) is analytic on |t| <= r with |g - c| <= M there, Cauchy's bound on its Taylor
coefficients gives |(g(h) - g(-h)) / 2h - g'(0)| <= (M / r) q / (1 - q), q = (h / r)**2. M comes from
the program on complex balls, g(h) and g(-h) from the program on real balls at high precision.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.convert import as_handle
from taglessad.errors import DomainError
from taglessad.interpreters.real import NEGLIGIBLE, Real
from taglessad.kernels import balls
from taglessad.kernels.enclosure import Enclosure, lower, upper
from taglessad.kernels.events import Fences, Undecided
from taglessad.kernels.flint import arb
from taglessad.kernels.payloads import Numbers, Objects, gathered
from taglessad.levels import Under
from taglessad.ops import Ops
from taglessad.proofs_checks.holomorphic import Holomorphic, disc
from taglessad.tensor import handle
from taglessad.transforms.arguments import Chosen

Array = NDArray[Any]  # Any: the dtype is data
Ball = Any  # Any: an arb

REACHES: Final = (8, 24, 60, 150, 400, 1000)
"""Discs of radius 2**-reach, relative to the point, are tried in this order."""

COORDINATES: Final = 8
"""Up to so many components each gets a direction of its own."""

GRAIN: Final = 20
"""Random directions have entries k / 2**GRAIN."""

FENCED: Final = 300
"""More bits for values behind `detach`: their radius is divided by the step."""

SHARP: Final = 40
"""Bits that a difference must have to count as an agreement."""


@dataclass(frozen=True)
class RuleFree:
    """What differences say about a gradient that the rules gave.

    agreed: True, False (they contradict it, by at least `gap`) or None where they say nothing, for
    the `reason`. directions: how many were tried; each: whether they were the coordinates. width:
    the largest radius of a difference, relative to what it encloses. fences: the lines of `detach`,
    whose values were held fixed.
    """

    agreed: bool | None
    reason: str
    directions: int = 0
    each: bool = False
    width: float = 0.0
    gap: float = 0.0
    fences: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.agreed is None:
            return f"not available: {self.reason}"
        kind = "coordinate" if self.each else "random"
        along = f"{self.directions} {kind} direction{'s' if self.directions != 1 else ''}"
        if not self.agreed:
            return f"contradicts the rules along {along} by at least {self.gap:.3g}"
        said = f"agrees along {along} (relative radius {self.width:.1e}"
        if self.each:
            return f"{said})"
        odds = (GRAIN - 1) * self.directions
        return f"{said}; a gradient with a wrong entry agrees with probability at most 2**-{odds})"


class _Program:
    """f as a function of the balls of its differentiated arguments."""

    def __init__(
        self, chosen: Chosen, points: Sequence[Array], weak: Sequence[bool], prec: int
    ) -> None:
        self._chosen = chosen
        self._points = points
        self._weak = weak
        self._fences = Fences()
        real = self._real(prec)
        self.at(real, self.moved([None] * len(points), 0))  # collects what is fenced

    @property
    def fences(self) -> tuple[str, ...]:
        """The lines at which values are held fixed, each once."""
        lines = ("an unknown line" if s is None else f"{s[0]}:{s[1]}" for s in self._fences.sites)
        return tuple(dict.fromkeys(lines))

    def _real(self, prec: int) -> Real:
        real = Real(prec, max_prec=prec)
        real.start(prec)
        real.fences = self._fences
        return real

    def moved(self, direction: Sequence[Objects | None], step: Ball) -> list[Objects]:
        """The point, a step along a direction away."""
        return [
            gathered(map(balls.of, x.astype(np.float64).ravel().tolist()), x.shape)
            if v is None
            else gathered(
                (
                    balls.of(a) + step * b
                    for a, b in zip(x.astype(np.float64).ravel().tolist(), v.ravel(), strict=True)
                ),
                x.shape,
            )
            for x, v in zip(self._points, direction, strict=True)
        ]

    def on_disc(self, direction: Sequence[Objects], reach: Ball) -> list[Objects]:
        """The point with t * direction around it for all complex |t| <= reach."""
        return [
            gathered(
                (
                    disc(balls.of(a), b, reach)
                    for a, b in zip(x.astype(np.float64).ravel().tolist(), v.ravel(), strict=True)
                ),
                x.shape,
            )
            for x, v in zip(self._points, direction, strict=True)
        ]

    def at(self, ops: Ops[Any], entries: Sequence[Objects]) -> Ball:
        """The value under an interpreter; under `precision`."""
        leaves = [
            handle(ops, Numbers(v, x.dtype, active=True), x.dtype, w)
            for v, x, w in zip(entries, self._points, self._weak, strict=True)
        ]
        with Under(ops):
            y = as_handle(self._chosen.call(leaves), "certify", "the result of f")
            payload = ops.lift(y.ops, y.payload)
        assert isinstance(payload, Numbers)
        return payload.values[()]

    def bound(self, direction: Sequence[Objects], reach: Ball) -> Ball:
        """A bound of |g - c| on the disc for some c; not finite where g may not be analytic."""
        ops = Holomorphic()
        ops.fences = self._fences.hold()
        value = self.at(ops, self.on_disc(direction, reach))
        if not value.is_finite():
            return arb.pos_inf()
        return abs(value - value.mid()).upper()

    def difference(self, direction: Sequence[Objects], step: Ball, prec: int) -> Ball:
        """(g(h) - g(-h)) / 2h."""
        real = self._real(prec)
        values: list[Ball] = []
        for h in (step, -step):
            self._fences.hold()
            values.append(self.at(real, self.moved(direction, h)))
        return (values[0] - values[1]) / (2 * step)


def rule_free(
    chosen: Chosen,
    points: Sequence[Array],
    weak: Sequence[bool],
    leaves: Sequence[Enclosure],
    prec: int,
    directions: int | None,
    seed: int,
) -> RuleFree:
    """Compare a gradient with differences along directions.

    directions: None for the coordinates where they are few, else one random direction; 0 for none.
    """
    if directions == 0:
        return RuleFree(None, "it was not asked for")
    count = sum(x.size for x in points)
    each = directions is None and count <= COORDINATES
    rng = np.random.default_rng(seed)
    makers: list[Callable[[], list[Objects]]]
    if each:
        makers = [partial(_coordinate, points, k) for k in range(count)]
    else:
        makers = [partial(_random, points, rng) for _ in range(directions or 1)]
    widths: list[float] = []
    fences: tuple[str, ...] = ()
    try:
        with balls.precision(prec + FENCED):
            program = _Program(chosen, points, weak, prec + FENCED)
        fences = program.fences
        for make in makers:
            with balls.precision(prec):
                direction = make()
            found, scale, reason = _directional(program, direction, leaves, prec)
            if found is None:
                return RuleFree(None, reason, fences=fences)
            with balls.precision(2 * prec):
                expected, _ = _along(leaves, direction)
                if not found.overlaps(expected):
                    gap = lower(abs(found - expected))
                    width = upper(found.rad())
                    return RuleFree(False, "", len(makers), each, width, gap, fences)
                widths.append(upper(found.rad() / scale) if scale > 0 else 0.0)
    except (DomainError, Undecided) as error:
        return RuleFree(None, error.message, fences=fences)
    return RuleFree(True, "", len(makers), each, max(widths, default=0.0), fences=fences)


def _directional(
    program: _Program, direction: list[Objects], leaves: Sequence[Enclosure], prec: int
) -> tuple[Ball | None, Ball, str]:
    """The derivative along a direction, sharp enough to mean something, and beside what; or why
    there is none."""
    reason = "f is not analytic on any disc around the point that was tried"
    with balls.precision(prec):
        _, own = _along(leaves, direction)
        whole = max((abs(g).upper() for e in leaves for g in e.balls.ravel()), key=float)
    best: Ball | None = None
    for reach in REACHES:
        with balls.precision(prec):
            radius = arb(2) ** -reach
            try:
                bound = program.bound(direction, radius)
            except DomainError as error:
                reason = error.message
                continue
            if not bound.is_finite():
                continue
        fall = 64 + reach // 2  # the step is so many halvings below the disc
        working = prec + fall + reach + 64
        with balls.precision(working):
            step = radius / arb(2) ** fall
            quotient = program.difference(direction, step, working)
            square = arb(2) ** (-2 * fall)
            error_bound = bound / radius * square / (1 - square)
            found = quotient + arb(0, error_bound.upper())
            if found.is_finite() and (best is None or found.rad() < best.rad()):
                best = found
            if found.is_finite() and found.rad() <= own * arb(2) ** -SHARP:
                return found, own, ""
    if best is None:
        return None, own, reason
    with balls.precision(prec):
        # An entry far below the others, or 0, is confirmed to digits that count beside them, or
        # beside 1 where all are 0.
        scale = whole if whole > arb(2) ** NEGLIGIBLE else arb(1)
        size = max((abs(v).upper() for part in direction for v in part.ravel()), key=float)
        beside = scale * size
        if best.rad() <= beside * arb(2) ** -SHARP:
            return best, beside, ""
    return None, own, "the differences are not sharp enough to say anything"


def _along(leaves: Sequence[Enclosure], direction: Sequence[Objects]) -> tuple[Ball, Ball]:
    """The gradient's directional derivative, and the sum of the sizes of its terms."""
    total, size = arb(0), arb(0)
    for e, v in zip(leaves, direction, strict=True):
        for g, d in zip(e.balls.ravel().tolist(), v.ravel().tolist(), strict=True):
            total += g * d
            size += abs(g * d).upper()
    return total, size


def _scale(x: float) -> int:
    """The exponent of a coordinate: directions are relative to the point."""
    return int(np.frexp(x)[1]) if x != 0 else 0


def _coordinate(points: Sequence[Array], k: int) -> list[Objects]:
    """The unit vector of one coordinate, times the coordinate's size."""
    made: list[Objects] = []
    for x in points:
        entries = [balls.of(0)] * x.size
        if 0 <= k < x.size:
            entries[k] = arb((1, _scale(float(x.ravel()[k]))))
        k -= x.size
        made.append(gathered(entries, x.shape))
    return made


def _random(points: Sequence[Array], rng: np.random.Generator) -> list[Objects]:
    """A random direction, every coordinate times its size."""
    made: list[Objects] = []
    for x in points:
        ks = rng.integers(1, 2**GRAIN, x.size, endpoint=True) * rng.choice((-1, 1), x.size)
        entries = (
            arb((int(k), _scale(float(a)) - GRAIN)) for k, a in zip(ks, x.ravel(), strict=True)
        )
        made.append(gathered(entries, x.shape))
    return made
