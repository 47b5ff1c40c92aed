"""Generated code writes into registers that nothing else sees, and into no others."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import taglessad as tad
from taglessad.compiled.analysis import owned, slopes
from taglessad.kernels.elementwise import sech_squared, tanh_slope
from taglessad.trees import leaves

X = np.linspace(0.2, 1.4, 6).reshape(2, 3)

# Each makes an intermediate array, something else that sees it, and then operations that would
# like to write into it.
PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "a chain": lambda x: tad.exp(tad.sin(x * 2.0) + 1.0) * 0.5 - x,
    "used twice": lambda x: (lambda y: (y + 1.0) * (y * y - 2.0) + y)(tad.sin(x)),
    "both operands": lambda x: (lambda y: y * y)(tad.sin(x)),
    "a result as well": lambda x: (lambda y: (y, y + 1.0, (y + 1.0) * 2.0))(tad.sin(x)),
    "a view in another shape": lambda x: (lambda y: (tad.reshape(y, (3, 2)), tad.exp(y) * 2.0))(
        tad.sin(x)
    ),
    "a view used late": lambda x: (lambda y, v: tad.reshape(tad.exp(y) * 2.0 + 1.0, (3, 2)) + v)(
        *(lambda y: (y, tad.reshape(y, (3, 2))))(tad.sin(x))
    ),
    "its transpose": lambda x: (lambda y: (y.T, y + 1.0))(tad.sin(x)),
    "a slice": lambda x: (lambda y: y[:, 1:] + (y * 2.0)[:, :2] + tad.exp(y)[:, 1:])(tad.sin(x)),
    "flipped": lambda x: (lambda y: tad.flip(y) + (y + 1.0) * 2.0)(tad.sin(x)),
    "its diagonal": lambda x: (lambda y: tad.linalg.diagonal(y) + (y + 1.0)[0, :2])(tad.sin(x)),
    "spread over a large array": lambda x: (
        lambda y: tad.sum(tad.broadcast_to(y, (1000, 2, 3)) * 2.0, axis=0) + (y + 1.0) * 2.0
    )(tad.sin(x)),
    "detached": lambda x: (lambda y: tad.detach(y) * 2.0 + (y + 1.0) * tad.detach(y))(tad.sin(x)),
    "smaller than the result": lambda x: tad.sin(x)[0] * 2.0 + tad.cos(x) * tad.sin(x[1]),
    "another dtype": lambda x: tad.where(tad.sin(x) * 2.0 > 1.0, tad.cos(x) + 1.0, x),
    "rank 0 among arrays": lambda x: (lambda s: x * s + s * s)(tad.sum(tad.sin(x))),
    "summed over no axis": lambda x: (lambda y: tad.sum(y, axis=()) * (y + 1.0))(tad.sin(x)),
    "a product": lambda x: (lambda y: (y @ y.T) * 2.0 + tad.sum(y + 1.0))(tad.sin(x)),
    "stacked": lambda x: (lambda y: tad.stack([y, y + 1.0, tad.exp(y) * 2.0]))(tad.sin(x)),
    "sorted": lambda x: (lambda y: tad.sort(y) + (y + 1.0) * 2.0)(tad.sin(x)),
    "updated": lambda x: (lambda y: y.at[0].add(1.0) + (y + 1.0) * y)(tad.sin(x)),
    "its gradient": tad.grad(lambda x: tad.sum(tad.exp(tad.sin(x) * x) / (1.0 + x * x))),
    "its gradient, views": tad.grad(
        lambda x: tad.sum(tad.exp(tad.reshape(tad.sin(x), (3, 2))) * tad.cos(x.T))
    ),
    "a loop": lambda x: tad.fori_loop(
        0, 3, lambda _, y: (lambda z: (z + 1.0) * tad.cos(z) - y)(tad.sin(y)), x
    ),
    "a loop's gradient": tad.grad(
        lambda x: tad.sum(tad.fori_loop(0, 3, lambda _, y: tad.sin(y) * y + tad.cos(y), x))
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_replay_gives_what_the_program_gives_and_changes_nothing(name: str) -> None:
    f = PROGRAMS[name]
    x = tad.asarray(X)
    expected = [np.array(y) for y in leaves(f(x))]
    j = tad.jit(f)
    first = leaves(j(x))
    kept = [np.array(y) for y in first]
    for got in (kept, [np.array(y) for y in leaves(j(x))]):
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-15, atol=1e-15)
    # Neither the argument nor what was given out before has changed.
    np.testing.assert_array_equal(x, X)
    for a, b in zip(first, kept, strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_may_be_written_into() -> None:
    def program(x: Any) -> Any:
        a = tad.sin(x)
        b = tad.cos(a)
        c = tad.exp(x)
        return b + 1.0, tad.reshape(c, (6,)), tad.sum(x)

    graph = tad.trace(program)(X)
    names = {result: prim.name for prim, _, _, result in graph.steps()}
    # The first result is given out, and c has a view; a rank-0 sum is no array.
    assert {names[ref] for ref in owned(graph, slopes(graph))} == {"sin", "cos"}


def test_the_slope_of_tanh_is_made_of_tanh_where_that_pays() -> None:
    def uses(n: int, dtype: Any) -> bool:
        graph = tad.trace(tad.value_and_grad(lambda x: tad.sum(tad.tanh(x))))(np.ones(n, dtype))
        return bool(slopes(graph))

    assert uses(3, np.float32) and uses(3, np.float16) and uses(300, np.float64)
    assert not uses(3, np.float64)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("most", [1.0, 1.5, 8.0])
def test_the_slope_of_tanh_to_few_digits(dtype: Any, most: float) -> None:
    x = np.linspace(-most, most, 301).astype(dtype)
    got = np.asarray(tad.jit(tad.grad(lambda x: tad.sum(tad.tanh(x) * x)))(x), np.float64)
    slope = tanh_slope(x, np.tanh(x))
    true = np.array([float(mpmath.sech(float(v)) ** 2) for v in x])
    ulp = np.spacing(true.astype(dtype)).astype(np.float64)
    assert np.max(np.abs(slope.astype(np.float64) - true) / ulp) <= 6.0
    whole = np.tanh(x.astype(np.float64)) + true * x.astype(np.float64)
    np.testing.assert_allclose(got, whole, rtol=8 * float(np.finfo(dtype).eps), atol=1e-7)


def test_the_slope_of_tanh_in_the_tails_and_at_nan() -> None:
    x = np.array([0.5, -30.0, 44.0, np.nan, np.inf], np.float32)
    np.testing.assert_array_equal(tanh_slope(x, np.tanh(x)), sech_squared(x))
    empty = np.zeros((0, 3), np.float32)
    assert tanh_slope(empty, empty).shape == (0, 3)
