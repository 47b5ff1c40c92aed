"""One random program under the interpreters that compute on NumPy, and in JAX and PyTorch."""

from functools import cache, partial
from typing import Any

import numpy as np

import taglessad as tad
from taglessad.interpreters.eager import EAGER
from tests.fuzz.agreement import Found, agree, dot, leaves, shapes
from tests.fuzz.backends import Jax, Ours, Torch
from tests.fuzz.generator import Program, point


def each_interpreter(program: Program, seed: int) -> Found:
    """Value, gradient and Hessian times direction, after all interpreters agreed on them."""
    f = partial(program.loss, Ours())
    x, v = point(seed), point(seed + 1)
    value, gradient = tad.value_and_grad(f)(x)
    y, g = leaves(value), leaves(gradient)
    assert all(np.all(np.isfinite(leaf)) for leaf in (*y, *g)), "not finite"
    agree("the program by itself", leaves(f(_handles(x))), y)

    # first order
    slope = leaves(dot(gradient, v))
    agree("forward", leaves(tad.jvp(f, (x,), (v,))[1]), slope)
    agree("linearize", leaves(tad.linearize(f, x)[1](v)), slope)
    replayed = tad.jit(tad.value_and_grad(f))(x)
    agree("jit", leaves(replayed[0]), y)
    agree("jit of grad", leaves(replayed[1]), g)
    agree("grad of jit", leaves(tad.grad(tad.jit(f))(x)), g)
    graph = tad.trace(f)(x)
    agree("graph", [np.asarray(graph.run(EAGER, leaves(x))[0])], y)
    assert tad.interpret(f, tad.interpreters.Shape())(shapes(x)) == ()

    # second order
    product = leaves(tad.hvp(f)(x, v))
    reverse = tad.grad(lambda x: dot(tad.grad(f)(x), v))
    agree("reverse over reverse", leaves(reverse(x)), product, 1e-8)
    agree("reverse over reverse, jit", leaves(tad.jit(reverse)(x)), product, 1e-8)
    agree(
        "reverse over forward",
        leaves(tad.grad(lambda x: tad.jvp(f, (x,), (v,))[1])(x)),
        product,
        1e-8,
    )
    series = tad.taylor(f, 2)(x, v)
    curvature = [np.asarray(sum(np.sum(a * b) for a, b in zip(product, leaves(v), strict=True)))]
    for what, got, want in zip(("0", "1", "2"), series, (y, slope, curvature), strict=True):
        agree(f"series, order {what}", leaves(got), want, 1e-8)

    # batches
    points = [x, point(seed + 2), point(seed + 3)]
    stacked = tad.trees.map(lambda *rows: np.stack(rows), *points)
    alone = [leaves(tad.grad(f)(p)) for p in points]
    members = [np.stack(rows) for rows in zip(*alone, strict=True)]
    agree("vmap of grad", leaves(tad.vmap(tad.grad(f))(stacked)), members)
    total = lambda x: tad.sum(tad.vmap(f)(x))
    agree("grad of vmap", leaves(tad.grad(total)(stacked)), members)
    agree("jit of vmap of grad", leaves(tad.jit(tad.vmap(tad.grad(f)))(stacked)), members)
    return y, g, product


def _handles(x: Any) -> Any:
    return tad.trees.map(tad.asarray, x)


@cache
def _torch() -> Torch:
    return Torch()


@cache
def _jax() -> Jax:
    return Jax()


def against_jax(program: Program, seed: int, ours: Found) -> None:
    L = _jax()
    jax = L.jax
    with jax.enable_x64(True):
        f = partial(program.loss, L)
        x, v = (jax.tree.map(jax.numpy.asarray, point(s)) for s in (seed, seed + 1))
        (value, gradient), (_, product) = jax.jvp(jax.value_and_grad(f), (x,), (v,))
        theirs = [
            [np.asarray(leaf) for leaf in jax.tree.leaves(t)] for t in (value, gradient, product)
        ]
    for what, a, b, rtol in zip(
        ("value", "gradient", "product"), ours, theirs, (1e-9, 1e-9, 1e-8), strict=True
    ):
        # JAX sorts the keys of a dict, this library keeps their order.
        b = b if len(b) == 1 else [b[2], b[0], b[1]]
        agree(f"JAX, {what}", a, b, rtol)


def against_torch(program: Program, seed: int, ours: Found) -> None:
    L = _torch()
    torch = L.torch
    xs = [torch.tensor(leaf, requires_grad=True) for leaf in leaves(point(seed))]
    vs = [torch.tensor(leaf) for leaf in leaves(point(seed + 1))]
    value = program.loss(L, {"m": xs[0], "inner": (xs[1], xs[2])})
    keep = {"allow_unused": True, "materialize_grads": True}
    if value.requires_grad:
        gs = torch.autograd.grad(value, xs, create_graph=True, **keep)
    else:
        gs = [torch.zeros_like(x) for x in xs]
    slope = sum((g * v).sum() for g, v in zip(gs, vs, strict=True))
    if slope.requires_grad:
        hs = torch.autograd.grad(slope, xs, **keep)
    else:
        hs = [torch.zeros_like(x) for x in xs]
    agree("PyTorch, value", ours[0], [value.detach().numpy()])
    agree("PyTorch, gradient", ours[1], [g.detach().numpy() for g in gs])
    agree("PyTorch, product", ours[2], [h.detach().numpy() for h in hs], 1e-8)
