"""Checks that many tests share."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.compiled.jit import jit

Program = Callable[..., Any]
STEP = 2.0**-17


def _inner(a: Any, b: Any) -> float:
    return float(np.sum(np.asarray(a) * np.asarray(b)))


def _weighted(f: Program, w: np.ndarray) -> Program:
    return lambda *xs: tad.sum(tad.multiply(f(*map(tad.asarray, xs)), w))


def check_program(f: Program, *args: np.ndarray, order: int = 2) -> None:
    """Hold a program of float64 arrays, smooth around `args`, to its own values.

    Gradient against central differences of values; forward against reverse mode; vmap of value
    and gradient against a loop, mapped over all arguments and over each one; jit against the
    plain call; with order 2, a Hessian-vector product against differences of the gradient.
    """
    rng = np.random.default_rng(len(args))
    y = np.asarray(f(*map(tad.asarray, args)))
    w = rng.standard_normal(y.shape)
    value = _weighted(f, w)
    gradient = tad.grad(value, argnums=tuple(range(len(args))))
    grads = [np.asarray(g) for g in gradient(*args)]
    directions = [rng.standard_normal(x.shape) for x in args]
    ahead = [x + STEP * v for x, v in zip(args, directions, strict=True)]
    behind = [x - STEP * v for x, v in zip(args, directions, strict=True)]
    slope = sum(_inner(g, v) for g, v in zip(grads, directions, strict=True))
    found = (float(value(*ahead)) - float(value(*behind))) / (2 * STEP)
    assert slope == pytest.approx(found, rel=1e-6, abs=1e-6)

    _, tangent = tad.jvp(f, tuple(args), tuple(directions))
    assert _inner(tangent, w) == pytest.approx(slope, rel=1e-9, abs=1e-9)

    np.testing.assert_allclose(np.asarray(jit(f)(*args)), y, rtol=1e-13, atol=1e-13)
    compiled = jit(gradient)(*args)
    for got, want in zip(compiled, grads, strict=True):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12, atol=1e-12)

    shared = tuple(None for _ in args)
    for mapped in {
        (0,) * len(args),
        *((*shared[:i], 0, *shared[i + 1 :]) for i in range(len(args))),
    }:
        batches = [
            np.stack([x, x + 0.25 * STEP * v, x - 0.5 * STEP * v]) if axis == 0 else tad.asarray(x)
            for x, v, axis in zip(args, directions, mapped, strict=True)
        ]
        members = [
            [b[k] if axis == 0 else b for b, axis in zip(batches, mapped, strict=True)]
            for k in range(3)
        ]
        loop = np.stack([np.asarray(f(*map(tad.asarray, m))) for m in members])
        np.testing.assert_allclose(
            np.asarray(tad.vmap(f, in_axes=mapped)(*batches)), loop, rtol=1e-12, atol=1e-12
        )
        rows = [gradient(*m) for m in members]
        for i, g in enumerate(tad.vmap(gradient, in_axes=mapped)(*batches)):
            want = np.stack([np.asarray(row[i]) for row in rows])
            np.testing.assert_allclose(np.asarray(g), want, rtol=1e-12, atol=1e-12)

    if order > 1:
        turned = tad.jvp(gradient, tuple(args), tuple(directions))[1]
        plus, minus = gradient(*ahead), gradient(*behind)
        for got, a, b in zip(turned, plus, minus, strict=True):
            want = (np.asarray(a) - np.asarray(b)) / (2 * STEP)
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-6, atol=1e-6)


@pytest.fixture(name="check_program", scope="session")
def check_program_fixture() -> Callable[..., None]:
    """`check_program` for tests in every folder."""
    return check_program


def updated(x: np.ndarray, index: Any, name: str, values: Any) -> np.ndarray:
    """NumPy's update of a copy at an index, one value after the other where an index repeats."""
    y = x.copy()
    if name == "set":
        y[index] = values
    else:
        functions: dict[str, Any] = {"multiply": np.multiply, "min": np.minimum, "max": np.maximum}
        functions.get(name, np.add).at(y, index, values)
    return y


@pytest.fixture(name="updated", scope="session")
def updated_fixture() -> Callable[..., np.ndarray]:
    """`updated` for tests in every folder."""
    return updated
