"""Indices that are not there, are none, or are too many, in reading and in updating."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import (
    ArgumentError,
    ConcretizationError,
    DTypeError,
    IndexOutOfRange,
    ShapeError,
)
from tests.misuse.misuse import Misuse, check, each, misuse

V = tad.asarray([1.0, 2.0, 3.0])
A = tad.ones((2, 3))

READING = {
    "out of range": misuse(lambda: V[5], IndexOutOfRange, "index 5", "axis 0", "[3]", "-3 to 2"),
    "out of range from the end": misuse(lambda: V[-4], IndexOutOfRange, "index -4", "[3]"),
    "out of range of the second axis": misuse(
        lambda: A[0, 5], IndexOutOfRange, "index 5", "axis 1", "[2, 3]"
    ),
    "list out of range": misuse(lambda: V[[0, 9]], IndexOutOfRange, "index 9", "[3]"),
    "handle out of range": misuse(lambda: V[tad.asarray(7)], IndexOutOfRange, "index 7", "[3]"),
    "out of range inside grad": misuse(
        lambda: tad.grad(lambda x: x[5])(V), IndexOutOfRange, "index 5", "[3]"
    ),
    "out of range inside jit": misuse(
        lambda: tad.jit(lambda x: x[5])(V), IndexOutOfRange, "index 5", "[3]"
    ),
    "out of range of a member": misuse(
        lambda: tad.vmap(lambda x: x[3])(A), IndexOutOfRange, "index 3", "[3]"
    ),
    "too many": misuse(lambda: V[0, 0], IndexOutOfRange, "2 indices", "1 axes", "[3]"),
    "of rank 0": misuse(lambda: tad.asarray(1.0)[0], IndexOutOfRange, "1 indices", "[]"),
    "float": misuse(lambda: V[1.0], DTypeError, "float64", "integers"),
    "real handle": misuse(lambda: V[V], DTypeError, "float64", "integers"),
    "array of floats": misuse(lambda: V[np.array([0.5])], DTypeError, "float64", "integers"),
    "text": misuse(lambda: V["a"], ArgumentError, "index", "a str"),
    "set": misuse(lambda: V[{1}], ArgumentError, "index", "a set"),
    "two ellipses": misuse(lambda: V[..., ...], ArgumentError, "index", "one '...'"),
    "step of 0": misuse(lambda: V[::0], ArgumentError, "index", "step", "0"),
    "float bound": misuse(lambda: V[1.5:], ArgumentError, "index", "slice bound", "1.5"),
    "text bound": misuse(lambda: V["a":], ArgumentError, "index", "slice bound", "'a'"),
    "bound that is not known": misuse(
        lambda: tad.fori_loop(0, 2, lambda i, y: y + tad.sum(V[i:i+2]), 0.0),
        ConcretizationError, "index: a slice bound", "Record", "fix the shape",
        "x[i + np.arange(2)]", "tad.take",
    ),
    "bound of a second axis": misuse(
        lambda: tad.vmap(lambda i: A[:, i:])(np.arange(2)),
        ConcretizationError, "index: a slice bound", "Batch", "x[i + np.arange(2)]",
    ),
    "real bound": misuse(
        lambda: tad.grad(lambda x: V[x:])(1.0), DTypeError, "slice bound", "float64", "integers"
    ),
    "mask of another shape": misuse(
        lambda: V[np.array([True, False])], ShapeError, "index: a mask of shape [2]", "[3]"
    ),
    "lists of two lengths": misuse(
        lambda: A[[0, 1], [0, 1, 2]], ShapeError, "index: shapes [2] and [3]", "2 != 3"
    ),
    "take": misuse(lambda: tad.take(V, [0, 3]), IndexOutOfRange, "take: index 3", "[3]", "-3 to 2"),
    "take from the end": misuse(lambda: tad.take(V, [-4]), IndexOutOfRange, "take: index -4"),
    "take of floats": misuse(lambda: tad.take(V, [0.5]), DTypeError, "take: indices", "float64"),
    "take of bools": misuse(lambda: tad.take(V, [True]), DTypeError, "take: indices", "bool"),
    "take without an axis": misuse(
        lambda: tad.take(A, [0]), ArgumentError, "take: x has shape [2, 3]", "axis"
    ),
    "take_along_axis": misuse(
        lambda: tad.take_along_axis(A, [[5]], axis=1), IndexOutOfRange, "take_along_axis: index 5"
    ),
    "take_along_axis of another rank": misuse(
        lambda: tad.take_along_axis(A, [0]), ShapeError, "take_along_axis: x", "[2, 3]", "[1]"
    ),
}  # fmt: skip
UPDATING = {
    "out of range": misuse(lambda: V.at[5].set(1.0), IndexOutOfRange, "index 5", "[3]", "-3 to 2"),
    "list out of range": misuse(lambda: V.at[[0, 7]].add(1.0), IndexOutOfRange, "index 7", "[3]"),
    "float": misuse(lambda: V.at[0.5].set(1.0), DTypeError, "float64", "integers"),
    "too many": misuse(lambda: V.at[0, 0].set(1.0), IndexOutOfRange, "2 indices", "[3]"),
    "bound that is not known": misuse(
        lambda: tad.jit(lambda i: V.at[i:i+2].set(0.0))(1),
        ConcretizationError, "index: a slice bound", "x[i + np.arange(2)]",
    ),
    "values of another shape": misuse(
        lambda: V.at[0:2].set(np.ones(3)), ShapeError, "at.set: shape [3]", "[2]", "3 != 2"
    ),
    "values of another rank": misuse(
        lambda: V.at[0].set([1.0, 2.0]), ShapeError, "at.set: shape [2]", "[]"
    ),
    "factors of another shape": misuse(
        lambda: V.at[[0, 1]].multiply(np.ones(3)), ShapeError, "at.multiply: shape [3]", "[2]"
    ),
    "real values into integers": misuse(
        lambda: tad.asarray([1, 2]).at[0].set(1.5),
        DTypeError, "at.set", "float64", "int64", "astype",
    ),
    "text": misuse(lambda: V.at[0].set("a"), ArgumentError, "at.set: values", "a str"),
    "complex": misuse(lambda: V.at[0].set(1j), DTypeError, "at.set: values", "complex"),
    "unknown mode": misuse(
        lambda: V.at[0].set(1.0, mode="zoom"), ArgumentError, "at.set: mode 'zoom'", "'clip'"
    ),
    "unknown mode of get": misuse(
        lambda: V.at[0].get(mode="zoom"), ArgumentError, "at.get: mode 'zoom'", "'fill'"
    ),
    "assignment": misuse(
        lambda: V.__setitem__(0, 1.0), ArgumentError, "immutable", "x.at[index].set(value)",
        ".at[index].add(value) for +=",
    ),
    "deletion": misuse(lambda: V.__delitem__(0), ArgumentError, "immutable", "deleted"),
}  # fmt: skip


@each(
    {f"reading: {k}": v for k, v in READING.items()}
    | {f"updating: {k}": v for k, v in UPDATING.items()}
)
def test_misuse(row: Misuse) -> None:
    check(row)


def assign(x: Any) -> Any:
    x[0] = 5.0
    return tad.sum(x)


def test_the_statement_points_to_at() -> None:
    for run in (lambda: assign(V), lambda: tad.grad(assign)(V), lambda: tad.jit(assign)(V)):
        with pytest.raises(tad.ArgumentError, match=r"x\.at\[index\]\.set\(value\)") as caught:
            run()
        assert "x[0] = 5.0" in str(caught.value)


def test_augmented_assignment_rebinds() -> None:
    x = y = tad.asarray([1.0, 2.0])
    x += 1.0
    x *= 3.0
    np.testing.assert_array_equal(y, [1.0, 2.0])
    np.testing.assert_array_equal(x, [6.0, 9.0])

    def f(t: Any) -> Any:
        s = t
        s *= t
        s += t
        return s

    assert float(tad.grad(f)(3.0)) == 7.0  # of t * t + t


def test_augmented_assignment_into_numpys_array_is_refused() -> None:
    # `a += t` asks NumPy to write into `a`, which would lose the derivative.
    def f(t: Any) -> Any:
        a = np.zeros(2)
        a += t
        return tad.sum(a)

    with pytest.raises(tad.ArgumentError, match=r"np\.add with out.*tad\.add") as caught:
        tad.grad(f)(np.ones(2))
    assert "a += t" in str(caught.value)
