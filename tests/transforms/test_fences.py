"""detach and no_grad: constants to every derivative, in every mode, at every order and level."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError

W = np.array([1.0, 2.0, 3.0])
Fence = Callable[[Callable[..., Any]], Callable[..., Any]]
# Two fences: the result detached, or the function made constant.
FENCES: dict[str, Fence] = {
    "detach": lambda f: lambda *args: tad.detach(f(*args)),
    "no_grad": tad.no_grad,
}
each_fence = pytest.mark.parametrize("fence", FENCES.values(), ids=list(FENCES))


def forward_gradient(f: Any) -> Any:
    """A gradient by forward mode alone."""
    return tad.jacfwd(f)


def jvp_gradient(f: Any) -> Any:
    return lambda x: tad.vmap(lambda v: tad.jvp(f, (x,), (v,))[1])(tad.eye(x.shape[0]))


def linear_gradient(f: Any) -> Any:
    return lambda x: tad.vmap(tad.linearize(f, x)[1])(tad.eye(x.shape[0]))


GRADIENTS: dict[str, Any] = {
    "grad": tad.grad,
    "jacrev": tad.jacrev,
    "jacfwd": forward_gradient,
    "jvp": jvp_gradient,
    "linearize": linear_gradient,
    "vjp": lambda f: lambda x: tad.vjp(f)(x, 1.0),
    "jit outside": lambda f: tad.jit(tad.grad(f)),
    "jit inside": lambda f: tad.grad(tad.jit(f)),
    "vmap": lambda f: lambda x: tad.vmap(tad.grad(f))(x[None])[0],
    "tape": lambda f: tad.grad(f, tape=True),
}


@each_fence
@pytest.mark.parametrize("mode", GRADIENTS)
def test_every_mode_sees_a_constant(mode: str, fence: Fence) -> None:
    # N11: Σ(sg(2w) w + sg(w/2) w) · sg(max w): value 105, gradient 7.5 w
    twice, half, largest = fence(lambda w: 2.0 * w), fence(lambda w: w / 2.0), fence(tad.max)

    def f(w: Any) -> Any:
        return tad.sum(twice(w) * w + half(w) * w) * largest(w)

    assert float(f(tad.asarray(W))) == 105.0
    np.testing.assert_array_equal(GRADIENTS[mode](f)(tad.asarray(W)), 7.5 * W)


@each_fence
def test_every_order_sees_a_constant(fence: Fence) -> None:
    # x**3 c with c = sg(x**2): derivatives 3 x**2 c, 6 x c, 6 c, 0, each with c = x**2
    square = fence(lambda x: x * x)
    f = lambda x: x**3 * square(x)
    x = 2.0
    expected = [3 * x**2 * 4.0, 6 * x * 4.0, 6 * 4.0, 0.0]
    for derivative in (tad.grad, tad.jacfwd, tad.jacrev):
        d = f
        for value in expected:
            d = derivative(d)
            assert float(d(x)) == value
    for order, value in enumerate(expected, start=1):
        assert float(tad.derivative(f)(x, [1.0] * order)) == value
    mixed = tad.jacfwd(tad.grad(tad.jit(tad.jacrev(f))))
    assert float(mixed(x)) == expected[2]


@each_fence
def test_second_order_of_published_programs(fence: Fence) -> None:
    square, largest = fence(lambda w: w**2), fence(tad.max)
    f = lambda w: tad.sum(square(w) * w**2)  # N12
    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(tad.grad(f)(x), [2.0, 16.0])
    np.testing.assert_array_equal(tad.hessian(f)(x), [[2.0, 0.0], [0.0, 8.0]])
    g = lambda w: largest(w) * tad.sum(w * w)  # N13
    y = np.array([1.0, 3.0])
    for h in (tad.hessian(g), tad.jacrev(tad.jacfwd(g)), tad.jit(tad.hessian(g))):
        np.testing.assert_array_equal(h(y), 6.0 * np.eye(2))
    np.testing.assert_array_equal(tad.hvp(g)(y, np.array([1.0, 10.0])), [6.0, 60.0])


@each_fence
def test_every_level_sees_a_constant(fence: Fence) -> None:
    # The fence stands inside an inner derivative; the outer variable passes through it too.
    inner = lambda x: tad.grad(lambda y: y * fence(lambda t: t * x)(y))(x)  # = x**2, a constant
    assert float(inner(tad.asarray(3.0))) == 9.0
    assert float(tad.grad(inner)(3.0)) == 0.0
    assert float(tad.jacfwd(inner)(3.0)) == 0.0
    # What is closed over and not fenced is still differentiated.
    half = lambda x: tad.grad(lambda y: y * x * fence(lambda t: t)(y))(x)  # x sg(x)
    assert float(tad.grad(half)(3.0)) == 3.0


@each_fence
def test_a_fence_within_a_map(fence: Fence) -> None:
    norm = fence(lambda row: tad.sum(row))
    f = lambda row: tad.sum(row * norm(row))
    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    got = tad.vmap(tad.grad(f))(rows)
    np.testing.assert_array_equal(got, [[3.0, 3.0], [7.0, 7.0]])
    total = lambda rows: tad.sum(tad.vmap(f)(rows))
    np.testing.assert_array_equal(tad.grad(total)(rows), [[3.0, 3.0], [7.0, 7.0]])


@each_fence
def test_a_fence_in_a_graph(fence: Fence) -> None:
    f = lambda x: x * fence(lambda x: x * x)(x)
    graph = tad.trace(f)(3.0)
    replayed = tad.jit(f)
    assert float(tad.grad(replayed)(3.0)) == 9.0
    assert float(tad.grad(tad.grad(replayed))(3.0)) == 0.0
    assert len(graph.nodes) >= 2


@each_fence
def test_values_are_unchanged_and_the_whole_gradient_is_zero(fence: Fence) -> None:
    f = fence(lambda x: tad.sum(tad.exp(x)))
    x = np.array([0.0, 1.0], np.float32)
    value, gradient = tad.value_and_grad(f)(x)
    assert float(value) == pytest.approx(1.0 + np.e)
    assert gradient.dtype == np.float32
    np.testing.assert_array_equal(gradient, [0.0, 0.0])


@dataclasses.dataclass(frozen=True)
class Model:
    w: Any
    b: Any
    name: str = dataclasses.field(default="m", metadata={"static": True})


def test_detach_takes_trees() -> None:
    tree = {"model": Model(W, 2.0, "kept"), "none": None, "ids": np.array([1, 2])}
    out = tad.detach(tree)
    assert list(out) == ["model", "none", "ids"] and out["none"] is None
    assert isinstance(out["model"], Model) and out["model"].name == "kept"
    assert isinstance(out["ids"], tad.IntTensor)
    np.testing.assert_array_equal(out["model"].w, W)
    f = lambda m: tad.sum(tad.detach(m).w * m.w) * tad.detach(m).b
    gradient = tad.grad(f)(Model(W, 2.0))
    np.testing.assert_array_equal(gradient.w, 2.0 * W)
    assert float(gradient.b) == 0.0


def test_detach_keeps_dtype_and_weakness() -> None:
    assert tad.detach(np.float32(2.0)).dtype == np.float32
    assert tad.detach(2.0).weak and not tad.detach(tad.asarray(np.float64(2.0))).weak
    x = np.array([1.0, 2.0])
    fenced = tad.detach(x)
    x[:] = 9.0
    np.testing.assert_array_equal(fenced, [1.0, 2.0])


def test_no_grad_takes_trees_and_keywords() -> None:
    f = tad.no_grad(lambda m, *, scale: {"y": m.w * m.b * scale, "s": "text"})
    loss = lambda m, s: tad.sum(f(m, scale=s)["y"] * m.w) * s
    model = Model(W, 2.0)
    dm, ds = tad.grad(loss, (0, 1))(model, 3.0)
    np.testing.assert_array_equal(dm.w, 18.0 * W)  # w b s, times s
    assert float(dm.b) == 0.0
    assert float(ds) == pytest.approx(6.0 * 14.0)
    assert f(model, scale=1.0)["s"] == "text"


def test_no_grad_hides_what_the_function_closes_over() -> None:
    f = lambda x: x * tad.no_grad(lambda: x * x)()
    assert float(tad.grad(f)(3.0)) == 9.0
    assert float(tad.jacfwd(f)(3.0)) == 9.0


def test_a_derivative_behind_a_fence_has_a_value() -> None:
    slope = tad.no_grad(tad.grad(lambda y: y**3))
    f = lambda x: x * slope(x)
    assert float(f(tad.asarray(2.0))) == 24.0
    assert float(tad.grad(f)(2.0)) == 12.0


def test_there_is_no_block_form() -> None:
    with pytest.raises(ArgumentError, match="with no_grad"):
        with tad.no_grad():  # type: ignore[attr-defined]
            pass
    with pytest.raises(ArgumentError, match="no_grad: f is a float"):
        tad.no_grad(3.0)  # type: ignore[arg-type]
