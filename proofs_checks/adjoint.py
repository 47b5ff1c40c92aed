"""check_adjoint: a program's forward and reverse derivatives are adjoint."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from taglessad.convert import from_array
from taglessad.errors import AdjointError
from taglessad.interpreters.eager import EAGER
from taglessad.levels import Under
from taglessad.proofs_checks.cases import Array
from taglessad.proofs_checks.inputs import Handles, reals
from taglessad.transforms.products import jvp, vjp


def check_adjoint(
    f: Callable[..., Any],  # Any: a program of any signature
    *args: Any,
    trials: int = 3,
    seed: int = 0,
    rtol: float | None = None,
) -> None:
    """<jvp(x, dx), d> == <dx, vjp(x, d)> for random dx and d, at the given arguments.

    f: a program of arrays, or of trees of them; its derivative is taken in all real numbers in
    args, of any shapes and dtypes, while integers and bools stay fixed.
    rtol: how far the two products may differ, relative to the sum of their absolute terms; by
    default the square root of the coarsest precision among arguments and results.

    Raises AdjointError with both products; ArgumentError where there is no real number.
    """
    program, points = reals("check_adjoint", f, args)
    with Under(EAGER):
        adjoint("check_adjoint", program, points, np.random.default_rng(seed), trials, rtol)


def adjoint(
    what: str,
    program: Callable[..., Handles],
    points: Sequence[Array],
    rng: np.random.Generator,
    trials: int,
    rtol: float | None,
) -> None:
    """check_adjoint for a function of real arrays, under whatever is under way."""
    y, pullback = vjp(program, *points)
    dtypes = [x.dtype for x in points] + [r.dtype for r in y]
    tolerance = max(float(np.finfo(t).eps) for t in dtypes) ** 0.5 if rtol is None else rtol
    for _ in range(trials):
        dx = [_direction(rng, x.shape, x.dtype) for x in points]
        d = [_direction(rng, r.shape, r.dtype) for r in y]
        pushed = jvp(program, tuple(points), tuple(map(from_array, dx)))[1]
        pulled = pullback(tuple(map(from_array, d)))
        forward, scale = _inner(map(np.asarray, pushed), d)
        backward, other = _inner(map(np.asarray, pulled), dx)
        if not abs(forward - backward) <= tolerance * (scale + other):
            nature = "not finite" if not np.isfinite(scale + other) else "not adjoint"
            raise AdjointError(
                f"{what}: forward and reverse derivative are {nature}: <jvp(x, dx), d> = "
                f"{forward!r}, <dx, vjp(x, d)> = {backward!r}. A primitive or a custom rule in f "
                "has a push and a pull that are not each other's transpose; check f's parts one "
                "by one"
            )


def _direction(rng: np.random.Generator, shape: Any, dtype: Any) -> Array:
    return np.asarray(rng.uniform(-1, 1, shape)).astype(dtype)


def _inner(a: Any, b: Sequence[Array]) -> tuple[float, float]:
    """The sum of products, and of their absolute values, in float64."""
    products = [
        np.asarray(x, np.float64) * np.asarray(y, np.float64) for x, y in zip(a, b, strict=True)
    ]
    return float(sum(p.sum() for p in products)), float(sum(np.abs(p).sum() for p in products))
