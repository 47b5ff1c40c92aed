"""Taylor mode: taylor, hessian_diagonal, laplacian."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import factorial
from typing import Any

import numpy as np

from taglessad.dispatch import cast
from taglessad.errors import ArgumentError
from taglessad.interpreters.batch import Batch, Batched
from taglessad.interpreters.taylor import Series, Taylor, power_series
from taglessad.kernels.quiet import Quiet
from taglessad.levels import join
from taglessad.ops import Ops
from taglessad.shapes import size
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import Chosen, Function, choose
from taglessad.transforms.engine import (
    one_result,
    refuse_integers,
    run_under,
    scalar_result,
    tangents_of,
)
from taglessad.transforms.jacobian import known_sizes
from taglessad.transforms.naming import check_function, named_after
from taglessad.trees import unflatten

# Any: payloads of whichever interpreters meet here.


def taylor(f: Function, order: int) -> Function:
    """(x, v) -> [f, f', ..., f^(order)]: derivatives along x + t v at t = 0.

    f: a function of one argument, x and v trees of its structure. Each entry has the structure of
    f's result. (x, v, a, ...): along any path, given by its derivatives at t = 0, those left out
    being 0: x + t v + t**2 a / 2 + ..., which is what others call a jet. One pass of truncated power series: the cost is quadratic in `order` (cubic where a
    special function's derivatives are further ones), through loops and branches too.
    Raises ArgumentError for a negative order and for more derivatives of a path than that, ShapeError
    or DTypeError where one does not fit x.
    """
    check_function("taylor", f)
    if (
        isinstance(order, bool)
        or not isinstance(order, int)  # pyright: ignore[reportUnnecessaryIsInstance]  # users' values
        or order < 0
    ):
        raise ArgumentError(f"taylor: order is an integer from 0 on, not {order!r}")

    def derivatives(x: Any, v: Any, *higher: Any) -> list[Any]:
        if len(higher) >= max(order, 1):
            raise ArgumentError(
                f"taylor: {len(higher) + 1} derivatives of a path are given, but order is {order}"
            )
        chosen = choose("taylor", f, (x,), {}, 0, None)
        path = [tangents_of("taylor", chosen, d) for d in (v, *higher)]
        base = join(h.ops for h in (*chosen.leaves, *(d for ds in path for d in ds)))
        series = [
            [base.lift(h.ops, h.payload) for h in (x, *ds)]
            for x, *ds in zip(chosen.leaves, *path, strict=True)
        ]
        for coefficients in series:
            for k in range(2, len(coefficients)):
                c = coefficients[k]
                coefficients[k] = base.mul(c, base.scalar(Fraction(1, factorial(k)), c))
        found, weak, treedef = _along("taylor", base, order, chosen, series)
        return [
            unflatten(
                treedef,
                [
                    handle(base, ys[k], base.dtype(ys[k]), w)
                    for ys, w in zip(found, weak, strict=True)
                ],
            )
            for k in range(order + 1)
        ]

    return named_after(derivatives, "taylor", f, same_arguments=False)


def _along(
    what: str,
    base: Ops[Any],
    order: int,
    chosen: Chosen,
    series: Sequence[Sequence[Any]],
) -> tuple[list[list[Any]], list[bool], Any]:
    """Derivatives of each result along a path, given by its coefficients (point, direction, ...),
    as payloads of the base."""
    ops: Taylor[Any] = Taylor(base, order)
    try:
        result = run_under(what, ops, chosen, [power_series(path) for path in series], False)
        found: list[list[Any]] = []
        with Quiet():
            for y in result.payloads:
                refuse_integers(what, ops.dtype(y))
                found.append([_derivative(ops, y, k) for k in range(order + 1)])
    finally:
        ops.close()
    return found, result.weak, result.treedef


def _derivative(ops: Taylor[Any], y: Series[Any], k: int) -> Any:
    c = ops.coefficient(y, k)
    return c if k < 2 else ops.base.mul(c, ops.base.scalar(factorial(k), c))


def hessian_diagonal(f: Function) -> Function:
    """The diagonal of the Hessian of a function with one real result, structured like its argument.

    One pass of second-order series along all coordinate directions at once; the Hessian itself is
    not made. Derivatives in the first argument; errors as `hessian`'s.
    """

    def diagonal(*args: Any, **kwargs: Any) -> Any:
        chosen, base, seconds = _second_along_axes("hessian_diagonal", f, args, kwargs)
        parts: list[AnyTensor] = []
        start = 0
        for x in chosen.leaves:
            shape = known_sizes("hessian_diagonal", x.shape)
            n = size(shape)
            part = base.reshape(base.slice(seconds, (start,), (start + n,), (1,)), shape)
            parts.append(handle(base, cast(base, part, base.dtype(part), x.dtype), x.dtype, x.weak))
            start += n
        return chosen.restore(parts)

    return named_after(diagonal, "hessian_diagonal", f)


def laplacian(f: Function) -> Function:
    """The trace of the Hessian of a function with one real result: the sum of its second
    derivatives. Derivatives in the first argument; errors as `hessian`'s.
    """

    def trace(*args: Any, **kwargs: Any) -> Any:
        _, base, seconds = _second_along_axes("laplacian", f, args, kwargs)
        return handle(base, base.sum(seconds, (0,)), base.dtype(seconds))

    return named_after(trace, "laplacian", f)


def _second_along_axes(
    what: str, f: Function, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Chosen, Ops[Any], Any]:
    """All second derivatives along coordinate directions, in one axis."""
    chosen = choose(what, f, args, kwargs, 0, None)
    base = join(x.ops for x in (*chosen.leaves, *chosen.others))
    shapes = [known_sizes(what, x.shape) for x in chosen.leaves]
    total = sum(map(size, shapes))
    batch: Batch[Any] = Batch(base, total)
    series: list[tuple[Any, Any]] = []
    start = 0
    for x, shape in zip(chosen.leaves, shapes, strict=True):
        n = size(shape)
        rows = np.zeros((total, n), x.dtype)
        rows[start : start + n] = np.eye(n, dtype=x.dtype)
        direction = base.const(rows.reshape(total, *shape))
        series.append((Batched(base.lift(x.ops, x.payload), False), Batched(direction, True)))
        start += n
    try:
        found, _, treedef = _along(what, batch, 2, chosen, series)
        one_result(what, treedef)
        scalar_result(what, batch.aval(found[0][0]))
        return chosen, base, batch.full(found[0][2])
    finally:
        batch.close()
