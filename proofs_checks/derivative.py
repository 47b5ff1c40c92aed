"""check_derivative: a program's derivatives are those of its values."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from taglessad.convert import from_array
from taglessad.errors import AdjointError, ArgumentError, DomainError
from taglessad.interpreters.eager import EAGER
from taglessad.levels import Under
from taglessad.proofs_checks.adjoint import adjoint
from taglessad.proofs_checks.cases import Array
from taglessad.proofs_checks.differences import Quotient, central, largest, scaled
from taglessad.proofs_checks.frozen import frozen
from taglessad.proofs_checks.inputs import Handles, reals
from taglessad.transforms.products import jvp, vjp

COORDINATES: Final = 64
"""Coordinates moved one at a time; of more than these a random choice."""

Function: TypeAlias = Callable[..., Handles]


class _Level(NamedTuple):
    """A derivative of f that is itself to be checked, and the modes it was made by.

    values: the same derivative of f with its fences held fixed.
    """

    program: Function
    values: Function
    modes: tuple[str, ...]


class _Slopes(NamedTuple):
    """Along one direction: the forward derivative, and difference quotients of two step sizes."""

    push: Array
    quotient: Quotient
    finer: Quotient

    def described(self, entry: int, step: float) -> str:
        """Both derivatives of one result entry, for a message."""
        quotient = self.quotient
        numbers = (self.push, quotient.value, quotient.left, quotient.right)
        push, slope, left, right = (f"{float(v[entry]) / step:.9g}" for v in numbers)
        return (
            f"derivative {push}, but the difference quotient of its values is {slope} ({left} from "
            f"the left, {right} from the right)"
        )

    @property
    def sides(self) -> Array:
        """The two one-sided quotients."""
        return np.stack([self.quotient.left, self.quotient.right])

    @property
    def closer(self) -> Array:
        """The same at half the step."""
        return np.stack([self.finer.left, self.finer.right])


def check_derivative(
    f: Callable[..., Any],  # Any: a program of any signature
    *args: Any,
    order: int = 1,
    seed: int = 0,
    rtol: float | None = None,
) -> None:
    """f's derivatives up to an order agree with differences of its values, in every mode order.

    f: a program of arrays, or of trees of them; the derivative is taken in all real numbers in
    args, which are moved one coordinate at a time, in float64, whatever their dtype; integers and
    bools stay fixed. At a kink any value between the one-sided derivatives is right; what is
    behind `detach` and `no_grad` is held fixed.
    rtol: how far derivative and difference may differ, relative to values and derivatives; by
    default what the precision of the result allows. The error of the difference itself, estimated
    from two step sizes, is allowed for on top.

    Raises AdjointError with both numbers and the coordinate; DomainError where f is not finite at
    the arguments or to either side; ArgumentError for order < 1 or without real numbers.
    """
    if order < 1:
        raise ArgumentError(f"check_derivative: order is {order}; the first derivative is order 1")
    program, given = reals("check_derivative", f, args)
    points = [x.astype(np.float64) for x in given]
    rng = np.random.default_rng(seed)
    with Under(EAGER):
        levels = [_Level(program, frozen(program, points), ())]
        for _ in range(order):
            for level in levels:
                _check(level, points, rng, rtol)
            levels = [up for level in levels for up in _next(level, points, rng)]


def _next(level: _Level, points: Sequence[Array], rng: np.random.Generator) -> list[_Level]:
    """The derivative of a program by either mode, along random directions."""
    vs = [rng.uniform(-1, 1, x.shape) for x in points]
    weights = [rng.uniform(-1, 1, r.shape).astype(r.dtype) for r in level.program(*points)]

    def forward(f: Function) -> Function:
        return lambda *xs: tuple(jvp(f, xs, tuple(map(from_array, vs)))[1])

    def reverse(f: Function) -> Function:
        return lambda *xs: tuple(vjp(f, *xs)[1](tuple(map(from_array, weights))))

    return [
        _Level(forward(level.program), forward(level.values), (*level.modes, "forward")),
        _Level(reverse(level.program), reverse(level.values), (*level.modes, "reverse")),
    ]


def _check(
    level: _Level, points: Sequence[Array], rng: np.random.Generator, rtol: float | None
) -> None:
    """One more derivative of a program: forward against differences, reverse against forward."""
    eps = max(float(np.finfo(r.dtype).eps) for r in level.program(*points))
    step = eps ** (1 / 3)
    tolerance = 100 * step**2 if rtol is None else rtol
    name = " over ".join(reversed((*level.modes, "forward")))

    def values(xs: list[Array]) -> Array:
        return _joined(level.values(*xs))

    def slopes(directions: list[Array]) -> _Slopes:
        along = [scaled(d, x) for d, x in zip(directions, points, strict=True)]
        quotient = central(values, points, along, step)
        finer = central(values, points, along, step / 2)
        tangents = tuple(map(from_array, quotient.directions))
        return _Slopes(_joined(jvp(level.program, tuple(points), tangents)[1]), quotient, finer)

    _refuse_singular(slopes([rng.uniform(0.5, 1, x.shape) for x in points]))
    for leaf, entry in _coordinates(points, rng):
        direction = [np.zeros_like(x) for x in points]
        direction[leaf].flat[entry] = 1.0
        found = slopes(direction)
        wrong = _disagreement(found, tolerance)
        if wrong is not None:
            place = list(map(int, np.unravel_index(entry, points[leaf].shape)))
            step_taken = float(found.quotient.directions[leaf].flat[entry])
            raise AdjointError(
                f"check_derivative: order {len(level.modes) + 1} ({name}): in argument leaf "
                f"{leaf}, entry {place}, f's result entry {wrong} has "
                f"{found.described(wrong, step_taken)}"
            )
    adjoint("check_derivative", level.program, points, rng, 1, None)


def _joined(results: Sequence[Any]) -> Array:
    """All entries of several results in one float64 vector."""
    return np.concatenate([np.asarray(r, np.float64).ravel() for r in results])


def _coordinates(points: Sequence[Array], rng: np.random.Generator) -> list[tuple[int, int]]:
    every = [(leaf, entry) for leaf, x in enumerate(points) for entry in range(x.size)]
    if len(every) <= COORDINATES:
        return every
    return [every[i] for i in rng.choice(len(every), COORDINATES, replace=False)]


def _refuse_singular(found: _Slopes) -> None:
    """Where f or its derivative is not finite there is nothing to compare."""
    known = np.isfinite(found.sides)
    # Infinite as at the root of 0: a one-sided quotient goes on growing as the step shrinks.
    grows = known & (np.abs(found.closer) > 1.2 * np.abs(found.sides))
    if not known.any(axis=0).all() or np.any(np.isinf(found.push) & grows.any(axis=0)):
        raise DomainError(
            "check_derivative: f or its derivative is not finite at the arguments; move them into "
            "its domain"
        )


def _disagreement(found: _Slopes, tolerance: float) -> int | None:
    """The first entry where the derivative is not what the values say; None if there is none."""
    push, quotient = found.push, found.quotient
    scale = tolerance * (1 + quotient.size + largest(push[np.isfinite(push)]))
    known = np.isfinite(found.sides)
    error = np.abs(quotient.value - found.finer.value)
    near = np.abs(push - quotient.value) <= scale + 4 * error
    # At a kink, or at the edge of the domain: between the one-sided quotients, of those known.
    drift = np.where(known, np.abs(found.sides - found.closer), 0.0).max(axis=0)
    low = np.where(known, found.sides, np.inf).min(axis=0) - scale - 4 * drift
    high = np.where(known, found.sides, -np.inf).max(axis=0) + scale + 4 * drift
    good = near | ((low <= push) & (push <= high))
    return None if good.all() else int(np.flatnonzero(~good)[0])
