"""check_derivative: a program's derivatives are those of its values."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from taglessad.convert import from_array
from taglessad.errors import AdjointError, ArgumentError, DomainError
from taglessad.levels import Under
from taglessad.proofs_checks.adjoint import adjoint
from taglessad.proofs_checks.cases import Array
from taglessad.proofs_checks.differences import Quotient, central, largest, scaled
from taglessad.proofs_checks.frozen import Frozen
from taglessad.proofs_checks.inputs import Handles, reals
from taglessad.transforms.products import jvp, vjp

COORDINATES: Final = 64
"""Coordinates moved one at a time; of more than these a random choice."""

Function: TypeAlias = Callable[..., Handles]


class _Level(NamedTuple):
    """A derivative of f that is itself to be checked, and the modes it was made by."""

    program: Function
    modes: tuple[str, ...]


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
    frozen = Frozen()
    with Under(frozen):
        levels = [_Level(program, ())]
        for _ in range(order):
            for level in levels:
                _check(frozen, level, points, rng, rtol)
            levels = [up for level in levels for up in _next(level, points, rng)]


def _next(level: _Level, points: Sequence[Array], rng: np.random.Generator) -> list[_Level]:
    """The derivative of a program by either mode, along random directions."""
    vs = [rng.uniform(-1, 1, x.shape) for x in points]
    outputs = level.program(*points)
    weights = [rng.uniform(-1, 1, r.shape).astype(r.dtype) for r in outputs]

    def forward(*xs: Any) -> Handles:
        return tuple(jvp(level.program, tuple(xs), tuple(map(from_array, vs)))[1])

    def reverse(*xs: Any) -> Handles:
        return tuple(vjp(level.program, *xs)[1](tuple(map(from_array, weights))))

    return [
        _Level(forward, (*level.modes, "forward")),
        _Level(reverse, (*level.modes, "reverse")),
    ]


def _check(
    frozen: Frozen,
    level: _Level,
    points: Sequence[Array],
    rng: np.random.Generator,
    rtol: float | None,
) -> None:
    """One more derivative of a program: forward against differences, reverse against forward."""
    frozen.thaw()
    outputs = level.program(*points)
    eps = max(float(np.finfo(r.dtype).eps) for r in outputs)
    step = eps ** (1 / 3)
    tolerance = 100 * step**2 if rtol is None else rtol
    name = " over ".join(reversed(("forward", *level.modes)))

    def values(xs: list[Array]) -> Array:
        frozen.repeat()
        return _joined(level.program(*xs))

    for leaf, entry in _coordinates(points, rng):
        direction = [np.zeros_like(x) for x in points]
        direction[leaf].flat[entry] = 1.0
        direction = [scaled(d, x) for d, x in zip(direction, points, strict=True)]
        quotient = central(values, points, direction, step)
        finer = central(values, points, direction, step / 2)
        frozen.repeat()
        tangents = tuple(map(from_array, quotient.directions))
        push = _joined(jvp(level.program, tuple(points), tangents)[1])
        wrong = _disagreement(push, quotient, finer, tolerance)
        if wrong is not None:
            at = np.unravel_index(entry, points[leaf].shape)
            scale = float(quotient.directions[leaf].flat[entry])
            got, slope, left, right = (
                float(v[wrong]) / scale
                for v in (push, quotient.value, quotient.left, quotient.right)
            )
            raise AdjointError(
                f"check_derivative: order {len(level.modes) + 1} ({name}): in argument leaf "
                f"{leaf}, entry {list(map(int, at))}, f's result entry {wrong} has derivative "
                f"{got:.9g}, but the difference quotient of its values is {slope:.9g} "
                f"({left:.9g} from the left, {right:.9g} from the right)"
            )
    frozen.thaw()
    adjoint("check_derivative", level.program, points, rng, 1, None)


def _joined(results: Sequence[Any]) -> Array:
    """All entries of several results in one float64 vector."""
    return np.concatenate([np.asarray(r, np.float64).ravel() for r in results])


def _coordinates(points: Sequence[Array], rng: np.random.Generator) -> list[tuple[int, int]]:
    every = [(leaf, entry) for leaf, x in enumerate(points) for entry in range(x.size)]
    if len(every) <= COORDINATES:
        return every
    return [every[i] for i in rng.choice(len(every), COORDINATES, replace=False)]


def _disagreement(
    push: Array, quotient: Quotient, finer: Quotient, tolerance: float
) -> int | None:
    """The first entry where the derivative is not what the values say; None if there is none."""
    scale = tolerance * (1 + quotient.size + largest(push[np.isfinite(push)]))
    sides = np.stack([quotient.left, quotient.right])
    known = np.isfinite(sides)
    if not known.any(axis=0).all():
        raise DomainError(
            "check_derivative: f is not finite at the arguments, or to either side of them; "
            "move them into its domain"
        )
    error = np.abs(quotient.value - finer.value)
    near = np.abs(push - quotient.value) <= scale + 4 * error
    # At a kink, or at the edge of the domain: between the one-sided quotients, of those known.
    closer = np.stack([finer.left, finer.right])
    drift = np.where(known, np.abs(sides - closer), 0.0).max(axis=0)
    low = np.where(known, sides, np.inf).min(axis=0) - scale - 2 * drift
    high = np.where(known, sides, -np.inf).max(axis=0) + scale + 2 * drift
    # Infinite where a one-sided quotient goes on growing, as it does at the root of 0.
    grows = known & (np.abs(closer) > 1.2 * np.abs(sides)) & (np.sign(closer) == np.sign(push))
    good = near | ((low <= push) & (push <= high)) | (np.isinf(push) & grows.any(axis=0))
    return None if good.all() else int(np.flatnonzero(~good)[0])
