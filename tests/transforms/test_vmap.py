"""vmap: which axes are mapped, where results put theirs, and meaning as a loop over members."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, IndexOutOfRange, ShapeError

RNG = np.random.default_rng(7)
A = RNG.normal(size=(3, 2, 4))


def loop(f: Any, *rows: Any) -> np.ndarray:
    """What vmap means: members one after the other, stacked."""
    return np.stack([np.asarray(f(*map(tad.asarray, row))) for row in zip(*rows, strict=True)])


# --- in_axes ------------------------------------------------------------------------------------
def row_sum(x: Any) -> Any:
    """Tells the axes of a (2, 4), (3, 4) or (3, 2) member apart."""
    return tad.sum(tad.exp(x), axis=0)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_one_axis(axis: int) -> None:
    expected = loop(row_sum, np.moveaxis(A, axis, 0))
    np.testing.assert_allclose(tad.vmap(row_sum, axis)(A), expected, rtol=1e-15)
    np.testing.assert_allclose(tad.vmap(row_sum, in_axes=(axis,))(A), expected, rtol=1e-15)
    np.testing.assert_allclose(tad.vmap(row_sum, in_axes=[axis])(A), expected, rtol=1e-15)


def test_none_shares_an_argument() -> None:
    x, w = RNG.normal(size=(5, 3)), RNG.normal(size=(3, 2))
    f = lambda x, w: tad.tanh(x @ w)
    expected = np.tanh(x @ w)
    np.testing.assert_allclose(tad.vmap(f, in_axes=(0, None))(x, w), expected, rtol=1e-14)
    np.testing.assert_allclose(tad.vmap(f, in_axes=(1, None))(x.T, w), expected, rtol=1e-14)
    batched = tad.vmap(lambda w, x: f(x, w), in_axes=(None, 0))(w, x)
    np.testing.assert_allclose(batched, expected, rtol=1e-14)


def test_a_shared_array_is_a_handle_inside() -> None:
    seen = []
    tad.vmap(lambda x, w, n, s: seen.append((w, n, s)) or x, in_axes=(0, None, None, None))(
        np.ones(2), np.ones(3), 2, "text"
    )
    ((w, n, s),) = seen
    assert isinstance(w, tad.Tensor) and n == 2 and s == "text"


def test_each_argument_its_own_axis() -> None:
    a, b = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 4))
    got = tad.vmap(lambda a, b: tad.sum(a * b), in_axes=(1, 0))(a, b)
    np.testing.assert_allclose(got, np.sum(a.T * b, axis=1), rtol=1e-14)


@dataclasses.dataclass(frozen=True)
class Linear:
    w: Any
    b: Any
    name: str = dataclasses.field(default="linear", metadata={"static": True})


class Point(NamedTuple):
    x: Any
    y: Any


def test_trees_with_one_axis_for_all_leaves() -> None:
    models = Linear(RNG.normal(size=(5, 2, 3)), RNG.normal(size=(5, 2)), "many")
    x = RNG.normal(size=3)
    out = tad.vmap(lambda m, x: (m.w @ x + m.b, m), in_axes=(0, None))(models, x)
    np.testing.assert_allclose(out[0], models.w @ x + models.b, rtol=1e-14)
    assert isinstance(out[1], Linear) and out[1].name == "many"
    np.testing.assert_array_equal(out[1].w, models.w)


@pytest.mark.parametrize(
    "axes",
    [
        {"p": (0, None), "q": 1},
        {"q": 1, "p": [0, None]},
        {"p": Point(0, None), "q": 1},
    ],
)
def test_trees_of_axes_over_the_upper_part(axes: Any) -> None:
    tree: dict[str, Any] = {"p": (np.arange(3.0), 2.0), "q": {"r": np.ones((2, 3))}}
    f = lambda t: t["p"][0] * t["p"][1] + tad.sum(t["q"]["r"])
    if isinstance(axes["p"], Point):
        tree["p"] = Point(*tree["p"])
    np.testing.assert_array_equal(tad.vmap(f, in_axes=(axes,))(tree), [2.0, 4.0, 6.0])


def test_a_dataclass_of_axes() -> None:
    model = Linear(RNG.normal(size=(5, 2)), 3.0)
    f = lambda m: tad.sum(m.w) * m.b
    for axes in (Linear(0, None), {"w": 0, "b": None}):
        got = tad.vmap(f, in_axes=(axes,))(model)
        np.testing.assert_allclose(got, model.w.sum(axis=1) * 3.0, rtol=1e-14)


def test_keyword_arguments_are_mapped_along_axis_0() -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    np.testing.assert_array_equal(tad.vmap(lambda x, y: x * y)(x, y=y), [3.0, 8.0])
    np.testing.assert_array_equal(tad.vmap(lambda x, y: x * y, in_axes=None)(2.0, y=y), [6.0, 8.0])


def test_none_is_the_empty_tree() -> None:
    got = tad.vmap(lambda x, extra: x if extra is None else extra)(np.ones(3), None)
    np.testing.assert_array_equal(got, np.ones(3))


# --- out_axes -----------------------------------------------------------------------------------
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_where_the_axis_goes(axis: int) -> None:
    got = tad.vmap(lambda x: 2.0 * x, out_axes=axis)(A)
    np.testing.assert_array_equal(got, np.moveaxis(2.0 * A, 0, axis))


def test_trees_of_out_axes() -> None:
    f = lambda x: {"a": x, "b": (tad.sum(x), x.T)}
    out = tad.vmap(f, out_axes={"a": 1, "b": (0, -1)})(A)
    np.testing.assert_array_equal(out["a"], np.moveaxis(A, 0, 1))
    np.testing.assert_allclose(out["b"][0], A.sum(axis=(1, 2)), rtol=1e-14)
    np.testing.assert_array_equal(out["b"][1], np.moveaxis(A, 0, -1).swapaxes(0, 1))
    out = tad.vmap(f, out_axes={"a": 1, "b": 0})(A)
    np.testing.assert_array_equal(out["b"][1], A.swapaxes(1, 2))


def test_a_result_that_all_members_share() -> None:
    f = lambda x, w: (x * w, w + 1.0, 3.0)
    w = np.array([1.0, 2.0])
    each, same, number = tad.vmap(f, in_axes=(0, None))(np.ones(3), w)
    assert (each.shape, same.shape, number.shape) == ((3, 2), (3, 2), (3,))
    each, same, number = tad.vmap(f, in_axes=(0, None), out_axes=(0, None, None))(np.ones(3), w)
    assert (each.shape, same.shape, number.shape) == ((3, 2), (2,), ())
    np.testing.assert_array_equal(same, [2.0, 3.0])
    with pytest.raises(ArgumentError, match="out_axes is None for a result that differs"):
        tad.vmap(f, in_axes=(0, None), out_axes=None)(np.ones(3), w)


# --- mistakes -----------------------------------------------------------------------------------
def test_sizes_that_differ_name_both() -> None:
    with pytest.raises(
        ShapeError, match=r"argument 0 has shape \[3\], 3 along axis 0; argument 1 .* \[2, 4\], 2"
    ):
        tad.vmap(lambda a, b: a)(np.ones(3), np.ones((2, 4)))
    with pytest.raises(ShapeError, match=r"argument 'b' at .k has shape \[4\]"):
        tad.vmap(lambda a, b: a)(np.ones(3), b={"k": np.ones(4)})


@pytest.mark.parametrize("axis", [1, -2])
def test_an_axis_that_is_not_there(axis: int) -> None:
    with pytest.raises(IndexOutOfRange, match=rf"argument 0 has shape \[3\].* no axis {axis}"):
        tad.vmap(lambda x: x, in_axes=axis)(np.ones(3))
    with pytest.raises(IndexOutOfRange, match=rf"out_axes {axis} .*\[3\]"):
        tad.vmap(lambda x: x, out_axes=axis)(np.ones(3))


def test_a_number_has_no_axis() -> None:
    with pytest.raises(IndexOutOfRange, match=r"argument 1 has shape \[\]"):
        tad.vmap(lambda x, s: x * s)(np.ones(3), 2.0)


@pytest.mark.parametrize(
    "axes", [(0,), (0, 0, 0), ((0, 0), 0), ("0", 0), (True, 0), ({"k": 0}, 0), (0.0, 0)]
)
def test_in_axes_that_do_not_fit(axes: Any) -> None:
    with pytest.raises(ArgumentError, match="vmap: in_axes"):
        tad.vmap(lambda a, b: a * b, in_axes=axes)(np.ones(3), np.ones(3))


def test_out_axes_that_do_not_fit() -> None:
    with pytest.raises(ArgumentError, match="vmap: out_axes"):
        tad.vmap(lambda x: x, out_axes=(0, 0))(np.ones(3))


def test_something_must_be_mapped() -> None:
    for call in (
        lambda: tad.vmap(lambda x: x, in_axes=None)(np.ones(3)),
        lambda: tad.vmap(lambda: tad.ones(3))(),
        lambda: tad.vmap(lambda x: x)(None),
    ):
        with pytest.raises(ArgumentError, match="no argument is mapped"):
            call()


# --- meaning ------------------------------------------------------------------------------------
PROGRAMS: dict[str, Any] = {
    "elementwise": lambda x, w: tad.tanh(x) * w + x,
    "broadcast": lambda x, w: x[:, None] * w[None, :],
    "matmul": lambda x, w: tad.tensordot(x, w, axes=1),
    "reductions": lambda x, w: tad.max(x) + tad.mean(w) * tad.prod(x),
    "selection": lambda x, w: tad.where(x > w, x * w, tad.sort(w)),
    "cumulative": lambda x, w: tad.cumulative_sum(x * w),
    "indexing": lambda x, w: x[tad.argmax(w)] * w[::-1] + x.at[1].add(w[0]),
    "joining": lambda x, w: tad.concat([x, tad.stack([w[0], tad.sum(x)])]),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("in_axes", [(0, 0), (0, None), (None, 0)])
def test_a_batch_is_a_loop(name: str, in_axes: Any) -> None:
    f = PROGRAMS[name]
    x, w = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3))
    args = [v if axis == 0 else v[0] for v, axis in zip((x, w), in_axes, strict=True)]
    rows = [
        v if axis == 0 else np.broadcast_to(v[0], v.shape)
        for v, axis in zip((x, w), in_axes, strict=True)
    ]
    got = tad.vmap(f, in_axes)(*args)
    np.testing.assert_allclose(got, loop(f, *rows), rtol=1e-13, atol=1e-15)
    # per-example gradients
    scalar = lambda x, w: tad.sum(tad.sin(f(x, w)))
    gradient = tad.vmap(tad.grad(scalar, (0, 1)), in_axes)(*args)
    for k in (0, 1):
        expected = loop(tad.grad(scalar, k), *rows)
        np.testing.assert_allclose(gradient[k], expected, rtol=1e-12, atol=1e-14)


def test_hessians_of_members() -> None:
    f = lambda x: tad.sum(x**3) + tad.prod(x)
    xs = RNG.normal(size=(4, 3))
    got = tad.vmap(tad.hessian(f))(xs)
    np.testing.assert_allclose(got, loop(tad.hessian(f), xs), rtol=1e-12, atol=1e-14)


def test_maps_of_maps() -> None:
    f = lambda a, b: a * b + 1.0
    a, b = np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0])
    table = tad.vmap(tad.vmap(f, in_axes=(None, 0)), in_axes=(0, None))(a, b)
    np.testing.assert_array_equal(table, a[:, None] * b + 1.0)
    turned = tad.vmap(tad.vmap(f, in_axes=(0, None)), in_axes=(None, 0), out_axes=-1)(a, b)
    np.testing.assert_array_equal(turned, a[:, None] * b + 1.0)


def test_derivatives_through_a_map() -> None:
    x, w = RNG.normal(size=(5, 3)), RNG.normal(size=3)
    f = lambda w: tad.sum(tad.vmap(lambda row: tad.sin(row @ w))(tad.asarray(x)))
    np.testing.assert_allclose(tad.grad(f)(w), np.cos(x @ w) @ x, rtol=1e-13)
    np.testing.assert_allclose(tad.jit(tad.grad(f))(w), np.cos(x @ w) @ x, rtol=1e-13)
    ahead = tad.jvp(f)(w, np.ones(3))
    assert float(ahead) == pytest.approx(float(np.sum(np.cos(x @ w) @ x)), rel=1e-13)


def test_dtypes_shapes_and_empty_batches() -> None:
    assert tad.vmap(lambda x: x * 2.0)(np.ones(3, np.float32)).dtype == np.float32
    assert tad.vmap(lambda x: x * 2)(np.arange(3)).dtype == np.int64
    assert tad.vmap(lambda x: tad.sum(x))(np.ones((0, 4))).shape == (0,)
    assert tad.vmap(tad.grad(lambda x: tad.sum(x * x)))(np.ones((0, 4))).shape == (0, 4)


def test_members_see_their_own_shape() -> None:
    shapes = []
    tad.vmap(lambda x: shapes.append((x.shape, x.ndim, len(x))) or x)(np.ones((5, 3, 2)))
    assert shapes == [((3, 2), 2, 3)]
