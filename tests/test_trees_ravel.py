"""A tree as one vector and back: the same numbers, dtypes and derivatives, under every interpreter."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import taglessad as tad
from taglessad import nn, trees
from taglessad.interpreters import Exact, Shape


class Point(NamedTuple):
    x: Any
    y: Any


W, B = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.array([0.5, -0.5])
TREE = {"w": W, "rest": [Point(B, None), 3.0]}
ENTRIES = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.5, -0.5, 3.0]


def shifted(w: Any, b: Any) -> Any:
    """Every entry squared, plus the one before it."""
    vector, unravel = trees.ravel({"w": w, "b": b})
    return unravel(vector * vector + tad.roll(vector, 1))


def by_hand(w: Any, b: Any) -> Any:
    v = np.concatenate([w.reshape(-1), b])
    v = v * v + np.roll(v, 1)
    return v[: w.size].reshape(w.shape), v[w.size :]


def test_entries_are_those_of_the_leaves_in_order() -> None:
    vector, unravel = trees.ravel(TREE)
    assert vector.tolist() == ENTRIES and vector.dtype == tad.float64
    again = unravel(vector)
    assert trees.structure(again) == trees.structure(TREE)
    for new, old in zip(trees.leaves(again), trees.leaves(TREE), strict=True):
        np.testing.assert_array_equal(new, old)
    moved = unravel(np.arange(9.0))
    assert moved["w"].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert moved["rest"][0].x.tolist() == [6.0, 7.0] and float(moved["rest"][1]) == 8.0


def test_a_leaf_alone_and_empty_arrays() -> None:
    vector, unravel = trees.ravel(W)
    assert vector.tolist() == W.reshape(-1).tolist() and unravel(vector).shape == (2, 3)
    vector, unravel = trees.ravel((np.zeros((0, 3)), 2.0))
    assert vector.tolist() == [2.0] and unravel(vector)[0].shape == (0, 3)
    vector, unravel = trees.ravel(np.zeros((0, 3)))
    assert vector.shape == (0,) and unravel(vector).shape == (0, 3)


dtypes = st.sampled_from([np.float32, np.float64, np.int32, np.int64, np.bool_])
arrays = st.tuples(st.lists(st.integers(0, 3), max_size=3), dtypes).map(
    lambda made: (np.arange(np.prod(made[0], dtype=int)).reshape(made[0]) % 2).astype(made[1])
)
nested = st.recursive(
    arrays, lambda t: st.lists(t, max_size=3) | st.dictionaries(st.sampled_from("abc"), t)
)


@given(nested)
def test_there_and_back(tree: Any) -> None:
    found = trees.leaves(tree)
    if not found:
        with pytest.raises(tad.ArgumentError, match="has no leaves"):
            trees.ravel(tree)
        return
    vector, unravel = trees.ravel(tree)
    assert vector.dtype == tad.result_type(*found)
    assert vector.shape == (sum(a.size for a in found),)
    again = unravel(vector)
    assert trees.structure(again) == trees.structure(tree)
    for new, old in zip(trees.leaves(again), found, strict=True):
        assert (new.dtype, new.shape) == (old.dtype, old.shape)
        np.testing.assert_array_equal(new, old)


def test_dtypes_meet_and_part_again() -> None:
    single = {"w": np.ones(2, np.float32), "scale": 2.0}  # a Python number gives way
    vector, unravel = trees.ravel(single)
    assert vector.dtype == tad.float32
    again = unravel(vector)
    assert again["w"].dtype == tad.float32 and (again["w"] * again["scale"]).dtype == tad.float32
    mixed, unravel = trees.ravel((np.ones(2, np.float32), np.array([3, 4])))
    assert mixed.dtype == tad.float32  # as integers with floats everywhere
    real, whole = unravel([1.5, 2.5, 3.7, -4.7])
    assert real.dtype == tad.float32 and real.tolist() == [1.5, 2.5]
    assert whole.dtype == tad.int64 and whole.tolist() == [3, -4]


def test_derivatives_pass_both_ways() -> None:
    def f(w: Any, b: Any) -> Any:
        parts = shifted(w, b)
        return tad.sum(parts["w"] ** 2) + tad.sum(tad.sin(parts["b"]))

    tad.checks.check_adjoint(shifted, W, B)
    for order in (1, 2):
        tad.checks.check_derivative(f, W, B, order=order)
    single = tad.grad(lambda t: tad.sum(trees.ravel(t)[0] ** 2))({"w": np.ones(2, np.float32)})
    assert single["w"].dtype == tad.float32 and single["w"].tolist() == [2.0, 2.0]
    inverse = tad.jacrev(lambda v: trees.ravel(trees.ravel(TREE)[1](v))[0])(np.arange(9.0))
    np.testing.assert_array_equal(inverse, np.eye(9))


def test_what_is_not_there_contributes_nothing() -> None:
    # The log of the entries below 0 is dropped behind the vector.
    def f(t: Any) -> Any:
        vector, unravel = trees.ravel({"a": t, "b": tad.log(t)})
        return tad.sum(tad.where(t > 0.0, unravel(vector)["b"], 0.0))

    assert tad.grad(f)(np.array([0.0, 2.0])).tolist() == [0.0, 0.5]


def test_under_every_interpreter() -> None:
    w, b = by_hand(W, B)
    compiled = tad.jit(shifted)(W, B)
    batch = tad.vmap(shifted)(np.stack([W, -W]), np.stack([B, -B]))
    exact = tad.interpret(shifted, Exact())([[Fraction(1, 3)]], [Fraction(1, 2)])
    for got in (shifted(W, B), compiled, {"w": batch["w"][0], "b": batch["b"][0]}):
        np.testing.assert_array_equal(got["w"], w)
        np.testing.assert_array_equal(got["b"], b)
    assert exact["w"] == [[Fraction(1, 9) + Fraction(1, 2)]]
    assert exact["b"] == [Fraction(1, 4) + Fraction(1, 3)]
    value, slope, bend = tad.taylor(lambda t: shifted(t * W, t * B)["b"], 2)(1.0, 1.0)
    np.testing.assert_allclose(value, b)
    np.testing.assert_allclose(slope, 2 * B**2 + np.array([6.0, B[0]]))
    np.testing.assert_allclose(bend, 2 * B**2)


def test_under_shape_with_symbols() -> None:
    n, k = tad.symbols("N K")
    shapes = tad.interpret(lambda w, b: (shifted(w, b), trees.ravel((w, b))[0]), Shape())
    assert shapes((n, k), (k,)) == ({"w": (n, k), "b": (k,)}, (n * k + k,))


def test_under_jax() -> None:
    pytest.importorskip("jax")
    from taglessad.interpreters import Jax

    w, b = by_hand(W, B)
    got = tad.jit(shifted, Jax())(W, B)
    np.testing.assert_allclose(got["w"], w, rtol=1e-15)
    np.testing.assert_allclose(got["b"], b, rtol=1e-15)


def test_a_model_is_a_tree() -> None:
    model = nn.Linear(2, 3, rng=0)
    vector, unravel = trees.ravel(model)
    assert vector.shape == (9,) and unravel(vector) == model


def test_errors_name_the_leaf() -> None:
    with pytest.raises(tad.ArgumentError, match=r"trees.ravel: the tree has no leaves"):
        trees.ravel({"a": None, "b": ()})
    with pytest.raises(tad.DTypeError, match=r"trees.ravel: the leaf at .a\[1\] is an object"):
        trees.ravel({"a": [1.0, object()]})
    _, unravel = trees.ravel(TREE)
    with pytest.raises(tad.ShapeError, match=r"unravel: .* shape \[8\], where the tree has \[9\]"):
        unravel(np.ones(8))
    with pytest.raises(tad.ShapeError, match=r"shape \[3, 3\]"):
        unravel(np.ones((3, 3)))
    with pytest.raises(tad.ArgumentError, match=r"unravel: the vector is a dict"):
        unravel(TREE)
