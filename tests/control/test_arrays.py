"""Loops over arrays and trees: against the same computation unrolled."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad

RNG = np.random.default_rng(0)
W = RNG.normal(size=(3, 3)) * 0.5
X = RNG.normal(size=(4, 3))


def rnn(w: Any, xs: Any) -> Any:
    h, ys = tad.scan(lambda h, x: (tad.tanh(w @ h + x), {"y": h * x}), tad.zeros(3), xs)
    return tad.sum(h * h) + tad.sum(ys["y"])


def unrolled(w: Any, xs: Any) -> Any:
    h, total = tad.zeros(3), 0.0
    for i in range(4):
        total = total + tad.sum(h * xs[i])
        h = tad.tanh(w @ h + xs[i])
    return tad.sum(h * h) + total


def looped(w: Any, xs: Any) -> Any:
    def body(s: Any) -> Any:
        i, h, total = s
        x = tad.take(xs, i, axis=0)
        return i + 1, tad.tanh(w @ h + x), total + tad.sum(h * x)

    _, h, total = tad.while_loop(lambda s: s[0] < 4, body, (0, tad.zeros(3), 0.0))
    return tad.sum(h * h) + total


@pytest.mark.parametrize("f", [rnn, looped])
@pytest.mark.parametrize("argnum", [0, 1])
@pytest.mark.parametrize(
    "transform",
    [
        tad.grad,
        lambda f, n: tad.jit(tad.grad(f, n)),
        tad.jacfwd,
        tad.hessian,
        lambda f, n: tad.jacrev(tad.grad(f, n), n),
        lambda f, n: tad.jacfwd(tad.jacfwd(f, n), n),
    ],
    ids=["grad", "jit", "jacfwd", "hessian", "reverse-reverse", "forward-forward"],
)
def test_against_unrolled(f: Any, argnum: int, transform: Any) -> None:
    got, want = transform(f, argnum)(W, X), transform(unrolled, argnum)(W, X)
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("f", [rnn, looped])
@pytest.mark.parametrize("axes", [(None, 0), (0, None), (0, 0)])
def test_batched(f: Any, axes: Any) -> None:
    w, x = np.stack([W, 2 * W]), np.stack([X, X + 1])
    args = (w if axes[0] == 0 else W, x if axes[1] == 0 else X)
    got = tad.vmap(tad.grad(f), in_axes=axes)(*args)
    want = [
        tad.to_numpy(tad.grad(f)(w[i] if axes[0] == 0 else W, x[i] if axes[1] == 0 else X))
        for i in range(2)
    ]
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_a_scan_runs_its_body_forward_once() -> None:
    graph = tad.trace(tad.grad(rnn))(W, X)
    assert [n.prim.name for n in graph.nodes].count("scan") == 2


@pytest.mark.parametrize("length", [0, 1, 3])
def test_length(length: int) -> None:
    xs = tad.ones((length, 2))
    c, ys = tad.scan(lambda c, x: (c + tad.sum(x), c), 1.0, xs)
    assert float(c) == 1.0 + 2 * length and ys.shape == (length,)
    g = tad.grad(lambda s: tad.scan(lambda c, x: (c * s + tad.sum(x), c), 1.0, xs)[0])(2.0)
    assert float(g) == {0: 0.0, 1: 1.0, 3: 3 * 4 + 2 * (2 * 2 + 1)}[length]


def test_structure_and_dtypes_are_kept() -> None:
    init = {"a": tad.zeros(2, dtype=tad.float32), "n": (tad.asarray(0), None)}
    out = tad.while_loop(
        lambda s: s["n"][0] < 3, lambda s: {"a": s["a"] + 1.0, "n": (s["n"][0] + 1, None)}, init
    )
    assert out["a"].dtype == np.float32 and out["n"][1] is None
    assert int(out["n"][0]) == 3


def test_weak_start_takes_the_dtype_of_the_body() -> None:
    xs = tad.ones(3, dtype=tad.float32)
    total, _ = tad.scan(lambda c, x: (c + x, None), 0, xs)
    assert total.dtype == np.float32 and float(total) == 3.0


def test_truth_values_are_carried_and_remembered() -> None:
    def body(s: Any) -> Any:
        flag, x, i = s
        y = tad.where(flag[None], x * 1.1, tad.sin(x))
        return tad.sum(y) > 3.0, y, i + 1

    def loop(x: Any) -> Any:
        start = (True, x, 0)
        return tad.sum(tad.while_loop(lambda s: s[2] < 5, body, start)[1] ** 2)

    def unrolled(x: Any) -> Any:
        s = (tad.asarray(True), x, 0)
        for _ in range(5):
            s = body(s)
        return tad.sum(s[1] ** 2)

    x = np.asarray([1.0, 2.0, 0.5])
    for transform in (lambda f: f, tad.grad, tad.hessian):
        want = transform(unrolled)(x)
        np.testing.assert_allclose(transform(loop)(x), want, rtol=1e-13)
        np.testing.assert_allclose(tad.jit(transform(loop))(x), want, rtol=1e-13)


def test_no_warning_from_inside(recwarn: pytest.WarningsRecorder) -> None:
    far = lambda c: c[0] < 2
    assert float(tad.while_loop(far, lambda c: (c[0] + 1, tad.log(c[1] - 1.0)), (0, 1.0))[1]) != 0
    assert float(tad.scan(lambda c, k: (c / k, None), 1.0, np.zeros(1))[0]) == np.inf
    assert float(tad.cond(True, tad.log, tad.sin, 0.0)) == -np.inf
    assert not recwarn.list


def test_batch_without_members() -> None:
    power = lambda n, x: tad.while_loop(
        lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * x), (0, 1.0)
    )[1]
    none = np.zeros(0, int), np.zeros(0)
    for g in (power, tad.grad(power, argnums=1), tad.hessian(power, argnums=1)):
        assert tad.vmap(g)(*none).shape == (0,)


def test_dead_branch_of_a_batch_gives_no_nan() -> None:
    f = lambda x: tad.cond(x > 0.0, tad.log, lambda t: 0.0 * t, x)
    x = np.asarray([2.0, 0.0])
    for g in (tad.vmap(tad.grad(f)), tad.grad(lambda x: tad.sum(tad.vmap(f)(x)))):
        np.testing.assert_array_equal(g(x), [0.5, 0.0])
